/-
A command that runs a program follows.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact ⟨h, h⟩

#eval 1
-- end of proof
