/-
A helper proves itself.

verdict: error, circular
-/
theorem target : False := -- proof:
f
  where f : False := f
-- end of proof
