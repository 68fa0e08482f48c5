/-
The sign that comes before a proof, once more.

verdict: error
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
:= by exact ⟨h, h⟩
-- end of proof
