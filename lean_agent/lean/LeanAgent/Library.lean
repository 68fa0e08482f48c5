/-
Theorems of Lean's own library as things to be proved: which there are, and the text of a file in which one of them can
be proved with what its own module imports and nothing else. There the theorem, all that was proved from it and every
later alias of it do not exist.
-/
import LeanAgent.Trace
open Lean Meta Elab

namespace LeanAgent

/-- Everything that ships as compiled modules and belongs to the library proper. -/
def libraryImports : Array Import := #[{ module := `Init }, { module := `Std }, { module := `Lean }]

/-- What two statements have in common that differ in universes, instances and names of bound variables only. -/
partial def skeleton (e : Expr) : UInt64 :=
  match e with
  | .const n _ => hash n
  | .app .. =>
    if isInstance e.getAppFn then 7 else e.getAppArgs.foldl (fun h a => mixHash h (skeleton a)) (skeleton e.getAppFn)
  | .lam _ t b _ => mixHash 11 (mixHash (skeleton t) (skeleton b))
  | .forallE _ t b _ => mixHash 13 (mixHash (skeleton t) (skeleton b))
  | .letE _ t v b _ => mixHash 17 (mixHash (skeleton t) (mixHash (skeleton v) (skeleton b)))
  | .mdata _ b => skeleton b
  | .proj _ i b => mixHash (hash i) (skeleton b)
  | .bvar i => mixHash 19 (hash i)
  | .sort _ => 23
  | .lit l => hash l
  | .fvar _ | .mvar _ => 29
where
  isInstance (f : Expr) : Bool :=
    match f.constName? with
    | some (.str _ s) => s.startsWith "inst"
    | _ => false

/-- How long a statement is: its constants, variables and binders, those inside instances left out. -/
partial def statementSize (e : Expr) : Nat :=
  match e with
  | .app .. =>
    if skeleton.isInstance e.getAppFn then 0 else e.getAppArgs.foldl (fun n a => n + statementSize a) (statementSize e.getAppFn)
  | .lam _ t b _ | .forallE _ t b _ => statementSize t + statementSize b + 1
  | .letE _ t v b _ => statementSize t + statementSize v + statementSize b + 1
  | .mdata _ b | .proj _ _ b => statementSize b
  | .sort _ => 0
  | _ => 1

/-- What Lean makes of a declaration, by the last part of its name. -/
def madeOfDeclarations : List String := ["injEq", "inj", "sizeOf_spec", "noConfusion", "congr_simp", "eq_def", "ext_iff"]

/-- Whether a name is one that somebody has given to a theorem: no part of another declaration, no equation that Lean made
up, nothing that is called deprecated. -/
def isNameOfTheorem (env : Environment) (n : Name) : Bool :=
  if n.isInternalDetail || isPrivateName n || isReservedName env n || Linter.isDeprecated env n then false
  else if standardAxioms.contains n || n.getRoot == `Lean then false
  else match n with
    | .str parent last =>
      !(last.startsWith "_" || madeOfDeclarations.contains last || (env.find? parent).any (fun p => p matches .ctorInfo _))
    | _ => false

/-- A theorem that somebody has stated. This build ships theorems without proofs, so they look like axioms. -/
def isStated (env : Environment) (n : Name) (info : ConstantInfo) : MetaM Bool := do
  unless info matches .axiomInfo _ | .thmInfo _ do return false
  unless isNameOfTheorem env n do return false
  isProp info.type

/-- Whether a statement speaks of a definition whose body this build does not ship: nothing could be unfolded there. -/
def speaksOfHidden (env : Environment) (info : ConstantInfo) : MetaM Bool :=
  info.type.getUsedConstants.anyM fun c => do
    match env.find? c with
    | some (.axiomInfo i) => return !(← isProp i.type)
    | _ => return false

/-- Every module of the library with what it imports; the stated theorems of those of `Init` and `Std`, each with its
skeleton and its length. -/
def libraryIndex (imported : Imported) : IO Json := do
  let env ← importOnce imported libraryImports
  let context := contextOf "<library>" default baseOptions .anonymous []
  let mut modules := #[]
  for (name, data) in env.header.moduleNames.zip env.header.moduleData do
    let wanted := [`Init, `Std].contains name.getRoot
    let act : MetaM (Array Json) := if wanted then theorems env data else pure #[]
    let found ← asIO (ask context env act)
    modules := modules.push <| Json.mkObj [
      ("module", toString name), ("imports", .arr <| data.imports.map fun i => (toString i.module : Json)), ("theorems", .arr found)]
  return Json.mkObj [("modules", .arr modules)]
where
  theorems (env : Environment) (data : ModuleData) : MetaM (Array Json) := do
    let mut found := #[]
    for info in data.constants do
      if (← isStated env info.name info) && !(← speaksOfHidden env info) then
        found := found.push <| .arr #[(toString info.name : Json), (toString (skeleton info.type) : Json), (statementSize info.type : Json)]
    return found

-- ## Premises

/-- Every module of the library with what it imports. -/
def libraryModules (imported : Imported) : IO Json := do
  let env ← importOnce imported libraryImports
  return .arr <| (env.header.moduleNames.zip env.header.moduleData).map fun (name, data) =>
    Json.mkObj [("module", toString name), ("imports", .arr <| data.imports.map fun i => (toString i.module : Json))]

/-- What a declaration of the library is called as a premise; nothing for what nobody would name in a proof. -/
def premiseKind? (env : Environment) (info : ConstantInfo) : MetaM (Option String) := do
  let n := info.name
  if n.isInternalDetail || isPrivateName n || isReservedName env n || Linter.isDeprecated env n then return none
  let .str _ last := n | return none
  if last.startsWith "_" || last.startsWith "inst" || madeOfDeclarations.contains last then return none
  match info with
  | .thmInfo _ => return some "theorem"
  | .axiomInfo _ => return some (if ← isProp info.type then "theorem" else "definition")      -- bodies are not shipped
  | .defnInfo _ | .opaqueInfo _ => return some "definition"
  | .inductInfo _ => return some "inductive"
  | .ctorInfo _ => return some "constructor"
  | .recInfo _ | .quotInfo _ => return none

/-- What a module of the library offers as premises: name, kind and type of each, as Lean prints it. -/
def libraryPremises (imported : Imported) (module : Name) : IO Json := do
  let env ← importOnce imported libraryImports
  let some index := env.getModuleIdx? module | throw <| IO.userError s!"the library has no module `{module}`"
  let some data := env.header.moduleData[index.toNat]? | throw <| IO.userError s!"`{module}` has no data"
  let options := baseOptions |>.set `format.width (100000 : Nat)
  let act : MetaM (Array Json) := do
    let mut found := #[]
    for info in data.constants do      -- one that cannot be printed is left out
      let some kind ← premiseKind? env info | continue
      let type ← try toString <$> ppExpr info.type catch _ => pure ""
      if type.isEmpty then continue
      found := found.push <| .arr #[(toString info.name : Json), (kind : Json), (type : Json)]
    return found
  let found ← asIO (ask (contextOf "<library>" default options .anonymous []) env act)
  return Json.mkObj [("module", toString module), ("premises", .arr found)]

-- ## Statements to be proved

/-- The same expression with names that can be written for those bound variables that nobody named; names of instances
only where `instances` is set, since they are seldom spoken of. -/
partial def nameBinders (instances : Bool) (e : Expr) : Expr :=
  (go e 1).1
where
  go (e : Expr) (next : Nat) : Expr × Nat :=
    match e with
    | .forallE n t b i => binder n t b i next fun n t b => .forallE n t b i
    | .lam n t b i => binder n t b i next fun n t b => .lam n t b i
    | .letE n t v b d =>
      let (n, next) := named n .default next
      let (t, next) := go t next
      let (v, next) := go v next
      let (b, next) := go b next
      (.letE n t v b d, next)
    | .app f a =>
      let (f, next) := go f next
      let (a, next) := go a next
      (.app f a, next)
    | .mdata d b => let (b, next) := go b next; (.mdata d b, next)
    | .proj n i b => let (b, next) := go b next; (.proj n i b, next)
    | _ => (e, next)
  binder (n : Name) (t b : Expr) (i : BinderInfo) (next : Nat) (make : Name → Expr → Expr → Expr) : Expr × Nat :=
    let (n, next) := named n i next
    let (t, next) := go t next
    let (b, next) := go b next
    (make n t b, next)
  named (n : Name) (i : BinderInfo) (next : Nat) : Name × Nat :=
    if !n.hasMacroScopes || (i == .instImplicit && !instances) then (n, next)
    else (.mkSimple s!"{n.eraseMacroScopes}_{next}", next + 1)

/-- Ways to print a statement, the most readable first; with each whether instances get names. -/
def printings : List (Bool × Options) :=
  let readable := baseOptions |>.setBool `pp.proofs true |>.setBool `pp.deepTerms true |>.set `pp.maxSteps (100000 : Nat)
  let exact := readable |>.setBool `pp.numericTypes true |>.setBool `pp.fieldNotation false
  [(false, readable), (false, exact), (true, exact)]

/-- The text of a file that states a theorem of the library and imports what its module imports. What Lean makes of the
text was compared: it is the library's own statement, as an expression. -/
def libraryStatement (imported : Imported) (name : Name) : IO Json := do
  let all ← importOnce imported libraryImports
  let some info := all.find? name | throw <| IO.userError s!"the library has no `{name}`"
  let some index := all.getModuleIdxFor? name | throw <| IO.userError s!"`{name}` is not imported"
  let some data := all.header.moduleData[index.toNat]? | throw <| IO.userError s!"`{name}` has no module"
  let module := all.header.moduleNames[index.toNat]!
  let env ← importOnce imported data.imports
  if env.contains name then throw <| IO.userError s!"`{name}` is declared by an imported module too"
  let header := data.imports.foldl (fun text i => text ++ s!"import {i.module}\n") "prelude\n"
  let mut reason := "cannot be printed"
  for (instances, options) in printings do
    let decl := Declaration.axiomDecl { name, levelParams := info.levelParams, type := nameBinders instances info.type, isUnsafe := false }
    let .ok withIt := addChecked env 0 decl none | throw <| IO.userError s!"`{name}` speaks of what its own module declares"
    let context := contextOf "<library>" default options .anonymous []
    let print : MetaM String := do return (← PrettyPrinter.ppSignature name).fmt.pretty 100
    let statement ← try asIO (ask context withIt print) catch _ => pure ""
    if statement.isEmpty then continue
    let text := header ++ "\ntheorem " ++ statement ++ " := by\n  sorry\n"
    let file ← openFile imported { key := "<library>", module := `LeanCore, text } none
    if let some error := file.messages.find? (·.severity == .error) then
      reason := s!"does not elaborate when printed: {← error.data.toString}"
      continue
    let some found := file.final.env.find? name | continue
    reason := "reads as another statement when printed"
    if found.type == info.type && found.levelParams == info.levelParams then
      return Json.mkObj [
        ("name", toString name), ("module", toString module), ("typeHash", typeHash info.type), ("statement", "theorem " ++ statement),
        ("imports", .arr <| data.imports.map fun i => (toString i.module : Json))]
  throw <| IO.userError s!"`{name}` {reason}"

end LeanAgent
