/-
`lemma`, which declares nothing here.

told: reads like a declaration, and Lean has declared nothing
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
elab "lemma" ident ":" term ":=" term : command => pure ()
lemma target : False := trivial
