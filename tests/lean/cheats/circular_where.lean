/-
A helper proves itself.

verdict: error
-/
theorem target : False := -- proof:
f
  where f : False := f
-- end of proof
