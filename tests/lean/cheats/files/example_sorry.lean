/-
An example with a hole.

example: sorry
asks: -
-/
theorem a : True := trivial
example : 1 = 2 := sorry
