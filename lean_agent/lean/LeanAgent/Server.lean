/-
Requests in, answers out: one JSON object each. The host (or `Main.lean` on a native toolchain) passes lines; every Lean
value stays here.
-/
import LeanAgent.Pantograph
import LeanAgent.Variants
import LeanAgent.Compare
import LeanAgent.Repl
import LeanAgent.Laws
open Lean Meta Elab

namespace LeanAgent

structure Running where
  token : IO.CancelToken
  started : Nat
  waitedBefore : Nat
  limit : Nat

/-- The tactics of a theorem's own proof with their states, as its command leaves them when it is run again. -/
structure OwnProof where
  file : SourceFile
  theoremName : Name
  tactics : Array TacticNode
  messages : List Message

/-- What was recorded of the commands of the file that was opened last to start within its proofs, by where they start. -/
structure OwnTrees where
  file : String
  trees : Std.HashMap Nat (PersistentArray InfoTree) := {}
  bytes : Nat := 0

/-- The bytes of commands of which something is kept: it takes many times their own size. -/
def ownTreesBytes : Nat := 100000

structure Server where
  answers : IO.FS.Stream
  core : Environment
  libraries : SearchPath               -- where Lean's own modules lie, and whatever else was there at the start
  imported : Imported
  files : IO.Ref (Std.HashMap String SourceFile)
  states : IO.Ref (Std.HashMap Nat ProofState)
  ownProof : IO.Ref (Option OwnProof)  -- the last one that was asked for: whoever asks for one step asks for the next
  ownTrees : IO.Ref (Option OwnTrees)
  next : IO.Ref Nat
  inbox : IO.Ref (IO.Promise String)   -- where the host puts the next request
  running : IO.Ref (Option Running)
  waited : IO.Ref Nat                  -- milliseconds that the process has been without a processor, as far as the host knows
  cancelled : IO.Ref Bool
  grace : IO.Ref Nat                   -- milliseconds beyond its limit for what does not listen
  pantograph : Pantograph.Sessions
  commands : IO.Ref (Std.HashMap Nat Command.State)   -- what the commands of a REPL have left
  lemmas : LemmaIndexes                -- theorems that goals are shown; read when first asked for

def Server.create (core : Environment) (answers : IO.FS.Stream) : IO Server := do
  let report what := do
    answers.putStr ((Json.mkObj [("program", .str what)]).compress ++ "\n")
    answers.flush
  let told ← IO.mkRef (← IO.monoMsNow)
  let reached bytes := do                                           -- a line a second, for whoever shows how far it is
    if (← IO.monoMsNow) - (← told.get) < 1000 then return
    told.set (← IO.monoMsNow)
    answers.putStr ((Json.mkObj [("reached", .num bytes)]).compress ++ "\n")
    answers.flush
  return { answers, core, libraries := ← searchPathRef.get, imported := ← Imported.create report reached, files := ← IO.mkRef {}, states := ← IO.mkRef {}, ownProof := ← IO.mkRef none, ownTrees := ← IO.mkRef none, next := ← IO.mkRef 0, inbox := ← IO.mkRef (← IO.Promise.new (α := String)), running := ← IO.mkRef none, waited := ← IO.mkRef 0, cancelled := ← IO.mkRef false, grace := ← IO.mkRef 1000, pantograph := ← IO.mkRef {}, commands := ← IO.mkRef {}, lemmas := ← LemmaIndexes.create }

def keep (server : Server) (s : ProofState) : IO Nat := do
  let id ← server.next.modifyGet fun n => (n, n + 1)
  server.states.modify (·.insert id s)
  return id

/-- So many milliseconds at most are not counted of those in which a request waited for a processor. -/
def longestWait : Nat := 5000

/-- Run one item of a request under its own time limit (milliseconds; 0 is none). -/
def Server.limited (server : Server) (limit : Nat) (act : IO.CancelToken → IO α) : IO α := do
  let token ← IO.CancelToken.new
  server.running.set (some { token, started := ← IO.monoMsNow, waitedBefore := ← server.waited.get, limit })
  try act token finally server.running.set none

/-- Called by the host while a request runs: stop what is over its limit. True when its grace is over too. `waited`: for how long
the process has been without a processor so far. What others do on a machine is then no reason to stop a tactic, up to a point. -/
def watch (server : Server) (waited : Nat) : IO Bool := do
  server.waited.set waited
  match ← server.running.get with
  | none => return false
  | some r =>
    let elapsed := (← IO.monoMsNow) - r.started - min (waited - r.waitedBefore) (min longestWait r.limit)
    if r.limit == 0 || elapsed < r.limit then return false
    r.token.set
    return elapsed > r.limit + (← server.grace.get)

/-- Called by the host: stop the request that runs, its remaining items too. -/
def cancel (server : Server) : IO Unit := do
  server.cancelled.set true
  if let some r ← server.running.get then r.token.set

def failureJson (f : Failure) : Json := Json.mkObj [("failure", f.kind), ("message", f.message)]

/-- A state, with lists of constants, as far as there are any. Goals that stood in the one before as they are, are told by their places
there; none where it is not known. -/
def stateJson (id : Nat) (s : ProofState) (messages : List Message) (before? : Option ProofState := none)
    (names : List (String × Array Name) := []) : IO Json := do
  let texts ← messages.mapM fun m => m.data.toString
  let (printed, groups) ← s.shown
  let goals := (s.goals.toArray.zip printed).map fun (goal, printed) =>
    match before?.bind (s.placeIn · goal printed) with
    | some place => Json.num place
    | none => printed.json.get
  return Json.mkObj <| [
    ("state", Json.num id), ("goals", .arr goals), ("messages", .arr <| texts.toArray.map (fun (t : String) => (t : Json)))]
    ++ (if groups.size < 2 then [] else [("groups", .arr <| groups.map fun g => .arr <| g.map fun (i : Nat) => (i : Json))])
    ++ (("openLemmas", s.openLemmas) :: names).filterMap fun (field, names) =>
      if names.isEmpty then none else some (field, toJson (names.map toString))

def missing (what : String) : IO α := throw <| IO.userError what

def text (j : Json) (field : String) : IO String := IO.ofExcept <| j.getObjValAs? String field
def number (j : Json) (field : String) : IO Nat := IO.ofExcept <| j.getObjValAs? Nat field
def optional (j : Json) (field : String) : Option Json := (j.getObjVal? field).toOption.filter (· != .null)

def nameOf (s : String) : Name := s.toName

def names (j : Json) (field : String) : IO (List Name) := do
  let some list := optional j field | return []
  (← IO.ofExcept list.getArr?).toList.mapM fun (item : Json) => nameOf <$> IO.ofExcept item.getStr?

/-- A name by its parts (`nameJson`), whatever they are. -/
def nameOfParts (parts : Json) : IO Name := do
  return (← IO.ofExcept parts.getArr?).foldl (init := .anonymous) fun n part => match part.getStr?, part.getNat? with
    | .ok s, _ => .str n s
    | _, .ok k => .num n k
    | _, _ => n

def unbelieved (j : Json) : IO (List Name) := do
  let some list := optional j "unbelieved" | return []
  (← IO.ofExcept list.getArr?).toList.mapM nameOfParts

/-- Constants of imported files, each followed by the axioms that it rests on. -/
def onAxioms (j : Json) : IO (NameMap (List Name)) := do
  let some list := optional j "onAxioms" | return {}
  (← IO.ofExcept list.getArr?).foldlM (init := {}) fun found (names : Json) => do
    match ← (← IO.ofExcept names.getArr?).toList.mapM nameOfParts with
    | [] => return found
    | n :: axioms => return found.insert n axioms

/-- The file that a request brings, with its project's options. -/
def fileSource (j : Json) : IO FileSource := do
  let options ← match optional j "options" with
    | none => pure []
    | some list => (← IO.ofExcept list.getArr?).toList.mapM fun
      | .arr #[.str name, .str value] => return (name, value)
      | _ => missing "an option has a name and a value"
  return {
    key := ← text j "file", module := ← nameOfParts (← IO.ofExcept <| j.getObjVal? "module"), text := ← text j "text", options,
    unbelieved := ← unbelieved j }

def Server.file (server : Server) (j : Json) : IO SourceFile := do
  let key ← text j "file"
  match (← server.files.get)[key]? with
  | some f => return f
  | none => missing "unknown_file"

/-- Run a theorem's command again, with `text` in the place of its file's. -/
def proofOf (f : SourceFile) (name : Name) (step : Step) (text : String) (cancel? : Option IO.CancelToken) : IO OwnProof := do
  let input := Parser.mkInputContext text f.key
  let (stx, _, _) := parseOne input step.before step.parser
  let stx := step.shape stx
  let begin := (stx.getPos? true).getD step.parser.pos
  let (after, messages) ← step.run input step.before begin stx cancel?
  let w := after.infoState.trees.foldl (fun acc t => walk none t acc) {}
  return { file := f, theoremName := name, tactics := tacticsIn w (0, text.utf8ByteSize), messages }

/-- What was recorded of a command as its file was opened. It goes with the asking. -/
def Server.takeTrees? (server : Server) (f : SourceFile) (step : Step) : IO (Option (PersistentArray InfoTree)) := do
  let some own ← server.ownTrees.get | return none
  if own.file != f.key || step.example?.isSome then return none
  server.ownTrees.set (some { own with trees := own.trees.erase step.start.byteIdx })
  return own.trees[step.start.byteIdx]?

/-- Open a file. With `forProofs`, what is recorded of its commands stays until it is asked for, and then goes in turn. -/
def Server.open (server : Server) (j : Json) (key : String) (forProofs : Bool) : IO Unit := do
  server.ownTrees.set (if forProofs then some { file := key } else none)
  let f ← openFile server.imported (← fileSource j) none fun step after => do
    let some own ← server.ownTrees.get | return
    let bytes := own.bytes + (step.stop.byteIdx - step.start.byteIdx)
    if bytes > ownTreesBytes || step.example?.isSome then return
    server.ownTrees.set (some { own with bytes, trees := own.trees.insert step.start.byteIdx after.infoState.trees })
  server.files.modify (·.insert key f)

/-- A theorem's own proof, run again unless it was the last, or has just been run as its file was opened. -/
def Server.ownProofOf (server : Server) (f : SourceFile) (name : Name) (step : Step) (cancel? : Option IO.CancelToken) : IO OwnProof := do
  if let some known ← server.ownProof.get then
    if known.theoremName == name && isSameObject known.file f then return known
  let proof ← match ← server.takeTrees? f step with
    | some trees =>
      let w := trees.foldl (fun acc t => walk none t acc) {}
      pure { file := f, theoremName := name, tactics := tacticsIn w (0, f.input.inputString.utf8ByteSize), messages := step.messages }
    | none => proofOf f name step f.input.inputString cancel?
  let isCut ← cancel?.mapM fun token => token.isSet
  server.ownProof.set (if isCut == some true then none else some proof)
  return proof

/-- The state in which a proof of a theorem starts, or the one before a tactic of its own proof, or of a `sorry` among its terms. -/
def Server.startTheorem (server : Server) (f : SourceFile) (name : Name) (position? : Option Nat) (run : Nat) (cancel? : Option IO.CancelToken) :
    IO (Except Failure ProofState) := do
  let some { index, value, .. } := findTheorem? f name | missing s!"no theorem `{name}` in {f.key}"
  let some step := f.steps[index]? | missing "no such command"
  let (proof, target) ← match position? with
    | some position => pure (← server.ownProofOf f name step cancel?, position)
    | none =>
      let some (text, (start, _)) := withProof f.input.inputString value "by sorry" | missing s!"`{name}` has no proof to replace"
      let target := start + (if valueKinds.contains value.getKind then ":= by " else "by ").utf8ByteSize
      pure (← proofOf f name step text cancel?, target)
  let runs := proof.tactics.filter fun t => t.range.1 == target && !isStructural t.stx && !t.info.goalsBefore.isEmpty
  let some node := runs[run]?
    | do
      if position?.isSome then
        let (after, _) ← runCommand f.input step.before step.start step.stx cancel?
        if let .ok state ← startHole f step after target then return .ok state
      let errors ← (proof.messages.filter (·.severity == .error)).mapM fun m => m.data.toString
      missing s!"no tactic of `{name}` starts at byte {target} {errors}"
  let c := node.context
  let context := contextOf f.key c.fileMap c.options c.currNamespace c.openDecls
  let env ← envBefore step.before.env c.env node.info.mctxBefore node.info.goalsBefore
  return .ok { (← startIn env context node.info.mctxBefore node.info.goalsBefore) with unbelieved := f.unbelieved }

def Server.startOne (server : Server) (j : Json) : IO Json := do
  let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
  server.limited limit fun token => do
    let (result, holes) ← match optional j "expr" with
      | some e => pure (← startExpr server.core (← IO.ofExcept e.getStr?) token, #[])
      | none =>
        let f ← server.file j
        let position? := (optional j "position").bind (·.getNat?.toOption)
        match ← text j "theorem", position? with
        | "", some position => pure (← startAt f position (some token), #[])
        | name, _ => pure (← server.startTheorem f (nameOf name) position? (((optional j "run").bind (·.getNat?.toOption)).getD 0) token, if position?.isSome then #[] else f.holesUnder (nameOf name))
    match result with
    | .error failure => return failureJson failure
    | .ok s =>
      let asks (field : String) : Bool := ((optional j field).bind (·.getBool?.toOption)).getD false
      let axioms := if asks "allowsAxioms" then ownAxioms s.origin s.unbelieved else #[]
      let s := { s with allowsOpen := asks "allowsOpen", axioms }
      let assumed := holes.filter fun n => (s.origin.find? n) matches some (.thmInfo _)
      stateJson (← keep server s) s [] (names := [("axioms", axioms), ("unfinished", holes), ("assumed", assumed)])

/-- The state in which laws of the goal's functions are known. What stands in the place of the request is said as Lean does it. -/
def Server.lawsOne (server : Server) (s : ProofState) (limit : Nat) : IO Json := do
  let deadline := (← IO.monoMsNow) + limit * 3 / 4
  server.limited limit fun token => do
    match ← Laws.known s deadline (some token) with
    | .error failure => return failureJson failure
    | .ok (next, tactic) =>
      let said ← stateJson (← keep server next) next []
      return said.setObjVal! "messages" (.arr #[s!"Try this:\n{tactic}"])

def Server.tacticOne (server : Server) (j : Json) : IO Json := do
  let some s := (← server.states.get)[← number j "state"]? | return Json.mkObj [("error", "unknown_state")]
  let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
  let known := (optional j "goals").bind (·.getNat?.toOption)      -- how many goals of the state the other side has
  let tactic ← text j "tactic"
  if tactic == Laws.request then return ← server.lawsOne s limit
  server.limited limit fun token => do
    match ← runTactic s tactic (some token) with
    | .error failure => return failureJson failure
    | .ok (next, messages) => stateJson (← keep server next) next messages (if known == some s.goals.length then some s else none)

/-- Each of some groups of a state's goals, as a state of its own. -/
def Server.splitOne (server : Server) (j : Json) : IO Json := do
  let some s := (← server.states.get)[← number j "state"]? | return Json.mkObj [("error", "unknown_state")]
  let groups ← IO.ofExcept <| j.getObjValAs? (Array (Array Nat)) "groups"
  let parts ← groups.mapM fun indices => do
    let part := s.focus indices
    stateJson (← keep server part) part []
  return Json.mkObj [("parts", .arr parts)]

def Server.lemmasOne (server : Server) (j : Json) : IO Json := do
  let some s := (← server.states.get)[← number j "state"]? | return Json.mkObj [("error", "unknown_state")]
  let most ← number j "most"
  let mostLaws ← number j "laws"
  let mostOwn ← number j "own"
  let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
  server.limited limit fun token => lemmasOf server.lemmas s most mostLaws mostOwn token

def Server.consequencesOne (server : Server) (j : Json) : IO Json := do
  let some s := (← server.states.get)[← number j "state"]? | return Json.mkObj [("error", "unknown_state")]
  let most ← number j "most"
  let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
  server.limited limit fun token => consequencesOf server.lemmas s most token

/-- A place of a REPL's text, its state kept. -/
def Server.placeJson (server : Server) (p : Repl.Place) : IO Json := do
  return Json.mkObj [
    ("start", positionJson p.start), ("end", positionJson p.stop), ("state", ← keep server p.state), ("goals", toJson (← Repl.goalTexts p.state))]

def Server.replCommand (server : Server) (j : Json) (token : IO.CancelToken) : IO Json := do
  let before? ← match (optional j "env").bind (·.getNat?.toOption) with
    | none => pure none
    | some n => match (← server.commands.get)[n]? with
      | some before => pure (some before)
      | none => missing "unknown_environment"
  let withTactics := ((optional j "tactics").bind (·.getBool?.toOption)).getD false
  let done ← Repl.run server.imported before? (← text j "text") withTactics token
  let env ← server.next.modifyGet fun n => (n, n + 1)
  server.commands.modify (·.insert env done.final)
  let tactics ← done.tactics.mapM fun (place, tactic, used) => do
    let fields := (← server.placeJson place).setObjVal! "tactic" tactic
    return fields.setObjVal! "used" (.arr <| used.map fun n => toString n)
  return Json.mkObj [
    ("env", env), ("messages", .arr (← done.messages.toArray.mapM fun m => messageJson m)),
    ("sorries", .arr (← done.holes.mapM server.placeJson)), ("tactics", .arr tactics)]

def Server.replTactic (server : Server) (j : Json) (token : IO.CancelToken) : IO Json := do
  let some s := (← server.states.get)[← number j "state"]? | return Json.mkObj [("error", "unknown_state")]
  match ← Repl.tactic s (← text j "tactic") token with
  | .error failure => return failureJson failure
  | .ok (next, messages, holes) => return Json.mkObj [
      ("state", ← keep server next), ("goals", toJson (← Repl.goalTexts next)), ("status", ← Repl.statusOf next),
      ("messages", .arr (← messages.toArray.mapM fun m => messageJson m)), ("sorries", .arr (← holes.mapM server.placeJson))]

/-- One item's accident is its own. -/
def guarded (act : IO Json) : IO Json := do
  try act catch e => return Json.mkObj [("error", toString e)]

def items (j : Json) : IO (Array Json) := do
  IO.ofExcept <| (← IO.ofExcept <| j.getObjVal? "items").getArr?

def Server.each (server : Server) (j : Json) (one : Json → IO Json) : IO Json := do
  let results ← (← items j).mapM fun i => guarded do
    if ← server.cancelled.get then missing "cancelled"
    one i
  return Json.mkObj [("items", .arr results)]

/-- Where this request finds modules: what it says itself, then the libraries. What programs of an earlier one have made
of the path is forgotten. -/
def Server.setPath (server : Server) (j : Json) : IO Unit := do
  let extra := match optional j "path" with
    | some p => (p.getArr?.toOption.getD #[]).toList.filterMap fun (e : Json) => e.getStr?.toOption.map System.FilePath.mk
    | none => []
  searchPathRef.set (extra ++ server.libraries)

/-- States that are needed no more; any request may name some. -/
def Server.release (server : Server) (j : Json) : IO Unit := do
  let some ids := optional j "release" | return
  for i in ids.getArr?.toOption.getD #[] do
    server.states.modify (·.erase (i.getNat?.toOption.getD 0))

def Server.dispatch (server : Server) (j : Json) : IO Json := do
  server.cancelled.set false
  if let some grace := (optional j "grace").bind (·.getNat?.toOption) then server.grace.set grace
  server.release j
  server.setPath j
  match ← text j "op" with
  | "ping" => return Json.mkObj [("version", Lean.versionString)]
  | "open" =>
    let key ← text j "file"
    unless (← server.files.get).contains key do
      server.open j key (((optional j "proofs").bind (·.getBool?.toOption)).getD false)
    return Json.mkObj [("ok", true)]
  | "forget" =>
    let key ← text j "file"
    server.files.modify (·.erase key)
    server.ownProof.set none
    server.ownTrees.set none
    return Json.mkObj [("ok", true)]
  | "start" => server.each j server.startOne
  | "tactic" => server.each j server.tacticOne
  | "split" => server.each j server.splitOne
  | "lemmas" => server.each j server.lemmasOne
  | "consequences" => server.each j server.consequencesOne
  | "trace" =>
    let olean? := (optional j "olean").bind (·.getStr?.toOption)
    let beside := ((optional j "beside").bind (·.getBool?.toOption)).getD false
    traceFile server.imported (← fileSource j) (olean?.map System.FilePath.mk) beside (← onAxioms j) none
  | "variants" =>
    variantsOf server.imported (← fileSource j) (← names j "theorems") none
  | "verify" =>
    let f ← server.file j
    let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
    let allowed ← names j "axioms"
    let whole := ((optional j "wholeFile").bind (·.getBool?.toOption)).getD false
    let name := nameOf (← text j "theorem")
    let proof ← text j "proof"
    let judgement ← server.limited limit fun token => judge server.imported f name proof whole allowed (some token)
    let answer ← judgement.json
    match optional j "export", judgement.checked? with
    | some (.bool true), some env => return answer.setObjVal! "export" (exportTheorem env name)
    | _, _ => return answer
  | "check" =>
    let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
    let allowed ← names j "axioms"
    let name := nameOf (← text j "theorem")
    server.limited limit fun _ => do
      let (judgement, statement) ← checkExport server.imported (← IO.ofExcept <| j.getObjVal? "export") name allowed
      return (← judgement.json).setObjVal! "statement" statement
  | "messages" =>
    let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
    server.limited limit fun token => do
      return Json.mkObj [("messages", .arr <| ← messagesOf server.imported (← fileSource j) token)]
  | "judge_file" =>
    let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
    server.limited limit fun token => do
      let flag (field : String) := ((optional j field).bind (·.getBool?.toOption)).getD false
      judgeFile server.imported (← fileSource j) (← names j "axioms") (flag "export") (flag "confined") (← names j "statements") (some token)
  | "compare" =>
    let export? (field : String) := IO.ofExcept <| j.getObjVal? field
    let compared ← compareExports server.imported (← export? "challenge") (← export? "solution") (← names j "theorems") (← names j "definitions")
      (← names j "permitted")
    return Json.mkObj [("compared", .arr <| compared.map fun (_, why?) => why?.elim Json.null Json.str)]
  | "check_file" =>
    let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
    let allowed ← names j "axioms"
    server.limited limit fun _ => do
      let exports ← IO.ofExcept <| (← IO.ofExcept <| j.getObjVal? "exports").getArr?
      let judged ← exports.mapM fun e => do
        return Json.arr (← (← checkRoots server.imported e allowed).mapM fun (name, judgement, statement) => do
          return ((← judgement.json).setObjVal! "statement" statement).setObjVal! "name" (shownName name))
      return Json.mkObj [("judged", .arr judged)]
  | "library" => libraryIndex server.imported
  | "modules" => return Json.mkObj [("modules", ← libraryModules server.imported)]
  | "premises" => server.each j fun item => do libraryPremises server.imported (nameOf (← text item "module"))
  | "statement" => server.each j fun item => do libraryStatement server.imported (nameOf (← text item "name"))
  | "repl" =>
    let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
    server.limited limit fun token =>
      if (optional j "tactic").isSome then server.replTactic j token else server.replCommand j token
  | "describe" =>
    let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
    let f? ← if (optional j "file").isSome then some <$> server.file j else pure none
    let wanted ← names j "names"
    server.limited limit fun token => describeAll server.imported f? wanted token
  | "find" =>
    let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
    let f? ← if (optional j "file").isSome then some <$> server.file j else pure none
    let most ← number j "most"
    let pattern ← text j "pattern"
    server.limited limit fun token => findPattern server.imported f? pattern most token
  | "pantograph" =>
    let limit := ((optional j "limit").bind (·.getNat?.toOption)).getD 0
    let answer ← server.limited limit fun token => Pantograph.run server.pantograph server.imported j (some token)
    return Json.mkObj [("answer", answer)]
  | "stats" => return Json.mkObj [("states", (← server.states.get).size), ("files", (← server.files.get).size)]
  | op => missing s!"unknown operation {op}"

/-- Answer one line. Never throws: whatever goes wrong is an answer. -/
def answer (server : Server) (line : String) : IO String := do
  match Json.parse line with
  | .error e => return (Json.mkObj [("error", s!"not JSON: {e}")]).compress
  | .ok j =>
    let id := (j.getObjVal? "id").toOption.getD .null
    let began ← IO.monoNanosNow
    let reply ← guarded (server.dispatch j)
    let taken := ((← IO.monoNanosNow) - began) / 1000
    return ((reply.setObjVal! "id" id).setObjVal! "us" taken).compress

/-- Answer requests, one after the other, as long as the process lives. Always the same thread: what Lean's interpreter
has looked up of our code is found again. -/
partial def work (server : Server) : IO Unit := do
  let some line ← IO.wait (← server.inbox.get).result? | return
  server.inbox.set (← IO.Promise.new (α := String))
  let reply ← answer server line
  server.answers.putStr (reply ++ "\n")
  server.answers.flush
  work server

/-- Called by the host. The second part is where it puts the next line to be answered, never while a request is under way;
the answer comes on the device. -/
def start (core : Environment) (path : String) : IO (Server × IO.Ref (IO.Promise String)) := do
  let server ← Server.create core (.ofHandle (← IO.FS.Handle.mk path .write))
  discard <| IO.asTask (prio := .dedicated) (work server)
  return (server, server.inbox)

end LeanAgent
