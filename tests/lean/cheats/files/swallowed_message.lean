/-
A command of the file elaborates a theorem and forgets the errors.

told: is the file's own, and may have done anything
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
elab "quiet" c:command : command => do
  elabCommand c
  modify fun s => { s with messages := {} }
quiet theorem target : False := by simp
