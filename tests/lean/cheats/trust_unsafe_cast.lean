/-
A cast from anything to anything.

verdict: forbidden
-/
theorem target : False := -- proof:
unsafeCast trivial
-- end of proof
