/-
The hypothesis that stands for the theorem in a recursive proof.

verdict: error
-/
theorem target : False := -- proof:
by
  have := target
  exact this
-- end of proof
