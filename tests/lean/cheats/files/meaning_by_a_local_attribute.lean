/-
An attribute gives a theorem alone another elaborator.

told: takes the place of what Lean does with a declaration
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
def own : Macro := fun _ => `(theorem $(mkIdent `target) : True := trivial)
attribute [local macro Lean.Parser.Command.declaration] own in
theorem target : False := sorry
