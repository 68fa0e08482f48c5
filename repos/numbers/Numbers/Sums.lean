import Numbers.Measures

/-!
Sums and products over ranges `[a, b)` of natural numbers, with values in the integers.

A range is given by its start and its length: `sumOver f a n` adds up `f a, …, f (a + n - 1)`.
-/

namespace Numbers

/-- `f a + … + f (a + n - 1)`, from the left. -/
def sumOver (f : Nat → Int) (a : Nat) : Nat → Int
  | 0 => 0
  | n + 1 => f a + sumOver f (a + 1) n

/-- The same, as a loop that carries what was summed so far. -/
def sumLoop (f : Nat → Int) (a : Nat) (acc : Int) : Nat → Int
  | 0 => acc
  | n + 1 => sumLoop f (a + 1) (acc + f a) n

/-- `f a * … * f (a + n - 1)` -/
def prodOver (f : Nat → Int) (a : Nat) : Nat → Int
  | 0 => 1
  | n + 1 => f a * prodOver f (a + 1) n

/-- The step of a sequence: `f (i + 1) - f i`. -/
def diff (f : Nat → Int) (i : Nat) : Int := f (i + 1) - f i

/-- A polynomial by its coefficients, the constant one first. -/
def horner (cs : List Int) (x : Int) : Int :=
  match cs with
  | [] => 0
  | c :: cs => c + x * horner cs x

section Splitting

theorem sumOver_zero (f : Nat → Int) (a : Nat) : sumOver f a 0 = 0 := by
  rfl

theorem sumOver_one (f : Nat → Int) (a : Nat) : sumOver f a 1 = f a := by
  simp only [sumOver]
  rw [Int.add_zero]

theorem sumOver_append (f : Nat → Int) (a m n : Nat) :
    sumOver f a (m + n) = sumOver f a m + sumOver f (a + m) n := by
  induction m generalizing a with
  | zero =>
    rw [Nat.zero_add, Nat.add_zero, sumOver_zero, Int.zero_add]
  | succ m ih =>
    rw [Nat.succ_add]
    simp only [sumOver]
    rw [ih (a + 1), Int.add_assoc, Nat.add_right_comm a 1 m, Nat.add_assoc a m 1]

theorem sumOver_succ (f : Nat → Int) (a n : Nat) :
    sumOver f a (n + 1) = sumOver f a n + f (a + n) := by
  rw [sumOver_append, sumOver_one]

theorem sumOver_congr (f g : Nat → Int) (a n : Nat)
    (h : ∀ i, a ≤ i → i < a + n → f i = g i) : sumOver f a n = sumOver g a n := by
  induction n generalizing a with
  | zero => rfl
  | succ n ih =>
    simp only [sumOver]
    rw [h a (by omega) (by omega), ih (a + 1)]
    intro i h1 h2
    exact h i (by omega) (by omega)

theorem sumOver_shift (f : Nat → Int) (a c n : Nat) :
    sumOver (fun i => f (i + c)) a n = sumOver f (a + c) n := by
  induction n generalizing a with
  | zero => rfl
  | succ n ih =>
    simp only [sumOver]
    rw [ih (a + 1), Nat.add_right_comm]

theorem sumOver_from_zero (f : Nat → Int) (a n : Nat) :
    sumOver f a n = sumOver (fun i => f (a + i)) 0 n := by
  have h := sumOver_shift f 0 a n
  rw [Nat.zero_add] at h
  rw [← h]
  apply sumOver_congr
  intro i _ _
  rw [Nat.add_comm]

theorem sumLoop_eq (f : Nat → Int) (a : Nat) (acc : Int) (n : Nat) :
    sumLoop f a acc n = acc + sumOver f a n := by
  induction n generalizing a acc with
  | zero =>
    simp only [sumLoop, sumOver]
    rw [Int.add_zero]
  | succ n ih =>
    simp only [sumLoop, sumOver]
    rw [ih, Int.add_assoc]

theorem sumOver_reverse (f : Nat → Int) (n : Nat) :
    sumOver (fun i => f (n - 1 - i)) 0 n = sumOver f 0 n := by
  sorry

end Splitting

section Linear

theorem sumOver_add (f g : Nat → Int) (a n : Nat) :
    sumOver (fun i => f i + g i) a n = sumOver f a n + sumOver g a n := by
  induction n generalizing a with
  | zero => rfl
  | succ n ih =>
    simp only [sumOver]
    rw [ih (a + 1)]
    omega

theorem sumOver_mul (c : Int) (f : Nat → Int) (a n : Nat) :
    sumOver (fun i => c * f i) a n = c * sumOver f a n := by
  induction n generalizing a with
  | zero => rw [sumOver_zero, sumOver_zero, Int.mul_zero]
  | succ n ih =>
    simp only [sumOver]
    rw [ih (a + 1), Int.mul_add]

theorem sumOver_neg (f : Nat → Int) (a n : Nat) :
    sumOver (fun i => - f i) a n = - sumOver f a n := by
  induction n generalizing a with
  | zero => rfl
  | succ n ih =>
    simp only [sumOver]
    rw [ih (a + 1), Int.neg_add]

theorem sumOver_sub (f g : Nat → Int) (a n : Nat) :
    sumOver (fun i => f i - g i) a n = sumOver f a n - sumOver g a n := by
  sorry

theorem sumOver_const (c : Int) (a n : Nat) : sumOver (fun _ => c) a n = n * c := by
  induction n generalizing a with
  | zero =>
    rw [sumOver_zero]
    exact (Int.zero_mul c).symm
  | succ n ih =>
    simp only [sumOver]
    rw [ih (a + 1), Int.natCast_add, Int.add_mul, Int.add_comm]
    congr 1
    exact (Int.one_mul c).symm

theorem sumOver_le (f g : Nat → Int) (a n : Nat)
    (h : ∀ i, a ≤ i → i < a + n → f i ≤ g i) : sumOver f a n ≤ sumOver g a n := by
  induction n generalizing a with
  | zero => exact Int.le_refl 0
  | succ n ih =>
    simp only [sumOver]
    apply Int.add_le_add
    · exact h a (by omega) (by omega)
    · apply ih
      intro i h1 h2
      exact h i (by omega) (by omega)

theorem sumOver_nonneg (f : Nat → Int) (a n : Nat) (h : ∀ i, 0 ≤ f i) : 0 ≤ sumOver f a n := by
  have h1 := sumOver_le (fun _ => 0) f a n (fun i _ _ => h i)
  rw [sumOver_const, Int.mul_zero] at h1
  exact h1

theorem le_sumOver (f : Nat → Int) (n i : Nat) (h : ∀ j, 0 ≤ f j) (hi : i < n) :
    f i ≤ sumOver f 0 n := by
  sorry
/-- The order of two summations does not matter. -/
theorem sumOver_swap (f : Nat → Nat → Int) (a b m n : Nat) :
    sumOver (fun i => sumOver (f i) b n) a m =
      sumOver (fun j => sumOver (fun i => f i j) a m) b n := by
  sorry
theorem sumOver_mul_sumOver (f g : Nat → Int) (m n : Nat) :
    sumOver f 0 m * sumOver g 0 n =
      sumOver (fun i => sumOver (fun j => f i * g j) 0 n) 0 m := by
  sorry

end Linear

section Telescoping

theorem sumOver_diff (f : Nat → Int) (a n : Nat) :
    sumOver (diff f) a n = f (a + n) - f a := by
  induction n generalizing a with
  | zero =>
    rw [sumOver_zero, Nat.add_zero, Int.sub_self]
  | succ n ih =>
    simp only [sumOver]
    rw [ih (a + 1), diff, Nat.add_right_comm a 1 n, Nat.add_assoc a n 1]
    omega

theorem eq_of_diff_eq (f g : Nat → Int) (h0 : f 0 = g 0) (h : ∀ i, diff f i = diff g i)
    (n : Nat) : f n = g n := by
  sorry

theorem diff_sumOver (f : Nat → Int) (i : Nat) : diff (sumOver f 0) i = f i := by
  rw [diff, sumOver_succ, Nat.zero_add]
  omega

theorem diff_mul (f g : Nat → Int) (i : Nat) :
    diff (fun j => f j * g j) i = f (i + 1) * diff g i + diff f i * g i := by
  simp only [diff]
  rw [Int.mul_sub, Int.sub_mul]
  omega

/-- Summation by parts. -/
theorem sum_by_parts (f g : Nat → Int) (n : Nat) :
    sumOver (fun i => f (i + 1) * diff g i) 0 n =
      f n * g n - f 0 * g 0 - sumOver (fun i => diff f i * g i) 0 n := by
  have h := sumOver_diff (fun j => f j * g j) 0 n
  rw [Nat.zero_add] at h
  have h1 : sumOver (diff (fun j => f j * g j)) 0 n =
      sumOver (fun i => f (i + 1) * diff g i + diff f i * g i) 0 n := by
    apply sumOver_congr
    intro i _ _
    exact diff_mul f g i
  rw [h, sumOver_add] at h1
  omega

theorem sum_closed_form (f F : Nat → Int) (h0 : F 0 = 0) (h : ∀ i, F (i + 1) = F i + f i)
    (n : Nat) : sumOver f 0 n = F n := by
  sorry

theorem sum_numbers (n : Nat) : 2 * sumOver (fun i => (i : Int)) 0 n = n * (n - 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumOver_succ, Int.mul_add, ih]
    grind

theorem sum_squares (n : Nat) :
    6 * sumOver (fun i => (i : Int) * i) 0 (n + 1) = n * (n + 1) * (2 * n + 1) := by
  sorry

theorem sum_cubes (n : Nat) :
    sumOver (fun i => (i : Int) * i * i) 0 n * 4 = n * n * ((n - 1) * (n - 1)) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumOver_succ, Int.add_mul, ih]
    grind

theorem geometric_sum (x : Int) (n : Nat) :
    (x - 1) * sumOver (fun i => x ^ i) 0 n = x ^ n - 1 := by
  induction n with
  | zero =>
    rw [sumOver_zero, Int.mul_zero, Int.pow_zero]
    rfl
  | succ n ih =>
    rw [sumOver_succ, Int.mul_add, ih, Nat.zero_add, Int.pow_succ]
    grind

theorem sum_powers_of_two (n : Nat) : sumOver (fun i => (2 : Int) ^ i) 0 n = 2 ^ n - 1 := by
  have h := geometric_sum 2 n
  rw [← h]
  omega

theorem sum_weighted_powers (n : Nat) :
    sumOver (fun i => i * (2 : Int) ^ i) 0 n = (n - 2) * 2 ^ n + 2 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [sumOver_succ, ih, Nat.zero_add, Int.pow_succ]
    grind

theorem sum_alternating (n : Nat) :
    2 * sumOver (fun i => (-1 : Int) ^ i) 0 n = 1 - (-1) ^ n := by
  have h := geometric_sum (-1) n
  omega

end Telescoping

section Products

theorem prodOver_append (f : Nat → Int) (a m n : Nat) :
    prodOver f a (m + n) = prodOver f a m * prodOver f (a + m) n := by
  induction m generalizing a with
  | zero =>
    rw [Nat.zero_add, Nat.add_zero]
    exact (Int.one_mul _).symm
  | succ m ih =>
    rw [Nat.succ_add]
    simp only [prodOver]
    rw [ih (a + 1), Int.mul_assoc, Nat.add_right_comm a 1 m, Nat.add_assoc a m 1]

theorem prodOver_mul (f g : Nat → Int) (a n : Nat) :
    prodOver (fun i => f i * g i) a n = prodOver f a n * prodOver g a n := by
  induction n generalizing a with
  | zero => rfl
  | succ n ih =>
    simp only [prodOver]
    rw [ih (a + 1)]
    ac_rfl

theorem prodOver_eq_zero (f : Nat → Int) (a n i : Nat) (h1 : a ≤ i) (h2 : i < a + n)
    (h : f i = 0) : prodOver f a n = 0 := by
  sorry

theorem prodOver_const (c : Int) (a n : Nat) : prodOver (fun _ => c) a n = c ^ n := by
  induction n generalizing a with
  | zero => exact (Int.pow_zero c).symm
  | succ n ih =>
    simp only [prodOver]
    rw [ih (a + 1), Int.pow_succ, Int.mul_comm]

theorem prodOver_ratio (f g : Nat → Int)
    (hg : ∀ i, f (i + 1) = f i * g i) (a n : Nat) : f a * prodOver g a n = f (a + n) := by
  induction n generalizing a with
  | zero =>
    rw [Nat.add_zero]
    exact Int.mul_one _
  | succ n ih =>
    simp only [prodOver]
    rw [← Int.mul_assoc, ← hg, ih (a + 1), Nat.add_right_comm a 1 n, Nat.add_assoc a n 1]

end Products

section Polynomials

theorem horner_append (cs ds : List Int) (x : Int) :
    horner (cs ++ ds) x = horner cs x + x ^ cs.length * horner ds x := by
  induction cs with
  | nil =>
    simp only [List.nil_append, horner, List.length_nil]
    rw [Int.pow_zero, Int.one_mul, Int.zero_add]
  | cons c cs ih =>
    simp only [List.cons_append, horner, List.length_cons]
    rw [ih, Int.pow_succ, Int.mul_add, Int.add_assoc]
    congr 2
    ac_rfl

theorem horner_map_mul (c : Int) (cs : List Int) (x : Int) :
    horner (cs.map (c * ·)) x = c * horner cs x := by
  sorry

theorem horner_replicate (n : Nat) (x : Int) :
    (x - 1) * horner (List.replicate n 1) x = x ^ n - 1 := by
  induction n with
  | zero =>
    rw [Int.pow_zero]
    exact Int.mul_zero _
  | succ n ih =>
    simp only [List.replicate_succ, horner]
    rw [Int.mul_add, Int.mul_left_comm, ih, Int.pow_succ]
    grind

theorem horner_zero (cs : List Int) : horner (0 :: cs) 0 = 0 := by
  simp only [horner]
  rw [Int.zero_mul, Int.add_zero]

end Polynomials

end Numbers
