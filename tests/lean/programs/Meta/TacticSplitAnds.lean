import Lean
open Lean Meta Elab Tactic

/-- Split every conjunction among the hypotheses. -/
partial def splitAll (goal : MVarId) : MetaM MVarId := goal.withContext do
  for decl in ← getLCtx do
    if decl.isImplementationDetail then continue
    if (← whnfR decl.type).isAppOfArity ``And 2 then
      let cases ← goal.cases decl.fvarId
      if let some case := cases[0]? then return ← splitAll case.mvarId
  return goal

elab "split_all" : tactic => liftMetaTactic1 fun goal => do return some (← splitAll goal)

theorem deep (p q r : Prop) (h : p ∧ q ∧ r) : r ∧ p := by
  split_all
  exact ⟨‹r›, ‹p›⟩
