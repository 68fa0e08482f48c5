/-
Steps in another language than tactics: `calc`, one relation after the other, and `conv`, rewriting inside a target.
-/
import LeanAgent.PantographGoal
open Lean Meta Elab

namespace LeanAgent.Pantograph

/-- The goal that a step acts on. -/
def Site.main? (site : Site) (goals : List MVarId) : Option MVarId :=
  (site.order goals).head?

def Outcome.map (outcome : Outcome) (f : State → State) : Outcome :=
  match outcome with
  | .done s messages => .done (f s) messages
  | other => other

-- ## calc

/-- One step of a calculation: the relation to prove, and (unless it ends where the goal does) what remains of the goal. -/
def calculate (stx : Syntax) (remainder : IO.Ref (Option MVarId)) : Tactic.TacticM Unit := do
  let goal ← Tactic.getMainGoal
  let rest := (← Tactic.getGoals).drop 1
  let new ← goal.withContext do
    let target ← instantiateMVars (← goal.getType)
    let some (relation, left, right) ← relationOf? target | throwError "calc works on a goal that is a relation"
    let type ← Term.elabType stx
    let some (_, lhs, _) ← relationOf? type | throwError "a step of calc is a relation"
    unless ← isDefEq lhs left do throwError "the step begins with{indentExpr lhs}\nwhere the calculation stands at{indentExpr left}"
    Term.synthesizeSyntheticMVarsNoPostponing
    let type ← instantiateMVars type
    if type.hasExprMVar then throwError "the step is not fully determined:{indentExpr type}"
    let proof ← mkFreshExprSyntheticOpaqueMVar type `calc
    if ← withReducible (isDefEq type target) then
      goal.assign proof
      return [proof.mvarId!]
    let some (_, _, rhs) ← relationOf? type | throwError "a step of calc is a relation"
    let remains := mkApp2 relation rhs right
    let tail ← mkFreshExprSyntheticOpaqueMVar remains (← goal.getTag)
    let (whole, wholeType) ← Term.mkCalcTrans proof type tail remains
    unless ← isDefEq wholeType target do throwError "the steps make{indentExpr wholeType}\nwhich is not the goal{indentExpr target}"
    goal.assign whole
    remainder.set (some tail.mvarId!)
    return [proof.mvarId!, tail.mvarId!]
  Tactic.setGoals (new ++ rest)

def calcStep (s : State) (site : Site) (text : String) (cancel? : Option IO.CancelToken) : IO Outcome :=
  withTerm s text fun stx => do
    let remainder ← IO.mkRef none
    let outcome ← step s site cancel? (calculate stx remainder)
    match ← remainder.get with
    | some tail => return outcome.map fun next => { next with fragments := (tail, .calc) :: next.fragments }
    | none => return outcome

def calcEnter (s : State) (site : Site) (goal : MVarId) (cancel? : Option IO.CancelToken) : IO Outcome :=
  step { s with fragments := (goal, .calc) :: s.fragments } site cancel? (pure ())

def calcLeave (s : State) (site : Site) (goal : MVarId) (cancel? : Option IO.CancelToken) : IO Outcome :=
  step { s with fragments := s.fragments.filter (·.1 != goal) } site cancel? (pure ())

-- ## conv

/-- Give every goal that is a left-hand side to rewrite the language of conv. -/
def markConv (outcome : Outcome) (parent equation : MVarId) (result : Expr) : IO Outcome := do
  let .done s messages := outcome | return outcome
  let act : Term.TermElabM (List MVarId) :=
    s.proof.goals.filterM fun g => return (isLHSGoal? (← instantiateMVars (← g.getType))).isSome && (s.fragment? g).isNone
  match ← s.proof.run none act with
  | .error e => return .failed [errorMessage (← e.toMessageData.toString)]
  | .ok (goals, _) =>
    let fragments := goals.map (fun g => (g, Fragment.conv parent equation result)) ++ s.fragments
    let s := { s with fragments }
    return .done { s with proof := { s.proof with goals := s.proof.goals.filter (!s.rewriting ·) } } messages

def convEnter (s : State) (site : Site) (cancel? : Option IO.CancelToken) : IO Outcome := do
  let made ← IO.mkRef (none : Option (MVarId × MVarId × Expr))
  let outcome ← step s site cancel? do
    let goal ← Tactic.getMainGoal
    let rest := (← Tactic.getGoals).drop 1
    let (result, equation) ← goal.withContext do Tactic.Conv.mkConvGoalFor (← instantiateMVars (← goal.getType))
    made.set (some (goal, equation.mvarId!, result))
    Tactic.setGoals (equation.mvarId! :: rest)
  match ← made.get with
  | some (parent, equation, result) => markConv outcome parent equation result
  | none => return outcome

def convStep (s : State) (site : Site) (parent equation : MVarId) (result : Expr) (text : String) (cancel? : Option IO.CancelToken) : IO Outcome := do
  -- there is no parser for conv's steps alone that this code can call: they are read where they usually stand
  let whole := "conv => " ++ text.replace "\n" "\n        "
  let stx ← match parseTactics s.proof.core.env s.proof.context whole with
    | .error e => return .unparsed e
    | .ok block => match block.find? (·.getKind == ``Parser.Tactic.Conv.convSeq) with
      | some steps => if steps.getTailPos? == block.getTailPos? then pure steps else return .unparsed "these are not only steps of conv"
      | none => return .unparsed "these are no steps of conv"
  if let some failure := refused? stx then return .failed [errorMessage failure.message]
  markConv (← step s site cancel? (Tactic.evalTactic stx)) parent equation result

/-- What is left to rewrite stays as it is, and the goal comes back with its new target. -/
def convLeave (s : State) (site : Site) (parent equation : MVarId) (result : Expr) (cancel? : Option IO.CancelToken) : IO Outcome := do
  let mine := s.fragments.filterMap fun (g, f) => match f with
    | .conv p _ _ => if p == parent then some g else none
    | .calc => none
  let fragments := s.fragments.filter fun (g, _) => !mine.contains g
  step { s with fragments } site cancel? do
    for g in mine do
      unless ← g.isAssigned do g.refl
    let rest ← (← Tactic.getGoals).filterM fun g => return !(← g.isAssigned)
    let main ← parent.withContext do
      parent.replaceTargetEq (← instantiateMVars result) (← instantiateMVars (mkMVar equation))
    Tactic.setGoals (main :: rest)

end LeanAgent.Pantograph
