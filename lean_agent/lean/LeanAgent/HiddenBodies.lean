/-
Errors that come of this build alone: it ships definitions of Lean's library without their bodies, where another Lean
would go on reducing. Looks at Lean's own messages; what is printed of them is not taken apart.
-/
import LeanAgent.Goals
open Lean Meta Elab

namespace LeanAgent

/-- Whether a constant is a definition of the library whose body is not here. -/
def isHiddenBody (env : Environment) (n : Name) : MetaM Bool := do
  if n == ``sorryAx || !ofLibrary env n then return false             -- where something stops at an error before it, there is no body anywhere
  match env.find? n with
  | some (.axiomInfo i) => return !(← isProp i.type)
  | _ => return false

/-- What a message speaks of: its expressions and the types of its goals, each with the context that it is printed in. -/
partial def expressionsOf (message : MessageData) : BaseIO (Array (PPContext × Expr)) :=
  go { currNamespace := .anonymous, openDecls := [] } none message #[]
where
  go (names : NamingContext) (context? : Option PPContext) (m : MessageData) (acc : Array (PPContext × Expr)) : BaseIO (Array (PPContext × Expr)) := do
    match m with
    | .withContext c m =>
      go names (some { env := c.env, mctx := c.mctx, lctx := c.lctx, opts := c.opts, currNamespace := names.currNamespace, openDecls := names.openDecls }) m acc
    | .withNamingContext names m =>
      go names (context?.map fun c => { c with currNamespace := names.currNamespace, openDecls := names.openDecls }) m acc
    | .nest _ m | .group m | .tagged _ m | .ofWidget _ m => go names context? m acc
    | .compose a b => go names context? b (← go names context? a acc)
    | .ofGoal goal =>
      let some context := context? | return acc
      let some decl := context.mctx.findDecl? goal | return acc
      return acc.push ({ context with lctx := decl.lctx }, decl.type)
    | .ofLazy print _ =>
      match (← print context?).get? MessageData with
      | some m => go names context? m acc
      | none => return acc
    | .ofFormatWithInfos printed =>
      let some context := context? | return acc
      let info? := match infoOfWhole? printed with
        | some (.ofTermInfo info) => some info
        | some (.ofDelabTermInfo info) => some info.toTermInfo
        | _ => none
      return info?.elim acc fun info => acc.push ({ context with lctx := info.lctx }, info.expr)
    | _ => return acc                                  -- a trace

/-- A definition without a body at which the reduction of a term stops. -/
partial def stopsAt? (env : Environment) (e : Expr) (fuel : Nat := 16) : MetaM (Option Name) := do
  if fuel == 0 then return none
  let e ← whnfD e
  let below (parts : Array Expr) : MetaM (Option Name) := do
    for part in parts do
      if let some n ← stopsAt? env part (fuel - 1) then return some n
    return none
  match e.getAppFn with
  | .proj _ _ value => stopsAt? env value (fuel - 1)
  | .const n _ =>
    if ← isHiddenBody env n then return some n
    let args := e.getAppArgs
    if let some info ← getMatcherInfo? n then return ← below (args.extract info.getFirstDiscrPos (info.getFirstDiscrPos + info.numDiscrs))
    match env.find? n with
    | some (.recInfo i) => below (args.extract i.getMajorIdx (i.getMajorIdx + 1))
    | some (.ctorInfo i) => below (args.extract i.numParams args.size)
    | _ => match env.getProjectionFnInfo? n with
      | some info => below (args.extract info.numParams (info.numParams + 1))
      | none => return none
  | _ => return none

/-- Words of messages about a definition that could not be unfolded, and about terms that could not be computed. -/
def unfoldingWords : List String :=
  ["failed to unfold", "definition with an exposed body", "did not delta reduce", "Expected an equality or iff proof or definition name"]

def reductionWords : List String :=
  ["not definitionally equal", "did not reduce to `isTrue` or `isFalse`", "Type mismatch"]

def consequenceWords : List String := ["Type mismatch", "made no progress", "unsolved goals"]

def hasWords (words : List String) (text : String) : Bool := words.any fun w => (text.splitOn w).length > 1

/-- The equation of a definition that a message misses (`f.eq_def`): there is none without the body. -/
def missingEquationOf? (text : String) : Option Name := do
  let [_, rest] := text.splitOn "Unknown constant `" | none
  let .str definition last := ((rest.splitOn "`").headD "").toName | none
  guard <| last.startsWith "eq_"
  return definition

/-- Whether an error comes of a body that is not here. -/
def isOfHiddenBody (env : Environment) (m : Message) (text : String) : IO Bool := do
  if let some definition := missingEquationOf? text then
    return ← runForMessage { env } (isHiddenBody env definition)
  let unfolds := hasWords unfoldingWords text
  unless unfolds || hasWords reductionWords text do return false
  for (context, e) in ← expressionsOf m.data do
    let act : MetaM Bool := do
      let e ← instantiateMVars e
      if unfolds then return ← e.getUsedConstants.anyM (isHiddenBody context.env)
      let sides := match e.eq? with
        | some (_, a, b) => #[a, b]
        | none => #[e]
      return (← sides.filterMapM (stopsAt? context.env ·)).size > 0
    -- no more than a glance, since the time is the file's
    let context := { context with opts := context.opts.set `maxHeartbeats (10000 : Nat) }
    let stops ← try runForMessage context act catch _ => pure false
    if stops then return true
  return false

/-- Which errors of a command come of bodies that are not here, and what follows from these. -/
def hiddenBodyErrors (env : Environment) (messages : List Message) : IO (List Bool) := do
  unless messages.any (·.severity == .error) do return messages.map fun _ => false
  let texts ← messages.mapM fun m => (m.data.toString : IO String)
  let marks ← (messages.zip texts).mapM fun (m, text) => if m.severity == .error then isOfHiddenBody env m text else pure false
  unless marks.any id do return marks
  return ((messages.zip texts).zip marks).map fun ((m, text), mark) => mark || m.severity == .error && hasWords consequenceWords text

end LeanAgent
