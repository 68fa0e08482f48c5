/-
An example by the compiler's word.

example: forbidden
asks: -
-/
theorem a : True := trivial
example : 10 < 20 := by native_decide
