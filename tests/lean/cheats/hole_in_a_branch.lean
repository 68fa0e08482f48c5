/-
One branch is proved, the other left open.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by
  constructor
  · exact h
  · sorry
-- end of proof
