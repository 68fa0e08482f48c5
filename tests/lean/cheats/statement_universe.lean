/-
The proof is for one universe, the statement for all.

verdict: error
-/
theorem target (α : Sort u) : α = α ∧ False := -- proof:
by
  exact ((fun _ => rfl) : ∀ α : Type, α = α) α
-- end of proof
