/-
Conjectures made of a file's theorems: sides swapped, variables specialised, hypotheses moved, dropped or exchanged with
the conclusion, constants exchanged for others of their type, sub-goals of proofs. They are made as expressions, looked at
in small cases, printed, and elaborated again from what was printed.
-/
import LeanAgent.Library
open Lean Meta Elab

namespace LeanAgent

/-- A conjecture: what kind of change has made it, and the change in words. -/
structure Candidate where
  kind : String
  change : String
  type : Expr

/-- A theorem that variants are made of: whether it has a proof, what its text had in force there, and the goals that its
proof went through. -/
structure VariantSource where
  name : Name
  isProved : Bool
  scope : Command.Scope
  subgoals : Array Expr

-- ## Sub-goals

/-- The same expression without what elaborators have noted in it. -/
partial def unmarked (e : Expr) : Expr := e.replace fun
  | .mdata _ e => some (unmarked e)
  | _ => none

/-- A goal as a statement of its own. None where it hangs on a metavariable, a `let` or the theorem itself. -/
def closedGoal? (goal : MVarId) : MetaM (Option Expr) := goal.withContext do
  let mut fvars := #[]
  for decl in ← getLCtx do
    if decl.isImplementationDetail then continue
    if decl.isLet then return none
    fvars := fvars.push decl.toExpr
  let type ← Core.betaReduce (unmarked (← instantiateMVars (← mkForallFVars fvars (← goal.getType))))
  return if type.hasMVar || type.hasFVar || type.hasSorry || (isLHSGoal? (← goal.getType)).isSome then none else some type

def subgoalsOf (w : Walk) (value : Syntax) : IO (Array Expr) := do
  let some range := bytesOf? value | return #[]
  let mut seen : Std.HashSet MVarId := {}
  let mut types := #[]
  for node in tacticsIn w range do
    if isStructural node.stx || isConversion node then continue
    for goal in node.info.goalsAfter do
      if seen.contains goal then continue
      seen := seen.insert goal
      let context := { node.context with mctx := node.info.mctxAfter }
      if let some type ← (try runThere context {} (closedGoal? goal) catch _ => pure none) then types := types.push type
  return types

-- ## Changes

/-- Kinds of variants that follow from the theorem, or from its proof. -/
def followKinds : List String := ["swap", "specialise", "permute", "contrapose", "subgoal"]

/-- How many variants of a kind are made of a theorem. -/
def mostOfKind (kind : String) : Nat :=
  match kind with
  | "subgoal" => 4
  | "specialise" | "exchange" => 3
  | _ => 2

/-- How many are tried for each that is made. -/
def triesForEach : Nat := 3

def isHypothesis (x : Expr) : MetaM Bool := do
  return !(← x.fvarId!.getDecl).binderInfo.isInstImplicit && (← isProof x)

/-- The statement with these variables; none where one is spoken of before it comes. -/
def restated? (xs : Array Expr) (conclusion : Expr) : MetaM (Option Expr) := do
  let type ← mkForallFVars xs conclusion
  return if type.hasFVar then none else some type

def negated (p : Expr) : Expr :=
  match p.getAppFnArgs with
  | (``Not, #[q]) => q
  | (``Ne, #[_, _, _]) => mkApp3 (.const ``Eq p.getAppFn.constLevels!) p.getAppArgs[0]! p.getAppArgs[1]! p.getAppArgs[2]!
  | _ => mkNot p

/-- The sides of an equation or an equivalence, one for the other. -/
def swapped (type : Expr) : MetaM (Array Candidate) := forallTelescope type fun xs conclusion => do
  let args := conclusion.getAppArgs
  let sides? := match conclusion.getAppFnArgs with
    | (``Eq, #[_, _, _]) | (``Ne, #[_, _, _]) => some (1, 2)
    | (``Iff, #[_, _]) => some (0, 1)
    | _ => none
  let some (left, right) := sides? | return #[]
  let conclusion := mkAppN conclusion.getAppFn ((args.set! left args[right]!).set! right args[left]!)
  return #[{ kind := "swap", change := "sides", type := ← mkForallFVars xs conclusion }]

/-- Variables for what a constructor takes, under names that stand for nothing else there. -/
partial def withFields (type : Expr) (fields : Array Expr) (act : Array Expr → MetaM α) : MetaM α := do
  match ← whnfR type with
  | .forallE n d b _ =>
    let n := n.eraseMacroScopes
    let name := (← getLCtx).getUnusedName (if n.isAnonymous || n.isInternal then `x else n)
    withLocalDeclD name d fun x => withFields (b.instantiate1 x) (fields.push x) act
  | _ => act fields

/-- The constructors of a type of data, applied to variables, as a reader would write them. -/
def constructorTerms (type : Expr) (act : Array Expr → Expr → MetaM α) : MetaM (Array α) := do
  let type ← whnfR type
  let .const n levels := type.getAppFn | return #[]
  let some (.inductInfo info) := (← getEnv).find? n | return #[]
  if info.numIndices > 0 || isClass (← getEnv) n || (← isProp type) then return #[]
  if n == ``Nat then
    return #[← act #[] (mkNatLit 0), ← withLocalDeclD ((← getLCtx).getUnusedName `k) type fun k => do
      act #[k] (← mkAppM ``HAdd.hAdd #[k, mkNatLit 1])]
  info.ctors.toArray.mapM fun ctor => do
    let term := mkAppN (.const ctor levels) type.getAppArgs
    withFields (← inferType term) #[] fun fields => act fields (mkAppN term fields)

/-- A variable as a constructor's term, or as an earlier variable of its type. -/
def specialised (type : Expr) : MetaM (Array Candidate) := forallTelescope type fun xs conclusion => do
  let mut made := #[]
  for x in xs, i in [:xs.size] do
    let decl ← x.fvarId!.getDecl
    if decl.binderInfo.isInstImplicit || (← isProof x) || (← whnfR decl.type).isSort then continue
    let rest ← mkForallFVars xs[i+1:] conclusion
    for y in xs[:i] do
      if (← inferType y) == decl.type then
        made := made.push { kind := "specialise", change := s!"{decl.userName} := {← y.fvarId!.getUserName}", type := ← mkForallFVars xs[:i] (rest.replaceFVar x y) }
    let ofConstructors ← constructorTerms decl.type fun fields term => do
      let change := s!"{decl.userName} := {← ppExpr term}"
      return { kind := "specialise", change, type := ← mkForallFVars (xs[:i].toArray ++ fields) (rest.replaceFVar x term) }
    made := made ++ ofConstructors
  return made

/-- The last hypothesis before the others. -/
def permuted (type : Expr) : MetaM (Array Candidate) := forallTelescope type fun xs conclusion => do
  let hypotheses ← xs.filterM isHypothesis
  let some last := hypotheses.back? | return #[]
  if hypotheses.size < 2 then return #[]
  let others := xs.filter (· != last)
  let place := (others.findIdx? (· == hypotheses[0]!)).getD 0
  let some type ← restated? (others[:place].toArray ++ #[last] ++ others[place:].toArray) conclusion | return #[]
  return #[{ kind := "permute", change := s!"{← last.fvarId!.getUserName} first", type }]

/-- A hypothesis left out. -/
def dropped (type : Expr) : MetaM (Array Candidate) := forallTelescope type fun xs conclusion => do
  (← xs.filterM isHypothesis).filterMapM fun h => do
    let some type ← restated? (xs.filter (· != h)) conclusion | return none
    return some { kind := "drop", change := s!"without {(← h.fvarId!.getUserName).eraseMacroScopes}", type }

/-- The negation of the conclusion for a hypothesis, and that hypothesis's for the conclusion. -/
def contraposed (type : Expr) : MetaM (Array Candidate) := forallTelescope type fun xs conclusion => do
  if conclusion.isConstOf ``False then return #[]
  (← xs.filterM isHypothesis).filterMapM fun h => do
    let decl ← h.fvarId!.getDecl
    withLocalDeclD decl.userName (negated conclusion) fun k => do
      let some type ← restated? ((xs.filter (· != h)).push k) (negated decl.type) | return none
      return some { kind := "contrapose", change := s!"{decl.userName.eraseMacroScopes}", type }

-- ## Constants of one type

/-- Constants of a project that have the same type, in the order of their declaration. -/
abbrev Twins := Array (Array Name)

/-- Definitions, predicates and constructors of the modules that are not Lean's own, by their types. -/
def twinsOf (env : Environment) (place : Name → Nat) : Twins := Id.run do
  let mut groups : Std.HashMap Expr (Array Name) := {}
  for (name, data) in env.header.moduleNames.zip env.header.moduleData do
    unless isCore name do
      for info in data.constants do groups := add groups info
  let own := inOrderOf (place ·.1) env.constants.map₂.toList.toArray
  for (_, info) in own do groups := add groups info
  return (groups.toArray.map (·.2)).filter (·.size > 1)
where
  add (groups : Std.HashMap Expr (Array Name)) (info : ConstantInfo) : Std.HashMap Expr (Array Name) :=
    let n := info.name
    let isOwn := info matches .defnInfo _ | .inductInfo _ | .ctorInfo _
    let isMade := match n with
      | .str _ last => madeOfDeclarations.contains last || madeBesideTypes.contains last
      | _ => true
    if !isOwn || isMade || isHelper env n || isPrivateName n || isTypeFormer info.type || Meta.isInstanceCore env n then groups
    else groups.insert info.type ((groups.getD info.type #[]).push n)
  isTypeFormer (type : Expr) : Bool :=
    match type.getForallBody with
    | .sort level => !level.isZero
    | _ => false

/-- How many arguments a constant takes that is a relation between two things of one type, the last two of them. -/
def relationArity? (n : Name) : MetaM (Option Nat) := do
  forallTelescope (← getConstInfo n).type fun xs result => do
    unless result.isProp && xs.size ≥ 2 do return none
    let (a, b) := (xs[xs.size - 2]!, xs[xs.size - 1]!)
    let isOne := (← inferType a) == (← inferType b) && (← a.fvarId!.getBinderInfo).isExplicit && !(← isProof a)
    return if isOne then some xs.size else none

/-- Some constants for others, and relations turned around, each given with its number of arguments. -/
partial def exchangedIn (type : Expr) (pairs : Array (Name × Name)) (turned : Array (Name × Nat)) : Expr :=
  type.replace fun
    | .const n levels =>
      (pairs.findSome? fun (a, b) => if n == a then some b else if n == b then some a else none).map fun m => .const m levels
    | .app (.app f a) b =>
      if f.getAppFn.constName?.any fun n => turned.contains (n, f.getAppNumArgs + 2) then
        some (.app (.app (exchangedIn f pairs turned) (exchangedIn b pairs turned)) (exchangedIn a pairs turned))
      else none
    | _ => none

/-- Constants exchanged: one for the next of its type, or all of them in pairs, with relations turned around too. -/
def exchanged (twins : Twins) (type : Expr) : MetaM (Array Candidate) := do
  let used := type.getUsedConstants
  let groups := twins.filter fun group => group.any used.contains
  let mut made := #[]
  let mut all := #[]
  for group in groups do
    for n in group, i in [:group.size] do
      unless used.contains n do continue
      for m in (if i + 1 < group.size then #[group[i + 1]!] else #[]) ++ (if i > 0 then #[group[i - 1]!] else #[]) do
        unless made.any (fun (c : Candidate) => c.change == words #[(m, n)]) do
          made := made.push { kind := "exchange", change := words #[(n, m)], type := exchangedIn type #[(n, m)] #[] }
      let j := if i % 2 == 0 then i + 1 else i - 1
      if h : j < group.size then
        unless all.contains (group[j], n) do all := all.push (n, group[j])
  let env ← getEnv
  let relations ← (used.filter fun n => !ofLibrary env n || n == ``LE.le || n == ``LT.lt).filterMapM fun n => do
    return (← relationArity? n).map (n, ·)
  if all.isEmpty then return made
  if all.size > 1 then made := #[{ kind := "exchange", change := words all, type := exchangedIn type all #[] }] ++ made
  if relations.isEmpty then return made
  return #[{ kind := "exchange", change := s!"{words all}, {", ".intercalate (relations.toList.map fun r => toString r.1)} turned around", type := exchangedIn type all relations }] ++ made
where
  words (pairs : Array (Name × Name)) : String := ", ".intercalate <| pairs.toList.map fun (a, b) => s!"{a} with {b}"

-- ## Small cases

/-- Models of classes over finite types, made once for a file. -/
abbrev Models := IO.Ref (Std.HashMap Expr (Array Expr))

/-- A proposition with the project's own definitions unfolded, and fields of classes read off known instances, as far as
`decide` needs it. -/
def spelledOut (p : Expr) : MetaM Expr := do
  let env ← getEnv
  Meta.transform (← Core.betaReduce p) (pre := fun e => do
    let .const n _ := e.getAppFn | return .continue
    if ofLibrary env n || !((env.isProjectionFn n) || (← isProp e)) then return .continue
    let some unfolded ← unfoldDefinition? e | return .continue
    let unfolded ← whnfCore unfolded
    return if unfolded.getAppFn.isProj then .continue else .visit unfolded)

/-- Whether a closed proposition holds, as far as `decide` can tell. -/
def decided? (p : Expr) : MetaM (Option Bool) := do
  let p ← spelledOut p
  let some inst ← synthInstance? (.app (mkConst ``Decidable) p) | return none
  let value ← withAtLeastTransparency .default <| whnf (mkApp2 (mkConst ``Decidable.decide) p inst)
  return if value.isConstOf ``true then some true else if value.isConstOf ``false then some false else none

/-- Some functions of a type, those first that tell most. -/
def smallFunctions (n : Name) (d b : Expr) (values : Array Expr) : Array Expr := Id.run do
  let bool := mkConst ``Bool
  let isTrue (x : Expr) := mkApp3 (.const ``Eq [1]) bool x (mkConst ``true)
  let two (body : Expr) := Expr.lam n d (.lam `y d body .default) .default
  let isBinary (result : Expr) := match b with | .forallE _ e r _ => e == d && r == result | _ => false
  let mut terms := #[]
  if d == bool && isBinary (.sort .zero) then terms := terms.push (two (.forallE `h (isTrue (.bvar 1)) (isTrue (.bvar 1)) .default))
  if isBinary (.sort .zero) && d == bool then terms := terms.push (two (mkApp3 (.const ``Eq [1]) d (.bvar 1) (.bvar 0)))
  if d == bool && isBinary d then terms := terms ++ #[mkConst ``and, mkConst ``or, mkConst ``xor]
  if isBinary d then terms := terms ++ #[two (.bvar 1), two (.bvar 0)]
  if d == bool && b.isProp then terms := terms.push (.lam n d (isTrue (.bvar 0)) .default)
  if d == bool && b == bool then terms := terms.push (mkConst ``not)
  if d == b then terms := terms.push (.lam n d (.bvar 0) .default)
  return terms ++ values.map fun v => .lam n d v .default

/-- How many terms of one type are tried, and how many models of a class. -/
def mostTerms : Nat := 5

mutual

/-- A few closed terms of a type; none where it is not known how to make them. -/
partial def smallTerms (models : Models) (type : Expr) (depth : Nat) : MetaM (Array Expr) := do
  match ← whnf type with
  | .sort level =>
    if level.isZero then return #[mkConst ``True, mkConst ``False]
    return if level == .succ .zero then #[mkConst ``Bool, mkConst ``Nat] else #[]
  | .forallE n d b _ =>
    if b.hasLooseBVars then return #[]
    return (smallFunctions n d b (← smallTerms models b depth)[:2]).take (mostTerms + 2)
  | type =>
    if type.isConstOf ``Nat then return #[mkNatLit 0, mkNatLit 1, mkNatLit 2]
    let .const n levels := type.getAppFn | return #[]
    let some (.inductInfo info) := (← getEnv).find? n | return #[]
    if info.numIndices > 0 || (← isProp type) then return #[]
    if isClass (← getEnv) n then return ← instances models type
    let mut terms := #[]
    for ctor in info.ctors do
      let term := mkAppN (.const ctor levels) type.getAppArgs[:info.numParams]
      terms := terms ++ (← filled models term (← inferType term) depth 2)
    return terms.take mostTerms

/-- A constructor with values for its fields. -/
partial def filled (models : Models) (term type : Expr) (depth width : Nat) : MetaM (Array Expr) := do
  match ← whnf type with
  | .forallE _ d b _ =>
    if depth == 0 then return #[]
    if ← isProp d then
      unless (← decided? d) == some true do return #[]
      let proof ← mkDecideProof (← spelledOut d)
      return ← filled models (.app term proof) (b.instantiate1 proof) depth width
    let mut terms := #[]
    for v in (← smallTerms models d (depth - 1)).take width do
      if terms.size < mostTerms then terms := terms ++ (← filled models (.app term v) (b.instantiate1 v) depth width)
    return terms
  | _ => return #[term]

/-- Instances of a class: the one that is declared, or else models with what `decide` can show to be one. -/
partial def instances (known : Models) (type : Expr) : MetaM (Array Expr) := do
  if let some made := (← known.get)[type]? then return made
  known.modify (·.insert type #[])
  let made ← match ← synthInstance? type with
    | some inst => pure #[inst]
    | none => models type
  known.modify (·.insert type made)
  return made
where
  models (type : Expr) : MetaM (Array Expr) := do
    let .const n levels := type.getAppFn | return #[]
    if !isStructure (← getEnv) n then return #[]
    let term := mkAppN (.const (getStructureCtor (← getEnv) n).name levels) type.getAppArgs
    return (← filled known term (← inferType term) 2 (mostTerms + 2)).take 3

end

/-- How many small cases of a statement are looked at. -/
def mostCases : Nat := 64

/-- A case in which a statement is false, in words. Looks no further where `decide` has nothing to say. -/
partial def refuted? (models : Models) (type : Expr) : MetaM (Option String) := do
  let left ← IO.mkRef mostCases
  let act := do
    let (_, found) ← (go left type #[]).run none
    return found
  let limited (c : Core.Context) := { c with maxHeartbeats := 20000 * 1000 }
  try withTheReader Core.Context limited <| withCurrHeartbeats act catch _ => return none
where
  /-- Whether to look further. -/
  go (left : IO.Ref Nat) (type : Expr) (chosen : Array String) : StateT (Option String) MetaM Bool := do
    match type with
    | .forallE n d b _ =>
      if ← isProp d then
        let holds? ← decided? d
        if holds? != some true || b.hasLooseBVars then return holds? == some false
        return ← go left b chosen
      for v in ← smallTerms models d 2 do
        let chosen ← if (← isClass? d).isSome then pure chosen else do pure (chosen.push s!"{n.eraseMacroScopes} := {← ppExpr v}")
        unless ← go left (b.instantiate1 v) chosen do return false
      return true
    | _ =>
      if (← left.modifyGet fun n => (n, n - 1)) == 0 then return false
      match ← decided? type with
      | some true => return true
      | some false => set (some (", ".intercalate chosen.toList)); return false
      | none => return false

/-- Whether a statement says nothing: its conclusion is one of its hypotheses, or it says of something that it is itself. -/
def isTrivial (type : Expr) : MetaM Bool := forallTelescope type fun xs conclusion => do
  if saysNothing conclusion then return true
  xs.anyM fun x => do
    let type ← inferType x
    return type == conclusion || type.isConstOf ``False || saysNothing type
where
  saysNothing (p : Expr) : Bool :=
    match p.getAppFnArgs with
    | (``Eq, #[_, a, b]) | (``Iff, #[a, b]) => a == b
    | (``True, _) => true
    | _ => false

-- ## In the text

/-- The lines that put in force what was in force at a theorem: its namespace, and what was opened there. -/
def scopeLines (scope : Command.Scope) : List String :=
  (if scope.currNamespace.isAnonymous then "section" else s!"namespace {scope.currNamespace}") :: scope.openDecls.reverse.map fun
    | .simple ns [] => s!"open {ns}"
    | .simple ns except => s!"open {ns} hiding {" ".intercalate (except.map toString)}"
    | .explicit id decl =>
      if decl.getString! == id.toString then s!"open {decl.getPrefix} ({id})" else s!"open {decl.getPrefix} renaming {decl.getString!} → {id}"

/-- The same statement with a name of its own for each variable, instances aside, so that all of them can be said. -/
partial def distinct (e : Expr) (used : List Name) : Expr :=
  match e with
  | .forallE n d b info =>
    let base := if n.eraseMacroScopes.isAnonymous then `h else n.eraseMacroScopes
    let name := if info.isInstImplicit then n else if used.contains base then free base 1 else base
    .forallE name d (distinct b (name :: used)) info
  | _ => e
where
  free (base : Name) (i : Nat) : Name :=
    let name := base.appendAfter s!"_{i}"
    if used.contains name then free base (i + 1) else name

/-- Whether two statements are the same up to what may always be unfolded. -/
def isSameStatement (env : Environment) (a b : Expr) : IO Bool := do
  if a == b then return true
  let same : MetaM Bool := withReducible <| isDefEq a b
  try asIO (ask (contextOf "<variant>" default baseOptions .anonymous []) env same) catch _ => return false

/-- The statement of a conjecture as text, from its variables on, with the expression that Lean makes of it when it reads the
text: the same as before. Or why it has none. -/
def restated (state : Command.State) (scope : Command.Scope) (type : Expr) : IO (Except String (String × Expr)) := do
  let name := scope.currNamespace ++ `conjecture
  let levels := (collectLevelParams {} type).params.toList
  let mut reason := "cannot be printed"
  for (instances, options) in printings do
    let decl := Declaration.axiomDecl { name, levelParams := levels, type := nameBinders instances (distinct type []), isUnsafe := false }
    let .ok withIt := addChecked state.env 0 decl none | return .error "is not well-typed"
    let context := contextOf "<variant>" default options scope.currNamespace scope.openDecls
    let print : MetaM String := do return (← PrettyPrinter.ppSignature name).fmt.pretty 100
    let printed ← try asIO (ask context withIt print) catch _ => pure ""
    let statement := ((" ".intercalate ((printed.splitOn " ").drop 1)).trimAscii).toString
    if statement.isEmpty then continue
    let universes := if levels.isEmpty then "" else s!".\{{", ".intercalate (levels.map toString)}}"
    let text := s!"theorem conjecture{universes} {statement} := by\n  sorry\n"
    let input := Parser.mkInputContext text "<variant>"
    let before := { state with scopes := [{ scope with varDecls := #[], varUIds := #[], includedVars := [], omittedVars := [], levelNames := [], opts := baseOptions }] }
    let (stx, _, log) := parseOne input before {}
    if log.hasErrors then
      reason := "does not parse when printed"
      continue
    let (after, messages) ← runCommand input before 0 stx none
    if let some error := messages.find? (·.severity == .error) then
      reason := s!"does not elaborate when printed: {← error.data.toString}"
      continue
    let some info := after.env.find? name | continue
    if ← isSameStatement after.env info.type type then return .ok (s!"{universes} {statement}".trimAscii.toString, info.type)
    reason := "reads as another statement when printed"
  return .error reason

-- ## All of a file

def variantJson (source : Name) (c : Candidate) (outcome : String) (fields : List (String × Json)) : Json :=
  Json.mkObj <| [("source", Json.str (toString source)), ("kind", Json.str c.kind), ("change", Json.str c.change), ("outcome", Json.str outcome)] ++ fields

/-- Conjectures of each kind, as expressions. -/
def candidates (twins : Twins) (type : Expr) (subgoals : Array Expr) : MetaM (Array Candidate) := do
  let mut all := subgoals.map fun type => { kind := "subgoal", change := "", type : Candidate }
  for make in [swapped, specialised, permuted, dropped, contraposed, exchanged twins] do
    all := all ++ (← try make type catch _ => pure #[])
  return all

/-- What becomes of a conjecture. -/
def variantOf (models : Models) (file : SourceFile) (source : VariantSource) (c : Candidate) : IO Json := do
  let context := contextOf "<variant>" default baseOptions source.scope.currNamespace source.scope.openDecls
  let look : MetaM (Bool × Option String) := do
    if ← isTrivial c.type then return (true, none)
    if source.isProved && followKinds.contains c.kind then return (false, none)
    let levels := (collectLevelParams {} c.type).params.toList
    return (false, ← refuted? models (c.type.instantiateLevelParams levels (levels.map fun _ => .zero)))
  let act : MetaM (Bool × Option String) := try look catch _ => return (false, none)      -- it is not well-typed
  let (trivial, case?) ← asIO (ask { context with maxHeartbeats := heartbeatLimit } file.final.env act)
  if trivial then return variantJson source.name c "trivial" []
  let stated ← try restated file.final source.scope c.type catch e => pure (.error (toString e))
  match stated with
  | .error reason => return variantJson source.name c "unprintable" [("reason", .str reason)]
  | .ok (statement, type) =>
    let fields := [("statement", Json.str statement), ("scope", .arr <| (scopeLines source.scope).toArray.map (fun (line : String) => (line : Json))),
      ("type", .str ((← printType? file.final.env type).getD "")), ("typeHash", .str (typeHash type))]
    match case? with
    | some case => return variantJson source.name c "refuted" (fields ++ [("reason", .str case)])
    | none => return variantJson source.name c "stated" fields

/-- Conjectures made of some theorems of a file, which is elaborated. -/
def variantsOf (imported : Imported) (source : FileSource) (wanted : List Name) (cancel? : Option IO.CancelToken) : IO Json := do
  let fileMap := FileMap.ofString source.text
  let sources ← IO.mkRef (#[] : Array VariantSource)
  let file ← openFile imported source cancel? fun step after => do
    for d in (step.account after.env fileMap).declared do
      let some t := d.theorem? | continue
      unless d.isTheorem && wanted.contains t.name do continue
      let w := after.infoState.trees.foldl (fun acc t => walk none t acc) {}
      let subgoals ← subgoalsOf w t.value
      let values := (#[t.name] ++ t.helpers).filterMap fun n => (after.env.find? n).bind (·.value? (allowOpaque := true))
      sources.modify (·.push { name := t.name, isProved := !values.any (·.hasSorry), scope := step.before.scopes.head!, subgoals })
  let env := file.final.env
  let models ← IO.mkRef {}
  let twins := twinsOf env fun n => (placeOf? env fileMap n).getD 0
  let mut known : Std.HashSet Expr := statements env
  let mut all := #[]
  for source in ← sources.get do
    let some info := env.find? source.name | continue
    let context := contextOf "<variant>" default baseOptions source.scope.currNamespace source.scope.openDecls
    let made ← asIO (ask context env (candidates twins info.type source.subgoals))
    let mut count : Std.HashMap String Nat := {}
    let mut tries : Std.HashMap String Nat := {}
    for c in made do
      if let some token := cancel? then
        if ← token.isSet then throw <| IO.userError "interrupted"
      if count.getD c.kind 0 == mostOfKind c.kind || tries.getD c.kind 0 == triesForEach * mostOfKind c.kind then continue
      if known.contains c.type then
        all := all.push (variantJson source.name c "duplicate" [])
        continue
      known := known.insert c.type
      tries := tries.insert c.kind (tries.getD c.kind 0 + 1)
      let json ← variantOf models file source c
      if json.getObjValD "outcome" == "stated" then count := count.insert c.kind (count.getD c.kind 0 + 1)
      all := all.push json
  return Json.mkObj [("variants", .arr all)]
where
  /-- What the project's theorems state. -/
  statements (env : Environment) : Std.HashSet Expr := Id.run do
    let mut all := {}
    for (name, data) in env.header.moduleNames.zip env.header.moduleData do
      unless isCore name do
        for info in data.constants do all := if info matches .thmInfo _ then all.insert info.type else all
    for (_, info) in env.constants.map₂.toList do all := if info matches .thmInfo _ then all.insert info.type else all
    return all

end LeanAgent
