/-
A program of the file puts a theorem into the environment that nobody has checked.

verdict: axiom
-/
import Lean
open Lean
run_cmd modifyEnv fun env =>
  match (env.addDeclCore 0 (.thmDecl { name := `wrong, levelParams := [], type := .const ``False [], value := .const ``True.intro [] }) none (doCheck := false)) with
  | .ok env => env
  | .error _ => env

theorem target : False := -- proof:
wrong
-- end of proof
