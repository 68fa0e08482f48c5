/-
Pantograph's commands: a name and a payload in, its answer out, in the fields of its line protocol. Ids, options and files
of the host are the caller's: a command names the session it belongs to and the id that a new state gets.
-/
import LeanAgent.PantographTarget
import LeanAgent.PantographFragment
open Lean Meta Elab

namespace LeanAgent.Pantograph

abbrev Sessions := IO.Ref (Std.HashMap String Session)

/-- One command with what it is run in. -/
structure Request where
  sessions : Sessions
  imported : Imported
  key : String
  session : Session
  payload : Json
  options : Json
  next : Nat
  cancel? : Option IO.CancelToken

/-- Commands stop with the protocol's own errors, apart from trouble with IO. -/
abbrev CommandM := ExceptT Trouble IO

def refuse (kind desc : String) : CommandM α := throwThe Trouble ⟨kind, desc⟩

def given? (j : Json) (field : String) : Option Json := (j.getObjVal? field).toOption.filter (· != .null)

def take [FromJson α] (j : Json) (field : String) : CommandM α := do
  match j.getObjValAs? α field with
  | .ok a => return a
  | .error e => refuse "command" s!"Unable to parse json: {field}: {e}"

def take? [FromJson α] (j : Json) (field : String) : CommandM (Option α) := do
  if (given? j field).isSome then return some (← take j field) else return none

def flag (j : Json) (field : String) : CommandM Bool := return (← take? j field).getD false

def strings (j : Json) (field : String) : CommandM (List String) := do
  match given? j field with
  | none => return []
  | some list => match list.getArr? with
    | .error e => refuse "command" s!"Unable to parse json: {field}: {e}"
    | .ok items => items.toList.mapM fun (i : Json) => match i.getStr? with
      | .ok s => pure s
      | .error e => refuse "command" s!"Unable to parse json: {field}: {e}"

def namesOf (texts : List String) : List Name := texts.map (·.toName)

def checked (x : IO (Except Trouble α)) : CommandM α := ExceptT.mk x

def Request.printing (r : Request) : CommandM Printing := do
  return { dependents := ← flag r.options "printDependentMVars", auxiliary := ← flag r.options "printAuxDecls", details := ← flag r.options "printImplementationDetailHyps" }

def Request.automatic (r : Request) : CommandM Bool := return (← take? r.options "automaticMode").getD true

def Request.state (r : Request) (field : String) : CommandM State := do
  let id : Nat ← take r.payload field
  match r.session.states[id]? with
  | some s => return s
  | none => refuse "index" s!"Invalid state index {id}"

def Request.put (r : Request) (session : Session) : IO Unit := r.sessions.modify (·.insert r.key session)

/-- Keep a new state under the id that the caller has for it. -/
def Request.keep (r : Request) (s : State) : IO Unit := r.put { r.session with states := r.session.states.insert r.next s }

def empty : Json := Json.mkObj []

-- ## Sessions

/-- Options as the command line has them, `name=value`. -/
def withOptions (given : List String) : CommandM Options := do
  let mut options := baseOptions
  for item in given do
    let name := ((item.splitOn "=").headD "").toName
    let value := "=".intercalate ((item.splitOn "=").drop 1)
    let decl ← match ← (getOptionDecl name).toBaseIO with
      | .ok decl => pure decl
      | .error _ => refuse "arguments" s!"unknown option {name}"
    match decl.defValue with
    | .ofBool _ =>
      unless value == "true" || value == "false" do refuse "arguments" s!"option {name} is true or false"
      options := options.setBool name (value == "true")
    | .ofNat _ => match value.toNat? with
      | some n => options := options.set name n
      | none => refuse "arguments" s!"option {name} is a number"
    | .ofString _ => options := options.set name value
    | _ => refuse "arguments" s!"option {name} cannot be given here"
  return options

/-- Begin a session: the modules imported, Lean's options set. No module at all gives an empty environment. -/
def openSession (sessions : Sessions) (imported : Imported) (key : String) (payload : Json) : CommandM Json := do
  let options ← withOptions (← strings payload "options")
  let header := "prelude\n" ++ String.join ((← strings payload "imports").map fun m => s!"import {m}\n")
  let (parsed, _, log) ← Parser.parseHeader (Parser.mkInputContext header "<Pantograph>")
  if log.hasErrors then refuse "arguments" s!"these are no module names: {header}"
  let env ← importOnce imported (headerToImports parsed)
  let session : Session := { env := env.setMainModule `Pantograph, scope := { header := "", opts := options } }
  sessions.modify (·.insert key session)
  return empty

-- ## Commands

def goalStart (r : Request) : CommandM Json := do
  let levels := namesOf (← strings r.payload "levels")
  let text? : Option String ← take? r.payload "expr"
  let copyFrom? : Option String ← take? r.payload "copyFrom"
  let (s, root) ← checked (startGoal r.session text? (copyFrom?.map (·.toName)) levels r.cancel?)
  r.keep s
  return Json.mkObj [("stateId", r.next), ("root", .str (toString root))]

def goalTactic (r : Request) : CommandM Json := do
  let s ← r.state "stateId"
  let unshielded := (← take? r.payload "autoResume").getD (← r.automatic)
  let goalId? : Option Nat ← take? r.payload "goalId"
  let site : Site ← match goalId? with
    | some i => match s.proof.goals[i]? with
      | some goal => pure (if unshielded then .prefer goal else .focus goal)
      | none => refuse "index" s!"Invalid goal index {i}"
    | none => match s.proof.goals, unshielded with
      | [], _ => refuse "index" "No goals to be solved"
      | _, true => pure .unfocus
      | goal :: _, false => pure (.focus goal)
  let kinds := ["tactic", "mode", "expr", "have", "let", "draft"].filter fun k => (given? r.payload k).isSome
  let kind ← match kinds with
    | [kind] => pure kind
    | _ => refuse "operation" "Exactly one of {tactic, mode, expr, have, let, draft} must be supplied"
  let content : String ← take r.payload kind
  let binder := (← take? r.payload "binderName").getD ""
  let outcome ← match kind with
    | "tactic" => match (site.main? s.proof.goals).bind s.fragment? with
      | some .calc => calcStep s site content r.cancel?
      | some (.conv parent equation result) => convStep s site parent equation result content r.cancel?
      | none => tacticStep s site content r.cancel?
    | "expr" => termStep s site content r.cancel?
    | "have" => bindStep s site false binder content r.cancel?
    | "let" => bindStep s site true binder content r.cancel?
    | "draft" => draftStep s site content r.cancel?
    | _ =>
      let some main := site.main? s.proof.goals | refuse "index" "No goals to be solved"
      match content, s.fragment? main with
      | "tactic", none => refuse "invalid" "Goal is not in a fragment"
      | "tactic", some .calc => calcLeave s site main r.cancel?
      | "tactic", some (.conv parent equation result) => convLeave s site parent equation result r.cancel?
      | "calc", none => calcEnter s site main r.cancel?
      | "conv", none => convEnter s site r.cancel?
      | "calc", some _ => refuse "invalid" "Goal is already in a fragment"
      | "conv", some _ => refuse "invalid" "Goal is already in a fragment"
      | _, _ => refuse "operation" s!"Invalid mode {content}"
  if let .done next _ := outcome then r.keep next
  outcome.json s r.next (← r.printing)

def goalContinue (r : Request) : CommandM Json := do
  let target ← r.state "target"
  let next ← match given? r.payload "branch", given? r.payload "goals" with
    | some _, none => checked (continue' target (← r.state "branch"))
    | none, some _ =>
      let goals := (← strings r.payload "goals").map fun n => (⟨n.toName⟩ : MVarId)
      checked (resume target goals)
    | _, _ => refuse "arguments" "Exactly one of {branch, goals} must be supplied"
  r.keep next
  return Json.mkObj [("nextStateId", r.next), ("goals", ← next.goalsJson (← r.printing))]

def goalSubsume (r : Request) : CommandM Json := do
  let s ← r.state "stateId"
  if (given? r.payload "srcStateId").isSome then
    refuse "invalid" "srcStateId is not supported by embedded Lean: candidates must be goals that stateId has seen"
  let goal : String ← take r.payload "goal"
  let candidates := (← strings r.payload "candidates").map fun n => (⟨n.toName⟩ : MVarId)
  match ← checked (subsume s ⟨goal.toName⟩ candidates) with
  | .none => return Json.mkObj [("result", .str "none")]
  | .cycle by' => return Json.mkObj [("result", .str "cycle"), ("subsumptor", .str (toString by'.name))]
  | .subsumed next by' =>
    r.keep next
    return Json.mkObj [("result", .str "subsumed"), ("subsumptor", .str (toString by'.name)), ("stateId", r.next)]

def goalPrint (r : Request) : CommandM Json := do
  let s ← r.state "stateId"
  s.print (← r.printing) (← flag r.payload "rootExpr") (← flag r.payload "parentExprs") (← flag r.payload "goals") (namesOf (← strings r.payload "extraMVars"))

def goalDelete (r : Request) : CommandM Json := do
  let ids : Array Nat ← take r.payload "stateIds"
  r.put { r.session with states := ids.foldl (·.erase ·) r.session.states }
  return empty

def envAdd (r : Request) : CommandM Json := do
  let name : String ← take r.payload "name"
  let value : String ← take r.payload "value"
  let isTheorem ← flag r.payload "isTheorem"
  let levels := namesOf (← strings r.payload "levels")
  r.put (← checked (addConstant r.session name.toName levels (← take? r.payload "type") value isTheorem r.cancel?))
  return empty

def frontendProcess (r : Request) : CommandM Json := do
  let fileName : String := (← take? r.payload "fileName").getD "<anonymous>"
  let withInvocations := (given? r.payload "invocations").isSome
  let compiled ← compile r.imported r.session fileName (← take r.payload "file") (← flag r.payload "readHeader") r.cancel?
  let (answer, data) ← process compiled withInvocations (← flag r.payload "invocationTreeInfo") (← flag r.payload "newConstants")
  if ← flag r.payload "inheritEnv" then r.put (compiled.session r.session)
  return if withInvocations then answer.setObjVal! "data" data else answer

/-- The payload's text, elaborated; one with errors is refused. -/
def wholeText (r : Request) : CommandM Compiled := do
  let compiled ← compile r.imported r.session "<anonymous>" (← take r.payload "file") false r.cancel?
  if let some m := compiled.messages.find? (·.severity == .error) then refuse "frontend" (← m.data.toString)
  return compiled

def frontendRefactor (r : Request) : CommandM Json := do
  let options ← withOptions (← strings r.payload "coreOptions")
  return Json.mkObj [("file", .str (← refactor r.imported r.session (← wholeText r) (pp.analyze.set options true) r.cancel?))]

def frontendDistil (r : Request) : CommandM Json := do
  let binder? : Option String ← take? r.payload "binderName"
  let states ← distil r.imported r.session (← wholeText r) (binder?.map (·.toName)) (← flag r.payload "ignoreValues") r.cancel?
  let p ← r.printing
  let mut session := r.session
  let mut targets := #[]
  let mut id := r.next
  for s in states do
    session := { session with states := session.states.insert id s }
    targets := targets.push (Json.mkObj [("stateId", id), ("goals", ← s.goalsJson p)])
    id := id + 1
  r.put session
  return Json.mkObj [("targets", .arr targets)]

def command (r : Request) (cmd : String) : CommandM Json := do
  match cmd with
  | "goal.start" => goalStart r
  | "goal.tactic" => goalTactic r
  | "goal.continue" => goalContinue r
  | "goal.subsume" => goalSubsume r
  | "goal.print" => goalPrint r
  | "goal.delete" => goalDelete r
  | "expr.echo" => checked (echo r.session (← r.printing) (← take r.payload "expr") (← take? r.payload "type") (namesOf (← strings r.payload "levels")) r.cancel?)
  | "env.inspect" =>
    let name : String ← take r.payload "name"
    let value? : Option Bool ← take? r.payload "value"
    checked (inspect r.session (← r.printing) name.toName value? (← flag r.payload "dependency") (← flag r.payload "source"))
  | "env.catalog" =>
    let modulePrefix? : Option String ← take? r.payload "modulePrefix"
    return Json.mkObj [("symbols", catalog r.session (modulePrefix?.map (·.toName)) (← flag r.payload "invertFilter"))]
  | "env.describe" => return describe r.session
  | "env.module_read" =>
    let module : String ← take r.payload "module"
    checked (pure (readModule r.session module.toName))
  | "env.parse" =>
    let category : String := (← take? r.payload "category").getD "tactic"
    checked (pure (parsePrefix r.session (← take r.payload "input") category.toName))
  | "env.add" => envAdd r
  | "frontend.process" => frontendProcess r
  | "frontend.distil" => frontendDistil r
  | "frontend.refactor" => frontendRefactor r
  | "frontend.track" => track r.imported r.session (← take r.payload "src") (← take r.payload "dst") r.cancel?
  | "reset" =>
    let count := r.session.states.size
    r.put { r.session with states := {} }
    return Json.mkObj [("nGoals", count)]
  | "stat" => return Json.mkObj [("nGoals", r.session.states.size)]
  | other => refuse "command" s!"Unknown command {other}"

/-- Answer one command. `session.open` begins a session, `session.close` ends one; all else is the protocol's. -/
def run (sessions : Sessions) (imported : Imported) (j : Json) (cancel? : Option IO.CancelToken) : IO Json := do
  let act : CommandM Json := do
    let key : String ← take j "session"
    let cmd : String ← take j "cmd"
    let payload := (given? j "payload").getD empty
    match cmd with
    | "session.open" => openSession sessions imported key payload
    | "session.close" =>
      sessions.modify (·.erase key)
      return empty
    | _ =>
      let some session := (← sessions.get)[key]? | refuse "main" s!"no session {key}"
      command { sessions, imported, key, session, payload, options := (given? j "options").getD empty, next := ← take j "next", cancel? } cmd
  try
    match ← act.run with
    | .ok answer => return answer
    | .error t => return t.json
  catch e => return (Trouble.mk "io" (toString e)).json

end LeanAgent.Pantograph
