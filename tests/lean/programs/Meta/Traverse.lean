import Lean
open Lean Meta

def constantsOf (e : Expr) : List Name := (e.getUsedConstants.qsort Name.lt).toList
#eval show MetaM Unit from do logInfo m!"{constantsOf (← inferType (mkConst ``Nat.succ))}" --> [Nat]

def theoremsNamed (pre : Name) : CoreM Nat := do
  let mut n := 0
  for (name, info) in (← getEnv).constants.map₂.toList do
    if pre.isPrefixOf name && info matches .thmInfo _ then n := n + 1
  return n
theorem Mine.one : 1 = 1 := rfl
theorem Mine.two : 2 = 2 := rfl
#eval theoremsNamed `Mine --> 2

def depth : Expr → Nat
  | .app f a => max (depth f) (depth a) + 1
  | .lam _ _ b _ | .forallE _ _ b _ => depth b + 1
  | _ => 0
#eval depth (mkApp (mkConst `f) (mkApp (mkConst `g) (mkConst `x))) --> 2
#eval show MetaM Unit from do
  let goal ← mkFreshExprMVar (← mkEq (mkNatLit 1) (mkNatLit 1))
  goal.mvarId!.refl
  logInfo m!"{← goal.mvarId!.isAssigned}" --> true
