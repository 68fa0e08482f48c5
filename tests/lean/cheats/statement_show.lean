/-
`show` states what is not the goal.

verdict: error
-/
theorem target : False := -- proof:
by
  show True
  trivial
-- end of proof
