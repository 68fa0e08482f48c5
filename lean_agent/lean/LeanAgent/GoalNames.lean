/-
What tactics may say at a goal: the project's definitions that it speaks of, calls, what can be taken apart, and the like, each as
a tactic can say it. types.py says what each of them is.
-/
import LeanAgent.Inversions
open Lean Meta

namespace LeanAgent

structure GoalNames where
  definitions : Array String := #[]
  unfoldings : Array String := #[]
  inversions : Array Inversion := #[]
  rules : Array String := #[]
  steps : Array String := #[]
  ofSteps : Array String := #[]
  reducible : Array String := #[]
  predicates : Array String := #[]
  calls : Array String := #[]
  recursion : Array String := #[]
  binders : Array String := #[]
  enumerations : Array String := #[]
  whole : Array String := #[]
  derivations : Array String := #[]
  functions : Array String := #[]
  varied : Array String := #[]
  arguments : Array String := #[]
  structures : Array String := #[]

def GoalNames.json (g : GoalNames) : List (String × Json) :=
  let lists := #[
    ("definitions", g.definitions),
    ("unfoldings", g.unfoldings),
    ("rules", g.rules),
    ("steps", g.steps),
    ("ofSteps", g.ofSteps),
    ("reducible", g.reducible),
    ("predicates", g.predicates),
    ("calls", g.calls),
    ("recursion", g.recursion),
    ("binders", g.binders),
    ("enumerations", g.enumerations),
    ("whole", g.whole),
    ("derivations", g.derivations),
    ("functions", g.functions),
    ("varied", g.varied),
    ("arguments", g.arguments),
    ("structures", g.structures)]
  let told := lists.toList.filterMap fun (name, texts) => if texts.isEmpty then none else some (name, toJson texts)
  if g.inversions.isEmpty then told else ("inversions", .arr (g.inversions.map inversionJson)) :: told

/-- A hypothesis or a target, with the text that Lean prints of it, and the name that a tactic calls it by, if it can. -/
structure Shown where
  name? : Option String := none
  type : Expr
  text : String

/-- The inductive predicate of the project that a proposition is about, where its text begins with another word. -/
def behindNotation? (env : Environment) (shown : Shown) : Option Name := do
  let c := headOf shown.type
  let some (.inductInfo info) := env.find? c | none
  guard <| isOfProject env c && endsInProp env info.type
  let word := ((shown.text.splitOn " ").headD "").trimAscii.toString
  let name := privateToUserName c
  guard <| !(toString name == word || (toString name).endsWith s!".{word}")
  return name

/-- Names for what is bound in front of a type. -/
def bound (type : Expr) (names : Array String := #[]) : Array String :=
  match type with
  | .forallE name _ body info =>
    let unnamed := if info.isInstImplicit then "inst" else "h"
    bound body (names.push (if name.hasMacroScopes then unnamed else toString name))
  | _ => names

/-- What a target says `∀` of that does not say so itself, as `Injective f` does: names that `intro` may take. -/
def hiddenBinders (type : Expr) : MetaM (Array String) := do
  if type.consumeMData matches .forallE .. || type.isAppOf ``Not || type.isAppOf ``Ne then return #[]
  try return bound (← whnf type) catch _ => return #[]

/-- Names for the arguments of functions that a target equates. -/
def argumentsOf (type : Expr) : MetaM (Array String) := do
  let some (of, _, _) := type.consumeMData.eq? | return #[]
  return bound (← whnfR of)

/-- What tactics may say at a goal with these hypotheses; `lctx` has the names that they are printed with. -/
def goalNames (lctx : LocalContext) (hypotheses : Array Shown) (target : Shown) : MetaM GoalNames := do
  let env ← getEnv
  let types := #[target.type] ++ hypotheses.map (·.type)
  let definitions := types.foldl (fun known type => definitionsIn env type known) #[]
  let reached := types.foldl (fun known type => reachedFrom env type known) #[]
  let calls := types.foldl (fun known type => recursiveCalls env type known) #[]
  let texts (names : Array Name) : MetaM (Array String) := names.mapM fun c => nameText c
  let (steps, ofSteps) := behindRules env definitions
  let mut names : GoalNames := {
    definitions := ← texts definitions
    unfoldings := ← texts (unfoldingsOf env reached)
    inversions := inversionsOf env (definitions ++ steps) types
    rules := ← texts (rulesOf env (definitions ++ steps))
    steps := ← texts steps
    ofSteps := ← texts ofSteps
    reducible := ← texts (definitions.filter (isReducible env))
    predicates := ← texts (definitions.filter fun c => (env.find? c).any (endsInProp env ·.type))
    calls := ← calls.filterMapM (callText? lctx ·)
    recursion := (← calls.filterMapM (takenApart? lctx ·)).toList.eraseDups.toArray
    binders := ← if definitions.isEmpty then pure #[] else hiddenBinders target.type
    enumerations := (enumerationsIn env types reached).map (enumerationText env)
    functions := ← texts (definitions.filter (makesValues env))
    varied := (← variedFunctions calls).filterMap fun id => variableText? lctx (.fvar id)
    arguments := ← argumentsOf target.type }
  for shown in hypotheses do
    let some name := shown.name? | continue
    let fields ← fieldsOfType shown.type
    unless fields.isEmpty do
      names := { names with structures := names.structures.push (" ".intercalate (name :: fields.toList.map toString)) }
    unless isTakenApart env shown.type do names := { names with whole := names.whole.push name }
    if let some predicate := behindNotation? env shown then
      names := { names with derivations := names.derivations.push s!"{name} {predicate}" }
  if let some predicate := behindNotation? env target then
    names := { names with derivations := names.derivations.push s!"⊢ {predicate}" }
  return names

end LeanAgent
