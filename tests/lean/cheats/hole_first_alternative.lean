/-
The hole comes first, the proof after it is never tried.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by first | sorry | exact ⟨h, h⟩
-- end of proof
