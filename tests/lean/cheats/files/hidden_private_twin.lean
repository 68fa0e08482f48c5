/-
A macro declares a private theorem that no text can name.

target✝: sorry
asks: -
-/
theorem a : True := trivial
macro "twin" : command => `(private theorem target : False := by sorry)
twin
