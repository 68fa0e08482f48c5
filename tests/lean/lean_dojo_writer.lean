/-
What LeanDojo's extractor leaves of Lean files, written with our own command loop: `FOLDER MODULE…`, modules in the order of
their imports. For each: its syntax trees, tactics with their states, and premises (`.ast.json`), the paths of its imports
(`.dep_paths`), and the compiled module.
-/
import LeanAgent.Frontend
open Lean Elab LeanAgent

def infoJson : SourceInfo → Json
  | .original leading pos trailing stop => .mkObj [("original", .mkObj [
      ("leading", leading.toString), ("pos", pos.byteIdx), ("trailing", trailing.toString), ("endPos", stop.byteIdx)])]
  | .synthetic pos stop canonical => .mkObj [("synthetic", .mkObj [
      ("pos", pos.byteIdx), ("endPos", stop.byteIdx), ("canonical", canonical)])]
  | .none => "none"

/-- LeanDojo 4.20 knows the trees of its time, when nothing could stand before the word `section`. -/
partial def syntaxJson : Syntax → Json
  | .missing => "missing"
  | .node info ``Parser.Command.section #[_, word, name] => syntaxJson (.node info ``Parser.Command.section #[word, name])
  | .node info kind args => .mkObj [("node", .mkObj [
      ("info", infoJson info), ("kind", toString kind), ("args", .arr (args.map syntaxJson))])]
  | .atom info val => .mkObj [("atom", .mkObj [("info", infoJson info), ("val", val)])]
  | .ident info raw val _ => .mkObj [("ident", .mkObj [
      ("info", infoJson info), ("rawVal", raw.toString), ("val", toString val), ("preresolved", .arr #[])])]

def placeJson (p : Position) : Json := .mkObj [("line", p.line), ("column", p.column)]

structure Found where
  tactics : Array Json := #[]
  premises : Array Json := #[]

def statesOf (context : ContextInfo) (mctx : MetavarContext) (goals : List MVarId) : IO String := do
  if goals.isEmpty then return "no goals"
  return toString (← { context with mctx }.runMetaM {} (return Format.joinSep (← goals.mapM Meta.ppGoal) "\n\n"))

def pathOf (module : Name) : String :=
  (if isCore module then ".lake/packages/lean4/src/lean/" else if module.getRoot == `MiniBatteries then ".lake/packages/MiniBatteries/" else "")
    ++ "/".intercalate (module.components.map toString) ++ ".lean"

/-- A tactic that stands in a sequence, and a name that stands for a constant with a place. -/
partial def collect (map : FileMap) (context? : Option ContextInfo) (above? : Option SyntaxNodeKind) (tree : InfoTree) (found : Found) :
    IO Found := do
  match tree with
  | .context c t => collect map (c.mergeIntoOuter? context?) above? t found
  | .hole _ => return found
  | .node info children =>
    let mut found := found
    if let (some context, some pos, some stop) := (context?, info.stx.getPos? true, info.stx.getTailPos? true) then
      match info with
      | .ofTacticInfo i =>
        if above? == some ``Parser.Tactic.tacticSeq1Indented || above? == some ``Parser.Tactic.tacticSeqBracketed then
          let entry := Json.mkObj [("pos", pos.byteIdx), ("endPos", stop.byteIdx),
            ("stateBefore", ← statesOf context i.mctxBefore i.goalsBefore), ("stateAfter", ← statesOf context i.mctxAfter i.goalsAfter)]
          found := { found with tactics := found.tactics.push entry }
      | .ofTermInfo i =>
        if let .const name _ := i.expr.getAppFn then
          if let some ranges ← context.runMetaM {} (findDeclarationRanges? name) then
            let module := ((context.env.getModuleIdxFor? name).bind (context.env.header.moduleNames[·]?)).getD context.env.mainModule
            let entry := Json.mkObj [("fullName", toString name), ("modName", toString module), ("defPath", pathOf module),
              ("defPos", placeJson ranges.range.pos), ("defEndPos", placeJson ranges.range.endPos),
              ("pos", placeJson (map.toPosition pos)), ("endPos", placeJson (map.toPosition stop))]
            found := { found with premises := found.premises.push entry }
      | _ => pure ()
    let above? := match info with | .ofTacticInfo i => some i.stx.getKind | _ => above?
    for child in children do found ← collect map context? above? child found
    return found

def write (imported : Imported) (folder : String) (module : Name) : IO Unit := do
  let source := s!"{folder}/{pathOf module}"
  let (input, imports, state, parser, _) ← startFile imported source module (← IO.FS.readFile source)
  let (header, _, _) ← Parser.parseHeader input
  let commands ← IO.mkRef #[syntaxJson header.raw]
  let found ← IO.mkRef ({} : Found)
  let (steps, final) ← runCommands imported input state parser none fun step after => do
    commands.modify (·.push (syntaxJson step.stx))
    for tree in after.infoState.trees do found.set (← collect input.fileMap none none tree (← found.get))
  for step in steps do
    for m in step.messages do
      if m.severity == .error then throw <| IO.userError s!"{module}: {← m.data.toString}"
  let inside := if module.getRoot == `MiniBatteries then s!"{folder}/.lake/packages/MiniBatteries" else folder
  let built := s!"{inside}/.lake/build/ir/{"/".intercalate (module.components.map toString)}"
  IO.FS.createDirAll ((System.FilePath.mk built).parent.getD built)
  let all ← found.get
  let trace := Json.mkObj [("commandASTs", .arr (← commands.get)), ("tactics", .arr all.tactics), ("premises", .arr all.premises)]
  IO.FS.writeFile s!"{built}.ast.json" trace.compress
  IO.FS.writeFile s!"{built}.dep_paths" ("\n".intercalate (imports.toList.map fun i => pathOf i.module))
  let compiled := s!"{folder}/compiled/{"/".intercalate (module.components.map toString)}.olean"
  IO.FS.createDirAll ((System.FilePath.mk compiled).parent.getD compiled)
  writeModule final.env compiled

def main (arguments : List String) : IO Unit := do
  let folder :: modules := arguments | throw <| IO.userError "FOLDER MODULE…"
  let imported ← Imported.create fun _ => pure ()
  for module in modules do write imported folder module.toName
