/-
Another theorem follows.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact ⟨h, h⟩

theorem extra : True := trivial
-- end of proof
