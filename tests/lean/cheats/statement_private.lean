/-
A private definition with the name of a public one.

verdict: error
-/
private def truth : Nat := 1

theorem target : truth = 2 := -- proof:
by decide
-- end of proof
