/-
A block without a tactic.

verdict: error
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by
-- end of proof
