/-
The account of a file's declarations: what came of each, which constants came of none, and which theorems of the text
Lean has not declared or not even read.
-/
import LeanAgent.Frontend
open Lean Elab

namespace LeanAgent

/-- A declaration of a command and the constants that came of it. -/
structure AccountEntry where
  decl : Syntax
  expanded? : Option Expanded          -- of what a macro or a program has made
  name? : Option Name                  -- what it is about, where Lean has declared that
  constants : Array Name := #[]        -- all that came of it: helpers, and what attributes made of it
  deriving Inhabited

/-- The declarations of a command, those of its text first, and the constants that came of none of them. -/
structure Account where
  declared : Array AccountEntry
  beside : Array Name

/-- Where the text says that a constant comes from. -/
def placeOf? (env : Environment) (fileMap : FileMap) (n : Name) : Option Nat :=
  (declRangeExt.find? (level := .server) env n).map fun ranges => (fileMap.ofPosition ranges.selectionRange.pos).byteIdx

/-- What a declaration is called in full, publicly or privately. -/
def namesOf (env : Environment) (scope : Name) (decl : Syntax) : List Name :=
  match declId? decl with
  | none => []
  | some declId =>
    let id := declId[0].getId
    if id.isAnonymous then [] else
    let full := if (`_root_).isPrefixOf id then id.replacePrefix `_root_ .anonymous else scope ++ id
    [full, mkPrivateName env full]

def Step.account (step : Step) (after : Environment) (fileMap : FileMap) : Account := Id.run do
  let added := (addedConstants step.before.env after).map (·.1)
  let isNew := (NameSet.ofList added.toList).contains
  let scope := step.before.scopes.head!.currNamespace
  let mut declared : Array AccountEntry := #[]
  let mut named : NameSet := {}
  for decl in declarations step.stx do
    let name? := (namesOf after scope decl).find? isNew <|> byPlace added decl
    named := name?.elim named named.insert
    declared := declared.push { decl, expanded? := none, name? }
  for e in step.expanded do
    let names := namesOf after e.scope e.decl
    if names.any named.contains then continue          -- the text's own declaration, which a macro has changed on the way
    let name? := names.find? isNew
    named := name?.elim named named.insert
    declared := declared.push { decl := e.decl, expanded? := some e, name? }
  let mut beside := #[]
  for n in added do
    match owner? declared n with
    | some i => declared := declared.modify i fun d => { d with constants := d.constants.push n }
    | none => beside := beside.push n
  return { declared, beside }
where
  isIn (n : Name) (range? : Option Bytes) : Bool :=
    match range?, placeOf? after fileMap n with
    | some (start, stop), some place => start ≤ place && place < stop
    | _, _ => false
  /-- The constant whose name stands where the declaration's does. -/
  byPlace (added : Array Name) (decl : Syntax) : Option Name :=
    let candidates := added.filter fun n => !n.isInternalDetail && !n.isAnonymous && isIn n (bytesOf? decl)
    match declId? decl with
    | some declId => candidates.find? fun n => isIn n (bytesOf? declId)
    | none => candidates[0]?
  /-- The declaration that a constant came of: by its name, or else by its place. -/
  owner? (declared : Array AccountEntry) (n : Name) : Option Nat :=
    let indices := List.range declared.size
    let byName := indices.filter fun i => declared[i]!.name?.any fun m => m.isPrefixOf n || (privateToUserName m).isPrefixOf (privateToUserName n)
    match byName with
    | i :: rest => some <| rest.foldl (init := i) fun i j => if size declared[i]! < size declared[j]! then j else i
    | [] => indices.find? fun i => isIn n (bytesOf? declared[i]!.decl <|> declared[i]!.expanded?.bind fun e => bytesOf? e.command)
  size (d : AccountEntry) : Nat := d.name?.elim 0 (·.getNumParts)

-- ## Theorems

/-- A theorem that a command has declared, with its proof as the text has it. -/
structure Theorem where
  name : Name
  decl : Syntax
  value : Syntax                       -- `:= …`, equations, fields; the term alone where a macro writes the `:=`
  range : Bytes
  statementStart : Nat
  expanded? : Option Expanded
  helpers : Array Name                 -- constants that came of it

/-- The theorem of a declaration. None where its proof does not stand in the text. -/
def AccountEntry.theorem? (d : AccountEntry) : Option Theorem := do
  let name ← d.name?
  let value ← d.expanded?.elim (declValue? d.decl) (·.value?)
  discard <| bytesOf? value
  let range ← bytesOf? (d.expanded?.elim d.decl (·.command))
  let statementStart ← d.expanded?.elim ((bytesOf? d.decl[1]).map (·.1)) (·.statementStart?)
  return { name, decl := d.decl, value, range, statementStart, expanded? := d.expanded?, helpers := d.constants.filter (· != name) }

def AccountEntry.isTheorem (d : AccountEntry) : Bool := d.decl[1].isOfKind ``Parser.Command.theorem

/-- Whether a part of a name is in the way of every text that would say it. -/
def isHelper (env : Environment) (n : Name) : Bool :=
  ((privateToUserName? n).getD n).isInternalDetail || isReservedName env n

/-- A constant that stands beside the declarations of the text. -/
structure Product where
  name : Name
  origin : String                      -- the declaration that it came of, or the kind of command
  start : Nat

/-- Theorems that came of a declaration beside what it is about and its helpers (an attribute's), those whose proof does
not stand in the text, and whatever a program has declared on its own. -/
def Account.products (account : Account) (step : Step) (env : Environment) (fileMap : FileMap) : Array Product := Id.run do
  let mut products := #[]
  let kind := toString step.stx.getKind
  let start (n : Name) : Nat := (placeOf? env fileMap n).getD step.start.byteIdx
  for d in account.declared do
    let value? := (declValue? d.decl).bind bytesOf?
    for n in d.constants do
      unless (env.find? n) matches some (.thmInfo _) do continue
      if d.name? == some n then
        unless d.isTheorem && d.theorem?.isNone do continue
        products := products.push { name := n, origin := kind, start := start n }
      unless d.name? == some n || isHelper env n do
        let some place := placeOf? env fileMap n | continue
        if value?.any fun (first, stop) => first ≤ place && place < stop then continue     -- a helper of its `where`
        products := products.push { name := n, origin := toString (d.name?.getD step.stx.getKind), start := place }
  let isProgram := (program? step.stx).isSome
  for n in account.beside do
    if isProgram || !isHelper env n && (placeOf? env fileMap n).isSome then
      products := products.push { name := n, origin := kind, start := start n }
  return products

-- ## What was not declared, and what was not read

/-- A theorem of the text without a trace. `outcome`: `failed` has an error inside; of `undeclared` no constant came; `unread`
stands in text that Lean has passed over. -/
structure Lost where
  name : String
  outcome : String
  reason : String
  range : Bytes

/-- Words that state a theorem where nobody has parsed them. -/
def statementWords : List String := ["theorem", "lemma"]

/-- The theorems that a piece of text seems to state, outside of comments and strings: name and place. -/
partial def theoremsInText (source : String) (range : Bytes) : Array (String × Nat) :=
  go range.1 #[]
where
  char (i : Nat) : Char := if i < range.2 then String.Pos.Raw.get source ⟨i⟩ else ' '
  next (i : Nat) : Nat := (String.Pos.Raw.next source ⟨i⟩).byteIdx
  go (i : Nat) (found : Array (String × Nat)) : Array (String × Nat) :=
    if i ≥ range.2 then found
    else if char i == '-' && char (i + 1) == '-' then go (skip (· != '\n') i) found
    else if char i == '/' && char (i + 1) == '-' then go (comment (i + 2) 1) found
    else if char i == '\'' && char (i + 1) == '"' then go (i + 2) found
    else if char i == '"' then go (string (i + 1)) found
    else if isIdFirst (char i) then
      let stop := skip (fun c => isIdRest c || c == '.') i
      if !statementWords.contains (slice source (i, stop)) then go stop found else
      let begin := skip Char.isWhitespace stop
      let stop := skip (fun c => !c.isWhitespace && !":({[⦃".contains c) begin
      go (max stop (next i)) (found.push (slice source (begin, stop), i))
    else go (next i) found
  skip (p : Char → Bool) (i : Nat) : Nat := if i < range.2 && p (char i) then skip p (next i) else i
  comment (i depth : Nat) : Nat :=
    if i ≥ range.2 || depth == 0 then i
    else if char i == '/' && char (i + 1) == '-' then comment (i + 2) (depth + 1)
    else if char i == '-' && char (i + 1) == '/' then comment (i + 2) (depth - 1)
    else comment (next i) depth
  string (i : Nat) : Nat :=
    if i ≥ range.2 || char i == '"' then i + 1
    else if char i == '\\' then string (next (next i)) else string (next i)

/-- The first error of some messages, in Lean's words; one inside a range if there is one. -/
def firstError? (fileMap : FileMap) (messages : List Message) (range : Bytes) : BaseIO (Option String) := do
  let errors := messages.filter (·.severity == .error)
  let inside (m : Message) : Bool :=
    let place := (fileMap.ofPosition m.pos).byteIdx
    range.1 ≤ place && place ≤ range.2          -- what was expected at the end is said there
  match errors.find? inside <|> errors.head? with
  | some m => return some (← m.data.toString)
  | none => return none

/-- The theorems of a command that Lean has not declared. -/
def Account.undeclared (account : Account) (step : Step) (env : Environment) (fileMap : FileMap) : BaseIO (Array Lost) := do
  let mut lost := #[]
  for d in account.declared do
    unless d.isTheorem && d.name?.isNone do continue
    let some (start, stop) := bytesOf? (d.expanded?.elim d.decl (·.command)) | continue
    let reason := (← firstError? fileMap step.messages (start, max stop step.stop.byteIdx)).getD
      s!"its command (`{step.stx.getKind}`) has declared nothing of this name"
    let scope := d.expanded?.elim step.before.scopes.head!.currNamespace (·.scope)
    let name := (namesOf env scope d.decl).head?.elim "(unnamed)" fun n => toString n.eraseMacroScopes
    lost := lost.push { name, outcome := "undeclared", reason, range := (start, stop) }
  return lost

/-- Where a word that states theorems elsewhere has been read as a variable: `lemma`, at the beginning of a line. -/
def readAsVariable (fileMap : FileMap) (stx : Syntax) : Array Nat :=
  (nodesWhere stx (·.isIdent)).filterMap fun word => do
    let (start, _) ← bytesOf? word
    guard <| statementWords.contains (toString word.getId) && (fileMap.toPosition ⟨start⟩).column == 0
    return start

/-- The theorems in the parts of a file that Lean has passed over: where it could not parse, and after its end. -/
def SourceFile.unread (f : SourceFile) : BaseIO (Array Lost) := do
  let source := f.input.inputString
  let mut lost := #[]
  for step in f.steps do
    let isEnd := step.stx.isOfKind ``Parser.Command.exit || step.stx.isOfKind ``Parser.Command.import
    let (first, last) := (bytesOf? step.stx).getD (step.start.byteIdx, step.start.byteIdx)
    let mut gaps := if isEnd then [(step.stop.byteIdx, source.utf8ByteSize)] else []
    if step.messages.any (·.severity == .error) then
      let words := readAsVariable f.input.fileMap step.stx
      gaps := [(step.parser.pos.byteIdx, first), (words[0]?.getD last, step.stop.byteIdx)] ++ gaps
    for gap in gaps do
      for (name, start) in theoremsInText source gap do
        let error? ← firstError? f.input.fileMap step.messages (start, gap.2)
        let reason := if isEnd && start ≥ last then s!"nothing is read after line {(f.input.fileMap.toPosition step.start).line}"
          else error?.getD "Lean could not read it"
        lost := lost.push { name, outcome := "unread", reason, range := (start, start + name.utf8ByteSize) }
  return lost

end LeanAgent
