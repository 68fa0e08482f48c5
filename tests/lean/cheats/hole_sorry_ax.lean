/-
The axiom behind `sorry`, called by name.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
sorryAx _ false
-- end of proof
