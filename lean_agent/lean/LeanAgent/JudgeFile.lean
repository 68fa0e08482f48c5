/-
The judge of a whole file. It is elaborated afresh, once. What each command adds is given to the kernel again, on top of the
imports and of nothing that elaboration has made; an `example`, which leaves nothing behind, is declared once more to be
looked at. In the end every declaration of the text and every constant of the file is accounted for.
-/
import LeanAgent.Export
open Lean Meta Elab

namespace LeanAgent

-- ## Constants

/-- What the kernel has made of a file, from its imports up. -/
structure Checked where
  env : Environment
  refused : NameMap String := {}       -- each with why
  unchecked : NameSet := {}            -- unsafe and partial ones: nothing that the kernel accepts may use them
  axioms : NameMap (List Name) := {}   -- below each constant

def usedBy (info : ConstantInfo) : Array Name :=
  info.type.getUsedConstants ++ (match info.value? (allowOpaque := true) with | some v => v.getUsedConstants | none => #[])

/-- Whether a constant that a file claims is the one that the kernel has. -/
def isSame (claimed : ConstantInfo) (known? : Option ConstantInfo) : Bool :=
  match claimed, known? with
  | _, none => false
  | .ctorInfo c, some (.ctorInfo k) =>
    c.toConstantVal == k.toConstantVal && c.induct == k.induct && c.cidx == k.cidx && c.numParams == k.numParams && c.numFields == k.numFields
  | .inductInfo _, some _ | .recInfo _, some _ => isMade claimed known?
  | .quotInfo _, some (.quotInfo _) => true
  | .thmInfo c, some (.thmInfo k) => c.toConstantVal == k.toConstantVal
  | .axiomInfo c, some (.axiomInfo k) => c == k
  | .defnInfo c, some (.defnInfo k) => c.toConstantVal == k.toConstantVal && c.value == k.value
  | .opaqueInfo c, some (.opaqueInfo k) => c.toConstantVal == k.toConstantVal && c.value == k.value
  | _, _ => false

/-- Give the constants of a command to the kernel, those first that others of them use. What it does not take is named. -/
partial def Checked.extend (checked : Checked) (added : Array (Name × ConstantInfo)) (cancel? : Option IO.CancelToken) : IO Checked := do
  let table : NameMap ConstantInfo := added.foldl (fun m (n, i) => m.insert n i) {}
  let mut state := (({} : NameSet), checked)
  for (n, _) in added do state ← visit table n state
  let mut result := state.2
  for (n, info) in added do
    -- types, constructors and recursors are what the kernel makes of them, whatever the file has
    if !result.refused.contains n && !result.unchecked.contains n && !isSame info (constant? result.env n) then
      result := { result with refused := result.refused.insert n "it is not what the kernel makes of its declaration" }
  return result
where
  visit (table : NameMap ConstantInfo) (n : Name) (state : NameSet × Checked) : IO (NameSet × Checked) := do
    if state.1.contains n then return state
    let some info := table.find? n | return state
    let group := match info with
      | .inductInfo i => i.all
      | .ctorInfo c => match table.find? c.induct with | some (.inductInfo i) => i.all | _ => [n]
      | .recInfo r => r.all
      | _ => [n]
    if !group.contains n && group.any table.contains then        -- made with the type that it belongs to
      return ← group.foldlM (fun s t => visit table t s) (state.1.insert n, state.2)
    let members := group.filterMap table.find?
    let constructors (i : InductiveVal) := i.ctors.filterMap fun c => match table.find? c with | some (.ctorInfo c) => some c | _ => none
    let mut used := members.foldl (fun all i => all ++ usedBy i) #[]
    for m in members do
      if let .inductInfo i := m then used := used ++ (constructors i).foldl (fun all c => all ++ c.type.getUsedConstants) #[]
    let mut state := (group.foldl (·.insert ·) (state.1.insert n), state.2)
    for u in used do state ← visit table u state
    return (state.1, ← add info members used constructors state.2)
  add (info : ConstantInfo) (members : List ConstantInfo) (used : Array Name) (constructors : InductiveVal → List ConstructorVal) (c : Checked) : IO Checked := do
    let n := info.name
    if (constant? c.env n).isSome then return c                   -- compared in the end
    let skip := { c with unchecked := members.foldl (fun s m => s.insert m.name) c.unchecked }
    let decl? : Option Declaration ← match info with
      | .thmInfo v => pure (some (.thmDecl v))
      | .defnInfo v => pure (if v.safety == .safe then some (.defnDecl v) else none)
      | .opaqueInfo v => pure (if v.isUnsafe then none else some (.opaqueDecl v))
      | .axiomInfo v => pure (if v.isUnsafe then none else some (.axiomDecl v))
      | .quotInfo _ => pure (some .quotDecl)
      | .inductInfo i =>
        if i.isUnsafe then
          let made := members.foldl (fun s m => match m with | .inductInfo i => i.ctors.foldl (·.insert ·) (s.insert (mkRecName i.name)) | _ => s) skip.unchecked
          return { skip with unchecked := made }
        let types := members.filterMap fun
          | .inductInfo t => some ({ name := t.name, type := t.type, ctors := (constructors t).map fun c => { name := c.name, type := c.type } } : InductiveType)
          | _ => none
        pure (some (.inductDecl i.levelParams i.numParams types false))
      | .ctorInfo v => pure (if v.isUnsafe then none else some (.axiomDecl { v.toConstantVal with isUnsafe := true }))
      | .recInfo v => pure (if v.isUnsafe then none else some (.axiomDecl { v.toConstantVal with isUnsafe := true }))
    let some decl := decl? | return skip
    if info matches .ctorInfo _ || info matches .recInfo _ then return c    -- of no type: refused in the end
    if let some u := used.find? c.refused.contains then
      let why := if n.isPrefixOf u then (c.refused.find? u).getD "" else s!"it rests on `{u}`, which the kernel refuses"
      return { c with refused := members.foldl (fun r m => r.insert m.name why) c.refused }
    match addChecked c.env 0 decl cancel? with
    | .ok env => return { c with env }
    | .error .interrupted => throw <| IO.userError "interrupted"
    | .error e =>
      let why := ((← (e.toMessageData {}).toString).splitOn "\n").head!
      let why := s!"the kernel refuses it: {if why.startsWith "(kernel) " then slice why (9, why.utf8ByteSize) else why}"
      return { c with refused := members.foldl (fun r m => r.insert m.name why) c.refused }

/-- Note the axioms below a constant that the kernel has. Those of a file's own are asked about in their order, so this does
not go down far. -/
partial def Checked.collect (unbelieved : NameSet) (c : Checked) (n : Name) : Checked :=
  if c.axioms.contains n then c
  else if (c.env.getModuleIdxFor? n).isSome then
    { c with axioms := c.axioms.insert n (axiomsOf c.env #[n] unbelieved).toList }
  else
    let group := match constant? c.env n with
      | some (.inductInfo i) => i.all
      | some (.ctorInfo k) => match constant? c.env k.induct with | some (.inductInfo i) => i.all | _ => [n]
      | _ => [n]
    let names := group.foldl (fun all m => all ++ (match constant? c.env m with | some (.inductInfo i) => m :: i.ctors | _ => [m])) []
    let grounds := names.map fun m => (m, groundsOf c.env unbelieved m)
    let c := names.foldl (fun c m => { c with axioms := c.axioms.insert m [] }) c
    let used := grounds.foldl (fun all (_, _, used) => all ++ used) #[]
    let c := used.foldl (collect unbelieved) c
    let own := grounds.filterMap fun (m, isAxiom, _) => if isAxiom then some (axiomName c.env m) else none
    let below := used.foldl (fun all u => ((c.axioms.find? u).getD []).foldl (fun all a => if all.contains a then all else a :: all) all) own
    { c with axioms := names.foldl (fun table m => table.insert m below) c.axioms }

-- ## The text

/-- Declarations that a command's text has; not those of a quotation, which a macro may make some time. -/
def statedIn (stx : Syntax) : Array Syntax := declarations stx

def keywords : List String :=
  ["theorem", "lemma", "example", "def", "abbrev", "instance", "axiom", "opaque", "structure", "inductive", "class", "proposition", "corollary"]

/-- What a declaration of the text is called in a verdict. -/
def keywordOf (decl : Syntax) : String :=
  let kind := decl[1].getKind
  if kind == ``Parser.Command.definition || kind == ``Parser.Command.abbrev then "definition"
  else if kind == ``Parser.Command.classInductive then "inductive"
  else match kind with
    | .str _ word => word
    | _ => toString kind

def isExample (decl : Syntax) : Bool := decl[1].getKind == ``Parser.Command.example

def declIdOf? (decl : Syntax) : Option Syntax := decl[1].getArgs.findSome? fun s =>
  if s.getKind == ``Parser.Command.declId then some s
  else if s.getKind == nullKind && s[0].getKind == ``Parser.Command.declId then some s[0] else none

/-- What a declaration of the text is most likely called. -/
def nameIn (scope : Command.Scope) (decl : Syntax) : Option Name := do
  let id := (← declIdOf? decl)[0].getId
  return if (`_root_).isPrefixOf id then id.replacePrefix `_root_ .anonymous else scope.currNamespace ++ id

/-- A name for people: without the mark of what is private, and with Lean's dagger for what no text can name. -/
def shownName (n : Name) : String :=
  let n := (privateToUserName? n).getD n
  if n.hasMacroScopes then s!"{n.eraseMacroScopes}✝" else toString n

/-- Whether an `example` stands in a piece of syntax, and is not only quoted there. -/
def hasExample (stx : Syntax) : Bool :=
  !(nodesWhere stx (·.getKind == ``Parser.Command.example) (leaveOut := (·.isQuot))).isEmpty

/-- The `example`s of a command as definitions, which stay when they have been elaborated. It goes down to these alone:
whatever else stands in the command may be deep. -/
partial def withNamedExamples (stx : Syntax) : StateM Nat Syntax := do
  unless hasExample stx do return stx
  if stx.getKind == ``Parser.Command.example then
    let number ← modifyGet fun i => (i, i + 1)
    let info := stx[0].getHeadInfo
    let id := Syntax.ident info s!"_example_{number}".toRawSubstring (.mkSimple s!"_example_{number}") []
    return .node .none ``Parser.Command.definition
      #[.atom info "def", .node .none ``Parser.Command.declId #[id, mkNullNode], stx[1], stx[2], mkNullNode]
  match stx with
  | .node info kind args => return .node info kind (← args.mapM withNamedExamples)
  | _ => return stx

/-- Whether a name is of the project's own making. What is built into Lean is no constant where `Lean` is not imported. -/
def isOwn (env : Environment) (n : Name) : Bool := env.contains n && !ofLibrary env n

/-- The commands that a command is made of, under `… in` and in a `mutual` block. -/
partial def commandsIn (stx : Syntax) : Array Syntax := go [stx] #[]
where
  go (todo : List Syntax) (commands : Array Syntax) : Array Syntax :=
    match todo with
    | [] => commands
    | stx :: rest =>
      if stx.isOfKind ``Parser.Command.in then go (stx[0] :: stx[2] :: rest) commands
      else if stx.isOfKind ``Parser.Command.mutual then go (stx[1].getArgs.foldr (· :: ·) rest) (commands.push stx)
      else go rest (commands.push stx)

/-- Kinds that a declaration is elaborated by. -/
def declarationKinds : List Name :=
  [``Parser.Command.declaration, ``Parser.Command.theorem, ``Parser.Command.example, ``Parser.Command.definition, ``Parser.Command.abbrev,
   ``Parser.Command.instance, ``Parser.Command.axiom, ``Parser.Command.opaque, ``Parser.Command.structure, ``Parser.Command.inductive,
   ``Parser.Command.in, ``Parser.Command.mutual]

/-- A macro or elaborator, none of Lean's own, that takes a kind of syntax. -/
def ownElaborator? (env : Environment) (kind : Name) : Option Name :=
  ((Command.commandElabAttribute.getEntries env kind).map (·.declName) ++ (macroAttribute.getEntries env kind).map (·.declName)).find?
    fun n => isOwn env n

/-- A macro or elaborator of the project for a syntax of Lean's own that stands in a term. -/
def ownMeaning? (env : Environment) (stx : Syntax) : Option Name :=
  firstNode? stx fun node =>
    let kind := node.getKind
    let entries := if isOwn env kind || kind == nullKind || node.isAtom then [] else
      (Term.termElabAttribute.getEntries env kind).map (·.declName) ++ (macroAttribute.getEntries env kind).map (·.declName)
    entries.find? fun n => isOwn env n

/-- Whether the project prints what is Lean's own in its own way: then a statement is printed without notations. -/
def hasOwnPrinting (env : Environment) (type : Expr) : Bool :=
  let keys := [`app, `const, `lam, `forallE, `letE, `lit, `sort, `proj, `mdata]
    ++ type.getUsedConstants.toList.map (`app ++ ·)
  let entries := keys.foldl (fun all k => all ++ (PrettyPrinter.Delaborator.delabAttribute.getEntries env k).map (·.declName)) []
    ++ type.getUsedConstants.toList.foldl (fun all n => all ++ (PrettyPrinter.Delaborator.appUnexpanderAttribute.getEntries env n).map (·.declName)) []
  entries.any (isOwn env)

/-- Text that a command has between its first and last word. -/
def textOf (source : String) (stx : Syntax) : String :=
  match stx.getRange? with
  | some r => slice source (r.start.byteIdx, r.stop.byteIdx)
  | none => ""

def hasPart (text part : String) : Bool := (text.splitOn part).length > 1

def firstWord (text : String) : String :=
  (text.foldl (init := ("", true)) fun (word, on) c => if on && (c.isAlphanum || c == '_') then (word.push c, true) else (word, false)).1

-- ## The judge

/-- What is said of one declaration. -/
structure Declared where
  name : String
  kind : String
  constant : Name
  judgement : Judgement
  statement : String := ""
  pos : Position
  instances : Array Name := #[]        -- of the file's own, in the statement, where Lean prints none of them
  examples? : Option Environment := none

structure FileJudge where
  checked : Checked
  declared : Array Declared := #[]
  problems : Array (Position × String) := #[]
  notes : Array (Position × String) := #[]
  faulty : NameSet := {}               -- constants of which something bad is said
  examples : Nat := 0

/-- What is said of a constant by the axioms below it. -/
def judgeAxioms (axioms : List Name) (allowed : List Name) (isAxiom : Bool) : Judgement :=
  let all := axioms.toArray.qsort Name.lt
  let extra := all.filter fun a => !(standardAxioms.contains a || allowed.contains a)
  if extra.contains ``sorryAx then { kind := "sorry", reason := "the proof has a hole", axioms := all }
  else if extra.isEmpty then { kind := "accepted", reason := "", axioms := all }
  else if isAxiom then { kind := "axiom", reason := "it is an axiom, and has no proof", axioms := all }
  else { kind := "axiom", reason := s!"it rests on {", ".intercalate (extra.toList.map (s!"`{shownName ·}`"))}", axioms := all }

/-- What is said of a constant that the kernel has refused: by what elaboration has it rest on, if that tells more. -/
def judgeRefused (after : Environment) (info : ConstantInfo) (why : String) (unbelieved : NameSet) (allowed : List Name) : Judgement :=
  if (info.value? (allowOpaque := true)).any (·.getUsedConstants.contains info.name) then
    { kind := "circular", reason := "the proof refers to the theorem itself" }
  else
    let rests := judgeAxioms (axiomsOf after #[info.name] unbelieved).toList allowed false
    if rests.kind == "accepted" then { kind := "kernel", reason := why } else rests

/-- The one of two reasons that tells more: what a text may not say, before what came of it. -/
def Judgement.orText (j : Judgement) (failure? : Option Failure) : Judgement :=
  match failure? with
  | some f => if j.kind == "sorry" then j else { j with kind := f.kind, reason := f.message }
  | none => j

def kindOf (env : Environment) (info : ConstantInfo) : String :=
  match info with
  | .thmInfo _ => "theorem" | .axiomInfo _ => "axiom" | .opaqueInfo _ => "opaque" | .quotInfo _ => "quotient"
  | .inductInfo _ => if isStructure env info.name then "structure" else "inductive"
  | .ctorInfo _ => "constructor" | .recInfo _ => "recursor"
  | .defnInfo _ => if isInstanceCore env info.name then "instance" else "definition"

/-- The statement for people, as Lean prints it where nothing of the file is in force. Empty where Lean cannot print it. -/
def statementOf (env : Environment) (type : Expr) : IO String := do
  unless hasOwnPrinting env type do return (← printType? env type).getD ""
  let options := baseOptions |>.setBool `pp.notation false |>.setBool `pp.fullNames true |>.setBool `pp.funBinderTypes true
  return (← printWith? env options type).getD ""

def isProposition (env : Environment) (type : Expr) : IO Bool := do
  let context := contextOf "<type>" default baseOptions .anonymous []
  try asIO (ask context env (isProp type)) catch _ => return true

/-- Whether a name begins with another, as those do of helpers that Lean has made. -/
def isPartOf (isKnown : Name → Bool) (n : Name) : Bool :=
  match n with
  | .str p _ | .num p _ => isKnown p || isPartOf isKnown p
  | .anonymous => false

def FileJudge.problem (j : FileJudge) (pos : Position) (text : String) : FileJudge := { j with problems := j.problems.push (pos, text) }

/-- Judge the constants that a command has added. `failures`: what is wrong with the text of some of them. -/
def FileJudge.constants (j : FileJudge) (step : Step) (after : Environment) (fileMap : FileMap) (allowed : List Name) (unbelieved : NameSet)
    (errors : Name → Option String) (failures : Name → Option Failure) (cancel? : Option IO.CancelToken) : IO FileJudge := do
  let added := addedConstants step.before.env after
  if added.isEmpty then return j
  let mut j := { j with checked := ← j.checked.extend added cancel? }
  let own := after.constants.map₂
  let place (n : Name) : Option Position := (declRangeExt.find? (level := .server) after n).map (·.range.pos)
  let order := added.qsort fun a b => match place a.1, place b.1 with
    | some p, some q => p.lt q || (!q.lt p && a.1.lt b.1)
    | some _, none => true
    | none, some _ => false
    | none, none => a.1.lt b.1
  for (n, info) in order do
    j := { j with checked := if (constant? j.checked.env n).isSome then j.checked.collect unbelieved n else j.checked }
    let made := info matches .ctorInfo _ || info matches .recInfo _ || after.isProjectionFn n
    let listed := !made && match place n with
      | some _ => true
      | none => !isPartOf own.contains n && (n.hasMacroScopes || !((privateToUserName? n).getD n).isInternalDetail)
    let axioms := (j.checked.axioms.find? n).getD []
    let judgement : Judgement ←
      if let some why := j.checked.refused.find? n then
        pure (judgeRefused after info why unbelieved allowed)
      else if j.checked.unchecked.contains n then
        if info matches .axiomInfo _ || info matches .thmInfo _ || (← isProposition after info.type) then
          pure { kind := "kernel", reason := "it is unsafe or partial: the kernel has not been asked" }
        else pure { kind := "accepted", reason := "" }
      else pure (judgeAxioms axioms allowed (info matches .axiomInfo _))
    let judgement := match errors n, failures n with
      | some e, _ => { judgement with kind := "error", reason := e }
      | none, failure? => judgement.orText failure?
    let bad := judgement.kind != "accepted"
    unless listed || bad && !isPartOf j.faulty.contains n do continue
    let pos := (place n).getD (fileMap.toPosition step.start)
    if j.checked.unchecked.contains n && !bad then
      j := { j with notes := j.notes.push (pos, s!"`{shownName n}` is unsafe or partial: the kernel is not asked about it, and nothing that it accepts can use it") }
      continue
    if bad then j := { j with faulty := j.faulty.insert n }
    j := { j with declared := j.declared.push { name := shownName n, kind := kindOf after info, constant := n, judgement, pos } }
  return j

/-- Judge the `example`s of a command: each is elaborated once more, as a definition. -/
def FileJudge.exampleOf (j : FileJudge) (input : Parser.InputContext) (step : Step) (allowed : List Name) (unbelieved : NameSet)
    (cancel? : Option IO.CancelToken) : IO FileJudge := do
  let examples := (statedIn step.stx).filter isExample
  if examples.isEmpty then return j
  let (stx, _) := (withNamedExamples step.stx).run 0
  let (after, messages) ← runCommand input step.before step.start stx cancel?
  let added := addedConstants step.before.env after.env
  let mut checked := ← j.checked.extend added cancel?
  for (n, _) in added do
    if (constant? checked.env n).isSome then checked := checked.collect unbelieved n
  let error? ← match (step.messages ++ messages).find? (·.severity == .error) with
    | some m => some <$> m.data.toString
    | none => pure none
  let mut j := j
  for (decl, i) in examples.zipIdx do
    let pos := input.fileMap.toPosition ((decl.getPos? true).getD step.start)
    let isNew (n : Name) : Bool := added.any (·.1 == n)
    let name? := added.findSome? fun (n, _) =>
      if (match n with | .str _ s => s == s!"_example_{i}" | _ => false) && !isPartOf isNew n then some n else none
    let below : List Name := added.foldl (init := []) fun all entry =>
      ((checked.axioms.find? entry.1).getD []).foldl (fun all a => if all.contains a then all else a :: all) all
    let judgement : Judgement := match error?, name? with
      | some e, _ => { kind := "error", reason := e }
      | none, none => { kind := "not_found", reason := "it stands in the text, and Lean has declared nothing" }
      | none, some n =>
        let judgement := match checked.refused.find? n, after.env.find? n with
          | some why, some info => judgeRefused after.env info why unbelieved allowed
          | _, none => { kind := "not_found", reason := "Lean has not declared it" }
          | none, some _ =>
            if checked.unchecked.contains n then { kind := "kernel", reason := "it is unsafe or partial: the kernel has not been asked" }
            else judgeAxioms below allowed false
        let unseen := added.findSome? fun (m, _) => checked.refused.find? m
        let judgement := match unseen with
          | some why => if judgement.kind == "accepted" then { judgement with kind := "kernel", reason := why } else judgement
          | none => judgement
        judgement.orText (declValue? decl >>= forbidden?)
    let declared : Declared := { name := "example", kind := "example", constant := name?.getD .anonymous, judgement, pos, examples? := some checked.env }
    j := { j with declared := j.declared.push declared, examples := j.examples + 1 }
  return j

/-- Where the last part of `… in …` is elaborated: what it opens, and its local attributes, are in force there alone. -/
partial def innerEnv (input : Parser.InputContext) (before : Command.State) (stx : Syntax) (cancel? : Option IO.CancelToken) : IO Environment := do
  unless stx.isOfKind ``Parser.Command.in do return before.env
  let (state, _) ← runCommand input before ((stx.getPos? true).getD 0) stx[0] cancel?
  innerEnv input (slim state) stx[2] cancel?

/-- What the text of a command says, and Lean has not done. `inner`: the environment of its declarations. -/
def FileJudge.textOf (j : FileJudge) (input : Parser.InputContext) (step : Step) (inner after : Environment) : FileJudge := Id.run do
  let mut j := j
  let pos := input.fileMap.toPosition step.start
  let hasErrors := step.messages.any (·.severity == .error)
  let stated := statedIn step.stx
  let scope := step.before.scopes.head!
  let isNew (n : Name) : Bool := after.constants.map₂.contains n && !step.before.env.constants.map₂.contains n
  for decl in stated do
    let at' := input.fileMap.toPosition ((decl.getPos? true).getD step.start)
    for kind in declarationKinds do
      if let some own := ownElaborator? inner kind then
        j := j.problem at' s!"`{shownName own}` takes the place of what Lean does with a declaration: nobody knows what this text has become"
        break
    if let some own := ownMeaning? inner (statementOf decl) then
      j := j.problem at' s!"`{shownName own}` takes the place of what Lean makes of a part of this statement: nobody knows what it means"
    if isExample decl || hasErrors then continue
    let isDeclared := match nameIn scope decl with
      | some n => isNew n || isNew (mkPrivateName after n) || byPlace decl isNew
      | none => byPlace decl isNew
    unless isDeclared do
      let name := ((declIdOf? decl).map (s!" `{·[0].getId}`")).getD ""
      j := { j with declared := j.declared.push { name := (nameIn scope decl).map shownName |>.getD (keywordOf decl), kind := keywordOf decl, constant := .anonymous, judgement := { kind := "not_found", reason := s!"the text has this {keywordOf decl}{name}, and Lean has not declared it" }, pos := at' } }
  for command in commandsIn step.stx do
    unless isOwn step.before.env command.getKind do continue
    let text := LeanAgent.textOf input.inputString command
    let word := firstWord text
    unless (statedIn command).isEmpty do
      j := j.problem (input.fileMap.toPosition ((command.getPos? true).getD step.start)) s!"`{word}` is the file's own, and may have done anything with the declaration in it"
    let at' := input.fileMap.toPosition ((command.getPos? true).getD step.start)
    if keywords.contains word && word != "lemma" && word != "proposition" && word != "corollary" then
      j := j.problem at' s!"`{word}` is read by a syntax of the file's own here: nobody knows what this text has become"
    else if !hasErrors && (addedConstants step.before.env after).isEmpty && (hasPart text ":=" || keywords.any (hasPart text)) then
      j := j.problem at' s!"`{word} …` reads like a declaration, and Lean has declared nothing"
    else if !hasErrors && (addedConstants step.before.env after).isEmpty then
      j := { j with notes := j.notes.push (at', s!"`{word} …` is the file's own, and has declared nothing") }
  let told := step.messages.find? (·.data.hasTag (· == `hasSorry))
  if (told.isSome || hasHole step.stx) && stated.isEmpty && (addedConstants step.before.env after).isEmpty then
    j := j.problem ((told.map (·.pos)).getD pos) "a `sorry` that belongs to no declaration"
  return j
where
  statementOf (decl : Syntax) : Syntax := mkNullNode (decl[1].getArgs.filter fun s => !valueKinds.contains s.getKind)
  /-- Whether a new constant's name stands in the text of the declaration. -/
  byPlace (decl : Syntax) (isNew : Name → Bool) : Bool := Id.run do
    let some (start, stop) := bytesOf? decl | return false
    return (addedConstants step.before.env after).any fun (n, _) => isNew n && match declRangeExt.find? (level := .server) after n with
      | some ranges =>
        let at' := (input.fileMap.ofPosition ranges.selectionRange.pos).byteIdx
        start ≤ at' && at' < stop
      | none => false

/-- Proofs in the syntax of a command that is none of Lean's own declarations. -/
def proofsIn (stx : Syntax) : Array Syntax :=
  nodesWhere stx (·.getKind == ``Parser.Term.byTactic) (leaveOut := (·.isQuot))

/-- One command of a file. -/
def FileJudge.step (j : FileJudge) (input : Parser.InputContext) (step : Step) (after : Environment) (allowed : List Name) (unbelieved : NameSet)
    (cancel? : Option IO.CancelToken) : IO FileJudge := do
  let stated := statedIn step.stx
  let scope := step.before.scopes.head!
  let own := stated.filterMap fun decl => do
    let n ← nameIn scope decl
    let (start, stop) ← bytesOf? decl
    let value? := if decl[1].getKind == ``Parser.Command.theorem then declValue? decl else none
    return (n, start, stop, value?.bind forbidden?)
  let errors ← (step.messages.filter (·.severity == .error)).mapM fun m => do
    return ((input.fileMap.ofPosition m.pos).byteIdx, ← m.data.toString)
  let entry (n : Name) := own.find? fun (known, _) => known == n || n == mkPrivateName after known
  let errorOf (n : Name) : Option String := do
    let (_, start, stop, _) ← entry n
    (errors.find? fun (at', _) => start ≤ at' && at' < stop).map (·.2)
  let failureOf (n : Name) : Option Failure :=
    match entry n with
    | some (_, _, _, failure?) => failure?
    | none => if stated.isEmpty then (proofsIn step.stx).findSome? forbidden? else none
  let j ← j.constants step after input.fileMap allowed unbelieved errorOf failureOf cancel?
  let mut j ← j.exampleOf input step allowed unbelieved cancel?
  for (n, start, stop, _) in own do
    let known := j.declared.any fun d => d.constant == n || d.constant == mkPrivateName after n
    if let some (_, text) := if known then none else errors.find? fun (at', _) => start ≤ at' && at' < stop then
      let decl? := stated.find? fun d => (bytesOf? d).any (·.1 == start)
      j := { j with declared := j.declared.push { name := shownName n, kind := (decl?.map keywordOf).getD "theorem", constant := .anonymous, judgement := { kind := "error", reason := text }, pos := input.fileMap.toPosition ⟨start⟩ } }
  return j.textOf input step (← innerEnv input step.before step.stx cancel?) after

/-- A declaration with its statement and what else is said of it once the whole file is there. -/
def Declared.finish (d : Declared) (checked : Checked) (after : Environment) : IO Declared := do
  let env := d.examples?.getD checked.env
  let some info := constant? env d.constant <|> after.find? d.constant | return d
  let env := if (constant? env d.constant).isSome then env else after
  let instances := info.type.getUsedConstants.filter fun n => !ofLibrary env n && (env.getModuleIdxFor? n).isNone && isInstanceCore after n
  return { d with statement := ← statementOf env info.type, instances }

def Declared.json (d : Declared) : Json :=
  Json.mkObj [("name", d.name), ("declaration", d.kind), ("kind", d.judgement.kind), ("reason", d.judgement.reason),
    ("axioms", .arr <| d.judgement.axioms.map (shownName · |> Json.str)), ("messages", .arr #[]), ("statement", d.statement), ("start", positionJson d.pos),
    ("instances", .arr <| d.instances.map (shownName · |> Json.str))]

/-- Some constants with all that they rest on outside Lean's own library, and which of them are asked about. -/
def exportConstants (env : Environment) (names : Array Name) : Json :=
  let act : ExportM Json := do
    for n in names do writeConstant env n
    return .arr ((← names.mapM writeName).map fun (i : Nat) => (i : Json))
  let (roots, x) := act.run {}
  (exportRows env x).setObjVal! "roots" roots

/-- What the judge says of a file: a verdict for each declaration, and what else stands in the way. With `exporting`, or
where a program of the file ran and processes are `confined`, also what another process needs to say it again: the constants of
the file, and those of each of its examples. `statements`: constants to be exported whatever is said of them. -/
def judgeFile (imported : Imported) (source : FileSource) (allowed : List Name) (exporting : Bool) (confined : Bool) (statements : List Name) (cancel? : Option IO.CancelToken) : IO Json := do
  let programs ← IO.mkRef false
  let imported := { imported with report := fun what => do programs.set true; imported.report what }
  let (input, _, state, parser, headerMessages) ← startFile imported source
  let known ← IO.mkRef (NameSet.ofList source.unbelieved)
  let first ← IO.mkRef true
  let judge ← IO.mkRef ({ checked := { env := state.env } } : FileJudge)
  let (steps, final) ← runCommands imported input state parser cancel? fun step after => do
    reportDeclared imported step after.env
    if let some _ := program? step.stx then
      if ← first.get then
        first.set false
        judge.modify fun j => { j with notes := j.notes.push (input.fileMap.toPosition step.start, "from here on the file may run programs of its own: its statements mean what they make of them") }
    judge.set (← (← judge.get).step input step after.env allowed (← known.get) cancel?)
  let mut j ← judge.get
  -- the end is where Lean's parser says so: it has to be the end of the text
  let stop := (steps.back?.map (·.stop)).getD parser.pos
  let (last, _, _) := parseOne input (slim final) { pos := stop }
  let ended := if last.isOfKind ``Parser.Command.eoi then (last.getPos? true).getD stop else stop
  let isCut := steps.back?.any fun step => Parser.isTerminalCommand step.stx && !step.stx.isOfKind ``Parser.Command.eoi
  if isCut || ended.byteIdx < input.inputString.utf8ByteSize then
    let at' := if isCut then (steps.back?.map (·.start)).getD ended else ended
    j := j.problem (input.fileMap.toPosition at') "what follows was not read"
  let declared ← j.declared.mapM (·.finish j.checked final.env)
  let said := steps.foldl (fun all s => all ++ s.messages) headerMessages
  let messages ← said.toArray.mapM fun m => (messageJson m : IO Json)
  let told (severity : String) (items : Array (Position × String)) : Array Json := items.map fun (pos, text) =>
    Json.mkObj [("severity", severity), ("text", text), ("start", positionJson pos)]
  let stated := (statements.filter fun n => (constant? j.checked.env n).isSome).toArray
  let statements := if statements.isEmpty then [] else [("statements", exportConstants j.checked.env stated)]
  let answer := Json.mkObj <| statements ++ [("declarations", .arr <| declared.map (·.json)), ("problems", .arr <| told "error" j.problems ++ told "information" j.notes), ("messages", .arr messages)]
  unless exporting || confined && (← programs.get) do return answer
  let accepted := declared.zipIdx.filter fun (d, _) => d.judgement.kind == "accepted"
  let ofFile := accepted.filter (·.1.examples?.isNone)
  let exports := #[exported j.checked.env ofFile] ++ accepted.filterMap fun (d, i) => d.examples?.map fun env => exported env #[(d, i)]
  return answer.setObjVal! "exports" (.arr exports)
where
  /-- `about`: places among the declarations. -/
  exported (env : Environment) (declared : Array (Declared × Nat)) : Json :=
    (exportConstants env (declared.map (·.1.constant))).setObjVal! "about" (.arr <| declared.map fun (_, (i : Nat)) => (i : Json))

end LeanAgent
