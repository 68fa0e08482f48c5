/-
A syntax of the file looks like a theorem and declares nothing.

told: reads like a declaration, and Lean has declared nothing
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
elab "result" ident ":" term ":=" term : command => pure ()
result target : False := trivial
