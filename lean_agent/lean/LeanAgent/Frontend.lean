/-
The command loop: a file's text in, one step for each command out, with the state before it kept.

Sequential on purpose: Lean's own incremental frontend starts a thread for every pending command, which costs 0.2 GB
each in the embedded build.
-/
import LeanAgent.Compat
import LeanAgent.Declarations
import LeanAgent.Importing
open Lean Elab

namespace LeanAgent

/-- One command of a file. `before` is the state that it started from, info trees and messages dropped. -/
structure Step where
  before : Command.State
  parser : Parser.ModuleParserState
  stx : Syntax
  start : String.Pos.Raw
  stop : String.Pos.Raw
  messages : List Message
  expanded : Array Expanded := #[]     -- declarations that macros and programs have made of it
  example? : Option Name := none       -- the name, within the namespace in force, by which `stx` has its example as a theorem
  withExample? : Option Environment := none    -- after it, the example included, which no later command sees

/-- A command that was parsed in the place of a step's, in the form that the step has it. -/
def Step.shape (step : Step) (stx : Syntax) : Syntax := (step.example?.bind (asTheorem? · stx)).getD stx

/-- A file to be elaborated. -/
structure FileSource where
  key : String
  module : Name
  text : String
  options : List (String × String) := []    -- the project's, by name
  unbelieved : List Name := []               -- what programs of the imported files have declared past the kernel

structure SourceFile where
  key : String
  module : Name
  input : Parser.InputContext
  imports : Array Import
  options : List (String × String)     -- the project's, by name
  steps : Array Step
  final : Command.State
  headerMessages : List Message
  unbelieved : NameSet                 -- what its programs have declared past the kernel

/-- The step of an example, and its index. -/
def SourceFile.exampleStep? (f : SourceFile) (name : Name) : Option (Step × Nat) :=
  f.steps.zipIdx.find? fun (step, _) => step.example?.any fun short => step.before.scopes.head!.currNamespace ++ short == name

/-- An environment that holds a declaration of the file: the last one, which no example is in, or that of the example. -/
def SourceFile.envOf (f : SourceFile) (name : Name) : Environment :=
  ((f.exampleStep? name).bind (·.1.withExample?)).getD f.final.env

def SourceFile.messages (f : SourceFile) : List Message :=
  f.steps.foldl (fun all s => all ++ s.messages) f.headerMessages

/-- Options of every elaboration: what a stock `lean FILE` has, without linters and without threads of its own. -/
def baseOptions : Options :=
  ({} : Options) |>.setBool `linter.all false |>.setBool `Elab.async false
    -- closed terms would become declarations of their own, which importers of the compiled module do not find
    |>.setBool `compiler.extract_closed false

/-- Options with one more, as Lean's command line and lakefiles name it: `weak.` goes before one that may be unknown, which is
then left out. `none` for any other that this Lean does not know. -/
def withOption? (options : Options) (name value : String) : IO (Option Options) := do
  let isWeak := name.startsWith "weak."
  let name := (if isWeak then (name.drop 5).toString else name).toName
  let decl ← match ← (getOptionDecl name).toBaseIO with
    | .ok decl => pure decl
    | .error _ => return if isWeak then some options else none
  match decl.defValue, value, value.toNat? with
  | .ofBool _, "true", _ => return some (options.setBool name true)
  | .ofBool _, "false", _ => return some (options.setBool name false)
  | .ofNat _, _, some n => return some (options.set name n)
  | .ofString _, _, _ => return some (options.set name value)
  | _, _, _ => throw <| IO.userError s!"invalid -D parameter, option `{name}` does not take `{value}`"

/-- Whether an option says what is reported, who checks or which thread works. That is ours to say, not a project's. -/
def isOurs (option : String) : Bool :=
  let name := if option.startsWith "weak." then (option.drop 5).toString else option
  [`linter, `warn, `warningAsError, `debug, `trace, `profiler, `compiler, `interpreter, `internal, `Elab, `experimental].contains name.toName.getRoot

/-- The options of a project's files beside those of every elaboration, and what is wrong with those left out. -/
def projectOptions (given : List (String × String)) : IO (Options × List String) := do
  let mut options := baseOptions
  let mut wrong := []
  for (name, value) in given do
    if isOurs name then continue
    match ← (withOption? options name value).toBaseIO with
    | .ok (some more) => options := more
    | .ok none => wrong := s!"the lakefile sets the option `{name}`, which this Lean does not know: it is left out" :: wrong
    | .error e => wrong := s!"the lakefile's options: {e}" :: wrong
  return (options, wrong.reverse)

/-- All messages of a command, those of its snapshot tasks included. -/
def collectMessages (s : Command.State) : List Message :=
  let tasks := s.snapshotTasks.foldl (fun log t => t.get.getAll.foldl (fun log n => log ++ n.diagnostics.msgLog) log) s.messages
  tasks.toList.filter (fun m => !m.isSilent)

/-- Elaborate one parsed command. The result holds the messages and info trees of this command alone. -/
def runCommand (input : Parser.InputContext) (before : Command.State) (start : String.Pos.Raw) (stx : Syntax)
    (cancel? : Option IO.CancelToken) : IO (Command.State × List Message) := do
  let context : Command.Context :=
    { cmdPos := start, fileName := input.fileName, fileMap := input.fileMap, snap? := none, cancelTk? := cancel? }
  let fresh := { before with messages := {}, infoState := { enabled := true }, traceState := {}, snapshotTasks := #[] }
  let ref ← IO.mkRef fresh
  match ← (elaborateTop stx context ref).toIO' with
  | .ok () => pure ()
  | .error e => unless e.isInterrupt do throw <| IO.userError s!"internal error: {← e.toMessageData.toString}"
  let after ← ref.get
  return (after, collectMessages after)

/-- With it a `sorry` would be an error, and its theorem not one that is open. -/
def withoutWarningsAsErrors (scope : Command.Scope) : Command.Scope :=
  if scope.opts.contains `warningAsError then { scope with opts := scope.opts.setBool `warningAsError false } else scope

/-- What is kept of a state: no info trees, no messages. -/
def slim (s : Command.State) : Command.State :=
  { s with
    messages := {}, infoState := { enabled := true }, traceState := {}, snapshotTasks := #[]
    scopes := s.scopes.map withoutWarningsAsErrors }

/-- The state in which an example is elaborated as a theorem: all variables in force belong to it, whichever its proof uses,
so that its statement is the same with every proof. -/
def withAllVariables (s : Command.State) : Command.State :=
  { s with scopes := s.scopes.modifyHead fun scope => { scope with includedVars := scope.varUIds.toList, omittedVars := [] } }

/-- Elaborate a command in the form that a step has it. -/
def Step.run (step : Step) (input : Parser.InputContext) (before : Command.State) (start : String.Pos.Raw) (stx : Syntax)
    (cancel? : Option IO.CancelToken) : IO (Command.State × List Message) :=
  runCommand input (if step.example?.isSome then withAllVariables before else before) start stx cancel?

/-- The state from which the next command starts: nothing of an example stays. -/
def Step.left (step : Step) (before after : Command.State) : Command.State :=
  if step.example?.isSome then { after with env := before.env, scopes := before.scopes } else after

/-- Elaborate a step's command; an example as a theorem, if Lean takes it for one as it takes the example. -/
def Step.elaborate (step : Step) (input : Parser.InputContext) (example? : Option Name) (cancel? : Option IO.CancelToken) :
    IO (Step × Command.State) := do
  let plain : IO (Step × Command.State) := do
    let (after, messages) ← runCommand input step.before step.start step.stx cancel?
    return ({ step with messages := step.messages ++ messages, expanded := expandedDeclarations step.stx after.infoState.trees }, after)
  let some name := example? | plain
  let some stx := asTheorem? name step.stx | plain
  let named := { step with stx, example? }
  let (after, messages) ← named.run input step.before step.start stx cancel?
  let isDeclared := (addedConstants step.before.env after.env).any fun (n, info) => info matches .thmInfo _ && name.isSuffixOf n
  let named := { named with withExample? := after.env, expanded := expandedDeclarations stx after.infoState.trees }
  let hasErrors (messages : List Message) : Bool := messages.any (·.severity == .error)
  if isDeclared && !hasErrors messages then return ({ named with messages := step.messages ++ messages }, after)
  -- no proposition, or a proof that does not go: what Lean says of the example itself counts
  let (asExample, afterExample) ← plain
  return if isDeclared && hasErrors asExample.messages then ({ named with messages := asExample.messages }, after) else (asExample, afterExample)

def parseOne (input : Parser.InputContext) (s : Command.State) (p : Parser.ModuleParserState) :
    Syntax × Parser.ModuleParserState × MessageLog :=
  let scope := s.scopes.head!
  Parser.parseCommand input
    { env := s.env, options := scope.opts, currNamespace := scope.currNamespace, openDecls := scope.openDecls } p {}

/-- An environment after imports, and what it takes of the process's own memory: in the embedded build some 20 MB, which
nobody counts; on a native one with Mathlib's extensions many times that. -/
structure Kept where
  imports : String
  env : Environment
  ownMB : Nat

/-- What was imported: the environments used last (an environment is a value, any number of files can start from the same one;
it takes 0.15 s to make again, with Mathlib seconds), and what the imports themselves keep. -/
structure Imported where
  environments : IO.Ref (Array Kept)
  loaded : Loaded
  report : String → IO Unit            -- told of each command that may run a program, before it runs
  reached : Nat → IO Unit              -- told how many bytes of a file that is being opened are done

def Imported.create (report : String → IO Unit) (reached : Nat → IO Unit := fun _ => pure ()) : IO Imported := do
  return { environments := ← IO.mkRef #[], loaded := ← Loaded.create, report, reached }

def keptEnvironments : Nat := 8
def keptOwnMB : Nat := 2048

/-- The environments that stay, the last of all: the others from the end on, as long as they are few and take little. -/
def stillKept (kept : Array Kept) (last : Kept) : Array Kept :=
  let (stay, _, _) := kept.reverse.foldl (init := (#[last], last.ownMB, true)) fun (stay, total, goesOn) k =>
    if goesOn && stay.size < keptEnvironments && total + k.ownMB ≤ keptOwnMB then (stay.push k, total + k.ownMB, true) else (stay, total, false)
  stay.reverse

def importOnce (imported : Imported) (imports : Array Import) : IO Environment := do
  let wanted ← key
  if let some last := (← imported.environments.get).find? (·.imports == wanted) then
    keep last
    return last.env
  let before ← ownMB
  let env ← importNow imported.loaded imports
  keep { imports := ← key, env, ownMB := (← ownMB) - before }
  return env
where
  /-- An environment has no place for an extension that was registered after it was made. -/
  key : IO String := do
    let extensions := (← persistentEnvExtensionsRef.get).size
    return s!"{toString (← searchPathRef.get)} {toString (imports.map fun i => i.module)} {extensions}"
  keep (last : Kept) : IO Unit :=
    imported.environments.modify fun kept => stillKept (kept.filter (·.imports != last.imports)) last

/-- Parse the header, import what it names and give the state before the first command. -/
def startFile (imported : Imported) (source : FileSource) :
    IO (Parser.InputContext × Array Import × Command.State × Parser.ModuleParserState × List Message) := do
  if isCore source.module then throw <| IO.userError s!"`{source.module}` is the name of a module of Lean's own library"
  let input := Parser.mkInputContext source.text source.key
  let (header, parser, log) ← Parser.parseHeader input
  let imports := headerToImports header
  let env ← realizingAnew (← importOnce imported imports)
  let (options, wrong) ← projectOptions source.options              -- after the imports, which may make some known
  let told := wrong.map fun (data : String) => ({ fileName := source.key, pos := ⟨1, 0⟩, severity := .warning, data := .ofFormat data } : Message)
  return (input, imports, Command.mkState (env.setMainModule source.module) {} options, parser, log.toList ++ told)

/-- Run every command from a state on. `visit` sees each step with the state after it (info trees included). With `naming`,
examples are theorems there, by names of their own. -/
partial def runCommands (imported : Imported) (input : Parser.InputContext) (s : Command.State) (p : Parser.ModuleParserState)
    (cancel? : Option IO.CancelToken) (visit : Step → Command.State → IO Unit) (naming : Bool := false) : IO (Array Step × Command.State) :=
  go s p #[] 0
where
  go (s : Command.State) (p : Parser.ModuleParserState) (steps : Array Step) (examples : Nat) := do
    if let some token := cancel? then
      if ← token.isSet then throw <| IO.userError "interrupted"
    let before := slim s
    let (stx, next, log) := parseOne input before p
    let start := (stx.getPos? true).getD p.pos
    if Parser.isTerminalCommand stx then
      -- `#exit`, the end, or an `import` that comes too late, where Lean stops too
      let told ← (·.2) <$> runCommand input before start stx cancel?
      let messages := log.toList ++ told
      let step : Step := { before, parser := p, stx, start, stop := next.pos, messages }
      return (if messages.isEmpty then steps else steps.push step, before)
    if let some what := program? stx then imported.report what
    let step : Step := { before, parser := p, stx, start, stop := next.pos, messages := log.toList }
    let isExample := naming && isExampleCommand stx
    let examples := if isExample then examples + 1 else examples
    let (step, after) ← step.elaborate input (if isExample then some (exampleName examples) else none) cancel?
    visit step after
    go (step.left before after) next (steps.push step) examples

/-- Report what a command has declared that later ones would run. Told before they can. -/
def reportDeclared (imported : Imported) (step : Step) (after : Environment) : IO Unit := do
  let instances := makesInstance step.stx
  unless instances || hasConfigurationWord step.stx do return
  for (name, info) in addedConstants step.before.env after do
    if isConfigurationName after name then imported.report s!"{name}, a name of Lean's own"
    if instances && Meta.isInstanceCore after name && isOfConfiguration after info.type then imported.report s!"the instance {name}"

def openFile (imported : Imported) (source : FileSource) (cancel? : Option IO.CancelToken)
    (visit : Step → Command.State → IO Unit := fun _ _ => pure ()) : IO SourceFile := do
  let (input, imports, state, parser, headerMessages) ← startFile imported source
  let unbelieved ← IO.mkRef (NameSet.ofList source.unbelieved)
  let (steps, final) ← runCommands (naming := true) imported input state parser cancel? fun step after => do
    if (program? step.stx).isSome then
      let names ← refused step.before.env after.env
      unbelieved.modify fun known => names.foldl (·.insert ·) known
    reportDeclared imported step after.env
    visit step after
    imported.reached step.stop.byteIdx
  return {
    key := source.key, module := source.module, options := source.options, input, imports, steps, final, headerMessages,
    unbelieved := ← unbelieved.get }

end LeanAgent
