/-
A program adds a constant below the name of an honest theorem.

a.evil: kernel
asks: a.evil
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
run_cmd
  let decl := Declaration.thmDecl { name := `a.evil, levelParams := [], type := .const ``False [], value := .const ``True.intro [] }
  match (← getEnv).addDeclCore 0 decl none (doCheck := false) with
  | .ok env => setEnv env
  | .error _ => throwError "no"
