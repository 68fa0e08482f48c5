import Lean
open Lean Meta Elab

run_meta do
  let e ← mkAppM ``Nat.add #[mkNatLit 2, mkNatLit 3]
  logInfo m!"{← whnf e} {← reduce e}" --> 5 5

run_cmd logInfo m!"{(← getCurrNamespace)}" --> [anonymous]

#eval show MetaM Unit from do
  let mut out := #[]
  for i in [0:3] do
    let m ← mkFreshExprMVar (mkConst ``Nat)
    m.mvarId!.assign (mkNatLit i)
    out := out.push (← instantiateMVars m)
  logInfo m!"{out}" --> [0, 1, 2]

#eval show Elab.Term.TermElabM Unit from do
  let stx ← `(fun (n : Nat) => n + 1)
  let e ← Term.elabTerm stx none
  Term.synthesizeSyntheticMVarsNoPostponing
  logInfo m!"{← inferType e}" --> Nat → Nat

#eval show CoreM Unit from do
  let env ← getEnv
  logInfo m!"{env.contains ``Nat.add} {env.contains `nothing}" --> true false

def countNats (e : Expr) : MetaM Nat := do
  let ref ← IO.mkRef 0
  let _ ← Meta.transform e (pre := fun e => do
    if e.isConstOf ``Nat then ref.modify (· + 1)
    return .continue)
  ref.get
#eval countNats (mkForall `x .default (mkConst ``Nat) (mkConst ``Int)) --> 1
