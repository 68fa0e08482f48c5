import Arithmetic.Functions

/-!
Sums over an initial segment of the natural numbers.
-/

namespace Arithmetic

/-- `0 + 1 + … + n` -/
def sumTo : Nat → Nat
  | 0 => 0
  | n + 1 => sumTo n + (n + 1)

/-- The sum of the first `n` odd numbers. -/
def sumOdd : Nat → Nat
  | 0 => 0
  | n + 1 => sumOdd n + (2 * n + 1)

/-- The sum of the first `n` even numbers. -/
def sumEven : Nat → Nat
  | 0 => 0
  | n + 1 => sumEven n + 2 * n

def sumPow2 : Nat → Nat
  | 0 => 0
  | n + 1 => sumPow2 n + pow2 n

/-- `f 0 + f 1 + … + f (n - 1)` -/
def sum (f : Nat → Nat) : Nat → Nat
  | 0 => 0
  | n + 1 => sum f n + f n

def prod (f : Nat → Nat) : Nat → Nat
  | 0 => 1
  | n + 1 => prod f n * f n

theorem sumTo_succ (n : Nat) : sumTo (n + 1) = sumTo n + (n + 1) := by
  rfl

theorem sumTo_closed (n : Nat) : 2 * sumTo n = n * (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [sumTo]
    rw [Nat.mul_add, ih, ← Nat.add_mul, Nat.mul_comm]

theorem sumOdd_closed (n : Nat) : sumOdd n = n * n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [sumOdd]
    rw [ih]
    grind

theorem sumEven_closed (n : Nat) : sumEven (n + 1) = n * (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumEven, ih]
    grind

theorem sumOdd_eq_sumEven_add (n : Nat) : sumOdd n = sumEven n + n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [sumOdd, sumEven]
    omega

theorem sumEven_eq_double_sumTo (n : Nat) : sumEven (n + 1) = 2 * sumTo n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumEven, sumTo]
    omega

theorem sumPow2_closed (n : Nat) : sumPow2 n + 1 = pow2 n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [sumPow2, pow2]
    omega

theorem le_sumTo (n : Nat) : n ≤ sumTo n := by
  induction n with
  | zero => simp
  | succ n ih =>
    simp only [sumTo]
    omega

theorem le_sumOdd (n : Nat) : n ≤ sumOdd n := by
  induction n with
  | zero => simp
  | succ n ih =>
    simp only [sumOdd]
    omega

theorem sumTo_le_succ (n : Nat) : sumTo n ≤ sumTo (n + 1) := by
  simp [sumTo]

theorem sumTo_le_sumOdd (n : Nat) : sumTo n ≤ sumOdd n := by
  induction n with
  | zero => simp [sumTo, sumOdd]
  | succ n ih =>
    simp only [sumTo, sumOdd]
    omega

theorem sumEven_le_sumOdd (n : Nat) : sumEven n ≤ sumOdd n := by
  induction n with
  | zero => simp [sumEven, sumOdd]
  | succ n ih =>
    simp only [sumEven, sumOdd]
    omega

theorem sum_succ (f : Nat → Nat) (n : Nat) : sum f (n + 1) = sum f n + f n := by
  rfl

theorem sum_zero (n : Nat) : sum (fun _ => 0) n = 0 := by
  induction n with
  | zero => rfl
  | succ n ih => simp [sum, ih]

theorem sum_one (n : Nat) : sum (fun _ => 1) n = n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [sum, ih]

theorem sum_two (n : Nat) : sum (fun _ => 2) n = double n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [sum, double, ih]

theorem sum_const (c n : Nat) : sum (fun _ => c) n = n * c := by
  induction n with
  | zero => simp [sum]
  | succ n ih =>
    simp only [sum]
    rw [ih, Nat.succ_mul]

theorem sum_add (f g : Nat → Nat) (n : Nat) :
    sum (fun i => f i + g i) n = sum f n + sum g n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [sum]
    omega

theorem sum_mul_left (c : Nat) (f : Nat → Nat) (n : Nat) :
    sum (fun i => c * f i) n = c * sum f n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [sum]
    rw [ih, Nat.mul_add]

theorem sum_mul_right (c : Nat) (f : Nat → Nat) (n : Nat) :
    sum (fun i => f i * c) n = sum f n * c := by
  induction n with
  | zero => simp [sum]
  | succ n ih =>
    simp only [sum]
    rw [ih, Nat.add_mul]

theorem sum_congr (f g : Nat → Nat) (h : ∀ i, f i = g i) (n : Nat) : sum f n = sum g n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [sum]
    rw [ih, h]

theorem prod_congr (f g : Nat → Nat) (h : ∀ i, f i = g i) (n : Nat) : prod f n = prod g n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [prod]
    rw [ih, h]

theorem sum_le_sum (f g : Nat → Nat) (h : ∀ i, f i ≤ g i) (n : Nat) : sum f n ≤ sum g n := by
  induction n with
  | zero => simp [sum]
  | succ n ih =>
    simp only [sum]
    apply Nat.add_le_add
    · exact ih
    · exact h n

theorem sum_le_succ (f : Nat → Nat) (n : Nat) : sum f n ≤ sum f (n + 1) := by
  simp [sum]

theorem sum_split_first (f : Nat → Nat) (n : Nat) :
    sum f (n + 1) = f 0 + sum (fun i => f (i + 1)) n := by
  induction n with
  | zero => simp [sum]
  | succ n ih =>
    rw [sum_succ, ih]
    simp only [sum]
    omega

theorem sum_id_eq (n : Nat) : sum (fun i => i) (n + 1) = sumTo n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sum_succ, ih]
    rfl

theorem sum_odd_eq (n : Nat) : sum (fun i => 2 * i + 1) n = sumOdd n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [sum, sumOdd, ih]

theorem sum_even_eq (n : Nat) : sum (fun i => 2 * i) n = sumEven n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [sum, sumEven, ih]

theorem sum_pow2_eq (n : Nat) : sum pow2 n = sumPow2 n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [sum, sumPow2, ih]

theorem prod_succ (f : Nat → Nat) (n : Nat) : prod f (n + 1) = prod f n * f n := by
  rfl

theorem prod_one (n : Nat) : prod (fun _ => 1) n = 1 := by
  induction n with
  | zero => rfl
  | succ n ih => simp [prod, ih]

theorem prod_two (n : Nat) : prod (fun _ => 2) n = pow2 n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [prod, pow2]
    rw [ih, Nat.mul_comm]

theorem prod_three (n : Nat) : prod (fun _ => 3) n = pow3 n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [prod, pow3]
    rw [ih, Nat.mul_comm]

theorem prod_succ_eq_fact (n : Nat) : prod (fun i => i + 1) n = fact n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [prod, fact]
    rw [ih, Nat.mul_comm]

theorem prod_pos (f : Nat → Nat) (h : ∀ i, 0 < f i) (n : Nat) : 0 < prod f n := by
  induction n with
  | zero => simp [prod]
  | succ n ih =>
    simp only [prod]
    apply Nat.mul_pos
    · exact ih
    · exact h n

theorem prod_zero_of_first (f : Nat → Nat) (h : f 0 = 0) (n : Nat) : prod f (n + 1) = 0 := by
  induction n with
  | zero => simp [prod, h]
  | succ n ih =>
    rw [prod_succ, ih]
    simp

end Arithmetic
