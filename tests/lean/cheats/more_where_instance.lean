/-
A helper behind `where` is made an instance, and stays one.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
⟨h, h⟩
  where @[instance] helper : Inhabited Nat := ⟨1⟩
-- end of proof
