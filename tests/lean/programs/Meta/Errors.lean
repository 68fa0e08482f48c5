import Lean
open Lean Elab Tactic

elab "always_fails" : tactic => throwError "this tactic always fails"
theorem recovered : True := by first | always_fails | trivial

elab "try_twice " t:tactic : tactic => do
  try evalTactic t catch _ => evalTactic (← `(tactic| trivial))
theorem caught : True := by try_twice always_fails

elab "warned" : tactic => do
  logWarning "careful"
  evalTactic (← `(tactic| trivial))
theorem warning : True := by warned --> careful
