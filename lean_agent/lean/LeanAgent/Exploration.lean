/-
Equations about a goal's functions that hold for all values that are tried (theory exploration: QuickSpec, HipSpec; Claessen, Johansson,
Rosén, Smallbone 2013). Terms are made of the functions, constructors and variables, from small ones to larger ones; two that have the
same values are an equation, and only the first of them stands in larger terms.
-/
import LeanAgent.Consequences
open Lean Meta Elab

namespace LeanAgent.Exploration

/-- So many functions are looked at, those that the goal names first. -/
def mostFunctions : Nat := 8

/-- So many terms are made, of up to so many functions, constructors and variables; larger ones where there are but few. -/
def mostTerms : Nat := 1500
def usualSize : Nat := 5
def fewTerms : Nat := 250
def largestSize : Nat := 6

/-- So many times each variable is given a value, and so many more times before an equation is believed. -/
def valuations : Nat := 16
def moreValuations : Nat := 40

/-- Values of more constructors are not computed, nor are larger numbers, of which others would be made. -/
def largestValue : Nat := 80
def largestNumber : Nat := 10000

/-- Functions of Lean's own that equations may be about, where a project uses them. -/
def ofLean : List Name := [``HAppend.hAppend, ``HAdd.hAdd, ``HMul.hMul, ``List.map, ``List.length, ``List.reverse, ``or, ``and, ``not]

-- ## Functions

/-- A function with the types, instances and functions that it is applied to, or a constructor. -/
structure Symbol where
  function : Expr
  domains : Array Expr
  codomain : Expr
  isConstructor : Bool

/-- How many arguments a function takes that others depend on: types and instances. -/
partial def parametersOf (type : Expr) (count : Nat := 0) : MetaM Nat := do
  match type with
  | .forallE n domain body info =>
    let isParameter := info.isInstImplicit || domain.isSort || (domain.isForall && domain.getForallBody.isSort)
    if !isParameter then return count
    withLocalDecl n info domain fun x => parametersOf (body.instantiate1 x) (count + 1)
  | _ => return count

/-- A function of up to three values, of types that do not depend on one another. -/
partial def symbol? (function : Expr) (isConstructor : Bool) : MetaM (Option Symbol) := do
  let rec go (type : Expr) (domains : Array Expr) : MetaM (Option Symbol) := do
    match ← whnfR type with
    | .forallE _ domain body _ =>
      if body.hasLooseBVars || domains.size ≥ 3 || (← isProp domain) || domain.isSort then return none
      go body (domains.push domain)
    | codomain =>
      if codomain.isSort || codomain.isForall || (← isProp codomain) then return none
      return some { function, domains, codomain, isConstructor }
  go (← instantiateMVars (← inferType function)) #[]

/-- Whether a constant is a function of the project that values are computed with. -/
def isComputed (env : Environment) (c : Name) : Bool :=
  let isMade := env.isProjectionFn c || Meta.isMatcherCore env c || isMadeBesideType env c || Meta.isInstanceCore env c
  match env.find? c with
  | some (.defnInfo info) => isOfProject env c && !(isMade || isReducible env c || endsInProp env info.type || (privateToUserName c).isInternalDetail)
  | _ => false

/-- Whether there is an argument that is a function, and a variable of the goal: it stays what it is. -/
def isFunctionVariable (argument? : Option Expr) : MetaM Bool := do
  let some (.fvar id) := argument? | return false
  return (← whnfR (← id.getType)).isForall

/-- The function that a term begins with, with the types, instances and functions that it is applied to, if it is one of the project, one
of some of Lean's own, or a variable. -/
def function? (env : Environment) (e : Expr) : MetaM (Option Expr) := do
  let f := e.getAppFn
  let args := e.getAppArgs
  if let .const c _ := f then
    let some info := env.find? c | return none
    if !isComputed env c && !ofLean.contains c then return none
    let mut count ← parametersOf info.type
    while ← isFunctionVariable args[count]? do count := count + 1
    return if count ≤ args.size then some (mkAppN f (args.extract 0 count)) else none
  if f.isFVar then
    let type ← inferType f
    if (← whnfR type).isForall && !(← isProp type) then return some f
  return none

/-- The functions that a term applies. -/
partial def applied (env : Environment) (e : Expr) (known : Array Expr) : MetaM (Array Expr) := do
  match e with
  | .app .. | .const .. | .fvar .. =>
    let mut known := known
    if let some function ← function? env e then
      if !function.hasLooseBVars && !function.hasMVar && !known.contains function then known := known.push function
    e.getAppArgs.foldlM (fun known arg => applied env arg known) known
  | .lam _ type body _ | .forallE _ type body _ => applied env body (← applied env type known)
  | .letE _ type value body _ => applied env body (← applied env value (← applied env type known))
  | .mdata _ e | .proj _ _ e => applied env e known
  | _ => return known

/-- The functions in the equations of a function, at the same types. -/
def behind (env : Environment) (function : Expr) (known : Array Expr) : MetaM (Array Expr) := do
  let .const c _ := function.getAppFn | return known
  if !isOfProject env c then return known
  let some equations ← getEqnsFor? c | return known
  equations.foldlM (init := known) fun known n => do
    let (_, _, equation) ← forallMetaTelescope (← inferType (← mkConstWithFreshMVarLevels n))
    let some (_, left, right) := equation.eq? | return known
    let isSame ← isDefEq (mkAppN left.getAppFn (left.getAppArgs.extract 0 function.getAppNumArgs)) function
    if isSame then applied env (← instantiateMVars right) known else return known

/-- The functions of a goal, and those behind them. -/
def functionsOf (goal : MVarId) : MetaM (Array Expr) := do
  let env ← getEnv
  let mut known ← applied env (← instantiateMVars (← goal.getType)) #[]
  for d in ← getLCtx do
    if !d.isImplementationDetail && (← isProp d.type) then known ← applied env (← instantiateMVars d.type) known
  let mut place := 0
  while place < known.size && known.size < mostFunctions do
    known ← behind env known[place]! known
    place := place + 1
  return known.extract 0 mostFunctions

/-- The constructors of a type, where they take values alone; of numbers 0 and 1. -/
def constructorsOf (type : Expr) : MetaM (Array Symbol) := do
  let type ← whnfR type
  let .const c us := type.getAppFn | return #[]
  let some (.inductInfo info) := (← getEnv).find? c | return #[]
  if c == ``Nat then return ← #[0, 1].filterMapM fun n => symbol? (mkNatLit n) true
  if info.numIndices > 0 || info.isUnsafe || c == ``Int then return #[]
  let parameters := type.getAppArgs.extract 0 info.numParams
  info.ctors.toArray.filterMapM fun n => symbol? (mkAppN (.const n us) parameters) true

-- ## Values

/-- A value that is nothing but constructors and numerals; none where it is too large, or cannot be computed. -/
partial def normal (env : Environment) (e : Expr) : StateM Nat (Option Expr) := do
  if (← get) == 0 then return none
  modify (· - 1)
  let .ok e := Kernel.whnf env {} e | return none
  if let some n := e.rawNatLit? then return if n ≤ largestNumber then some e else none
  let .const c _ := e.getAppFn | return none
  if c == ``Nat.zero then return some (mkRawNatLit 0)
  if c == ``Nat.succ then
    let some n ← normal env e.appArg! | return none
    return n.rawNatLit?.map fun n => mkRawNatLit (n + 1)
  let some (.ctorInfo info) := env.find? c | return none
  let args := e.getAppArgs
  let mut made := args.extract 0 info.numParams
  for field in args.extract info.numParams args.size do
    let some field ← normal env field | return none
    made := made.push field
  return some (mkAppN e.getAppFn made)

/-- Another number for each number. -/
def mixed (seed : Nat) : Nat := (mixHash (hash seed) 11).toNat % 2147483648

/-- A value of a type, another for each seed, that is so many constructors deep, as a rule; none of a type that is none of data. -/
partial def value? (type : Expr) (seed depth : Nat) (fuel : Nat := 12) : MetaM (Option Expr) := do
  let type ← whnf type
  if type.isConstOf ``Nat then return some (mkRawNatLit (mixed seed % 5))
  let .const c us := type.getAppFn | return none
  let some (.inductInfo info) := (← getEnv).find? c | return none
  if info.numIndices > 0 || fuel == 0 then return none
  let parameters := type.getAppArgs.extract 0 info.numParams
  let isRecursive (e : Expr) : Bool := (e.find? (·.isConstOf c)).isSome
  let larger ← info.ctors.toArray.filterM fun n => do
    forallTelescope (← inferType (mkAppN (.const n us) parameters)) fun fields _ => fields.anyM fun x => return isRecursive (← inferType x)
  let smallest := info.ctors.toArray.filter (!larger.contains ·)
  let ctors := if larger.isEmpty || depth == 0 then smallest else if smallest.isEmpty || mixed (seed + 1) % 8 != 0 then larger else smallest
  if ctors.isEmpty then return none
  let mut e := mkAppN (.const ctors[mixed (seed + 2) % ctors.size]! us) parameters
  let mut type ← inferType e
  let mut seed := seed
  repeat
    let .forallE _ domain body _ ← whnf type | break
    if body.hasLooseBVars || (← isProp domain) then return none
    seed := mixed (seed + 3)
    let some argument ← value? domain seed (if isRecursive domain then depth - 1 else seed % 4) (fuel - 1) | return none
    e := .app e argument
    type := body
  return some e

/-- What stands for something else where values are computed. -/
structure StandIns where
  variables : Array Expr := #[]
  values : Array Expr := #[]

def StandIns.put (standIns : StandIns) (x value : Expr) : StandIns :=
  { variables := standIns.variables.push x, values := standIns.values.push value }

def StandIns.apply (standIns : StandIns) (e : Expr) : Expr := e.replaceFVars standIns.variables standIns.values

/-- What stands for types, instances and functions of a context: `Nat` for any type. -/
def StandIns.ofContext : MetaM StandIns := do
  let mut standIns : StandIns := {}
  for d in ← getLCtx do
    if d.isImplementationDetail then continue
    let type := standIns.apply (← instantiateMVars d.type)
    let value? ← if d.type.isSort && !d.type.isProp then pure (some (.const ``Nat []))
      else if (← isClass? type).isSome then synthInstance? type
      else match ← whnf type with
        | .forallE _ (.const ``Nat _) (.const ``Nat _) _ => pure (some (.lam `n (.const ``Nat []) (.app (.const ``Nat.succ []) (.bvar 0)) .default))
        | .forallE _ (.const ``Nat _) (.const ``Bool _) _ =>
          pure (some (.lam `n (.const ``Nat []) (mkApp2 (.const ``Nat.ble []) (.bvar 0) (mkRawNatLit 1)) .default))
        | _ => pure none
    if let some value := value? then standIns := standIns.put d.toExpr value
  return standIns

-- ## Signatures

/-- A type of which there are variables. -/
structure Carrier where
  type : Expr
  variables : Array Expr := #[]
  deriving Inhabited

/-- What terms are made of, constructors first: of two terms the first one stays. -/
structure Signature where
  symbols : Array Symbol
  carriers : Array Carrier
  standIns : StandIns

/-- Names for variables of several types. -/
def namesOf : Array (Array Name) := #[#[`x, `y, `z], #[`a, `b, `c], #[`m, `n, `k], #[`u, `v, `w], #[`p, `q, `r], #[`s, `t, `l]]

/-- The first of some names that is free, or another. -/
def freeName (lctx : LocalContext) (names : Array Name) : Name :=
  (names.find? fun n => !lctx.usesUserName n).getD (lctx.getUnusedName (names.getD 0 `x))

/-- Have three variables of each type; two of a type that any values may be of. -/
partial def withCarriers {α : Type} (types : List Expr) (k : Array Carrier → MetaM α) (made : Array Carrier := #[]) : MetaM α := do
  let type :: types := types | k made
  let names := (namesOf[made.size]?.getD #[`x, `y, `z]).extract 0 (if type.isFVar then 2 else 3)
  let rec go (place : Nat) (variables : Array Expr) : MetaM α := do
    match names[place]? with
    | none => withCarriers types k (made.push { type, variables })
    | some name =>
      let others := (namesOf.extract 1 namesOf.size).flatMap id
      withLocalDeclD (freeName (← getLCtx) (#[name] ++ names ++ others)) type fun x => go (place + 1) (variables.push x)
  go 0 #[]

/-- Have what terms about a goal are made of. -/
def withSignature {α : Type} (goal : MVarId) (k : Signature → MetaM α) : MetaM α := goal.withContext do
  let functions ← (← functionsOf goal).filterMapM (symbol? · false)
  let typesOf (symbols : Array Symbol) (known : Array Expr) : Array Expr := symbols.foldl (init := known) fun known symbol =>
    (symbol.domains.push symbol.codomain).foldl (init := known) fun known type => if known.contains type then known else known.push type
  let constructors ← (typesOf functions #[]).flatMapM constructorsOf
  let types := (typesOf constructors (typesOf functions #[])).extract 0 namesOf.size
  let symbols := (constructors ++ functions).filter fun symbol => (symbol.domains.push symbol.codomain).all types.contains
  let standIns ← StandIns.ofContext
  withCarriers types.toList fun carriers => k { symbols, carriers, standIns }

/-- A value of a variable. -/
def Signature.value? (signature : Signature) (carrier : Carrier) (place valuation : Nat) : MetaM (Option Expr) :=
  let seed := mixed (1000 * place + valuation)
  Exploration.value? (signature.standIns.apply carrier.type) seed (seed / 1024 % 4)

/-- All variables, numbered, with their types. -/
def Signature.variables (signature : Signature) : Array (Expr × Carrier × Nat) :=
  (signature.carriers.flatMap fun carrier => carrier.variables.map (·, carrier)).zipIdx.map fun ((x, carrier), place) => (x, carrier, place)

/-- How many functions, constructors and variables a term has. -/
partial def Signature.sizeOf (signature : Signature) (e : Expr) : Nat :=
  let args := e.getAppArgs
  let isSymbol (function : Expr) : Bool := signature.symbols.any (·.function == function)
  match (Array.range (args.size + 1)).find? fun n => isSymbol (mkAppN e.getAppFn (args.extract 0 n)) with
  | some n => (args.extract n args.size).foldl (fun size arg => size + signature.sizeOf arg) 1
  | none => 1

/-- Whether both sides have the same values for further values of their variables. -/
def Signature.holds (signature : Signature) (left right : Expr) : MetaM Bool := do
  let env ← getEnv
  let used := (collectFVars {} left).fvarIds
  unless (collectFVars {} right).fvarIds.all used.contains do return false
  for i in [valuations:valuations + moreValuations] do
    let mut standIns := signature.standIns
    for (x, carrier, place) in signature.variables do
      if used.contains x.fvarId! then
        let some value ← signature.value? carrier place i | return false
        standIns := standIns.put x value
    let value? (e : Expr) : Option Expr := ((normal env (standIns.apply e)).run (4 * largestValue)).1
    match value? left, value? right with
    | some a, some b => unless a == b do return false
    | _, _ => continue
  return true

-- ## Terms

/-- A term, with its values. -/
structure Computed where
  term : Expr
  type : Expr
  values : Array Expr

structure State where
  terms : Array (Array Computed)                               -- by their sizes, those that differ in their values
  first : Std.HashMap (Expr × Array Expr) Expr := {}           -- by type and values
  values : Std.HashMap (Expr × Array Expr) (Option Expr) := {} -- of functions at values
  equations : Array (Expr × Expr) := #[]
  count : Nat := 0

abbrev ExplorationM := StateRefT State MetaM

/-- The value of a function at values. -/
def valueAt (function : Expr) (values : Array Expr) : ExplorationM (Option Expr) := do
  if let some known := (← get).values[(function, values)]? then return known
  let (value, _) := (normal (← getEnv) (mkAppN function values)).run largestValue
  modify fun s => { s with values := s.values.insert (function, values) value }
  return value

/-- Whether the variables of two terms stand in them in their order: others differ in names alone. -/
def Signature.areInOrder (signature : Signature) (first second : Expr) : Bool :=
  let used := (collectFVars (collectFVars {} first) second).fvarIds            -- in the order in which they are met
  signature.carriers.all fun carrier =>
    let places := (used.filterMap fun id => carrier.variables.findIdx? (·.fvarId! == id)).toList.eraseDups
    places == List.range places.length

/-- All ways to write a number as a sum of so many, each at least 1, those first that begin with small ones. -/
def sums : Nat → Nat → Array (Array Nat)
  | 0, 0 => #[#[]]
  | 0, _ => #[]
  | parts + 1, n => (Array.range n).flatMap fun i => (sums parts (n - i - 1)).map (#[i + 1] ++ ·)

/-- Take in a term: it is new, or equals another. -/
def Signature.add (signature : Signature) (size : Nat) (t : Computed) : ExplorationM Unit := do
  let key := (t.type, t.values)
  match (← get).first[key]? with
  | none => modify fun s => { s with first := s.first.insert key t.term, terms := s.terms.modify size (·.push t), count := s.count + 1 }
  | some first => if signature.areInOrder first t.term then modify fun s => { s with equations := s.equations.push (t.term, first) }

/-- Make all terms of a size of smaller ones, up to a time. -/
def Signature.explore (signature : Signature) (size deadline : Nat) : ExplorationM Unit := do
  for symbol in signature.symbols do
    let function := signature.standIns.apply symbol.function
    for sizes in sums symbol.domains.size (size - 1) do
      let terms := (← get).terms
      let mut rows : Array (Array Computed) := #[#[]]
      for (part, domain) in sizes.zip symbol.domains do
        let suitable := (terms[part]?.getD #[]).filter (·.type == domain)
        rows := rows.flatMap fun row => suitable.map (row.push ·)
      for row in rows do
        if (← get).count ≥ mostTerms || (← IO.monoMsNow) > deadline then return
        Core.checkInterrupted
        let mut values := #[]
        for i in [0:valuations] do
          if let some value ← valueAt function (row.map (·.values[i]!)) then values := values.push value else break
        if values.size == valuations then
          signature.add size { term := mkAppN symbol.function (row.map (·.term)), type := symbol.codomain, values }

-- ## Equations of a form

/-- The first variables of a type, so many; none where it has fewer. -/
def Signature.variablesOf (signature : Signature) (type : Expr) (count : Nat) : Array Expr :=
  match signature.carriers.find? (·.type == type) with
  | some carrier => if carrier.variables.size < count then #[] else carrier.variables.extract 0 count
  | none => #[]

/-- The functions of so many values that are no constructors. -/
def Signature.functions (signature : Signature) (arity : Nat) : Array Symbol :=
  signature.symbols.filter fun symbol => !symbol.isConstructor && symbol.domains.size == arity

/-- The functions of the goal that make one value of a type of two. -/
def Signature.operationsOn (signature : Signature) (type : Expr) : Array Expr :=
  ((signature.functions 2).filter fun symbol => symbol.codomain == type && symbol.domains == #[type, type]).map (·.function)

/-- The same, with Lean's own `+` and `++`, whether or not the goal names them. -/
def Signature.operationsOver (signature : Signature) (type : Expr) : MetaM (Array Expr) := do
  let own := signature.operationsOn type
  let ofLean := if type.isConstOf ``Nat then #[``HAdd.hAdd] else if type.isAppOfArity ``List 1 then #[``HAppend.hAppend] else #[]
  let joining ← (signature.variablesOf type 1).flatMapM fun x => ofLean.mapM fun n => return (← mkAppM n #[x, x]).appFn!.appFn!
  return own ++ joining.filter (!own.contains ·)

/-- An equation of a term with the first of others that has the same values; none once the time is up. -/
def Signature.equation? (signature : Signature) (deadline : Nat) (left : Expr) (rights : Array Expr) : MetaM (Option (Expr × Expr)) := do
  let right? ← rights.findM? fun right => return (← IO.monoMsNow) < deadline && (← signature.holds left right)
  return right?.map (left, ·)

/-- A function of two values at one of them, at a place, and at another one beside it. -/
def Symbol.applied (f : Symbol) (place : Nat) (beside e : Expr) : Expr :=
  mkAppN f.function (if place == 0 then #[e, beside] else #[beside, e])

/-- Equations by which one function of two values goes through another, which are larger than what is made of all functions:
`f x (g y z) = h (f x y) (f x z)` and `f (g x y) z = h (f x z) (f y z)`. -/
def Signature.distributive (signature : Signature) (deadline : Nat) : MetaM (Array (Expr × Expr)) := do
  (signature.functions 2).flatMapM fun f => #[0, 1].flatMapM fun place => do
    let type := f.domains[place]!
    let #[_, y, z] := signature.variablesOf type 3 | return #[]
    let #[x] := signature.variablesOf f.domains[1 - place]! 1 | return #[]
    let apply := f.applied place x
    let over := signature.operationsOn f.codomain
    (signature.operationsOn type).filterMapM fun g =>
      signature.equation? deadline (apply (mkAppN g #[y, z])) (over.map (mkAppN · #[apply y, apply z]))

/-- Equations by which a function of one value goes through one of two: `f (g x y) = h (f x) (f y)`, or `h (f y) (f x)`. -/
def Signature.homomorphic (signature : Signature) (deadline : Nat) : MetaM (Array (Expr × Expr)) := do
  (signature.functions 1).flatMapM fun f => do
    let #[x, y] := signature.variablesOf f.domains[0]! 2 | return #[]
    let over ← signature.operationsOver f.codomain
    let values := #[#[x, y], #[y, x]].map (·.map (mkApp f.function))
    (signature.operationsOn f.domains[0]!).filterMapM fun g =>
      signature.equation? deadline (mkApp f.function (mkAppN g #[x, y])) (over.flatMap fun h => values.map (mkAppN h))

/-- Equations that say what becomes of a value that a function hands on changed: `f a x = h (f e x) a`, or `h a (f e x)`, where `e` is a
constructor without arguments, as it is where such functions are called. -/
def Signature.accumulating (signature : Signature) (deadline : Nat) : MetaM (Array (Expr × Expr)) := do
  let changes (f : Symbol) (place : Nat) : MetaM Bool := match f.function.getAppFn with
    | .const c _ => isChanged c (f.function.getAppNumArgs + place)
    | _ => return false
  (signature.functions 2).flatMapM fun f => #[0, 1].flatMapM fun place => do
    let (type, other) := (f.domains[place]!, f.domains[1 - place]!)
    unless ← pure (type == f.codomain) <&&> changes f place do return #[]
    let some a := (signature.variablesOf type 1)[0]? | return #[]
    let some x := (signature.variablesOf other 2)[if type == other then 1 else 0]? | return #[]
    let apply := f.applied place x
    let begins := signature.symbols.filter fun symbol => symbol.isConstructor && symbol.domains.isEmpty && symbol.codomain == type
    let over := (← signature.operationsOver type).filter (· != f.function)
    begins.filterMapM fun e =>
      let begun := apply e.function
      signature.equation? deadline (apply a) (over.flatMap fun h => #[#[begun, a], #[a, begun]].map (mkAppN h))

/-- Equations between terms, as far as they can be made up to a time; they hold for the values that were tried. -/
def Signature.equations (signature : Signature) (deadline : Nat) : MetaM (Array (Expr × Expr)) := do
  let ofForms ← #[distributive, homomorphic, accumulating].flatMapM (· signature deadline)
  let act : ExplorationM Unit := do
    for (x, carrier, place) in signature.variables do
      let values ← (Array.range valuations).filterMapM (signature.value? carrier place ·)
      if values.size == valuations then signature.add 1 { term := x, type := carrier.type, values }
    for size in [1:largestSize + 1] do
      if size ≤ usualSize || (← get).count < fewTerms then signature.explore size deadline
  let ((), s) ← act.run { terms := Array.replicate (largestSize + 1) #[] }
  return ofForms ++ s.equations

end LeanAgent.Exploration
