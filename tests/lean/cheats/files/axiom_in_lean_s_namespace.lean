/-
An axiom among Lean's own names.

Nat.zero_eq_one: axiom
target: axiom
-/
axiom Nat.zero_eq_one : 0 = 1
theorem target : False := absurd Nat.zero_eq_one (by decide)
