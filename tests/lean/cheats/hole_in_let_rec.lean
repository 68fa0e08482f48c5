/-
The hole is in a local function.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by
  let rec helper : p := sorry
  exact ⟨h, helper⟩
-- end of proof
