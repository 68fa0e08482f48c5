/-
Which declarations a command holds: in its text, and in what macros and programs have made of that. Looks at syntax and
info trees alone.
-/
import LeanAgent.Kernel
open Lean Elab

namespace LeanAgent

abbrev Bytes := Nat × Nat

def bytesOf? (stx : Syntax) : Option Bytes :=
  (stx.getRange? (canonicalOnly := true)).map fun r => (r.start.byteIdx, r.stop.byteIdx)

def slice (source : String) (b : Bytes) : String :=
  String.Pos.Raw.extract source ⟨b.1⟩ ⟨b.2⟩

/-- The declarations inside a command: under `open … in`, in a `mutual` block, after attributes; none that it only quotes. -/
def declarations (stx : Syntax) : Array Syntax :=
  nodesWhere stx (·.getKind == ``Parser.Command.declaration) (leaveOut := (·.isQuot))

def valueKinds : List Name :=
  [``Parser.Command.declValSimple, ``Parser.Command.declValEqns, ``Parser.Command.whereStructInst]

/-- The part of a declaration after its statement: `:= …`, equations or `where …`. -/
def declValue? (decl : Syntax) : Option Syntax :=
  decl[1].getArgs.findSome? fun s => if valueKinds.contains s.getKind then some s else none

/-- The name in a declaration, with its universes; an instance or an example may have none. -/
def declId? (decl : Syntax) : Option Syntax :=
  decl[1].getArgs.findSome? fun s =>
    if s.isOfKind ``Parser.Command.declId then some s
    else if s.isOfKind nullKind && s[0].isOfKind ``Parser.Command.declId then some s[0] else none

-- ## Examples

/-- What an example is called, by its number in the file. No text can declare such a name, or speak of it: `example` is a
keyword, and in a text no name ends in a number. -/
def exampleName (number : Nat) : Name := .num (.mkSimple "example") number

/-- The kind of an example's command. -/
def exampleKind : Name := ``Parser.Command.example

/-- Whether a command is an example, by itself or as the last part of `… in`. -/
partial def isExampleCommand (stx : Syntax) : Bool :=
  if stx.isOfKind ``Parser.Command.in then isExampleCommand stx[2]
  else stx.isOfKind ``Parser.Command.declaration && stx[1].isOfKind exampleKind

/-- An example as a theorem of a name. None without a statement of its own, and none with attributes, which would do more to
a theorem. -/
partial def asTheorem? (name : Name) (stx : Syntax) : Option Syntax := do
  if stx.isOfKind ``Parser.Command.in then return stx.setArg 2 (← asTheorem? name stx[2])
  guard <| isExampleCommand stx && stx[0][1].getNumArgs == 0 && stx[1][1][1].getNumArgs == 1
  let info := stx[1][0].getHeadInfo
  let declId := .node .none ``Parser.Command.declId #[.ident info "example".toRawSubstring name [], mkNullNode]
  let signature := .node .none ``Parser.Command.declSig #[stx[1][1][0], stx[1][1][1][0]]
  return stx.setArg 1 <| .node .none ``Parser.Command.theorem #[.atom info "theorem", declId, signature, stx[1][2]]

-- ## Places in syntax

/-- The way down to a piece of syntax: the same words at the same place. -/
partial def pathTo? (stx part : Syntax) : Option (List Nat) :=
  if isSameObject stx part then some [] else
  match bytesOf? stx, bytesOf? part with
  | some whole, some range =>
    if range.1 < whole.1 || whole.2 < range.2 then none
    else if stx.getKind == part.getKind && whole == range && stx.structEq part then some []
    else Id.run do
      for (arg, i) in stx.getArgs.zipIdx do
        if let some path := pathTo? arg part then return some (i :: path)
      return none
  | _, _ => none

def atPath (stx : Syntax) (path : List Nat) : Syntax := path.foldl (fun s i => s[i]) stx

/-- Whether two pieces of syntax say the same but for what stands at a place. -/
def sameBut (path : List Nat) (old new : Syntax) : Bool :=
  match path with
  | [] => true
  | i :: rest =>
    old.getKind == new.getKind && old.getNumArgs == new.getNumArgs
      && (old.getArgs.zip new.getArgs).zipIdx.all fun ((a, b), k) => if k == i then sameBut rest a b else a.structEq b

-- ## What macros and programs make of a command

/-- A declaration that does not stand in the text as it was elaborated. -/
structure Expanded where
  decl : Syntax
  command : Syntax                     -- the innermost command of the text that it was made of
  scope : Name                         -- the namespace in force there
  deriving Inhabited

/-- The part of the text that is the proof of what a macro has made: its whole value, or the term alone where the macro
writes the `:=`. -/
def Expanded.value? (e : Expanded) : Option Syntax := do
  let value ← declValue? e.decl
  let places := if value.getKind == ``Parser.Command.declValSimple then [value, value[1]] else [value]
  places.find? fun place => (bytesOf? place).isSome && (pathTo? e.command place).isSome

/-- Where the command begins to speak of its statement: after the attributes and the like. -/
def Expanded.statementStart? (e : Expanded) : Option Nat :=
  (bytesOf? (if e.command[0].isOfKind ``Parser.Command.declModifiers then e.command[1] else e.command)).map (·.1)

/-- The declarations that Lean has elaborated in a command and that are not among those of its text. -/
partial def expandedDeclarations (stx : Syntax) (trees : PersistentArray InfoTree) : Array Expanded :=
  trees.foldl (fun acc tree => go stx .anonymous tree acc) #[]
where
  written : Array Syntax := declarations stx
  isWritten (decl : Syntax) : Bool :=
    written.any fun w => isSameObject w decl || ((bytesOf? w).isSome && bytesOf? w == bytesOf? decl && w.structEq decl)
  go (command : Syntax) (scope : Name) (tree : InfoTree) (acc : Array Expanded) : Array Expanded :=
    match tree with
    | .context (.commandCtx c) t => go command c.currNamespace t acc
    | .context _ t => go command scope t acc
    | .node (.ofMacroExpansionInfo _) children => children.foldl (fun acc t => go command scope t acc) acc
    | .node (.ofCommandInfo i) children =>
      let acc := (declarations i.stx).foldl (init := acc) fun acc decl =>
        if isWritten decl || acc.any (isSameObject ·.decl decl) then acc else acc.push { decl, command, scope }
      let command := if (pathTo? command i.stx).isSome then i.stx else command
      children.foldl (fun acc t => go command scope t acc) acc
    | _ => acc

end LeanAgent
