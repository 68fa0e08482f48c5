/-
What a file teaches: its theorems, each tactic with the goals before and after, the premises used. Read from the info
trees that elaboration leaves behind.
-/
import LeanAgent.Goals
open Lean Meta Elab

namespace LeanAgent

abbrev Bytes := Nat × Nat

def bytesOf? (stx : Syntax) : Option Bytes :=
  (stx.getRange? (canonicalOnly := true)).map fun r => (r.start.byteIdx, r.stop.byteIdx)

def slice (source : String) (b : Bytes) : String :=
  String.Pos.Raw.extract source ⟨b.1⟩ ⟨b.2⟩

/-- The declaration inside a command: under `open … in`, in a `mutual` block, after attributes. -/
partial def declarations (stx : Syntax) : Array Syntax :=
  if stx.getKind == ``Parser.Command.declaration then #[stx]
  else stx.getArgs.foldl (fun acc s => acc ++ declarations s) #[]

def valueKinds : List Name :=
  [``Parser.Command.declValSimple, ``Parser.Command.declValEqns, ``Parser.Command.whereStructInst]

/-- The part of a declaration after its statement: `:= …`, equations or `where …`. -/
def declValue? (decl : Syntax) : Option Syntax :=
  decl[1].getArgs.findSome? fun s => if valueKinds.contains s.getKind then some s else none

structure Theorem where
  name : Name
  decl : Syntax
  value : Syntax

/-- Theorems that a command has added, with their syntax. -/
def newTheorems (step : Step) (after : Command.State) (fileMap : FileMap) : Array Theorem := Id.run do
  let mut found := #[]
  for decl in declarations step.stx do
    unless decl[1].getKind == ``Parser.Command.theorem do continue
    let some value := declValue? decl | continue
    match (candidates decl).find? isNew with
    | some name => found := found.push { name, decl, value }
    | none => if let some name := byPosition decl then found := found.push { name, decl, value }
  return found
where
  isNew (n : Name) : Bool :=
    after.env.constants.map₂.contains n && !step.before.env.constants.map₂.contains n
  /-- What the declaration is most likely called. -/
  candidates (decl : Syntax) : List Name :=
    let id := decl[1][1][0].getId
    let scope := step.before.scopes.head!
    let full := if (`_root_).isPrefixOf id then id.replacePrefix `_root_ .anonymous else scope.currNamespace ++ id
    [full, mkPrivateName after.env full]
  /-- The new theorem whose name stands in the declaration; looks at every constant of the file. -/
  byPosition (decl : Syntax) : Option Name := do
    let (start, stop) ← bytesOf? decl
    let new := after.env.constants.map₂.foldl (init := #[]) fun acc n i =>
      if (i matches .thmInfo _) && isNew n && !n.isInternalDetail then acc.push n else acc
    new.find? fun n =>
      match declRangeExt.find? (level := .server) after.env n with
      | some ranges =>
        let at' := (fileMap.ofPosition ranges.selectionRange.pos).byteIdx
        start ≤ at' && at' < stop
      | none => false

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

def mayFail : NameSet := (choices.append attempts).insert ``Parser.Tactic.failIfSuccess

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
        if i.isBinder || !i.stx.isIdent then acc else
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
partial def openParts (stx : Syntax) : Array (Bytes × String) :=
  if stx.getKind == ``Parser.Tactic.inductionAlt then
    match stx.getArgs.findSome? fun s => if s.getKind == nullKind && s.getNumArgs == 2 && s[0].isToken "=>" then some (s[0], s[1]) else none with
    | some (arrow, rhs) => match bytesOf? arrow, bytesOf? rhs with
      | some a, some r => #[((a.2, r.2), " ?_")]        -- one spelling, whether the branch begins on this line or the next
      | _, _ => #[]
    | none => match stx.getArgs.back?.bind bytesOf? with
      | some r => #[(r, "?_")]
      | none => #[]
  else if stx.getKind == ``Parser.Term.byTactic && tacticCount stx[1] > 1 then
    match bytesOf? stx with
    | some r => #[(r, "?_")]
    | none => #[]
  else stx.getArgs.foldl (fun acc s => acc ++ openParts s) #[]
where
  tacticCount (s : Syntax) : Nat :=
    if s.getKind == ``Parser.Tactic.tacticSeq1Indented then (s[0].getArgs.size + 1) / 2
    else s.getArgs.foldl (fun n s => n + tacticCount s) 0

/-- Lines of a multi-line tactic relative to its first column. -/
def dedent (text : String) (column : Nat) : String :=
  match text.splitOn "\n" with
  | [] => text
  | first :: rest => rest.foldl (init := first) fun all line =>
      all ++ "\n" ++ slice line (leading line column 0, line.utf8ByteSize)
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
  return Json.mkObj [("severity", severity), ("text", (← m.data.toString)), ("start", positionJson m.pos)]

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
  shown : IO.Ref (Std.HashMap (MVarId × Nat) (MetavarDecl × String))

def States.create (printer : Printer) : BaseIO States := do
  return { printer, shown := ← IO.mkRef {} }

def States.goals (states : States) (context : ContextInfo) (mctx : MetavarContext) (goals : List MVarId) : IO (List String) := do
  let context := { context with mctx }
  let mut texts := #[]
  for goal in goals do
    let some decl := mctx.findDecl? goal | continue
    let key := (goal, context.openDecls.length)
    if let some (known, text) := (← states.shown.get)[key]? then
      if isSameObject known decl then
        texts := texts.push text
        continue
    let view := (← context.runMetaM {} (states.printer.goal goal)).view
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

/-- A hash of an expression that does not see the names of bound variables. -/
def typeHash (e : Expr) : String := toString e.hash

/-- The statement with full names, for comparing and for reading. -/
def printType (env : Environment) (type : Expr) : IO String := do
  let options := baseOptions |>.setBool `pp.fullNames true |>.setBool `pp.funBinderTypes true |>.setNat `format.width 100000
  let context := contextOf "<type>" default options .anonymous []
  let act : CoreM String := do return (← (ppExpr type).run').pretty 100000
  try
    let (text, _) ← act.toIO context { env }
    return text
  catch _ => return toString type

def theoremJson (f : Parser.InputContext) (after : Command.State) (modules : Modules) (shared : IO.Ref ClosedTypes) (w : Walk) (errors : List Position)
    (t : Theorem) : IO (Option Json) := do
  let source := f.inputString
  let some range := bytesOf? t.decl | return none
  let some valueRange := bytesOf? t.value | return none
  let some statementStart := bytesOf? t.decl[1] | return none
  let some info := after.env.find? t.name | return none
  let value := (info.value? (allowOpaque := true)).getD default
  -- an error inside: Lean's message says so, whether or not it has left a hole
  let isInside := fun (pos : Position) => let at' := (f.fileMap.ofPosition pos).byteIdx; range.1 ≤ at' && at' < range.2
  if value.hasSyntheticSorry || errors.any isInside then return none
  let body := if t.value.getKind == ``Parser.Command.declValSimple then (bytesOf? t.value[1]).getD valueRange else valueRange
  let mode := if t.value.getKind != ``Parser.Command.declValSimple then "equations"
    else if t.value[1].getKind == ``Parser.Term.byTactic then "tactic" else "term"
  let tactics := tacticsIn w valueRange
  let mut seen : Std.HashSet Bytes := {}
  let mut tacticsJson := #[]
  let states ← States.create (← Printer.create (some shared))
  let uses := (usesIn w valueRange).map fun u => (u.range, useJson modules u)
  for node in tactics do
    tacticsJson := tacticsJson.push (← tacticJson states source f.fileMap uses seen node)
    seen := seen.insert node.range
  return some <| Json.mkObj [
    ("name", toString t.name), ("statement", (slice source (statementStart.1, valueRange.1)).trimAscii.toString), ("proof", slice source body),
    ("mode", mode), ("hasSorry", value.hasSorry), ("type", (← printType after.env info.type)), ("typeHash", typeHash info.type),
    ("start", range.1), ("end", range.2), ("startPos", positionJson (f.fileMap.toPosition ⟨range.1⟩)), ("endPos", positionJson (f.fileMap.toPosition ⟨range.2⟩)),
    ("tactics", .arr tacticsJson), ("premises", .arr <| uses.map (·.2))]

/-- Whether a command leaves it as it was how terms are printed: a theorem or definition without attributes whose name
ends as no name does that was printed so far, since a new `Here.map` takes its short name from `There.map`. -/
def keepsPrinting (stx : Syntax) (printed : ClosedTypes) : Bool := Id.run do
  unless stx.getKind == ``Parser.Command.declaration && stx[0][1].getNumArgs == 0 do return false
  unless [``Parser.Command.theorem, ``Parser.Command.definition, ``Parser.Command.abbrev, ``Parser.Command.example].contains stx[1].getKind do return false
  let .str _ last := stx[1][1][0].getId.eraseMacroScopes | return stx[1].getKind == ``Parser.Command.example
  return !printed.names.contains last

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
  return (all.qsort (fun a b => a.1 < b.1)).map (·.2)

/-- How far elaboration may be ahead of what is recorded, in commands: each that waits holds its info trees. -/
def ahead : Nat := 8

/-- Recording of a file's commands, one after the other: `beside` elaboration, in a thread of its own, or between them. -/
structure Recorder where
  input : Parser.InputContext
  beside : Bool
  theorems : IO.Ref (Array (Name × Json))
  shared : IO.Ref ClosedTypes
  names : IO.Ref (Array Name)
  queue : IO.Ref (Array (Task (Except IO.Error Unit)))
  /-- Milliseconds for which elaboration has waited. -/
  waited : IO.Ref Nat

def Recorder.create (input : Parser.InputContext) (beside : Bool) : BaseIO Recorder := do
  return { input, beside, theorems := ← IO.mkRef #[], shared := ← IO.mkRef {}, names := ← IO.mkRef #[], queue := ← IO.mkRef #[], waited := ← IO.mkRef 0 }

def Recorder.record (r : Recorder) (step : Step) (after : Command.State) : IO Unit := do
  let plain := keepsPrinting step.stx (← r.shared.get)
  unless plain do r.shared.set {}
  let found := newTheorems step after r.input.fileMap
  unless found.isEmpty do
    if (← r.names.get).isEmpty then r.names.set after.env.header.moduleNames
    let modules : Modules := { env := after.env, names := ← r.names.get }
    let w := after.infoState.trees.foldl (fun acc t => walk none t acc) {}
    let errors := (step.messages.filter (·.severity == .error)).map (·.pos)
    for t in found do
      if let some json ← theoremJson r.input after modules r.shared w errors t then r.theorems.modify (·.push (t.name, json))
  unless plain do r.shared.set {}

/-- Do what elaboration waits for. -/
def Recorder.waiting (r : Recorder) (act : IO Unit) : IO Unit := do
  let t0 ← IO.monoMsNow
  act
  r.waited.modify (· + ((← IO.monoMsNow) - t0))

def await (task : Task (Except IO.Error Unit)) : IO Unit := do IO.ofExcept (← IO.wait task)

/-- A command has been elaborated. -/
def Recorder.visit (r : Recorder) (step : Step) (after : Command.State) : IO Unit := do
  unless r.beside do return ← r.waiting (r.record step after)
  let queue ← r.queue.get
  let task ← match queue.back? with
    | none => IO.asTask (r.record step after)
    | some previous => IO.mapTask (fun done => do IO.ofExcept done; r.record step after) previous
  r.queue.set (queue.push task)
  if queue.size ≥ ahead then r.waiting (await queue[queue.size - ahead]!)

def Recorder.finish (r : Recorder) : IO (Array (Name × Json)) := do
  if let some last := (← r.queue.get).back? then await last
  r.theorems.get

/-- What a file takes for granted or leaves out beside its theorems (`recorded`): declarations that rest on `sorry`, on
other axioms than the standard ones or on what the kernel has refused; a `sorry` in what declares nothing; what stands
after `#exit`. -/
def besideTheorems (f : SourceFile) (recorded : NameSet) : Array Json := Id.run do
  let env := f.final.env
  let declared := env.constants.map₂.foldl (init := #[]) fun all n info => if info matches .axiomInfo _ then all else all.push n
  let resting := restingOn env (declared.filter fun n => !recorded.contains n) f.unbelieved
  let mut found : Array (Position × String) := #[]
  let mut named := recorded
  for n in if resting.isEmpty then #[] else declared.qsort Name.lt do
    let some axioms := resting.find? n | continue
    if recorded.contains n || n.isInternalDetail && isPartOf named n then continue       -- a helper of one that is judged, or told
    named := named.insert n
    let pos := ((declRangeExt.find? (level := .server) env n).map (·.range.pos)).getD ⟨1, 0⟩
    found := found.push (pos, s!"`{n}` is no theorem that could be judged, and rests on {axioms}")
  for step in f.steps do
    if step.stx.isOfKind ``Parser.Command.exit then
      found := found.push (f.input.fileMap.toPosition step.start, "what follows was not read")
    let told := step.messages.find? (·.data.hasTag (· == `hasSorry))
    if told.isSome || hasHole step.stx then               -- Lean may have been told to say nothing of it
      let pos := (told.map (·.pos)).getD (f.input.fileMap.toPosition step.start)
      let declaresNothing := (declarations step.stx).all fun d => d[1].getKind == ``Parser.Command.example
      if declaresNothing && found.all (·.1.line != pos.line) then
        found := found.push (pos, "a `sorry` that belongs to no theorem")
  return (found.qsort fun a b => a.1.line < b.1.line).map fun (pos, text) =>
    Json.mkObj [("severity", "error"), ("text", text), ("start", positionJson pos)]
where
  isPartOf (names : NameSet) (n : Name) : Bool :=
    names.contains n || match n with
      | .str p _ | .num p _ => isPartOf names p
      | .anonymous => false

/-- The axioms that the constants of a file rest on beside the standard ones, a `sorry` left out. What the kernel has refused
counts as one where it rests on none. -/
def axiomsBelow (f : SourceFile) (imported : NameMap (List Name)) : NameMap (List Name) :=
  let declared := f.final.env.constants.map₂
  let resting := restingOn f.final.env (declared.foldl (init := #[]) fun all n _ => all.push n) f.unbelieved imported
  resting.foldl (init := {}) fun found n axioms =>
    let axioms := axioms.filter (· != ``sorryAx)
    let stated := axioms.filter (!f.unbelieved.contains ·)
    let axioms := if stated.isEmpty then axioms else stated
    if axioms.isEmpty || !declared.contains n then found else found.insert n (axioms.toArray.qsort Name.lt).toList

/-- `onAxioms`: constants of the imported files, each with the axioms that `axiomsBelow` found. -/
def traceFile (imported : Imported) (key : String) (module : Name) (text : String) (olean? : Option System.FilePath) (beside : Bool)
    (unbelieved : List Name) (onAxioms : NameMap (List Name)) (cancel? : Option IO.CancelToken) : IO Json := do
  let started ← IO.monoMsNow
  let recorder ← Recorder.create (Parser.mkInputContext text key) beside
  let file ← openFile imported key module text cancel? recorder.visit unbelieved
  let elaborated := (← IO.monoMsNow) - started - (← recorder.waited.get)
  let declarations := declarationsJson file
  if let some path := olean? then
    if let some parent := path.parent then IO.FS.createDirAll parent
    writeModule file.final.env path
  let messages ← file.messages.toArray.mapM fun m => (messageJson m : IO Json)
  let theorems ← recorder.finish
  let modules := (file.imports.toList.map (·.module)).eraseDups.toArray        -- `import all M` and `public import M`
  let onAxioms := axiomsBelow file onAxioms
  let withAxioms := fun ((name, json) : Name × Json) =>
    json.setObjVal! "axioms" <| .arr <| ((onAxioms.find? name).getD []).toArray.map (toString ·)
  return Json.mkObj [
    ("module", toString module), ("imports", .arr <| modules.map (toString ·)), ("theorems", .arr <| theorems.map withAxioms),
    ("declarations", .arr declarations), ("messages", .arr messages),
    ("besideTheorems", .arr <| besideTheorems file (theorems.foldl (fun names t => names.insert t.1) {})),
    ("unbelieved", .arr <| file.unbelieved.toArray.map nameJson),
    ("onAxioms", .arr <| onAxioms.foldl (init := #[]) fun all n axioms => all.push <| .arr <| (n :: axioms).toArray.map nameJson),
    ("elaborateMs", elaborated), ("walkMs", (← IO.monoMsNow) - started - elaborated)]

end LeanAgent
