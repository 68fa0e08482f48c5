/-!
Natural numbers built from nothing, with addition and multiplication.
-/

namespace Structures

inductive Num where
  | zero
  | succ (n : Num)

namespace Num

def add : Num → Num → Num
  | n, zero => n
  | n, succ m => succ (add n m)

def mul : Num → Num → Num
  | _, zero => zero
  | n, succ m => add (mul n m) n

def pred : Num → Num
  | zero => zero
  | succ n => n

def double : Num → Num
  | zero => zero
  | succ n => succ (succ (double n))

def toNat : Num → Nat
  | zero => 0
  | succ n => toNat n + 1

def ofNat : Nat → Num
  | 0 => zero
  | n + 1 => succ (ofNat n)

infixl:65 " ∔ " => add
infixl:70 " ⊗ " => mul

def one : Num := succ zero

section Addition

theorem add_zero (n : Num) : n ∔ zero = n := by
  rfl

theorem add_succ (n m : Num) : n ∔ succ m = succ (n ∔ m) := by
  rfl

theorem zero_add (n : Num) : zero ∔ n = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [add]
    rw [ih]

theorem succ_add (n m : Num) : succ n ∔ m = succ (n ∔ m) := by
  induction m with
  | zero => rfl
  | succ m ih =>
    simp only [add]
    rw [ih]

theorem add_comm (n m : Num) : n ∔ m = m ∔ n := by
  induction m with
  | zero =>
    rw [zero_add]
    rfl
  | succ m ih =>
    rw [succ_add, add_succ, ih]

theorem add_assoc (n m k : Num) : n ∔ m ∔ k = n ∔ (m ∔ k) := by
  induction k with
  | zero => rfl
  | succ k ih =>
    simp only [add]
    rw [ih]

theorem add_left_comm (n m k : Num) : n ∔ (m ∔ k) = m ∔ (n ∔ k) := by
  rw [← add_assoc, add_comm n m, add_assoc]

theorem add_right_comm (n m k : Num) : n ∔ m ∔ k = n ∔ k ∔ m := by
  rw [add_assoc, add_comm m k, add_assoc]

theorem add_one (n : Num) : n ∔ one = succ n := by
  rfl

theorem one_add (n : Num) : one ∔ n = succ n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [add]
    rw [ih]

theorem succ_inj (n m : Num) (h : succ n = succ m) : n = m := by
  injection h

theorem succ_ne_zero (n : Num) : succ n ≠ zero := by
  intro h
  injection h

theorem add_right_cancel (n m k : Num) (h : n ∔ k = m ∔ k) : n = m := by
  induction k with
  | zero => exact h
  | succ k ih =>
    injection h with h1
    exact ih h1

theorem add_eq_zero_right (n m : Num) (h : n ∔ m = zero) : m = zero := by
  cases m with
  | zero => rfl
  | succ m => contradiction

theorem add_eq_zero_left (n m : Num) (h : n ∔ m = zero) : n = zero := by
  cases m with
  | zero => exact h
  | succ m => contradiction

theorem pred_succ (n : Num) : pred (succ n) = n := by
  rfl

theorem succ_pred (n : Num) (h : n ≠ zero) : succ (pred n) = n := by
  cases n with
  | zero => contradiction
  | succ n => rfl

theorem zero_or_succ (n : Num) : n = zero ∨ ∃ m, n = succ m := by
  cases n with
  | zero =>
    left
    rfl
  | succ n =>
    right
    exact ⟨n, rfl⟩

theorem exists_succ (n : Num) (h : n ≠ zero) : ∃ m, n = succ m := by
  cases n with
  | zero => contradiction
  | succ n => exact ⟨n, rfl⟩

theorem succ_ne_self (n : Num) : succ n ≠ n := by
  induction n with
  | zero =>
    intro h
    injection h
  | succ n ih =>
    intro h
    injection h with h1
    exact ih h1

end Addition

section Multiplication

theorem mul_zero (n : Num) : n ⊗ zero = zero := by
  rfl

theorem zero_mul (n : Num) : zero ⊗ n = zero := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [mul, add]
    rw [ih]

theorem mul_one (n : Num) : n ⊗ one = n := by
  simp only [one, mul]
  rw [zero_add]

theorem one_mul (n : Num) : one ⊗ n = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [mul]
    rw [ih, add_one]

theorem mul_succ (n m : Num) : n ⊗ succ m = n ⊗ m ∔ n := by
  rfl

theorem succ_mul (n m : Num) : succ n ⊗ m = n ⊗ m ∔ m := by
  induction m with
  | zero => rfl
  | succ m ih =>
    rw [mul_succ, ih, mul_succ, add_succ, add_succ]
    rw [add_assoc, add_comm m n, ← add_assoc]

theorem mul_comm (n m : Num) : n ⊗ m = m ⊗ n := by
  induction m with
  | zero =>
    rw [zero_mul]
    rfl
  | succ m ih => rw [mul_succ, succ_mul, ih]

theorem mul_add (n m k : Num) : n ⊗ (m ∔ k) = n ⊗ m ∔ n ⊗ k := by
  induction k with
  | zero => rfl
  | succ k ih =>
    simp only [add, mul]
    rw [ih, add_assoc]

theorem add_mul (n m k : Num) : (n ∔ m) ⊗ k = n ⊗ k ∔ m ⊗ k := by
  rw [mul_comm, mul_add, mul_comm k n, mul_comm k m]

theorem mul_assoc (n m k : Num) : n ⊗ m ⊗ k = n ⊗ (m ⊗ k) := by
  induction k with
  | zero => rfl
  | succ k ih =>
    simp only [mul]
    rw [ih, mul_add]

theorem double_eq_add (n : Num) : double n = n ∔ n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [double]
    rw [ih, add_succ, succ_add]

theorem double_add (n m : Num) : double (n ∔ m) = double n ∔ double m := by
  induction m with
  | zero => rfl
  | succ m ih =>
    simp only [add, double]
    rw [ih]

theorem double_inj (n m : Num) (h : double n = double m) : n = m := by
  induction n generalizing m with
  | zero =>
    cases m with
    | zero => rfl
    | succ m => contradiction
  | succ n ih =>
    cases m with
    | zero => contradiction
    | succ m =>
      injection h with h1
      injection h1 with h2
      rw [ih m h2]

end Multiplication

section Conversion

theorem toNat_ofNat (n : Nat) : toNat (ofNat n) = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [ofNat, toNat]
    rw [ih]

theorem ofNat_toNat (n : Num) : ofNat (toNat n) = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [ofNat, toNat]
    rw [ih]

theorem toNat_add (n m : Num) : toNat (n ∔ m) = toNat n + toNat m := by
  induction m with
  | zero => rfl
  | succ m ih =>
    simp only [add, toNat]
    omega

theorem toNat_double (n : Num) : toNat (double n) = 2 * toNat n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [double, toNat]
    omega

theorem toNat_mul (n m : Num) : toNat (n ⊗ m) = toNat n * toNat m := by
  induction m with
  | zero => rfl
  | succ m ih =>
    simp only [mul, toNat]
    rw [toNat_add, ih, Nat.mul_succ]

theorem toNat_inj (n m : Num) (h : toNat n = toNat m) : n = m := by
  have h1 : ∀ k, ofNat (toNat k) = k := by
    intro k
    induction k with
    | zero => rfl
    | succ k ih =>
      simp only [ofNat, toNat]
      rw [ih]
  rw [← h1 n, h, h1]

theorem toNat_pred (n : Num) : toNat (pred n) = toNat n - 1 := by
  cases n with
  | zero => rfl
  | succ n => simp [pred, toNat]

theorem toNat_eq_zero (n : Num) (h : toNat n = 0) : n = zero := by
  cases n with
  | zero => rfl
  | succ n => simp [toNat] at h

theorem toNat_surj (n : Nat) : ∃ m, toNat m = n := by
  exists ofNat n
  exact toNat_ofNat n

end Conversion

end Num

end Structures
