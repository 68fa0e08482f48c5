/-
What is written otherwise for one release of Lean than for the next: each place says which release changed it, and takes what
the present one accepts.
-/
import Lean
open Lean Meta Elab

namespace LeanAgent

/-- Have the kernel check a declaration and add it; `maxHeartbeats`: 0 is no limit. Since 4.33 (lean4#13956) the depth of its
recursion is given too, with 0 for no limit other than the stack, as there was none before. -/
def addChecked (env : Environment) (maxHeartbeats : USize) (decl : Declaration) (cancel? : Option IO.CancelToken) :
    Except Kernel.Exception Environment := by
  first
  | exact env.addDeclCore maxHeartbeats decl cancel?
  | exact env.addDeclCore maxHeartbeats 0 decl cancel?

/-- Have the kernel check new constants, and return what it has made of each name. Since 4.34 (lean4#14391) Lean's own
`replay` is one of `Kernel.Environment`. -/
def replayAll (env : Environment) (constants : Std.HashMap Name ConstantInfo) : IO (Name → Option ConstantInfo) := by
  first
  | exact do
      let replayed ← env.replay constants
      return fun n => replayed.constants.find? n
  | exact do
      let replayed ← env.toKernelEnv.replay constants
      return fun n => replayed.constants.find? n

/-- A term as a relation of `calc`, with its sides. A later Lean (its `Lean.Elab.Calc` has `getCalcRelation`) fails where
there is none. -/
def relationOf? (e : Expr) : MetaM (Option (Expr × Expr × Expr)) := by
  first
  | exact Term.getCalcRelation? e
  | exact do try return some (← Term.getCalcRelation e) catch _ => return none

/-- What a printed expression says of itself as a whole. A later Lean has positions in a type of their own where 4.28 has
numbers. -/
def infoOfWhole? (printed : FormatWithInfos) : Option Elab.Info := by
  first
  | exact printed.infos[(1 : Nat)]?
  | exact printed.infos[SubExpr.Pos.root]?

/-- Elaborate a command from the state in `ref`, where the new one is left, also if it fails. Since lean4#13917 (in 4.33)
Lean's own function takes the module's commands too, for linters, so that it is not applied to a context directly. -/
def elaborateTop (stx : Syntax) (context : Command.Context) (ref : IO.Ref Command.State) : EIO Exception Unit :=
  let act : Command.CommandElabM Unit := Command.elabCommandTopLevel stx
  ReaderT.run (ReaderT.run act context) ref

/-- An action that fails in Lean's own way as one that fails with a text. -/
def asIO (act : EIO Exception α) : IO α := do
  match ← act.toBaseIO with
  | .ok a => return a
  | .error e => throw <| IO.userError (← e.toMessageData.toString)

/-- Run an action where an info tree was made. A later Lean (its `Lean.Elab.InfoTree.Main` takes a token for cancelling here)
fails with an `Exception` where 4.28 fails with a text. -/
def runThere (context : ContextInfo) (lctx : LocalContext) (act : MetaM α) : IO α := by
  first
  | exact context.runMetaM lctx act
  | exact asIO (context.runMetaM lctx act)

/-- Run an action where a message was made; in two forms, as `runThere`. -/
def runForMessage (context : PPContext) (act : MetaM α) : IO α := by
  first
  | exact context.runMetaM act
  | exact asIO (context.runMetaM act)

/-- In the order of a key, those with an equal one in the order that they had: in which order `Array.qsort` leaves these differs
between releases (#14653). -/
def inOrderOf (key : α → Nat) (all : Array α) : Array α :=
  (all.zipIdx.qsort fun a b => key a.1 < key b.1 || (key a.1 == key b.1 && a.2 < b.2)).map (·.1)

/-- The memory layout of `RealizationContext`, which is private. -/
structure RealizationsLayout where
  env : NonScalar
  opts : Options
  realizeMapRef : IO.Ref (NameMap NonScalar)

/-- The memory layout of `Environment`, whose fields are private. -/
structure EnvironmentLayout where
  base : NonScalar
  serverBaseExts : NonScalar
  checked : NonScalar
  asyncConstsMap : NonScalar
  asyncCtx? : Option NonScalar
  importRealizationCtx? : Option RealizationsLayout
  localRealizationCtxMap : NonScalar
  allRealizations : NonScalar
  isExporting : Bool

unsafe def realizingAnewUnsafe (env : Environment) : BaseIO Environment := by
  first
  | run_tac                                            -- while this is compiled: has this Lean the fields of the layouts above?
      let known ← getEnv
      let fieldsOf (type : Name) := (known.find? (mkPrivateNameCore `Lean.Environment (type ++ `mk))).map (·.type.getForallBinderNames)
      unless fieldsOf `Lean.Environment == some [`base, `serverBaseExts, `checked, `asyncConstsMap, `asyncCtx?, `importRealizationCtx?,
          `localRealizationCtxMap, `allRealizations, `isExporting] && fieldsOf `Lean.RealizationContext == some [`env, `opts, `realizeMapRef] do
        throwError "it has others"
    exact do
      let layout : EnvironmentLayout := unsafeCast env
      let some known := layout.importRealizationCtx? | return env
      let fresh := { known with realizeMapRef := ← IO.mkRef {} }
      return unsafeCast { layout with importRealizationCtx? := some fresh }
  | exact env.enableRealizationsForImports {}
  | exact return env

/-- The environment of another file with the same imports. What Lean makes of imported constants on demand (`f.eq_def`,
`match_1.splitter`) it keeps beside them, some under private names of the file that asked first: in the next file these would be
another module's, and what imports both would have them twice. -/
@[implemented_by realizingAnewUnsafe]
def realizingAnew (env : Environment) : BaseIO Environment := return env

end LeanAgent
