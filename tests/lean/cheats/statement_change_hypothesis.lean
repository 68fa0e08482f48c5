/-
A hypothesis is changed into what it is not.

verdict: error
-/
theorem target (p q : Prop) (h : p) : q := -- proof:
by
  change q at h
  exact h
-- end of proof
