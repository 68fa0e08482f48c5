/-
What an induction may be by where no structure says it: a function into natural numbers of which the project says that it gets
smaller (`rank q < rank p` where one comes from `p` to `q`), a natural number and all smaller ones, or a principle that the project has
proved (`gcd_induction`).
-/
import LeanAgent.OwnTheorems
open Lean Meta

namespace LeanAgent.Descents

/-- So many natural numbers of a target are descended by, -/
def mostNumbers : Nat := 2

/-- and so many principles are used. -/
def mostPrinciples : Nat := 2

/-- The functions of which theorems say that they get smaller. -/
def measuresOf (env : Environment) (above : TheoremsAbove) : List Name :=
  ((above.concluding ``LT.lt).toList.filterMap fun (shape, _) =>
    if shape.left == shape.right && isOfProject env shape.left then some shape.left else none).eraseDups

/-- A function of a variable, if it is a natural number. -/
def applied? (f : Name) (x : Expr) : MetaM (Option Expr) := do
  let some applied ← observing? (mkAppM f #[x]) | return none
  let applied ← instantiateMVars applied
  let isNumber ← withReducible <| isDefEq (← inferType applied) (mkConst ``Nat)
  return if isNumber then some applied else none

/-- Whether a hypothesis says something of all that is smaller than that, as that of such an induction does. -/
def isDone (measure : Expr) : MetaM Bool := do
  (← getLCtx).getFVars.anyM fun x => do
    let type ← instantiateMVars (← inferType x)
    return (conditionsOf type).any fun condition => condition.isAppOfArity ``LT.lt 4 && condition.appArg! == measure

/-- An induction on what is measured of some variables, with the hypothesis told of all that is smaller, as a tactic has it behind
`induction`; nothing where a hypothesis of these has no name. -/
def byMeasure? (variables : Array Expr) (measure : Expr) : MetaM (Option String) := do
  let lctx ← getLCtx
  let rest := (← collectForwardDeps variables false).filter (!variables.contains ·)
  let some names := variables.mapM (variableText? lctx) | return none
  let some others := rest.mapM (variableText? lctx) | return none
  let unused (name : Name) : String := toString (lctx.getUnusedName name)
  let (h, n, ih) := (unused `h, unused `n, unused `ih)
  let given (names : Array String) : String := " ".intercalate names.toList
  let said := given (names ++ others ++ #[h])
  return s!"{h} : {← ppExpr measure} using Nat.strongRecOn{generalizingText names}; rename_i {n} {ih}; subst {h}; replace {ih} := fun {said} => @{ih} _ {h} {given (names ++ others)} rfl"

/-- Whether an induction on a natural number may say more by all smaller ones than by the one before: none of those that functions
take apart, and no type speaks of it. -/
def isValue (takenApart : Array String) (number : LocalDecl) : MetaM Bool := do
  let lctx ← getLCtx
  if takenApart.contains (toString number.userName) then return false
  return !(← lctx.getFVars.anyM fun x => do
    let type ← inferType x
    if type.containsFVar number.fvarId then return !(← isProp type) else return false)

/-- An induction by a principle of the project, on the first variables among some that are of its types. -/
def byPrinciple? (variables : Array Expr) (principle : Name) : MetaM (Option String) := withoutModifyingState do
  let (_, _, conclusion) ← forallMetaTelescope (← inferType (← mkConstWithFreshMVarLevels principle))
  let mut chosen := #[]
  for value in conclusion.getAppArgs do
    let type ← inferType value
    let isOne (x : Expr) : MetaM Bool := do
      if chosen.contains x then return false else withReducible <| isDefEq (← inferType x) type
    let some x ← variables.findM? isOne | return none
    chosen := chosen.push x
  let some names := chosen.mapM (variableText? (← getLCtx)) | return none
  return s!"{", ".intercalate names.toList} using {← nameText principle}"

/-- The inductions that a goal may have: one on the sum of what its variables are measured by, one on each natural number, and those by
principles. -/
def ofGoal (above : TheoremsAbove) (goal : MVarId) : MetaM (Array String) := goal.withContext do
  let target ← instantiateMVars (← goal.getType)
  let functions := measuresOf (← getEnv) above
  let lctx ← getLCtx
  let ih := lctx.getUnusedName `ih
  let mut variables := #[]
  let mut measured := #[]
  let mut sum? : Option Expr := none
  let mut numbers := #[]
  for d in lctx do
    if d.isImplementationDetail || d.isLet || !target.containsFVar d.fvarId then continue
    if (variableText? lctx d.toExpr).isNone || d.type.isSort then continue
    if ← isProp d.type then continue
    variables := variables.push d.toExpr
    if d.type.isConstOf ``Nat then
      numbers := numbers.push d
      continue
    let some measure ← functions.findSomeM? (applied? · d.toExpr) | continue
    measured := measured.push d.toExpr
    sum? := some (← match sum? with
      | none => pure measure
      | some sum => mkAppM ``HAdd.hAdd #[sum, measure])
  let takenApart ← (recursiveCalls (← getEnv) target).filterMapM fun call => takenApart? lctx call
  let mut byNumber := #[]
  for d in numbers do
    if ← isDone d.toExpr then continue
    unless ← isValue takenApart d do continue
    let others := (numbers.filter (·.fvarId != d.fvarId)).map fun other => toString other.userName
    byNumber := byNumber.push s!"{d.userName} using Nat.strongRecOn{generalizingText others}; rename_i {d.userName} {ih}"
  let byPrinciple ← (above.principles.extract 0 mostPrinciples).filterMapM (byPrinciple? variables)
  let others := byNumber.extract 0 mostNumbers ++ byPrinciple
  let some measure := sum? | return others
  if ← isDone measure then return others
  return (← byMeasure? measured measure).toArray ++ others

end LeanAgent.Descents
