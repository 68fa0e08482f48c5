/-
The proof declares a rewriting rule for what follows.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact ⟨h, h⟩
attribute [simp] Nat.succ_ne_zero
-- end of proof
