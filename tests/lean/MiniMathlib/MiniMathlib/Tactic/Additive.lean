import Lean
/-! `@[additive name]` copies a theorem on a multiplication to one on an addition. -/
open Lean

/-- What stands for what. -/
initialize additiveNames : SimplePersistentEnvExtension (Name × Name) (NameMap Name) ←
  registerSimplePersistentEnvExtension {
    addEntryFn := fun names (source, target) => names.insert source target
    addImportedFn := fun entries => entries.foldl (fun names module => module.foldl (fun names (s, t) => names.insert s t) names) {}
  }

/-- Write an expression on multiplications as one on additions. -/
def additively (names : NameMap Name) (e : Expr) : Expr :=
  e.replace fun
    | .const name levels => (names.find? name).map (Expr.const · levels)
    | _ => none

syntax (name := additive) "additive" ident : attr
syntax (name := additive_word) "additive_word" ident : attr

initialize registerBuiltinAttribute {
  name := `additive_word
  descr := "the word of an addition for one of a multiplication"
  add := fun declaration stx _ => do
    let target ← realizeGlobalConstNoOverload stx[1]
    modifyEnv (additiveNames.addEntry · (declaration, target))
}

initialize registerBuiltinAttribute {
  name := `additive
  descr := "the same theorem on additions"
  applicationTime := .afterCompilation
  add := fun declaration stx _ => do
    let info ← getConstInfo declaration
    let names := additiveNames.getState (← getEnv)
    let some value := info.value? (allowOpaque := true) | throwError "{declaration} has no proof"
    let name := stx[1].getId
    addDecl (.thmDecl { name, levelParams := info.levelParams, type := additively names info.type,
                        value := additively names value })
    modifyEnv (additiveNames.addEntry · (declaration, name))
}
