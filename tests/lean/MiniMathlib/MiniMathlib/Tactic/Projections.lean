import Lean
/-! `@[projections]` on a structure's instance states what each of its fields is. -/
open Lean Meta

/-- State `value.field = …` for each field of a structure's constructor. -/
def addProjections (declaration : Name) : MetaM Unit := do
  let info ← getConstInfoDefn declaration
  let constant := mkConst declaration (info.levelParams.map mkLevelParam)
  lambdaTelescope info.value fun parameters body => do
    let some constructor ← isConstructorApp? body | throwError "{declaration} is no instance of a structure"
    let fields := getStructureFields (← getEnv) constructor.induct
    for field in fields, i in [0:fields.size] do
      let given := body.getAppArgs[constructor.numParams + i]!
      let projected ← mkProjection (mkAppN constant parameters) field
      let statement ← mkForallFVars parameters (← mkEq projected given)
      let proof ← mkLambdaFVars parameters (← mkEqRefl given)
      let name := declaration.appendAfter s!"_{field}"
      addDecl (.thmDecl { name, levelParams := info.levelParams, type := statement, value := proof })

initialize registerBuiltinAttribute {
  name := `projections
  descr := "state what each field of a structure's instance is"
  applicationTime := .afterCompilation
  add := fun declaration _ _ => (addProjections declaration).run'
}
