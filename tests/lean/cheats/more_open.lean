/-
The proof opens a namespace for what follows.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact ⟨h, h⟩
open Classical
-- end of proof
