/-
A program declares an opaque constant past the kernel, and a theorem uses it.

wrong: kernel
target: kernel
-/
import Lean
open Lean Elab Command
run_cmd
  let decl := Declaration.opaqueDecl { name := `wrong, levelParams := [], type := .const ``False [], value := .const ``True.intro [], isUnsafe := false, all := [] }
  match (← getEnv).addDeclCore 0 decl none (doCheck := false) with
  | .ok env => setEnv env
  | .error _ => throwError "no"
theorem target : False := wrong
