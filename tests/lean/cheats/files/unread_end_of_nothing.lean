/-
The end of a namespace that was never begun, so that what follows is elsewhere.

told: Invalid `end`
-/
theorem a : True := trivial
end N
theorem target : False := sorry
