/-
The axiom is an instance that type class search finds.

verdict: axiom
-/
class Magic (p : Prop) : Prop where
  out : p
@[instance] axiom magic (p : Prop) : Magic p

theorem target : False := -- proof:
by exact (inferInstance : Magic False).out
-- end of proof
