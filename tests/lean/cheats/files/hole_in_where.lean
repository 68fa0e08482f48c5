/-
A helper of a `where` has the hole.

target: sorry
-/
theorem target : 1 = 2 := helper
where helper : 1 = 2 := sorry
