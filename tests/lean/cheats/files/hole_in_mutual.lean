/-
Two theorems prove each other, one with a hole.

target: sorry
-/
mutual
theorem target : ∀ n : Nat, n = n + 1
  | n => other n
theorem other : ∀ n : Nat, n = n + 1
  | _ => sorry
end
