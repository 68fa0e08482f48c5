/-
Theorems of the project that may be used at a goal, whatever they are called: by unification those whose conclusion may be the target
(`le_trans` at `a ≤ b`) and those that follow from a hypothesis, and those about functions that only the bodies of the goal's
definitions name. Its imports' are read once; those of the file that stand above the goal are read each time.
-/
import LeanAgent.Shapes
open Lean Meta

namespace LeanAgent

/-- So many theorems of a project's modules are read, those of the modules that are imported last first. -/
def mostTheorems : Nat := 20000

/-- So many at most are about functions that the bodies of definitions use. -/
def mostAbout : Nat := 6

/-- So many equations at most are about nothing else than a goal. -/
def mostAlike : Nat := 20

/-- So many theorems by which a part of a term is replaced. -/
def mostChaining : Nat := 8

/-- So many constants at most: the bodies of a large library's definitions lead to all of it. -/
def mostConstants : Nat := 400

/-- So many are unified with one target. -/
def mostUnified : Nat := 200

/-- Theorems of the project: by what relates or which predicate makes what they conclude, by what their conditions are known by, and by
the functions that they are about. -/
structure ProjectTheorems where
  concluding : Std.HashMap Name (Array (Shape × Name)) := {}
  onCondition : Std.HashMap Name (Array Name) := {}
  about : Std.HashMap Name (Array Name) := {}     -- by the functions that they say something of
  principles : Array Name := #[]

/-- Those of the modules that are imported. -/
structure ImportedTheorems where
  modules : Array Name
  theorems : ProjectTheorems := {}

/-- `a ≠ b` is `¬ a = b`. -/
def relationOf (s : Shape) : Name := if s.relation == ``Ne then ``Not else s.relation

/-- A side of an equivalence that is one of these is no reason to conclude it by that. -/
def saidOfMuch : List Name := [``Eq, ``HEq, ``Iff, ``Ne, ``Not]

/-- Whether tactics may use a constant as a fact: a theorem, a field of a class that says something, a rule of a predicate. -/
def mayBeFact (env : Environment) (n : Name) (info : ConstantInfo) : Bool :=
  isNameOfTheorem env (privateToUserName n) && match info with
    | .thmInfo _ | .axiomInfo _ | .ctorInfo _ => true
    | .defnInfo _ => env.isProjectionFn n
    | _ => false

/-- What a condition or a fact is known by: a predicate (`Reachable`, `List.Perm`), or functions of the project that something is
related to. -/
def knownBy (env : Environment) (e : Expr) : Array Name :=
  let shape := Shape.of e
  let isOwn (n : Name) : Bool := !n.isAnonymous && isOfProject env n && !isConstructor env n
  let isPredicate (n : Name) : Bool := isOwn n || !(n.isAnonymous || spokenOfAnyway.contains n || isConstructor env n)
  if relations.contains shape.relation then #[shape.left, shape.right].filter isOwn else #[shape.relation].filter isPredicate

/-- The function of which something is said: of `(step s).work` it is `step`. -/
partial def subjectOf (env : Environment) (e : Expr) : Name :=
  let f := headOf e
  match env.getProjectionFnInfo? f with
  | none => f
  | some info =>
    match info.fromClass, env.find? info.ctorName with
    | false, some (.ctorInfo maker) => (e.consumeMData.getAppArgs[maker.numParams]?.map (subjectOf env)).getD .anonymous
    | _, _ => .anonymous

/-- The functions that a theorem is about: those of the two sides of what it concludes, of the first side of an equivalence, and of
what a relation that is computed holds (`leb (f x) (f y) = true`). -/
partial def subjectsOf (env : Environment) (conclusion : Expr) : List Name :=
  match headOf conclusion, conclusion.getAppArgs with
  | ``Iff, #[left, _] => subjectsOf env left
  | ``Eq, #[_, left, .const ``true _] => (headOf left :: subjectsOf env left).eraseDups
  | relation, args =>
    let sides := (args.extract (args.size - 2) args.size).toList.map (subjectOf env)
    let isTelling (f : Name) : Bool := !f.isAnonymous && !isConstructor env f && !spokenOfAnyway.contains f
    ((relation :: sides).filter isTelling).eraseDups

/-- Whether a theorem is a principle of induction, or of a distinction of cases: it says of any predicate that it holds of any values, if it
does of some. -/
def isPrinciple (type : Expr) : Bool :=
  let (conditions, conclusion) := opened type
  let (motive, values) := (conclusion.getAppFn, conclusion.getAppArgs)
  motive.isFVar && !values.isEmpty && values.all (·.isFVar) && values.toList.eraseDups.length == values.size &&
    conditions.any fun condition => (conclusionOf condition).getAppFn == motive

def ProjectTheorems.add (known : ProjectTheorems) (env : Environment) (n : Name) (info : ConstantInfo) : ProjectTheorems := Id.run do
  if !mayBeFact env n info || saysAnything info.type then return known
  let mut known := known
  if isPrinciple info.type && !isReservedName env n then known := { known with principles := known.principles.push n }
  let conclusion := conclusionOf info.type
  let sides := (sidesOf conclusion).map Shape.of |>.filter fun side => !saidOfMuch.contains side.relation && side.isTelling env
  for shape in (Shape.of conclusion :: sides).eraseDups do
    unless shape.relation.isAnonymous do
      known := { known with concluding := pushAt known.concluding (relationOf shape) (shape, n) }
  if info matches .ctorInfo _ then return known  -- a rule makes more of its own predicate
  for f in subjectsOf env (conclusionOf info.type) do
    known := { known with about := pushAt known.about f n }
  for word in ((conditionsOf info.type).toArray.flatMap (knownBy env)).toList.eraseDups do
    known := { known with onCondition := pushAt known.onCondition word n }
  return known

def ImportedTheorems.make : MetaM ImportedTheorems := do
  let env ← getEnv
  let mut theorems : ProjectTheorems := {}
  let mut count := 0
  for (name, data) in (env.header.moduleNames.zip env.header.moduleData).reverse do
    if isCore name || count ≥ mostTheorems then continue
    Core.checkInterrupted
    for info in data.constants do
      theorems := theorems.add env info.name info
    count := count + data.constants.size
  return { modules := env.header.moduleNames, theorems }

/-- What a goal concludes, for any values of its variables: `infList xs ≤ a` speaks of `infList (y :: ys) ≤ b`, too. Types,
classes and proofs stay as they are. -/
def anyOf (goal : MVarId) : MetaM Expr := goal.withContext do
  let mut values := #[]
  for d in ← getLCtx do
    if d.isImplementationDetail || d.isLet then continue
    let type ← instantiateMVars d.type
    unless type.isSort || (← isClass? type).isSome || (← isProp type) do values := values.push d.toExpr
  let (_, _, conclusion) ← forallMetaTelescope (← mkForallFVars values (← instantiateMVars (← goal.getType)))
  return conclusion

/-- By a number; where that is the same, in the order in which they come. -/
def fewestFirst [Inhabited α] (counted : Array (Nat × α)) : Array α :=
  ((counted.mapIdx fun place (count, thing) => (count, place, thing)).qsort fun a b => a.1 < b.1 || a.1 == b.1 && a.2.1 < b.2.1).map (·.2.2)

/-- The most conditions first, transitivity before reflexivity, then the shortest names. -/
def mostConditionsFirst (env : Environment) (ns : Array Name) : Array Name :=
  let count (n : Name) : Nat := ((env.find? n).map (conditionsOf ·.type |>.length)).getD 0
  (fewestFirst ((shortestFirst ns).reverse.map fun n => (count n, n))).reverse

/-- Those among some theorems that may conclude a target: a list of those that say the same of both its sides, of those that do of
one, of those that say the same of anything, and of those that say something of what is any value in the target. -/
def fitting (target : Expr) (candidates : Array (Shape × Name)) : MetaM (Array (Array Name)) := do
  let env ← getEnv
  let wanted := Shape.of target
  let sides (shape : Shape) : List (Name × Name) := [(shape.left, wanted.left), (shape.right, wanted.right)]
  let fits : Name × Name → Bool := fun (side, want) => side.isAnonymous || want.isAnonymous || side == want
  let alike := candidates.filter fun (shape, _) => (sides shape).all fits
  let theorems ← (alike.extract 0 mostUnified).filterM fun (_, n) => mayConclude target n
  let isSpecial (shape : Shape) : Bool := (sides shape).any fun (side, want) => want.isAnonymous && !side.isAnonymous
  let same (shape : Shape) : Nat := (sides shape).countP fun (side, want) => side == want && !side.isAnonymous
  let general := theorems.filter (!isSpecial ·.1)
  let saying (count : Nat) : Array Name := (general.filter (same ·.1 == count)).map (·.2)
  return #[shortestFirst (saying 2), shortestFirst (saying 1), mostConditionsFirst env (saying 0), shortestFirst ((theorems.filter (isSpecial ·.1)).map (·.2))]

/-- Lists of theorems that may conclude the conditions of one that concludes a target whatever it says, as antisymmetry does of an
equation; conditions that are made as the target is are left out. -/
def behind (candidates : Name → Array (Shape × Name)) (target : Expr) (n : Name) : MetaM (Array (Array Name)) := withoutModifyingState do
  try
    let (arguments, _, conclusion) ← forallMetaTelescope (← inferType (← mkConstWithFreshMVarLevels n))
    unless ← withReducibleAndInstances <| isDefEq conclusion target do return #[]
    let mut all := #[]
    for argument in arguments do
      let condition ← instantiateMVars (← inferType argument)
      let relation := relationOf (Shape.of condition)
      if relation != relationOf (Shape.of target) && !relation.isAnonymous && (← isProp condition) then
        all := all ++ (← fitting condition (candidates relation))
    return all
  catch e => if e.isInterrupt then throw e else return #[]

/-- A target, and what it says behind notation of the project's own: theorems may call `≤` and `*` what the class calls them that
the notation is made of. -/
def behindNotation (target : Expr) : MetaM (Array Expr) := do
  let env ← getEnv
  let unfolded (e : Expr) : MetaM Expr := do
    let seen ← withReducibleAndInstances <| whnf e
    return if isOfProject env (headOf seen) then seen else e
  let seen ← match target.eq? with
    | some (_, left, right) => mkEq (← unfolded left) (← unfolded right)
    | none => unfolded target
  return if seen == target then #[target] else #[target, seen]

/-- Lists of theorems that may conclude a goal's target, and of those that may conclude what antisymmetry makes it of. -/
def concludingOf (candidates : Name → Array (Shape × Name)) (goal : MVarId) : MetaM (Array (Array Name)) := do
  let target ← anyOf goal
  let relation := relationOf (Shape.of target)
  let lists := (← (← behindNotation target).mapM fun target => fitting target (candidates (relationOf (Shape.of target)))).flatten
  let general := if relation == ``Eq then (lists[2]?.getD #[]).extract 0 2 else #[]
  return lists ++ (← general.mapM (behind candidates target)).flatten

/-- What a goal knows by the project's predicates: its hypotheses, and the conditions of its target. -/
def factsOf (goal : MVarId) : MetaM (Array Expr) := do
  let env ← getEnv
  let (conditions, _, _) ← forallMetaTelescope (← instantiateMVars (← goal.getType))
  let hypotheses := (← getLCtx).foldl (init := #[]) fun all d => if d.isImplementationDetail then all else all.push d.type
  let propositions ← (hypotheses ++ (← conditions.mapM inferType)).mapM instantiateMVars
  propositions.filterM fun e => do
    let head := headOf e
    return !head.isAnonymous && isOfProject env head && (← isProp e)

/-- How many conditions of a theorem are none of some facts; nothing where all are other ones. -/
def conditionsLeft? (facts : Array Expr) (n : Name) : MetaM (Option Nat) := withoutModifyingState do
  try
    let (arguments, _, _) ← forallMetaTelescope (← inferType (← mkConstWithFreshMVarLevels n))
    let mut left := 0
    let mut isMet := false
    for argument in arguments do
      let condition ← instantiateMVars (← inferType argument)
      unless ← isProp condition do continue
      if ← facts.anyM fun fact => withReducibleAndInstances <| isDefEq condition fact then isMet := true else left := left + 1
    return if isMet then some left else none
  catch e => if e.isInterrupt then throw e else return none

/-- Theorems on condition of what is known by some words, the shortest names first. -/
def onConditionOf (candidates : Name → Array Name) (words : Array Name) : Array Name :=
  shortestFirst ((words.toList.eraseDups.toArray.flatMap candidates).toList.eraseDups.toArray.extract 0 mostUnified)

/-- Theorems that follow from what a goal knows: those first of which the fewest conditions are left. -/
def followingOf (candidates : Name → Array Name) (goal : MVarId) : MetaM (Array Name) := do
  let facts ← factsOf goal
  return fewestFirst (← (onConditionOf candidates (facts.map headOf)).filterMapM fun n => return (← conditionsLeft? facts n).map (·, n))

/-- What finds theorems above a goal, those of its file before those that are imported. -/
structure TheoremsAbove where
  concluding : Name → Array (Shape × Name)
  onCondition : Name → Array Name
  about : Name → Array Name
  principles : Array Name

def ImportedTheorems.above (imported : ImportedTheorems) (env : Environment) : TheoremsAbove :=
  let ofFile := env.constants.map₂.foldl (fun known n info => known.add env n info) ({} : ProjectTheorems)
  { concluding := fun relation => ofFile.concluding[relation]?.getD #[] ++ imported.theorems.concluding[relation]?.getD #[]
    onCondition := fun word => ofFile.onCondition[word]?.getD #[] ++ imported.theorems.onCondition[word]?.getD #[]
    about := fun f => ofFile.about[f]?.getD #[] ++ imported.theorems.about[f]?.getD #[]
    principles := ofFile.principles ++ imported.theorems.principles }

/-- The constants of a term and of the bodies of the project's definitions in it, in the order in which they come. -/
partial def constantsWithBodies (env : Environment) (e : Expr) (known : Array Name := #[]) : Array Name :=
  e.getUsedConstants.foldl (init := known) fun known c =>
    if known.size ≥ mostConstants || known.contains c then known
    else if let some (.defnInfo info) := (if isOfProject env c then env.find? c else none) then constantsWithBodies env info.value (known.push c)
    else known.push c

/-- The same of a goal, its hypotheses included. -/
def constantsOf (goal : MVarId) : MetaM (Array Name) := goal.withContext do
  let env ← getEnv
  let mut constants := constantsWithBodies env (← instantiateMVars (← goal.getType))
  for d in ← getLCtx do
    unless d.isImplementationDetail do constants := constantsWithBodies env (← instantiateMVars d.type) constants
  return constants

/-- Theorems about those of the constants to which a goal leads (`constantsOf`) of which it does not speak itself: retrieval by what the
goal says does not find them. Those first that speak of nothing else. -/
def aboutBodies (above : TheoremsAbove) (goal : MVarId) (constants : Array Name) : MetaM (Array Name) := goal.withContext do
  let env ← getEnv
  let mut shown := (← instantiateMVars (← goal.getType)).getUsedConstants
  for d in ← getLCtx do shown := shown ++ (← instantiateMVars d.type).getUsedConstants
  let hidden := constants.filter (!shown.contains ·)
  let saysSomething (n : Name) : MetaM Bool := return !isMadeBesideType env n && (← isProp (← getConstInfo n).type)
  let isOther (c : Name) : Bool := isOfProject env c && !isConstructor env c && !constants.contains c
  let others (n : Name) : Nat := ((env.find? n).map fun info => (info.type.getUsedConstants.filter isOther).size).getD 0
  let lists ← hidden.mapM fun f => do
    let candidates := shortestFirst (← (above.about f).filterM saysSomething)
    return fewestFirst (candidates.map fun n => (others n, n))
  return inTurn lists mostAbout

/-- Whether a constant says what a numeral is in a type, or is one. -/
def isOfNumerals (env : Environment) (c : Name) : Bool :=
  c == ``OfNat.ofNat || c == ``OfNat || (Meta.isInstanceCore env c && classOf env c == ``OfNat)

/-- Equations without conditions that are about nothing else than what a goal speaks of, but for constructors and numerals: associativity
and recursion where its terms are sums and products, which retrieval by words finds no nearer than others. For each function in turn those
with the smallest statements. -/
def alikeOf (above : TheoremsAbove) (goal : MVarId) : MetaM (Array Name) := goal.withContext do
  let env ← getEnv
  let target ← instantiateMVars (← goal.getType)
  let mut shown : NameSet := target.getUsedConstants.foldl (·.insert ·) {}
  for d in ← getLCtx do
    unless d.isImplementationDetail do shown := (← instantiateMVars d.type).getUsedConstants.foldl (·.insert ·) shown
  let isAside (c : Name) : Bool := isConstructor env c || isOfNumerals env c || c == ``Eq
  let functions := target.getUsedConstants.filter fun c => !isAside c && !((env.find? c) matches some (.inductInfo _))
  let mut lists : Std.HashMap Name (Array (Nat × Name)) := {}
  for (shape, n) in above.concluding ``Eq do
    unless shape.left.isAnonymous || shown.contains shape.left || isAside shape.left do continue
    let some info := env.find? n | continue
    unless (conditionsOf info.type).isEmpty do continue
    let constants := info.type.getUsedConstants
    unless constants.all fun c => isAside c || shown.contains c do continue
    let some f := functions.find? constants.contains | continue
    lists := pushAt lists f (info.type.sizeWithoutSharing, n)
  return inTurn (functions.filterMap fun f => (lists[f]?).map fewestFirst) mostAlike

/-- What a relation is said to be between: the last two arguments. -/
def between? (relation : Name) (e : Expr) : Option (Expr × Expr) := do
  let args := e.consumeMData.getAppArgs
  guard <| headOf e == relation && args.size ≥ 2
  return (args[args.size - 2]!, args[args.size - 1]!)

/-- How derivations of the target's relation are put together: a theorem or rule that it is transitive, then those by which a part of a
term may be replaced by what it is related to (`c ⟶* c' → ite c t e ⟶* ite c' t e`), those with further conditions first. Nothing
where there are not both. -/
def chainingOf (above : TheoremsAbove) (goal : MVarId) : MetaM (Array Name) := goal.withContext do
  let env ← getEnv
  let relation := headOf (← instantiateMVars (← goal.getType))
  unless isOfProject env relation && (env.find? relation) matches some (.inductInfo _) do return #[]
  let mut transitive := #[]
  let mut congruent := #[]
  for (_, n) in above.concluding relation do
    let some info := env.find? n | continue
    let (conditions, conclusion) := opened info.type
    let some (left, right) := between? relation conclusion | continue
    match conditions.filterMap (between? relation) with
    | #[(a, b), (c, d)] => if a == left && b == c && d == right then transitive := transitive.push n
    | #[_] => if isConstructor env (headOf left) && headOf left == headOf right then congruent := congruent.push n
    | _ => continue
  congruent := mostConditionsFirst env congruent.toList.eraseDups.toArray
  if transitive.isEmpty || congruent.isEmpty then return #[]
  return #[transitive[0]!] ++ congruent.extract 0 mostChaining

/-- Up to `most` theorems for a goal, by what they are for: those that may conclude it, and, a third of all, others that follow from what
it knows. Beside them those about what the bodies of its definitions use, equations about nothing else, and what chains are made by. -/
def ImportedTheorems.choose (imported : ImportedTheorems) (goal : MVarId) (constants : Array Name) (most : Nat) :
    MetaM (List (String × Array Name)) := goal.withContext do
  let above := imported.above (← getEnv)
  let concluding ← concludingOf above.concluding goal
  let following ← followingOf above.onCondition goal
  let chosen := inTurn concluding most
  let news := (following.filter (!chosen.contains ·)).extract 0 (most / 3)
  let chosen := chosen.extract 0 (most - news.size)
  let about ← aboutBodies above goal constants
  return [("concluding", chosen), ("following", news), ("about", about.filter fun n => !chosen.contains n && !news.contains n),
    ("alike", ← alikeOf above goal), ("chaining", ← chainingOf above goal)]

end LeanAgent
