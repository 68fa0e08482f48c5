/-!
# Finite sums

`∑ i < n, f i` for functions on the natural numbers: closed forms, telescoping,
exchange of two sums, and some identities of Fibonacci numbers and binomials.
-/

namespace Sums

def sum (f : Nat → Nat) : Nat → Nat
  | 0 => 0
  | n + 1 => sum f n + f n

syntax "∑ " ident " < " term:51 ", " term:67 : term
macro_rules
  | `(∑ $i < $n, $e) => `(sum (fun $i => $e) $n)

def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)

def choose : Nat → Nat → Nat
  | _, 0 => 1
  | 0, _ + 1 => 0
  | n + 1, k + 1 => choose n k + choose n (k + 1)

/-! ## Rules for sums -/

theorem sum_congr {f g : Nat → Nat} {n : Nat} (h : ∀ i, i < n → f i = g i) :
    sum f n = sum g n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [sum]
    rw [ih (fun i hi => h i (by omega)), h n (by omega)]

theorem sum_add (f g : Nat → Nat) (n : Nat) :
    (∑ i < n, (f i + g i)) = (∑ i < n, f i) + (∑ i < n, g i) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [sum, ih]
    omega

theorem sum_mul (c : Nat) (f : Nat → Nat) (n : Nat) :
    (∑ i < n, (c * f i)) = c * ∑ i < n, f i := by
  induction n with
  | zero => simp [sum]
  | succ n ih => simp only [sum, ih, Nat.mul_add]

theorem sum_const (c n : Nat) : (∑ _i < n, c) = n * c := by
  induction n with
  | zero => simp [sum]
  | succ n ih => rw [sum, ih, Nat.succ_mul]

theorem sum_swap (f : Nat → Nat → Nat) (m n : Nat) :
    (∑ i < m, (∑ j < n, f i j)) = ∑ j < n, (∑ i < m, f i j) := by
  induction m with
  | zero => simp [sum, sum_const]
  | succ m ih => rw [sum, ih, ← sum_add]; rfl

/-- Split off the first summand instead of the last one. -/
theorem sum_succ_front (f : Nat → Nat) (n : Nat) :
    sum f (n + 1) = f 0 + ∑ i < n, f (i + 1) := by
  induction n with
  | zero => simp [sum]
  | succ n ih =>
    rw [sum, ih, sum]
    omega

theorem sum_reverse (f : Nat → Nat) (n : Nat) :
    (∑ i < n, f (n - 1 - i)) = ∑ i < n, f i := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sum_succ_front, sum, ← ih, Nat.add_comm]
    congr 1
    apply sum_congr
    intro i hi
    congr 1
    omega

theorem sum_telescope (f : Nat → Nat) (mono : ∀ i, f i ≤ f (i + 1)) (n : Nat) :
    (∑ i < n, (f (i + 1) - f i)) + f 0 = f n := by
  induction n with
  | zero => simp [sum]
  | succ n ih =>
    have := mono n
    simp only [sum]
    omega

/-! ## Closed forms -/

theorem gauss (n : Nat) : 2 * (∑ i < n + 1, i) = n * (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sum, Nat.mul_add, ih, ← Nat.add_mul, Nat.mul_comm]

theorem sum_odd (n : Nat) : (∑ i < n, (2 * i + 1)) = n ^ 2 := by
  induction n with
  | zero => rfl
  | succ n ih => rw [sum, ih]; grind

/-- The sum of the cubes is the square of the sum. -/
theorem sum_cubes (n : Nat) : (∑ i < n + 1, i ^ 3) = (∑ i < n + 1, i) ^ 2 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    have g := gauss n
    rw [sum, ih, sum.eq_2 (fun i => i) (n + 1)]
    grind

/-! ## Fibonacci numbers and binomials -/

theorem sum_fib (n : Nat) : (∑ i < n, fib i) + 1 = fib (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sum, fib, ← ih]
    omega

theorem sum_fib_sq (n : Nat) : (∑ i < n + 1, fib i ^ 2) = fib n * fib (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [sum, ih, fib]; grind

theorem choose_eq_zero {n k : Nat} (h : n < k) : choose n k = 0 := by
  induction n generalizing k with
  | zero => cases k with
    | zero => omega
    | succ k => rfl
  | succ n ih => cases k with
    | zero => omega
    | succ k => rw [choose, ih (by omega), ih (by omega)]

theorem sum_choose (n : Nat) : (∑ k < n + 1, choose n k) = 2 ^ n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    change sum (choose n) (n + 1) = 2 ^ n at ih
    have shift := sum_succ_front (choose n) (n + 1)
    rw [sum, ih, choose_eq_zero (Nat.lt_succ_self n)] at shift
    rw [sum_succ_front]
    simp only [choose, sum_add] at shift ⊢
    change 1 + (sum (choose n) (n + 1) + _) = _
    rw [ih, Nat.pow_succ]
    omega

/-- The hockey stick. -/
theorem hockey_stick (n k : Nat) : (∑ i < n, choose i k) = choose n (k + 1) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [sum, ih, choose, Nat.add_comm]

end Sums
