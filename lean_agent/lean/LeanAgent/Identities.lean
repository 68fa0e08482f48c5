/-
What an associative operation makes of equations: with `a⁻¹ * a = 1` also `a⁻¹ * (a * x) = 1 * x` and `(x * a⁻¹) * a = x * 1`, which
are critical pairs of Knuth-Bendix completion; and instances of these, and of hypotheses about anything, at terms of the target, where
matching begins at no term of the goal.
-/
import LeanAgent.Consequences
open Lean Meta

namespace LeanAgent.Identities

/-- So many equations are looked at, so many are made for any terms, and so many for terms of the target. -/
def mostLaws : Nat := 16
def mostGeneral : Nat := 10
def mostInstances : Nat := 36

/-- An equation of what is of one type, for any `variables`; under `lambda`s for these, as its sides and its proof are. -/
structure Law where
  variables : Nat
  proof : Expr
  left : Expr
  right : Expr
  isLocal : Bool

/-- An associative operation: `f (f x y) z = f x (f y z)`, proved for any three. -/
structure Operation where
  f : Expr
  associates : Expr

/-- The equations between terms of a type that a fact says, if it says them of any terms: each part of a conjunction. -/
partial def lawsOf (carrier proof type : Expr) (isLocal : Bool) (bound : Array Expr := #[]) : MetaM (Array Law) := do
  let type := (← instantiateMVars type).consumeMData.headBeta
  match type with
  | .forallE name domain body info =>
    unless ← withReducible <| isDefEq domain carrier do return #[]
    withLocalDecl name info domain fun x => lawsOf carrier (mkApp proof x).headBeta (body.instantiate1 x) isLocal (bound.push x)
  | _ =>
    if let some (a, b) := type.and? then
      return (← lawsOf carrier (← mkAppM ``And.left #[proof]) a isLocal bound) ++ (← lawsOf carrier (← mkAppM ``And.right #[proof]) b isLocal bound)
    let some (α, left, right) := type.eq? | return #[]
    unless ← withReducible <| isDefEq α carrier do return #[]
    let close (e : Expr) : MetaM Expr := mkLambdaFVars bound e
    return #[{ variables := bound.size, proof := ← close proof, left := ← close left, right := ← close right, isLocal }]

/-- The facts of a goal that may be such: its hypotheses, and what the fields of its structures and instances of classes say. -/
def factsAt : MetaM (Array (Expr × Expr × Bool)) := do
  let env ← getEnv
  let mut all := #[]
  for d in ← getLCtx do
    if d.isImplementationDetail then continue
    let type ← instantiateMVars d.type
    if ← isProp type then
      unless d.userName.hasMacroScopes do all := all.push (d.toExpr, type, true)
    else
      let kind := headOf type
      unless isStructure env kind && isOfProject env kind do continue
      for field in getStructureFieldsFlattened env kind (includeSubobjectFields := false) do
        try
          let proof ← mkProjection d.toExpr field
          let type ← inferType proof
          if ← isProp type then all := all.push (proof, type, false)
        catch e => if e.isInterrupt then throw e
  return all

/-- What a theorem of the project says of terms of a type, if it is no more than an equation of any such terms. -/
def lawOf? (carrier : Expr) (n : Name) : MetaM (Option Law) := do
  let proof ← mkConstWithFreshMVarLevels n
  let (arguments, infos, conclusion) ← forallMetaTelescope (← inferType proof)
  let some (α, left, right) := conclusion.eq? | return none
  unless ← isDefEq α carrier do return none
  unless ← haveInstances (arguments.zip infos) do return none
  let rec close (unassigned : List Expr) (bound : Array Expr) : MetaM (Option Law) := do
    match unassigned with
    | [] =>
      let under (e : Expr) : MetaM Expr := do mkLambdaFVars bound (← instantiateMVars e)
      return some { variables := bound.size, proof := ← under (mkAppN proof arguments), left := ← under left, right := ← under right, isLocal := false }
    | argument :: rest =>
      if ← argument.mvarId!.isAssigned then close rest bound
      else
        unless ← isDefEq (← inferType argument) carrier do return none
        withLocalDeclD (Name.mkSimple s!"a{bound.size}") carrier fun x => do
          argument.mvarId!.assign x
          close rest (bound.push x)
  close arguments.toList #[]

/-- The operation of a law that says that it is associative. -/
def operation? (law : Law) : MetaM (Option Operation) := do
  unless law.variables == 3 do return none
  lambdaTelescope law.left fun xs left => do
    let .app (.app f (.app (.app g x) y)) z := left | return none
    unless f == g && !xs.any (f.containsFVar ·.fvarId!) && #[x, y, z].all xs.contains do return none
    unless law.right.beta xs == mkApp2 f x (mkApp2 f y z) do return none
    return some { f, associates := ← mkLambdaFVars #[x, y, z] (law.proof.beta xs) }

/-- What associativity makes of an equation, for any terms: with one more argument behind the left side, and before it. -/
def extended (carrier : Expr) (operation : Operation) (law : Law) : MetaM (Array Expr) := do
  if law.variables > 1 then return #[]
  lambdaTelescope law.left fun xs left => do
    let .app (.app f a) b := left | return #[]
    unless f == operation.f do return #[]
    let right := law.right.beta xs
    if right == a || right == b then return #[]           -- of a unit it says nothing new
    let proof := law.proof.beta xs
    withLocalDeclD `x carrier fun x => withLocalDeclD `y carrier fun y => do
      let behind ← mkEqTrans (← mkEqSymm (operation.associates.beta #[a, b, x])) (← mkCongrArg (← mkLambdaFVars #[y] (mkApp2 f y x)) proof)
      let before ← mkEqTrans (operation.associates.beta #[x, a, b]) (← mkCongrArg (← mkLambdaFVars #[y] (mkApp2 f x y)) proof)
      return #[← mkLambdaFVars (xs.push x) behind, ← mkLambdaFVars (xs.push x) before]

/-- The sides of a target and what they are made of, as far as that is of its type. -/
partial def termsOf (carrier : Expr) (e : Expr) (steps : Nat := 2) (known : Array Expr := #[]) : MetaM (Array Expr) := do
  let isOne ← try withReducible <| isDefEq (← inferType e) carrier catch _ => pure false
  let known := if isOne && !known.contains e && !e.hasLooseBVars then known.push e else known
  if steps == 0 || e.isLambda then return known
  e.getAppArgs.foldlM (fun known arg => termsOf carrier arg (steps - 1) known) known

/-- What stands under the lambdas of a term. -/
def inside : Expr → Expr
  | .lam _ _ body _ => inside body
  | e => e

/-- A proof as a tactic can write it. -/
def proofText? (proof : Expr) : MetaM (Option String) := do
  let shown (o : Options) : Options := (o.setBool `pp.proofs true).setBool `pp.funBinderTypes true
  let text := toString (← withOptions shown <| ppExpr proof)
  return if canBeWritten text then some text else none

/-- Proofs of equations that are of use at a goal that equates terms of a type of no numbers, each as a tactic can write it. -/
def ofGoal (candidates : Name → Array (Shape × Name)) (goal : MVarId) : MetaM (Array String) := goal.withContext do
  let some (carrier, left, right) := (← instantiateMVars (← goal.getType)).consumeMData.eq? | return #[]
  if [``Nat, ``Int, ``Bool, ``List].contains (headOf carrier) || carrier.isSort then return #[]
  let mut laws : Array Law := #[]
  for (proof, type, isLocal) in ← factsAt do
    if laws.size < mostLaws then laws := laws ++ (← lawsOf carrier proof type isLocal)
  let sides := #[left, right]
  let mut terms ← termsOf carrier right 2 (← termsOf carrier left)
  for law in laws do
    if law.isLocal && law.variables == 0 then terms ← termsOf carrier law.left 1 terms
  terms := terms.extract 0 6
  let heads := ((sides ++ laws.flatMap fun law => #[inside law.left, inside law.right]).map headOf).filter (!·.isAnonymous)
  let theorems := (candidates ``Eq).filter fun (shape, _) => heads.contains shape.left || heads.contains shape.right
  for n in (shortestFirst (theorems.map (·.2))).extract 0 mostLaws do
    if laws.size < 2 * mostLaws then
      let law? ← withoutModifyingState do
        try lawOf? carrier n catch e => if e.isInterrupt then throw e else pure none
      if let some law := law? then laws := laws.push law
  let operations := (← laws.filterMapM operation?).foldl (fun all one => if all.any (·.f == one.f) then all else all.push one) #[]
  if operations.isEmpty && !laws.any (fun law => law.isLocal && law.variables == 1) then return #[]
  let mut general : Array Expr := #[]
  for operation in operations do
    for law in laws do general := general ++ (← extended carrier operation law)
  let mut instances : Array Expr := #[]
  for law in laws do
    if law.isLocal && law.variables == 1 then instances := instances ++ terms.map fun term => law.proof.beta #[term]
  for proof in general.extract 0 mostGeneral do
    match proof with
    | .lam _ _ (.lam ..) _ => for a in terms do instances := instances ++ sides.map fun b => proof.beta #[a, b]
    | .lam .. => instances := instances ++ terms.map fun term => proof.beta #[term]
    | _ => continue
  let known := (laws.filter (!·.isLocal)).map (·.proof)
  let texts ← ((known ++ general).extract 0 (2 * mostGeneral) ++ instances.extract 0 mostInstances).filterMapM proofText?
  return texts.toList.eraseDups.toArray

end LeanAgent.Identities
