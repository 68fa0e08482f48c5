/-
What a file teaches: its theorems, each tactic with the goals before and after, the premises used. Read from the info
trees that elaboration leaves behind.
-/
import LeanAgent.HiddenBodies
import LeanAgent.Accounts
open Lean Meta Elab

namespace LeanAgent

-- ## Walking the info trees

structure TacticNode where
  stx : Syntax
  range : Bytes
  context : ContextInfo
  info : TacticInfo
  /-- The place of its start among those of all tactics: what runs later has a larger one. -/
  order : Nat
  /-- Past the places of the tactics inside it. -/
  last : Nat

structure Use where
  name : Name
  range : Bytes

-- Sets of names are constants, which the interpreter makes once and not at each question.

def frames : NameSet := .ofList
  [nullKind, ``Parser.Tactic.tacticSeq, ``Parser.Tactic.tacticSeq1Indented, ``Parser.Tactic.tacticSeqBracketed, ``Parser.Term.byTactic,
   ``Parser.Tactic.inductionAlt, ``Parser.Tactic.inductionAlts, ``Parser.Tactic.paren, `Lean.Parser.Tactic.withAnnotateState,
   ``Parser.Tactic.rwRule, ``Parser.Tactic.rwRuleSeq, ``Parser.Tactic.location, ``Parser.Tactic.simpLemma, `Lean.Parser.Tactic.withReducible,
   ``Parser.Tactic.case', `Lean.cdotTk, `group, ``Parser.Tactic.Conv.convSeq, ``Parser.Tactic.Conv.convSeq1Indented,
   ``Parser.Tactic.Conv.convSeqBracketed, `Lean.Parser.Tactic.Conv.paren, `Lean.calcSteps, `Lean.calcFirstStep, `Lean.calcStep,
   ``Parser.Termination.decreasingBy, `Lean.Parser.Tactic.Grind.grindSeq, `Lean.Parser.Tactic.Grind.grindSeq1Indented,
   `Lean.Parser.Tactic.Grind.grindSeqBracketed, `Lean.Parser.Tactic.Grind.grindStep, `Lean.Parser.Tactic.Grind.paren]

/-- Syntax that only arranges other tactics: a node of its own for Lean, no step for a prover. -/
def isFrame (stx : Syntax) : Bool :=
  stx.isAtom || stx.isIdent || frames.contains stx.getKind || (`Lean.Parser.Term).isPrefixOf stx.getKind  -- such as the `_` of `intro h _`

def structural : NameSet := .ofList
  [``Lean.cdot, ``Parser.Tactic.case, ``Parser.Tactic.case', `Lean.Parser.Tactic.«tacticNext_=>_», ``Parser.Tactic.focus]

/-- Structural tactics: they focus a goal and hand it to the tactics inside. -/
def isStructural (stx : Syntax) : Bool := structural.contains stx.getKind

/-- Tactics that run one branch after the other until one does not fail: so the last one that ran. What `try`, `repeat`,
`iterate`, `solve` and their like stand for is one of these. -/
def choices : NameSet := .ofList [``Parser.Tactic.first, ``Parser.Tactic.Conv.first]

/-- Tactics that run another on each goal and go on where it fails. -/
def attempts : NameSet := .ofList [``Parser.Tactic.anyGoals, ``Parser.Tactic.repeat', ``Parser.Tactic.repeat1']

def mayFail : NameSet := (choices ++ attempts).insert ``Parser.Tactic.failIfSuccess

/-- Whether a branch has failed, or has done nothing, inside a tactic of `mayFail`; `last`: no other branch ran after it. -/
def hasFailed (outer : TacticInfo) (last : Bool) : InfoTree → Bool
  | .context _ tree => hasFailed outer last tree
  | .node (.ofTacticInfo branch) _ =>
    if choices.contains outer.stx.getKind then !last || branch.goalsAfter != outer.goalsAfter else
    !attempts.contains outer.stx.getKind || branch.goalsBefore == branch.goalsAfter ||
      -- once it is taken back, no goal that it has made is known and none that it has closed is closed
      branch.goalsAfter.any (fun g => (outer.mctxAfter.findDecl? g).isNone) ||
      branch.goalsBefore.any fun g => !branch.goalsAfter.contains g && !isAssigned outer.mctxAfter g
  | _ => false
where
  isAssigned (mctx : MetavarContext) (g : MVarId) : Bool := mctx.eAssignment.contains g || mctx.dAssignment.contains g

structure Walk where
  tactics : Array TacticNode := #[]
  uses : Array Use := #[]
  /-- How many tactics were met. -/
  met : Nat := 0

/-- Collect what info trees hold. What fails inside `first`, `try` and the like leaves its nodes behind too, with goals
that are in no proof; Lean does not mark them, and nothing of such a branch is kept. -/
partial def walk (context? : Option ContextInfo) (tree : InfoTree) (acc : Walk) : Walk :=
  match tree with
  | .context c t => walk (c.mergeIntoOuter? context?) t acc
  | .hole _ => acc
  | .node (.ofTacticInfo i) children => Id.run do
    if children.isEmpty && isFrame i.stx then return acc
    let order := acc.met
    let mut acc := { acc with met := order + 1 }
    acc := if mayFail.contains i.stx.getKind then walkBranches context? i children.toArray 0 acc
      else walkAll context? children.toArray 0 acc
    let (some context, some range) := (context?, bytesOf? i.stx) | return acc
    if isFrame i.stx || !i.stx.getKind.isStr || range.1 == range.2 then return acc
    return { acc with tactics := acc.tactics.push { stx := i.stx, range, context, info := i, order, last := acc.met } }
  | .node info children =>
    let acc := match info with
      | .ofTermInfo i =>
        if i.isBinder || !(i.stx.isIdent || i.stx.isOfKind ``Parser.Term.dotIdent) then acc else
        match i.expr.getAppFn.consumeMData with
        | .const n _ => match bytesOf? i.stx with
          | some range => { acc with uses := acc.uses.push ⟨n, range⟩ }
          | none => acc
        | _ => acc
      | _ => acc
    if children.isEmpty then acc else walkAll context? children.toArray 0 acc
where
  /-- A loop of our own: a closure that compiled code calls for each child costs more than the step itself. -/
  walkAll (context? : Option ContextInfo) (trees : Array InfoTree) (i : Nat) (acc : Walk) : Walk :=
    if h : i < trees.size then walkAll context? trees (i + 1) (walk context? trees[i] acc) else acc
  /-- The branches of a tactic, without those that have failed. -/
  walkBranches (context? : Option ContextInfo) (outer : TacticInfo) (trees : Array InfoTree) (i : Nat) (acc : Walk) : Walk :=
    if h : i < trees.size then
      let (tactics, uses) := (acc.tactics.size, acc.uses.size)
      let acc := walk context? trees[i] acc
      let acc := if hasFailed outer (i + 1 == trees.size) trees[i] then
          { acc with tactics := acc.tactics.shrink tactics, uses := acc.uses.shrink uses }
        else acc
      walkBranches context? outer trees (i + 1) acc
    else acc

/-- Tactics of a range in the order of their text, one node for each piece of syntax. When a tactic ran several times
(`t <;> s`, `all_goals`), the later runs follow the first. -/
def tacticsIn (w : Walk) (range : Bytes) : Array TacticNode :=
  let inside := (w.tactics.filter fun t => range.1 ≤ t.range.1 && t.range.2 ≤ range.2).qsort fun a b => a.order < b.order
  -- one syntax node can carry several infos (macros re-elaborate at the same place): keep the first of each (range, goals)
  let (_, kept) := inside.foldl (init := (({} : Std.HashSet (Nat × Nat × List MVarId)), (#[] : Array TacticNode))) fun (seen, kept) t =>
    let key := (t.range.1, t.range.2, t.info.goalsBefore)
    if seen.contains key then (seen, kept) else (seen.insert key, kept.push t)
  kept.qsort fun a b =>
    if a.range.1 != b.range.1 then a.range.1 < b.range.1 else if a.range.2 != b.range.2 then a.range.2 > b.range.2 else a.order < b.order

-- ## One search step out of a structured tactic

/-- Replace parts of `text` (whose first byte is `offset`), given as ranges in order. -/
def substitute (text : String) (offset : Nat) (parts : Array (Bytes × String)) : String :=
  let (done, at') := parts.foldl (init := ("", 0)) fun (done, at') ((start, stop), new) =>
    (done ++ slice text (at', start - offset) ++ new, stop - offset)
  done ++ slice text (at', text.utf8ByteSize)

/-- Pieces that stay open in the step form: the branches of `induction … with` and `cases … with`, and `by` blocks of
more than one tactic. -/
def openParts (stx : Syntax) : Array (Bytes × String) :=
  (nodesWhere stx fun s => isAlternative s || s.getKind == ``Parser.Term.byTactic && tacticCount s[1] > 1).filterMap fun s => do
    unless isAlternative s do return (← bytesOf? s, "?_")
    match s.getArgs.findSome? fun s => if s.getKind == nullKind && s.getNumArgs == 2 && s[0].isToken "=>" then some (s[0], s[1]) else none with
    | some (arrow, rhs) => return (((← bytesOf? arrow).2, (← bytesOf? rhs).2), " ?_")    -- one spelling, whether the branch begins on this line or the next
    | none => return (← s.getArgs.back?.bind bytesOf?, "?_")
where
  isAlternative (s : Syntax) : Bool := s.getKind == ``Parser.Tactic.inductionAlt
  tacticCount (s : Syntax) : Nat :=
    (nodesWhere s (·.getKind == ``Parser.Tactic.tacticSeq1Indented)).foldl (fun n s => n + (s[0].getArgs.size + 1) / 2) 0

/-- Lines of a multi-line tactic relative to its first column; where it begins in the middle of a line, and others stand further
to the left, relative to the leftmost of these. -/
def dedent (text : String) (column : Nat) : String :=
  match text.splitOn "\n" with
  | [] => text
  | first :: rest =>
    let column := rest.foldl (init := column) fun least line =>
      let spaces := leading line line.utf8ByteSize 0
      if spaces == line.utf8ByteSize then least else min least spaces
    rest.foldl (init := first) fun all line => all ++ "\n" ++ slice line (leading line column 0, line.utf8ByteSize)
where
  /-- How many of the first `fuel` characters from `i` on are spaces, plus `i`. -/
  leading (line : String) (fuel i : Nat) : Nat :=
    match fuel with
    | 0 => i
    | fuel + 1 => if String.Pos.Raw.get line ⟨i⟩ == ' ' then leading line fuel (i + 1) else i

/-- Whether a tactic works on one side of an equation, inside `conv`: no step of a proof outside of it. -/
def isConversion (t : TacticNode) : Bool :=
  t.info.goalsBefore.any fun g => (t.info.mctxBefore.findDecl? g).any fun d => (isLHSGoal? d.type).isSome

/-- Whether it is written in the language of tactics: what `conv =>` and `grind =>` run has a language of its own. -/
def isTactic (t : TacticNode) : Bool :=
  ((Parser.parserExtension.getState t.context.env).categories.find? `tactic).any (·.kinds.contains t.stx.getKind)

/-- A hole in the middle of `simp [by …]` or `omega` would not become a goal: only these make goals of `?_`. -/
def holed : NameSet := .ofList
  [``Parser.Tactic.induction, ``Parser.Tactic.cases, ``Parser.Tactic.tacticHave__, `Lean.Parser.Tactic.tacticHave_, ``Parser.Tactic.refine,
   `Lean.Parser.Tactic.tacticSuffices_, `Lean.Parser.Tactic.tacticHave__]

def stepText (source : String) (fileMap : FileMap) (t : TacticNode) : String :=
  -- where no goal is left, as before a last `done`, there is no step to make
  if t.info.goalsBefore.isEmpty || isStructural t.stx || isConversion t || !isTactic t then "" else
  let parts := if holed.contains t.stx.getKind then openParts t.stx else #[]
  dedent (substitute (slice source t.range) t.range.1 parts) (fileMap.toPosition ⟨t.range.1⟩).column

-- ## JSON

/-- The parts of a name: as one text it may not be read again, since a program may have chosen it. -/
def nameJson (n : Name) : Json :=
  .arr <| n.components.toArray.map fun | .num _ k => (k : Json) | part => .str part.getString!

def positionJson (p : Position) : Json := .arr #[p.line, p.column]

def messageJson (m : Message) : BaseIO Json := do
  let severity := match m.severity with | .error => "error" | .warning => "warning" | .information => "information"
  let said := Json.mkObj [("severity", severity), ("text", (← m.data.toString)), ("start", positionJson m.pos)]
  return match m.endPos with
    | some stop => said.setObjVal! "end" (positionJson stop)
    | none => said

/-- What Lean says of a text that is no file of a project. An import that fails is a message too, and the last: without it
nothing else in the text means what it says. -/
def messagesOf (imported : Imported) (source : FileSource) (cancel : IO.CancelToken) : IO (Array Json) := do
  let input := Parser.mkInputContext source.text source.key
  let (header, _, log) ← Parser.parseHeader input
  try discard <| importOnce imported (headerToImports header)
  catch e =>
    let pos := input.fileMap.toPosition ((header.raw.getPos? true).getD 0)
    return (← log.toList.toArray.mapM (messageJson ·)).push <|
      Json.mkObj [("severity", "error"), ("text", toString e), ("start", positionJson pos)]
  let file ← openFile imported source (some cancel)
  file.messages.toArray.mapM (messageJson ·)

/-- The messages of one command, each error with its cause where that is known. -/
def commandMessagesJson (env : Environment) (messages : List Message) : IO (Array Json) := do
  let marks ← hiddenBodyErrors env messages
  (messages.zip marks).toArray.mapM fun (m, isHidden) => do
    let json ← messageJson m
    return if isHidden then json.setObjVal! "cause" "hidden body" else json

/-- Names of constants with the module that each comes from. -/
structure Modules where
  env : Environment
  names : Array Name

def Modules.find (modules : Modules) (n : Name) : Name :=
  match modules.env.getModuleIdxFor? n with
  | some i => modules.names[i.toNat]!
  | none => modules.env.mainModule

def useJson (modules : Modules) (u : Use) : Json :=
  Json.mkObj [("name", toString u.name), ("module", toString (modules.find u.name)), ("start", u.range.1), ("end", u.range.2)]

/-- The states of one theorem's proof as text. A goal that speaks of no metavariable shows the same wherever it is met, so
its declaration, as an object, is all that has to be compared. -/
structure States where
  printer : Printer
  shown : IO.Ref (Std.HashMap (MVarId × UInt64) (MetavarDecl × String))

def States.create (printer : Printer) : BaseIO States := do
  return { printer, shown := ← IO.mkRef {} }

def States.goals (states : States) (context : ContextInfo) (mctx : MetavarContext) (goals : List MVarId) : IO (List String) := do
  let context := { context with mctx }
  let mut texts := #[]
  for goal in goals do
    let some decl := mctx.findDecl? goal | continue
    let key := (goal, scopeOf context.currNamespace context.openDecls)
    if let some (known, text) := (← states.shown.get)[key]? then
      if isSameObject known decl then
        texts := texts.push text
        continue
    let view := (← runThere context {} (states.printer.goal goal)).view
    if isClosed decl then states.shown.modify (·.insert key (decl, view.text))
    texts := texts.push view.text
  return texts.toList

/-- Goals as the text of a state. -/
def stateText (goals : List String) : String :=
  if goals.isEmpty then "no goals" else "\n\n".intercalate goals

/-- What a range of the text uses, each name once at each place. -/
def usesIn (w : Walk) (range : Bytes) : Array Use :=
  let inside := w.uses.filter fun u => range.1 ≤ u.range.1 && u.range.2 ≤ range.2
  (inside.foldl (init := (({} : Std.HashSet (Nat × Nat × Name)), (#[] : Array Use))) fun (seen, kept) u =>
    let key := (u.range.1, u.range.2, u.name)
    if seen.contains key then (seen, kept) else (seen.insert key, kept.push u)).2

/-- Of the uses of a whole proof, those inside a range. -/
def within (range : Bytes) (uses : Array (Bytes × Json)) : Json :=
  .arr <| uses.filterMap fun (at', json) => if range.1 ≤ at'.1 && at'.2 ≤ range.2 then some json else none

def tacticJson (states : States) (source : String) (fileMap : FileMap) (uses : Array (Bytes × Json)) (seen : Std.HashSet Bytes) (t : TacticNode) : IO Json := do
  let before := stateText <| ← states.goals t.context t.info.mctxBefore t.info.goalsBefore
  let after := stateText <| ← states.goals t.context t.info.mctxAfter t.info.goalsAfter
  let text := slice source t.range
  let column := (fileMap.toPosition ⟨t.range.1⟩).column
  -- a later run of the same text starts elsewhere than its position says: it is recorded, but is no training step
  let step := if seen.contains t.range then "" else stepText source fileMap t
  return Json.mkObj [
    ("tactic", dedent text column), ("step", step), ("start", t.range.1), ("end", t.range.2),
    ("before", before), ("after", after), ("goalsBefore", t.info.goalsBefore.length), ("goalsAfter", t.info.goalsAfter.length),
    ("premises", within t.range uses)]

/-- Each `sorry` of a proof's text: its place, and whether it is a term. -/
partial def holesIn (stx : Syntax) (found : Array (Bytes × Bool) := #[]) : Array (Bytes × Bool) :=
  let isTerm := stx.isOfKind ``Parser.Term.sorry
  if isTerm || stx.isOfKind ``Parser.Tactic.tacticSorry || stx.isOfKind ``Parser.Tactic.tacticAdmit then
    (bytesOf? stx).elim found fun range => found.push (range, isTerm)
  else stx.getArgs.foldl (fun found arg => holesIn arg found) found

/-- A hash of an expression that does not see the names of bound variables. -/
def typeHash (e : Expr) : String := toString e.hash

/-- A type as Lean prints it with some options. None where it cannot: the printer goes down no further than its limit of
recursion, and has then, in `Meta.ppExpr`, a sentence of its own in the place of the type. -/
def printWith? (env : Environment) (options : Options) (type : Expr) : IO (Option String) := do
  let context := contextOf "<type>" default options .anonymous []
  try return some ((← asIO (ask context env (PrettyPrinter.ppExpr type))).pretty 100000) catch _ => return none

/-- The statement with full names, for comparing and for reading. -/
def printType? (env : Environment) (type : Expr) : IO (Option String) :=
  printWith? env (baseOptions |>.setBool `pp.fullNames true |>.setBool `pp.funBinderTypes true |>.set `format.width (100000 : Nat)) type

/-- A theorem as JSON, or why it cannot be traced. -/
def theoremJson (f : Parser.InputContext) (after : Command.State) (modules : Modules) (shared : IO.Ref ClosedTypes) (w : Walk) (step : Step)
    (t : Theorem) : IO (Except Lost Json) := do
  let source := f.inputString
  let range := t.range
  let fail (reason : String) : Except Lost Json := .error { name := toString t.name, outcome := "failed", reason, range }
  let (some valueRange, some info) := (bytesOf? t.value, after.env.find? t.name) | return fail "it is not in Lean's environment"
  let values := (#[t.name] ++ t.helpers).filterMap fun n => (after.env.find? n).bind (·.value? (allowOpaque := true))
  -- an error inside: Lean's message says so, whether or not it has left a hole
  let isInside := fun (m : Message) =>
    let place := (f.fileMap.ofPosition m.pos).byteIdx
    m.severity == .error && range.1 ≤ place && place < range.2
  if values.any (·.hasSyntheticSorry) || step.messages.any isInside then
    return fail <| (← firstError? f.fileMap step.messages range).getD "its proof has a hole that Lean has made"
  let isWhole := valueKinds.contains t.value.getKind
  let term := if isWhole then t.value[1] else t.value
  -- up to the end: `termination_by`, `decreasing_by` and the helpers of a `where` belong to the proof
  let body := if t.value.getKind == ``Parser.Command.declValSimple then (((bytesOf? term).getD valueRange).1, valueRange.2) else valueRange
  let mode := if isWhole && t.value.getKind != ``Parser.Command.declValSimple then "equations"
    else if term.getKind == ``Parser.Term.byTactic then "tactic" else "term"
  let tactics := tacticsIn w valueRange
  let mut seen : Std.HashSet Bytes := {}
  let mut tacticsJson := #[]
  let states ← States.create (← Printer.create (some shared))
  let uses := (usesIn w valueRange).map fun u => (u.range, useJson modules u)
  for node in tactics do
    tacticsJson := tacticsJson.push (← tacticJson states source f.fileMap uses seen node)
    seen := seen.insert node.range
  let statement := (slice source (t.statementStart, valueRange.1)).trimAscii.toString
  let statement := if statement.endsWith ":=" then (statement.dropEnd 2).trimAscii.toString else statement      -- of a macro's own
  let hasSorry := values.any (·.hasSorry)
  let holes := if hasSorry then (holesIn t.value).map fun (range, isTerm) => Json.arr #[range.1, range.2, isTerm] else #[]
  let json := Json.mkObj [
    ("name", toString t.name), ("statement", statement), ("proof", slice source body),
    ("mode", mode), ("hasSorry", hasSorry), ("holes", .arr holes), ("type", (← printType? after.env info.type).getD ""), ("typeHash", typeHash info.type),
    ("start", range.1), ("end", range.2), ("startPos", positionJson (f.fileMap.toPosition ⟨range.1⟩)), ("endPos", positionJson (f.fileMap.toPosition ⟨range.2⟩)),
    ("tactics", .arr tacticsJson), ("premises", .arr <| uses.map (·.2))]
  let command? := (t.expanded?.map (·.command.getKind)) <|> step.example?.map fun _ => exampleKind
  return .ok <| command?.elim json fun kind => json.setObjVal! "command" (toString kind)

/-- Whether a command leaves it as it was how terms are printed: a theorem or definition without attributes whose name
ends as no name does that was printed so far, since a new `Here.map` takes its short name from `There.map`. -/
def keepsPrinting (stx : Syntax) (printed : ClosedTypes) : Bool := Id.run do
  unless stx.getKind == ``Parser.Command.declaration && stx[0][1].getNumArgs == 0 do return false
  unless [``Parser.Command.theorem, ``Parser.Command.definition, ``Parser.Command.abbrev, ``Parser.Command.example].contains stx[1].getKind do return false
  return match stx[1][1][0].getId.eraseMacroScopes with
    | .str _ last => !printed.names.contains last
    | .num .. => true                                      -- an example's
    | .anonymous => stx[1].getKind == exampleKind

/-- Every declaration of the file that can serve as a premise. -/
def declarationsJson (f : SourceFile) : Array Json := Id.run do
  let mut all := #[]
  for (name, info) in f.final.env.constants.map₂.toList do
    if ((privateToUserName? name).getD name).isInternalDetail then continue
    let some ranges := declRangeExt.find? (level := .server) f.final.env name | continue
    let start := (f.input.fileMap.ofPosition ranges.range.pos).byteIdx
    let stop := (f.input.fileMap.ofPosition ranges.range.endPos).byteIdx
    let kind := match info with
      | .thmInfo _ => "theorem" | .defnInfo _ => "definition" | .axiomInfo _ => "axiom" | .opaqueInfo _ => "opaque" | .quotInfo _ => "quotient"
      | .inductInfo _ => "inductive" | .ctorInfo _ => "constructor" | .recInfo _ => "recursor"
    all := all.push (start, Json.mkObj [
      ("name", toString name), ("kind", kind), ("code", slice f.input.inputString (start, stop)), ("start", start), ("end", stop),
      ("startPos", positionJson ranges.range.pos), ("endPos", positionJson ranges.range.endPos)])
  return (inOrderOf (·.1) all).map (·.2)

/-- How far elaboration may be ahead of what is recorded, in commands: each that waits holds its info trees. -/
def ahead : Nat := 8

/-- A theorem that was traced, and the constants that came of it. -/
structure Recorded where
  name : Name
  helpers : Array Name
  json : Json
  /-- Of an example: where it is. -/
  env? : Option Environment := none

/-- What is recorded of a file. -/
structure Record where
  theorems : Array Recorded := #[]
  lost : Array Lost := #[]
  products : Array Product := #[]
  /-- What its declarations are about, those of macros and programs too. -/
  declared : NameSet := {}

/-- Recording of a file's commands, one after the other: `beside` elaboration, in a thread of its own, or between them. -/
structure Recorder where
  input : Parser.InputContext
  beside : Bool
  record : IO.Ref Record
  shared : IO.Ref ClosedTypes
  names : IO.Ref (Array Name)
  queue : IO.Ref (Array (Task (Except IO.Error Unit)))
  /-- Milliseconds for which elaboration has waited. -/
  waited : IO.Ref Nat

def Recorder.create (input : Parser.InputContext) (beside : Bool) : BaseIO Recorder := do
  return { input, beside, record := ← IO.mkRef {}, shared := ← IO.mkRef {}, names := ← IO.mkRef #[], queue := ← IO.mkRef #[], waited := ← IO.mkRef 0 }

def Recorder.add (r : Recorder) (step : Step) (after : Command.State) : IO Unit := do
  let plain := keepsPrinting step.stx (← r.shared.get)
  unless plain do r.shared.set {}
  let account := step.account after.env r.input.fileMap
  let found := account.declared.filterMap fun d => if d.isTheorem then d.theorem? else none
  unless found.isEmpty do
    if (← r.names.get).isEmpty then r.names.set after.env.header.moduleNames
    let modules : Modules := { env := after.env, names := ← r.names.get }
    let w := after.infoState.trees.foldl (fun acc t => walk none t acc) {}
    for t in found do
      match ← theoremJson r.input after modules r.shared w step t with
      | .ok json => r.record.modify fun all => { all with theorems := all.theorems.push { name := t.name, helpers := t.helpers, json, env? := step.withExample? } }
      | .error lost => r.record.modify fun all => { all with lost := all.lost.push lost }
  let lost ← account.undeclared step after.env r.input.fileMap
  let products := account.products step after.env r.input.fileMap
  r.record.modify fun all => { all with
    lost := all.lost ++ lost
    products := all.products ++ products
    declared := account.declared.foldl (fun names d => d.name?.elim names names.insert) all.declared }
  unless plain do r.shared.set {}

/-- Do what elaboration waits for. -/
def Recorder.waiting (r : Recorder) (act : IO Unit) : IO Unit := do
  let t0 ← IO.monoMsNow
  act
  r.waited.modify (· + ((← IO.monoMsNow) - t0))

def await (task : Task (Except IO.Error Unit)) : IO Unit := do IO.ofExcept (← IO.wait task)

/-- A command has been elaborated. -/
def Recorder.visit (r : Recorder) (step : Step) (after : Command.State) : IO Unit := do
  unless r.beside do return ← r.waiting (r.add step after)
  let queue ← r.queue.get
  let task ← match queue.back? with
    | none => IO.asTask (r.add step after)
    | some previous => IO.mapTask (fun done => do IO.ofExcept done; r.add step after) previous
  r.queue.set (queue.push task)
  if queue.size ≥ ahead then r.waiting (await queue[queue.size - ahead]!)

def Recorder.finish (r : Recorder) : IO Record := do
  if let some last := (← r.queue.get).back? then await last
  r.record.get

/-- What a file takes for granted or leaves out beside its traced theorems: declarations that rest on `sorry`, on
other axioms than the standard ones or on what the kernel has refused; a `sorry` in what declares nothing; what stands
after `#exit`. -/
def besideTheorems (f : SourceFile) (record : Record) : Array Json := Id.run do
  let env := f.final.env
  let recorded : NameSet := record.theorems.foldl (fun names t => names.insert t.name) {}
  let declared := env.constants.map₂.foldl (init := #[]) fun all n info => if info matches .axiomInfo _ then all else all.push n
  let resting := restingOn env (declared.filter fun n => !recorded.contains n) f.unbelieved
  let mut found : Array (Position × String) := #[]
  let mut named := recorded
  for n in if resting.isEmpty then #[] else declared.qsort Name.lt do
    let some axioms := resting.find? n | continue
    let isOwn := record.declared.contains n              -- a macro may have declared `target✝` beside `target`
    if recorded.contains n || !isOwn && n.isInternalDetail && isPartOf named n then continue       -- a helper of one that is judged, or told
    named := named.insert n
    let pos := ((declRangeExt.find? (level := .server) env n).map (·.range.pos)).getD ⟨1, 0⟩
    found := found.push (pos, s!"`{n}` is no theorem that could be judged, and rests on {axioms}")
  for step in f.steps do
    if isEnd step.stx then
      found := found.push (f.input.fileMap.toPosition step.start, "what follows was not read")
    let told := step.messages.find? (·.data.hasTag (· == `hasSorry))
    if told.isSome || hasHole step.stx then               -- Lean may have been told to say nothing of it
      let pos := (told.map (·.pos)).getD (f.input.fileMap.toPosition step.start)
      let declaresNothing := (declarations step.stx ++ step.expanded.map (·.decl)).all fun d => d[1].getKind == ``Parser.Command.example
      if declaresNothing && found.all (·.1.line != pos.line) then
        found := found.push (pos, "a `sorry` that belongs to no theorem")
  return (inOrderOf (·.1.line) found).map fun (pos, text) =>
    Json.mkObj [("severity", "error"), ("text", text), ("start", positionJson pos)]
where
  isEnd (stx : Syntax) : Bool := stx.isOfKind ``Parser.Command.exit || stx.isOfKind ``Parser.Command.import
  isPartOf (names : NameSet) (n : Name) : Bool :=
    names.contains n || match n with
      | .str p _ | .num p _ => isPartOf names p
      | .anonymous => false

/-- The axioms that some constants of a file, and its constants below them, rest on beside the standard ones. What the
kernel has refused (`unbelieved`) counts as one where it rests on none. -/
def axiomsBelow (env : Environment) (names : Array Name) (unbelieved : NameSet) (imported : NameMap (List Name)) : NameMap (List Name) :=
  let declared := env.constants.map₂
  let resting := restingOn env names unbelieved imported
  resting.foldl (init := {}) fun found n axioms =>
    let stated := axioms.filter (!unbelieved.contains ·)
    let axioms := if stated.isEmpty then axioms else stated
    if axioms.isEmpty || !declared.contains n then found else found.insert n (axioms.toArray.qsort Name.lt).toList

/-- The axioms of a theorem, without the `sorry` of its own proof: `hasSorry` says that. -/
def Recorded.axioms (t : Recorded) (env : Environment) (below imported : NameMap (List Name)) : Array Name := Id.run do
  let axioms := ((below.find? t.name).getD []).toArray
  unless axioms.contains ``sorryAx do return axioms
  let own := #[t.name] ++ t.helpers
  let onHole (n : Name) : Bool :=
    n != ``sorryAx && !own.contains n && (((below.find? n).getD []) ++ ((imported.find? n).getD [])).contains ``sorryAx
  let used (n : Name) : Array Name := match env.find? n with
    | some info => info.type.getUsedConstants ++ (info.value? (allowOpaque := true)).elim #[] (·.getUsedConstants)
    | none => #[]
  return if own.any fun n => (used n).any onHole then axioms else axioms.filter (· != ``sorryAx)

def Lost.json (lost : Lost) (fileMap : FileMap) : Json :=
  Json.mkObj [
    ("name", lost.name), ("outcome", lost.outcome), ("reason", lost.reason), ("startPos", positionJson (fileMap.toPosition ⟨lost.range.1⟩)),
    ("endPos", positionJson (fileMap.toPosition ⟨lost.range.2⟩))]

def Product.json (product : Product) (fileMap : FileMap) : Json :=
  Json.mkObj [("name", toString product.name), ("origin", product.origin), ("start", positionJson (fileMap.toPosition ⟨product.start⟩))]

/-- `onAxioms`: constants of the imported files, each with the axioms that `axiomsBelow` found. -/
def traceFile (imported : Imported) (source : FileSource) (olean? : Option System.FilePath) (beside : Bool) (onAxioms : NameMap (List Name)) (cancel? : Option IO.CancelToken) : IO Json := do
  let started ← IO.monoMsNow
  let recorder ← Recorder.create (Parser.mkInputContext source.text source.key) beside
  let file ← openFile imported source cancel? recorder.visit
  let elaborated := (← IO.monoMsNow) - started - (← recorder.waited.get)
  let declarations := declarationsJson file
  if let some path := olean? then
    if let some parent := path.parent then IO.FS.createDirAll parent
    writeModule file.final.env path
  let messages ← (file.headerMessages :: file.steps.toList.map (·.messages)).foldlM (init := #[]) fun all messages => do
    return all ++ (← commandMessagesJson file.final.env messages)
  let record ← recorder.finish
  let lost := inOrderOf (·.range.1) (record.lost ++ (← file.unread))
  let modules := (file.imports.toList.map (·.module)).eraseDups.toArray        -- `import all M` and `public import M`
  let declared := file.final.env.constants.map₂.foldl (init := #[]) fun all n _ => all.push n
  let below := axiomsBelow file.final.env declared file.unbelieved onAxioms
  let theorems := record.theorems.map fun t =>
    let axioms := match t.env? with
      | none => t.axioms file.final.env below onAxioms
      | some env => t.axioms env (axiomsBelow env (#[t.name] ++ t.helpers) file.unbelieved onAxioms) onAxioms
    t.json.setObjVal! "axioms" <| .arr <| axioms.map (toString ·)
  return Json.mkObj [
    ("module", toString source.module), ("imports", .arr <| modules.map (toString ·)), ("theorems", .arr theorems),
    ("declarations", .arr declarations), ("messages", .arr messages), ("besideTheorems", .arr <| besideTheorems file record),
    ("lost", .arr <| lost.map (·.json file.input.fileMap)), ("products", .arr <| record.products.map (·.json file.input.fileMap)),
    ("unbelieved", .arr <| file.unbelieved.toArray.map nameJson),
    ("onAxioms", .arr <| below.foldl (init := #[]) fun all n axioms => all.push <| .arr <| (n :: axioms).toArray.map nameJson),
    ("elaborateMs", elaborated), ("walkMs", (← IO.monoMsNow) - started - elaborated)]

end LeanAgent
