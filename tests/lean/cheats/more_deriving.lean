/-
Instances are derived behind the proof.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact ⟨h, h⟩
deriving instance Repr for Unit
-- end of proof
