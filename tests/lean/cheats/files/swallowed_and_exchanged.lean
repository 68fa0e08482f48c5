/-
A command of the file declares another theorem of the name.

told: is the file's own, and may have done anything
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
elab "swap" _c:command : command => do elabCommand (← `(theorem $(mkIdent `target) : True := trivial))
swap theorem target : False := sorry
