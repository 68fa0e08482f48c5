/-
The type of a constructor has a hole.

sorry
-/
structure S where
  value : Nat
  isSmall : value < (sorry : Nat)
theorem target (s : S) : s.value < s.value + 1 := Nat.lt_succ_self _
