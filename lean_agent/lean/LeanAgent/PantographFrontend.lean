/-
Whole pieces of Lean text in a session, as Pantograph's protocol has them: compile, list tactics, turn the holes into
goals, and compare a finished text with its sketch.
-/
import LeanAgent.PantographEnv
import LeanAgent.Verify
open Lean Meta Elab

namespace LeanAgent.Pantograph

/-- A text, elaborated command by command. -/
structure Compiled where
  input : Parser.InputContext
  steps : Array Step
  afters : Array Command.State
  final : Command.State

/-- Elaborate a text from the session's environment and scope, or from the imports that its own header names. -/
def compile (imported : Imported) (s : Session) (fileName text : String) (readHeader : Bool) (cancel? : Option IO.CancelToken) : IO Compiled := do
  let (input, start, parser) ← if readHeader then
      let (input, _, state, parser, log) ← startFile imported fileName s.env.mainModule text
      if let some m := log.find? (·.severity == .error) then throw <| IO.userError (← m.data.toString)
      pure (input, state, parser)
    else
      let state := Command.mkState s.env {} s.scope.opts
      pure (Parser.mkInputContext text fileName, { state with scopes := [s.scope] }, ({} : Parser.ModuleParserState))
  let afters ← IO.mkRef (#[] : Array Command.State)
  let (steps, final) ← runCommands imported input start parser cancel? fun _ after => afters.modify (·.push after)
  return { input, steps, afters := ← afters.get, final }

def Compiled.messages (c : Compiled) : List Message := c.steps.foldl (fun all s => all ++ s.messages) []

/-- The session after the text: its declarations are there, and its `open`s and `variable`s in force. -/
def Compiled.session (c : Compiled) (s : Session) : Session :=
  match c.final.scopes with
  | scope :: _ => { s with env := c.final.env, scope }
  | [] => { s with env := c.final.env }

-- ## Units and their tactics

def invocations (c : Compiled) (after : Command.State) : IO Json := do
  let source := c.input.inputString
  let w := after.infoState.trees.foldl (fun acc t => walk none t acc) {}
  let states ← States.create (← Printer.create)
  let all ← (tacticsIn w (0, source.utf8ByteSize)).mapM fun t => do
    let before := "\n".intercalate <| ← states.goals t.context t.info.mctxBefore t.info.goalsBefore
    let after := "\n".intercalate <| ← states.goals t.context t.info.mctxAfter t.info.goalsAfter
    let used := (usesIn w t.range).foldl (init := #[]) fun acc u => if acc.contains u.name then acc else acc.push u.name
    let text := dedent (slice source t.range) (c.input.fileMap.toPosition ⟨t.range.1⟩).column
    return Json.mkObj [("goalBefore", .str before), ("goalAfter", .str after), ("tactic", .str text), ("usedConstants", names used.toList)]
  return .arr all

/-- The answer, and what goes to the file of invocations. -/
def process (c : Compiled) (withInvocations withConstants : Bool) : IO (Json × Json) := do
  let mut units := #[]
  let mut data := #[]
  for (step, i) in c.steps.zipIdx do
    let mut fields := [("boundary", Json.arr #[step.parser.pos.byteIdx, step.stop.byteIdx]), ("messages", ← messagesJson step.messages)]
    if let some after := c.afters[i]? then
      if withInvocations then
        let list ← invocations c after
        let count := (list.getArr?.toOption.getD #[]).size
        fields := fields ++ [("nInvocations", (count : Json))]
        data := data.push (Json.mkObj [("invocations", list)])
      if withConstants then
        let new := (addedConstants step.before.env after.env).filterMap fun (n, _) => if n.isInternalDetail then none else some n
        fields := fields ++ [("newConstants", names new.toList)]
    else if withInvocations then data := data.push (Json.mkObj [("invocations", Json.arr #[])])
    units := units.push (Json.mkObj fields)
  return (Json.mkObj [("units", .arr units)], Json.mkObj [("units", .arr data)])

-- ## Holes as goals

/-- A `sorry` with all that its goal needs. -/
structure Hole where
  context : ContextInfo
  lctx : LocalContext
  type : Expr
  /-- Where a term stands: a term that was elaborated twice is one hole, a tactic that ran twice is two. -/
  range? : Option Bytes := none

partial def holes (context? : Option ContextInfo) (tree : InfoTree) (acc : Array Hole) : Array Hole :=
  match tree with
  | .context c t => holes (c.mergeIntoOuter? context?) t acc
  | .hole _ => acc
  | .node info children =>
    match info, context? with
    | .ofTacticInfo i, some context =>
      if i.stx.getKind == ``Parser.Tactic.tacticSorry || i.stx.getKind == ``Parser.Tactic.tacticAdmit then
        match i.goalsBefore.head?.bind fun g => i.mctxBefore.findDecl? g with
        | some decl => acc.push { context := { context with mctx := i.mctxBefore }, lctx := decl.lctx, type := decl.type }
        | none => acc
      else children.foldl (fun acc t => holes context? t acc) acc
    | .ofTermInfo i, some context =>
      if i.stx.getKind == ``Parser.Term.sorry then
        match i.expectedType? with
        | some type =>
          let range? := bytesOf? i.stx
          if range?.isSome && acc.any (·.range? == range?) then acc else acc.push { context, lctx := i.lctx, type, range? }
        | none => acc
      else children.foldl (fun acc t => holes context? t acc) acc
    | _, _ => children.foldl (fun acc t => holes context? t acc) acc

def Hole.settled (h : Hole) : IO (LocalContext × LocalInstances × Expr) :=
  h.context.runMetaM h.lctx do
    let lctx ← instantiateLCtxMVars h.lctx
    let type ← instantiateMVars h.type
    let mut instances : LocalInstances := #[]
    for d in lctx do
      if let some className ← isClass? d.type then instances := instances.push { className, fvar := d.toExpr }
    return (lctx, instances, type)

/-- Whether an expression speaks of a hole: its own, or that of a constant which `start` has not. -/
def speaksOfHole (start env : Environment) (e : Expr) : Bool :=
  e.hasSorry || (axiomsOf env (e.getUsedConstants.filter (!start.contains ·))).contains ``sorryAx

/-- The holes of one command as goals of one state. Each stands for itself: a hole whose type speaks of another's value
is refused, also one of an earlier command of the text, which began in `start`. -/
def holesState (start : Environment) (before : Command.State) (after : Command.State) (found : Array Hole) : IO (Except Trouble State) := do
  let some first := found[0]? | return .error ⟨"frontend", "no hole"⟩
  let settled ← found.mapM (·.settled)
  let spoken := settled.flatMap fun (lctx, _, type) => lctx.foldl (init := #[type]) fun types d => types.push d.type
  if spoken.any fun e => e.hasExprMVar || speaksOfHole start after.env e then
    return .error ⟨"frontend", "a hole's type or hypotheses depend on another hole: such coupled holes are not supported"⟩
  let c := first.context
  let context := contextOf "<Pantograph>" c.fileMap c.options c.currNamespace c.openDecls
  let prefixed : NameGenerator := { namePrefix := `_lean_agent_hole }
  let empty : ProofState := { origin := after.env, core := { env := after.env, ngen := prefixed }, «meta» := {}, term := {}, context, roots := [], goals := [], printer := ← Printer.create }
  let act : Term.TermElabM (List MVarId) := settled.toList.mapM fun (lctx, instances, type) =>
    withLCtx lctx instances do return (← mkFreshExprSyntheticOpaqueMVar type).mvarId!
  match ← empty.run none act with
  | .error e => return .error (← troubleOf e)
  | .ok (goals, made) =>
    let env ← envBefore before.env after.env made.meta.mctx goals
    return .ok { proof := ← startIn env context made.meta.mctx goals, parents := [] }

/-- For each command with holes, a state whose goals they are. -/
def distil (c : Compiled) : IO (Except Trouble (Array State)) := do
  let mut states := #[]
  let some first := c.steps[0]? | return .ok states
  for (step, i) in c.steps.zipIdx do
    let some after := c.afters[i]? | continue
    let found := after.infoState.trees.foldl (fun acc t => holes none t acc) #[]
    if found.isEmpty then continue
    match ← holesState first.before.env step.before after found with
    | .error t => return .error t
    | .ok s => states := states.push s
  return .ok states

-- ## A finished text and its sketch

/-- Why `done` is no completion of `sketch`; both start from the same environment. -/
def deviation? (start sketch done : Environment) : IO (Option String) := do
  let wanted := addedConstants start sketch
  let given := addedConstants start done
  for (n, info) in given do
    if info.type.hasSorry then return some s!"Definition type has sorry: {n}"
    if (info.value? (allowOpaque := true)).any (·.hasSorry) then return some s!"Definition value has sorry: {n}"
    if info.isAxiom && !(wanted.any (·.1 == n)) then return some s!"Adding axiom is not allowed: {n}"
  for (n, info) in wanted do
    -- what elaboration made beside a declaration of the text may come out otherwise; what the text itself names so may not
    if n.isInternalDetail && info.hasValue (allowOpaque := true) && wanted.any (·.1 == n.getPrefix) then continue
    let some (_, other) := given.find? (·.1 == n) | return some s!"{n} is not accounted for"
    if info.type != other.type then return some s!"Type clash of {n}"
    if info.levelParams != other.levelParams then return some s!"Level param clash of {n}"
    if letterOf info != letterOf other then return some s!"Definition clash of {n}"
    let open' := (info.value? (allowOpaque := true)).any (·.hasSorry)
    if !open' && info.value? (allowOpaque := true) != other.value? (allowOpaque := true) then return some s!"Definition clash of {n}"
  return if (← refused start done).isEmpty then none else some "The kernel refuses what the finished text declares"

def track (imported : Imported) (s : Session) (source target : String) (cancel? : Option IO.CancelToken) : IO Json := do
  let sketch ← compile imported s "<anonymous>" source false cancel?
  let done ← compile imported s "<anonymous>" target false cancel?
  let failure := match ← deviation? s.env sketch.final.env done.final.env with
    | some reason => [("failure", Json.str reason)]
    | none => []
  return Json.mkObj <| failure ++ [("srcMessages", ← messagesJson sketch.messages), ("dstMessages", ← messagesJson done.messages)]

end LeanAgent.Pantograph
