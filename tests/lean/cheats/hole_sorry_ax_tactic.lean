/-
The axiom behind `sorry`, in a tactic.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact (sorryAx _)
-- end of proof
