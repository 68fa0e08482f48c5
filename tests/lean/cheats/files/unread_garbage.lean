/-
Text that Lean does not parse; it goes on at the next command.

told: unexpected
asks: hidden
-/
theorem a : True := trivial
) theorem hidden : False := sorry
theorem b : True := trivial
