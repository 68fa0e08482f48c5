/-
A local function is said to be another one.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
⟨h, h⟩
  where @[implemented_by Nat.succ] helper (n : Nat) : Nat := n
-- end of proof
