/-
A tactic that is handed a hole.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact sorry
-- end of proof
