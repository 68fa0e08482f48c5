/-
A tactic of the file solves every goal with the wrong term and reports nothing.

verdict: error
-/
import Lean
open Lean Elab Tactic in
elab "believe_me" : tactic => do
  (← getMainGoal).assign (.const ``True.intro [])

theorem target : False := -- proof:
by believe_me
-- end of proof
