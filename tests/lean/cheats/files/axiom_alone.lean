/-
An axiom that nobody uses.

target: axiom
-/
theorem a : True := trivial
axiom target : False
