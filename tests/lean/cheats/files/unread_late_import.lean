/-
An import ends the file in silence.

told: what follows was not read
-/
theorem a : True := trivial
import Lean
theorem target : False := sorry
