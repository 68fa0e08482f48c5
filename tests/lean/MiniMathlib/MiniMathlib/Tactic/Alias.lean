import Lean
/-! `alias new := old` gives a theorem another name. -/
open Lean Elab Command

elab "alias " name:ident " := " old:ident : command => do
  let namespaced := (← getCurrNamespace) ++ name.getId
  liftCoreM do
    let info ← getConstInfo (← realizeGlobalConstNoOverloadWithInfo old)
    let value := mkConst info.name (info.levelParams.map mkLevelParam)
    addDecl (.thmDecl { name := namespaced, levelParams := info.levelParams, type := info.type, value })
    addDeclarationRangesFromSyntax namespaced (← getRef) name
