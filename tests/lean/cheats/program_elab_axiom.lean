/-
A tactic of the file adds an axiom and uses it.

verdict: forbidden
-/
import Lean
open Lean Elab Tactic in
elab "believe_me" : tactic => do
  addDecl (.axiomDecl { name := `conjured, levelParams := [], type := .const ``False [], isUnsafe := false })
  (← getMainGoal).assign (.const `conjured [])

theorem target : False := -- proof:
by believe_me
-- end of proof
