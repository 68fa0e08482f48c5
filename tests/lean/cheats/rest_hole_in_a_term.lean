/-
A placeholder that nothing fills.

verdict: error
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
⟨h, _⟩
-- end of proof
