/-
A hole, plainly.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by sorry
-- end of proof
