/-
A local recursion has the hole.

target: sorry
-/
theorem target : 1 = 2 := by
  let rec go : (n : Nat) → 1 = 2
    | 0 => sorry
    | n + 1 => go n
  exact go 0
