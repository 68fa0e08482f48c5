/-!
Divisibility as Euclid puts it: `d` measures `n` if `n` is reached from zero in steps of `d`.

The relation is inductive; `measures_iff` is the bridge to multiplication. Common measures and
multiples, quotients and remainders follow.
-/

namespace Numbers

/-- `d` measures `n`: going up from zero in steps of `d` one comes to `n`. -/
inductive Measures (d : Nat) : Nat → Prop where
  | zero : Measures d 0
  | step (n : Nat) (h : Measures d n) : Measures d (n + d)

/-- `d` measures both numbers. -/
def CommonMeasure (d a b : Nat) : Prop := Measures d a ∧ Measures d b

/-- `n` is measured by both numbers. -/
def CommonMultiple (n a b : Nat) : Prop := Measures a n ∧ Measures b n

/-- Going down from `n` in steps of `d`, at most `fuel` of them, as long as one can. -/
def reduce (d : Nat) : Nat → Nat → Nat
  | 0, n => n
  | fuel + 1, n => if d ≤ n then reduce d fuel (n - d) else n

section Basics

theorem measures_self (d : Nat) : Measures d d := by
  have h := Measures.step 0 (Measures.zero (d := d))
  rw [Nat.zero_add] at h
  exact h

theorem measures_mul (d k : Nat) : Measures d (k * d) := by
  induction k with
  | zero =>
    rw [Nat.zero_mul]
    exact Measures.zero
  | succ k ih =>
    rw [Nat.succ_mul]
    exact Measures.step _ ih

theorem measures_iff (d n : Nat) : Measures d n ↔ ∃ k, n = k * d := by
  constructor
  · intro h
    induction h with
    | zero => exact ⟨0, by rw [Nat.zero_mul]⟩
    | step n _ ih =>
      obtain ⟨k, hk⟩ := ih
      refine ⟨k + 1, ?_⟩
      rw [hk, Nat.succ_mul]
  · intro h
    obtain ⟨k, hk⟩ := h
    rw [hk]
    exact measures_mul d k

theorem one_measures (n : Nat) : Measures 1 n := by
  rw [measures_iff]
  exact ⟨n, (Nat.mul_one n).symm⟩

theorem zero_measures_iff (n : Nat) : Measures 0 n ↔ n = 0 := by
  rw [measures_iff]
  constructor
  · intro h
    obtain ⟨k, hk⟩ := h
    rw [hk, Nat.mul_zero]
  · intro h
    exact ⟨0, by rw [h]⟩

theorem measures_add (d m n : Nat) (hm : Measures d m) (hn : Measures d n) :
    Measures d (m + n) := by
  induction hn with
  | zero => exact hm
  | step n _ ih =>
    rw [← Nat.add_assoc]
    exact Measures.step _ ih

theorem measures_trans (a b c : Nat) (h1 : Measures a b) (h2 : Measures b c) : Measures a c := by
  induction h2 with
  | zero => exact Measures.zero
  | step n _ ih => exact measures_add a n b ih h1

theorem measures_mul_left (d m n : Nat) (h : Measures d n) : Measures d (m * n) := by
  have h1 := measures_mul n m
  exact measures_trans d n _ h h1

theorem measures_mul_mul (a b m n : Nat) (h1 : Measures a m) (h2 : Measures b n) :
    Measures (a * b) (m * n) := by
  rw [measures_iff] at *
  obtain ⟨k, hk⟩ := h1
  obtain ⟨l, hl⟩ := h2
  refine ⟨k * l, ?_⟩
  rw [hk, hl, Nat.mul_mul_mul_comm]

theorem measures_le (d n : Nat) (h : Measures d n) (hn : 0 < n) : d ≤ n := by
  cases h with
  | zero => contradiction
  | step n _ => exact Nat.le_add_left d n

theorem measures_antisymm (a b : Nat) (h1 : Measures a b) (h2 : Measures b a) : a = b := by
  rcases Nat.eq_zero_or_pos a with ha | ha
  · subst ha
    rw [zero_measures_iff] at h1
    exact h1.symm
  · rcases Nat.eq_zero_or_pos b with hb | hb
    · subst hb
      rw [zero_measures_iff] at h2
      exact h2
    · apply Nat.le_antisymm
      · exact measures_le a b h1 hb
      · exact measures_le b a h2 ha

theorem measures_one_iff (d : Nat) : Measures d 1 ↔ d = 1 := by
  constructor
  · intro h
    exact measures_antisymm d 1 h (one_measures d)
  · intro h
    rw [h]
    exact measures_self 1

end Basics

section Cancellation

theorem measures_of_add (d m n : Nat) (hm : Measures d m) (h : Measures d (m + n)) :
    Measures d n := by
  induction hm with
  | zero =>
    rw [Nat.zero_add] at h
    exact h
  | step m _ ih =>
    apply ih
    rw [measures_iff] at h
    obtain ⟨k, hk⟩ := h
    rw [measures_iff]
    refine ⟨k - 1, ?_⟩
    rw [Nat.sub_mul, ← hk]
    omega

theorem measures_sub (d m n : Nat) (hm : Measures d m) (hn : Measures d n) :
    Measures d (m - n) := by
  by_cases h : n ≤ m
  · apply measures_of_add d n (m - n) hn
    rw [Nat.add_sub_cancel' h]
    exact hm
  · rw [Nat.sub_eq_zero_of_le (by omega)]
    exact Measures.zero

theorem measures_add_iff (d m n : Nat) (hn : Measures d n) :
    Measures d (m + n) ↔ Measures d m := by
  constructor
  · intro h
    rw [Nat.add_comm] at h
    exact measures_of_add d n m hn h
  · intro h
    exact measures_add d m n h hn

theorem measures_of_mul_mul (c d n : Nat) (hc : 0 < c) (h : Measures (c * d) (c * n)) :
    Measures d n := by
  rw [measures_iff] at *
  obtain ⟨k, hk⟩ := h
  refine ⟨k, ?_⟩
  apply Nat.eq_of_mul_eq_mul_left hc
  rw [hk, Nat.mul_left_comm]

theorem measures_succ_iff (d n : Nat) (h : Measures d n) : Measures d (n + 1) ↔ d = 1 := by
  constructor
  · intro h1
    have h2 := measures_of_add d n 1 h h1
    exact (measures_one_iff d).mp h2
  · intro h1
    rw [h1]
    exact one_measures _

theorem measures_linear (d a b x y : Nat) (ha : Measures d a) (hb : Measures d b) :
    Measures d (x * a - y * b) := by
  apply measures_sub
  · exact measures_mul_left d x a ha
  · exact measures_mul_left d y b hb

end Cancellation

section Remainder

theorem measures_sub_mod (d n : Nat) : Measures d (n - n % d) := by
  rw [measures_iff]
  refine ⟨n / d, ?_⟩
  have h := Nat.div_add_mod n d
  rw [Nat.mul_comm]
  omega

theorem measures_iff_mod (d n : Nat) : Measures d n ↔ n % d = 0 := by
  constructor
  · intro h
    induction h with
    | zero => exact Nat.zero_mod d
    | step n _ ih => rw [Nat.add_mod_right, ih]
  · intro h
    have h1 := measures_sub_mod d n
    rw [h, Nat.sub_zero] at h1
    exact h1

theorem measures_mod (c d n : Nat) (h1 : Measures c d) (h2 : Measures c n) :
    Measures c (n % d) := by
  have h3 := measures_trans c d _ h1 (measures_sub_mod d n)
  have h4 : n - n % d + n % d = n := Nat.sub_add_cancel (Nat.mod_le n d)
  apply measures_of_add c (n - n % d) (n % d) h3
  rw [h4]
  exact h2

theorem measures_of_mod (c d n : Nat) (h1 : Measures c d) (h2 : Measures c (n % d)) :
    Measures c n := by
  have h3 := measures_trans c d _ h1 (measures_sub_mod d n)
  have h4 := measures_add c _ _ h3 h2
  rw [Nat.sub_add_cancel (Nat.mod_le n d)] at h4
  exact h4

theorem not_measures_of_lt (d n : Nat) (h1 : 0 < n) (h2 : n < d) : ¬ Measures d n := by
  intro h
  have h3 := measures_le d n h h1
  omega

theorem exists_measures_between (d n : Nat) (hd : 0 < d) :
    ∃ m, Measures d m ∧ n ≤ m ∧ m < n + d := by
  induction n with
  | zero => exact ⟨0, Measures.zero, Nat.le_refl 0, by omega⟩
  | succ n ih =>
    obtain ⟨m, hm, h1, h2⟩ := ih
    by_cases h : m = n
    · refine ⟨m + d, Measures.step m hm, ?_, ?_⟩
      · omega
      · omega
    · exact ⟨m, hm, by omega, by omega⟩

theorem reduce_le (d fuel n : Nat) : reduce d fuel n ≤ n := by
  induction fuel generalizing n with
  | zero => exact Nat.le_refl n
  | succ fuel ih =>
    simp only [reduce]
    split
    · have h := ih (n - d)
      omega
    · exact Nat.le_refl n

theorem reduce_of_lt (d fuel n : Nat) (h : n < d) : reduce d fuel n = n := by
  cases fuel with
  | zero => rfl
  | succ fuel =>
    simp only [reduce]
    rw [if_neg]
    omega

theorem reduce_lt (d fuel n : Nat) (hd : 0 < d) (h : n ≤ fuel) : reduce d fuel n < d := by
  induction fuel generalizing n with
  | zero =>
    simp only [reduce]
    omega
  | succ fuel ih =>
    simp only [reduce]
    split
    · apply ih
      omega
    · omega

theorem measures_sub_reduce (d fuel n : Nat) : Measures d (n - reduce d fuel n) := by
  induction fuel generalizing n with
  | zero =>
    simp only [reduce]
    rw [Nat.sub_self]
    exact Measures.zero
  | succ fuel ih =>
    simp only [reduce]
    split
    · have h1 := ih (n - d)
      have h2 := reduce_le d fuel (n - d)
      have h3 : n - reduce d fuel (n - d) = n - d - reduce d fuel (n - d) + d := by omega
      rw [h3]
      exact Measures.step _ h1
    · rw [Nat.sub_self]
      exact Measures.zero

theorem reduce_eq_mod (d fuel n : Nat) (hd : 0 < d) (h : n ≤ fuel) :
    reduce d fuel n = n % d := by
  induction fuel generalizing n with
  | zero =>
    have h1 : n = 0 := by omega
    subst h1
    rw [Nat.zero_mod]
    rfl
  | succ fuel ih =>
    simp only [reduce]
    split
    · rename_i h1
      rw [ih (n - d) (by omega)]
      exact (Nat.mod_eq_sub_mod h1).symm
    · rename_i h1
      rw [Nat.mod_eq_of_lt (by omega)]

theorem measures_iff_reduce (d n : Nat) (hd : 0 < d) : Measures d n ↔ reduce d n n = 0 := by
  rw [measures_iff_mod, reduce_eq_mod d n n hd (Nat.le_refl n)]

end Remainder

section Common

theorem commonMeasure_symm (d a b : Nat) (h : CommonMeasure d a b) : CommonMeasure d b a := by
  exact ⟨h.2, h.1⟩

theorem commonMeasure_one (a b : Nat) : CommonMeasure 1 a b := by
  constructor
  · exact one_measures a
  · exact one_measures b

theorem commonMeasure_zero_iff (d a : Nat) : CommonMeasure d a 0 ↔ Measures d a := by
  constructor
  · intro h
    exact h.1
  · intro h
    exact ⟨h, Measures.zero⟩

theorem commonMeasure_add (d a b : Nat) : CommonMeasure d a (b + a) ↔ CommonMeasure d a b := by
  constructor
  · rintro ⟨h1, h2⟩
    refine ⟨h1, ?_⟩
    rw [Nat.add_comm] at h2
    exact measures_of_add d a b h1 h2
  · rintro ⟨h1, h2⟩
    exact ⟨h1, measures_add d b a h2 h1⟩

theorem commonMeasure_mod (d a b : Nat) : CommonMeasure d b (a % b) ↔ CommonMeasure d a b := by
  constructor
  · rintro ⟨h1, h2⟩
    exact ⟨measures_of_mod d b a h1 h2, h1⟩
  · rintro ⟨h1, h2⟩
    exact ⟨h2, measures_mod d b a h2 h1⟩

theorem commonMeasure_mul (c d a b : Nat) (h : CommonMeasure d a b) :
    CommonMeasure (c * d) (c * a) (c * b) := by
  obtain ⟨h1, h2⟩ := h
  constructor
  · exact measures_mul_mul c d c a (measures_self c) h1
  · exact measures_mul_mul c d c b (measures_self c) h2

theorem commonMeasure_succ (d n : Nat) (h : CommonMeasure d n (n + 1)) : d = 1 := by
  obtain ⟨h1, h2⟩ := h
  exact (measures_succ_iff d n h1).mp h2

theorem commonMeasure_odd (d n : Nat) (h : CommonMeasure d (2 * n + 1) (2 * n + 3)) : d = 1 := by
  obtain ⟨h1, h2⟩ := h
  have h3 : Measures d 2 := measures_of_add d (2 * n + 1) 2 h1 h2
  have h4 : Measures d (2 * n) := by
    rw [Nat.mul_comm]
    exact measures_mul_left d n 2 h3
  have h5 : Measures d 1 := measures_of_add d (2 * n) 1 h4 h1
  exact (measures_one_iff d).mp h5

theorem commonMultiple_mul (a b : Nat) : CommonMultiple (a * b) a b := by
  constructor
  · rw [Nat.mul_comm]
    exact measures_mul a b
  · exact measures_mul b a

theorem commonMultiple_add (m n a b : Nat) (h1 : CommonMultiple m a b)
    (h2 : CommonMultiple n a b) : CommonMultiple (m + n) a b := by
  obtain ⟨h3, h4⟩ := h1
  obtain ⟨h5, h6⟩ := h2
  exact ⟨measures_add a m n h3 h5, measures_add b m n h4 h6⟩

theorem commonMultiple_sub (m n a b : Nat) (h1 : CommonMultiple m a b)
    (h2 : CommonMultiple n a b) : CommonMultiple (m - n) a b := by
  constructor
  · exact measures_sub a m n h1.1 h2.1
  · exact measures_sub b m n h1.2 h2.2

theorem least_commonMultiple_measures (l n a b : Nat) (hl : 0 < l) (h : CommonMultiple l a b)
    (least : ∀ m, 0 < m → CommonMultiple m a b → l ≤ m) (hn : CommonMultiple n a b) :
    Measures l n := by
  rw [measures_iff_mod]
  rcases Nat.eq_zero_or_pos (n % l) with h1 | h1
  · exact h1
  · have h2 : CommonMultiple (n % l) a b :=
      ⟨measures_mod a l n h.1 hn.1, measures_mod b l n h.2 hn.2⟩
    have h3 := least (n % l) h1 h2
    have h4 := Nat.mod_lt n hl
    omega

theorem commonMultiple_of_measures (m n a b : Nat) (h1 : CommonMultiple m a b)
    (h2 : Measures m n) : CommonMultiple n a b := by
  constructor
  · exact measures_trans a m n h1.1 h2
  · exact measures_trans b m n h1.2 h2

theorem six_of_two_three (n : Nat) (h : CommonMultiple n 2 3) : Measures 6 n := by
  obtain ⟨h1, h2⟩ := h
  rw [measures_iff_mod] at *
  omega

theorem measures_mul_of_mod (d m n : Nat) (h : Measures d ((m % d) * (n % d))) :
    Measures d (m * n) := by
  rw [measures_iff_mod] at *
  rw [Nat.mul_mod]
  exact h

end Common

end Numbers
