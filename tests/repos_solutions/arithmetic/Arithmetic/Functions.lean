/-!
Small recursive functions on natural numbers.
-/

namespace Arithmetic

def double : Nat → Nat
  | 0 => 0
  | n + 1 => double n + 2

def triple : Nat → Nat
  | 0 => 0
  | n + 1 => triple n + 3

def quad : Nat → Nat
  | 0 => 0
  | n + 1 => quad n + 4

def pred2 : Nat → Nat
  | 0 => 0
  | 1 => 0
  | n + 2 => n

def half : Nat → Nat
  | 0 => 0
  | 1 => 0
  | n + 2 => half n + 1

def fact : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * fact n

def pow2 : Nat → Nat
  | 0 => 1
  | n + 1 => 2 * pow2 n

def pow3 : Nat → Nat
  | 0 => 1
  | n + 1 => 3 * pow3 n

def plus : Nat → Nat → Nat
  | n, 0 => n
  | n, m + 1 => plus n m + 1

def times : Nat → Nat → Nat
  | _, 0 => 0
  | n, m + 1 => times n m + n

def evenb : Nat → Bool
  | 0 => true
  | n + 1 => !evenb n

def oddb : Nat → Bool
  | 0 => false
  | n + 1 => !oddb n

section Multiples

theorem double_zero : double 0 = 0 := by
  rfl

theorem double_succ (n : Nat) : double (n + 1) = double n + 2 := by
  rfl

theorem double_eq (n : Nat) : double n = 2 * n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [double]
    omega

theorem triple_eq (n : Nat) : triple n = 3 * n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [triple]
    omega

theorem quad_eq (n : Nat) : quad n = 4 * n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [quad]
    omega

theorem double_eq_add (n : Nat) : double n = n + n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [double]
    omega

theorem double_add (n m : Nat) : double (n + m) = double n + double m := by
  rw [double_eq, double_eq, double_eq]
  omega

theorem triple_add (n m : Nat) : triple (n + m) = triple n + triple m := by
  rw [triple_eq, triple_eq, triple_eq]
  omega

theorem triple_eq_double_add (n : Nat) : triple n = double n + n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [triple, double]
    omega

theorem quad_eq_double_double (n : Nat) : quad n = double (double n) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [quad, double]
    omega

theorem quad_eq_triple_add (n : Nat) : quad n = triple n + n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [quad, triple]
    omega

theorem le_double (n : Nat) : n ≤ double n := by
  induction n with
  | zero => simp
  | succ n ih =>
    simp only [double]
    omega

theorem double_le_triple (n : Nat) : double n ≤ triple n := by
  induction n with
  | zero => simp [double, triple]
  | succ n ih =>
    simp only [double, triple]
    omega

theorem triple_le_quad (n : Nat) : triple n ≤ quad n := by
  induction n with
  | zero => simp [triple, quad]
  | succ n ih =>
    simp only [triple, quad]
    omega

theorem double_inj (n m : Nat) (h : double n = double m) : n = m := by
  rw [double_eq, double_eq] at h
  omega

theorem triple_inj (n m : Nat) (h : triple n = triple m) : n = m := by
  rw [triple_eq, triple_eq] at h
  omega

theorem double_mono (n m : Nat) (h : n ≤ m) : double n ≤ double m := by
  rw [double_eq, double_eq]
  omega

theorem triple_mono (n m : Nat) (h : n ≤ m) : triple n ≤ triple m := by
  rw [triple_eq, triple_eq]
  omega

theorem double_pos (n : Nat) (h : 0 < n) : 0 < double n := by
  cases n with
  | zero => contradiction
  | succ n => simp [double]

theorem triple_pos (n : Nat) (h : 0 < n) : 0 < triple n := by
  cases n with
  | zero => contradiction
  | succ n => simp [triple]

theorem quad_pos (n : Nat) (h : 0 < n) : 0 < quad n := by
  cases n with
  | zero => contradiction
  | succ n => simp [quad]

theorem double_eq_zero (n : Nat) (h : double n = 0) : n = 0 := by
  cases n with
  | zero => rfl
  | succ n => simp [double] at h

theorem triple_eq_zero (n : Nat) (h : triple n = 0) : n = 0 := by
  cases n with
  | zero => rfl
  | succ n => simp [triple] at h

theorem quad_eq_zero (n : Nat) (h : quad n = 0) : n = 0 := by
  cases n with
  | zero => rfl
  | succ n => simp [quad] at h

theorem half_double (n : Nat) : half (double n) = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [double, half]
    rw [ih]

theorem half_double_succ (n : Nat) : half (double n + 1) = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [double, half]
    rw [ih]

theorem pred2_add_two (n : Nat) : pred2 (n + 2) = n := by
  rfl

theorem pred2_le (n : Nat) : pred2 n ≤ n := by
  match n with
  | 0 => simp [pred2]
  | 1 => simp [pred2]
  | n + 2 => simp [pred2]

theorem pred2_double (n : Nat) : pred2 (double (n + 1)) = double n := by
  rfl

end Multiples

section Factorial

theorem fact_one : fact 1 = 1 := by
  rfl

theorem fact_succ (n : Nat) : fact (n + 1) = (n + 1) * fact n := by
  rfl

theorem fact_pos (n : Nat) : 0 < fact n := by
  induction n with
  | zero => decide
  | succ n ih =>
    simp only [fact]
    apply Nat.mul_pos
    · omega
    · exact ih

theorem fact_ne_zero (n : Nat) : fact n ≠ 0 := by
  have h := fact_pos n
  omega

theorem fact_le_succ (n : Nat) : fact n ≤ fact (n + 1) := by
  simp only [fact]
  apply Nat.le_mul_of_pos_left
  omega

theorem pow2_pos (n : Nat) : 0 < pow2 n := by
  induction n with
  | zero => decide
  | succ n ih =>
    simp only [pow2]
    omega

theorem pow3_pos (n : Nat) : 0 < pow3 n := by
  induction n with
  | zero => decide
  | succ n ih =>
    simp only [pow3]
    omega

theorem pow2_ne_zero (n : Nat) : pow2 n ≠ 0 := by
  have h := pow2_pos n
  omega

theorem lt_pow2 (n : Nat) : n < pow2 n := by
  induction n with
  | zero => decide
  | succ n ih =>
    simp only [pow2]
    omega

theorem lt_pow3 (n : Nat) : n < pow3 n := by
  induction n with
  | zero => decide
  | succ n ih =>
    simp only [pow3]
    omega

theorem pow2_le_pow3 (n : Nat) : pow2 n ≤ pow3 n := by
  induction n with
  | zero => decide
  | succ n ih =>
    simp only [pow2, pow3]
    omega

theorem pow2_lt_succ (n : Nat) : pow2 n < pow2 (n + 1) := by
  have h := pow2_pos n
  simp only [pow2]
  omega

theorem pow2_add (n m : Nat) : pow2 (n + m) = pow2 n * pow2 m := by
  induction n with
  | zero => simp [pow2]
  | succ n ih =>
    rw [Nat.succ_add]
    simp only [pow2]
    rw [ih, Nat.mul_assoc]

theorem pow3_add (n m : Nat) : pow3 (n + m) = pow3 n * pow3 m := by
  induction n with
  | zero => simp [pow3]
  | succ n ih =>
    rw [Nat.succ_add]
    simp only [pow3]
    rw [ih, Nat.mul_assoc]

theorem pow2_succ_eq_double (n : Nat) : pow2 (n + 1) = double (pow2 n) := by
  rw [double_eq]
  rfl

theorem pow3_succ_eq_triple (n : Nat) : pow3 (n + 1) = triple (pow3 n) := by
  rw [triple_eq]
  rfl

end Factorial

section PlusTimes

theorem plus_zero (n : Nat) : plus n 0 = n := by
  rfl

theorem zero_plus (n : Nat) : plus 0 n = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [plus]
    rw [ih]

theorem plus_succ (n m : Nat) : plus n (m + 1) = plus n m + 1 := by
  rfl

theorem succ_plus (n m : Nat) : plus (n + 1) m = plus n m + 1 := by
  induction m with
  | zero => rfl
  | succ m ih =>
    simp only [plus]
    rw [ih]

theorem plus_eq_add (n m : Nat) : plus n m = n + m := by
  induction m with
  | zero => rfl
  | succ m ih =>
    simp only [plus]
    omega

theorem plus_comm (n m : Nat) : plus n m = plus m n := by
  induction m with
  | zero => simp [plus, zero_plus]
  | succ m ih =>
    rw [succ_plus]
    simp only [plus]
    rw [ih]

theorem plus_assoc (n m k : Nat) : plus (plus n m) k = plus n (plus m k) := by
  induction k with
  | zero => rfl
  | succ k ih =>
    simp only [plus]
    rw [ih]

theorem le_plus (n m : Nat) : n ≤ plus n m := by
  induction m with
  | zero => simp [plus]
  | succ m ih =>
    simp only [plus]
    omega

theorem plus_left_cancel (n m k : Nat) (h : plus k n = plus k m) : n = m := by
  rw [plus_eq_add, plus_eq_add] at h
  omega

theorem plus_self (n : Nat) : plus n n = double n := by
  rw [plus_eq_add, double_eq]
  omega

theorem times_zero (n : Nat) : times n 0 = 0 := by
  rfl

theorem zero_times (n : Nat) : times 0 n = 0 := by
  induction n with
  | zero => rfl
  | succ n ih => simp [times, ih]

theorem times_one (n : Nat) : times n 1 = n := by
  simp [times]

theorem one_times (n : Nat) : times 1 n = n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [times, ih]

theorem times_two (n : Nat) : times n 2 = n + n := by
  simp [times]

theorem times_eq_mul (n m : Nat) : times n m = n * m := by
  induction m with
  | zero => rfl
  | succ m ih =>
    simp only [times]
    rw [ih, Nat.mul_succ]

theorem times_comm' (n m : Nat) : times n m = times m n := by
  rw [times_eq_mul, times_eq_mul]
  exact Nat.mul_comm n m

theorem times_add (n m k : Nat) : times n (m + k) = times n m + times n k := by
  rw [times_eq_mul, times_eq_mul, times_eq_mul]
  exact Nat.mul_add n m k

end PlusTimes

section BoolParity

theorem evenb_succ (n : Nat) : evenb (n + 1) = !evenb n := by
  rfl

theorem evenb_add_two (n : Nat) : evenb (n + 2) = evenb n := by
  simp [evenb]

theorem oddb_add_two (n : Nat) : oddb (n + 2) = oddb n := by
  simp [oddb]

theorem oddb_eq_not_evenb (n : Nat) : oddb n = !evenb n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [oddb, evenb, ih]

theorem evenb_eq_oddb_succ (n : Nat) : evenb n = oddb (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [evenb, ih]
    rfl

theorem evenb_double (n : Nat) : evenb (double n) = true := by
  induction n with
  | zero => rfl
  | succ n ih => simp [double, evenb, ih]

theorem oddb_double (n : Nat) : oddb (double n) = false := by
  induction n with
  | zero => rfl
  | succ n ih => simp [double, oddb, ih]

theorem evenb_quad (n : Nat) : evenb (quad n) = true := by
  induction n with
  | zero => rfl
  | succ n ih => simp [quad, evenb, ih]

theorem evenb_add (n m : Nat) (h1 : evenb n = true) (h2 : evenb m = true) :
    evenb (n + m) = true := by
  have h : evenb (n + m) = (evenb n == evenb m) := by
    clear h1 h2
    induction m with
    | zero => simp [evenb]
    | succ m ih =>
      rw [← Nat.add_assoc]
      simp only [evenb, ih]
      cases evenb n <;> cases evenb m <;> rfl
  rw [h, h1, h2]
  rfl

end BoolParity

end Arithmetic
