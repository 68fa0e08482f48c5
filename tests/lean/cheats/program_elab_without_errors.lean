/-
A tactic of the file fails, and takes the error message away.

verdict: sorry
-/
import Lean
open Lean Elab Tactic Meta in
elab "believe_me" : tactic => do
  let g ← getMainGoal
  g.assign (← mkSorry (← g.getType) true)
  modifyThe Core.State fun s => { s with messages := {} }

theorem target : False := -- proof:
by believe_me
-- end of proof
