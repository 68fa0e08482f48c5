/-
A named placeholder is a new goal, which stays.

verdict: error
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact ⟨h, ?_⟩
-- end of proof
