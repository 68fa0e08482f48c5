/-
What follows at a goal in a step or two: theorems of the project and hypotheses that say `∀` or `→`, all of whose conditions are
hypotheses, and hypotheses that say `∃`, `∧` or `∨` by a definition. Matching and rewriting begin at terms; this begins at what is
known, and by unification, so that conditions may be predicates that are variables, or hold by a definition.
-/
import LeanAgent.OwnTheorems
open Lean Meta

namespace LeanAgent

/-- A proof as a tactic can write it, of what a goal does not say yet. -/
structure Consequence where
  text : String
  proof : Expr
  type : Expr
  uses : Array Name := #[]     -- theorems of the project
  depth : Nat := 0             -- how many rules were applied, one to what another gives; 0 is a hypothesis
  deriving Inhabited

/-- A hypothesis that a tactic can have, behind a name that a word and an ending make (`add_means`). -/
structure Told where
  word : String
  ending : String
  statement : Expr
  proof : String

/-- How the names of such hypotheses end: that say what something means by a function of the same variables, which can be told from both
sides, or by anything else; -/
def bySameVariables : String := "_notation"
def byOtherTerm : String := "_means"

/-- and what equality means, of functions and in a quotient. -/
def ofEqualValues : String := "_of_values"
def ofRepresentatives : String := "_of_representatives"

/-- `add` for `Add`, `le` for `LE`. -/
def wordOf (name : Name) : String :=
  let word := match name with
    | .str _ word => word
    | _ => "its"
  if word.all Char.isUpper then word.toLower else word.decapitalize

/-- What makes a fact of others. -/
structure Rule where
  text : String
  proof : Expr
  type : Expr
  uses : Array Name := #[]
  isLocal : Bool

/-- So many times it is tried whether a condition of one rule is a fact. -/
def mostRuleTries : Nat := 40

/-- So many facts are made with one rule. -/
def mostOfRule : Nat := 3

/-- After so many heartbeats what has been found is answered: a third of a second, as a rule. -/
def consequenceHeartbeats : Nat := 2000 * 1000

/-- Whether a proposition says `∃`, `∧` or `∨` as it stands. -/
def isOpen (e : Expr) : Bool := [``Exists, ``And, ``Or].contains (headOf e)

/-- What a proposition says by its definitions, if that is `∃`, `∧` or `∨`. -/
partial def opened? (e : Expr) (steps : Nat := 4) : MetaM (Option Expr) := do
  let e := (← instantiateMVars e).consumeMData.headBeta
  if isOpen e then return some e
  if steps == 0 || !isOfProject (← getEnv) (headOf e) then return none
  match ← unfoldDefinition? e with
  | some unfolded => opened? unfolded (steps - 1)
  | none => return none

/-- Whether a fact is what a condition asks for. Definitions of the project are seen through where the two begin with other words. -/
def isMetBy (condition : Expr) (fact : Consequence) : MetaM Bool := do
  let env ← getEnv
  let (asked, given) := (headOf condition, headOf fact.type)
  if asked == given || asked.isAnonymous then return ← withReducibleAndInstances <| isDefEq condition fact.type
  let isDefinition (n : Name) : Bool := isOfProject env n && (env.find? n) matches some (.defnInfo _)
  if isDefinition asked || isDefinition given then withDefault <| isDefEq condition fact.type else return false

/-- So many values a rule may leave open in what it makes: `perm h` of `perm (h : Perm xs ys) (v : V) : count xs v = count ys v`. -/
def mostLeftOpen : Nat := 2

/-- A rule with arguments: `_` for values, what each condition was met by, and names for what is left open, unless that comes last. -/
def applied (rule : Rule) (arguments : Array (Expr × BinderInfo)) (met : Array (MVarId × Consequence)) (leftOpen : Array (MVarId × Name)) :
    MetaM (Option String) := do
  let explicit := (arguments.filter (·.2.isExplicit)).map (·.1.mvarId!)
  unless met.all (explicit.contains ·.1) do return none
  let isLeft (argument : MVarId) : Bool := leftOpen.any (·.1 == argument)
  let ending := explicit.reverse.takeWhile isLeft |>.size
  let mut words := #[rule.text]
  let mut names := #[]
  for argument in explicit.extract 0 (explicit.size - ending) do
    if let some (_, fact) := met.find? (·.1 == argument) then
      words := words.push (inBrackets fact.text)
    else if let some (_, name) := leftOpen.find? (·.1 == argument) then
      if name.hasMacroScopes || ((← getLCtx).findFromUserName? name).isSome then return none
      words := words.push (toString name)
      names := names.push (toString name)
    else
      words := words.push "_"
  let text := " ".intercalate words.toList
  return some <| if names.isEmpty then text else s!"fun {" ".intercalate names.toList} => {text}"

/-- Assign the arguments that are instances of classes, and are not assigned yet; whether there are such instances. -/
def haveInstances (arguments : Array (Expr × BinderInfo)) : MetaM Bool := do
  for (argument, info) in arguments do
    if info.isInstImplicit && !(← argument.mvarId!.isAssigned) then
      let some inst ← synthInstance? (← instantiateMVars (← inferType argument)) | return false
      unless ← isDefEq argument inst do return false
  return true

/-- Run what makes something of variables, which stand for arguments that are not assigned. -/
def withVariables {α : Type} (arguments : List MVarId) (k : Array Expr → MetaM α) (made : Array Expr := #[]) : MetaM α := do
  match arguments with
  | [] => k made
  | argument :: others =>
    withLocalDeclD (← argument.getDecl).userName (← instantiateMVars (← argument.getType)) fun x => do
      argument.assign x
      withVariables others k (made.push x)

/-- A rule's arguments, as metavariables, and what it concludes of them. -/
def Rule.telescope (rule : Rule) : MetaM (Array Expr × Array BinderInfo × Expr) :=
  if rule.isLocal then withDefault <| forallMetaTelescopeReducing rule.type else forallMetaTelescope rule.type

/-- Facts that a rule makes of others, at least one of them of the last depth. -/
partial def Rule.apply (rule : Rule) (facts : Array Consequence) (depth : Nat) : MetaM (Array Consequence) := withoutModifyingState do
  let (arguments, infos, conclusion) ← rule.telescope
  let arguments := arguments.zip infos
  let conditions ← arguments.filterM fun (argument, info) => do
    return !info.isInstImplicit && (← isProp (← inferType argument))
  if conditions.isEmpty || conditions.size > 6 then return #[]
  let env ← getEnv
  let isTelling (e : Expr) : Bool := isOfProject env (headOf e) || !relations.contains (headOf e)
  let asked ← conditions.mapM fun (argument, _) => return (argument, ← instantiateMVars (← inferType argument))
  let ordered := asked.filter (isTelling ·.2) ++ asked.filter (!isTelling ·.2)
  let tries ← IO.mkRef 0
  let results ← IO.mkRef (#[] : Array Consequence)
  let finish (met : Array (MVarId × Consequence)) : MetaM Unit := do
    unless met.any (·.2.depth + 1 == depth) do return
    unless ← haveInstances arguments do return
    let left ← arguments.filterM fun (argument, _) => return !(← argument.mvarId!.isAssigned)
    unless left.size ≤ mostLeftOpen && left.all (·.2.isExplicit) do return
    let type := (← instantiateMVars conclusion).headBeta
    unless left.all (fun (argument, _) => (type.find? (· == argument)).isSome) do return
    let leftOpen ← left.mapM fun (argument, _) => return (argument.mvarId!, (← argument.mvarId!.getDecl).userName)
    let some text ← applied rule arguments met leftOpen | return
    let (proof, type) ← withVariables (leftOpen.toList.map (·.1)) fun made => do
      let proof ← mkLambdaFVars made (← instantiateMVars (mkAppN rule.proof (arguments.map (·.1))))
      return (proof, ← mkForallFVars made (← instantiateMVars type))
    if proof.hasExprMVar || type.hasExprMVar then return
    let uses := met.foldl (fun all (_, fact) => all ++ fact.uses) rule.uses
    results.modify (·.push { text, proof, type, uses, depth })
  let rec go (left : List (Expr × Expr)) (met : Array (MVarId × Consequence)) : MetaM Unit := do
    let (argument, condition) :: rest := left | finish met
    for fact in facts do
      if (← tries.get) ≥ mostRuleTries || (← results.get).size ≥ mostOfRule then return
      if met.any fun (_, other) => other.proof == fact.proof then continue     -- `le_trans h h` is nothing to know
      withoutModifyingState do
        let condition := (← instantiateMVars condition).headBeta
        if headOf condition == headOf fact.type || (headOf condition).isAnonymous then tries.modify (· + 1)
        if ← isMetBy condition fact <&&> isDefEq argument fact.proof then go rest (met.push (argument.mvarId!, fact))
  go ordered.toList #[]
  results.get

/-- The hypotheses of a goal that a tactic can name, and those that it cannot, by what they say. -/
def hypotheses : MetaM (Array Consequence) := do
  let lctx ← getLCtx
  let mut facts := #[]
  for d in lctx do
    if d.isImplementationDetail then continue
    let type := (← instantiateMVars d.type).consumeMData
    unless ← isProp type do continue
    let hasName := !d.userName.hasMacroScopes && (lctx.findFromUserName? d.userName).any (·.fvarId == d.fvarId)
    let text := if hasName then (variableText? lctx d.toExpr).getD "by assumption" else "by assumption"
    facts := facts.push { text, proof := d.toExpr, type }
  return facts

/-- What a fact is known by, and what it is by its definition. -/
def wordsOf (type : Expr) : MetaM (Array Name) := do
  let env ← getEnv
  let unfolded? ← if isOfProject env (headOf type) then unfoldDefinition? type else pure none
  return knownBy env type ++ (unfolded?.map (knownBy env ·.headBeta)).getD #[]

/-- Rules of which some condition speaks as some facts do. -/
def likelyRules (candidates : Name → Array Name) (facts : Array Consequence) : MetaM (Array Rule) := do
  let words ← facts.mapM (wordsOf ·.type)
  (onConditionOf candidates words.flatten).mapM fun n => do
    let proof ← mkConstWithFreshMVarLevels n
    return { text := ← nameText n, proof, type := ← inferType proof, uses := #[n], isLocal := false }

/-- So many things are said to exist by rules without conditions. -/
def mostExisting : Nat := 6

/-- The variables of a goal that a tactic can name, those of its target first. -/
def valuesOfGoal (goal : MVarId) : MetaM (Array Expr) := do
  let target ← instantiateMVars (← goal.getType)
  let lctx ← getLCtx
  let mut values := #[]
  for d in lctx do
    if d.isImplementationDetail || (variableText? lctx d.toExpr).isNone || d.type.isSort then continue
    if (← isProp d.type) || (← isClass? d.type).isSome then continue
    values := values.push d.toExpr
  let (first, others) := values.partition fun x => target.containsFVar x.fvarId!
  return first ++ others

/-- How many explicit arguments a rule has that says that something exists; 0 for others. -/
def Rule.ofExistence (rule : Rule) : MetaM Nat := withoutModifyingState do
  let (_, infos, conclusion) ← rule.telescope
  return if headOf conclusion == ``Exists then infos.countP (·.isExplicit) else 0

/-- What such a rule says of values, one for each of these arguments. -/
def Rule.at? (rule : Rule) (values : Array Expr) : MetaM (Option Consequence) := withoutModifyingState do
  let (arguments, infos, conclusion) ← rule.telescope
  let explicit := ((arguments.zip infos).filter (·.2.isExplicit)).map (·.1)
  for (argument, value) in explicit.zip values do
    unless ← isDefEq argument value do return none
  unless ← haveInstances (arguments.zip infos) do return none
  let type := (← instantiateMVars conclusion).headBeta
  let proof ← instantiateMVars (mkAppN rule.proof arguments)
  if type.hasExprMVar || proof.hasExprMVar then return none
  let words := values.filterMap (variableText? (← getLCtx))
  return some { text := " ".intercalate (rule.text :: words.toList), proof, type, uses := rule.uses, depth := 1 }

/-- What rules that have no conditions say to exist for one of a goal's values, as `Surjective f` does of each `b`, or for two of them:
hypotheses, and the project's theorems that speak of nothing else. -/
def existing (candidates : Name → Array (Shape × Name)) (goal : MVarId) (known : Array Consequence) : MetaM (Array Consequence) := do
  let env ← getEnv
  let mut spoken := (← instantiateMVars (← goal.getType)).getUsedConstants
  for fact in known do spoken := spoken ++ fact.type.getUsedConstants
  let isSpoken (e : Expr) : Bool := e.getUsedConstants.all fun c => !isOfProject env c || spoken.contains c
  let theorems ← (candidates ``Exists).filterMapM fun (_, n) => do
    let proof ← mkConstWithFreshMVarLevels n
    let type ← inferType proof
    let text ← nameText n
    return if isSpoken type then some { text, proof, type, uses := #[n], isLocal := false : Rule } else none
  let rules := known.map (fun fact : Consequence => { fact with isLocal := true : Rule }) ++ theorems.extract 0 mostExisting
  let values ← valuesOfGoal goal
  let pairs := values.flatMap fun a => (values.filter (· != a)).map (#[a, ·])
  let mut made := #[]
  for rule in rules do
    let given := match ← rule.ofExistence with
      | 1 => values.map (#[·])
      | 2 => pairs.extract 0 mostRuleTries
      | _ => #[]
    for given in given do
      if made.size ≥ mostExisting then return made
      if let some fact ← rule.at? given then made := made.push fact
  return made

/-- What a text proves, and that proof, if Lean takes it as a term. -/
def elaborated? (text : String) : MetaM (Option (Expr × Expr)) := do
  let .ok stx := Parser.runParserCategory (← getEnv) `term text "<fact>" | return none
  let act : Elab.Term.TermElabM (Expr × Expr) := do
    let proof ← Elab.Term.withoutErrToSorry do
      let proof ← Elab.Term.elabTerm stx none
      Elab.Term.synthesizeSyntheticMVarsNoPostponing
      instantiateMVars proof
    return (proof, ← Core.betaReduce (← instantiateMVars (← inferType proof)))
  try
    let (proof, type) ← withoutModifyingState act.run'
    return if proof.hasMVar || type.hasMVar then none else some (proof, type)
  catch e => if e.isInterrupt || e.isRuntime then throw e else return none

/-- What is said to exist for the negated diagonal of a function of two arguments (Cantor's argument): where `h` says that `f` is onto
the predicates, `f` has the value `fun x => ¬f x x` somewhere, and has to have it there, too. -/
def diagonals (goal : MVarId) (known : Array Consequence) : MetaM (Array Consequence) := do
  let lctx ← getLCtx
  let negations ← (← valuesOfGoal goal).filterMapM fun f => do
    let .forallE _ domain codomain _ ← whnf (← inferType f) | return none
    if codomain.hasLooseBVars then return none
    let .forallE _ second value _ ← whnf codomain | return none
    unless ← isDefEq domain second do return none
    let some name := variableText? lctx f | return none
    match ← whnf value with
    | .sort .zero => return some s!"fun x => ¬{name} x x"
    | .const ``Bool _ => return some s!"fun x => !{name} x x"
    | _ => return none
  if negations.isEmpty then return #[]
  let mut made := #[]
  for fact in known do
    unless (← { fact with isLocal := true : Rule }.ofExistence) == 1 do continue
    for negation in negations do
      let text := s!"({inBrackets fact.text} ({negation})).imp fun x e => congrFun e x"
      if let some (proof, type) ← elaborated? text then made := made.push { text, proof, type, depth := 1 }
  return made

/-- A function that has what hypotheses say to exist for each value (`Classical.axiomOfChoice h`), where the target asks for a function. -/
def chosenFunctions (goal : MVarId) (known : Array Consequence) : MetaM (Array Consequence) := do
  let some (.app (.app _ type) _) := (← opened? (← instantiateMVars (← goal.getType))).filter (·.isAppOfArity ``Exists 2) | return #[]
  unless (← whnf type).isForall do return #[]
  known.filterMapM fun fact => do
    unless (← { fact with isLocal := true : Rule }.ofExistence) == 1 do return none
    let text := s!"Classical.axiomOfChoice {inBrackets fact.text}"
    return (← elaborated? text).map fun (proof, type) => { text, proof, type, depth := 1 }

/-- Facts that follow at a goal, those first that speak of what the target speaks of, then those that took fewer rules. -/
def consequences (above : TheoremsAbove) (goal : MVarId) (most : Nat) : MetaM (Array Consequence) := goal.withContext do
  let env ← getEnv
  let known ← hypotheses
  let isNamed (fact : Consequence) : Bool := fact.text != "by assumption"
  let opened ← (known.filter isNamed).filterMapM fun fact => do
    if isOpen fact.type then return none
    return (← opened? fact.type).map ({ fact with type := · })
  let derived ← IO.mkRef (#[] : Array Consequence)
  let isNew (fact : Consequence) : BaseIO Bool := do
    return !(known ++ (← derived.get)).any (·.type == fact.type) && !fact.type.isTrue
  let act : MetaM Unit := do
    let localRules := (known.filter isNamed).map fun fact : Consequence => { fact with isLocal := true : Rule }
    for depth in [1, 2] do
      let facts := known ++ (← derived.get)
      let news := facts.filter (·.depth + 1 == depth)
      let rules := localRules ++ (← likelyRules above.onCondition news)
      for rule in rules do
        Core.checkInterrupted
        let made ← try rule.apply facts depth catch e => if e.isInterrupt || e.isRuntime then throw e else pure #[]
        for fact in made do
          if ← isNew fact then derived.modify (·.push fact)
    for make in [diagonals, chosenFunctions, existing above.concluding] do
      for fact in ← make goal (known.filter isNamed) do
        if ← isNew fact then derived.modify (·.push fact)
  let limited (c : Core.Context) := { c with maxHeartbeats := consequenceHeartbeats }
  tryCatchRuntimeEx (withTheReader Core.Context limited <| withCurrHeartbeats act) fun e => if e.isInterrupt then throw e else pure ()
  let target ← instantiateMVars (← goal.getType)
  let spoken := target.getUsedConstants.filter (isOfProject env)
  let isAbout (fact : Consequence) : Bool := fact.type.isFalse || fact.type.getUsedConstants.any spoken.contains
  let ordered := fewestFirst ((← derived.get).map fun fact => ((if isAbout fact then 0 else 2) + fact.depth, fact))
  let shown ← ordered.mapM fun fact => return { fact with type := (← opened? fact.type).getD fact.type }
  return (opened ++ shown).extract 0 most

end LeanAgent
