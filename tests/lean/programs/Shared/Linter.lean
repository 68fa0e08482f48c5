import Lean
open Lean Elab Command

/-- Complains about theorems that are called `bad`. -/
def badNames : Linter where
  run stx := do
    if let some id := stx.find? (·.isOfKind ``Parser.Command.declId) then
      if id[0].getId == `bad then logWarningAt id "a bad name"

initialize addLinter badNames
