/-
The theorem proves itself, as a term.

verdict: error
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
target p h
-- end of proof
