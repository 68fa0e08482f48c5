import Lean
open Lean Meta Elab Tactic Term

syntax (name := useAll) "use_all " term,+ : tactic

@[tactic useAll] def evalUseAll : Tactic := fun stx => do
  match stx with
  | `(tactic| use_all $ts,*) =>
    for t in ts.getElems do
      evalTactic (← `(tactic| refine ⟨$t, ?_⟩))
  | _ => throwUnsupportedSyntax

theorem two : ∃ a b : Nat, a + b = 5 ∧ a < b := by
  use_all 2, 3
  decide

elab "trace_type " e:term : tactic => withMainContext do
  let e ← Tactic.elabTerm e none
  logInfo m!"{e} : {← inferType e}"

theorem seen (n : Nat) (h : n = n) : True := by
  trace_type h --> h : n = n
  trivial
