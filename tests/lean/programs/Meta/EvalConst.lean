import Lean
open Lean Meta

def secret : Nat := 41
#eval show MetaM Unit from do
  let n ← unsafe evalConst Nat ``secret
  logInfo m!"{n + 1}" --> 42
#eval show MetaM Unit from do
  let e ← mkAppM ``Nat.mul #[mkNatLit 6, mkNatLit 7]
  let n ← unsafe evalExpr Nat (mkConst ``Nat) e
  logInfo m!"{n}" --> 42
#eval show MetaM Unit from do
  let r ← simp (← mkAppM ``HAdd.hAdd #[mkNatLit 2, mkNatLit 2]) (← Simp.mkContext (simpTheorems := #[← getSimpTheorems])) #[(← Simp.getSimprocs)]
  logInfo m!"{r.1.expr}" --> 4
