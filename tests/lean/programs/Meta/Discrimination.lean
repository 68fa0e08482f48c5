import Lean
open Lean Meta

def lookup (keys : List Expr) (e : Expr) : MetaM Nat := do
  let mut tree : DiscrTree Nat := {}
  for (k, i) in keys.zipIdx do
    tree ← tree.insert k i
  return (← tree.getMatch e).size
#eval lookup [mkConst ``Nat, mkConst ``Int] (mkConst ``Nat) --> 1
#eval show MetaM Unit from do
  let (ms, _, type) ← forallMetaTelescope (← getConstInfo ``Nat.add_comm).type
  logInfo m!"{ms.size} {type.isAppOfArity ``Eq 3}" --> 2 true
#eval show MetaM Unit from withLocalDeclD `x (mkConst ``Nat) fun x => do
  let e ← mkLambdaFVars #[x] (← mkAppM ``Nat.succ #[x])
  logInfo m!"{e}" --> fun x => x.succ
