/-
A goal is taken out of the list instead of being proved.

verdict: error
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by
  constructor
  · exact h
  · rotate_left
-- end of proof
