/-
A program declares a definition past the kernel, and a theorem uses it.

wrong: kernel
target: kernel
-/
import Lean
open Lean Elab Command
run_cmd
  let decl := Declaration.defnDecl { name := `wrong, levelParams := [], type := .const ``False [], value := .const ``True.intro [], hints := .abbrev, safety := .safe }
  match (← getEnv).addDeclCore 0 decl none (doCheck := false) with
  | .ok env => setEnv env
  | .error _ => throwError "no"
theorem target : False := wrong
