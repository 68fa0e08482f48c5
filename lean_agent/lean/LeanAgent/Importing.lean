/-
How modules are imported in the embedded build, which maps no file: what has been read is shared, by way of the memory
layouts of structures that Lean keeps to itself. They are those of one version of Lean, on 32 bits. A native toolchain has
`native/Importing.lean` in the place of this file.
-/
import LeanAgent.Compat
import LeanAgent.Trust
open Lean

namespace LeanAgent

/-- The memory layout of `ImportState`, whose fields are private. -/
structure ImportStateLayout where
  moduleNameMap : Std.HashMap Name NonScalar
  moduleNames : Array Name

/-- The memory layout of the first fields of `ImportedModule`, which is private. -/
structure ImportedModuleLayout where
  toEffectiveImport : NonScalar
  parts : Array (ModuleData × NonScalar)

/-- Something whose type is nobody's business here, boxed numbers included. -/
abbrev Opaque := Option NonScalar

/-- The memory layout of `Kernel.Environment`, whose fields are private. -/
structure KernelLayout where
  constants : Opaque
  quotInit : Bool
  diagnostics : Opaque
  const2ModIdx : Std.HashMap Name ModuleIdx
  extensions : Array EnvExtensionState
  irBaseExts : Opaque
  header : Opaque

/-- Both views of the constants, the private one first. -/
unsafe def kernelsOf (env : Environment) : KernelLayout × KernelLayout := unsafeCast (unsafeCast env : EnvironmentLayout).base

unsafe def kernelOf (env : Environment) : KernelLayout := (kernelsOf env).1

unsafe def withKernel (env : Environment) (kernel : KernelLayout) : Environment :=
  let layout : EnvironmentLayout := unsafeCast env
  let «public» := { (kernelsOf env).2 with const2ModIdx := kernel.const2ModIdx }
  unsafeCast { layout with base := unsafeCast (kernel, «public»), checked := unsafeCast (Task.pure kernel) }

/-- What imports keep in the life of a process: modules of Lean's library by name, whose data is never freed, and the
search path of the project whose initializers have run. -/
structure Loaded where
  modules : IO.Ref (Std.HashMap Name NonScalar)
  initialized : IO.Ref (Option String)

def Loaded.create : BaseIO Loaded := return { modules := ← IO.mkRef {}, initialized := ← IO.mkRef none }

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

/-- Have the compiler and the interpreter find the functions that the compiler made in imported modules (`f._redArg`,
`f._boxed`, `f._lam_0`) and private ones. Modules name them as `extraConstNames` and hold their signatures; this build of
Lean leaves these names out of its table from names to modules, so that a compilation that reaches one by inlining stops
at "Unknown constant". The kernel never looks at this table: no such name becomes a constant that a proof could use. -/
unsafe def indexCompiledNames (env : Environment) : Environment :=
  let kernel := kernelOf env
  withKernel env { kernel with const2ModIdx := add env.header.moduleNames env.header.moduleData 0 kernel.const2ModIdx }
where
  add (named : Array Name) (modules : Array ModuleData) (i : Nat) (table : Std.HashMap Name ModuleIdx) : Std.HashMap Name ModuleIdx :=
    if h : i < modules.size then
      let names := if isCore named[i]! then modules[i].extraConstNames else compiledNames modules[i]
      add named modules (i + 1) (names.foldl (fun table n => table.insertIfNew n i) table)
    else table
  /-- The modules that we write do not name all of them. -/
  compiledNames (data : ModuleData) : Array Name :=
    data.entries.foldl (init := data.extraConstNames) fun names (extension, entries) =>
      if extension == ``IR.declMapExt then
        (unsafeCast entries : Array IR.Decl).foldl (fun names d => names.push d.name) names
      else if extension == ``Compiler.LCNF.baseExt || extension == ``Compiler.LCNF.monoExt then
        (unsafeCast entries : Array Compiler.LCNF.Decl).foldl (fun names d => names.push d.name) names
      else names

/-- Run the initializers (`initialize`, attributes, extensions) of a project's modules. They run once in a process, by
their module's name, and what they register stays. So one project's are all that a process runs: for another's it ends,
and a new one is started in its place. -/
unsafe def runInitializers (loaded : Loaded) (env : Environment) : IO Unit := do
  let project := toString (← searchPathRef.get)
  let mut i : Nat := 0
  for module in env.header.moduleNames do
    let index := i
    i := i + 1
    if isCore module then continue
    let entries := regularInitAttr.ext.getModuleEntries env index
    if entries.isEmpty then continue
    match ← loaded.initialized.get with
    | none => loaded.initialized.set (some project)
    | some earlier =>
      unless earlier == project do
        IO.eprintln "this process has run the initializers of another project"
        IO.Process.exit 75             -- the host knows it
    if (← interpretedModInits.get).contains module then continue
    interpretedModInits.modify (·.insert module)
    for (decl, initializer) in entries do
      if initializer.isAnonymous then
        let run ← IO.ofExcept <| env.evalConst (IO Unit) {} decl
        run
      else runInit env {} decl initializer

/-- The last step of Lean's `finalizeImport`, which is private: extensions make their states from the entries of all
modules, and initializers, which may register more extensions and attributes, run in between. -/
unsafe def loadExtensions (loaded : Loaded) (env : Environment) : IO Environment := go env 0
where
  go (env : Environment) (i : Nat) : IO Environment := do
    let all ← persistentEnvExtensionsRef.get
    if h : i < all.size then
      let ext := all[i]
      let attributes ← getNumBuiltinAttributes
      let s := ext.toEnvExtension.getState (asyncMode := .sync) env
      let state ← ext.addImportedFn s.importedEntries { env, opts := {} }
      let mut env := ext.toEnvExtension.setState (asyncMode := .sync) env { s with state }
      if ext.name == regularInitAttr.ext.name then runInitializers loaded env
      let grown ← persistentEnvExtensionsRef.get
      if grown.size > all.size || (← getNumBuiltinAttributes) > attributes then
        let kernel := kernelOf env
        env := withKernel env { kernel with extensions := ← EnvExtension.ensureExtensionsArraySize kernel.extensions }
        for new in grown.extract all.size grown.size do
          let entries := env.header.moduleData.map (entriesOf new.name)
          env := new.toEnvExtension.modifyState (asyncMode := .sync) env fun s => { s with importedEntries := entries }
        env ← updateEnvAttributes env
      go env (i + 1)
    else return env
  entriesOf (name : Name) (data : ModuleData) : Array EnvExtensionEntry :=
    match data.entries.find? (·.1 == name) with
    | some (_, entries) => entries
    | none => #[]

/-- `importModules`, with each module of Lean's library read from disk once in the life of the process: where nothing is
mapped, another copy of `Init` alone would take 65 to 90 MB. -/
unsafe def importSharing (loaded : Loaded) (imports : Array Import) : IO Environment := do
  let start : ImportStateLayout := { moduleNameMap := ← loaded.modules.get, moduleNames := #[] }
  let start : ImportState := unsafeCast start
  withImporting do
    let (_, state) ← (importModulesCore imports).run start
    let state : ImportStateLayout := unsafeCast state
    loaded.modules.set (state.moduleNameMap.fold (init := {}) fun kept n m => if isCore n then kept.insert n m else kept)
    let state := { state with moduleNames := importOrder state.moduleNameMap imports }
    let state : ImportState := unsafeCast state
    let env ← finalizeImport state imports {} (trustLevel := 0) (leakEnv := false) (loadExts := false)
    loadExtensions loaded (indexCompiledNames env)

/-- What the process takes of memory by itself, in MB: not counted here, since an environment shares nearly all of its. -/
def ownMB : BaseIO Nat := return 0

@[implemented_by importSharing, inherit_doc importSharing]
opaque importNow (loaded : Loaded) (imports : Array Import) : IO Environment

end LeanAgent
