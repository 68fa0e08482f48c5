import Lean
open Lean Meta Elab Tactic

namespace Shared

/-- Half of an even number, by a loop. -/
def half (n : Nat) : Nat := Id.run do
  let mut m := 0
  for i in [0:n] do
    if i % 2 == 0 then m := m + 1
  return m

private def firstFitting (target : Expr) : MetaM (Option Expr) := do
  for decl in ← getLCtx do
    if decl.isImplementationDetail then continue
    if ← isDefEq decl.type target then return some decl.toExpr
  return none

elab "find_it" : tactic => withMainContext do
  match ← firstFitting (← getMainTarget) with
  | some e => closeMainGoal `find_it e
  | none => throwError "nothing fits"

macro "find_all" : tactic => `(tactic| (repeat' constructor) <;> find_it)

syntax "max_of " term,+ : term
macro_rules
  | `(max_of $x) => `($x)
  | `(max_of $x, $xs,*) => `(max $x (max_of $xs,*))

scoped notation "⟪" x "⟫" => half x

def twiceOf (n : Nat) : Nat := 2 * n

simproc_decl reduceTwiceOf (twiceOf _) := fun e => do
  let_expr twiceOf n ← e | return .continue
  let some n ← Nat.fromExpr? n | return .continue
  return .done { expr := mkNatLit (2 * n), proof? := some (← mkEqRefl (mkNatLit (2 * n))) }

end Shared
