/-
The hole is in a helper behind `where`.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
⟨h, helper⟩
  where helper : p := sorry
-- end of proof
