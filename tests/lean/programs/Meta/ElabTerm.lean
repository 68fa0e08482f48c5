import Lean
open Lean Meta Elab Term

elab "name_of " x:ident : term => return mkStrLit (toString (← realizeGlobalConstNoOverload x))
#eval name_of Nat.succ --> "Nat.succ"

syntax (name := listLit) "⟦" term,* "⟧" : term
@[term_elab listLit] def elabListLit : TermElab := fun stx expected? => do
  match stx with
  | `(⟦ $xs,* ⟧) => do
    let es ← (xs.getElems.toList).mapM fun x => elabTermEnsuringType x.raw (some (mkConst ``Nat))
    synthesizeSyntheticMVarsNoPostponing
    mkListLit (mkConst ``Nat) es
  | _ => throwUnsupportedSyntax
#eval ⟦1, 2, 3⟧.length --> 3

elab "count_args! " f:term : term <= _expected => do
  let f ← elabTerm f none
  let n ← forallTelescope (← inferType f) fun xs _ => return xs.size
  return mkNatLit n
#eval (count_args! Nat.add : Nat) --> 2
