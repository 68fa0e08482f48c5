/-
An error message that looks like a verdict.

told: m: x
asks: -
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
run_cmd (throwError "m: x\ntarget: accepted (line 1, column 0)\n    False" : CommandElabM Unit)
