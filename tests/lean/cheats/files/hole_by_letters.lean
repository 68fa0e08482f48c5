/-
The name of the hole is put together from letters.

target: sorry
-/
import Lean
open Lean Elab Term in
elab "fine" : term <= type => return mkApp2 (.const (.mkSimple (String.ofList ['s', 'o', 'r', 'r', 'y', 'A', 'x'])) [.zero]) type (mkConst ``false)
theorem target : False := fine
