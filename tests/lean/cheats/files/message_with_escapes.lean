/-
A message that clears the screen.

told: m: x
asks: -
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
run_cmd (throwError "m: x\x1b[2J\x1b[Htarget: accepted\u202e" : CommandElabM Unit)
