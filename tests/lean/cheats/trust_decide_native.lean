/-
`native_decide` by its option.

verdict: forbidden
-/
theorem target : 10 < 20 := -- proof:
by decide +native
-- end of proof
