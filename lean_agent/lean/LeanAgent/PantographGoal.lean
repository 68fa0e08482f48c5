/-
Goal states as Pantograph's protocol has them: a tactic acts at a site, goals can go dormant and be brought back, and a
step can be a tactic, a term, a `have`, a `let` or a draft with holes. A state is exact and immutable, like all of ours.
-/
import LeanAgent.Goals
open Lean Meta Elab

namespace LeanAgent.Pantograph

/-- An answer that is an error; `kind` is one of the protocol's words. -/
structure Trouble where
  kind : String
  desc : String

def Trouble.json (t : Trouble) : Json := Json.mkObj [("error", t.kind), ("desc", t.desc)]

/-- The language of a goal's next step, where it is not tactics. A conv goal rewrites the target of `parent`: `equation`
will prove that target equal to `result`. -/
inductive Fragment where
  | calc
  | conv (parent equation : MVarId) (result : Expr)

/-- `proof.goals` are the goals in scope; what is open and not among them is dormant. `parents` are the goals that the
last step acted on. -/
structure State where
  proof : ProofState
  parents : List MVarId
  fragments : List (MVarId × Fragment) := []

def State.fragment? (s : State) (goal : MVarId) : Option Fragment :=
  (s.fragments.find? (·.1 == goal)).map (·.2)

/-- Goals whose target is being rewritten: they come back when conv mode ends. -/
def State.rewriting (s : State) (goal : MVarId) : Bool :=
  s.fragments.any fun f => match f.2 with
    | .conv parent _ _ => parent == goal
    | .calc => false

/-- Where a tactic acts: on all goals in scope, on one with the others going dormant, or on one with the others after it. -/
inductive Site where
  | unfocus
  | focus (goal : MVarId)
  | prefer (goal : MVarId)

def Site.order (site : Site) (goals : List MVarId) : List MVarId :=
  match site with
  | .unfocus => goals
  | .focus goal => [goal]
  | .prefer goal => goal :: goals.filter (· != goal)

/-- What came of a step. -/
inductive Outcome where
  | done (state : State) (messages : List Message)
  | failed (messages : List Message)
  | unparsed (message : String)
  | trouble (t : Trouble)

def errorMessage (text : String) : Message :=
  { fileName := "<Pantograph>", pos := ⟨0, 0⟩, data := .ofFormat text }

/-- An exception on the way to an answer: the time limit is told apart from what the elaborator says. -/
def troubleOf (e : Exception) : IO Trouble := do
  if e.isInterrupt then return ⟨"internal", "interrupt"⟩
  return ⟨"exception", ← e.toMessageData.toString⟩

/-- What the kernel or the axioms have against a finished root. Holes are no objection here: the protocol reports them. -/
def objection (s : ProofState) : MetaM (Option String) := do
  match ← checkSolved s with
  | some failure => return if failure.kind == "sorry" then none else some failure.message
  | none => return none

def openRoots (roots : List MVarId) : MetaM Bool :=
  roots.anyM fun root => return (← instantiateMVars (mkMVar root)).hasExprMVar

/-- Run one step at a site. -/
def step (s : State) (site : Site) (cancel? : Option IO.CancelToken) (act : Tactic.TacticM Unit) : IO Outcome := do
  let before := site.order s.proof.goals
  let run : Term.TermElabM (List MVarId × Option (List Message)) := do
    let context : Tactic.Context := { elaborator := .anonymous, recover := false }
    let whole : Term.TermElabM (List MVarId) := do
      let (_, state) ← (act context).run { goals := before }
      Term.synthesizeSyntheticMVarsNoPostponing
      Core.checkInterrupted         -- a tactic that never looked at the clock is over the limit all the same
      return state.goals
    let goals ← goalsLeft whole
    let goals ← match site with
      | .focus _ => goals.filterM fun g => return !(← g.isAssignedOrDelayedAssigned)
      | _ => pure (← leftGoals s.proof.roots goals).1
    let log ← Core.getMessageLog
    if log.hasErrors then return ([], some (log.toList.filter (!·.isSilent)))
    if goals.isEmpty && !(← openRoots s.proof.roots) then
      if let some words ← objection s.proof then return ([], some [errorMessage words])
    return (goals, none)
  match ← s.proof.run cancel? run with
  | .error e =>
    if e.isInterrupt then return .trouble (← troubleOf e)
    return .failed [errorMessage (← e.toMessageData.toString)]
  | .ok ((_, some messages), _) => return .failed messages
  | .ok ((goals, none), next) =>
    let messages := next.core.messages.toList.filter (!·.isSilent)
    let proof := { next with goals, core := quiet next.core }
    let parents := match site with
      | .unfocus => before.head?.toList
      | .focus goal => [goal]
      | .prefer goal => [goal]
    return .done { proof := { proof with goals := goals.filter (!s.rewriting ·) }, parents, fragments := s.fragments } messages

-- ## Kinds of steps

/-- What may not be run here. `sorry` may: the answer says that it is there. -/
def refused? (stx : Syntax) : Option Failure :=
  (forbidden? stx).filter (·.kind != "sorry")

def parseTerm (s : State) (text : String) : Except String Syntax :=
  Parser.runParserCategory s.proof.core.env `term text "<Pantograph>"

def withTerm (s : State) (text : String) (act : Syntax → IO Outcome) : IO Outcome := do
  match parseTerm s text with
  | .error e => return .unparsed e
  | .ok stx =>
    if let some failure := refused? stx then return .failed [errorMessage failure.message]
    act stx

def tacticStep (s : State) (site : Site) (text : String) (cancel? : Option IO.CancelToken) : IO Outcome := do
  match parseTactics s.proof.core.env s.proof.context text with
  | .error e => return .unparsed e
  | .ok stx =>
    if let some failure := refused? stx then return .failed [errorMessage failure.message]
    step s site cancel? (Tactic.evalTactic stx)

/-- Fill the goal with a term; its holes, `_` and `?_` alike, become goals. -/
def termStep (s : State) (site : Site) (text : String) (cancel? : Option IO.CancelToken) : IO Outcome :=
  withTerm s text fun stx => step s site cancel? (Tactic.refineCore stx `refine (allowNaturalHoles := true))

def bind (isLet : Bool) (name : Name) (stx : Syntax) : Tactic.TacticM Unit := do
  let goal ← Tactic.getMainGoal
  let rest := (← Tactic.getGoals).drop 1
  let new ← goal.withContext do
    let type ← Term.elabType stx
    Term.synthesizeSyntheticMVarsNoPostponing
    let type ← instantiateMVars type
    let branch ← mkFreshExprSyntheticOpaqueMVar type (if isLet then name else .anonymous)
    let after ← if isLet then goal.define name type branch else goal.assert name type branch
    let (_, main) ← after.intro1P
    return [branch.mvarId!, main]
  Tactic.setGoals (new ++ rest)

/-- A new hypothesis whose proof (`have`) or value (`let`) becomes the first goal. Without a name it is `this`, as in Lean. -/
def bindStep (s : State) (site : Site) (isLet : Bool) (name : String) (text : String) (cancel? : Option IO.CancelToken) : IO Outcome :=
  withTerm s text fun stx => step s site cancel? (bind isLet (if name.isEmpty then `this else Name.mkSimple name) stx)

/-- Every `sorry` of a term as a goal in its own local context. -/
def openHoles (e : Expr) : MetaM (Expr × List MVarId) := do
  let holes ← IO.mkRef (#[] : Array MVarId)
  let e ← Meta.transform e (pre := fun e => do
    if e.isAppOf ``sorryAx then
      let type ← instantiateMVars (← inferType e)
      if type.hasSorry then throwError "a hole's type speaks of another hole: coupling is not allowed in a draft"
      let hole ← mkFreshExprSyntheticOpaqueMVar type
      holes.modify (·.push hole.mvarId!)
      return .done hole
    return .continue)
  return (e, (← holes.get).toList)

def draft (stx : Syntax) : Tactic.TacticM Unit := do
  let goal ← Tactic.getMainGoal
  let rest := (← Tactic.getGoals).drop 1
  let new ← goal.withContext do
    let value ← Term.elabTermEnsuringType stx (← goal.getType)
    Term.synthesizeSyntheticMVarsNoPostponing
    let (value, holes) ← openHoles (← instantiateMVars value)
    goal.assign value
    return holes
  Tactic.setGoals (new ++ rest)

def draftStep (s : State) (site : Site) (text : String) (cancel? : Option IO.CancelToken) : IO Outcome :=
  withTerm s text fun stx => step s site cancel? (draft stx)

-- ## Goals that come back

/-- Bring goals back into scope; what is settled by now stays away. -/
def resume (target : State) (goals : List MVarId) : IO (Except Trouble State) := do
  let strangers := goals.filter fun g => (target.proof.meta.mctx.findDecl? g).isNone
  unless strangers.isEmpty do
    return .error ⟨"structure", s!"Goals {strangers.map (·.name)} are not in scope"⟩
  let act : Term.TermElabM (List MVarId × Option String) := do
    let all := target.proof.goals ++ goals.filter (!target.proof.goals.contains ·)
    let left ← all.filterM fun g => return !(← g.isAssignedOrDelayedAssigned)
    if left.isEmpty && !(← openRoots target.proof.roots) then return (left, ← objection target.proof)
    return (left, none)
  match ← target.proof.run none act with
  | .error e => return .error (← troubleOf e)
  | .ok ((_, some words), _) => return .error ⟨"structure", words⟩
  | .ok ((left, none), proof) => return .ok { target with proof := { proof with goals := left } }

/-- After `target` has done with its goals, take up those of `branch`, one of its ancestors. -/
def continue' (target branch : State) : IO (Except Trouble State) := do
  unless target.proof.goals.isEmpty do return .error ⟨"structure", "Target state has unresolved goals"⟩
  unless target.proof.roots == branch.proof.roots do return .error ⟨"structure", "Roots of the two states differ"⟩
  resume target branch.proof.goals

-- ## Goals that repeat an earlier one

/-- Where each variable of `source` finds one of the same type (and value) in `goal`, and whether the targets agree then. -/
def matching? (goal source : MVarId) : MetaM (Option (Array Expr × Array Expr)) := do
  let ours := ((← goal.getDecl).lctx).foldl (init := #[]) fun acc d => if d.isImplementationDetail then acc else acc.push d
  let theirs := ((← source.getDecl).lctx).foldl (init := #[]) fun acc d => if d.isImplementationDetail then acc else acc.push d
  let mut from' : Array Expr := #[]
  let mut to : Array Expr := #[]
  for d in theirs do
    let type := (← instantiateMVars d.type).replaceFVars from' to
    let value? ← d.value?.mapM fun v => return (← instantiateMVars v).replaceFVars from' to
    let mut found : Option Expr := none
    for o in ours do
      if found.isNone && !to.contains o.toExpr && (← instantiateMVars o.type) == type then
        let own? ← o.value?.mapM fun v => instantiateMVars v
        if value?.isNone || own? == value? then found := some o.toExpr
    let some image := found | return none
    from' := from'.push d.toExpr
    to := to.push image
  let wanted := (← instantiateMVars (← source.getType)).replaceFVars from' to
  if wanted == (← instantiateMVars (← goal.getType)) then return some (from', to) else return none

inductive Subsumption where
  | none
  | subsumed (state : State) (by' : MVarId)
  | cycle (by' : MVarId)

/-- Whether `goal` is solved by whatever solves one of `candidates`; a candidate whose own solution waits for `goal` makes
a cycle instead. -/
def subsume (s : State) (goal : MVarId) (candidates : List MVarId) : IO (Except Trouble Subsumption) := do
  let strangers := (goal :: candidates).filter fun g => (s.proof.meta.mctx.findDecl? g).isNone
  unless strangers.isEmpty do return .error ⟨"index", s!"Goals {strangers.map (·.name)} are not in scope"⟩
  let act : Term.TermElabM (Option (MVarId × Bool)) := do
    for source in candidates do
      if source == goal then continue
      let some (from', to) ← matching? goal source | continue
      let waiting ← getMVars (← instantiateMVars (mkMVar source))
      if waiting.contains goal then return some (source, true)
      -- abstracting would solve a natural metavariable by a new one, and so take the goal out of its user's hands
      source.setKind .syntheticOpaque
      let value ← source.withContext (mkLambdaFVars from' (mkMVar source))
      goal.assign (value.beta to)
      return some (source, false)
    return none
  match ← s.proof.run none act with
  | .error e => return .error (← troubleOf e)
  | .ok (none, _) => return .ok .none
  | .ok (some (source, true), _) => return .ok (.cycle source)
  | .ok (some (source, false), proof) =>
    let proof := { proof with goals := s.proof.goals.filter (· != goal) }
    return .ok (.subsumed { s with proof } source)

-- ## As the protocol writes it

/-- The options that change what is printed. -/
structure Printing where
  dependents : Bool := false
  auxiliary : Bool := false
  details : Bool := false

def expression (p : Printing) (e : Expr) : MetaM Json := do
  let e ← instantiateMVars e
  let fields := [("pp", Json.str (← ppExpr e).pretty)]
  if !p.dependents then return Json.mkObj fields
  let names := (← getMVars e).map fun m => Json.str (toString m.name)
  return Json.mkObj (fields ++ [("dependentMVars", .arr names)])

def variableJson (p : Printing) (names : ShownNames) (d : LocalDecl) : MetaM Json := do
  let (shown, inaccessible) := names.name d
  -- what `have` made has a value that is nobody's business; only `let` shows it
  let value ← if d.isLet then d.value?.mapM (expression p) else pure none
  return Json.mkObj <| [("name", .str (toString d.fvarId.name)), ("userName", .str shown), ("isInaccessible", .bool inaccessible),
    ("type", ← expression p d.type)] ++ (match value with | some v => [("value", v)] | none => [])

def goalJson (p : Printing) (goal : MVarId) (fragment? : Option Fragment) : MetaM Json := goal.withContext do
  let decl ← goal.getDecl
  let names := ShownNames.of (← getOptions) decl.lctx
  let tag := decl.userName.eraseMacroScopes
  withLCtx (names.context decl.lctx) decl.localInstances do
    let mut vars := #[]
    for d in decl.lctx do
      if d.isAuxDecl && !p.auxiliary then continue
      if d.isImplementationDetail && !d.isAuxDecl && !p.details then continue
      vars := vars.push (← variableJson p names d)
    let (word, target) := match fragment? with
      | some .calc => ("calc", decl.type)
      | some (.conv ..) => ("conv", (isLHSGoal? decl.type).getD decl.type)
      | none => ("tactic", decl.type)
    return Json.mkObj <| [("name", Json.str (toString goal.name)), ("fragment", .str word), ("target", ← expression p target), ("vars", .arr vars)]
      ++ (if tag.isAnonymous then [] else [("userName", .str (toString tag))])

def State.goalsJson (s : State) (p : Printing) : IO Json := do
  match ← s.proof.run none (s.proof.goals.toArray.mapM fun goal => (goalJson p goal (s.fragment? goal) : Term.TermElabM Json)) with
  | .ok (goals, _) => return .arr goals
  | .error e => throw <| IO.userError (← e.toMessageData.toString)

/-- What stands by now in the place of some metavariables: also behind those that wait for others to be assigned first, of
which `instantiateMVars` shows nothing. -/
def valuesOf (goals : List MVarId) : MetaM (Array Expr) := do
  let mut values := #[]
  for goal in goals do
    let value ← instantiateMVars (mkMVar goal)
    values := values.push value
    for m in ← getMVars value do
      if let some waiting ← getDelayedMVarAssignment? m then
        values := values.push (← instantiateMVars (mkMVar waiting.mvarIdPending))
  return values

/-- The metavariables in all that stands in the place of the roots. -/
def State.openGoals (s : State) : MetaM (List MVarId) := do
  return (← s.proof.roots.toArray.flatMapM fun root => do getMVars (← instantiateMVars (mkMVar root))).toList

/-- Whether there is a hole in values, or in what tactics have declared since `before`. -/
def haveSorry (values : Array Expr) (before : Environment) : MetaM Bool := do
  if values.any (·.hasSorry) then return true
  return (addedConstants before (← getEnv)).any fun (_, info) => info.type.hasSorry || (info.value? (allowOpaque := true)).any (·.hasSorry)

def haveUnsafe (values : Array Expr) : MetaM Bool := do
  let env ← getEnv
  return values.any fun e => e.getUsedConstants.any fun n => (env.find? n).any (·.isUnsafe)

/-- The value of a goal, if it has one by now. -/
def valueOf? (goal : MVarId) : MetaM (Option Expr) := do
  if ← goal.isAssignedOrDelayedAssigned then return some (← instantiateMVars (mkMVar goal)) else return none

def messagesJson (messages : List Message) : IO Json := do
  let all ← messages.toArray.mapM fun m => (m.toJson : IO Json)
  return .arr all

/-- What came of a step from `before`. A hole counts wherever the step has put it, also in the place of another goal. -/
def Outcome.json (outcome : Outcome) (before : State) (id : Nat) (p : Printing) : IO Json := do
  match outcome with
  | .trouble t => return t.json
  | .unparsed e => return Json.mkObj [("parseError", .str e), ("hasSorry", .bool false), ("hasUnsafe", .bool false)]
  | .failed messages => return Json.mkObj [("messages", ← messagesJson messages), ("hasSorry", .bool false), ("hasUnsafe", .bool false)]
  | .done s messages =>
    let goals ← before.proof.ask before.openGoals
    let (hasSorry, hasUnsafe) ← s.proof.ask do
      let values ← valuesOf goals
      return (← haveSorry values before.proof.core.env, ← haveUnsafe values)
    return Json.mkObj [("nextStateId", id), ("goals", ← s.goalsJson p), ("messages", ← messagesJson messages), ("hasSorry", .bool hasSorry), ("hasUnsafe", .bool hasUnsafe)]

/-- Print a state: its root, the values of the goals that the last step acted on, its goals, and further metavariables. -/
def State.print (s : State) (p : Printing) (root parents goals : Bool) (extra : List Name) : IO Json := do
  let act : Term.TermElabM Json := do
    let mut fields : List (String × Json) := []
    let some first := s.proof.roots.head? | throwError "no root"
    let value ← instantiateMVars (mkMVar first)
    if root && !value.isMVar then fields := fields ++ [("root", ← expression p value)]
    if parents then
      let shown ← s.parents.toArray.mapM fun g => (do
        match ← valueOf? g with
        | some e => g.withContext (expression p e)
        | none => return Json.null : Term.TermElabM Json)
      fields := fields ++ [("parentExprs", Json.arr shown)]
    let shown ← if goals then s.proof.goals.toArray.mapM fun g => (goalJson p g (s.fragment? g) : Term.TermElabM Json) else pure #[]
    let others ← extra.toArray.mapM fun n => (do
      let m : MVarId := ⟨n⟩
      if ((← getMCtx).findDecl? m).isNone then throwError "no metavariable {n} in this state"
      match ← valueOf? m with
      | some e => m.withContext (expression p e)
      | none => return Json.mkObj [] : Term.TermElabM Json)
    let values ← valuesOf s.proof.roots
    let hasSorry ← haveSorry values s.proof.origin
    return Json.mkObj <| fields ++ [("goals", .arr shown), ("extraMVars", .arr others), ("rootHasSorry", .bool hasSorry),
      ("rootHasUnsafe", .bool (← haveUnsafe values)), ("rootHasMVar", .bool (values.any (·.hasExprMVar)))]
  match ← s.proof.run none act with
  | .ok (j, _) => return j
  | .error e => return (← troubleOf e).json

end LeanAgent.Pantograph
