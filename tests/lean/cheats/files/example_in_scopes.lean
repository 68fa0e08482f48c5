/-
An example under several `in`, whose hole is in a helper.

example: sorry
asks: -
-/
theorem a : True := trivial
open Nat in
set_option maxRecDepth 1000 in
example (n : Nat) : n = n + 1 := helper n
where helper (n : Nat) : n = n + 1 := sorry
