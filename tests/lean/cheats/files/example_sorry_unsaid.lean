/-
An example with a hole of which Lean says nothing.

example: sorry
asks: -
-/
theorem a : True := trivial
set_option warn.sorry false
example : 1 = 2 := by sorry
