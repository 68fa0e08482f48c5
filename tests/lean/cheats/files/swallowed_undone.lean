/-
A command of the file elaborates a theorem and takes it back.

target: not_found
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
elab "undo" c:command : command => do
  let env ← getEnv
  elabCommand c
  setEnv env
undo theorem target : False := by sorry
