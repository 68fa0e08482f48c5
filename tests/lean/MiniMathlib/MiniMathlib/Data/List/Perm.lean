import MiniMathlib.Data.List.Basic
import MiniMathlib.Data.Nat.Sum

namespace MiniMathlib.List
mutual
/-- Trees. -/
inductive Tree where
  | node : Forest → Tree
/-- Forests. -/
inductive Forest where
  | nil : Forest
  | cons : Tree → Forest → Forest
end

lemma perm_swap (a b : Nat) (xs : List Nat) : (a :: b :: xs).length = (b :: a :: xs).length := by
  rfl

lemma foldl_add (xs : List Nat) (n : Nat) : xs.foldl (· + ·) n = n + xs.foldl (· + ·) 0 := by
  induction xs generalizing n with
  | nil => rfl
  | cons x xs ih =>
    simp only [List.foldl]
    rw [ih (n + x), ih (0 + x)]
    omega
end MiniMathlib.List
