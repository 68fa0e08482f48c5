/-
A cast from anything to anything.

verdict: error, forbidden, kernel
-/
theorem target : False := -- proof:
unsafeCast trivial
-- end of proof
