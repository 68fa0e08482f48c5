/-
A helper of an example, which nothing uses, is a hole.

example: sorry
asks: -
-/
theorem a : True := trivial
example : 1 = 1 := rfl
where unused : 1 = 2 := sorry
