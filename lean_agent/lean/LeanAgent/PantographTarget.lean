/-
Search targets of a text, as Pantograph's protocol has them: a declaration with holes together with the theorems that speak
of it. Such a family is one goal, `{ f // f 1 = 1 ∧ f 2 = 2 }`, or one goal for each hole; or the text is written anew with
one hole in its place.
-/
import LeanAgent.PantographFrontend
open Lean Meta Elab

namespace LeanAgent.Pantograph

/-- A constant that a command of the text declares. In `value` the helpers that elaboration split off with holes in them
(`f._proof_1`) are written out. -/
structure Declared where
  command : Nat
  name : Name
  levels : List Name
  type : Expr
  value : Expr

/-- What a command adds. -/
def Compiled.added (c : Compiled) (command : Nat) : Array (Name × ConstantInfo) :=
  match c.steps[command]?, c.afters[command]? with
  | some step, some after => addedConstants step.before.env after.env
  | _, _ => #[]

/-- What of a command's constants is in the text below a name of its own and has a value. -/
def declared (command : Nat) (added : Array (Name × ConstantInfo)) : CoreM (Array Declared) := do
  let helpers := added.filter fun (n, info) => n.isInternalDetail && (info.value? (allowOpaque := true)).any (·.hasSorry)
  added.filterMapM fun (name, info) => do
    let some value := info.value? (allowOpaque := true) | return none
    if name.isInternalDetail then return none
    let value ← if helpers.isEmpty then pure value else deltaExpand value fun n => helpers.any (·.1 == n)
    return some { command, name, levels := info.levelParams, type := info.type, value }

/-- A declaration with a hole and the theorems about it, in the order of the text. -/
structure Family where
  head : Declared
  members : Array Declared

def Family.commands (f : Family) : Array Nat := #[f.head.command] ++ f.members.map (·.command)

/-- The families of a text: what speaks of the head has holes too, some of it. Each command is in one at most. -/
def families (c : Compiled) : IO (Except Trouble (Array Family)) := do
  let context := contextOf "<Pantograph>" c.input.fileMap baseOptions .anonymous []
  let act : MetaM (Array Family) := do
    let added := (Array.range c.afters.size).map c.added
    let all ← added.zipIdx.mapM fun (added, i) => declared i added
    -- what a command's constants speak of, those without a name of their own included
    let spoken := added.map fun added =>
      let used := added.foldl (init := ({} : NameSet)) fun used (_, info) =>
        ((info.value? (allowOpaque := true)).toArray.push info.type).foldl (fun used e => e.getUsedConstants.foldl (·.insert ·) used) used
      (added.map (·.1), used)
    let about (i j : Nat) : Bool := match spoken[i]?, spoken[j]? with
      | some (names, _), some (_, used) => names.any used.contains
      | _, _ => false
    let mut found := #[]
    let mut taken : Array Nat := #[]
    for own in all do
      let some head := own.find? (·.value.hasSorry) | continue
      let i := head.command
      if taken.contains i then continue
      let later := (Array.range all.size).filter fun j => j > i && about i j
      unless later.any fun j => (all[j]?.getD #[]).any (·.value.hasSorry) do continue
      if later.any taken.contains then throwError "one command speaks of `{head.name}` and of another declaration with a hole"
      if own.size > 1 then throwError "`{head.name}` is declared together with others: what speaks of it is no family"
      let members ← later.mapM fun j => do
        if (Array.range all.size).any fun k => k > j && about j k then
          throwError "Cannot refactor non-flat dependency structure: what speaks of `{head.name}` is spoken of itself"
        match all[j]? with
        | some #[member] =>
          unless ← isProp member.type do throwError "`{member.name}` speaks of `{head.name}` and is no theorem"
          pure member
        | _ => throwError "a command that speaks of `{head.name}` declares not exactly one theorem"
      for d in #[head] ++ members do
        if d.type.hasSorry then throwError "the statement of `{d.name}` has a hole"
      taken := taken ++ later
      found := found.push { head, members }
    return found
  match ← (ask context c.final.env act).toIO' with
  | .ok found => return .ok found
  | .error e => return .error (← textTrouble e)

/-- What is said of the head, said of `x`. -/
def Family.about (f : Family) (x e : Expr) : MetaM Expr := do
  let levels := f.head.levels.map mkLevelParam
  let said := e.replace fun
    | .const n us => if n == f.head.name && us == levels then some x else none
    | _ => none
  if said.getUsedConstants.contains f.head.name then throwError "`{f.head.name}` is spoken of at universe levels other than its own"
  return said

def Family.binder (f : Family) (binder? : Option Name) : Name :=
  match binder?, f.head.name with
  | some binder, _ => binder
  | none, .str _ last => .mkSimple last
  | none, _ => `x

/-- `{ f // p f ∧ q f }` -/
def Family.target (f : Family) (binder? : Option Name) : MetaM Expr :=
  withLocalDeclD (f.binder binder?) f.head.type fun x => do
    let said ← f.members.mapM fun m => f.about x m.type
    let all := said.pop.foldr (fun p q => mkAnd p q) (said.back?.getD (mkConst ``True))
    let target ← mkAppM ``Subtype #[← mkLambdaFVars #[x] all]
    check target
    return target

/-- How many arguments of `sorryAx` make the hole itself: one that knows its place in the text has that for a third. -/
def holeArity (e : Expr) : Nat :=
  match e.getAppArgs[0]? with
  | some (Expr.forallE _ (Expr.const ``Name _) _ _) => 3
  | _ => 2

/-- The expression with a goal in the place of each hole. -/
def withGoals (e : Expr) : MetaM (Expr × Array MVarId) := do
  let goals ← IO.mkRef (#[] : Array MVarId)
  let e ← Meta.transform e (pre := fun e => do
    unless e.isAppOf ``sorryAx && e.getAppNumArgs ≥ holeArity e do return .continue
    let args := e.getAppArgs
    let hole := mkAppN e.getAppFn (args.extract 0 (holeArity e))
    let goal ← mkFreshExprSyntheticOpaqueMVar (← inferType hole)
    goals.modify (·.push goal.mvarId!)
    return .visit (mkAppN goal (args.extract (holeArity e) args.size)))
  return (e, ← goals.get)

/-- A hole and nothing else. -/
def isHole (e : Expr) : Bool := e.isAppOf ``sorryAx && e.getAppNumArgs == holeArity e

/-- The goals of a family: one, or one for each hole, where some value has more than a hole to it. -/
def Family.goals (f : Family) (binder? : Option Name) (ignoreValues : Bool) : MetaM (Array MVarId) := do
  if ignoreValues || (isHole f.head.value && f.members.all (isHole ·.value)) then
    return #[(← mkFreshExprSyntheticOpaqueMVar (← f.target binder?)).mvarId!]
  let (value, own) ← withGoals f.head.value
  if let #[goal] := own then goal.setTag (f.binder binder?)
  let mut goals := own
  for m in f.members do
    let (_, more) ← withGoals (← f.about value m.value)
    goals := goals ++ more
  return goals

/-- The text without some of its commands. -/
def Compiled.without (c : Compiled) (commands : Array Nat) (until' : Nat) : String := Id.run do
  let mut text := ""
  for (step, i) in c.steps.zipIdx do
    if i ≤ until' && !commands.contains i then text := text ++ slice c.input.inputString (step.start.byteIdx, step.stop.byteIdx) ++ "\n"
  return text

/-- A state whose goals `act` makes, of constants of the text, for a proof that may use what `env` has. -/
def stateOf (c : Compiled) (start env : Environment) (scope : Command.Scope) (act : MetaM (Array MVarId)) : IO (Except Trouble State) := do
  let context := contextOf "<Pantograph>" c.input.fileMap scope.opts scope.currNamespace scope.openDecls
  stateOfText env c.final.env context do
    let goals ← act
    for goal in goals do
      let decl ← goal.getDecl
      let types := decl.lctx.foldl (init := #[decl.type]) fun types d => types.push d.type
      for e in types do
        if speaksOfHole start c.final.env (← instantiateMVars e) then throwError "a goal would speak of another declaration with a hole"
    return goals.mapIdx fun i goal => (i, goal)

/-- The statement of a declaration as one goal. -/
def statementState (c : Compiled) (start : Environment) (step : Step) (command : Nat) : IO (Except Trouble State) := do
  let context := contextOf "<Pantograph>" c.input.fileMap baseOptions .anonymous []
  let some scope := step.before.scopes.head? | return .error ⟨"frontend", "no scope"⟩
  match ← (ask context c.final.env (declared command (c.added command))).toIO' with
  | .error e => return .error (← textTrouble e)
  | .ok all => match all.filter (·.value.hasSorry) with
    | #[d] => stateOf c start step.before.env scope do return #[(← mkFreshExprSyntheticOpaqueMVar d.type).mvarId!]
    | #[] => return .error ⟨"frontend", "a hole is in no declaration that has a name, and ignoreValues asks for its statement"⟩
    | _ => return .error ⟨"frontend", "several declarations of one command have holes, and ignoreValues asks for one statement"⟩

/-- A state for each family of the text, and for each other command with holes. -/
def distil (imported : Imported) (s : Session) (c : Compiled) (binder? : Option Name) (ignoreValues : Bool) (cancel? : Option IO.CancelToken) :
    ExceptT Trouble IO (Array State) := do
  let found ← ExceptT.mk (families c)
  let some first := c.steps[0]? | return #[]
  let start := first.before.env
  let mut states := #[]
  for (step, i) in c.steps.zipIdx do
    if found.any fun f => f.head.command != i && f.commands.contains i then continue
    if let some f := found.find? (·.head.command == i) then
      let some scope := step.before.scopes.head? | continue
      let others ← compile imported s "<anonymous>" (c.without f.commands (f.commands.back?.getD i)) false cancel?
      if let some m := others.messages.find? (·.severity == .error) then
        throwThe Trouble ⟨"frontend", s!"without `{f.head.name}` and what speaks of it: {← m.data.toString}"⟩
      states := states.push (← ExceptT.mk (stateOf c start others.final.env scope (f.goals binder? ignoreValues)))
      continue
    let some after := c.afters[i]? | continue
    let open' := after.infoState.trees.foldl (fun acc t => holes none t acc) #[]
    if open'.isEmpty then continue
    states := states.push (← ExceptT.mk (if ignoreValues then statementState c start step i else holesState start step.before after open'))
  return states

-- ## One hole for a family

/-- A definition that stands for a family: what Lean reads back from its text is its target, or there is none. -/
def Family.composite (f : Family) (c : Compiled) (scope : Command.Scope) (options : Options) : IO (Except Trouble (Name × Expr × String)) := do
  let context := contextOf "<Pantograph>" c.input.fileMap options scope.currNamespace scope.openDecls
  let name := (f.binder none).appendAfter "_composite"
  let docs := f.commands.filterMap fun i => do
    let stx := (← c.steps[i]?).stx
    let text ← (stx.find? (·.isOfKind ``Parser.Command.docComment))
    return (TSyntax.getDocString ⟨text⟩).trimAscii.toString
  let act : MetaM (Name × Expr × String) := do
    let target ← f.target none
    let levels := (collectLevelParams {} target).params.toList
    let type ← PrettyPrinter.delab target
    let universes := mkNullNode <| if levels.isEmpty then #[] else
      #[mkAtom ".{", mkNullNode (mkSepArray (levels.toArray.map fun n => (mkIdent n).raw) (mkAtom ",")), mkAtom "}"]
    let id : TSyntax ``Parser.Command.declId := ⟨mkNode ``Parser.Command.declId #[mkIdent name, universes]⟩
    let command ← `(command| def $id : $type := sorry)
    let text := (← PrettyPrinter.ppCommand command).pretty
    return (name, target, (if docs.isEmpty then "" else s!"/-- {"\n".intercalate docs.toList} -/\n") ++ text)
  match ← (ask context c.final.env act).toIO' with
  | .ok r => return .ok r
  | .error e => return .error (← textTrouble e)

/-- The text with one definition in the place of each family, each command on lines of its own. -/
def refactor (imported : Imported) (s : Session) (c : Compiled) (options : Options) (cancel? : Option IO.CancelToken) : ExceptT Trouble IO String := do
  let found ← ExceptT.mk (families c)
  let mut text := ""
  let mut made := #[]
  let mut last := 0
  for (step, i) in c.steps.zipIdx do
    let before := last
    last := step.stop.byteIdx
    match found.find? (·.commands.contains i) with
    | none => text := line text (slice c.input.inputString (before, last))
    | some f =>
      if f.commands.back? == some i then
        let some scope := step.before.scopes.head? | continue
        let (name, target, new) ← ExceptT.mk (f.composite c scope options)
        made := made.push (name, target)
        text := line text new
      -- a comment after a command is about the next one
      let ending := ((step.stx.getTailPos?).map (·.byteIdx)).getD last
      text := line text (slice c.input.inputString (ending, last))
  let again ← compile imported s "<anonymous>" text false cancel?
  if let some m := again.messages.find? (·.severity == .error) then
    throwThe Trouble ⟨"frontend", s!"Lean does not read back what it prints: {← m.data.toString}"⟩
  let new := addedConstants s.env again.final.env
  for (name, target) in made do
    unless new.any fun (n, info) => name.isSuffixOf n && info.type == target do
      throwThe Trouble ⟨"frontend", s!"Lean reads the statement of `{name}` back as another one"⟩
  return text
where
  line (text more : String) : String :=
    let more := more.trimAscii.toString
    if more.isEmpty then text else text ++ "\n" ++ more

end LeanAgent.Pantograph
