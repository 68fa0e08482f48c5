/-
A macro puts an example under a syntax of the file's own.

told: a `sorry` that belongs to no declaration
asks: -
-/
theorem a : True := trivial
macro "unseen" : command => `(example : 1 = 2 := sorry)
unseen
