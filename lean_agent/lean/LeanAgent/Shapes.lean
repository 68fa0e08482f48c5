/-
What statements conclude, as seen from outside, and which of them may conclude a goal's target.
-/
import LeanAgent.Library
open Lean Meta

namespace LeanAgent

/-- What relates two things and says nothing of what they are. -/
def relations : List Name := [``Eq, ``HEq, ``Iff, ``Ne, ``Not, ``LE.le, ``LT.lt, ``Membership.mem]

/-- What a statement may speak of though the goal does not. -/
def spokenOfAnyway : List Name := relations ++
  [``GE.ge, ``GT.gt, ``And, ``Or, ``Exists, ``True, ``False, ``Decidable, ``ite, ``dite, ``HAdd.hAdd, ``HAppend.hAppend, ``OfNat.ofNat, ``BEq.beq,
   ``Nat, ``Bool, ``List, ``Option, ``Prod]

/-- A conclusion from outside: its relation or predicate, and the heads of the last two things that it is said of. -/
structure Shape where
  relation : Name
  left : Name
  right : Name
  deriving BEq, Hashable, Inhabited

namespace Shape

def of (conclusion : Expr) : Shape :=
  let args := conclusion.consumeMData.getAppArgs
  let head (back : Nat) : Name := if back ≤ args.size then headOf args[args.size - back]! else .anonymous
  match headOf conclusion with
  | ``GE.ge => ⟨``LE.le, head 1, head 2⟩
  | ``GT.gt => ⟨``LT.lt, head 1, head 2⟩
  | relation => ⟨relation, head 2, head 1⟩

/-- Whether a function stands in it: what is said of variables and constructors alone fits too much. -/
def isTelling (env : Environment) (s : Shape) : Bool :=
  let tells (n : Name) : Bool := !n.isAnonymous && n != ``OfNat.ofNat && !isConstructor env n
  if relations.contains s.relation then tells s.left || tells s.right else tells s.relation && !spokenOfAnyway.contains s.relation

/-- It, and those with variables in the place of what stands in it. -/
def generalizations (s : Shape) : List Shape :=
  [s, { s with right := .anonymous }, { s with left := .anonymous }, ⟨s.relation, .anonymous, .anonymous⟩].eraseDups

end Shape

/-- What stands before the arrows of a statement. -/
def conditionsOf : Expr → List Expr
  | .forallE _ d body _ => (if body.hasLooseBVar 0 then [] else [d]) ++ conditionsOf body
  | .mdata _ e => conditionsOf e
  | _ => []

/-- The two sides of an equivalence. -/
def sidesOf (conclusion : Expr) : List Expr :=
  match conclusion.consumeMData.getAppFnArgs with
  | (``Iff, #[left, right]) => [left, right]
  | _ => []

/-- Whether what a theorem concludes, or one side of it, is the target, up to the choice of its variables. -/
def mayConclude (target : Expr) (n : Name) : MetaM Bool := withoutModifyingState do
  try
    let (_, _, conclusion) ← forallMetaTelescope (← inferType (← mkConstWithFreshMVarLevels n))
    withReducibleAndInstances <| (conclusion :: sidesOf conclusion).anyM (isDefEq · target)
  catch e => if e.isInterrupt then throw e else return false

/-- The shortest names first: of several theorems that say nearly the same, that is the one which most proofs use. -/
def shortestFirst (ns : Array Name) : Array Name :=
  (ns.map fun n => ((toString n).utf8ByteSize, n)).qsort (fun a b => a.1 < b.1 || a.1 == b.1 && Name.lt a.2 b.2) |>.map (·.2)

/-- A table of lists, with one thing more in the list of a key. -/
def pushAt [BEq κ] [Hashable κ] (table : Std.HashMap κ (Array α)) (key : κ) (thing : α) : Std.HashMap κ (Array α) :=
  table.alter key fun known? => some ((known?.getD #[]).push thing)

/-- The first of each list, then the second of each, up to `most` without any twice. -/
def inTurn (lists : Array (Array Name)) (most : Nat) : Array Name := Id.run do
  let mut taken := #[]
  for place in List.range most do
    for ns in lists do
      if let some n := ns[place]? then
        if taken.size < most && !taken.contains n then taken := taken.push n
  return taken

end LeanAgent
