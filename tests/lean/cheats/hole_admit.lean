/-
A hole by its other name.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by admit
-- end of proof
