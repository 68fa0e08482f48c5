/-
A tactic of the file declares the theorem itself, with another statement.

verdict: error
-/
import Lean
open Lean Elab Tactic in
elab "believe_me" : tactic => do
  addDecl (.thmDecl { name := `target, levelParams := [], type := .const ``True [], value := .const ``True.intro [] })
  (← getMainGoal).assign (.const ``True.intro [])

theorem target : False := -- proof:
by believe_me
-- end of proof
