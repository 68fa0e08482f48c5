import Lean
open Lean Elab Command

/-- How many constructors an inductive type has. -/
class Countable' (α : Type) where
  count : Nat

def mkCount (names : Array Name) : CommandElabM Bool := do
  for name in names do
    let info ← getConstInfoInduct name
    elabCommand (← `(instance : Countable' $(mkIdent name) := ⟨$(quote info.ctors.length)⟩))
  return true

initialize registerDerivingHandler ``Countable' mkCount
