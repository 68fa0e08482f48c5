/-
Goal states as Lean values: start, run a tactic, print. A state is immutable; a tactic makes a new one.
-/
import LeanAgent.Frontend
import LeanAgent.GoalNames
open Lean Meta Elab

namespace LeanAgent

structure Hypothesis where
  name : String
  type : String
  value? : Option String
  inaccessible : Bool
  deriving Inhabited

structure GoalView where
  id : String
  tag : String
  target : String
  hypotheses : Array Hypothesis
  text : String
  key : String
  names : GoalNames

def Hypothesis.json (h : Hypothesis) : Json :=
  Json.mkObj <| [("name", Json.str h.name), ("type", Json.str h.type)]
    ++ (match h.value? with | some v => [("value", Json.str v)] | none => [])
    ++ (if h.inaccessible then [("inaccessible", Json.bool true)] else [])

def GoalView.json (g : GoalView) (hypotheses : Json) : Json :=
  Json.mkObj <| [("id", .str g.id), ("target", .str g.target), ("text", .str g.text), ("vars", hypotheses)]
    ++ (if g.tag.isEmpty then [] else [("name", Json.str g.tag)])
    ++ (if g.key.isEmpty then [] else [("key", Json.str g.key)])
    ++ g.names.json

/-- A type as `ppExpr` prints it. -/
structure PrintedType where
  format : Format
  text : String

/-- A hash of all in a scope that shortens names: the namespace (a theorem `N.a` is in `N` while it is proved) and what is open. -/
def scopeOf (currNamespace : Name) (openDecls : List OpenDecl) : UInt64 :=
  openDecls.foldl (init := hash currNamespace) fun before decl => mixHash before <| match decl with
    | .simple ns without => mixHash (hash ns) (hash without)
    | .explicit id n => mixHash (hash id) (hash n)

def scopeHere : CoreM UInt64 := do
  let context ← readThe Core.Context
  return scopeOf context.currNamespace context.openDecls

/-- A type with its variables bound in front, and how many these are: `∀ x, p x` may be that, and `p x` with `x` in front. -/
abbrev ClosedType := ExprStructEq × Nat

/-- Closed types, as they were printed, by the scope that they stand in (`scopeOf`); and the last parts of the names of all constants in
them. -/
structure ClosedTypes where
  printed : Std.HashMap (ClosedType × UInt64) PrintedType := {}
  names : Std.HashSet String := {}

def ClosedTypes.insert (types : ClosedTypes) (type : ClosedType) (scope : UInt64) (printed : PrintedType) : ClosedTypes :=
  let names := type.1.val.getUsedConstants.foldl (init := types.names) fun names n =>
    match n with
    | .str _ last => names.insert last
    | _ => names
  { printed := types.printed.insert (type, scope) printed, names }

/-- A goal in the forms that are asked for; and whether it speaks of no metavariable. -/
structure PrintedGoal where
  view : GoalView
  json : Thunk Json
  format : Format
  isClosed : Bool

/-- The hypotheses of a goal: as JSON, and as lines of its text. `lctx` has the names that they are printed with. -/
structure PrintedContext where
  lctx : LocalContext
  hypotheses : Array Hypothesis
  json : Thunk Json
  lines : Array Format

/-- What the variables of a context stand for in the keys of goals, see `goalKey`. -/
structure StandIns where
  fvars : Array Expr := #[]
  standIns : Array Expr := #[]
  all : UInt64 := 0

/-- What was made of contexts that speak of no metavariable, by the last variable and the scope. -/
abbrev ByContext (α : Type) := Std.HashMap (Name × UInt64) (LocalContext × α)

/-- What was printed so far in one proof: printing costs more than most tactics, and from one state to the next most
goals, and most types in a goal, stay what they were. A type is known by itself, names of bound variables included, and
the names that its variables have now; a goal that speaks of no metavariable by being the same object, and one that
speaks of assigned ones alone by its own name, its tag and a hash of what it shows. A context is known by being the same
object: most tactics change the target alone. All by the scope too, the namespace and what is open there, since those shorten names. -/
structure Printer where
  types : IO.Ref (Std.HashMap (ExprStructEq × String) PrintedType)
  /-- Other terms that errors spoke of lately. -/
  spoken : IO.Ref (Std.HashMap (ExprStructEq × String) Format)
  /-- Shared with other proofs, where nothing about printing changes in between. -/
  shared? : Option (IO.Ref ClosedTypes)
  closed : IO.Ref (Std.HashMap (Name × UInt64) (MetavarDecl × PrintedGoal))
  settled : IO.Ref (Std.HashMap (Name × Name × UInt64 × UInt64) PrintedGoal)
  contexts : IO.Ref (ByContext PrintedContext)
  standIns : IO.Ref (ByContext StandIns)

def Printer.create (shared? : Option (IO.Ref ClosedTypes) := none) : BaseIO Printer := do
  return { types := ← IO.mkRef {}, spoken := ← IO.mkRef {}, shared?, closed := ← IO.mkRef {}, settled := ← IO.mkRef {}, contexts := ← IO.mkRef {}, standIns := ← IO.mkRef {} }

/-- Whether a context speaks of no metavariable at all, of terms or of universe levels. -/
def isClosedContext (lctx : LocalContext) : Bool :=
  lctx.all fun d => !d.type.hasMVar && !(d.value?.any (·.hasMVar))

/-- Whether a goal does. -/
def isClosed (decl : MetavarDecl) : Bool :=
  !decl.type.hasMVar && isClosedContext decl.lctx

def instantiated (e : Expr) : MetaM Expr := if e.hasMVar then instantiateMVars e else pure e

structure ProofState where
  origin : Environment                -- of the first state: what tactics have added to it is checked at the end
  unbelieved : NameSet := {}          -- constants of it that count as axioms
  core : Core.State
  «meta» : Meta.State
  term : Term.State
  context : Core.Context
  roots : List MVarId
  goals : List MVarId
  printer : Printer
  allowsOpen : Bool := false          -- whether a proof may rest on theorems that are left open
  openLemmas : Array Name := #[]      -- those on which it does, once no goal is left
  axioms : Array Name := #[]          -- of the project, on which it may rest whatever its statement says

def heartbeatLimit : Nat := 200000 * 1000

-- Made once: the interpreter makes what a function's body holds anew each time.
def termContext : Term.Context := {}
def metaContext : Meta.Context := {}

/-- A step may take what its file allows the whole declaration: `set_option maxHeartbeats 0` leaves it to the clock. -/
def freshContext (context : Core.Context) (cancel? : Option IO.CancelToken) : IO Core.Context := do
  return { context with
    initHeartbeats := ← IO.getNumHeartbeats, maxHeartbeats := Core.getMaxHeartbeats context.options, cancelTk? := cancel?
    currRecDepth := 0, maxRecDepth := maxRecDepth.get context.options }

/-- Run something in a state. Exceptions of Lean come back as `Except`, IO trouble as IO errors. -/
def ProofState.run (s : ProofState) (cancel? : Option IO.CancelToken) (act : Term.TermElabM α) :
    IO (Except Exception (α × ProofState)) := do
  let context ← freshContext s.context cancel?
  let x : CoreM (α × ProofState) := do
    let ((a, term), «meta») ← ((act.run termContext s.term).run metaContext s.meta)
    return (a, { s with core := ← get, «meta», term })
  match ← ((x.run context { s.core with messages := {} }).toIO') with
  | .ok ((a, s), _) => return .ok (a, s)
  | .error e => return .error e

/-- A message without its traces. With them `grind` tells its whole state, hundreds of KB, which takes several times as long to
print as the search for a proof took, and cannot be interrupted. -/
partial def withoutTraces : MessageData → MessageData
  | .withContext c m => .withContext c (withoutTraces m)
  | .withNamingContext c m => .withNamingContext c (withoutTraces m)
  | .nest n m => .nest n (withoutTraces m)
  | .group m => .group (withoutTraces m)
  | .compose a b => .compose (withoutTraces a) (withoutTraces b)
  | .tagged t m => .tagged t (withoutTraces m)
  | .trace .. => .nil
  | m => m

/-- Names are as short in it as in the goals. -/
def failureOf (context : Core.Context) (e : Exception) : IO Failure := do
  if e.isInterrupt then return ⟨"timeout", "stopped at the time limit"⟩
  let naming := { currNamespace := context.currNamespace, openDecls := context.openDecls }
  let text := (← (MessageData.withNamingContext naming (withoutTraces e.toMessageData)).toString).trimAsciiEnd.toString
  if e.isMaxHeartbeat then return ⟨"timeout", text⟩
  return ⟨"error", text⟩

-- ## Printing

/-- How the variables of a context are named. `marked` has the context with other names, as `sanitizeNames` chooses them, for
those that no tactic can speak of: macros made them, or a later variable has them too. -/
structure ShownNames where
  options : Options
  marked : LocalContext

def ShownNames.of (options : Options) (lctx : LocalContext) : ShownNames :=
  { options, marked := Id.run <| lctx.sanitizeNames.run' { options := pp.sanitizeNames.set options true } }

/-- The context with the names that are printed. -/
def ShownNames.context (names : ShownNames) (lctx : LocalContext) : LocalContext :=
  if getSanitizeNames names.options then names.marked else lctx

/-- The name that is printed for a variable of the context, and whether no tactic can speak of it. That is not read off what
is printed: `«a✝»` may be a name like others. -/
def ShownNames.name (names : ShownNames) (decl : LocalDecl) : String × Bool :=
  let marked := ((names.marked.find? decl.fvarId).getD decl).userName
  let shown := if getSanitizeNames names.options then marked else decl.userName
  (toString shown.simpMacroScopes, marked != decl.userName || decl.userName.isAnonymous)

/-- A type with the variables that it speaks of bound in front, and those that their types speak of: all that decides
how it is printed. Nothing where one of these has a metavariable. -/
def closedType? (lctx : LocalContext) (type : Expr) : MetaM (Option ClosedType) := do
  if type.hasMVar then return none
  let found ← (collectFVars {} type).addDependencies
  let ids ← sortFVarIds found.fvarIds
  for id in ids do
    let some decl := lctx.find? id | return none
    if decl.type.hasMVar || (decl.value?.map (·.hasMVar)).getD false then return none
  return some (⟨← mkForallFVars (ids.map Expr.fvar) type⟩, ids.size)

/-- How a type is known among those that were printed; with the scope. -/
def typeKey (lctx : LocalContext) (scope : UInt64) (type : Expr) : ExprStructEq × String :=
  let names := (collectFVars {} type).fvarIds.foldl (init := toString scope) fun names id =>
    match lctx.find? id with
    | some decl => names ++ " " ++ toString decl.userName
    | none => names
  (⟨type⟩, names)

/-- A type as `ppExpr` prints it in `lctx`. -/
def Printer.type (printer : Printer) (lctx : LocalContext) (type : Expr) : MetaM PrintedType := do
  let type ← instantiated type
  let key := typeKey lctx (← scopeHere) type
  if let some printed := (← printer.types.get)[key]? then return printed
  let printed ← match printer.shared? with
    | none => print type
    | some shared => printOnce shared type
  printer.types.modify (·.insert key printed)
  return printed
where
  print (type : Expr) : MetaM PrintedType := do
    let format ← ppExpr type
    return { format, text := format.pretty }
  printOnce (shared : IO.Ref ClosedTypes) (type : Expr) : MetaM PrintedType := do
    let some closed ← closedType? lctx type | print type
    let scope ← scopeHere
    if let some printed := (← shared.get).printed[(closed, scope)]? then return printed
    let printed ← print type
    shared.modify (·.insert closed scope printed)
    return printed

/-- The same number in the place of a metavariable wherever it stands in the goals of one state: the order in which
they are met, which is the same in two states that differ in the names of their metavariables alone. -/
def numbered (met : IO.Ref (Array Name)) (e : Expr) : MetaM Expr := do
  unless e.hasExprMVar do return e
  for m in ← getMVars e do
    met.modify fun names => if names.contains m.name then names else names.push m.name
  let names ← met.get
  return e.replace fun
    | .mvar id => (names.idxOf? id.name).map fun i => mkRawNatLit i
    | _ => none

def contextKey (lctx : LocalContext) (scope : UInt64) : Name × UInt64 :=
  -- an empty context has no last declaration, and Lean complains when it is asked for it
  let last? := if lctx.isEmpty then none else lctx.lastDecl
  (match last? with | some decl => decl.fvarId.name | none => .anonymous, scope)

/-- What has been made of this context before. -/
def madeOf? (known : IO.Ref (ByContext α)) (lctx : LocalContext) (scope : UInt64) : BaseIO (Option α) := do
  let some (before, made) := (← known.get)[contextKey lctx scope]? | return none
  return if isSameObject before lctx then some made else none

/-- What has been made of this context before, or is made now. -/
def byContext (known : IO.Ref (ByContext α)) (lctx : LocalContext) (make : MetaM α) : MetaM α := do
  let scope ← scopeHere
  if let some made ← madeOf? known lctx scope then return made
  let made ← make
  if isClosedContext lctx then known.modify (·.insert (contextKey lctx scope) (lctx, made))
  return made

/-- A goal up to the order of its hypotheses and to the names that no tactic can speak of, as a hash. Each variable
stands for its own type, and for its name where a tactic can say it; variables that agree in both are told apart by their
order, so that goals of one key are one goal, but for a hash that meets another (32 bits of a type, 64 of all). -/
def goalKey (standIns : StandIns) (met : IO.Ref (Array Name)) (target : Expr) : MetaM String := do
  let target ← numbered met ((← instantiated target).replaceFVars standIns.fvars standIns.standIns)
  return s!"{mixHash standIns.all target.hash}"

def standInsOf (met : IO.Ref (Array Name)) (context : PrintedContext) : MetaM StandIns := do
  let mut fvars : Array Expr := #[]
  let mut standIns : Array Expr := #[]
  let mut seen : Std.HashMap UInt64 Nat := {}
  let mut all : UInt64 := 0
  for decl in context.lctx do
    if decl.isImplementationDetail then continue
    let hypothesis := context.hypotheses[fvars.size]!
    let type ← numbered met ((← instantiated decl.type).replaceFVars fvars standIns)
    let mut colour := mixHash type.hash (if hypothesis.inaccessible then 7 else hash hypothesis.name)
    if decl.isLet then
      if let some value := decl.value? then
        colour := mixHash colour (← numbered met ((← instantiated value).replaceFVars fvars standIns)).hash
    let twins := seen.getD colour 0
    seen := seen.insert colour (twins + 1)
    colour := mixHash colour (hash twins)
    all := all + colour
    fvars := fvars.push (.fvar decl.fvarId)
    standIns := standIns.push (mkRawNatLit colour.toNat)
  return { fvars, standIns, all }

-- ## Printing

/-- A goal that stands as it is in every state, as it was printed before. -/
def Printer.goal? (printer : Printer) (mctx : MetavarContext) (scope : UInt64) (goal : MVarId) : BaseIO (Option PrintedGoal) := do
  let some (before, known) := (← printer.closed.get)[(goal.name, scope)]? | return none
  let some decl := mctx.findDecl? goal | return none
  return if isSameObject before decl then some known else none

/-- A goal with its hypotheses, and the text that `Meta.ppGoal` prints. With `met?`, as for `numbered`, its key too. -/
def Printer.goal (printer : Printer) (goal : MVarId) (met? : Option (IO.Ref (Array Name)) := none) : MetaM PrintedGoal := do
  let decl ← goal.getDecl
  let scope ← scopeHere
  if isClosed decl then
    let printed ← print printer goal decl met? (isClosed := true)
    printer.closed.modify (·.insert (goal.name, scope) (decl, printed))
    return printed
  let (content, isSettled) ← contents decl
  let key := (goal.name, decl.userName, scope, content)
  if let some printed := (← printer.settled.get)[key]? then return printed
  let printed ← print printer goal decl met? (isClosed := false)
  if isSettled then printer.settled.modify (·.insert key printed)
  return printed
where
  /-- A hash of all that the goal shows, as metavariables stand now (in another state of the same goal they may be open,
  or assigned otherwise), and whether none is open in it. -/
  contents (decl : MetavarDecl) : MetaM (UInt64 × Bool) := do
    let mut shown := #[decl.type]
    for d in decl.lctx do
      unless d.isImplementationDetail do
        shown := shown.push d.type
        if d.isLet then shown := shown.push (d.value?.getD d.type)
    let mut content : UInt64 := 7
    let mut isSettled := true
    for e in shown do
      let e ← instantiated e
      content := mixHash content e.hash
      isSettled := isSettled && !e.hasExprMVar
    return (content, isSettled)
  print (printer : Printer) (goal : MVarId) (decl : MetavarDecl) (met? : Option (IO.Ref (Array Name))) (isClosed : Bool) : MetaM PrintedGoal := do
    let context ← byContext printer.contexts decl.lctx <| hypotheses printer decl
    withLCtx context.lctx decl.localInstances do
      let target ← printer.type context.lctx decl.type
      let sign := if (isLHSGoal? decl.type).isSome then "| " else "⊢ "
      let body := Format.joinSep (context.lines.push (sign ++ Format.nest 2 target.format)).toList Format.line
      let tag := decl.userName.eraseMacroScopes
      let format := if tag.isAnonymous then body else "case " ++ Std.format tag ++ Format.line ++ body
      let key ← match met? with
        | some met => do goalKey (← byContext printer.standIns decl.lctx <| standInsOf met context) met decl.type
        | none => pure ""
      let view : GoalView := {
        id := toString goal.name, tag := if tag.isAnonymous then "" else toString tag, key, target := target.text
        hypotheses := context.hypotheses, text := format.pretty
        names := ← namesOf decl.lctx context target.text (← instantiated decl.type) }
      return { view, json := Thunk.mk fun _ => view.json context.json.get, format, isClosed }
  /-- The hypotheses were printed in the order in which they stand. -/
  namesOf (lctx : LocalContext) (context : PrintedContext) (targetText : String) (target : Expr) : MetaM GoalNames := do
    let mut hypotheses := #[]
    for d in lctx do
      if d.isImplementationDetail then continue
      let text := (context.hypotheses[hypotheses.size]?.map (·.type)).getD ""
      hypotheses := hypotheses.push { name? := variableText? context.lctx d.toExpr, type := ← instantiated d.type, text }
    goalNames context.lctx hypotheses { type := target, text := targetText }
  /-- In one pass over the types. -/
  hypotheses (printer : Printer) (decl : MetavarDecl) : MetaM PrintedContext := do
    let names := ShownNames.of (← getOptions) decl.lctx
    let lctx := names.context decl.lctx
    withLCtx lctx decl.localInstances do
      let mut hypotheses := #[]
      let mut lines : Array Format := #[]
      let mut group : List String := []        -- names of one type, which stand on one line; the last comes first
      let mut shared : Option (Expr × PrintedType) := none
      for localDecl in decl.lctx do
        if localDecl.isImplementationDetail then continue
        let (name, inaccessible) := names.name localDecl
        let hypothesis : Hypothesis := { name, type := "", value? := none, inaccessible }
        let type ← instantiated localDecl.type
        -- what `have` made has a value that is nobody's business; only `let` shows it
        if let (some (before, printed), true) := (shared, !localDecl.isLet) then
          if before == type then
            group := name :: group
            hypotheses := hypotheses.push { hypothesis with type := printed.text }
            continue
        if let some (_, printed) := shared then lines := lines.push (line group printed)
        let printed ← printer.type lctx type
        if let some value := localDecl.value? then
          let value ← printer.type lctx value
          lines := lines.push (Std.format name ++ " : " ++ printed.format ++ " :=" ++ Format.nest 2 (Format.line ++ value.format)).group
          hypotheses := hypotheses.push { hypothesis with type := printed.text, value? := some value.text }
          shared := none
        else
          group := [name]
          hypotheses := hypotheses.push { hypothesis with type := printed.text }
          shared := some (type, printed)
      if let some (_, printed) := shared then lines := lines.push (line group printed)
      let all := hypotheses
      return { lctx, hypotheses, lines, json := Thunk.mk fun _ => .arr (all.map (·.json)) }
  line (names : List String) (type : PrintedType) : Format :=
    (Format.joinSep names.reverse (Std.format " ") ++ " :" ++ Format.nest 2 (Format.line ++ type.format)).group

/-- Of what Lean says when a tactic fails, the most are the goal and its types, and making text of them takes longer than
many a tactic. Here is an environment in which it finds those that have been printed. Where names or options are others
than in `context` (an error may show what is implicit) it prints anew. -/
def Printer.known (printer : Printer) (context : Core.Context) (env : Environment) : Environment :=
  let scope := scopeOf context.currNamespace context.openDecls
  let applies (asked : PPContext) : Bool :=
    scopeOf asked.currNamespace asked.openDecls == scope && (asked.opts.erase `debug.skipKernelTC : Options) == context.options
  ppExt.modifyState env fun fresh => { fresh with
    ppGoal := fun asked goal => do
      if applies asked then
        if let some printed ← printer.goal? asked.mctx scope goal then return printed.format
      fresh.ppGoal asked goal
    ppExprWithInfos := fun asked e => do
      let made? ← if !e.hasMVar && applies asked then madeOf? printer.contexts asked.lctx scope else pure none
      let some made := made? | fresh.ppExprWithInfos asked e
      let key := typeKey made.lctx scope e
      if let some printed := (← printer.types.get)[key]? then return { fmt := printed.format, infos := {} }
      if let some format := (← printer.spoken.get)[key]? then return { fmt := format, infos := {} }
      let format := (← fresh.ppExprWithInfos asked e).fmt
      printer.spoken.modify fun known => (if known.size < 1000 then known else {}).insert key format
      return { fmt := format, infos := {} } }

-- ## The end of a proof

/-- Of constants that rest on other axioms than the standard ones: the theorems that are left open and account for all of
that, where it may be so. -/
def ProofState.openBelow? (s : ProofState) (env : Environment) (used others : Array Name) : Option (Array Name) := do
  guard <| s.allowsOpen && others == #[``sorryAx]
  let holes := holesBelow env used
  guard <| !holes.isEmpty && holes.all fun n => (env.find? n) matches some (.thmInfo _)
  return holes

/-- Close the terms that solve the roots, have the kernel check each, and what the tactics added besides, and look at the
axioms. Returns the theorems left open that they rest on, where that is allowed. -/
def checkSolvedOn (s : ProofState) : MetaM (Except Failure (Array Name)) := do
  let cancel? := (← readThe Core.Context).cancelTk?
  let env ← match replay s.origin (addedConstants s.origin (← getEnv)) cancel? with
    | .ok env => pure env
    | .error failure => return .error { failure with kind := if failure.kind == "axiom" then "kernel" else failure.kind }
  let mut lemmas := #[]
  for root in s.roots do
    let result : Except Failure (Array Name) ← root.withContext do
      let value ← instantiateMVars (mkMVar root)
      let type ← instantiateMVars (← root.getType)
      let fvars := (← getLCtx).getFVars
      -- again, since the types of hypotheses come in here, with universe levels that have been settled since
      let value ← instantiateMVars (← mkLambdaFVars fvars value (usedLetOnly := false))
      let type ← instantiateMVars (← mkForallFVars fvars type (usedLetOnly := false))
      if value.hasSorry then return .error ⟨"sorry", "the proof has a hole"⟩
      if value.hasMVar || type.hasMVar then return .error ⟨"kernel", "the finished term still has metavariables"⟩
      let levels := (collectLevelParams (collectLevelParams {} type) value).params.toList
      let name := `_lean_agent.checked
      let decl := if ← isProp type then Declaration.thmDecl { name, levelParams := levels, type, value }
        else Declaration.defnDecl { name, levelParams := levels, type, value, hints := .opaque, safety := .safe }
      match addChecked env (Core.getMaxHeartbeats (← getOptions)).toUSize decl cancel? with
      | .error .interrupted => return .error ⟨"timeout", "stopped at the time limit"⟩
      | .error .deterministicTimeout => return .error ⟨"timeout", "the kernel's check of the finished term takes too long"⟩
      | .error e => return .error ⟨"kernel", s!"the kernel refuses the finished term: {← (e.toMessageData (← getOptions)).toString}"⟩
      | .ok _ => pure ()
      let used := value.getUsedConstants
      let allowed := standardAxioms ++ axiomsOfStatement env type s.unbelieved ++ s.axioms.toList
      match (axiomsOf env used s.unbelieved).filter (!allowed.contains ·) with
      | #[] => return .ok #[]
      | others =>
        if let some holes := s.openBelow? env used others then return .ok holes
        if others.all fun n => (env.find? n).any (mayBeAllowed env s.unbelieved n) then
          let named := ", ".intercalate (others.toList.map toString)
          return .error ⟨"axiom", s!"the proof rests on {named}, which the project states as {if others.size == 1 then "an axiom" else "axioms"}"⟩
        return .error ⟨if others.contains ``sorryAx then "sorry" else "forbidden", s!"the proof rests on {others.toList}"⟩
    match result with
    | .error failure => return .error failure
    | .ok holes => lemmas := lemmas ++ holes.filter (!lemmas.contains ·)
  return .ok lemmas

/-- What is wrong with a proof without goals. -/
def checkSolved (s : ProofState) : MetaM (Option Failure) := do
  match ← checkSolvedOn s with
  | .error failure => return some failure
  | .ok _ => return none

-- ## Tactics

/-- Parse `text` as a sequence of tactics (usually one). -/
def parseTactics (env : Environment) (context : Core.Context) (text : String) : Except String Syntax :=
  let input := Parser.mkInputContext text "<tactic>"
  let pmctx := { env, options := context.options, currNamespace := context.currNamespace, openDecls := context.openDecls }
  let p := Parser.andthenFn Parser.whitespace Parser.Tactic.tacticSeq.fn
  let s := p.run input pmctx (Parser.getTokenTable env) (Parser.mkParserState text)
  if !s.allErrors.isEmpty then .error (s.toErrorMsg input)
  else if input.atEnd s.pos then .ok s.stxStack.back
  else .error ((s.mkError "end of input").toErrorMsg input)

/-- Goals that are left: those of the tactic framework, and metavariables, that no goal speaks of, in what stands now in the
place of the goals `before`, which are all the metavariables that the roots had; and whether a hole stands there. -/
def leftGoals (before goals : List MVarId) : MetaM (List MVarId × Bool) := do
  let goals ← goals.filterM fun g => return !(← g.isAssignedOrDelayedAssigned)
  let mut found := goals.toArray
  let mut hole := false
  for goal in before do
    let value ← instantiateMVars (mkMVar goal)
    hole := hole || value.hasSorry
    for m in ← getMVars value do
      unless found.contains m || (← m.isDelayedAssigned) do found := found.push m
  return (found.toList, hole)

/-- Put what is assigned by now in its place in a goal's declaration, as Lean does before it runs a tactic block. Then a
goal that speaks of nothing open is the same object in all later states. -/
def settle (goal : MVarId) : MetaM Unit := do
  let decl ← goal.getDecl
  if isClosed decl then return
  let type ← instantiated decl.type
  let lctx ← if isClosedContext decl.lctx then pure decl.lctx else instantiateLCtxMVars decl.lctx
  modifyMCtx fun mctx => { mctx with decls := mctx.decls.insert goal { decl with type, lctx } }

/-- What is kept of a state between tactics: nothing that was said or traced on the way. -/
def quiet (core : Core.State) : Core.State := { core with messages := {}, infoState := {}, traceState := {}, snapshotTasks := #[] }

/-- Options under which Lean does not ask the kernel about what a tactic adds (`omega` adds a theorem each time, and two
thirds of its time were the kernel's). The kernel is asked about all of it when the proof is finished. -/
def deferred (options : Options) : Options := options.setBool `debug.skipKernelTC true

partial def lambdaBody : Expr → Expr
  | .lam _ _ body _ => lambdaBody body
  | .mdata _ e => lambdaBody e
  | e => e

/-- Whether it is the kernel that decides if a theorem's proof is one, as after `decide +kernel`. -/
def isDecided (info : ConstantInfo) : Bool :=
  (info.value? (allowOpaque := true)).any fun value => (lambdaBody value).getAppFn.isConstOf ``of_decide_eq_true

/-- The goals that tactics leave. Those that give up after they have said why (an unsolved `·` for one) leave none, and the
errors that they have logged. -/
def goalsLeft (tactics : Term.TermElabM (List MVarId)) : Term.TermElabM (List MVarId) := do
  try Term.withDeclName `_lean_agent.proof <| Term.withoutErrToSorry tactics
  catch e => match e with
    | .internal id _ => if isAbortExceptionId id && (← Core.getMessageLog).hasErrors then return [] else throw e
    | e => throw e

/-- What `trace "…"` has said becomes messages, as at the end of a command; what options have had traced does not. -/
def sayTraces : CoreM Unit := do
  for said in (← get).traceState.traces.toArray do
    let text ← (withoutTraces said.msg).toString
    unless text.isEmpty do logInfo text

def runParsed (s : ProofState) (options : Options) (stx : Syntax) (cancel? : Option IO.CancelToken) :
    IO (Except Failure (ProofState × List Message)) := do
  let act : Term.TermElabM (Except Failure (List MVarId × Array Name)) := do
    let context : Tactic.Context := { elaborator := .anonymous, recover := false }
    let run : Term.TermElabM (List MVarId) := do
      let (_, state) ← (Tactic.evalTactic stx context).run { goals := s.goals }
      Term.synthesizeSyntheticMVarsNoPostponing
      return state.goals
    let goals ← goalsLeft run
    if (← Core.getMessageLog).hasErrors then
      let first := (← Core.getMessageLog).toList.find? (·.severity == .error)
      let text ← first.mapM fun m => m.data.toString
      return .error ⟨"error", text.getD "error"⟩
    let (goals, hole) ← leftGoals s.goals goals
    if hole then
      -- `apply?` and `rw?` say what they have found, and leave one
      let said ← (← Core.getMessageLog).toList.filterM fun m => return !m.isSilent
      let texts ← said.mapM fun m => m.data.toString
      return .error ⟨"sorry", "\n".intercalate ("the tactic leaves a hole" :: texts)⟩
    sayTraces
    if goals.isEmpty then return (← checkSolvedOn s).map ([], ·)
    for goal in goals do settle goal
    return .ok (goals, #[])
  -- info trees are for editors, and nobody reads these
  let start : ProofState := { s with context := { s.context with options }, core := { s.core with infoState := { enabled := false } } }
  match ← start.run cancel? act with
  | .error e => return .error (← failureOf s.context e)
  | .ok (.error failure, _) => return .error failure
  | .ok (.ok (goals, openLemmas), next) =>
    let messages := next.core.messages.toList.filter (!·.isSilent)
    return .ok ({ next with goals, openLemmas, core := quiet next.core, context := s.context }, messages)

/-- Run tactics in a state. The kernel comes in at the end of a proof; where it then refuses something, the tactics run
again with the kernel at every step, so that those which try something else when it refuses can do so. -/
def runTactic (s : ProofState) (text : String) (cancel? : Option IO.CancelToken) :
    IO (Except Failure (ProofState × List Message)) := do
  if s.goals.isEmpty then return .error ⟨"no_goals", "no goals"⟩
  match parseTactics s.core.env s.context text with
  | .error e => return .error ⟨"parse", e⟩
  | .ok stx =>
    if let some failure := forbidden? stx then return .error failure
    let result ← runParsed s (deferred s.context.options) stx cancel?
    let isRefused : Bool := match result with
      | .error failure => failure.kind == "kernel"
      | .ok (next, _) =>
        let decided := (addedConstants s.core.env next.core.env).filter fun (_, info) => isDecided info
        !decided.isEmpty && (replay s.core.env decided cancel?) matches .error _
    if isRefused then runParsed s s.context.options stx cancel? else return result

def ProofState.ask (s : ProofState) (act : Term.TermElabM α) : IO α := do
  match ← s.run none act with
  | .ok (a, _) => return a
  | .error e => throw <| IO.userError (← e.toMessageData.toString)

-- ## Goals that hang together

/-- The metavariables, of terms and of universe levels, that a goal and what it speaks of stand for. -/
partial def metavariablesOf (goal : MVarId) (found : NameSet) : MetaM NameSet := do
  if found.contains goal.name then return found
  let mut found := found.insert goal.name
  let decl ← goal.getDecl
  let mut spoken := #[decl.type]
  for d in decl.lctx do
    spoken := spoken.push d.type
    if let some value := d.value? then spoken := spoken.push value
  for e in spoken do
    unless e.hasMVar do continue
    let e ← instantiateMVars e
    for level in (collectLevelMVars {} e).result do found := found.insert level.name
    for m in ← getMVars e do found ← metavariablesOf m found
  return found

/-- The goals of a state, as indices, in groups: goals that share a metavariable stand in one group, and what a tactic
does to the goals of one group leaves the others as they are. -/
def groupsOf (goals : List MVarId) (printed : Array PrintedGoal) : MetaM (Array (Array Nat)) := do
  let mut groups : Array (NameSet × Array Nat) := #[]
  for (goal, i) in goals.zipIdx do
    let closed := (printed[i]?.map (·.isClosed)).getD false
    let mut names := ({} : NameSet).insert goal.name
    unless closed do names ← metavariablesOf goal {}
    let mut members := #[i]
    let mut apart := #[]
    for (theirs, indices) in groups do
      if names.toList.any theirs.contains then
        names := theirs.toList.foldl (·.insert ·) names
        members := indices ++ members
      else apart := apart.push (theirs, indices)
    groups := apart.push (names, members)
  return groups.map (·.2)

/-- The goals of a state, printed, and in groups. -/
def ProofState.shown (s : ProofState) : IO (Array PrintedGoal × Array (Array Nat)) := do
  let known ← s.goals.toArray.mapM fun goal => (s.printer.goal? s.meta.mctx (scopeOf s.context.currNamespace s.context.openDecls) goal : IO _)
  let printed ← if known.all (·.isSome) then pure (known.filterMap id) else s.ask do
    let met ← IO.mkRef <| s.goals.toArray.map (·.name)
    (s.goals.toArray.zip known).mapM fun (goal, known?) => match known? with
      | some known => pure known
      | none => s.printer.goal goal met
  let groups ← if printed.all (·.isClosed) then pure (Array.ofFn (n := printed.size) fun i => #[i.val]) else s.ask <| groupsOf s.goals printed
  return (printed, groups)

/-- The place that a goal had among those of a state before, where it is the same object and speaks of no metavariable. -/
def ProofState.placeIn (s before : ProofState) (goal : MVarId) (printed : PrintedGoal) : Option Nat := do
  if !printed.isClosed then none else
  let earlier ← before.meta.mctx.findDecl? goal
  let now ← s.meta.mctx.findDecl? goal
  if isSameObject earlier now then (before.goals.toArray.map (·.name)).idxOf? goal.name else none

/-- Some of the goals, as a state of its own: it is solved when they are. -/
def ProofState.focus (s : ProofState) (indices : Array Nat) : ProofState :=
  let goals := indices.toList.filterMap fun i => s.goals[i]?
  { s with goals, roots := goals }

/-- Names for variables that tactics make, after those of a state. Lean orders terms by the names of their variables, and what
`grind`, `simp` and `omega` make of a goal rests on that order: it is to be the one of a file. -/
def namesAfter (mctx : MetavarContext) : NameGenerator :=
  let last := mctx.decls.foldl (init := 0) fun last goal _ => match goal.name with
    | .num `_uniq i => max last i
    | _ => last
  { namePrefix := `_uniq, idx := last + 10000000 }       -- a variable may be later than the last goal

/-- Make a state out of an elaborator's context. The theorem's own name, which stands among the hypotheses so that
recursive proofs can be written, is taken away: a proof by itself is no proof. -/
def startIn (env : Environment) (context : Core.Context) (mctx : MetavarContext) (goals : List MVarId) : IO ProofState := do
  let printer ← Printer.create
  let start : ProofState := {
    origin := env, core := { env := printer.known context env, ngen := namesAfter mctx }, «meta» := { mctx }, term := {}, context, roots := goals, goals, printer }
  let act : Term.TermElabM (List MVarId × List Name) := do
    let mut fresh := #[]
    let mut levels : CollectLevelParams.State := {}
    for goal in goals do
      let mut goal := goal
      let { lctx, kind, .. } ← goal.getDecl
      for decl in lctx do
        if decl.isAuxDecl then goal ← goal.tryClear decl.fvarId
      -- a goal that is made by clearing is opaque, and a middle term (`?b` of `a ≤ ?b`) has to be found by unification
      modifyMCtx (·.setMVarKind goal kind)
      fresh := fresh.push goal
      let goal' := goal
      levels ← goal'.withContext do
        let mut levels := collectLevelParams levels (← instantiateMVars (← goal'.getType))
        for decl in ← getLCtx do levels := collectLevelParams levels (← instantiateMVars decl.type)
        return levels
    return (fresh.toList, levels.params.toList)
  match ← start.run none act with
  | .error e => throw <| IO.userError (← e.toMessageData.toString)
  | .ok ((goals, levels), s) => return { s with roots := goals, goals, term := { s.term with levelNames := levels } }

def contextOf (fileName : String) (fileMap : FileMap) (options : Options) (currNamespace : Name) (openDecls : List OpenDecl) : Core.Context :=
  { fileName, fileMap, options, currNamespace, openDecls }

/-- Ask Lean something in an environment. Heartbeats count from here: by themselves they count from the start of the thread, so
that after two hundred million of them whatever is asked would be refused as having taken too long. -/
def ask (context : Core.Context) (env : Environment) (act : MetaM α) (mctx : MetavarContext := {}) : EIO Exception α := do
  let ((a, _), _) ← (withCurrHeartbeats act).run {} { mctx } |>.run context { env }
  return a

/-- A state whose one goal is a proposition given as text. -/
def startExpr (env : Environment) (text : String) (cancel? : Option IO.CancelToken) : IO (Except Failure ProofState) := do
  let context := contextOf "<goal>" (FileMap.ofString text) baseOptions .anonymous []
  match Parser.runParserCategory env `term text "<goal>" with
  | .error e => return .error ⟨"parse", e⟩
  | .ok stx =>
    if let some failure := forbidden? stx then return .error failure
    let printer ← Printer.create
    let empty : ProofState := { origin := env, core := { env := printer.known context env, ngen := namesAfter {} }, «meta» := {}, term := {}, context, roots := [], goals := [], printer }
    let act : Term.TermElabM (MVarId × List Name) := do
      let type ← Term.withAutoBoundImplicit <| Term.withoutErrToSorry do
        let type ← Term.elabType stx
        Term.synthesizeSyntheticMVarsNoPostponing
        Term.levelMVarToParam (← instantiateMVars type)
      unless ← isProp type do throwError "not a proposition: {type}"
      if type.hasMVar then throwError "the proposition is not fully determined: {type}"
      if type.hasSorry then throwError "the proposition has a hole"
      let goal ← mkFreshExprSyntheticOpaqueMVar type
      return (goal.mvarId!, (collectLevelParams {} type).params.toList)
    match ← empty.run cancel? act with
    | .error e => return .error (← failureOf context e)
    | .ok ((goal, levels), s) => return .ok { s with roots := [goal], goals := [goal], term := { s.term with levelNames := levels } }

end LeanAgent
