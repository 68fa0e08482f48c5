/-
What the kernel is asked besides what elaboration asks it: constants checked once more, and the axioms that they rest on.
-/
import LeanAgent.Compat
import LeanAgent.Trust
open Lean

namespace LeanAgent

/-- What the kernel computes in its own way, or knows by name, and what says what a statement means. A file with `prelude`
may declare such a name anew, and then it is not what everybody takes it for. -/
def foundations : NameSet := .ofList
  [`Nat, `Nat.zero, `Nat.succ, `Nat.rec, `Nat.add, `Nat.sub, `Nat.mul, `Nat.div, `Nat.mod, `Nat.gcd, `Nat.beq, `Nat.ble, `Nat.land,
   `Nat.lor, `Nat.xor, `Nat.shiftLeft, `Nat.shiftRight, `Nat.pow, `Nat.log2, `Nat.pred, `String, `String.mk, `String.ofList, `String.ofByteArray,
   `Char, `Char.mk, `Char.ofNat, `List, `List.nil, `List.cons, `Bool, `Bool.true, `Bool.false, `Quot, `Quot.mk, `Quot.lift, `Quot.ind,
   `Eq, `Eq.refl, `Eq.rec, `HEq, `False, `True, `Not, `And, `Or, `Iff, `Exists, `Ne, `LE, `LT, `LE.le, `LT.lt, `Nat.le, `Nat.lt, `Int, `Fin,
   `OfNat, `OfNat.ofNat, `instOfNatNat, `HAdd.hAdd, `HSub.hSub, `HMul.hMul, `HDiv.hDiv, `HMod.hMod, `HPow.hPow, `Add.add, `Mul.mul,
   `instHAdd, `instHMul, `instAddNat, `instMulNat, `instLENat, `instLTNat, `BEq.beq, `Decidable, `Decidable.decide, `Subtype, `Prod, `Sigma, `Sum, `PUnit]

/-- A constant by its name. `Environment.find?` does not know the recursors that the kernel makes for what is nested in an
inductive type (`T.rec_1` for the lists of `T | node : List T → T`) where `addChecked` has added the type. -/
def constant? (env : Environment) (n : Name) : Option ConstantInfo :=
  env.find? n <|> env.constants.find? n

/-- Whether a constant is an axiom, or counts as one, and the constants that it uses. A constant of Lean's own library
counts by its name alone: the embedded build ships no proofs of its theorems, which therefore look like axioms. -/
def groundsOf (env : Environment) (unbelieved : NameSet) (n : Name) : Bool × Array Name :=
  if named.contains n then (true, #[])
  else if ofLibrary env n then (unbelieved.contains n, #[])
  else if foundations.contains n then (true, #[])
  else match constant? env n with
    | none => (true, #[])
    | some info =>
      let used := info.type.getUsedConstants ++ (match info.value? (allowOpaque := true) with | some v => v.getUsedConstants | none => #[])
      (info matches .axiomInfo _ || unbelieved.contains n, match info with | .inductInfo i => used ++ i.ctors.toArray | _ => used)
where
  named : List Name :=
    [``sorryAx, ``propext, ``Classical.choice, ``Quot.sound, `Lean.ofReduceBool, `Lean.ofReduceNat, `Lean.reduceBool, `Lean.reduceNat, `Lean.trustCompiler]

/-- The constants below some others, those too, each with what it is grounded on. No recursion: they may stand deep. -/
partial def constantsBelow (names : Array Name) (grounds : Name → Bool × Array Name) : Array (Name × Bool × Array Name) :=
  go names.reverse {} #[]
where
  go (todo : Array Name) (seen : NameSet) (found : Array (Name × Bool × Array Name)) : Array (Name × Bool × Array Name) :=
    match todo.back? with
    | none => found
    | some n =>
      if seen.contains n then go todo.pop seen found else
      let under := grounds n
      go (todo.pop ++ under.2.reverse) (seen.insert n) (found.push (n, under))

def standardAxioms : List Name := [``propext, ``Classical.choice, ``Quot.sound]

/-- An axiom by its name, and one that has taken the name of one of Lean's own by another. -/
def axiomName (env : Environment) (n : Name) : Name :=
  if standardAxioms.contains n && !ofLibrary env n then .str n "of another file" else n

/-- Axioms that some constants rest on, and whatever of `unbelieved` they use. -/
def axiomsOf (env : Environment) (names : Array Name) (unbelieved : NameSet := {}) : Array Name :=
  (constantsBelow names (groundsOf env unbelieved)).filterMap fun (n, isAxiom, _) => if isAxiom then some (axiomName env n) else none

/-- Whether a constant is an axiom that a project has stated: never Lean's own (`sorryAx` is one), nor what was declared past the kernel. -/
def isOwnAxiom (env : Environment) (unbelieved : NameSet) (n : Name) (info : ConstantInfo) : Bool :=
  info matches .axiomInfo _ && !(unbelieved.contains n || ofLibrary env n || groundsOf.named.contains n || foundations.contains n)

/-- Axioms of a project that a statement itself rests on: it says nothing without them, so its proofs may rest on them, too. -/
def axiomsOfStatement (env : Environment) (type : Expr) (unbelieved : NameSet) : List Name :=
  (constantsBelow type.getUsedConstants (groundsOf env unbelieved)).toList.filterMap fun (n, isAxiom, _) =>
    if isAxiom && (env.find? n).any (isOwnAxiom env unbelieved n) then some n else none

/-- Whether an axiom is another word for `sorry`: `∀ P, P`, or `False`. -/
def saysAnything : Expr → Bool
  | .forallE _ type body _ => type.isSort && saysAnything body
  | .mdata _ e => saysAnything e
  | e => e.isBVar || e.isConstOf ``False

/-- Whether a constant is an axiom on which proofs may rest, where a project's axioms are allowed at all. -/
def mayBeAllowed (env : Environment) (unbelieved : NameSet) (n : Name) (info : ConstantInfo) : Bool :=
  isOwnAxiom env unbelieved n info && !saysAnything info.type

/-- Such axioms that a project has stated so far, by name. -/
def ownAxioms (env : Environment) (unbelieved : NameSet) : Array Name := Id.run do
  let take (all : Array Name) (n : Name) (info : ConstantInfo) : Array Name := if mayBeAllowed env unbelieved n info then all.push n else all
  let mut all := #[]
  for (module, data) in env.header.moduleNames.zip env.header.moduleData do
    unless isCore module do all := data.constants.foldl (fun all info => take all info.name info) all
  return (env.constants.map₂.foldl take all).qsort Name.lt

/-- Of some constants and what is below them: those that have a `sorry` themselves. -/
def holesBelow (env : Environment) (names : Array Name) : Array Name :=
  (constantsBelow names (groundsOf env {})).filterMap fun (n, _, used) => if used.contains ``sorryAx then some n else none

/-- Of some constants and what is below them: those that rest on other axioms than the standard ones, with these.
`imported?`: what is known of imported constants, below which nothing is looked at then. -/
partial def restingOn (env : Environment) (names : Array Name) (unbelieved : NameSet) (imported? : Option (NameMap (List Name)) := none) :
    NameMap (List Name) :=
  let known := imported?.getD {}
  let below := constantsBelow names fun n =>
    let (isAxiom, used) := groundsOf env unbelieved n
    if imported?.isSome && (env.getModuleIdxFor? n).isSome then (isAxiom || known.contains n, #[]) else (isAxiom, used)
  let bad := below.filterMap fun (n, isAxiom, _) => if isAxiom && !standardAxioms.contains (axiomName env n) then some n else none
  if bad.isEmpty then {} else
  let users : NameMap (List Name) := below.foldl (init := {}) fun users (n, _, used) =>
    used.foldl (fun users u => users.insert u (n :: (users.find? u).getD [])) users
  bad.foldl (init := {}) fun found n => ((known.find? n).getD [n]).foldl (fun found a => mark users a [n] found) found
where
  mark (users : NameMap (List Name)) (a : Name) (todo : List Name) (found : NameMap (List Name)) : NameMap (List Name) :=
    match todo with
    | [] => found
    | n :: rest =>
      let known := (found.find? n).getD []
      if known.contains a then mark users a rest found
      else mark users a ((users.find? n).getD [] ++ rest) (found.insert n (a :: known))

unsafe def isSameObjectUnsafe {α : Type u} (a b : α) : Bool := ptrAddrUnsafe a == ptrAddrUnsafe b

/-- Whether two values are one object in memory. If not, they may still be equal. -/
@[implemented_by isSameObjectUnsafe]
def isSameObject {α : Type u} (_ _ : α) : Bool := false

/-- Entries of a persistent map that an earlier one, which it grew out of, does not hold: what both share is passed over. -/
partial def grown {α β : Type} (before after : PersistentHashMap.Node α β) (acc : Array (α × β)) : Array (α × β) :=
  if isSameObject before after then acc else
  match after with
  | .collision keys values _ => acc ++ keys.zip values
  | .entries entries => entries.zipIdx.foldl (init := acc) fun acc (entry, i) => match entry with
    | .null => acc
    | .ref node => grown (nodeAt i) node acc
    | .entry key value => if isAt key i then acc else acc.push (key, value)
where
  earlier : Array (PersistentHashMap.Entry α β (PersistentHashMap.Node α β)) := match before with
    | .entries entries => entries
    | .collision .. => #[]
  nodeAt (i : Nat) : PersistentHashMap.Node α β := match earlier[i]? with
    | some (.ref node) => node
    | _ => .entries #[]
  isAt (key : α) (i : Nat) : Bool := match earlier[i]? with
    | some (.entry known _) => isSameObject known key
    | _ => false

/-- Constants that `after` has and `before` has not. -/
def addedConstants (before after : Environment) : Array (Name × ConstantInfo) :=
  let (old, new) := (before.constants.map₂, after.constants.map₂)
  if isSameObject old new then #[] else
  (grown old.root new.root #[]).filter fun (n, _) => !old.contains n

/-- Have the kernel accept, one after the other, what a command added, starting from the environment before it. Nothing
that elaboration says is believed: not its environment, not its options. Fails as `kernel`, `axiom` or `timeout`. -/
partial def replay (before : Environment) (added : Array (Name × ConstantInfo)) (cancel? : Option IO.CancelToken := none) :
    Except Failure Environment := do
  let table : NameMap ConstantInfo := added.foldl (fun m (n, i) => m.insert n i) {}
  let mut env := before
  let mut done : NameSet := {}
  for (n, _) in added do (env, done) ← add table n (env, done)
  return env
where
  add (table : NameMap ConstantInfo) (n : Name) (acc : Environment × NameSet) : Except Failure (Environment × NameSet) := do
    let refuse {α : Type} (reason : String) : Except Failure α := throw ⟨"kernel", reason⟩
    let (env, done) := acc
    if done.contains n then return acc
    let some info := table.find? n | return acc
    let mut state := (env, done.insert n)
    let used := info.type.getUsedConstants ++ (match info.value? (allowOpaque := true) with | some v => v.getUsedConstants | none => #[])
    for u in used do state ← add table u state
    let (env, done) := state
    let decl ← match info with
      | .thmInfo v => pure (Declaration.thmDecl v)
      -- what compiled recursion runs in the place of a definition: nothing that is safe may use it, or the kernel refuses that
      | .defnInfo { name := .str _ "_unsafe_rec", .. } => return (env, done)
      | .defnInfo v => if v.safety == .safe then pure (Declaration.defnDecl v) else refuse s!"`{n}` is unsafe or partial"
      | .opaqueInfo v => if v.isUnsafe then refuse s!"`{n}` is unsafe" else pure (Declaration.opaqueDecl v)
      | .axiomInfo _ => throw ⟨"axiom", s!"the proof adds the axiom `{n}`"⟩
      | _ => refuse s!"the proof adds the inductive type or constructor `{n}`"
    match addChecked env 0 decl cancel? with
    | .ok env => return (env, done)
    | .error .interrupted => throw ⟨"timeout", "stopped at the time limit"⟩
    | .error _ => refuse s!"the kernel refuses `{n}`"

/-- Whether an inductive type or a recursor is, in every field, what the kernel has made itself of the declaration. An
unsafe one is not given to the kernel; nothing that is safe may use it. -/
def isMade (claimed : ConstantInfo) (made? : Option ConstantInfo) : Bool :=
  match claimed, made? with
  | .recInfo r, some (.recInfo made) => r == made
  | .inductInfo i, some (.inductInfo made) =>
    i.toConstantVal == made.toConstantVal && i.numParams == made.numParams && i.numIndices == made.numIndices && i.all == made.all
      && i.ctors == made.ctors && i.numNested == made.numNested && i.isRec == made.isRec && i.isUnsafe == made.isUnsafe
      && i.isReflexive == made.isReflexive
  | .recInfo _, _ | .inductInfo _, _ => claimed.isUnsafe && made?.isNone
  | _, _ => true

/-- Theorems and definitions that a command has added and the kernel refuses: its programs have gone past it. -/
def refused (before after : Environment) : IO (Array Name) := do
  let added := addedConstants before after
  -- Lean's own replay cannot find recursors of what is nested (`constant?`), so it is given none and they are compared here
  let table : Std.HashMap Name ConstantInfo := added.foldl (fun t (n, i) => if i matches .recInfo _ then t else t.insert n i) {}
  match ← (replayAll before table).toBaseIO with
  | .ok made? => return if added.all fun (n, i) => isMade i (made? n) then #[] else added.map (·.1)
  | .error _ => return added.map (·.1)

end LeanAgent
