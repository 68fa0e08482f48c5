/-
A hole, and Lean is told to say nothing of it.

target: sorry
-/
set_option warn.sorry false
theorem target : False := sorry
