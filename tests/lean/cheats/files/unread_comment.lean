/-
A comment that is never closed.

told: unterminated comment
-/
theorem a : True := trivial
/- theorem target : False := sorry
