/-
A definition is the proof of something false.

target: sorry
-/
theorem a : True := trivial
def target : 1 = 2 := sorry
