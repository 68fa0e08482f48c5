/-
What a goal names, whether or not its text says so: the project's definitions, what these are made of, calls of recursive functions,
types of a few values.
-/
import LeanAgent.Frontend
open Lean Meta

namespace LeanAgent

/-- Whether a constant is of a project, not of Lean's own library. -/
def isOfProject (env : Environment) (c : Name) : Bool := !ofLibrary env c

/-- What Lean makes beside an inductive type, by the last part of its name. -/
def madeBesideTypes : List String := ["casesOn", "recOn", "brecOn", "below", "noConfusionType", "noConfusion", "ctorIdx", "toCtorIdx", "ctorElim", "ctorElimType"]

def isMadeBesideType (env : Environment) : Name → Bool
  | .str p s => madeBesideTypes.contains s && (env.find? p) matches some (.inductInfo _) || isMadeBesideType env p
  | _ => false

/-- A constant as a text calls it: with `_root_.` where its name means something else there, as `insert` does beside `Insert.insert`. -/
def nameText (c : Name) : CoreM String := do
  if isPrivateName c then return toString (privateToUserName c)
  let meanings := (← resolveGlobalName c).filter (·.2.isEmpty)
  return toString (if meanings.all (·.1 == c) then c else rootNamespace ++ c)

/-- What a term is made by; `anonymous` for a variable. -/
def headOf (e : Expr) : Name := e.consumeMData.getAppFn.constName?.getD .anonymous

def isConstructor (env : Environment) (n : Name) : Bool := (env.find? n) matches some (.ctorInfo _)

/-- What stands behind all that is bound in front of a type. -/
def conclusionOf : Expr → Expr
  | .forallE _ _ body _ => conclusionOf body
  | .mdata _ e => conclusionOf e
  | e => e

/-- The class of an instance. -/
def classOf (env : Environment) (c : Name) : Name := ((env.find? c).map fun info => headOf (conclusionOf info.type)).getD .anonymous

def isReducible (env : Environment) (c : Name) : Bool := getReducibilityStatusCore env c matches .reducible

/-- Whether a type ends in `Prop`, or in what an abbreviation or the project says of it: `Region α` for `α → Prop`. -/
partial def endsInProp (env : Environment) : Expr → Bool
  | .forallE _ _ body _ | .lam _ _ body _ | .mdata _ body => endsInProp env body
  | e => e.isProp || match e.getAppFn with
    | .const c _ => (isReducible env c || isOfProject env c) && match env.find? c with
      | some (.defnInfo info) => endsInProp env info.value
      | _ => false
    | _ => false

/-- Whether a definition makes values, and neither a proposition nor a type. -/
def makesValues (env : Environment) (c : Name) : Bool :=
  match env.find? c with
  | some (.defnInfo info) => !endsInProp env info.type && !(conclusionOf info.type).isSort
  | _ => false

/-- Definitions of Lean's own that are unfolded like those of a project: `simp` and `grind` know too little of them. -/
def unfoldedOfLean : List Name := [``Bool.toNat, ``Except.pure, ``Except.bind, ``Except.map, ``Option.bind]

/-- What notation of Lean's own stands for that is to be unfolded: `do` of `Option`. -/
def meansOfLean (c : Name) : Name := if c == ``instMonadOption then ``Option.bind else c

/-- The project's definitions and inductive predicates in a term, with those that its instances, abbreviations and
predicates are made of: `Heap` says `RootLe`, and without both of them there is nothing to know of a heap. -/
partial def definitionsIn (env : Environment) (e : Expr) (known : Array Name := #[]) : Array Name :=
  e.getUsedConstants.foldl (init := known) fun known c =>
    let c := meansOfLean c
    if unfoldedOfLean.contains c && !known.contains c then known.push c else
    if known.contains c || (privateToUserName c).isInternalDetail || !isOfProject env c then known else
    match env.find? c with
    | some (.inductInfo info) => if endsInProp env info.type then known.push c else known
    | some (.defnInfo info) =>
      if env.isProjectionFn c || Meta.isMatcherCore env c || isMadeBesideType env c then known
      else if Meta.isInstanceCore env c || isReducible env c || endsInProp env info.type then definitionsIn env info.value (known.push c)
      else known.push c
    | _ => known

/-- Whether a function has an induction principle of its own, as recursive ones do. -/
def isRecursive (env : Environment) (c : Name) : Bool := isReservedName env (c ++ `induct)

/-- So many definitions a goal is unfolded by, at most. -/
def mostUnfoldings : Nat := 40

/-- The project's definitions in a term that are not recursive, and those in their bodies and in rules of predicates, to the bottom,
with these predicates: unfolded by all of them a goal about numbers is one that says them (`fee < cap`, with `cap := 2 * limit` and
`limit := 2 ^ 32`). -/
partial def reachedFrom (env : Environment) (e : Expr) (known : Array Name := #[]) : Array Name :=
  e.getUsedConstants.foldl (init := known) fun known c =>
    if known.size ≥ mostUnfoldings || known.contains c || (privateToUserName c).isInternalDetail || !isOfProject env c then known else
    match env.find? c with
    | some (.defnInfo info) =>
      let isValue := !(env.isProjectionFn c || Meta.isMatcherCore env c || isMadeBesideType env c || Meta.isInstanceCore env c)
      if isValue && !isRecursive env c && !endsInType info.type then reachedFrom env info.value (known.push c) else known
    | some (.inductInfo info) =>
      if !endsInProp env info.type then known else
      info.ctors.foldl (init := known.push c) fun known rule =>
        match env.find? rule with
        | some info => reachedFrom env info.type known
        | none => known
    | _ => known
where
  endsInType : Expr → Bool
    | .forallE _ _ body _ | .mdata _ body => endsInType body
    | e => e.isSort && !e.isProp

/-- The definitions among them. -/
def unfoldingsOf (env : Environment) (reached : Array Name) : Array Name :=
  reached.filter fun c => (env.find? c) matches some (.defnInfo _)

/-- The call of a recursive function of the project that a term is: with what its definition names alone, where its value is a function
that is applied in turn. -/
def recursiveCall? (env : Environment) (e : Expr) : Option Expr := do
  let .const c _ := e.getAppFn | none
  guard <| isOfProject env c && isRecursive env c
  let some (.defnInfo info) := env.find? c | return e
  match (body info.value).getAppFn with
  | .const (.str _ "brecOn") _ => return mkAppN e.getAppFn (e.getAppArgs.extract 0 info.value.getNumHeadLambdas)
  | _ => return e               -- by well-founded recursion: the last argument may be none that the definition names
where
  body : Expr → Expr
    | .lam _ _ e _ => body e
    | e => e

/-- The places of the arguments that a structurally recursive function may hand on changed: they stand behind the recursion in its value. -/
def variedPlaces (env : Environment) (c : Name) : Array Nat := Id.run do
  let some (.defnInfo info) := env.find? c | return #[]
  let count := info.value.getNumHeadLambdas
  let value := recursiveCall?.body info.value
  let .const (.str type "brecOn") _ := value.getAppFn | return #[]
  let some (.recInfo recursor) := env.find? (type ++ `rec) | return #[]
  let own := recursor.numParams + 2 * recursor.numMotives + recursor.numIndices + 1
  return (value.getAppArgs.extract own value.getAppNumArgs).filterMap fun
    | .bvar i => if i < count then some (count - 1 - i) else none
    | _ => none

/-- Whether a function calls itself with another argument at a place than it was given. -/
def isChanged (c : Name) (place : Nat) : MetaM Bool := do
  unless (variedPlaces (← getEnv) c).contains place do return false
  let some equations ← getEqnsFor? c | return false
  equations.anyM fun n => do
    let (_, _, equation) ← forallMetaTelescope (← inferType (← mkConstWithFreshMVarLevels n))
    let some (_, left, right) := equation.eq? | return false
    let isOther (e : Expr) : Bool := e.isAppOf c && e.getAppNumArgs > place && e.getAppArgs[place]? != left.getAppArgs[place]?
    return (right.find? isOther).isSome

/-- The functions among the variables in the arguments that calls hand on changed: an induction has to be about all such. -/
def variedFunctions (calls : Array Expr) : MetaM (Array FVarId) := do
  let mut known := #[]
  for call in calls do
    let .const c _ := call.getAppFn | continue
    for place in variedPlaces (← getEnv) c do
      let some argument := call.getAppArgs[place]? | continue
      let functions ← (collectFVars {} argument).fvarIds.filterM fun id => return !known.contains id && (← isFunction (← id.getType))
      if ← pure !functions.isEmpty <&&> isChanged c place then known := known ++ functions
  return known
where
  isFunction (type : Expr) : MetaM Bool := do
    let type ← whnfR type
    return type.isForall && !(← isProp type) && !endsInProp (← getEnv) type

/-- The applications, in a term, of the project's recursive functions; what a binder binds is in none of them. -/
partial def recursiveCalls (env : Environment) (e : Expr) (known : Array Expr := #[]) : Array Expr :=
  match e with
  | .app .. =>
    let known := match recursiveCall? env e with
      | some call => if !call.hasLooseBVars && !known.contains call then known.push call else known
      | none => known
    e.getAppArgs.foldl (fun known arg => recursiveCalls env arg known) (if e.getAppFn.isConst then known else recursiveCalls env e.getAppFn known)
  | .lam _ type body _ | .forallE _ type body _ => recursiveCalls env body (recursiveCalls env type known)
  | .letE _ type value body _ => recursiveCalls env body (recursiveCalls env value (recursiveCalls env type known))
  | .mdata _ e | .proj _ _ e => recursiveCalls env e known
  | _ => known

/-- A variable as a tactic can say it; nothing for one that has no name. -/
def variableText? (lctx : LocalContext) (e : Expr) : Option String := do
  let .fvar id := e | none
  let name := (← lctx.find? id).userName
  if name.hasMacroScopes || (toString name).any fun c => c == '✝' || c == ' ' then none
  return toString name

/-- Whether a tactic can write what Lean has printed: all variables have names, and nothing is left out or open. -/
def canBeWritten (text : String) : Bool := !text.any (fun c => c == '✝' || c == '⋯') && (text.splitOn "?m").length == 1

def inBrackets (text : String) : String := if text.any (· == ' ') then s!"({text})" else text

/-- An argument of a call as a tactic can say it: a variable that has a name, or a function, which the call passes on as a rule. -/
def argumentText? (lctx : LocalContext) (arg : Expr) : MetaM (Option String) := do
  if let some name := variableText? lctx arg then return name
  unless !arg.isFVar && (← whnf (← inferType arg)).isForall do return none
  let text := toString (← ppExpr arg)
  return if canBeWritten text && !text.contains '\n' then some (inBrackets text) else none

/-- A function with its explicit arguments, as a tactic can say it; nothing where these are no variables that have a name, or functions. -/
def callText? (lctx : LocalContext) (call : Expr) : MetaM (Option String) := do
  let .const c _ := call.getAppFn | return none
  let some info := (← getEnv).find? c | return none
  let mut type := info.type
  let mut words := #[← nameText c]
  for arg in call.getAppArgs do
    let .forallE _ _ body binder := type | return none
    type := body
    unless binder.isExplicit do continue
    let some word ← argumentText? lctx arg | return none
    words := words.push word
  return if words.size < 2 || !call.hasFVar then none else some (" ".intercalate words.toList)

/-- The end of an induction that generalizes these variables; nothing for none. -/
def generalizingText (variables : Array String) : String :=
  if variables.isEmpty then "" else s!" generalizing {" ".intercalate variables.toList}"

/-- The variable that a call takes apart: what stands where its function is structurally recursive. -/
def takenApart? (lctx : LocalContext) (call : Expr) : CoreM (Option String) := do
  let .const c _ := call.getAppFn | return none
  let some place ← getStructuralRecArgPos? c | return none
  return call.getAppArgs[place]?.bind (variableText? lctx)

/-- The names of the fields of a type of the project that is a structure of data, where one of these is recursive, and no number: lists
inside are what an induction is on. -/
def fieldsOfType (type : Expr) : MetaM (Array Name) := do
  let env ← getEnv
  let .const c _ := (← whnfR type).getAppFn | return #[]
  unless isOfProject env c && isStructure env c && !isClass env c && !endsInProp env type do return #[]
  let some (.inductInfo info) := env.find? c | return #[]
  if info.isRec then return #[]
  let fields := getStructureFields env c
  let isRecursive (field : Name) : Bool := (env.find? (c ++ field)).any fun projection =>
    match env.find? (headOf (conclusionOf projection.type)) with
    | some (.inductInfo of) => of.isRec && of.name != ``Nat
    | _ => false
  return if fields.any isRecursive then fields else #[]

-- ## Types of a few values

/-- So many values a type has at most that is looked at case by case. -/
def mostValues : Nat := 8

/-- The values of an enumeration of the project, or of `Bool`; none for other types. -/
def valuesOf (env : Environment) (c : Name) : List Name :=
  match env.find? c with
  | some (.inductInfo info) =>
    let isSmall := 1 < info.ctors.length && info.ctors.length ≤ mostValues && info.type.isType
    let isOne := (c == ``Bool || isOfProject env c) && isSmall
    if isOne && info.ctors.all fun n => (env.find? n).any (·.type.isConstOf c) then info.ctors else []
  | _ => []

/-- The enumerations that a type is, or that something in it is said or made for all of, with those that are known already. -/
def enumerationsOf (env : Environment) (known : Array Name) (e : Expr) : Array Name :=
  e.getUsedConstants.foldl (init := known) fun known c =>
    let isBound : Expr → Bool
      | .forallE _ type _ _ | .lam _ type _ _ => type.isConstOf c
      | _ => false
    if known.contains c || (valuesOf env c).isEmpty then known
    else if e.isConstOf c || (e.find? isBound).isSome then known.push c else known

/-- The enumerations in propositions, and in the definitions and rules that these are made of. -/
def enumerationsIn (env : Environment) (propositions : Array Expr) (reached : Array Name) : Array Name :=
  reached.foldl (init := propositions.foldl (enumerationsOf env) #[]) fun known c =>
    match env.find? c with
    | some (.defnInfo info) => enumerationsOf env known info.value
    | some (.inductInfo info) => (info.ctors.filterMap env.find?).foldl (fun known rule => enumerationsOf env known rule.type) known
    | _ => known

/-- An enumeration with its values, as a tactic can say them. -/
def enumerationText (env : Environment) (c : Name) : String :=
  " ".intercalate ((c :: valuesOf env c).map fun n => toString (privateToUserName n))

/-- Whether something of a type may be taken apart, as far as the project's definitions say it: no function and no type, behind
whatever names. -/
def isTakenApart (env : Environment) (type : Expr) (depth : Nat := 8) : Bool :=
  match depth, type.consumeMData with
  | _, .forallE .. | _, .sort _ => false
  | depth + 1, e =>
    match e.getAppFn with
    | .const c us =>
      match env.find? c with
      | some (.defnInfo info) =>
        if isReducible env c || isOfProject env c then
          isTakenApart env ((info.value.instantiateLevelParams info.levelParams us).beta e.getAppArgs) depth
        else true
      | _ => true
    | _ => true
  | 0, _ => true

end LeanAgent
