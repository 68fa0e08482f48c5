/-
The default value of a structure's field is a hole, and nobody uses it.

sorry
asks: -
-/
theorem a : True := trivial
structure S where
  h : 1 = 2 := sorry
