/-
A parser of the file makes the rest of the text what Lean takes for its end.

told: what follows was not read
-/
import Lean
open Lean Parser
theorem a : True := trivial
@[command_parser] def eat : Parser := node ``Lean.Parser.Command.eoi (symbol "over")
/-! The end. -/
over theorem target : False := sorry
