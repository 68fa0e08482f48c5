/-
`stop` skips the rest of a proof.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by stop
  exact ⟨h, h⟩
-- end of proof
