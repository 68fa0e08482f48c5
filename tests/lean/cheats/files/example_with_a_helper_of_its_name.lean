/-
A helper of an example has the name that the example is judged by.

example: axiom
asks: -
-/
theorem a : True := trivial
macro "surely" : tactic => `(tactic| native_decide)
example : 10 < 20 := by surely
where
  x_example_0 : True := trivial
  _example_0 : True := trivial
