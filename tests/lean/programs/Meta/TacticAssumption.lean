import Lean
open Lean Meta Elab Tactic

elab "my_assumption" : tactic => withMainContext do
  for decl in ← getLCtx do
    if decl.isImplementationDetail then continue
    if ← isDefEq decl.type (← getMainTarget) then
      closeMainGoal `my_assumption decl.toExpr
      return
  throwError "no hypothesis fits"

theorem found (p q : Prop) (_ : p) (hq : q) : q := by my_assumption
theorem nested (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  · my_assumption
  · my_assumption
