/-
The axiom behind `native_decide`, called by name.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
⟨h, Lean.ofReduceBool _ _ rfl⟩
-- end of proof
