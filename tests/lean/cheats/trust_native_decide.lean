/-
A compiled program decides, and the kernel believes it.

verdict: forbidden
-/
theorem target : 10 < 20 := -- proof:
by native_decide
-- end of proof
