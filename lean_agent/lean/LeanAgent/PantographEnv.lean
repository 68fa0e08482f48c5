/-
Questions about an environment, and declarations added to one, as Pantograph's protocol has them.
-/
import LeanAgent.PantographGoal
open Lean Meta Elab

namespace LeanAgent.Pantograph

/-- What a client's commands build up: an environment and the scope (open namespaces, variables, universes, options) in
force at its end. -/
structure Session where
  env : Environment
  scope : Command.Scope
  states : Std.HashMap Nat State := {}

def Session.context (s : Session) : Core.Context :=
  contextOf "<Pantograph>" (FileMap.ofString "") s.scope.opts s.scope.currNamespace s.scope.openDecls

/-- A state without goals in a session's environment. -/
def Session.blank (s : Session) : IO ProofState := do
  return { origin := s.env, core := { env := s.env, ngen := { namePrefix := `_uniq } }, «meta» := {}, term := { levelNames := s.scope.levelNames },
           context := s.context, roots := [], goals := [], printer := ← Printer.create }

/-- Run an elaborator in a session; what it does to the environment comes back with its result. -/
def Session.elaborate (s : Session) (levels : List Name) (cancel? : Option IO.CancelToken) (act : Term.TermElabM α) :
    IO (Except Trouble (α × ProofState)) := do
  let act := do
    let a ← Term.withLevelNames (levels ++ s.scope.levelNames) <| Term.withoutErrToSorry act
    let log ← Core.getMessageLog
    if let some m := log.toList.find? (·.severity == .error) then throwError m.data
    return a
  match ← (← s.blank).run cancel? act with
  | .ok r => return .ok r
  | .error e => return .error (← troubleOf e)

def Session.term (s : Session) (text : String) : Except Trouble Syntax := do
  match Parser.runParserCategory s.env `term text "<Pantograph>" with
  | .error e => throw ⟨"parse", e⟩
  | .ok stx =>
    if let some failure := refused? stx then throw ⟨"elab", failure.message⟩
    return stx

def elabClosed (stx : Syntax) (type? : Option Expr) : Term.TermElabM Expr := do
  let e ← Term.elabTermEnsuringType stx type?
  Term.synthesizeSyntheticMVarsNoPostponing
  Term.levelMVarToParam (← instantiateMVars e)

def elabClosedType (stx : Syntax) : Term.TermElabM Expr := do
  let type ← Term.elabType stx
  Term.synthesizeSyntheticMVarsNoPostponing
  Term.levelMVarToParam (← instantiateMVars type)

/-- The expression as Lean reads it, and its type. -/
def echo (s : Session) (p : Printing) (text : String) (type? : Option String) (levels : List Name) (cancel? : Option IO.CancelToken) : IO (Except Trouble Json) := do
  let parsed : Except Trouble (Syntax × Option Syntax) := do return (← s.term text, ← type?.mapM s.term)
  match parsed with
  | .error t => return .error t
  | .ok (stx, typeStx?) =>
    let act : Term.TermElabM Json := do
      let wanted? ← typeStx?.mapM elabClosedType
      let e ← elabClosed stx wanted?
      return Json.mkObj [("expr", ← expression p e), ("type", ← expression p (← inferType e))]
    return (← s.elaborate levels cancel? act).map (·.1)

/-- A state whose one goal is a type, given as text or taken from a constant. -/
def startGoal (s : Session) (text? : Option String) (copyFrom? : Option Name) (levels : List Name) (cancel? : Option IO.CancelToken) :
    IO (Except Trouble (State × Name)) := do
  let type : Except Trouble (Term.TermElabM Expr) := do
    match text?, copyFrom? with
    | some text, none =>
      let stx ← s.term text
      return elabClosedType stx
    | none, some name =>
      let some info := s.env.find? name | throw ⟨"index", s!"Symbol not found: {name}"⟩
      return pure info.type
    | _, _ => throw ⟨"arguments", "Exactly one of {expr, copyFrom} must be supplied"⟩
  match type with
  | .error t => return .error t
  | .ok type =>
    let act : Term.TermElabM (MVarId × List Name) := do
      let type ← type
      if type.hasExprMVar then throwError "the type is not fully determined: {type}"
      if type.hasSorry then throwError "the type has a hole"
      let goal ← mkFreshExprSyntheticOpaqueMVar type
      return (goal.mvarId!, (collectLevelParams {} type).params.toList)
    match ← s.elaborate levels cancel? act with
    | .error t => return .error t
    | .ok ((goal, levels), proof) =>
      let proof := { proof with roots := [goal], goals := [goal], term := { proof.term with levelNames := levels } }
      return .ok ({ proof, parents := [] }, goal.name)

-- ## Constants

/-- Names that elaboration makes for itself. -/
def isMachine (n : Name) : Bool :=
  n.hasMacroScopes || (match n with
    | .str _ s => s.startsWith "_proof_" || s.startsWith "_simp_"
    | _ => false)

def letterOf (info : ConstantInfo) : String :=
  match info with
  | .axiomInfo _ => "a" | .defnInfo _ => "d" | .thmInfo _ => "t" | .opaqueInfo _ => "o"
  | .quotInfo _ => "q" | .inductInfo _ => "i" | .ctorInfo _ => "c" | .recInfo _ => "r"

/-- The letter before a name in a catalog. A theorem that came without its proof counts as what it was. -/
def catalogLetter (env : Environment) (n : Name) (info : ConstantInfo) : String :=
  match info, getOriginalConstKind? env n with
  | .axiomInfo _, some .thm => "t"
  | .axiomInfo _, some .defn => "d"
  | .axiomInfo _, some .opaque => "o"
  | _, _ => letterOf info

def moduleOf? (env : Environment) (n : Name) : Option Name :=
  (env.getModuleIdxFor? n).bind fun i => env.header.moduleNames[i.toNat]?

def listed? (env : Environment) (n : Name) : Option Json := do
  let info ← env.find? n
  if isMachine n || info.isUnsafe then none else some (.str (catalogLetter env n info ++ toString n))

/-- A loop of its own: a fold over so many names would be as deep as they are many, since this code is interpreted. -/
partial def listAll (env : Environment) (all : Array Name) (i : Nat) (acc : Array Json) : Array Json :=
  match all[i]? with
  | none => acc
  | some n => listAll env all (i + 1) (match listed? env n with | some j => acc.push j | none => acc)

/-- Every constant that is neither unsafe nor machine-made, with the letter of its kind before it. -/
partial def catalog (s : Session) (modulePrefix? : Option Name) (invert : Bool) : Json :=
  let own := s.env.constants.map₂.foldl (init := #[]) fun acc n _ => acc.push n
  .arr (listAll s.env (if modulePrefix?.isNone || invert then own else #[]) 0 (imported 0 #[]))
where
  imported (i : Nat) (acc : Array Json) : Array Json :=
    match s.env.header.moduleNames[i]?, s.env.header.moduleData[i]? with
    | some name, some data =>
      let wanted := match modulePrefix? with
        | none => true
        | some p => p.isPrefixOf name != invert
      imported (i + 1) (if wanted then listAll s.env data.constNames 0 acc else acc)
    | _, _ => acc

def names (l : List Name) : Json := .arr <| l.toArray.map fun n => Json.str (toString n)

def kindFields (p : Printing) (info : ConstantInfo) : MetaM (List (String × Json)) := do
  match info with
  | .inductInfo i => return [("inductInfo", Json.mkObj [("numParams", i.numParams), ("numIndices", i.numIndices), ("all", names i.all), ("ctors", names i.ctors),
      ("isRec", .bool i.isRec), ("isReflexive", .bool i.isReflexive), ("isNested", .bool i.isNested)])]
  | .ctorInfo c => return [("constructorInfo", Json.mkObj [("induct", .str (toString c.induct)), ("cidx", c.cidx), ("numParams", c.numParams), ("numFields", c.numFields)])]
  | .recInfo r =>
    let rules ← r.rules.toArray.mapM fun rule => (do
      return Json.mkObj [("ctor", .str (toString rule.ctor)), ("nFields", rule.nfields), ("rhs", ← expression p rule.rhs)] : MetaM Json)
    return [("recursorInfo", Json.mkObj [("all", names r.all), ("numParams", r.numParams), ("numIndices", r.numIndices), ("numMotives", r.numMotives),
      ("numMinors", r.numMinors), ("rules", .arr rules), ("k", .bool r.k)])]
  | _ => return []

def inspect (s : Session) (p : Printing) (name : Name) (value? : Option Bool) (dependency source : Bool) : IO (Except Trouble Json) := do
  let env := s.env
  let some info := env.find? name | return .error ⟨"index", s!"Symbol not found {name}"⟩
  let value := match value?, info with
    | some true, _ => info.value? (allowOpaque := true)
    | none, .defnInfo v => some v.value
    | _, _ => none
  let act : Term.TermElabM Json := do
    let mut fields := [("type", ← expression p info.type), ("isUnsafe", Json.bool info.isUnsafe)]
    if let some v := value then fields := fields ++ [("value", ← expression p v)]
    if let some m := moduleOf? env name then fields := fields ++ [("module", .str (toString m))]
    if let some n := privateToUserName? name then fields := fields ++ [("publicName", .str (toString n))]
    if dependency then
      fields := fields ++ [("typeDependency", names info.type.getUsedConstants.toList)]
      if let some v := value then fields := fields ++ [("valueDependency", names (v.getUsedConstants.toList.filter (!isMachine ·)))]
    if source then
      if let some ranges := declRangeExt.find? (level := .server) env name then
        fields := fields ++ [("sourceStart", position ranges.range.pos), ("sourceEnd", position ranges.range.endPos)]
    return Json.mkObj (fields ++ (← kindFields p info))
  return (← s.elaborate [] none act).map (·.1)
where
  position (p : Position) : Json := Json.mkObj [("line", p.line), ("column", p.column)]

def describe (s : Session) : Json :=
  Json.mkObj [("imports", names (s.env.header.imports.toList.map (·.module))), ("modules", names s.env.header.moduleNames.toList)]

def readModule (s : Session) (module : Name) : Except Trouble Json := do
  for (name, data) in s.env.header.moduleNames.zip s.env.header.moduleData do
    if name == module then
      return Json.mkObj [("imports", names (data.imports.toList.map (·.module))), ("constNames", names data.constNames.toList),
        ("extraConstNames", names data.extraConstNames.toList)]
  throw ⟨"exception", s!"Module not found {module}"⟩

/-- Where the first piece of syntax of a category ends, in bytes. -/
def parsePrefix (s : Session) (text : String) (category : Name) : Except Trouble Json := do
  unless Parser.isParserCategory s.env category do throw ⟨"parse", s!"unknown parser category '{category}'"⟩
  let input := Parser.mkInputContext text "<Pantograph>"
  let pmctx := { env := s.env, options := s.scope.opts, currNamespace := s.scope.currNamespace, openDecls := s.scope.openDecls }
  let p := Parser.andthenFn Parser.whitespace (Parser.categoryParserFn category)
  let state := p.run input pmctx (Parser.getTokenTable s.env) (Parser.mkParserState text)
  if state.hasError then throw ⟨"parse", state.toErrorMsg input⟩
  -- white space after the syntax belongs to what follows
  let stop := ((state.stxStack.back.getTailPos?).getD state.pos).byteIdx
  return Json.mkObj [("pos", stop)]

/-- A session with one more definition or theorem, which the kernel has accepted. -/
def addConstant (s : Session) (name : Name) (levels : List Name) (type? : Option String) (value : String) (isTheorem : Bool) (cancel? : Option IO.CancelToken) :
    IO (Except Trouble Session) := do
  let parsed : Except Trouble (Syntax × Option Syntax) := do return (← s.term value, ← type?.mapM s.term)
  match parsed with
  | .error t => return .error t
  | .ok (stx, typeStx?) =>
    let act : Term.TermElabM Unit := do
      let wanted? ← typeStx?.mapM fun stx => do
        let type ← Term.elabType stx
        Term.synthesizeSyntheticMVarsNoPostponing
        instantiateMVars type
      let value ← Term.elabTermEnsuringType stx wanted?
      Term.synthesizeSyntheticMVarsNoPostponing
      let value ← instantiateMVars value
      let type ← match wanted? with
        | some type => instantiateMVars type
        | none => inferType value
      if value.hasMVar || type.hasMVar then throwError "the declaration is not fully determined"
      let decl := if isTheorem then Declaration.thmDecl { name, levelParams := levels, type, value }
        else Declaration.defnDecl { name, levelParams := levels, type, value, hints := .regular 1, safety := .safe }
      match addChecked (← getEnv) 0 decl none with
      | .error e => throwError (e.toMessageData (← getOptions))
      | .ok env => setEnv env
    match ← s.elaborate levels cancel? act with
    | .error t => return .error t
    | .ok (_, proof) => return .ok { s with env := proof.core.env }

end LeanAgent.Pantograph
