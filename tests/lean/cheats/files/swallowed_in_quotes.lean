/-
A macro of the file has a theorem in quotes, and a command of it that does nothing.

told: reads like a declaration, and Lean has declared nothing
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
elab "declare" "theorem" ident ":" term : command => pure ()
declare theorem target : False
