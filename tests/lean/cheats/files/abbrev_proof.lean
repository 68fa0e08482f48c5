/-
An abbreviation is the proof of something false.

target: sorry
-/
theorem a : True := trivial
abbrev target : 1 = 2 := by sorry
