/-
A hole as a term.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
sorry
-- end of proof
