/-
Theorems of Lean's own library that may help at a goal and that no tactic knows by itself: how its functions take a step
(`List.range_succ`), what they mean (`Option.bind_eq_some_iff`), what may conclude its target (`Nat.pow_le_pow_right`), and the laws of
its operations on numbers (`Nat.add_mod`). The goal's functions are also those of the bodies of the project's definitions that it names.
-/
import LeanAgent.Descents
import LeanAgent.Identities
import LeanAgent.Notations
import LeanAgent.Products
open Lean Meta

namespace LeanAgent

def numbers : List Name := [``Nat, ``Int]

/-- Of these `grind` knows the laws. -/
def linear : List Name := [``HAdd.hAdd, ``HSub.hSub, ``HMul.hMul, ``Neg.neg, ``LE.le, ``LT.lt, ``BEq.beq, ``OfNat.ofNat]

/-- Of these `omega`, `grind` and `simp` know how they take a step. -/
def wellKnown : List Name := linear ++ [``HDiv.hDiv, ``HMod.hMod, ``HAppend.hAppend, ``and, ``or, ``not]

/-- Whether an argument is one more than a variable, two lists put together, or what a constructor has made. -/
def isStep (env : Environment) (e : Expr) : Bool :=
  let e := e.consumeMData
  let args := e.getAppArgs
  match headOf e with
  | ``HAdd.hAdd => args.size == 6 && args[4]! matches .bvar _ && headOf args[5]! == ``OfNat.ofNat
  | ``HAppend.hAppend => true
  | c => isConstructor env c && !args.isEmpty

/-- A function, and the type that it is on where it is an operation of a class. -/
def functionOf (env : Environment) (e : Expr) : Name × Name :=
  let f := headOf e
  (f, if env.isProjectionFn f then (e.consumeMData.getAppArgs[0]?.map headOf).getD .anonymous else .anonymous)

/-- The function of which an equation says how it takes a step. -/
def stepOf? (env : Environment) (conclusion : Expr) : Option (Name × Name) := do
  let #[_, left, right] := conclusion.getAppArgs | none
  let f := headOf left
  guard <| headOf conclusion == ``Eq
  guard <| !f.isAnonymous && !wellKnown.contains f && !isConstructor env f
  guard <| left.getAppArgs.any (isStep env) && right.getUsedConstants.contains f
  return functionOf env left

/-- The function of which an equivalence says what it means, and what a goal has that asks for that: a constructor of which the
function makes something (`Option.some` for `Option.bind_eq_some_iff`), `∈` where something is in what it makes, or `++` where it holds
of two lists put together (`List.pairwise_append`). -/
def meaningOf? (env : Environment) (conclusion : Expr) : Option (Name × Name) := do
  let #[left, _] := conclusion.getAppArgs | none
  guard <| headOf conclusion == ``Iff
  let (subject, form) ← match headOf left, left.getAppArgs with
    | ``Eq, #[_, call, value] => if isConstructor env (headOf value) then some (call, headOf value) else none
    | ``Membership.mem, #[_, _, _, collection, _] => some (collection, ``Membership.mem)
    | relation, args =>
      if !relations.contains relation && args.any (headOf · == ``HAppend.hAppend) then some (left, ``HAppend.hAppend) else none
  let f := headOf subject
  guard <| !f.isAnonymous && !wellKnown.contains f && !spokenOfAnyway.contains f && !isConstructor env f
  return (f, form)

/-- The function of which a theorem says that it makes the same of functions that agree (`List.map_congr_left`): one on both sides, on
condition that for all values in something two other functions have one value. -/
def congruenceOf? (env : Environment) (conclusion type : Expr) : Option Name := do
  let #[_, left, right] := conclusion.getAppArgs | none
  let f := headOf left
  guard <| headOf conclusion == ``Eq && headOf right == f && !f.isAnonymous && !wellKnown.contains f && !isConstructor env f
  guard <| (conditionsOf type).any agrees
  return f
where
  agrees : Expr → Bool
    | .forallE _ _ body _ => agrees body
    | e => match e.getAppFn, e.getAppArgs with
      | .const ``Eq _, #[_, one, other] => one.isApp && other.isApp && one.getAppFn.isBVar && other.getAppFn.isBVar && one.getAppFn != other.getAppFn
      | _, _ => false

/-- How many fields a constructor has: what `f x = some b` means says more than what `f x = none` does. -/
def fieldsOf (env : Environment) (c : Name) : Nat :=
  match env.find? c with
  | some (.ctorInfo info) => info.numFields
  | _ => 0

/-- With what operations of classes are on the types that are named beside them: `Option.bind` for `>>=`. -/
def withImplementations (env : Environment) (constants : Array Name) : Array Name := Id.run do
  let mut all := constants
  for f in constants do
    let .str _ operation := f | continue
    unless env.isProjectionFn f do continue
    for type in constants do
      let implementation := Name.str type operation
      if !isOfProject env type && env.contains implementation && !all.contains implementation then all := all.push implementation
  return all

/-- Whether a statement has no conditions: all that it is for stands in what it says. -/
def isUnconditional : Expr → Bool
  | .forallE _ _ body _ => body.hasLooseBVar 0 && isUnconditional body
  | .mdata _ e => isUnconditional e
  | _ => true

/-- The operation on numbers of which a theorem with this conclusion is a law. -/
def lawOf? (env : Environment) (conclusion type : Expr) : Option (Name × Name) := do
  let left ← match headOf conclusion, conclusion.getAppArgs with
    | ``Eq, #[_, left, _] | ``Iff, #[left, _] => some left
    | _, _ => none
  let (f, on) := functionOf env left
  guard <| (numbers.contains on || numbers.contains f.getPrefix) && !linear.contains f && !isConstructor env f && isUnconditional type
  return (f, on)

/-- Whether a statement about this function is for `grind` to begin with: an operation on numbers that is not linear, `∣`
too, or a function on lists. -/
def isBounded (env : Environment) (f : Name × Name) : Bool :=
  !f.1.isAnonymous && !isConstructor env f.1 && !linear.contains f.1 && f.1 != ``HAppend.hAppend &&
    (numbers.contains f.2 || numbers.contains f.1.getPrefix || f.1.getPrefix == ``List)

/-- The functions that a bound or a law with conditions is about: those of the two sides of what it concludes, and `∣` where
that is its conclusion or a condition. -/
def boundsOf (env : Environment) (conclusion type : Expr) : List (Name × Name) :=
  let arguments := conclusion.getAppArgs
  let sides := (arguments.extract (arguments.size - 2) arguments.size).toList.map (functionOf env)
  let conditions := conditionsOf type
  let divides := (conditions.map (functionOf env)).filter (·.1 == ``Dvd.dvd)
  let about := match headOf conclusion with
    | ``Eq | ``Iff | ``Ne => if conditions.isEmpty then [] else sides ++ divides
    | ``LE.le | ``LT.lt => sides ++ divides
    | ``Dvd.dvd => functionOf env conclusion :: sides
    | _ => []
  about.eraseDups.filter (isBounded env)

/-- Theorems of the library: those that `simp` does not use by itself, and laws. -/
structure LemmaIndex where
  modules : Array Name                 -- of which they are
  bounds : Std.HashMap (Name × Name) (Array Name) := {}
  laws : Std.HashMap (Name × Name) (Array Name) := {}
  steps : Std.HashMap (Name × Name) (Array Name) := {}
  meanings : Std.HashMap Name (Array (Name × Name)) := {}     -- with what asks for them
  congruences : Std.HashMap Name (Array Name) := {}
  facts : Std.HashMap Shape (Array Name) := {}

def libraryModulesOf (env : Environment) : Array Name :=
  env.header.moduleNames.filter fun name => [`Init, `Std].contains name.getRoot

def LemmaIndex.make : MetaM LemmaIndex := do
  let env ← getEnv
  let known := (← getSimpTheorems).lemmaNames
  let mut index : LemmaIndex := { modules := libraryModulesOf env }
  for (name, data) in env.header.moduleNames.zip env.header.moduleData do
    unless [`Init, `Std].contains name.getRoot && ![`Std.Tactic, `Init.Grind].any (·.isPrefixOf name) do continue
    Core.checkInterrupted
    for info in data.constants do
      unless info matches .axiomInfo _ | .thmInfo _ do continue
      let n := info.name
      let conclusion := conclusionOf info.type
      let law? := lawOf? env conclusion info.type
      let isNews := !known.contains (.decl n)
      let step? := if isNews then stepOf? env conclusion else none
      let meaning? := if isNews && isUnconditional info.type then meaningOf? env conclusion else none
      let congruence? := if isNews then congruenceOf? env conclusion info.type else none
      let shape := Shape.of conclusion
      let isFact := isNews && shape.isTelling env
      let bounds := if isNews then boundsOf env conclusion info.type else []
      let isAny := law?.isSome || step?.isSome || meaning?.isSome || congruence?.isSome || isFact || !bounds.isEmpty
      unless isAny && isNameOfTheorem env n do continue
      unless relations.contains shape.relation || (← isProp info.type) do continue
      if let some law := law? then index := { index with laws := pushAt index.laws law n }
      if let some (f, form) := meaning? then index := { index with meanings := pushAt index.meanings f (form, n) }
      if let some f := congruence? then index := { index with congruences := pushAt index.congruences f n }
      if let some step := step? then index := { index with steps := pushAt index.steps step n }
      for f in bounds do index := { index with bounds := pushAt index.bounds f n }
      if isFact then index := { index with facts := pushAt index.facts shape n }
  return index

/-- Whether a statement speaks of these constants alone, or of what any may speak of. -/
def speaksOf (env : Environment) (constants : Array Name) (n : Name) : Bool :=
  (env.find? n).any fun info => info.type.getUsedConstants.all fun c =>
    constants.contains c || spokenOfAnyway.contains c || isConstructor env c || isClass env c || Meta.isInstanceCore env c

/-- Up to `most` theorems for a goal that leads to some constants (`constantsOf`), for each function one by which it takes a step and
one that says what it means, one by which functions that agree are as good as each other, and up to `mostLaws` laws of its operations, with bounds and laws that have conditions behind them, three
for four. -/
def LemmaIndex.choose (index : LemmaIndex) (goal : MVarId) (constants : Array Name) (most mostLaws : Nat) :
    MetaM (Array Name × Array Name) := goal.withContext do
  let env ← getEnv
  let target ← instantiateMVars (← goal.getType)
  let constants := withImplementations env constants
  let facts := (Shape.of target).generalizations.toArray.flatMap fun shape => index.facts[shape]?.getD #[]
  let facts ← (facts.filter (speaksOf env constants)).filterM (mayConclude target)
  let among := speaksOf env (constants ++ [``HMul.hMul, ``HSub.hSub, ``Neg.neg])
  let mut steps := #[]
  let mut meanings := #[]
  let mut laws := #[]
  let mut bounds := #[]
  for f in constants do
    for on in if env.isProjectionFn f then constants else #[.anonymous] do
      steps := steps ++ (shortestFirst ((index.steps[(f, on)]?.getD #[]).filter among)).extract 0 1
      laws := laws ++ (shortestFirst ((index.laws[(f, on)]?.getD #[]).filter among)).extract 0 mostLaws
      bounds := bounds.push <| shortestFirst ((index.bounds[(f, on)]?.getD #[]).filter among)
    let meant := (index.meanings[f]?.getD #[]).filter fun (form, n) => constants.contains form && among n
    let fields := meant.foldl (init := 0) fun fields (form, _) => max fields (fieldsOf env form)
    meanings := meanings ++ (shortestFirst ((meant.filter (fieldsOf env ·.1 == fields)).map (·.2))).extract 0 1
  let congruences := if target.getUsedConstants.contains ``Eq then constants.flatMap (index.congruences[·]?.getD #[]) else #[]
  steps := steps ++ (meanings ++ (shortestFirst (congruences.filter among)).extract 0 1).filter (!steps.contains ·)
  let facts := (shortestFirst facts).extract 0 (max (most - steps.size) (most / 2))
  let chosen := facts ++ (steps.filter (!facts.contains ·)).extract 0 (most - facts.size)
  let chosenLaws := (shortestFirst laws).extract 0 mostLaws
  return (chosen, chosenLaws ++ (inTurn bounds (mostLaws * 3 / 4)).filter (!chosenLaws.contains ·))

/-- What was read of the theorems of the library and of a project's modules, once it was asked for. -/
structure LemmaIndexes where
  library : IO.Ref (Option LemmaIndex)
  project : IO.Ref (Option ImportedTheorems)

def LemmaIndexes.create : IO LemmaIndexes := return { library := ← IO.mkRef none, project := ← IO.mkRef none }

/-- What was made before, if it is still good; otherwise it is made. -/
def kept (before? : IO.Ref (Option α)) (isGood : α → Bool) (make : MetaM α) : MetaM α := do
  if let some before ← before?.get then
    if isGood before then return before
  let made ← make
  before?.set (some made)
  return made

/-- What is found out at a state, whatever it takes; Lean's libraries' lines are not broken. -/
def answered (s : ProofState) (cancel : IO.CancelToken) (act : MetaM Json) : IO Json := do
  let unlimited (c : Core.Context) : Core.Context := { c with maxHeartbeats := 0, options := c.options.set `format.width (100000 : Nat) }
  match ← s.run (some cancel) (withTheReader Core.Context unlimited act) with
  | .ok (answer, _) => return answer
  | .error e =>
    let failure ← failureOf s.context e
    return Json.mkObj [("failure", failure.kind), ("message", failure.message)]

def LemmaIndexes.ofProject (indexes : LemmaIndexes) : MetaM ImportedTheorems := do
  let env ← getEnv
  kept indexes.project (·.modules == env.header.moduleNames) ImportedTheorems.make

/-- Theorems of the library and of the project for the first goal of a state, each with its statement as Lean prints it. -/
def lemmasOf (indexes : LemmaIndexes) (s : ProofState) (most mostLaws mostOwn : Nat) (cancel : IO.CancelToken) : IO Json := do
  let some goal := s.goals.head? | return Json.mkObj [("lemmas", .arr #[])]
  answered s cancel do
    let env ← getEnv
    let constants ← constantsOf goal
    let (lemmas, laws) ← if most == 0 && mostLaws == 0 then pure (#[], #[]) else
      let index ← kept indexes.library (·.modules == libraryModulesOf env) LemmaIndex.make
      index.choose goal constants most mostLaws
    let own ← if mostOwn == 0 then pure [] else (← indexes.ofProject).choose goal constants mostOwn
    let stated (ns : Array Name) : MetaM Json := .arr <$> ns.filterMapM fun n => do
      let some info := env.find? n | return none
      return some <| .arr #[toString (privateToUserName n), toString (← ppExpr info.type)]
    return Json.mkObj (← ([("lemmas", lemmas), ("laws", laws)] ++ own).mapM fun (kind, names) => return (kind, ← stated names))

/-- What follows at the first goal of a state, as Lean prints it, with the terms that prove it, the theorems that these use, and the
project's definitions that it can be unfolded by; terms that prove what `grind` needs
beside the hypotheses; what notation means; tactics that name what exists; and what an induction may descend by. -/
def consequencesOf (indexes : LemmaIndexes) (s : ProofState) (most : Nat) (cancel : IO.CancelToken) : IO Json := do
  let some goal := s.goals.head? | return Json.mkObj [("consequences", .arr #[]), ("facts", .arr #[]), ("notations", .arr #[]), ("witnesses", .arr #[]), ("descents", .arr #[])]
  answered s cancel do
    let env ← getEnv
    let above := (← indexes.ofProject).above env
    let items ← (← consequences above goal most).mapM fun c => goal.withContext do
      let uses := c.uses.toList.eraseDups.map fun n => toString (privateToUserName n)
      let unfoldings ← (unfoldingsOf env (reachedFrom env c.type)).mapM fun n => nameText n
      return Json.arr #[c.text, toString (← ppExpr c.type), toJson uses, toJson unfoldings]
    let facts := (← Products.ofGoal goal Products.mostProducts) ++ (← Identities.ofGoal above.concluding goal)
    return Json.mkObj [("consequences", .arr items), ("facts", toJson facts), ("notations", toJson (← Notations.ofGoal goal)),
      ("witnesses", toJson (← Witnesses.ofGoal goal)), ("descents", toJson (← Descents.ofGoal above goal))]

end LeanAgent
