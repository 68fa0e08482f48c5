/-
The command loop: a file's text in, one step for each command out, with the state before it kept.

Sequential on purpose: Lean's own incremental frontend starts a thread for every pending command, which costs 0.2 GB
each in the embedded build.
-/
import Lean
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

structure SourceFile where
  key : String
  module : Name
  input : Parser.InputContext
  imports : Array Import
  steps : Array Step
  final : Command.State
  headerMessages : List Message

def SourceFile.messages (f : SourceFile) : List Message :=
  f.steps.foldl (fun all s => all ++ s.messages) f.headerMessages

/-- Options of every elaboration: what a stock `lean FILE` has, without linters and without threads of its own. -/
def baseOptions : Options :=
  ({} : Options) |>.setBool `linter.all false |>.setBool `Elab.async false
    -- closed terms would become declarations of their own, which importers of the compiled module do not find
    |>.setBool `compiler.extract_closed false

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
  match ← (Command.elabCommandTopLevel stx context ref).toIO' with
  | .ok () => pure ()
  | .error e => throw <| IO.userError s!"internal error: {← e.toMessageData.toString}"
  let after ← ref.get
  return (after, collectMessages after)

/-- What is kept of a state: no info trees, no messages. -/
def slim (s : Command.State) : Command.State :=
  { s with messages := {}, infoState := { enabled := true }, traceState := {}, snapshotTasks := #[] }

def parseOne (input : Parser.InputContext) (s : Command.State) (p : Parser.ModuleParserState) :
    Syntax × Parser.ModuleParserState × MessageLog :=
  let scope := s.scopes.head!
  Parser.parseCommand input
    { env := s.env, options := scope.opts, currNamespace := scope.currNamespace, openDecls := scope.openDecls } p {}

/-- Run every command from a state on. `visit` sees each step with the state after it (info trees included). -/
partial def runCommands (input : Parser.InputContext) (s : Command.State) (p : Parser.ModuleParserState)
    (cancel? : Option IO.CancelToken) (visit : Step → Command.State → IO Unit) : IO (Array Step × Command.State) :=
  go s p #[]
where
  go (s : Command.State) (p : Parser.ModuleParserState) (steps : Array Step) := do
    if let some token := cancel? then
      if ← token.isSet then throw <| IO.userError "interrupted"
    let before := slim s
    let (stx, next, log) := parseOne input before p
    if Parser.isTerminalCommand stx then
      let step : Step := { before, parser := p, stx, start := p.pos, stop := next.pos, messages := log.toList }
      return (if log.toList.isEmpty then steps else steps.push step, before)
    let start := (stx.getPos? true).getD p.pos
    let (after, messages) ← runCommand input before start stx cancel?
    let step : Step := { before, parser := p, stx, start, stop := next.pos, messages := log.toList ++ messages }
    visit step after
    go after next (steps.push step)

/-- Modules of Lean's own library. No project file may take such a name: what they hold is trusted. -/
def isCore (module : Name) : Bool :=
  [`Init, `Std, `Lean, `Lake].contains module.getRoot

/-- The memory layout of `ImportState`, whose fields are private. -/
structure ImportStateLayout where
  moduleNameMap : Std.HashMap Name NonScalar
  moduleNames : Array Name

/-- The memory layout of the first fields of `ImportedModule`, which is private. -/
structure ImportedModuleLayout where
  toEffectiveImport : NonScalar
  parts : Array (ModuleData × NonScalar)

/-- What was imported: the environments used last, by their imports (an environment is a value, any number of files can
start from the same one; each takes some 20 MB, and 0.15 s to make again), and modules of Lean's library by name, whose
data is never freed. -/
structure Imported where
  environments : IO.Ref (Array (String × Environment))
  modules : IO.Ref (Std.HashMap Name NonScalar)

def Imported.create : IO Imported := do
  return { environments := ← IO.mkRef #[], modules := ← IO.mkRef {} }

/-- Modules in an order in which imports come first. -/
unsafe def importOrder (modules : Std.HashMap Name NonScalar) (roots : Array Import) : Array Name :=
  (roots.foldl (fun acc i => visit i.module acc) (({} : NameSet), (#[] : Array Name))).2
where
  visit (n : Name) (acc : NameSet × Array Name) : NameSet × Array Name :=
    if acc.1.contains n then acc else
    let acc := (acc.1.insert n, acc.2)
    match modules[n]? with
    | none => acc
    | some m =>
      let layout : ImportedModuleLayout := unsafeCast m
      let imports := match layout.parts[0]? with
        | some (data, _) => data.imports
        | none => #[]
      let (seen, order) := imports.foldl (fun acc i => visit i.module acc) acc
      (seen, order.push n)

/-- `importModules`, with each module of Lean's library read from disk once in the life of the process: on the embedded
build, where nothing is mapped, another copy of `Init` alone would take 65 to 90 MB. -/
unsafe def importSharingUnsafe (imported : Imported) (imports : Array Import) : IO Environment := do
  if System.Platform.numBits == 64 then
    return (← importModules imports {} (trustLevel := 0) (leakEnv := false) (loadExts := true) (level := .private))
  let start : ImportStateLayout := { moduleNameMap := ← imported.modules.get, moduleNames := #[] }
  let start : ImportState := unsafeCast start
  withImporting do
    let (_, state) ← (importModulesCore imports).run start
    let state : ImportStateLayout := unsafeCast state
    imported.modules.set (state.moduleNameMap.fold (init := {}) fun kept n m => if isCore n then kept.insert n m else kept)
    let state := { state with moduleNames := importOrder state.moduleNameMap imports }
    let state : ImportState := unsafeCast state
    finalizeImport state imports {} (trustLevel := 0) (leakEnv := false) (loadExts := true)

@[implemented_by importSharingUnsafe, inherit_doc importSharingUnsafe]
opaque importSharing (imported : Imported) (imports : Array Import) : IO Environment

def keptEnvironments : Nat := 8

def importOnce (imported : Imported) (imports : Array Import) : IO Environment := do
  let path ← searchPathRef.get
  let key := toString path ++ toString (imports.map fun i => i.module)
  let kept ← imported.environments.get
  let env ← match kept.find? (·.1 == key) with
    | some (_, env) => pure env
    | none => withCode <$> importSharing imported imports
  let others := kept.filter (·.1 != key)
  imported.environments.set ((others.extract (others.size + 1 - keptEnvironments) others.size).push (key, env))
  return env
where
  /-- Code of imported project modules. This Lean does not know the module of a function's helpers (`f._lam_0`,
  `f._redArg`), so neither the compiler nor the interpreter finds them: they become code of the current module. -/
  withCode (env : Environment) : Environment := Id.run do
    let mut env := env
    for (name, data) in env.header.moduleNames.zip env.header.moduleData do
      if isCore name then continue
      for (extension, entries) in data.entries do
        if extension == ``IR.declMapExt then
          let decls : Array IR.Decl := unsafe unsafeCast entries
          for d in decls do
            if (env.getModuleIdxFor? d.name).isNone then env := IR.declMapExt.addEntry env d
        if extension == ``Compiler.LCNF.baseExt then env := addDecls Compiler.LCNF.baseExt env (unsafe unsafeCast entries)
        if extension == ``Compiler.LCNF.monoExt then env := addDecls Compiler.LCNF.monoExt env (unsafe unsafeCast entries)
    return env
  addDecls (extension : Compiler.LCNF.DeclExt) (env : Environment) (decls : Array Compiler.LCNF.Decl) : Environment := Id.run do
    let mut env := env
    for d in decls do
      if (env.getModuleIdxFor? d.name).isNone then env := extension.addEntry env d
    return env

/-- Parse the header, import what it names and give the state before the first command. -/
def startFile (imported : Imported) (key : String) (module : Name) (text : String) :
    IO (Parser.InputContext × Array Import × Command.State × Parser.ModuleParserState × List Message) := do
  if isCore module then throw <| IO.userError s!"`{module}` is the name of a module of Lean's own library"
  let input := Parser.mkInputContext text key
  let (header, parser, log) ← Parser.parseHeader input
  let imports := headerToImports header
  let env ← importOnce imported imports
  let state := Command.mkState (env.setMainModule module) {} baseOptions
  return (input, imports, state, parser, log.toList)

def openFile (imported : Imported) (key : String) (module : Name) (text : String) (cancel? : Option IO.CancelToken)
    (visit : Step → Command.State → IO Unit := fun _ _ => pure ()) : IO SourceFile := do
  let (input, imports, state, parser, headerMessages) ← startFile imported key module text
  let (steps, final) ← runCommands input state parser cancel? visit
  return { key, module, input, imports, steps, final, headerMessages }

end LeanAgent
