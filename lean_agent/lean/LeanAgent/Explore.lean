/-
What somebody asks who is writing a proof: the goals at a place of a file, what a declaration says, which declarations
speak of something.
-/
import LeanAgent.PantographFrontend
import LeanAgent.Lemmas
open Lean Meta Elab

namespace LeanAgent

-- ## The goals at a place

/-- The state of a `sorry` that is a term of a command's. -/
def startHole (f : SourceFile) (step : Step) (after : Command.State) (position : Nat) : IO (Except Failure ProofState) := do
  let holes := after.infoState.trees.foldl (fun acc t => Pantograph.holes none t acc) #[]
  let some hole := holes.find? fun h => h.range?.any fun r => r.1 ≤ position && position ≤ r.2
    | return .error ⟨"no_goal", "no goal: the place is in no proof"⟩
  match ← Pantograph.holesState step.before.env step.before after #[hole] with
  | .ok s => return .ok { s.proof with unbelieved := f.unbelieved }
  | .error trouble => return .error ⟨"no_goal", trouble.desc⟩

/-- The state at a byte of a file, as an editor shows it there: before the tactic that begins there, after the one that
has ended, or the type of a term's hole. Errors elsewhere in the declaration do not matter. -/
def startAt (f : SourceFile) (position : Nat) (cancel? : Option IO.CancelToken) : IO (Except Failure ProofState) := do
  let some step := f.steps.findRev? fun s => s.start.byteIdx ≤ position | return .error ⟨"no_goal", "no goal: the place is in no proof"⟩
  let (after, _) ← runCommand f.input step.before step.start step.stx cancel?
  match after.infoState.trees.foldl (init := []) fun all t => all ++ t.goalsAt? f.input.fileMap ⟨position⟩ with
  | shown :: _ =>
    let info := shown.tacticInfo
    let (mctx, goals) := if shown.useAfter then (info.mctxAfter, info.goalsAfter) else (info.mctxBefore, info.goalsBefore)
    let c := shown.ctxInfo
    let context := contextOf f.key c.fileMap c.options c.currNamespace c.openDecls
    let env ← envBefore step.before.env c.env mctx goals
    return .ok { (← startIn env context mctx goals) with unbelieved := f.unbelieved }
  | [] => startHole f step after position

-- ## Declarations

/-- The word for what a constant is. Theorems of the library come without their proofs and look like axioms. -/
def kindInWords (env : Environment) (info : ConstantInfo) : MetaM String := do
  if Meta.isInstanceCore env info.name then return "instance"
  match Pantograph.catalogLetter env info.name info with
  | "t" => return "theorem"
  | "a" => return if ofLibrary env info.name && !standardAxioms.contains info.name && (← isProp info.type) then "theorem" else "axiom"
  | "d" => return "definition"
  | "o" => return "opaque"
  | "i" => return if isClass env info.name then "class" else if isStructure env info.name then "structure" else "inductive"
  | "c" => return "constructor"
  | _ => return "recursor"

def signatureOf (n : Name) : MetaM String := do
  try return (← PrettyPrinter.ppSignature n).fmt.pretty 100 catch _ => return ""

def declarationJson (env : Environment) (info : ConstantInfo) : MetaM Json := do
  let module := ((Pantograph.moduleOf? env info.name).map toString).getD ""
  return Json.mkObj [
    ("name", toString info.name), ("kind", ← kindInWords env info), ("signature", ← signatureOf info.name), ("module", module)]

/-- A declaration by the name that somebody knows it by, with its docstring, its place in its file and its axioms. -/
def describeOne (env : Environment) (unbelieved : NameSet) (name : Name) : MetaM Json := do
  let some info := env.find? name | return Json.mkObj [("error", s!"there is no declaration `{name}`")]
  let doc? ← findDocString? env name
  let axioms := axiomsOf env #[name] unbelieved
  let mut answer ← declarationJson env info
  answer := answer.setObjVal! "axioms" (.arr <| axioms.map fun n => toString n)
  if let some doc := doc? then answer := answer.setObjVal! "docstring" doc
  if let some ranges ← findDeclarationRanges? name then
    answer := answer.setObjVal! "start" (positionJson ranges.range.pos)
  return answer

/-- Where questions about declarations are asked: after a file, or with all of `Init` and `Std`. -/
def placeToAsk (imported : Imported) (f? : Option SourceFile) : IO (Environment × Core.Context × NameSet) := do
  let options := baseOptions |>.set `format.width (100 : Nat)
  match f? with
  | some f => return (f.final.env, contextOf f.key f.input.fileMap options .anonymous [], f.unbelieved)
  | none =>
    let env ← importOnce imported #[{ module := `Init }, { module := `Std }]
    return (env, contextOf "<library>" default options .anonymous [], {})

def describeAll (imported : Imported) (f? : Option SourceFile) (names : List Name) (cancel : IO.CancelToken) : IO Json := do
  let (env, context, unbelieved) ← placeToAsk imported f?
  let act : MetaM (List Json) := names.mapM (describeOne env unbelieved)
  let all ← asIO (ask { context with cancelTk? := some cancel } env act)
  return Json.mkObj [("items", .arr all.toArray)]

-- ## Search by a pattern

/-- What is looked for: a term with holes, and whether it is the conclusion or stands anywhere. -/
structure Pattern where
  term : AbstractMVarsResult
  head : HeadIndex
  arity : Nat
  constants : Array Name
  isConclusion : Bool

def patternOf (env : Environment) (context : Core.Context) (text : String) : Except String (Syntax × Bool) := do
  let text := text.trimAscii.toString
  let isConclusion := text.startsWith "⊢" || text.startsWith "|-"
  let text := if text.startsWith "⊢" then (text.drop 1).toString else if text.startsWith "|-" then (text.drop 2).toString else text
  let stx ← Parser.runParserCategory env `term text context.fileName
  if let some failure := forbidden? stx then throw failure.message
  return (stx, isConclusion)

def elabPattern (stx : Syntax) (isConclusion : Bool) : Term.TermElabM Pattern := do
  let e ← Term.withoutErrToSorry do
    let e ← Term.elabTerm stx none
    Term.synthesizeSyntheticMVars (postpone := .yes)
    instantiateMVars e
  let e := e.consumeMData
  if e.getAppFn.isMVar then throwError "the pattern is a hole: it would stand for everything"
  if e.hasSorry then throwError "the pattern has a hole that is an error"
  return { term := ← abstractMVars e, head := e.toHeadIndex, arity := e.headNumArgs, constants := e.getUsedConstants, isConclusion }

/-- Whether a statement has an instance of the pattern in it. -/
def Pattern.occurs (p : Pattern) (type : Expr) : MetaM Bool := do
  let used := type.getUsedConstants
  unless p.constants.all used.contains do return false
  withReducible <| forallTelescope type fun xs conclusion => do
    let hypotheses ← if p.isConclusion then pure #[] else xs.mapM inferType
    let parts := hypotheses.push conclusion
    for part in parts do
      for candidate in candidates part do
        if ← isInstance candidate then return true
    return false
where
  candidates (e : Expr) : Array Expr :=
    if p.isConclusion then (if fits e then #[e] else #[]) else collect e #[]
  fits (e : Expr) : Bool := !e.hasLooseBVars && e.headNumArgs == p.arity && e.toHeadIndex == p.head
  collect (e : Expr) (found : Array Expr) : Array Expr :=
    let found := if fits e then found.push e else found
    match e with
    | .app f a => collect a (collect f found)
    | .lam _ t b _ | .forallE _ t b _ => collect b (collect t found)
    | .letE _ t v b _ => collect b (collect v (collect t found))
    | .mdata _ b | .proj _ _ b => collect b found
    | _ => found
  isInstance (e : Expr) : MetaM Bool := withoutModifyingState do
    let (_, _, pattern) ← openAbstractMVarsResult p.term
    try isDefEq e pattern catch ex => if ex.isInterrupt then throw ex else return false

/-- Declarations whose statements have an instance of the pattern, the shortest statements first; and how many there are. -/
def findPattern (imported : Imported) (f? : Option SourceFile) (text : String) (limit : Nat) (cancel : IO.CancelToken) : IO Json := do
  let (env, context, _) ← placeToAsk imported f?
  let (stx, isConclusion) ← match patternOf env context text with
    | .ok parsed => pure parsed
    | .error e => return Json.mkObj [("failure", "parse"), ("message", e)]
  let act : Term.TermElabM (Array Json × Nat) := do
    let pattern ← elabPattern stx isConclusion
    let mut found : Array (Nat × ConstantInfo) := #[]
    for data in env.header.moduleData do
      Core.checkInterrupted
      for info in data.constants do
        if ← pattern.occurs info.type then
          if (← premiseKind? env info).isSome then found := found.push (statementSize info.type, info)
    for (_, info) in env.constants.map₂.toList do
      if !info.name.isInternalDetail && (← pattern.occurs info.type) then found := found.push (statementSize info.type, info)
    let best := (found.qsort fun a b => a.1 < b.1 || (a.1 == b.1 && Name.lt a.2.name b.2.name)).extract 0 limit
    return (← best.mapM fun (_, info) => declarationJson env info, found.size)
  let printer ← Printer.create
  let start : ProofState := { origin := env, core := { env }, «meta» := {}, term := {}, context, roots := [], goals := [], printer }
  -- the time limit is the only one
  match ← start.run (some cancel) (withTheReader Core.Context (fun c => { c with maxHeartbeats := 0 }) act) with
  | .ok ((items, total), _) => return Json.mkObj [("items", .arr items), ("total", total)]
  | .error e =>
    let failure ← failureOf context e
    return Json.mkObj [("failure", failure.kind), ("message", failure.message)]

end LeanAgent
