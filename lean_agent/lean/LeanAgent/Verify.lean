/-
The judge: is this text a proof of that theorem? The theorem's command is parsed and elaborated with the proof in place;
what it added is then checked again by the kernel, from the environment before it, whatever elaboration did.
-/
import LeanAgent.Trace
open Lean Meta Elab

namespace LeanAgent

structure Judgement where
  kind : String
  reason : String
  axioms : Array Name := #[]
  messages : List Message := []
  openLemmas : Array Name := #[]               -- of a proof with a hole: what is left as `sorry` below it
  checked? : Option Environment := none        -- of an accepted proof: where the kernel has it

/-- Where a theorem's proof stands in its file. -/
structure ProofPlace where
  index : Nat                          -- of its command
  decl : Syntax
  value : Syntax                       -- what a proof takes the place of: `:= …`, equations, fields, or a term where a macro writes the `:=`
  isExpanded : Bool                    -- a macro of the file has made the theorem of the command

def findTheorem? (f : SourceFile) (name : Name) : Option ProofPlace := Id.run do
  if let some (step, index) := f.exampleStep? name then
    let some decl := (declarations step.stx)[0]? | return none
    return (declValue? decl).map fun value => { index, decl, value, isExpanded := false }
  if (f.final.env.getModuleIdxFor? name).isSome then return none
  let some place := placeOf? f.final.env f.input.fileMap name | return none
  let mut nearest? := none
  for (step, index) in f.steps.zipIdx do
    for decl in declarations step.stx do
      let some (start, stop) := bytesOf? decl | continue
      if start ≤ place && place < stop then
        nearest? := (declValue? decl).map fun value => { index, decl, value, isExpanded := false }
        if (namesOf f.final.env step.before.scopes.head!.currNamespace decl).contains name then return nearest?
    for e in step.expanded do
      unless (namesOf f.final.env e.scope e.decl).contains name do continue
      -- a name can be declared once, and an attempt to do so again is none of its
      unless (bytesOf? e.command).any fun (start, stop) => start ≤ place && place < stop do continue
      if let some value := e.value? then return some { index, decl := e.decl, value, isExpanded := true }
  return nearest?

/-- What a theorem's statement rests on that is left as `sorry`, the theorem itself where that stands in its statement. No
proof of it can be accepted. -/
def SourceFile.holesUnder (f : SourceFile) (name : Name) : Array Name :=
  let env := f.envOf name
  let used := (env.find? name).elim #[] (·.type.getUsedConstants)
  (if used.contains ``sorryAx then #[name] else #[]) ++ holesBelow env used

/-- The command of a step with another proof, a term, equations or fields after `where`: text to put in the place of `value`. -/
def withProof (source : String) (value : Syntax) (proof : String) : Option (String × Bytes) := do
  let (start, stop) ← bytesOf? value
  let proof := proof.crlfToLf                              -- as Lean reads the file
  let body := proof.trimAsciiStart.toString
  let lead := slice proof (0, proof.utf8ByteSize - body.utf8ByteSize)
  let (gap, new) :=
    if !valueKinds.contains value.getKind then (lead, body)
    -- the second equation may not stand to the left of the first
    else if body.startsWith "|" then (if lead.contains '\n' then lead else "\n  ", body)
    else if body.startsWith "where" && !isIdRest (slice body (5, body.utf8ByteSize)).front then (" ", body)
    else ("", ":= " ++ proof)
  let start' := start + gap.utf8ByteSize
  return (slice source (0, start) ++ gap ++ new ++ slice source (stop, source.utf8ByteSize), (start', start' + new.utf8ByteSize))

/-- The environment in which a proof may work: the one before its command, with those helpers of the command (matchers
and the like) that its goals speak of. The command's own environment holds the theorem itself. -/
def envBefore (before after : Environment) (mctx : MetavarContext) (goals : List MVarId) : IO Environment := do
  let act : MetaM NameSet := do
    let mut used : NameSet := {}
    for goal in goals do
      let decl ← goal.getDecl
      used := collect used (← instantiateMVars decl.type)
      for d in decl.lctx do
        used := collect used (← instantiateMVars d.type)
        if let some v := d.value? then used := collect used (← instantiateMVars v)
    return used
  let context := contextOf "<goal>" default baseOptions .anonymous []
  let used ← asIO (ask context after act mctx)
  let needed := (addedConstants before after).filter fun (n, _) => used.contains n
  let mut env := (replay before needed).toOption.getD before
  -- the kernel takes a matcher for any constant: unless its entry comes along, goals show `t.match_1` and `split` fails
  for (n, _) in needed do
    if let (some info, true) := (Match.Extension.getMatcherInfo? after n, env.contains n) then
      env ← (Match.Extension.addMatcherInfo env n info).enableRealizationsForConst baseOptions n
  return env
where
  collect (used : NameSet) (e : Expr) : NameSet := e.getUsedConstants.foldl (·.insert ·) used

/-- The proof in a command that was parsed again: what has taken the place of the old one. None where more has changed. -/
def ProofPlace.newValue? (place : ProofPlace) (old new : Syntax) : Option Syntax := do
  if place.isExpanded then
    let path ← pathTo? old place.value
    guard <| sameBut path old new
    return atPath new path
  let decl ← (declarations new).find? fun d => (bytesOf? d).map (·.1) == (bytesOf? place.decl).map (·.1)
  guard <| new.getKind == old.getKind && (declarations new).size == (declarations old).size
  declValue? decl

/-- Judge one command: `text` is the whole file with the proof in place, `range` where the new value stands in it. -/
def judgeCommand (f : SourceFile) (place : ProofPlace) (name : Name) (text : String) (range : Bytes)
    (before : Command.State) (parser : Parser.ModuleParserState) (allowed : List Name) (cancel? : Option IO.CancelToken) :
    IO (Judgement × Option (Parser.InputContext × Parser.ModuleParserState × Command.State)) := do
  let input := Parser.mkInputContext text f.key
  let reject (kind reason : String) (messages : List Message := []) : Judgement := { kind, reason, messages }
  let some step := f.steps[place.index]? | return (reject "not_found" "no such command", none)
  let (stx, next, log) := parseOne input before parser
  let stx := step.shape stx
  if log.hasErrors then return (reject "error" "the proof does not parse" log.toList, none)
  -- the text must be this one command, no more and no less, with the same words before the proof
  let some value := place.newValue? step.stx stx | return (reject "forbidden" "the text is more, or less, than the proof of this theorem", none)
  -- and the next command begins where it did: nothing follows the proof but white space and whole comments
  let some (_, oldStop) := bytesOf? place.value | return (reject "not_found" "no proof to replace", none)
  unless (bytesOf? value).any (fun v => v.1 == range.1 && v.2 ≤ range.2) && next.pos.byteIdx + oldStop == step.stop.byteIdx + range.2 do
    return (reject "forbidden" "the text is more, or less, than the proof of this theorem", none)
  if let some failure := forbidden? value then return (reject failure.kind failure.message, none)
  let start := (stx.getPos? true).getD parser.pos
  let (after, messages) ← step.run input before start stx cancel?
  if let some token := cancel? then
    if ← token.isSet then return (reject "timeout" "stopped at the time limit" messages, none)
  let errors := messages.filter (·.severity == .error)
  unless errors.isEmpty do
    return (reject "error" (← errors.head!.data.toString) messages, none)
  let some info := after.env.find? name | return (reject "statement" s!"the command no longer declares `{name}`" messages, none)
  let some reference := (f.envOf name).find? name | return (reject "not_found" s!"no theorem `{name}`" messages, none)
  unless (info matches .thmInfo _) && info.type == reference.type && reference.levelParams.all info.levelParams.contains do
    return (reject "statement" "the statement's type is not the same" messages, none)
  let added := addedConstants before.env after.env
  -- helpers of the theorem, and theorems that Lean realizes on demand (`f.eq_def`): the kernel checks them all below
  if let some (n, _) := added.find? fun (n, i) => n != name && !(n.isInternalDetail || name.isPrefixOf n || i matches .thmInfo _) then
    return (reject "forbidden" s!"the proof declares `{n}`" messages, none)
  match replay before.env added cancel? with
  | .error failure => return (reject failure.kind failure.message messages, none)
  | .ok env =>
    if (info.value? (allowOpaque := true)).any (fun v => v.getUsedConstants.contains name) then
      return (reject "circular" "the proof refers to the theorem itself" messages, none)
    let axioms := axiomsOf env #[name] f.unbelieved
    let allowed := standardAxioms ++ allowed ++ axiomsOfStatement env info.type f.unbelieved
    let extra := axioms.filter (!allowed.contains ·)
    if extra.contains ``sorryAx then
      let openLemmas := if extra == #[``sorryAx] then holesBelow env #[name] else #[]
      return ({ kind := "sorry", reason := "the proof has a hole", axioms, messages, openLemmas }, none)
    unless extra.isEmpty do return ({ kind := "axiom", reason := s!"the proof rests on {extra.toList}", axioms, messages }, none)
    return ({ kind := "accepted", reason := "", axioms, messages, checked? := some env }, some (input, next, step.left before after))

def errorCount (messages : List Message) : Nat := (messages.filter (·.severity == .error)).length

/-- The judgement before it is asked whether the time was enough for it. -/
def judgeInTime (imported : Imported) (f : SourceFile) (name : Name) (proof : String) (wholeFile : Bool) (allowed : List Name) (cancel? : Option IO.CancelToken) : IO Judgement := do
  let some place := findTheorem? f name | return { kind := "not_found", reason := s!"no theorem `{name}` in this file" }
  let index := place.index
  let some (text, range) := withProof f.input.inputString place.value proof | return { kind := "not_found", reason := s!"`{name}` has no proof to replace" }
  let some step := f.steps[index]? | return { kind := "not_found", reason := "no such command" }
  if !wholeFile then
    return (← judgeCommand f place name text range step.before step.parser allowed cancel?).1
  let (input, _, state, parser, headerMessages) ← startFile imported { key := f.key, module := f.module, text, options := f.options }
  let mut state := state
  let mut parser := parser
  let mut errors := errorCount headerMessages
  for i in List.range f.steps.size do
    if i == index then
      let (judgement, next?) ← judgeCommand f place name text range (slim state) parser allowed cancel?
      let some (_, next, after) := next? | return judgement
      -- what follows must go as well as it went before
      let (steps, _) ← runCommands imported input after next cancel? fun _ _ => pure ()
      errors := errors + steps.foldl (fun n s => n + errorCount s.messages) 0
      let before := errorCount f.messages
      if errors > before then return { judgement with kind := "error", reason := s!"with this proof the file has {errors} errors instead of {before}" }
      return judgement
    let (stx, next, log) := parseOne input (slim state) parser
    let start := (stx.getPos? true).getD parser.pos
    let (after, messages) ← runCommand input (slim state) start stx cancel?
    errors := errors + errorCount (log.toList ++ messages)
    state := after
    parser := next
  return { kind := "not_found", reason := "the file ended before the theorem" }

/-- Judge a proof from the state just before the theorem, or with the whole file elaborated afresh. What fails when the
time is over says nothing about the proof. -/
def judge (imported : Imported) (f : SourceFile) (name : Name) (proof : String) (wholeFile : Bool) (allowed : List Name) (cancel? : Option IO.CancelToken) : IO Judgement := do
  let judgement ← judgeInTime imported f name proof wholeFile allowed cancel?
  let late ← match cancel? with
    | some token => token.isSet
    | none => pure false
  if late && ["error", "kernel", "not_found"].contains judgement.kind then
    return { judgement with kind := "timeout", reason := "stopped at the time limit" }
  return judgement

def Judgement.json (j : Judgement) : IO Json := do
  let messages ← j.messages.toArray.mapM fun m => (messageJson m : IO Json)
  return Json.mkObj [("kind", j.kind), ("reason", j.reason), ("axioms", .arr <| j.axioms.map (fun a => (toString a : Json))), ("messages", .arr messages),
    ("openLemmas", .arr <| j.openLemmas.map fun n => (toString n : Json))]

end LeanAgent
