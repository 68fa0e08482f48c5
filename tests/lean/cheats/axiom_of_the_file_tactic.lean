/-
The same by a tactic.

verdict: axiom
-/
axiom lies : False

theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact lies.elim
-- end of proof
