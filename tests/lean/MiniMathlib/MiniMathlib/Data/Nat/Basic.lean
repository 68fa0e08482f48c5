import MiniMathlib.Order.Basic

namespace MiniMathlib.Nat
lemma add_zero_left (n : Nat) : 0 + n = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [← Nat.add_assoc, ih]

lemma lt_of_double {n m : Nat} (h : 2 * n < 2 * m) : n < m := by omega

theorem square_succ (n : Nat) : (n + 1) * (n + 1) = n * n + 2 * n + 1 := by
  calc (n + 1) * (n + 1) = n * (n + 1) + 1 * (n + 1) := Nat.add_mul ..
    _ = n * n + n + (n + 1) := by rw [Nat.mul_add, Nat.mul_one, Nat.one_mul]
    _ = n * n + 2 * n + 1 := by omega
end MiniMathlib.Nat
