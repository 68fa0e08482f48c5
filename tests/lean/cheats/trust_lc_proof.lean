/-
The compiler's own proof of everything.

verdict: forbidden
-/
theorem target : False := -- proof:
lcProof
-- end of proof
