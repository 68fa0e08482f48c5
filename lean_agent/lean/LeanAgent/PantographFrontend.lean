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
      let (input, _, state, parser, log) ← startFile imported { key := fileName, module := s.env.mainModule, text }
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

/-- For each of `tactics`, the index of the one that it is part of. -/
def enclosing (w : Walk) (tactics : Array TacticNode) : Array (Option Nat) := Id.run do
  let key (t : TacticNode) := (t.range.1, t.range.2, t.info.goalsBefore)       -- as `tacticsIn` knows what is one tactic
  let places : Std.HashMap (Nat × Nat × List MVarId) Nat := tactics.zipIdx.foldl (fun all (t, i) => all.insert (key t) i) {}
  let mut around : List TacticNode := []
  let mut found := Array.replicate tactics.size none
  for t in w.tactics.qsort fun a b => a.order < b.order do
    let order := t.order
    around := around.dropWhile (·.last ≤ order)
    if let some i := places[key t]? then
      if (tactics[i]?.any (·.order == order)) then
        found := found.set! i (around.head?.bind fun a => places[key a]?)
    around := t :: around
  return found

def goalIds (goals : List MVarId) : Json := .arr (goals.toArray.map fun g => .str (toString g.name))

/-- `tree`: with the ids of the goals, and the index of the tactic that each is part of. -/
def invocations (c : Compiled) (after : Command.State) (tree : Bool) : IO Json := do
  let source := c.input.inputString
  let w := after.infoState.trees.foldl (fun acc t => walk none t acc) {}
  let states ← States.create (← Printer.create)
  let tactics := tacticsIn w (0, source.utf8ByteSize)
  let parents := if tree then enclosing w tactics else #[]
  let all ← tactics.zipIdx.mapM fun (t, i) => do
    let before := "\n".intercalate <| ← states.goals t.context t.info.mctxBefore t.info.goalsBefore
    let after := "\n".intercalate <| ← states.goals t.context t.info.mctxAfter t.info.goalsAfter
    let used := (usesIn w t.range).foldl (init := #[]) fun acc u => if acc.contains u.name then acc else acc.push u.name
    let text := dedent (slice source t.range) (c.input.fileMap.toPosition ⟨t.range.1⟩).column
    let ids := if tree then [("goalIdsBefore", goalIds t.info.goalsBefore), ("goalIdsAfter", goalIds t.info.goalsAfter)] else []
    let parent := match parents[i]? with
      | some (some p) => [("parent", (p : Json))]
      | _ => []
    return Json.mkObj <| [("goalBefore", .str before), ("goalAfter", .str after), ("tactic", .str text), ("usedConstants", names used.toList)] ++ ids ++ parent
  return .arr all

/-- The answer, and what goes to the file of invocations. -/
def process (c : Compiled) (withInvocations withTree withConstants : Bool) : IO (Json × Json) := do
  let mut units := #[]
  let mut data := #[]
  for (step, i) in c.steps.zipIdx do
    let mut fields := [("boundary", Json.arr #[step.parser.pos.byteIdx, step.stop.byteIdx]), ("messages", ← messagesJson step.messages)]
    if let some after := c.afters[i]? then
      if withInvocations then
        let list ← invocations c after withTree
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
  /-- What elaboration has put there, each time. -/
  values : Array Expr
  mctxAfter : MetavarContext
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
        match i.goalsBefore.head?.bind fun g => return (g, ← i.mctxBefore.findDecl? g) with
        | some (g, decl) => acc.push { context := { context with mctx := i.mctxBefore }, lctx := decl.lctx, type := decl.type, values := #[.mvar g], mctxAfter := i.mctxAfter }
        | none => acc
      else children.foldl (fun acc t => holes context? t acc) acc
    | .ofTermInfo i, some context =>
      if i.stx.getKind == ``Parser.Term.sorry then
        match i.expectedType? <|> typeOf? i.expr with
        | some type =>
          let range? := bytesOf? i.stx
          match acc.findIdx? fun h => range?.isSome && h.range? == range? with
          | some k => acc.modify k fun h => { h with values := h.values.push i.expr }
          | none => acc.push { context, lctx := i.lctx, type, values := #[i.expr], mctxAfter := context.mctx, range? }
        | none => acc
      else children.foldl (fun acc t => holes context? t acc) acc
    | _, _ => children.foldl (fun acc t => holes context? t acc) acc
where
  /-- Beside an operator nobody expects a type, and it is found later: in `a = sorry` for one. -/
  typeOf? (e : Expr) : Option Expr :=
    match e.consumeMData with
    | .app (.app (.app (.const ``sorryAx _) (.forallE _ _ type _)) _) _ => some type
    | _ => none

/-- A hole with nothing left to be settled. -/
structure Settled where
  lctx : LocalContext
  type : Expr
  /-- How others speak of it: `sorry`s that know the place of theirs in the text. -/
  values : Array Expr

/-- Every type that a hole speaks in: its own and those of its hypotheses. -/
def Settled.types (s : Settled) : Array Expr := s.lctx.foldl (init := #[s.type]) fun types d => types.push d.type

/-- What stood open at a hole may have been settled at `others`, the holes of its command. -/
def Hole.settled (h : Hole) (others : Array Hole) : IO Settled := do
  let instantiated (mctx : MetavarContext) (s : Settled) : IO Settled := runThere { h.context with mctx } s.lctx do
    return { s with lctx := ← instantiateLCtxMVars s.lctx, type := ← instantiateMVars s.type }
  let values ← runThere { h.context with mctx := h.mctxAfter } h.lctx do h.values.mapM fun v => return (← instantiateMVars v).consumeMData
  let mut s ← instantiated h.context.mctx { lctx := h.lctx, type := h.type, values := values.filter fun v => v.isAppOf ``sorryAx && !v.hasMVar }
  for other in others do
    if s.types.any (·.hasExprMVar) then s ← instantiated other.mctxAfter s
  return s

/-- A hole that speaks of others, with their goals in the places of their values: those whose hypotheses are all among its
own, so that their goals mean here what they mean there. -/
def Settled.coupled (s : Settled) (others : Array (Settled × MVarId)) : Settled :=
  let known := others.flatMap fun (e, goal) =>
    if e.lctx.all fun d => s.lctx.contains d.fvarId then e.values.map (·, mkMVar goal) else #[]
  let replaced (e : Expr) : Expr :=
    if !e.hasSorry then e else e.replace fun part => (known.find? (·.1 == part)).map (·.2)
  if known.isEmpty then s else
  let lctx := s.lctx.foldl (init := { auxDeclToFullName := s.lctx.auxDeclToFullName }) fun lctx d => lctx.addDecl <| match d with
    | .cdecl i id name type bi kind => .cdecl i id name (replaced type) bi kind
    -- what `have` made has a value that nobody sees
    | .ldecl i id name type value nondep kind => .ldecl i id name (replaced type) (if nondep then value else replaced value) nondep kind
  { s with lctx, type := replaced s.type }

/-- Whether an expression speaks of a hole: its own, or that of a constant which `start` has not. -/
def speaksOfHole (start env : Environment) (e : Expr) : Bool :=
  e.hasSorry || (axiomsOf env (e.getUsedConstants.filter (!start.contains ·))).contains ``sorryAx

/-- Holes as goals, each after those that it speaks of, with their places among the holes; fewer where the rest speaks of
what is no goal. -/
def goalsOf (speaks : Expr → Bool) (holes : Array Settled) : MetaM (Array (Nat × MVarId)) := do
  let mut made : Array (Nat × MVarId) := #[]
  for _ in holes do
    for (hole, i) in holes.zipIdx do
      if made.any (·.1 == i) then continue
      let s := hole.coupled (made.filterMap fun (k, goal) => holes[k]?.map (·, goal))
      let mctx ← getMCtx
      let unknown (e : Expr) := (e.find? fun part => part.isMVar && !mctx.decls.contains part.mvarId!).isSome
      if s.types.any fun e => unknown e || speaks e then continue
      let goal ← withLCtx s.lctx {} do
        let mut instances : LocalInstances := #[]
        for d in s.lctx do
          if let some className ← isClass? d.type then instances := instances.push { className, fvar := d.toExpr }
        withLCtx s.lctx instances do mkFreshExprSyntheticOpaqueMVar s.type
      made := made.push (i, goal.mvarId!)
    if made.size == holes.size then break
  return made

/-- An exception on the way from a text to its goals. -/
def textTrouble (e : Exception) : IO Trouble := do
  let t ← troubleOf e
  return if t.kind == "exception" then { t with kind := "frontend" } else t

/-- A state of goals that speak of what a text has declared up to `after`, for a proof that may use what `before` has. `act`
makes them, each with its place among the state's goals. -/
def stateOfText (before after : Environment) (context : Core.Context) (act : MetaM (Array (Nat × MVarId))) : IO (Except Trouble State) := do
  let later : NameGenerator := { namePrefix := `_uniq, idx := 100000000 }       -- than what the text has made
  let empty : ProofState := { origin := after, core := { env := after, ngen := later }, «meta» := {}, term := {}, context, roots := [], goals := [], printer := ← Printer.create }
  match ← empty.run none (act : Term.TermElabM _) with
  | .error e => return .error (← textTrouble e)
  | .ok (goals, made) =>
    let ids := goals.toList.map (·.2)
    let proof ← startIn (← envBefore before after made.meta.mctx ids) context made.meta.mctx ids
    let order := inOrderOf (fun i => (goals[i]?.map (·.1)).getD 0) (Array.range goals.size)
    let placed := order.toList.filterMap fun i => proof.goals[i]?
    return .ok { proof := { proof with goals := placed, roots := placed }, parents := [] }

/-- The holes of one command as goals of one state. A hole that speaks of the value of another speaks of its goal then. What
cannot be said so is refused: a hole that speaks of one whose hypotheses it has not, of one in a statement, of one of
an earlier command of the text, which began in `start`; or holes that speak of each other. -/
def holesState (start : Environment) (before : Command.State) (after : Command.State) (found : Array Hole) : IO (Except Trouble State) := do
  let some first := found[0]? | return .error ⟨"frontend", "no hole"⟩
  let settled ← found.mapM (·.settled found)
  let stated := (addedConstants before.env after.env).map (·.2.type)
  let clear (v : Expr) := (settled.filter (·.values.contains v)).size == 1 && !stated.any fun type => (type.find? (· == v)).isSome
  let settled := settled.map fun s => { s with values := s.values.filter clear }
  let c := first.context
  let context := contextOf "<Pantograph>" c.fileMap c.options c.currNamespace c.openDecls
  stateOfText before.env after.env context do
    let goals ← goalsOf (speaksOfHole start after.env) settled
    if goals.size < settled.size then
      throwError "a hole's type or hypotheses depend on another hole in a way that no goal can: such coupled holes are not supported"
    return goals

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
