/-
The proof changes what a tactic means for those that follow.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact ⟨h, h⟩

macro_rules | `(tactic| rfl) => `(tactic| sorry)
-- end of proof
