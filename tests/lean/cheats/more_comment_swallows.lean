/-
A comment that is opened and not closed swallows what follows.

verdict: error
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact ⟨h, h⟩ /-
-- end of proof

theorem other : False := by
  sorry
/- -/
