import MiniMathlib.Data.Nat.Basic

namespace MiniMathlib.Nat
/-- The sum of the numbers below `n`. -/
def sumBelow : Nat → Nat
  | 0 => 0
  | n + 1 => sumBelow n + n

@[simp] lemma sumBelow_zero : sumBelow 0 = 0 := rfl
@[simp] lemma sumBelow_succ (n : Nat) : sumBelow (n + 1) = sumBelow n + n := rfl

lemma twice_sumBelow (n : Nat) : 2 * sumBelow (n + 1) = n * n + n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumBelow_succ, Nat.mul_add, ih, square_succ]
    omega
end MiniMathlib.Nat
