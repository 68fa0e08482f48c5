/-
A theorem with an error inside, and others without.

target: error
-/
theorem a : True := trivial
theorem target : False := by simp
theorem b : True := trivial
