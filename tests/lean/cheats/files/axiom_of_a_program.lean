/-
A program adds an axiom.

lies: axiom
target: axiom
-/
import Lean
open Lean Elab Command
run_cmd liftCoreM <| addDecl (.axiomDecl { name := `lies, levelParams := [], type := .const ``False [], isUnsafe := false })
theorem target : False := lies
