/-
What a notation means where the project says so by an instance of its own: `a + b` of a type whose `Add` it defines is `a.add b`.
`grind` and `simp` do not see through `+` there, and to name the instance does not help, since the instance that makes `+` of it is
Lean's. Nor do they see through `do` of `Except`. Here are equations that say it, which hold by definition, each as a tactic can have it.
Where the terms are of a quotient, what equality means there and the project's functions is told of representatives (`Quotients.lean`).
-/
import LeanAgent.Quotients
import LeanAgent.Witnesses
open Lean Meta Elab

namespace LeanAgent.Notations

/-- So many are told at a goal. -/
def most : Nat := 6

/-- Through so many definitions a goal is looked into for notation. -/
def mostOpened : Nat := 60

/-- Deeper terms, such as long lists that a project writes out, are not looked into: this goes down recursively. -/
def deepest : UInt32 := 200

/-- Classes whose instances say nothing that a proof needs. -/
def leftOut : List Name := [``BEq, ``Decidable, ``Inhabited, ``Nonempty, ``Repr, ``ToString, ``Hashable, ``SizeOf]

/-- Monads of Lean's own whose instances are seen through, too. -/
def monads : List Name := [``Except, ``Id]

/-- A function of a class with the instance that gives it, and what it is called. -/
structure Notation where
  function : Expr
  word : String
  deriving Inhabited

/-- The notation that a term begins with, if an instance of the project or a monad gives it, and nothing is bound that it is of. -/
def notation? (env : Environment) (e : Expr) : Option Notation := do
  let .const f _ := e.getAppFn | none
  let info ← env.getProjectionFnInfo? f
  guard <| info.fromClass && !leftOut.contains info.ctorName.getPrefix
  let some (.ctorInfo maker) := env.find? info.ctorName | none
  let args := e.getAppArgs
  let given ← args[maker.numParams]?
  let function := mkAppN e.getAppFn (args.extract 0 (maker.numParams + 1))
  guard <| !function.hasLooseBVars && !function.hasMVar
  if let some c := given.getUsedConstants.find? fun c => isOfProject env c && Meta.isInstanceCore env c then
    return { function, word := wordOf (classOf env c) }
  guard <| function.getAppArgs.any fun arg => monads.any (arg.isAppOf ·)
  return { function, word := wordOf f }

structure Search where
  found : Array Notation := #[]
  functions : Array Expr := #[]      -- of the project, with the types and instances that they are applied to
  monads : Array Expr := #[]         -- that others are made of, as `StateT` is
  ofFunctions : Array Expr := #[]    -- types of the project of which there are equations
  quotients : Array Expr := #[]
  opened : NameSet := {}
  seen : Std.HashSet Expr := {}

/-- What 0 is of a type of the project, if an instance of its own says so: where the goal has none, the cases of an induction have a
constructor in its place. -/
def zero? (type : Expr) : MetaM (Option Notation) := do
  let env ← getEnv
  unless isOfProject env (headOf type) do return none
  let some zero ← observing? (mkAppOptM ``OfNat.ofNat #[some type, some (mkRawNatLit 0), none]) | return none
  return notation? env (← instantiateMVars zero)

/-- The notations in a term, and in the bodies of the project's definitions that it applies. -/
partial def collect (env : Environment) (e : Expr) : StateM Search Unit := do
  if e.approxDepth > deepest || (← get).seen.contains e then return
  modify fun s => { s with seen := s.seen.insert e }
  if let some n := notation? env e then
    unless (← get).found.any (·.function == n.function) do modify fun s => { s with found := s.found.push n }
  match e with
  | .app .. | .const .. =>
    if let .const c us := e.getAppFn then
      if c == ``Eq then
        let type := e.getAppArgs.getD 0 e
        let isMade := (e.getAppArgs.extract 1 3).any fun side => !side.isFVar && !side.isBVar
        if isMade && isOfProject env (headOf type) && !type.hasLooseBVars && !(← get).ofFunctions.contains type then
          modify fun s => { s with ofFunctions := s.ofFunctions.push type }
      if Quotients.isQuotient c && !e.hasLooseBVars && !e.hasMVar then modify fun s => { s with quotients := s.quotients.push e }
      if monads.contains c && !e.hasLooseBVars && !e.hasMVar && e.getAppNumArgs == (if c == ``Id then 0 else 1) then
        unless (← get).monads.contains e do modify fun s => { s with monads := s.monads.push e }
      if let some function := Quotients.function? env e then
        unless (← get).functions.contains function do modify fun s => { s with functions := s.functions.push function }
      let s ← get
      if isOfProject env c && !s.opened.contains c && s.opened.size < mostOpened && !env.isProjectionFn c && !Meta.isInstanceCore env c then
        if let some (.defnInfo info) := env.find? c then
          set { s with opened := s.opened.insert c }
          collect env ((info.value.instantiateLevelParams info.levelParams us).beta e.getAppArgs)
    else collect env e.getAppFn
    for arg in e.getAppArgs do collect env arg
  | .lam _ type body _ | .forallE _ type body _ => collect env type; collect env body
  | .letE _ type value body _ => collect env type; collect env value; collect env body
  | .mdata _ e | .proj _ _ e => collect env e
  | _ => return

/-- What a function is of, with names for its variables that nothing in the context has. -/
partial def withNamed (type : Expr) (names : List Name) (made : Array Expr) (k : Array Expr → MetaM α) : MetaM α := do
  match type, names with
  | .forallE _ domain body info, name :: names =>
    withLocalDecl name (if info.isInstImplicit then info else .default) domain fun x => withNamed (body.instantiate1 x) names (made.push x) k
  | _, _ => k made

/-- What a notation means. -/
structure Meaning where
  statement : Expr
  body : Expr              -- the right side, with variables of its own
  right : Expr
  variables : Nat
  isBySame : Bool

/-- What a type is that the project defines to be one of functions: `Fin n → Fin m → Int` for `Mat n m`. -/
def functions? (type : Expr) : MetaM (Option Expr) := do
  let .const c _ := type.getAppFn | return none
  let env ← getEnv
  unless isOfProject env c && (env.find? c) matches some (.defnInfo _) do return none
  let functions ← whnf type
  return if functions.isForall then some functions else none

/-- Whether the values of functions are propositions. -/
partial def arePredicates : Expr → Bool
  | .forallE _ _ values _ => arePredicates values
  | values => values.isProp

/-- With names for what a function is applied to; a predicate is applied where nothing but its values says what it is. -/
def withArguments (function type : Expr) (k : Array Expr → MetaM α) : MetaM α := do
  let some functions ← functions? type | k #[]
  if arePredicates functions && !function.isLambda then k #[] else
  withNamed functions ([`i, `j, `k].map (← getLCtx).getUnusedName) #[] k

/-- The value of a function of the project, if its definition is no recursion, and no distinction of cases. -/
def valueOf (e : Expr) : MetaM Expr := do
  let env ← getEnv
  let .const c _ := e.getAppFn | return e
  if !isOfProject env c || isRecursive env c then return e
  let some value ← unfoldDefinition? e | return e
  let value := value.headBeta
  return if (← isMatcherApp value) || value.isLambda then e else value

/-- What a notation is at most unfolded to, with variables in the place of what it is of; nothing where that is nothing else. Where it
is a function, that has arguments, too. -/
def Notation.meaning? (n : Notation) : MetaM (Option Meaning) := do
  let lctx ← getLCtx
  withNamed (← inferType n.function) (variableNames.map lctx.getUnusedName) #[] fun xs => do
    let made := mkAppN n.function xs
    if ← isProof made <||> isType made <&&> (notM <| isProp made) then return none
    let seen ← withReducibleAndInstances <| whnf made
    withArguments seen (← inferType made) fun arguments => do
      let left := mkAppN made arguments
      let right ← if arguments.isEmpty then pure seen else valueOf (seen.beta arguments)
      let env ← getEnv
      if right == left || right.isLambda || right.isForall && !(← isProp right) then return none
      if right.isFVar && !n.function.getAppArgs.any (·.isConstOf ``Id) then return none
      let isBySame := match right.getAppFn with
        | .const c _ => !isConstructor env c && (xs ++ arguments).all right.getAppArgs.contains
        | _ => false
      let all := xs ++ arguments
      return some { statement := ← mkForallFVars all (← mkEq left right), body := right, right := ← mkLambdaFVars all right, variables := all.size, isBySame }

/-- A name that nothing has: `add_notation`, `add₂_notation`, … -/
def freshName (taken : Array String) (word ending : String) : String :=
  let names := (List.range (taken.size + 1)).map fun i => if i == 0 then word ++ ending else s!"{word}{(i + 1).toSubscriptString}{ending}"
  (names.find? (!taken.contains ·)).getD (word ++ ending)

/-- Whether what a tactic would have is that, and Lean takes it. -/
def isTaken (text : String) (statement : Expr) : MetaM Bool := do
  let some (_, type) ← elaborated? text | return false
  withReducible <| isDefEq type statement

/-- The type of what a target equates, where its values may matter: a side is no variable, or a hypothesis applies it. -/
def equated? (target : Expr) : MetaM (Option Expr) := do
  let some (type, left, right) := target.eq? | return none
  let isValue (e : Expr) : Bool := e.isApp && (e.appFn! == left || e.appFn! == right)
  let isSpokenOf := (← getLCtx).any fun d => !d.isImplementationDetail && (d.type.find? isValue).isSome
  return if isSpokenOf || !left.isFVar || !right.isFVar then some type else none

/-- That elements of a type are equal which have the same values, where it is one of functions by a definition of the project, so that
neither `grind` nor `simp` sees it: of predicates (`Set α` for `α → Prop`), and of other functions where the target is such an equation. -/
def equalities (types : Array Expr) (target : Expr) : MetaM (Array Told) := do
  let ofTarget? ← equated? target
  let missing := ofTarget?.toArray.filter (!types.contains ·)
  (types ++ missing).filterMapM fun type => do
  let some functions ← functions? type | return none
  unless arePredicates functions || ofTarget? == some type do return none
  let lctx ← getLCtx
  withLocalDeclD (lctx.getUnusedName `f) type fun f => withLocalDeclD (lctx.getUnusedName `g) type fun g => do
    withNamed functions (variableNames.map lctx.getUnusedName) #[] fun xs => do
      let values ← mkForallFVars xs (← mkEq (mkAppN f xs) (mkAppN g xs))
      let statement ← mkForallFVars #[f, g] (← mkEq (← mkEq f g) values)
      let again (text : String) : String := " ".intercalate (List.replicate xs.size text)
      let proof := s!"fun _ _ => propext ⟨fun h {again "_"} => h ▸ rfl, fun h => {again "funext fun _ =>"} h {again "_"}⟩"
      return some { word := "equal", ending := ofEqualValues, statement, proof }

/-- A name for what is told, and the tactic that has it, as Lean prints it and takes it. -/
def written? (taken : Array String) (told : Told) : MetaM (Option (String × String)) := do
  let printed? (set : Options → Options) : MetaM (Option String) := do
    let text := toString (← withOptions set (ppExpr told.statement))
    return if ← pure (canBeWritten text) <&&> isTaken s!"show {text} from {told.proof}" told.statement then some text else none
  let some text ← [pp.numericTypes.set (val := true), pp.analyze.set (val := true), pp.explicit.set (val := true)].findSomeM? printed? | return none
  let name := freshName taken told.word told.ending
  return some (name, s!"have {name} : {text} := {told.proof}")

/-- What the notations at a goal mean that no hypothesis says yet, and what quotients do: each a tactic, to be run one after the other. -/
def ofGoal (goal : MVarId) : MetaM (Array String) := goal.withContext do
  let env ← getEnv
  let target ← instantiateMVars (← goal.getType)
  let mut terms := #[target]
  let mut known := #[]
  let mut taken := #[]
  for d in ← getLCtx do
    if d.isImplementationDetail then continue
    let type ← instantiateMVars d.type
    let name := toString d.userName
    taken := taken.push name
    if [bySameVariables, byOtherTerm, ofEqualValues, ofRepresentatives].any (name.endsWith ·) then known := known.push type else terms := terms.push type
  let mut s : Search := {}
  for e in terms do s := (collect env e |>.run s).2
  let mut texts := #[]
  let mut place := 0
  unless s.found.isEmpty do
    for d in ← getLCtx do
      if d.isImplementationDetail then continue
      if let some n ← zero? (← instantiateMVars d.type) then
        unless s.found.any (·.function == n.function) do s := { s with found := s.found.push n }
  for m in s.monads do
    for c in [``Pure.pure, ``Bind.bind, ``Functor.map] do
      if let some function ← observing? (mkAppOptM c #[some m, none]) then
        unless s.found.any (·.function == function) do s := { s with found := s.found.push { function, word := wordOf c } }
  let mut left := most
  let mut lifted := #[]       -- notations of which it cannot be written, but may be at representatives
  while place < s.found.size && left > 0 do
    let n := s.found[place]!
    place := place + 1
    let some meaning ← try n.meaning? catch e => if e.isInterrupt then throw e else pure none | continue
    s := (collect env meaning.right |>.run s).2
    if ← isKnown known meaning.statement then continue
    let proof := byReflexivity meaning.variables
    let told : Told := { word := n.word, ending := if meaning.isBySame then bySameVariables else byOtherTerm, statement := meaning.statement, proof }
    let some (name, text) ← if Quotients.isLifted meaning.body then pure none else written? taken told |
      lifted := lifted.push n.function
      continue
    taken := taken.push name
    left := left - 1
    texts := texts.push text
  let ofQuotients ← if s.quotients.isEmpty then pure #[] else Quotients.facts s.quotients (s.functions ++ lifted)
  for told in (← s.functions.filterMapM (Witnesses.meaning? ·)) ++ (← equalities s.ofFunctions target) ++ ofQuotients do
    if ← isKnown known told.statement then continue
    let some (name, text) ← written? taken told | continue
    taken := taken.push name
    texts := texts.push text
  return (← if s.quotients.isEmpty then pure #[] else Quotients.representatives) ++ texts
where
  isKnown (known : Array Expr) (statement : Expr) : MetaM Bool := known.anyM fun type => withReducible <| isDefEq type statement

end LeanAgent.Notations
