/-
What equality means in a quotient, and what functions of the project are there, told of representatives: `Quotient.mk s a = Quotient.mk s b`
is `r a b`, and `add (Quotient.mk s a) (Quotient.mk s b)` is what it was lifted from. With this, and representatives in the place of
variables, a goal about a quotient is one about what it was made of.
-/
import LeanAgent.Consequences
open Lean Meta

namespace LeanAgent

/-- Names for the variables of what is told at a goal. -/
def variableNames : List Name := [`x, `y, `z, `u, `v, `w]

/-- A proof by definition of what is said of so many variables. -/
def byReflexivity (variables : Nat) : String :=
  if variables == 0 then "rfl" else s!"fun {" ".intercalate (List.replicate variables "_")} => rfl"

namespace Quotients

/-- So many functions are told of representatives, -/
def mostFunctions : Nat := 8

/-- and so many variables get them. -/
def mostVariables : Nat := 6

def isQuotient (c : Name) : Bool := c == ``Quotient || c == ``Quot

/-- A function of the project as a term applies it, with its implicit arguments before the first explicit one; nothing where these
speak of what is bound. -/
def function? (env : Environment) (e : Expr) : Option Expr := do
  let .const c _ := e.getAppFn | none
  guard <| isOfProject env c && !env.isProjectionFn c
  let some (.defnInfo info) := env.find? c | none
  let function := mkAppN e.getAppFn (e.getAppArgs.extract 0 (implicit info.type))
  guard <| !function.hasLooseBVars && !function.hasMVar && info.type.isForall
  return function
where
  implicit : Expr → Nat
    | .forallE _ _ body info => if info.isExplicit then 0 else implicit body + 1
    | _ => 0

/-- What stands for an element: the function that makes one of a representative (`Quotient.mk s`), and whether that is of a setoid. -/
structure Maker where
  function : Expr
  carrier : Expr
  relation : Expr
  isOfSetoid : Bool

/-- The maker of a type that is a quotient behind the names that the project gives it. -/
partial def maker? (type : Expr) (steps : Nat := 4) : MetaM (Option Maker) := do
  let type := (← instantiateMVars type).consumeMData.headBeta
  match type.getAppFn, type.getAppArgs with
  | .const ``Quotient us, #[carrier, setoid] =>
    return some { function := mkAppN (mkConst ``Quotient.mk us) #[carrier, setoid], carrier, relation := mkAppN (mkConst ``Setoid.r us) #[carrier, setoid], isOfSetoid := true }
  | .const ``Quot us, #[carrier, relation] =>
    return some { function := mkAppN (mkConst ``Quot.mk us) #[carrier, relation], carrier, relation, isOfSetoid := false }
  | .const c _, _ =>
    if steps == 0 || !isOfProject (← getEnv) c then return none
    match ← unfoldDefinition? type with
    | some unfolded => maker? unfolded (steps - 1)
    | none => return none
  | _, _ => return none

/-- A relation of representatives without the structure that it stands in. -/
def related (maker : Maker) (a b : Expr) : MetaM Expr := do
  let relation := maker.relation
  unless maker.isOfSetoid do return relation.beta #[a, b]
  let setoid ← whnf relation.appArg!
  if setoid.isAppOfArity ``Setoid.mk 3 then return (setoid.getArg! 1).beta #[a, b] else return mkAppN relation #[a, b]

/-- What equality of elements means: of a setoid in both directions. -/
def Maker.equality (maker : Maker) : MetaM Told := do
  let lctx ← getLCtx
  withLocalDeclD (lctx.getUnusedName `a) maker.carrier fun a => withLocalDeclD (lctx.getUnusedName `b) maker.carrier fun b => do
    let equal ← mkEq (.app maker.function a) (.app maker.function b)
    let related ← related maker a b
    if maker.isOfSetoid then
      let proof := "fun _ _ => propext ⟨fun h => Quotient.exact h, fun h => Quotient.sound h⟩"
      return { word := "equal", ending := ofRepresentatives, statement := ← mkForallFVars #[a, b] (← mkEq equal related), proof }
    let statement ← mkForallFVars #[a, b] (← mkArrow related equal)
    return { word := "equal", ending := ofRepresentatives, statement, proof := "fun _ _ h => Quot.sound h" }

/-- Whether a term is stuck at what lifts a function to a quotient. -/
def isLifted (e : Expr) : Bool :=
  match e.getAppFn with
  | .const c _ => isQuotient c.getPrefix && c != ``Quotient.mk && c != ``Quot.mk
  | _ => false

/-- A term without the function that it applies and without what lifts functions to quotients. -/
partial def unlifted (e : Expr) (steps : Nat := 30) : MetaM Expr := do
  let e ← whnfCore e
  unless steps > 0 && isLifted e do return e
  match ← unfoldDefinition? e with
  | some unfolded => unlifted unfolded (steps - 1)
  | none => return e

/-- With representatives in the place of arguments that are of a quotient: `k` is given all variables and all arguments. -/
partial def withRepresentatives (type : Expr) (names : List Name) (variables arguments : Array Expr) (k : Array Expr → Array Expr → MetaM α) : MetaM α := do
  match ← whnfCore type, names with
  | .forallE _ domain body info, name :: names =>
    let maker? ← maker? domain
    let domain := (maker?.map (·.carrier)).getD domain
    withLocalDecl name (if info.isInstImplicit then info else .default) domain fun x =>
      let argument := (maker?.map fun maker => .app maker.function x).getD x
      withRepresentatives (body.instantiate1 argument) names (variables.push x) (arguments.push argument) k
  | _, _ => k variables arguments

/-- What a function is at representatives, and the makers of the quotients that it is about. -/
def ofFunction (function : Expr) : MetaM (Option Told × Array Maker) := do
  let type ← inferType function
  let names := variableNames.map (← getLCtx).getUnusedName
  withRepresentatives type names #[] #[] fun variables arguments => do
    let left := mkAppN function arguments
    let makers ← (← arguments.mapM inferType).push (← inferType left) |>.filterMapM (maker? ·)
    if ← isProof left <||> isType left <&&> notM (isProp left) then return (none, makers)
    let behindNotation ← withReducibleAndInstances <| whnf left
    let some unfolded ← if behindNotation == left then unfoldDefinition? left else pure (some behindNotation) | return (none, makers)
    let right ← withDefault <| unlifted unfolded
    if makers.isEmpty || isLifted right || right.isLambda || right == left then return (none, makers)
    let statement ← mkForallFVars variables (← mkEq left right)
    return (some { word := wordOf (headOf function), ending := byOtherTerm, statement, proof := byReflexivity variables.size }, makers)

/-- What functions are at representatives, and what equality means in the quotients that they are about, and in others. -/
def facts (quotients functions : Array Expr) : MetaM (Array Told) := do
  let lctx ← getLCtx
  let mut makers ← quotients.filterMapM (maker? ·)
  let mut facts := #[]
  for function in functions do
    let (fact?, about) ← try ofFunction function catch e => if e.isInterrupt then throw e else pure (none, #[])
    makers := makers ++ about
    if let some fact := fact? then
      if facts.size < mostFunctions then facts := facts.push fact
  let mut equalities := #[]
  let mut seen := #[]
  for maker in makers do
    if seen.contains maker.function || maker.function.hasAnyFVar (!lctx.contains ·) then continue
    seen := seen.push maker.function
    equalities := equalities.push (← maker.equality)
  return equalities ++ facts

/-- Tactics that put representatives in the place of a goal's variables that are of a quotient. -/
def representatives : MetaM (Array String) := do
  let lctx ← getLCtx
  let mut texts := #[]
  for d in lctx do
    if d.isImplementationDetail || d.isLet || texts.size ≥ mostVariables then continue
    let some name := variableText? lctx d.toExpr | continue
    let some maker ← maker? d.type | continue
    texts := texts.push s!"obtain ⟨{name}, rfl⟩ := {if maker.isOfSetoid then "Quotient" else "Quot"}.exists_rep {name}"
  return texts

end Quotients

end LeanAgent
