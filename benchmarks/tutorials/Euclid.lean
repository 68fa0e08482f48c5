/-!
# Euclid's algorithm and the Fibonacci numbers

We define our own greatest common divisor by Euclid's algorithm, prove that it
is what its name says, find Bézout coefficients, and show that
`gcd (fib m) (fib n) = fib (gcd m n)`.
-/

namespace Euclid

def gcd (a b : Nat) : Nat :=
  if h : b = 0 then a else gcd b (a % b)
termination_by b
decreasing_by exact Nat.mod_lt _ (Nat.pos_of_ne_zero h)

/-- The extended algorithm: coefficients `(x, y)` with `x * a + y * b = gcd a b`. -/
def bezout (a b : Nat) : Int × Int :=
  if h : b = 0 then (1, 0)
  else
    let (x, y) := bezout b (a % b)
    (y, x - (a / b : Nat) * y)
termination_by b
decreasing_by exact Nat.mod_lt _ (Nat.pos_of_ne_zero h)

def Coprime (a b : Nat) : Prop := gcd a b = 1

def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)

/-! ## The algorithm -/

theorem gcd_zero_right (a : Nat) : gcd a 0 = a := by
  rw [gcd]
  simp

theorem gcd_step (a : Nat) {b : Nat} (h : b ≠ 0) : gcd a b = gcd b (a % b) := by
  rw [gcd, dif_neg h]

/-- Induction along the steps of the algorithm. -/
theorem gcd_induction {P : Nat → Nat → Prop} (zero : ∀ a, P a 0)
    (step : ∀ a b, b ≠ 0 → P b (a % b) → P a b) (a b : Nat) : P a b := by
  induction b using Nat.strongRecOn generalizing a with
  | ind b ih =>
    by_cases h : b = 0
    · subst h
      exact zero a
    · exact step a b h (ih _ (Nat.mod_lt _ (Nat.pos_of_ne_zero h)) b)

theorem gcd_dvd (a b : Nat) : gcd a b ∣ a ∧ gcd a b ∣ b := by
  induction a, b using gcd_induction with
  | zero a =>
    rw [gcd_zero_right]
    exact ⟨Nat.dvd_refl a, Nat.dvd_zero a⟩
  | step a b h ih =>
    rw [gcd_step a h]
    refine ⟨?_, ih.1⟩
    have h₁ := Nat.dvd_add (Nat.dvd_mul_right_of_dvd ih.1 (a / b)) ih.2
    rwa [Nat.div_add_mod] at h₁

theorem dvd_gcd {d a b : Nat} (ha : d ∣ a) (hb : d ∣ b) : d ∣ gcd a b := by
  induction a, b using gcd_induction with
  | zero a =>
    rw [gcd_zero_right]
    exact ha
  | step a b h ih =>
    rw [gcd_step a h]
    exact ih hb ((Nat.dvd_mod_iff hb).mpr ha)

/-- The universal property determines the greatest common divisor. -/
theorem gcd_unique {g a b : Nat} (ha : g ∣ a) (hb : g ∣ b)
    (hg : ∀ d, d ∣ a → d ∣ b → d ∣ g) : g = gcd a b :=
  Nat.dvd_antisymm (dvd_gcd ha hb) (hg _ (gcd_dvd a b).1 (gcd_dvd a b).2)

theorem gcd_comm (a b : Nat) : gcd a b = gcd b a :=
  gcd_unique (gcd_dvd a b).2 (gcd_dvd a b).1 fun _ h₁ h₂ => dvd_gcd h₂ h₁

theorem gcd_assoc (a b c : Nat) : gcd (gcd a b) c = gcd a (gcd b c) := by
  apply gcd_unique
  · exact Nat.dvd_trans (gcd_dvd _ c).1 (gcd_dvd a b).1
  · exact dvd_gcd (Nat.dvd_trans (gcd_dvd _ c).1 (gcd_dvd a b).2) (gcd_dvd _ c).2
  · intro d h₁ h₂
    exact dvd_gcd (dvd_gcd h₁ (Nat.dvd_trans h₂ (gcd_dvd b c).1))
      (Nat.dvd_trans h₂ (gcd_dvd b c).2)

theorem gcd_mul_left (k a b : Nat) : gcd (k * a) (k * b) = k * gcd a b := by
  induction a, b using gcd_induction with
  | zero a => simp [gcd_zero_right]
  | step a b h ih =>
    by_cases hk : k = 0
    · subst hk
      simp [gcd_zero_right]
    · rw [gcd_step (k * a) (Nat.mul_ne_zero hk h), Nat.mul_mod_mul_left, ih, gcd_step a h]

theorem gcd_add_right (a b : Nat) : gcd a (a + b) = gcd a b := by
  symm
  apply gcd_unique (gcd_dvd a b).1
  · exact Nat.dvd_add (gcd_dvd a b).1 (gcd_dvd a b).2
  · intro d h₁ h₂
    exact dvd_gcd h₁ ((Nat.dvd_add_right h₁).mp h₂)

/-! ## Bézout -/

theorem bezout_spec (a b : Nat) :
    (bezout a b).1 * a + (bezout a b).2 * b = (gcd a b : Int) := by
  induction a, b using gcd_induction with
  | zero a =>
    rw [bezout, gcd_zero_right]
    simp
  | step a b h ih =>
    rw [bezout, dif_neg h, gcd_step a h, ← ih]
    have e : (a : Int) = b * (a / b : Nat) + (a % b : Nat) := by
      exact_mod_cast (Nat.div_add_mod a b).symm
    simp only
    generalize bezout b (a % b) = p
    generalize (a % b) = r at *
    generalize (a / b) = q at *
    grind

/-- Euclid's lemma. -/
theorem Coprime.dvd_of_dvd_mul {a b c : Nat} (h : Coprime a b) (hd : a ∣ b * c) :
    a ∣ c := by
  have h₁ : a ∣ gcd (c * a) (c * b) :=
    dvd_gcd (Nat.dvd_mul_left a c) (by rwa [Nat.mul_comm])
  rw [gcd_mul_left, h, Nat.mul_one] at h₁
  exact h₁

theorem Coprime.gcd_mul {a b : Nat} (h : Coprime a b) (c : Nat) :
    gcd a (b * c) = gcd a c := by
  symm
  apply gcd_unique (gcd_dvd a c).1
  · exact Nat.dvd_mul_left_of_dvd (gcd_dvd a c).2 b
  · intro d ha hd
    have hdb : Coprime d b :=
      Nat.dvd_one.mp (h ▸ dvd_gcd (Nat.dvd_trans (gcd_dvd d b).1 ha) (gcd_dvd d b).2)
    exact dvd_gcd ha (hdb.dvd_of_dvd_mul hd)

/-! ## Fibonacci numbers -/

theorem fib_add (m n : Nat) :
    fib (m + n + 1) = fib m * fib n + fib (m + 1) * fib (n + 1) := by
  induction n generalizing m with
  | zero => simp [fib]
  | succ n ih =>
    have h := ih (m + 1)
    have e : m + (n + 1) + 1 = m + 1 + n + 1 := by omega
    rw [e, h]
    simp only [fib]
    grind

theorem coprime_fib_succ (n : Nat) : Coprime (fib n) (fib (n + 1)) := by
  induction n with
  | zero =>
    unfold Coprime
    rw [gcd_comm]
    exact gcd_zero_right 1
  | succ n ih =>
    unfold Coprime at *
    rw [fib, Nat.add_comm (fib n), gcd_add_right, gcd_comm]
    exact ih

theorem gcd_fib_add (m n : Nat) : gcd (fib m) (fib (n + m)) = gcd (fib m) (fib n) := by
  cases m with
  | zero => rfl
  | succ k =>
    have h : fib (n + (k + 1)) = fib n * fib k + fib (n + 1) * fib (k + 1) := fib_add n k
    have hc : Coprime (fib (k + 1)) (fib k) := by
      unfold Coprime
      rw [gcd_comm]
      exact coprime_fib_succ k
    rw [← hc.gcd_mul (fib n), Nat.mul_comm (fib k), h]
    symm
    apply gcd_unique (gcd_dvd _ _).1
    · exact Nat.dvd_add (gcd_dvd _ _).2 (Nat.dvd_mul_left_of_dvd (gcd_dvd _ _).1 _)
    · intro d h₁ h₂
      exact dvd_gcd h₁ ((Nat.dvd_add_left (Nat.dvd_mul_left_of_dvd h₁ _)).mp h₂)

theorem gcd_fib_mod (m n : Nat) : gcd (fib m) (fib (n % m)) = gcd (fib m) (fib n) := by
  by_cases hm : m = 0
  · simp [hm]
  by_cases h : n < m
  · rw [Nat.mod_eq_of_lt h]
  · rw [Nat.mod_eq_sub_mod (by omega), gcd_fib_mod m (n - m), ← gcd_fib_add]
    congr 2
    omega
termination_by n

/-- The greatest common divisor of two Fibonacci numbers is a Fibonacci number. -/
theorem gcd_fib (m n : Nat) : gcd (fib m) (fib n) = fib (gcd m n) := by
  induction m, n using gcd_induction with
  | zero m => rw [gcd_zero_right]; exact gcd_zero_right _
  | step m n h ih => rw [gcd_step m h, ← ih, gcd_fib_mod, gcd_comm]

end Euclid
