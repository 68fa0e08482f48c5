/-
The theorem proves itself.

verdict: error, circular
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact target p h
-- end of proof
