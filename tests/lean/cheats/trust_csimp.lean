/-
An equation for the compiler alone.

verdict: forbidden
-/
def slow : Nat := 0
def fast : Nat := 1
@[csimp] theorem slow_eq_fast : @slow = @fast := sorry

theorem target : False := -- proof:
by
  have : slow = 1 := by native_decide
  exact absurd this (by decide)
-- end of proof
