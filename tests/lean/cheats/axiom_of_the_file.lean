/-
The file has an axiom that gives everything.

verdict: axiom
-/
axiom lies : False

theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
False.elim lies
-- end of proof
