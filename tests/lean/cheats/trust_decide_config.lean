/-
`native_decide` by its configuration.

verdict: forbidden
-/
theorem target : 10 < 20 := -- proof:
by decide (config := { native := true })
-- end of proof
