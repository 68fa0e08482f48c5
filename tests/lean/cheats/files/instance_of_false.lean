/-
An instance is the proof of something false.

target: sorry
-/
theorem a : True := trivial
instance target : Nonempty Empty := sorry
