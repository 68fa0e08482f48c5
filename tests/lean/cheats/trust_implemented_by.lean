/-
What a definition is said to be compiled as proves nothing about it.

verdict: error
-/
def one : Nat := 1
@[implemented_by one] def zero : Nat := 0

theorem target : False := -- proof:
by
  have : zero = 1 := by decide
  exact absurd this (by decide)
-- end of proof
