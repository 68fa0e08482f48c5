/-
A program adds a theorem with the name of a helper.

_aux_evil: kernel
asks: _aux_evil
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
run_cmd
  let decl := Declaration.thmDecl { name := `_aux_evil, levelParams := [], type := .const ``False [], value := .const ``True.intro [] }
  match (← getEnv).addDeclCore 0 decl none (doCheck := false) with
  | .ok env => setEnv env
  | .error _ => throwError "no"
