/-
A private axiom.

lies: axiom
target: axiom
-/
private axiom lies : False
theorem target : False := lies
