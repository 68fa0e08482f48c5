/-
A local function is made the elaborator of a tactic.

verdict: forbidden
-/
import Lean

theorem target : False := -- proof:
by
  let rec @[tactic Lean.Parser.Tactic.tacticRfl] mine : Lean.Elab.Tactic.Tactic := fun _ => pure ()
  rfl
-- end of proof
