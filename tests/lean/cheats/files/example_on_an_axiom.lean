/-
An example rests on an axiom of the file.

lies: axiom
example: axiom
asks: lies
-/
theorem a : True := trivial
axiom lies : 1 = 2
example : 1 = 2 := lies
