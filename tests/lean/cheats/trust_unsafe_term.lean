/-
The keyword that lets unsafe code into a term.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
unsafe (⟨h, h⟩ : p ∧ p)
-- end of proof
