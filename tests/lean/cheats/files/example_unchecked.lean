/-
A tactic in an example adds a lemma past the kernel.

example: kernel
asks: -
-/
import Lean
open Lean Elab Tactic in
elab "believe_me" : tactic => do
  let decl := Declaration.thmDecl { name := `conjured, levelParams := [], type := .const ``False [], value := .const ``True.intro [] }
  match (← getEnv).addDeclCore 0 decl none (doCheck := false) with
  | .ok env => setEnv env
  | .error _ => throwError "no"
  (← getMainGoal).assign (.const `conjured [])
theorem a : True := trivial
example : False := by believe_me
