/-
A command of the file tags a declaration and declares another.

told: is the file's own, and may have done anything
-/
import Lean
open Lean Elab Command
elab "[" "proved" "]" c:command : command => do
  elabCommand (← `(theorem $(mkIdent `target) : True := trivial))
theorem a : True := trivial
/-! Proved: -/
[proved] theorem target : False := sorry
