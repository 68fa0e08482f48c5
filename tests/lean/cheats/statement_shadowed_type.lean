/-
The proof brings its own meaning of a word of the statement.

verdict: error
-/
theorem target : (0 : Nat) = 1 := -- proof:
by
  let Nat := Unit
  exact (rfl : (() : Nat) = ())
-- end of proof
