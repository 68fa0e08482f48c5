/-
A theorem is its own proof.

target: error
-/
theorem target : False := target
