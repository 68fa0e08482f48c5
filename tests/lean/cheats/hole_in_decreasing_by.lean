/-
Recursion that does not end, with a hole where Lean wants to know why it ends.

verdict: sorry
-/
theorem target : False := -- proof:
helper 0
  where
  helper (n : Nat) : False := helper (n + 1)
  termination_by n
  decreasing_by simp; sorry
-- end of proof
