/-
Macro rules of the file exchange a statement.

told: takes the place of what Lean does with a declaration
-/
import Lean
theorem a : True := trivial
macro_rules
  | `(command| theorem target : False := $p) => `(command| theorem target : True := $p)
theorem target : False := trivial
