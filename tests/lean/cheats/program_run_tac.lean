/-
A tactic that is a program: it solves the goal with an unchecked term.

verdict: forbidden
-/
import Lean

theorem target : False := -- proof:
by run_tac do (← Lean.Elab.Tactic.getMainGoal).assign (.const ``True.intro [])
-- end of proof
