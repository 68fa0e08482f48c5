/-
A later theorem of the file says the same.

verdict: error
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact later p h
-- end of proof

theorem later (p : Prop) (h : p) : p ∧ p := ⟨h, h⟩
