/-
The compiler's own proof of everything.

verdict: forbidden, error, kernel
-/
theorem target : False := -- proof:
lcProof
-- end of proof
