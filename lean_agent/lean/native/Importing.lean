/-
How modules are imported on a native toolchain, in the place of `LeanAgent/Importing.lean`: Lean does it all, and maps the
files.
-/
import LeanAgent.Trust
open Lean

namespace LeanAgent

unsafe def allowInitializersUnsafe : IO Unit := enableInitializersExecution

/-- Allow the next import to run initializers: what a module has between `initialize` and its end. Lean takes the permission
back when an import is done. -/
@[implemented_by allowInitializersUnsafe]
opaque allowInitializers : IO Unit

/-- What the process takes of memory by itself, in MB: pages of mapped files, which processes share, are no part of it. -/
def ownMB : BaseIO Nat := do
  match ← (IO.FS.lines "/proc/self/status").toBaseIO with
  | .error _ => return 0
  | .ok status =>
    let some line := status.find? (·.startsWith "RssAnon:") | return 0
    return (((line.replace "\t" " ").splitOn " ").filterMap (·.toNat?)).headD 0 / 1024

/-- What imports keep in the life of a process: the search path of the project whose initializers have run. -/
structure Loaded where
  initialized : IO.Ref (Option String)

def Loaded.create : BaseIO Loaded := return { initialized := ← IO.mkRef none }

def hasInitializers (env : Environment) : Bool :=
  env.header.moduleNames.zipIdx.any fun (module, i) => !isCore module && !(regularInitAttr.ext.getModuleEntries env i).isEmpty

/-- Import modules, with their extensions. Initializers run once in a process, by their module's name, and what they
register stays; so where those of one project have run, the process ends for modules of another, and a new one is started
in its place. -/
def importNow (loaded : Loaded) (imports : Array Import) : IO Environment := do
  let project := toString (← searchPathRef.get)
  if imports.any fun i => !isCore i.module then
    if (← loaded.initialized.get).any (· != project) then
      IO.eprintln "this process has run the initializers of another project"
      IO.Process.exit 75
  allowInitializers
  let env ← importModules imports {} (trustLevel := 0) (leakEnv := false) (loadExts := true) (level := .private)
  if hasInitializers env then loaded.initialized.set (some project)
  return env

end LeanAgent
