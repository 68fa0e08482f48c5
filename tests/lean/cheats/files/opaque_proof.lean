/-
An opaque constant is the proof of something false.

target: sorry
-/
theorem a : True := trivial
opaque target : 1 = 2 := sorry
