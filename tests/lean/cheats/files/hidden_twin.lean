/-
A macro declares a theorem that no text can name.

target✝: sorry
asks: -
-/
theorem a : True := trivial
macro "twin" : command => `(theorem target : False := by sorry)
twin
