/-
An elaborator of the file swallows a theorem.

target: not_found
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
elab "swallow" _c:command : command => pure ()
swallow theorem target : False := trivial
