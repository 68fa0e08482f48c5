/-
The default value of a structure's field is a hole.

sorry
-/
theorem a : True := trivial
structure S where
  h : 1 = 2 := by sorry
def target : S := {}
