import Lean
open Lean Elab Command Meta

elab "#count " ids:ident* : command => do
  logInfo m!"{ids.size} names: {ids.map (·.getId)}"
#count a b.c --> 2 names: [a, b.c]

elab "define_all " ids:ident,* " := " v:term : command => do
  for id in ids.getElems do
    elabCommand (← `(def $id := $v))
define_all x, y, z := 7
#eval x + y + z --> 21

syntax (name := showType) "#show_type " ident : command
@[command_elab showType] def elabShowType : CommandElab
  | `(#show_type $id) => liftTermElabM do
    let name ← realizeGlobalConstNoOverload id
    logInfo m!"{← ppExpr (← getConstInfo name).type}"
  | _ => throwUnsupportedSyntax
#show_type Nat.add --> Nat → Nat → Nat

elab_rules : command
  | `(#count) => logInfo "no names"
