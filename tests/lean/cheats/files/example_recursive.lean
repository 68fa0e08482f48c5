/-
An example by recursion that does not end.

example: sorry
asks: -
-/
theorem a : True := trivial
example : (n : Nat) → n = n + 1 := f
where
  f (n : Nat) : n = n + 1 := absurd (f (n + 1)) (by omega)
  termination_by n
  decreasing_by sorry
