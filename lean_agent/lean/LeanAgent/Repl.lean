/-
What leanprover-community/repl answers: commands in an environment that an earlier command has left, the holes and the
tactics of a command as proof states, tactics in these. Numbers and pickled files are the caller's.
-/
import LeanAgent.Explore
open Lean Meta Elab

namespace LeanAgent.Repl

/-- A place of a text where a proof can be begun, or gone on with. -/
structure Place where
  start : Position
  stop : Position
  state : ProofState

def goalTexts (s : ProofState) : IO (List String) := do
  return (← s.shown).1.toList.map (·.view.text)

/-- A hole, with the state in which a tactic can take its place: of a tactic, the goals as they were before it.
`start`: what has been there before the text. -/
def placeOfHole (start : Environment) (before after : Command.State) (fileMap : FileMap) (range? : Option Bytes) (hole : Pantograph.Hole) :
    IO (Option Place) := do
  let at' (b : Nat) := fileMap.toPosition ⟨b⟩
  let (first, last) := range?.getD (0, 0)
  let c := hole.context
  let state ← match hole.values with
    | #[.mvar goal] =>
      let context := contextOf "<input>" c.fileMap c.options c.currNamespace c.openDecls
      startIn (← envBefore before.env c.env c.mctx [goal]) context c.mctx [goal]
    | _ => match ← Pantograph.holesState start before after #[hole] with
      | .ok s => pure s.proof
      | .error _ => return none
  return some { start := at' first, stop := at' last, state }

/-- Where the holes of tactics stand: `Hole.range?` is that of terms alone, which are one hole however often elaborated. -/
partial def tacticHoles (tree : InfoTree) (acc : Array (MVarId × Bytes)) : Array (MVarId × Bytes) :=
  match tree with
  | .context _ t => tacticHoles t acc
  | .hole _ => acc
  | .node info children =>
    let acc := match info with
      | .ofTacticInfo i => match i.goalsBefore.head?, bytesOf? i.stx with
        | some g, some b =>
          if i.stx.getKind == ``Parser.Tactic.tacticSorry || i.stx.getKind == ``Parser.Tactic.tacticAdmit then acc.push (g, b) else acc
        | _, _ => acc
      | _ => acc
    children.foldl (fun acc t => tacticHoles t acc) acc

def rangeOf? (hole : Pantograph.Hole) (ofTactics : Array (MVarId × Bytes)) : Option Bytes :=
  hole.range? <|> hole.values.findSome? fun v => if v.isMVar then (ofTactics.find? (·.1 == v.mvarId!)).map (·.2) else none

def holesIn (context? : Option ContextInfo) (start : Environment) (before after : Command.State) (fileMap : FileMap) (trees : PersistentArray InfoTree) :
    IO (Array Place) := do
  let ofTactics := trees.foldl (fun acc t => tacticHoles t acc) #[]
  let found := trees.foldl (fun acc t => Pantograph.holes context? t acc) #[]
  found.filterMapM fun hole => placeOfHole start before after fileMap (rangeOf? hole ofTactics) hole

/-- The tactics of a command, each with the state before it and the constants that it uses. -/
def tacticsOf (f : Parser.InputContext) (before after : Command.State) : IO (Array (Place × String × Array Name)) := do
  let w := after.infoState.trees.foldl (fun acc t => walk none t acc) {}
  let nodes := (tacticsIn w (0, f.inputString.utf8ByteSize)).filter fun t => !isStructural t.stx && !t.info.goalsBefore.isEmpty
  nodes.mapM fun t => do
    let c := t.context
    let context := contextOf f.fileName c.fileMap c.options c.currNamespace c.openDecls
    let env ← envBefore before.env c.env t.info.mctxBefore t.info.goalsBefore
    let state ← startIn env context t.info.mctxBefore t.info.goalsBefore
    let start := f.fileMap.toPosition ⟨t.range.1⟩
    let used := (usesIn w t.range).foldl (init := #[]) fun acc u => if acc.contains u.name then acc else acc.push u.name
    return ({ start, stop := f.fileMap.toPosition ⟨t.range.2⟩, state }, dedent (slice f.inputString t.range) start.column, used)

/-- What a command has said and left. -/
structure Done where
  final : Command.State
  messages : List Message
  holes : Array Place
  tactics : Array (Place × String × Array Name)

/-- Run a text in the environment that another one has left, or in a new one, which its own header imports. -/
def run (imported : Imported) (before? : Option Command.State) (text : String) (withTactics : Bool) (cancel : IO.CancelToken) : IO Done := do
  let (input, start, parser, header) ← match before? with
    | some before => pure (Parser.mkInputContext text "<input>", before, ({} : Parser.ModuleParserState), [])
    | none => do
      let (input, _, state, parser, header) ← startFile imported { key := "<input>", module := `Repl, text }
      pure (input, state, parser, header)
  let holes ← IO.mkRef (#[] : Array Place)
  let tactics ← IO.mkRef #[]
  let mayHaveHoles := ["sorry", "admit"].any fun word => (text.splitOn word).length > 1
  let (steps, final) ← runCommands imported input start parser (some cancel) fun step after => do
    -- what was stopped half-way may have left any number of tactics
    if ← cancel.isSet then throw <| IO.userError "interrupted"
    if mayHaveHoles then
      let more ← holesIn none start.env step.before after input.fileMap after.infoState.trees
      holes.modify (· ++ more)
    if withTactics then
      let more ← tacticsOf input step.before after
      tactics.modify (· ++ more)
  return { final, messages := steps.foldl (fun all s => all ++ s.messages) header, holes := ← holes.get, tactics := ← tactics.get }

/-- What is to be said of a proof, in the words of the original. -/
def statusOf (s : ProofState) : IO String := do
  unless s.goals.isEmpty do return "Incomplete: open goals remain"
  match ← s.ask (checkSolved s) with
  | none => return "Completed"
  | some ⟨"sorry", _⟩ => return "Incomplete: contains sorry"
  | some failure => return s!"Error: {failure.message}"

/-- Run tactics in a state. Holes are allowed: they come back as states of their own. -/
def tactic (s : ProofState) (text : String) (cancel : IO.CancelToken) : IO (Except Failure (ProofState × List Message × Array Place)) := do
  if s.goals.isEmpty then return .error ⟨"no_goals", "no goals"⟩
  let stx ← match parseTactics s.core.env s.context text with
    | .error e => return .error ⟨"parse", e⟩
    | .ok stx => pure stx
  if let some failure := Pantograph.refused? stx then return .error failure
  let act : Term.TermElabM (List MVarId × Option Failure) := do
    let context : Tactic.Context := { elaborator := .anonymous, recover := false }
    let run : Term.TermElabM (List MVarId) := do
      let (_, state) ← (Tactic.evalTactic stx context).run { goals := s.goals }
      Term.synthesizeSyntheticMVarsNoPostponing
      return state.goals
    let goals ← goalsLeft run
    if let some error := (← Core.getMessageLog).toList.find? (·.severity == .error) then
      return ([], some ⟨"error", ← error.data.toString⟩)
    let (goals, _) ← leftGoals s.goals goals
    for goal in goals do settle goal
    return (goals, none)
  let fileMap := FileMap.ofString text
  let start : ProofState := { s with context := { s.context with fileMap }, core := { s.core with infoState := { enabled := true } } }
  match ← start.run (some cancel) act with
  | .error e => return .error (← failureOf s.context e)
  | .ok ((_, some failure), _) => return .error failure
  | .ok ((goals, none), next) =>
    let info : ContextInfo := {
      env := next.core.env, fileMap, mctx := next.meta.mctx, options := s.context.options, currNamespace := s.context.currNamespace
      openDecls := s.context.openDecls, ngen := next.core.ngen }
    let state := Command.mkState next.core.env {} s.context.options
    let places ← holesIn (some info) s.origin state state fileMap next.core.infoState.trees
    let messages := next.core.messages.toList.filter (!·.isSilent)
    return .ok ({ next with goals, core := quiet next.core, context := s.context }, messages, places)

end LeanAgent.Repl
