/-
The axiom stands two lemmas away.

verdict: axiom
-/
axiom lies : False
theorem near : False := lies
theorem further : False := near

theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
further.elim
-- end of proof
