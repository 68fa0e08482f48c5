/-
What a definition is said to be in C proves nothing about it.

verdict: error
-/
@[extern "lean_nat_succ"] def wrong (n : Nat) : Nat := n

theorem target : False := -- proof:
by
  have : wrong 1 = 2 := by decide
  exact absurd this (by decide)
-- end of proof
