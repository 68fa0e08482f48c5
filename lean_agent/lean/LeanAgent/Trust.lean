/-
What a text may say: in a proof, where it could cheat; in a file, where it could run a program. Decided on syntax, before any
of it is elaborated; of instances on their classes, before a later command can use them.
-/
import Lean
open Lean Elab

namespace LeanAgent

/-- Why something did not work; `kind` is a word of the Python side's `FailureKind`. -/
structure Failure where
  kind : String
  message : String

/-- Modules of Lean's own library. No project file may take such a name: what they hold is trusted. -/
def isCore (module : Name) : Bool :=
  [`Init, `Std, `Lean, `Lake].contains module.getRoot

/-- Whether a constant is one of Lean's own library. -/
def ofLibrary (env : Environment) (n : Name) : Bool :=
  (env.getModuleIdxFor? n).any fun i => isCore env.header.moduleNames[i.toNat]!

/-- Words that stand for a value of a tactic's configuration: `.all`. -/
def configurationWords : List Name :=
  [`all, `default, `reducible, `instances, `none, `pos, `neg, `nonDependentFirst, `nonDependentOnly]

/-- What a test says of the first node of a tree of syntax of which it says anything, the root before what is below it, from
left to right. A loop: where interpreted code calls itself for each level of a tree, a proof of some thousand nested terms
fills the stack. -/
partial def firstNode? (root : Syntax) (test : Syntax → Option α) : Option α := go [root]
where
  go : List Syntax → Option α
    | [] => none
    | node :: rest => match test node with
      | some answer => some answer
      | none => go (node.getArgs.foldr (· :: ·) rest)

/-- The nodes of a tree of syntax that pass a test, from left to right. Nothing below one of them is looked at, nor below a
node that is left out. A loop, as above. -/
partial def nodesWhere (root : Syntax) (test : Syntax → Bool) (leaveOut : Syntax → Bool := fun _ => false) : Array Syntax :=
  go [root] #[]
where
  go (todo : List Syntax) (nodes : Array Syntax) : Array Syntax :=
    match todo with
    | [] => nodes
    | node :: rest =>
      if leaveOut node then go rest nodes
      else if test node then go rest (nodes.push node)
      else go (node.getArgs.foldr (· :: ·) rest) nodes

def anyNode (root : Syntax) (test : Syntax → Bool) : Bool := (firstNode? root fun node => if test node then some () else none).isSome

/-- A value of a tactic's configuration that computes nothing, since Lean runs such a value as a program: numbers, `true`
and `false`, words such as `.all`, and structures and lists of these. -/
partial def isPlainValue (stx : Syntax) : Bool := go [stx]
where
  go : List Syntax → Bool
    | [] => true
    | .missing :: _ => false
    | .atom .. :: rest => go rest
    | .ident _ _ n _ :: rest => if n.eraseMacroScopes == `true || n.eraseMacroScopes == `false then go rest else false
    | .node _ kind args :: rest =>
      if kind == ``Parser.Term.structInstLVal then go rest
      else if kind == ``Parser.Term.dotIdent then
        if configurationWords.contains (args[1]?.map (·.getId.eraseMacroScopes) |>.getD .anonymous) then go rest else false
      else if plainKinds.contains kind then go (args.foldr (· :: ·) rest) else false
  plainKinds : List Name :=
    [nullKind, numLitKind, strLitKind, hygieneInfoKind, ``Parser.Term.structInst, ``Parser.Term.structInstFields,
     ``Parser.Term.structInstField, ``Parser.Term.structInstFieldDef, ``Parser.Term.optEllipsis, ``Parser.Term.paren,
     ``Parser.Term.app, `«term[_]»]

/-- Options that change neither what is checked nor who checks it. -/
def isHarmlessOption (option : Name) : Bool :=
  [`maxRecDepth, `maxHeartbeats, `synthInstance.maxHeartbeats, `synthInstance.maxSize, `autoImplicit, `relaxedAutoImplicit, `warningAsError].contains option
    || [`pp, `linter, `format].contains option.getRoot

/-- The names of a list of attributes, without `local`, `scoped` and `-`. -/
def attributeNames (list : Syntax) : Array Name :=
  list.getSepArgs.map fun item =>
    let entry := if item.getKind == ``Parser.Term.attrInstance || item.getKind == ``Parser.Command.eraseAttr then item[1] else item
    match entry with
    | .ident _ _ n _ => n.eraseMacroScopes
    | _ => match entry[0] with
      | .atom _ word => .mkSimple word
      | other => other.getId.eraseMacroScopes

/-- Whether a word is in a piece of syntax, alone or as the last part of a name. -/
def hasWord (word : Name) (stx : Syntax) : Bool :=
  anyNode stx fun s => s.isIdent && word.isSuffixOf s.getId.eraseMacroScopes

/-- Whether a constructor or a field is given that name; what a type says with it is no matter. -/
def namesPart (word : Name) (stx : Syntax) : Bool :=
  anyNode stx fun s => partKinds.contains s.getKind && s.getArgs.any fun part => isThat part || part.getArgs.any isThat
where
  isThat (s : Syntax) : Bool := s.isIdent && word.isSuffixOf s.getId.eraseMacroScopes
  partKinds : List Name :=
    [``Parser.Command.ctor, ``Parser.Command.structCtor, ``Parser.Command.structSimpleBinder, ``Parser.Command.structExplicitBinder,
     ``Parser.Command.structImplicitBinder, ``Parser.Command.structInstBinder]

/-- What is wrong with a piece of syntax in a proof: it could leave a hole, trust more than the kernel, or run a program
of its own. `attributes` may be given to what it declares. -/
def offence? (attributes : List Name) (s : Syntax) : Option Failure :=
  let kind := s.getKind
  if kind == ``Parser.Term.sorry || kind == ``Parser.Tactic.tacticSorry || kind == ``Parser.Tactic.tacticAdmit
      || kind == `Lean.Parser.Tactic.tacticStop_ then
    some ⟨"sorry", "the proof has a hole: `sorry`, `admit` and `stop` are no proof"⟩
  else if programKinds.contains kind || widgetRoots.any (·.isPrefixOf kind) then notAllowed
  else if kind == ``Parser.Tactic.set_option || kind == ``Parser.Term.set_option || kind == ``Parser.Command.set_option then
    let option := s[1].getId.eraseMacroScopes
    if isHarmlessOption option then none else some ⟨"forbidden", s!"not allowed in a proof: `set_option {option}`"⟩
  else if kind == `Lean.Parser.Tactic.posConfigItem && s[1].getId.eraseMacroScopes == `native then notAllowed
  else if kind == `Lean.Parser.Tactic.valConfigItem || kind == `Lean.Parser.Tactic.config then
    if isPlainValue s[3] && !hasWord `native s then none else notAllowed        -- `(`, name, `:=`, value, `)`
  else if kind == ``Parser.Command.openRenamingItem && (hasWord `true s || hasWord `false s) then notAllowed
  else if kind == ``Parser.Term.attributes then
    if (attributeNames s[1]).all attributes.contains then none else notAllowed
  else match s with
    | .ident _ _ n _ =>
      let n := n.eraseMacroScopes
      if bannedNames.any (fun b => b.isSuffixOf n) then some ⟨if n == ``sorryAx then "sorry" else "forbidden", s!"not allowed in a proof: `{n}`"⟩ else none
    | _ => none
where
  notAllowed : Option Failure :=
    some ⟨"forbidden", s!"not allowed in a proof: `{(s.reprint.getD (toString s.getKind)).trimAscii}`"⟩
  programKinds : List Name :=
    [``Parser.Tactic.nativeDecide, `Lean.Parser.Tactic.nativeDecide, `Lean.Parser.Tactic.runTac, `Lean.runTac,
     `Lean.Elab.Tactic.runTac, `Lean.Parser.Term.byElab, `Lean.byElab, `Lean.Parser.Term.runElab, `Lean.runElab,
     `Lean.Elab.runTermElab, `Lean.Parser.Term.unsafe, `Lean.Parser.Term.runMeta, `Lean.Parser.Command.eval,
     `Lean.includeStr, `Lean.Parser.Term.includeStr, `Lake.DSL.runIO]
  widgetRoots : List Name := [`Lean.Widget, `ProofWidgets]
  bannedNames : List Name :=
    [``sorryAx, `Lean.ofReduceBool, `Lean.reduceBool, `Lean.reduceNat, `Lean.ofReduceNat, `Lean.trustCompiler,
     `ofReduceBool, `reduceBool, `ofReduceNat, `reduceNat, `trustCompiler, `lcProof, `lcUnreachable, `lcAny,
     `unsafeCast, `unsafeIO, `unsafeBaseIO, `unsafeEIO, `ptrAddrUnsafe,
     `autoParam]                                           -- a value of `Syntax` becomes the text of a proof, unread

/-- What is forbidden in a proof or a tactic. -/
def forbidden? (stx : Syntax) : Option Failure := firstNode? stx (offence? [`simp, `reducible])

def instanceAttributes : List Name := [`instance, `default_instance]

/-- Why a command of a file cannot be taken for plain mathematics: it may run a program that is not Lean's own, now or when
later commands use what it declares. Such a program could write over this process's memory. -/
partial def program? (command : Syntax) : Option String := go [command]
where
  /-- A loop: commands may stand below any number of `… in`. -/
  go : List Syntax → Option String
    | [] => none
    | command :: rest =>
      let kind := command.getKind
      if kind == ``Parser.Command.in then go (command[0] :: command[2] :: rest)
      else if kind == ``Parser.Command.mutual then go (command[1].getArgs.foldr (· :: ·) rest)
      else if kind == nullKind then go (command.getArgs.foldr (· :: ·) rest)
      else match ofCommand kind command with
        | some program => some program
        | none => go rest
  ofCommand (kind : Name) (command : Syntax) : Option String :=
  if !plainCommands.contains kind then some (toString kind)
  else if kind == ``Parser.Command.declaration && typeKinds.contains command[1].getKind && (namesPart `true command || namesPart `false command) then
    some "a name of Lean's own"                           -- a field `true` is what `true` means in its namespace
  else if kind == ``Parser.Command.attribute && !(attributeNames command[2]).all fun a => plainAttributes.contains a && !instanceAttributes.contains a then
    some "attribute"
  else firstNode? command inside
  inside (s : Syntax) : Option String :=
    if s.getKind == ``Parser.Command.unsafe then some "unsafe" else
    -- what a number, or `true`, in a tactic's configuration means could be changed by these
    if s.isIdent && [`OfNat, `OfScientific].any (·.isSuffixOf s.getId.eraseMacroScopes) then some "OfNat" else
    -- in a notation, a macro that is run; and a parser that is not one of Lean's own categories may be anybody's
    if s.isAnyAntiquot then some "an antiquotation" else
    if s.getKind == ``Parser.Syntax.cat && !categories.contains s[0].getId.eraseMacroScopes then some "a parser" else
    if s.getKind == ``Parser.Command.declId && [`true, `false].any (·.isSuffixOf s[0].getId) then some "a name of Lean's own" else
    match offence? plainAttributes s with
    | some failure => if failure.kind == "sorry" then none else some failure.message
    | none => none
  categories : List Name := [`term, `tactic, `command, `level, `attr, `conv, `doElem]
  typeKinds : List Name := [``Parser.Command.structure, ``Parser.Command.inductive, ``Parser.Command.classInductive, ``Parser.Command.coinductive]
  plainCommands : List Name :=
    [``Parser.Command.declaration, ``Parser.Command.namespace, ``Parser.Command.section, ``Parser.Command.end, ``Parser.Command.open,
     ``Parser.Command.export, ``Parser.Command.variable, ``Parser.Command.universe, ``Parser.Command.set_option,
     ``Parser.Command.attribute, ``Parser.Command.check, ``Parser.Command.check_failure, `Lean.reduceCmd, `Lean.Parser.Command.reduce,
     ``Parser.Command.print, ``Parser.Command.printAxioms, ``Parser.Command.synth, ``Parser.Command.moduleDoc,
     ``Parser.Command.include, ``Parser.Command.omit, ``Parser.Command.mixfix, ``Parser.Command.notation, ``Parser.Command.syntax,
     ``Parser.Command.syntaxAbbrev, ``Parser.Command.syntaxCat, ``Parser.Command.deriving, ``Parser.Command.addDocString,
     ``Parser.Command.eoi, ``Parser.Command.exit]
  plainAttributes : List Name :=
    [`simp, `ext, `reducible, `irreducible, `semireducible, `inline, `noinline, `always_inline, `macro_inline, `specialize, `nospecialize,
     `instance, `default_instance, `class, `match_pattern, `elab_as_elim, `elab_without_expected_type, `induction_eliminator,
     `cases_eliminator, `refl, `symm, `trans, `congr, `coe, `norm_cast, `push_cast, `grind, `spec, `deprecated, `inherit_doc, `unbox,
     `expose, `elabAsElim, `simpArith]

/-- Whether a new constant would be taken for what plain values of a tactic's configuration are written with: `true`,
wherever it stands, and `.all` among the names of a type of Lean's own. -/
def isConfigurationName (env : Environment) (name : Name) : Bool :=
  match privateToUserName name with
  | .str space word => word == "true" || word == "false" || (configurationWords.contains (.mkSimple word) && ofLibrary env space)
  | _ => false

/-- Whether such a word is in a command: no more need be asked of most. -/
def hasConfigurationWord (command : Syntax) : Bool :=
  anyNode command fun s => s.isIdent && match s.getId.eraseMacroScopes with
    | .str _ word => word == "true" || word == "false" || configurationWords.contains (.mkSimple word)
    | _ => false

/-- Whether a `sorry` stands in a command, or another word for it. -/
def hasHole (command : Syntax) : Bool := anyNode command fun s => (offence? [] s).any (·.kind == "sorry")

/-- Whether a declaration may make an instance. -/
def makesInstance (command : Syntax) : Bool :=
  anyNode command fun s => s.getKind == ``Parser.Command.instance || s.getKind == ``Parser.Command.extends
    || s.getKind == ``Parser.Term.attributes && (attributeNames s[1]).any instanceAttributes.contains

/-- Whether an instance of this type may be taken by what is Lean's own, which would run it: what a numeral in a tactic's
configuration is, what becomes of a value of another type, how a notation's macro is run. It may not if its class is one of
mathematics or the project's own, or if it is about a type that the project has made, and of nothing that Lean's own programs
are made of. -/
partial def isOfConfiguration (env : Environment) (type : Expr) : Bool :=
  let result := type.consumeMData.getForallBody
  match result.getAppFn with
  | .const name _ =>
    !isClass env name && !predicates.contains name || classes.contains name || type.getUsedConstants.any (`Lean).isPrefixOf
      || (ofLibrary env name && !mathematical.contains name && !result.getAppArgs.any isOwnType)
  | _ => true
where
  /-- By a constant that nothing unfolds. -/
  isOwnType (e : Expr) : Bool := isAnyOwn [e]
  isAnyOwn : List Expr → Bool
    | [] => false
    | e :: rest => match e.getAppFn with
      | .const n _ =>
        if !(env.find? n matches some (.inductInfo _)) then isAnyOwn rest
        else if !ofLibrary env n then true else isAnyOwn (e.getAppArgs.foldr (· :: ·) rest)
      | _ => isAnyOwn rest
  predicates : List Name := [``DecidableEq, ``DecidablePred, ``DecidableRel]       -- of `Decidable`, by other names
  mathematical : List Name :=
    predicates ++ [``Decidable, ``Inhabited, ``Nonempty, ``Subsingleton, ``BEq, ``LawfulBEq, ``ReflBEq, ``EquivBEq, ``Hashable, ``LawfulHashable, ``Repr,
     ``ToString, ``Ord, ``LE, ``LT, ``Min, ``Max, ``Add, ``Sub, ``Mul, ``Div, ``Mod, ``Neg, ``Inv, ``Pow, ``NatPow, ``HomogeneousPow, ``SMul, ``Dvd,
     ``HAdd, ``HSub, ``HMul, ``HDiv, ``HMod, ``HPow, ``HSMul, ``Append, ``HAppend, ``AndOp, ``OrOp, ``XorOp, ``Complement, ``HasSubset,
     ``HasSSubset, ``Union, ``Inter, ``SDiff, ``EmptyCollection, ``Singleton, ``Insert, ``Membership, ``Setoid, ``HasEquiv, ``Trans,
     ``WellFoundedRelation, ``SizeOf, ``Std.Associative, ``Std.Commutative, ``Std.IdempotentOp, ``Std.LawfulIdentity, ``Std.Refl,
     ``Std.Symm, ``Std.Antisymm, ``Std.Irrefl, ``Std.Total]
  classes : List Name :=
    [``OfNat, ``OfScientific, ``NatCast, ``IntCast, ``Coe, ``CoeTC, ``CoeOut, ``CoeOTC, ``CoeHead, ``CoeHTC, ``CoeTail, ``CoeHTCT,
     ``CoeDep, ``CoeT, ``CoeFun, ``CoeSort]

end LeanAgent
