import Numbers.Euclid
import Numbers.Sums

/-!
Fibonacci numbers and Lucas numbers: the law of addition, Cassini's identity, sums, and the
greatest common measure of two Fibonacci numbers.
-/

namespace Numbers

/-- `0, 1, 1, 2, 3, 5, …` -/
def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)

/-- `2, 1, 3, 4, 7, …` -/
def lucas : Nat → Nat
  | 0 => 2
  | 1 => 1
  | n + 2 => lucas n + lucas (n + 1)

/-- Two neighbours at a time: `(fib n, fib (n + 1))`. -/
def fibPair : Nat → Nat × Nat
  | 0 => (0, 1)
  | n + 1 => ((fibPair n).2, (fibPair n).1 + (fibPair n).2)

/-- A loop that needs `n` steps. -/
def fibLoop (a b : Nat) : Nat → Nat
  | 0 => a
  | n + 1 => fibLoop b (a + b) n

/-- The sequence with the rule of Fibonacci that starts with `a` and `b`. -/
def gibonacci (a b : Nat) : Nat → Nat
  | 0 => a
  | 1 => b
  | n + 2 => gibonacci a b n + gibonacci a b (n + 1)

/-- The ways to write `n` as a sum of ones and twos, in order. -/
def stairs : Nat → List (List Nat)
  | 0 => [[]]
  | 1 => [[1]]
  | n + 2 => (stairs n).map (2 :: ·) ++ (stairs (n + 1)).map (1 :: ·)

section Basics

theorem fib_add_two (n : Nat) : fib (n + 2) = fib n + fib (n + 1) := by
  rfl

theorem fib_pos (n : Nat) : 0 < fib (n + 1) := by
  induction n with
  | zero => exact Nat.one_pos
  | succ n ih =>
    rw [fib_add_two]
    omega

theorem fib_le_succ (n : Nat) : fib n ≤ fib (n + 1) := by
  cases n with
  | zero => exact Nat.zero_le _
  | succ n =>
    rw [fib_add_two]
    exact Nat.le_add_left _ _

theorem fib_mono (m n : Nat) (h : m ≤ n) : fib m ≤ fib n := by
  induction h with
  | refl => exact Nat.le_refl _
  | step _ ih => exact Nat.le_trans ih (fib_le_succ _)

theorem fib_lt_succ (n : Nat) : fib (n + 2) < fib (n + 3) := by
  have h := fib_pos n
  have h1 : fib (n + 3) = fib (n + 1) + fib (n + 2) := rfl
  omega

theorem le_fib (n : Nat) : n ≤ fib (n + 1) + 1 := by
  induction n with
  | zero => exact Nat.zero_le _
  | succ n ih =>
    cases n with
    | zero => decide
    | succ n =>
      cases n with
      | zero => decide
      | succ n =>
        have h1 : fib (n + 3) < fib (n + 4) := fib_lt_succ (n + 1)
        have h2 : n + 2 ≤ fib (n + 3) + 1 := ih
        show n + 3 ≤ fib (n + 4) + 1
        omega

theorem fib_lt_two_pow (n : Nat) : fib n < 2 ^ n := by
  suffices h : fib n < 2 ^ n ∧ fib (n + 1) < 2 ^ (n + 1) from h.1
  induction n with
  | zero => decide
  | succ n ih =>
    refine ⟨ih.2, ?_⟩
    rw [fib_add_two, Nat.pow_succ]
    omega

theorem two_pow_le_fib (n : Nat) : 2 ^ n ≤ fib (2 * n + 1) := by
  induction n with
  | zero => exact Nat.le_refl 1
  | succ n ih =>
    have h1 : fib (2 * n + 3) = fib (2 * n + 1) + fib (2 * n + 2) := rfl
    have h2 : fib (2 * n + 2) = fib (2 * n) + fib (2 * n + 1) := rfl
    have h3 : 2 * (n + 1) + 1 = 2 * n + 3 := by omega
    rw [Nat.pow_succ, h3]
    omega

theorem fibPair_eq (n : Nat) : fibPair n = (fib n, fib (n + 1)) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [fibPair]
    rw [ih, fib_add_two]

theorem fibLoop_eq (k n : Nat) : fibLoop (fib k) (fib (k + 1)) n = fib (k + n) := by
  induction n generalizing k with
  | zero => rfl
  | succ n ih =>
    simp only [fibLoop]
    rw [← fib_add_two, ih (k + 1)]
    congr 1
    omega

theorem fibLoop_zero_one (n : Nat) : fibLoop 0 1 n = fib n := by
  have h := fibLoop_eq 0 n
  rw [Nat.zero_add, Nat.zero_add] at h
  exact h

theorem stairs_length (n : Nat) : (stairs n).length = fib (n + 1) := by
  suffices h : (stairs n).length = fib (n + 1) ∧ (stairs (n + 1)).length = fib (n + 2) from h.1
  induction n with
  | zero => decide
  | succ n ih =>
    refine ⟨ih.2, ?_⟩
    simp only [stairs, List.length_append, List.length_map]
    rw [ih.1, ih.2]
    rfl

theorem stairs_sum (n : Nat) : ∀ w ∈ stairs n, w.sum = n := by
  induction n using stairs.induct with
  | case1 =>
    intro w hw
    simp only [stairs, List.mem_singleton] at hw
    rw [hw]
    rfl
  | case2 =>
    intro w hw
    simp only [stairs, List.mem_singleton] at hw
    rw [hw]
    rfl
  | case3 n ih1 ih2 =>
    intro w hw
    simp only [stairs, List.mem_append, List.mem_map] at hw
    rcases hw with ⟨v, hv, h⟩ | ⟨v, hv, h⟩
    · rw [← h, List.sum_cons, ih1 v hv, Nat.add_comm]
    · rw [← h, List.sum_cons, ih2 v hv, Nat.add_comm]

end Basics

section Addition

/-- The law of addition. -/
theorem fib_add (m n : Nat) :
    fib (m + n + 1) = fib m * fib n + fib (m + 1) * fib (n + 1) := by
  induction m generalizing n with
  | zero =>
    rw [Nat.zero_add]
    simp only [fib]
    omega
  | succ m ih =>
    have h := ih (n + 1)
    have h1 : m + 1 + n + 1 = m + (n + 1) + 1 := by omega
    rw [h1, h, fib_add_two n, fib_add_two m, Nat.mul_add, Nat.add_mul]
    omega

theorem fib_double (n : Nat) :
    fib (2 * n + 1) = fib n * fib n + fib (n + 1) * fib (n + 1) := by
  rw [← fib_add]
  congr 1
  omega

theorem fib_double_even (n : Nat) :
    fib (2 * n + 2) = fib (n + 1) * (2 * fib n + fib (n + 1)) := by
  have h := fib_add n (n + 1)
  have h1 : n + (n + 1) + 1 = 2 * n + 2 := by omega
  rw [h1, fib_add_two n] at h
  rw [h, Nat.mul_add, Nat.mul_add]
  grind

theorem fib_measures_mul (m k : Nat) : Measures (fib m) (fib (k * m)) := by
  cases m with
  | zero =>
    rw [Nat.mul_zero]
    exact measures_self _
  | succ m =>
    induction k with
    | zero =>
      rw [Nat.zero_mul]
      exact Measures.zero
    | succ k ih =>
      have h1 : (k + 1) * (m + 1) = k * (m + 1) + m + 1 := by
        rw [Nat.succ_mul, Nat.add_assoc]
      rw [h1, fib_add]
      apply measures_add
      · rw [Nat.mul_comm]
        exact measures_mul_left _ _ _ ih
      · exact measures_mul_left _ _ _ (measures_self _)

theorem fib_measures (m n : Nat) (h : Measures m n) : Measures (fib m) (fib n) := by
  rw [measures_iff] at h
  obtain ⟨k, hk⟩ := h
  rw [hk]
  exact fib_measures_mul m k

theorem fib_coprime (n : Nat) : Coprime (fib n) (fib (n + 1)) := by
  induction n with
  | zero => exact coprime_one 0
  | succ n ih =>
    rw [coprime_iff] at *
    rintro d ⟨h1, h2⟩
    apply ih
    rw [fib_add_two, Nat.add_comm] at h2
    exact ⟨measures_of_add d _ _ h1 h2, h1⟩

theorem gcd_fib_add (m n : Nat) : gcd (fib m) (fib (n + m)) = gcd (fib m) (fib n) := by
  cases m with
  | zero => rw [Nat.add_zero]
  | succ m =>
    have h : fib (n + (m + 1)) = fib n * fib m + fib (n + 1) * fib (m + 1) := by
      rw [← Nat.add_assoc, fib_add]
    rw [h, gcd_add_mul]
    apply measures_antisymm
    · apply measures_gcd
      · exact gcd_measures_left _ _
      · apply measures_of_coprime_mul _ (fib m) (fib n)
        · have h1 := fib_coprime m
          rw [coprime_iff] at *
          rintro d ⟨h2, h3⟩
          exact h1 d ⟨h3, measures_trans d _ _ h2 (gcd_measures_left _ _)⟩
        · rw [Nat.mul_comm]
          exact gcd_measures_right _ _
    · apply measures_gcd
      · exact gcd_measures_left _ _
      · rw [Nat.mul_comm]
        exact measures_mul_left _ _ _ (gcd_measures_right _ _)

theorem gcd_fib_add_mul (m n k : Nat) :
    gcd (fib m) (fib (n + k * m)) = gcd (fib m) (fib n) := by
  induction k with
  | zero => rw [Nat.zero_mul, Nat.add_zero]
  | succ k ih => rw [Nat.succ_mul, ← Nat.add_assoc, gcd_fib_add, ih]

/-- The greatest common measure of two Fibonacci numbers is one itself. -/
theorem gcd_fib (m n : Nat) : gcd (fib m) (fib n) = fib (gcd m n) := by
  induction n using Nat.strongRecOn generalizing m with
  | ind n ih =>
    rcases Nat.eq_zero_or_pos n with h | h
    · subst h
      rw [gcd_zero]
      exact gcd_zero _
    · rw [gcd_step m n, ← ih (m % n) (Nat.mod_lt m h) n]
      have h1 : m = m % n + m / n * n := by
        have h2 := Nat.mod_add_div m n
        rw [Nat.mul_comm] at h2
        exact h2.symm
      have h2 := gcd_fib_add_mul n (m % n) (m / n)
      rw [← h1] at h2
      rw [gcd_comm, h2]

theorem fib_coprime_of_coprime (m n : Nat) (h : Coprime m n) : Coprime (fib m) (fib n) := by
  unfold Coprime at *
  rw [gcd_fib, h]
  rfl

theorem fib_even_of_three (k : Nat) : Measures 2 (fib (k * 3)) := by
  have h := fib_measures_mul 3 k
  exact h

end Addition

section Cassini

/-- Cassini's identity. -/
theorem cassini (n : Nat) :
    (fib n : Int) * fib (n + 2) - fib (n + 1) * fib (n + 1) = - (-1) ^ n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [fib_add_two (n + 1), fib_add_two n] at *
    rw [Int.natCast_add, Int.natCast_add] at *
    rw [Int.pow_succ]
    grind

theorem sum_fib (n : Nat) : sumOver (fun i => (fib i : Int)) 0 n + 1 = fib (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumOver_succ, Nat.zero_add, fib_add_two, Int.natCast_add]
    omega

theorem sum_fib_squares (n : Nat) :
    sumOver (fun i => (fib i : Int) * fib i) 0 (n + 1) = fib n * fib (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumOver_succ, ih, Nat.zero_add, fib_add_two, Int.natCast_add]
    grind

theorem sum_fib_odd (n : Nat) :
    sumOver (fun i => (fib (2 * i + 1) : Int)) 0 n = fib (2 * n) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumOver_succ, ih, Nat.zero_add]
    have h : 2 * (n + 1) = 2 * n + 2 := by omega
    rw [h, fib_add_two, Int.natCast_add]

theorem sum_fib_even (n : Nat) :
    sumOver (fun i => (fib (2 * i) : Int)) 0 (n + 1) + 1 = fib (2 * n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumOver_succ, Nat.zero_add]
    have h : 2 * (n + 1) + 1 = 2 * n + 1 + 2 := by omega
    have h1 : 2 * (n + 1) = 2 * n + 1 + 1 := by omega
    rw [h, fib_add_two, h1, Int.natCast_add]
    omega

end Cassini

section Lucas

theorem lucas_add_two (n : Nat) : lucas (n + 2) = lucas n + lucas (n + 1) := by
  rfl

/-- Two sequences with the same rule agree if they start in the same way. -/
theorem gibonacci_unique (f : Nat → Nat) (a b : Nat) (h0 : f 0 = a) (h1 : f 1 = b)
    (h : ∀ n, f (n + 2) = f n + f (n + 1)) (n : Nat) : f n = gibonacci a b n := by
  suffices hn : f n = gibonacci a b n ∧ f (n + 1) = gibonacci a b (n + 1) from hn.1
  induction n with
  | zero => exact ⟨h0, h1⟩
  | succ n ih =>
    refine ⟨ih.2, ?_⟩
    rw [h, ih.1, ih.2]
    rfl

theorem lucas_eq_gibonacci (n : Nat) : lucas n = gibonacci 2 1 n := by
  apply gibonacci_unique
  · rfl
  · rfl
  · exact lucas_add_two

theorem lucas_succ (n : Nat) : lucas (n + 1) = fib n + fib (n + 2) := by
  suffices h : lucas (n + 1) = fib n + fib (n + 2) ∧
      lucas (n + 2) = fib (n + 1) + fib (n + 3) from h.1
  induction n with
  | zero => decide
  | succ n ih =>
    refine ⟨ih.2, ?_⟩
    rw [lucas_add_two, ih.1, ih.2]
    have h1 : fib (n + 2) = fib n + fib (n + 1) := rfl
    have h2 : fib (n + 4) = fib (n + 2) + fib (n + 3) := rfl
    show fib n + fib (n + 2) + (fib (n + 1) + fib (n + 3)) = fib (n + 2) + fib (n + 4)
    omega

theorem gibonacci_eq (a b n : Nat) : gibonacci a b (n + 1) = a * fib n + b * fib (n + 1) := by
  suffices h : gibonacci a b (n + 1) = a * fib n + b * fib (n + 1) ∧
      gibonacci a b (n + 2) = a * fib (n + 1) + b * fib (n + 2) from h.1
  induction n with
  | zero => simp [gibonacci, fib]
  | succ n ih =>
    refine ⟨ih.2, ?_⟩
    have h : gibonacci a b (n + 1 + 2) = gibonacci a b (n + 1) + gibonacci a b (n + 2) := rfl
    rw [h, ih.1, ih.2, fib_add_two n, fib_add_two (n + 1), fib_add_two n]
    simp only [Nat.mul_add]
    omega

theorem fib_mul_lucas (n : Nat) : fib (2 * n + 2) = fib (n + 1) * lucas (n + 1) := by
  rw [fib_double_even, lucas_succ, fib_add_two]
  congr 1
  omega

theorem gibonacci_add (a b c d n : Nat) :
    gibonacci (a + c) (b + d) n = gibonacci a b n + gibonacci c d n := by
  symm
  apply gibonacci_unique (fun n => gibonacci a b n + gibonacci c d n)
  · rfl
  · rfl
  · intro n
    simp only [gibonacci]
    omega

theorem lucas_pos (n : Nat) : 0 < lucas n := by
  cases n with
  | zero => decide
  | succ n =>
    rw [lucas_succ]
    exact Nat.add_pos_right _ (fib_pos (n + 1))

end Lucas

end Numbers
