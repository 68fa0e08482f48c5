import Numbers.Primes
import Numbers.Sums

/-!
Binomial coefficients by Pascal's rule, falling products, and sums of rows, columns and diagonals.
-/

namespace Numbers

/-- The number of ways to choose `k` of `n` things, by Pascal's rule. -/
def choose : Nat → Nat → Nat
  | _, 0 => 1
  | 0, _ + 1 => 0
  | n + 1, k + 1 => choose n k + choose n (k + 1)

/-- `n (n - 1) … (n - k + 1)` -/
def falling (n : Nat) : Nat → Nat
  | 0 => 1
  | k + 1 => falling n k * (n - k)

/-- `n (n + 1) … (n + k - 1)` -/
def rising (n : Nat) : Nat → Nat
  | 0 => 1
  | k + 1 => rising n k * (n + k)

/-- The next row of Pascal's triangle, where `a` is what stands to the left of the row. -/
def nextRow (a : Nat) : List Nat → List Nat
  | [] => [a]
  | b :: bs => (a + b) :: nextRow b bs

/-- The lists of length `k` that one gets from a list by leaving out elements. -/
def picks {α : Type} : List α → Nat → List (List α)
  | _, 0 => [[]]
  | [], _ + 1 => []
  | x :: xs, k + 1 => (picks xs k).map (x :: ·) ++ picks xs (k + 1)

section Pascal

theorem choose_zero (n : Nat) : choose n 0 = 1 := by
  cases n with
  | zero => rfl
  | succ n => rfl

theorem choose_succ_succ (n k : Nat) :
    choose (n + 1) (k + 1) = choose n k + choose n (k + 1) := by
  rfl

theorem choose_one (n : Nat) : choose n 1 = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [choose_succ_succ, choose_zero, ih, Nat.add_comm]

theorem choose_of_lt (n k : Nat) (h : n < k) : choose n k = 0 := by
  induction n generalizing k with
  | zero =>
    cases k with
    | zero => contradiction
    | succ k => rfl
  | succ n ih =>
    cases k with
    | zero => contradiction
    | succ k =>
      rw [choose_succ_succ, ih k (by omega), ih (k + 1) (by omega)]

theorem choose_self (n : Nat) : choose n n = 1 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [choose_succ_succ, ih, choose_of_lt n (n + 1) (Nat.lt_succ_self n)]

theorem choose_succ_self (n : Nat) : choose (n + 1) n = n + 1 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [choose_succ_succ, ih, choose_self]

theorem choose_pos (n k : Nat) (h : k ≤ n) : 0 < choose n k := by
  induction n generalizing k with
  | zero =>
    have h1 : k = 0 := by omega
    rw [h1]
    exact Nat.one_pos
  | succ n ih =>
    cases k with
    | zero => exact Nat.one_pos
    | succ k =>
      rw [choose_succ_succ]
      have h1 := ih k (by omega)
      omega

theorem choose_eq_zero_iff (n k : Nat) : choose n k = 0 ↔ n < k := by
  constructor
  · intro h
    rcases Nat.lt_or_ge n k with h1 | h1
    · exact h1
    · have h2 := choose_pos n k h1
      omega
  · exact choose_of_lt n k

theorem choose_two (n : Nat) : 2 * choose (n + 1) 2 = n * (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [choose_succ_succ, Nat.mul_add, ih, choose_one]
    grind

theorem choose_le_succ (n k : Nat) : choose n k ≤ choose (n + 1) k := by
  cases k with
  | zero =>
    rw [choose_zero, choose_zero]
    exact Nat.le_refl 1
  | succ k =>
    rw [choose_succ_succ]
    exact Nat.le_add_left _ _

theorem choose_mono (m n k : Nat) (h : m ≤ n) : choose m k ≤ choose n k := by
  induction h with
  | refl => exact Nat.le_refl _
  | step _ ih => exact Nat.le_trans ih (choose_le_succ _ k)

/-- The rule of absorption. -/
theorem choose_absorb (n k : Nat) :
    (k + 1) * choose (n + 1) (k + 1) = (n + 1) * choose n k := by
  induction n generalizing k with
  | zero =>
    cases k with
    | zero => rfl
    | succ k =>
      rw [choose_of_lt 1 (k + 2) (by omega), choose_of_lt 0 (k + 1) (by omega)]
      rfl
  | succ n ih =>
    cases k with
    | zero =>
      rw [choose_one, choose_zero]
      omega
    | succ k =>
      have h1 := ih k
      have h2 := ih (k + 1)
      rw [choose_succ_succ (n + 1) (k + 1), Nat.mul_add, h2]
      rw [choose_succ_succ n k] at *
      grind

theorem choose_step (n k : Nat) : (k + 1) * choose n (k + 1) = (n - k) * choose n k := by
  rcases Nat.lt_or_ge n k with h | h
  · rw [choose_of_lt n (k + 1) (by omega), choose_of_lt n k h]
    rfl
  · have h1 := choose_absorb n k
    rw [choose_succ_succ, Nat.mul_add] at h1
    have h2 : (n + 1) * choose n k = (k + 1) * choose n k + (n - k) * choose n k := by
      rw [← Nat.add_mul]
      congr 1
      omega
    omega

theorem choose_mul_factorial (a b : Nat) :
    choose (a + b) a * (factorial a * factorial b) = factorial (a + b) := by
  induction a with
  | zero =>
    rw [Nat.zero_add, choose_zero]
    simp only [factorial]
    omega
  | succ a ih =>
    have h := choose_absorb (a + b) a
    have h1 : a + 1 + b = a + b + 1 := by omega
    rw [h1, factorial_succ (a + b), ← ih, factorial_succ a]
    calc choose (a + b + 1) (a + 1) * ((a + 1) * factorial a * factorial b)
        = (a + 1) * choose (a + b + 1) (a + 1) * (factorial a * factorial b) := by ac_rfl
      _ = (a + b + 1) * choose (a + b) a * (factorial a * factorial b) := by rw [h]
      _ = (a + b + 1) * (choose (a + b) a * (factorial a * factorial b)) := by ac_rfl

theorem choose_symm (a b : Nat) : choose (a + b) a = choose (a + b) b := by
  have h1 := choose_mul_factorial a b
  have h2 := choose_mul_factorial b a
  rw [Nat.add_comm b a, Nat.mul_comm (factorial b)] at h2
  have h3 : 0 < factorial a * factorial b := Nat.mul_pos (factorial_pos a) (factorial_pos b)
  apply Nat.eq_of_mul_eq_mul_right h3
  rw [h1, h2]

theorem factorial_mul_measures (a b : Nat) :
    Measures (factorial a * factorial b) (factorial (a + b)) := by
  rw [← choose_mul_factorial a b]
  exact measures_mul _ _

/-- A prime measures the inner numbers of its row. -/
theorem prime_measures_choose (p k : Nat) (hp : Prime p) (h1 : 0 < k) (h2 : k < p) :
    Measures p (choose p k) := by
  cases k with
  | zero => contradiction
  | succ k =>
    cases p with
    | zero => contradiction
    | succ p =>
      have h3 := choose_absorb p k
      have h4 : Measures (p + 1) ((k + 1) * choose (p + 1) (k + 1)) := by
        rw [h3, Nat.mul_comm]
        exact measures_mul _ _
      rcases prime_measures_mul _ _ _ hp h4 with h5 | h5
      · have h6 := measures_le _ _ h5 h1
        omega
      · exact h5

theorem choose_trade (a b c : Nat) :
    choose (a + b + c) (a + b) * choose (a + b) a =
      choose (a + (b + c)) a * choose (b + c) b := by
  have h1 := choose_mul_factorial (a + b) c
  have h2 := choose_mul_factorial a b
  have h3 := choose_mul_factorial a (b + c)
  have h4 := choose_mul_factorial b c
  have hpos : 0 < factorial a * factorial b * factorial c :=
    Nat.mul_pos (Nat.mul_pos (factorial_pos a) (factorial_pos b)) (factorial_pos c)
  apply Nat.eq_of_mul_eq_mul_right hpos
  calc choose (a + b + c) (a + b) * choose (a + b) a * (factorial a * factorial b * factorial c)
      = choose (a + b + c) (a + b) *
          (choose (a + b) a * (factorial a * factorial b) * factorial c) := by ac_rfl
    _ = factorial (a + b + c) := by rw [h2, h1]
    _ = factorial (a + (b + c)) := by rw [Nat.add_assoc]
    _ = choose (a + (b + c)) a *
          (factorial a * (choose (b + c) b * (factorial b * factorial c))) := by rw [h4, h3]
    _ = choose (a + (b + c)) a * choose (b + c) b *
          (factorial a * factorial b * factorial c) := by ac_rfl

end Pascal

section Falling

theorem falling_of_lt (n k : Nat) (h : n < k) : falling n k = 0 := by
  induction k with
  | zero => contradiction
  | succ k ih =>
    simp only [falling]
    by_cases h1 : n < k
    · rw [ih h1, Nat.zero_mul]
    · have h2 : n - k = 0 := by omega
      rw [h2, Nat.mul_zero]

theorem falling_succ_succ (n k : Nat) : falling (n + 1) (k + 1) = (n + 1) * falling n k := by
  induction k with
  | zero => simp [falling]
  | succ k ih =>
    rw [falling, ih, falling, Nat.mul_assoc]
    congr 2
    omega

theorem falling_self (n : Nat) : falling n n = factorial n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [falling_succ_succ, ih, factorial_succ]

theorem choose_mul_falling (n k : Nat) : choose n k * factorial k = falling n k := by
  induction k generalizing n with
  | zero =>
    rw [choose_zero]
    rfl
  | succ k ih =>
    cases n with
    | zero =>
      rw [choose_of_lt 0 (k + 1) (by omega), falling_of_lt 0 (k + 1) (by omega), Nat.zero_mul]
    | succ n =>
      rw [falling_succ_succ, ← ih n, factorial_succ, ← Nat.mul_assoc,
        Nat.mul_comm (choose (n + 1) (k + 1)), choose_absorb, Nat.mul_assoc]

theorem falling_add (n j k : Nat) : falling n (j + k) = falling n j * falling (n - j) k := by
  induction k with
  | zero =>
    simp only [falling]
    rw [Nat.mul_one]
    rfl
  | succ k ih =>
    rw [← Nat.add_assoc, falling, ih, falling, Nat.mul_assoc]
    congr 2
    omega

theorem rising_succ_left (n k : Nat) : rising n (k + 1) = n * rising (n + 1) k := by
  induction k with
  | zero => simp [rising]
  | succ k ih =>
    rw [rising, ih, rising, Nat.mul_assoc]
    congr 2
    omega

theorem rising_eq_falling (n k : Nat) : rising (n + 1) k = falling (n + k) k := by
  induction k with
  | zero => rfl
  | succ k ih =>
    rw [rising, ih, ← Nat.add_assoc, falling_succ_succ, Nat.mul_comm]
    congr 1
    omega

theorem factorial_measures_rising (n k : Nat) : Measures (factorial k) (rising (n + 1) k) := by
  rw [rising_eq_falling, ← choose_mul_falling]
  exact measures_mul _ _

theorem falling_le_pow (n k : Nat) : falling n k ≤ n ^ k := by
  induction k with
  | zero => exact Nat.le_refl 1
  | succ k ih =>
    rw [falling, Nat.pow_succ]
    exact Nat.mul_le_mul ih (Nat.sub_le n k)

end Falling

section Sums

/-- The sum of a row, as a number of its own. -/
def rowSum (n : Nat) : Nat → Nat
  | 0 => 0
  | k + 1 => rowSum n k + choose n k

theorem rowSum_succ (n k : Nat) : rowSum (n + 1) (k + 1) = rowSum n (k + 1) + rowSum n k := by
  induction k with
  | zero =>
    simp only [rowSum]
    rw [choose_zero, choose_zero]
  | succ k ih =>
    rw [rowSum, ih, choose_succ_succ]
    simp only [rowSum]
    omega

theorem rowSum_beyond (n k : Nat) (h : n < k) : rowSum n (k + 1) = rowSum n k := by
  rw [rowSum, choose_of_lt n k h, Nat.add_zero]

theorem rowSum_full (n : Nat) : rowSum n (n + 1) = 2 ^ n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [rowSum_succ, rowSum_beyond n (n + 1) (Nat.lt_succ_self n), ih, Nat.pow_succ]
    omega

theorem choose_le_two_pow (n k : Nat) : choose n k ≤ 2 ^ n := by
  rcases Nat.lt_or_ge n k with h | h
  · rw [choose_of_lt n k h]
    exact Nat.zero_le _
  · rw [← rowSum_full]
    have key : ∀ m, k < m → choose n k ≤ rowSum n m := by
      intro m hm
      induction m with
      | zero => contradiction
      | succ m ih =>
        rw [rowSum]
        by_cases h1 : k = m
        · rw [h1]
          exact Nat.le_add_left _ _
        · have h2 := ih (by omega)
          omega
    exact key (n + 1) (by omega)

/-- The sum of a column. -/
theorem hockey_stick (k n : Nat) :
    sumOver (fun i => (choose i k : Int)) 0 n = choose n (k + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumOver_succ, ih, Nat.zero_add, choose_succ_succ, Int.natCast_add]
    exact Int.add_comm _ _

theorem diagonal_sum (n k : Nat) :
    sumOver (fun i => (choose (n + i) i : Int)) 0 (k + 1) = choose (n + k + 1) k := by
  induction k with
  | zero =>
    rw [sumOver_one, choose_zero, choose_zero]
  | succ k ih =>
    rw [sumOver_succ, ih, Nat.zero_add, choose_succ_succ, Int.natCast_add, Nat.add_assoc]

theorem alternating_row (n k : Nat) :
    sumOver (fun i => (-1 : Int) ^ i * choose (n + 1) i) 0 (k + 1) =
      (-1) ^ k * choose n k := by
  induction k with
  | zero =>
    rw [sumOver_one, choose_zero, choose_zero]
  | succ k ih =>
    rw [sumOver_succ, ih, Nat.zero_add, choose_succ_succ, Int.natCast_add, Int.pow_succ]
    grind

theorem alternating_row_zero (n : Nat) :
    sumOver (fun i => (-1 : Int) ^ i * choose (n + 1) i) 0 (n + 2) = 0 := by
  rw [alternating_row, choose_of_lt n (n + 1) (Nat.lt_succ_self n)]
  exact Int.mul_zero _

end Sums

section Rows

theorem length_nextRow (a : Nat) (row : List Nat) :
    (nextRow a row).length = row.length + 1 := by
  induction row generalizing a with
  | nil => rfl
  | cons b bs ih =>
    simp only [nextRow, List.length_cons]
    rw [ih]

theorem sum_nextRow (a : Nat) (row : List Nat) :
    (nextRow a row).sum = a + 2 * row.sum := by
  induction row generalizing a with
  | nil => rfl
  | cons b bs ih =>
    simp only [nextRow, List.sum_cons]
    rw [ih]
    omega

theorem nextRow_range (n k m : Nat) :
    nextRow (choose n k) ((List.range' (k + 1) m).map (choose n)) =
      (List.range' (k + 1) m).map (choose (n + 1)) ++ [choose n (k + m)] := by
  induction m generalizing k with
  | zero => rfl
  | succ m ih =>
    rw [List.range'_succ, List.map_cons, List.map_cons, nextRow, ih (k + 1)]
    rw [List.cons_append, choose_succ_succ]
    congr 3
    congr 1
    omega

theorem length_picks {α : Type} (xs : List α) (k : Nat) :
    (picks xs k).length = choose xs.length k := by
  induction xs generalizing k with
  | nil =>
    cases k with
    | zero => rfl
    | succ k => rfl
  | cons x xs ih =>
    cases k with
    | zero => rfl
    | succ k =>
      simp only [picks, List.length_append, List.length_map, List.length_cons]
      rw [ih k, ih (k + 1), choose_succ_succ]

theorem length_of_pick {α : Type} (xs ys : List α) (k : Nat) (h : ys ∈ picks xs k) :
    ys.length = k := by
  induction xs generalizing k ys with
  | nil =>
    cases k with
    | zero =>
      simp only [picks, List.mem_singleton] at h
      rw [h]
      rfl
    | succ k =>
      simp only [picks, List.not_mem_nil] at h
  | cons x xs ih =>
    cases k with
    | zero =>
      simp only [picks, List.mem_singleton] at h
      rw [h]
      rfl
    | succ k =>
      simp only [picks, List.mem_append, List.mem_map] at h
      rcases h with ⟨zs, h1, h2⟩ | h1
      · rw [← h2, List.length_cons, ih zs k h1]
      · exact ih ys (k + 1) h1

theorem mem_of_pick {α : Type} (xs ys : List α) (k : Nat) (h : ys ∈ picks xs k) (y : α)
    (hy : y ∈ ys) : y ∈ xs := by
  induction xs generalizing k ys with
  | nil =>
    cases k with
    | zero =>
      simp only [picks, List.mem_singleton] at h
      rw [h] at hy
      contradiction
    | succ k =>
      simp only [picks, List.not_mem_nil] at h
  | cons x xs ih =>
    cases k with
    | zero =>
      simp only [picks, List.mem_singleton] at h
      rw [h] at hy
      contradiction
    | succ k =>
      simp only [picks, List.mem_append, List.mem_map] at h
      rcases h with ⟨zs, h1, h2⟩ | h1
      · rw [← h2] at hy
        rcases List.mem_cons.mp hy with h3 | h3
        · rw [h3]
          exact List.mem_cons_self
        · exact List.mem_cons_of_mem x (ih zs k h1 h3)
      · exact List.mem_cons_of_mem x (ih ys (k + 1) h1 hy)

end Rows

end Numbers
