import Numbers.Primes
import Numbers.Sums

/-!
Congruences of integers, by a witness, with their arithmetic; parity of integers; inverses and
systems of congruences.
-/

namespace Numbers

/-- `a` and `b` differ by a multiple of `m`. -/
def Cong (m a b : Int) : Prop := ∃ k, a = b + m * k

/-- `b` is an inverse of `a` with respect to `m`. -/
def InverseMod (m a b : Int) : Prop := Cong m (a * b) 1

/-- Even integers. -/
def IntEven (a : Int) : Prop := Cong 2 a 0

/-- Odd integers. -/
def IntOdd (a : Int) : Prop := Cong 2 a 1

section Equivalence

theorem cong_refl (m a : Int) : Cong m a a := by
  refine ⟨0, ?_⟩
  rw [Int.mul_zero, Int.add_zero]

theorem cong_symm (m a b : Int) (h : Cong m a b) : Cong m b a := by
  obtain ⟨k, hk⟩ := h
  refine ⟨-k, ?_⟩
  rw [hk, Int.mul_neg, Int.add_neg_cancel_right]

theorem cong_trans (m a b c : Int) (h1 : Cong m a b) (h2 : Cong m b c) : Cong m a c := by
  obtain ⟨k, hk⟩ := h1
  obtain ⟨l, hl⟩ := h2
  refine ⟨l + k, ?_⟩
  rw [hk, hl, Int.mul_add, Int.add_assoc]

theorem cong_of_eq (m a b : Int) (h : a = b) : Cong m a b := by
  rw [h]
  exact cong_refl m b

theorem cong_zero_iff (a b : Int) : Cong 0 a b ↔ a = b := by
  constructor
  · rintro ⟨k, hk⟩
    rw [hk, Int.zero_mul, Int.add_zero]
  · intro h
    exact cong_of_eq 0 a b h

theorem cong_one (a b : Int) : Cong 1 a b := by
  refine ⟨a - b, ?_⟩
  omega

theorem cong_self_zero (m : Int) : Cong m m 0 := by
  refine ⟨1, ?_⟩
  omega

theorem cong_neg_modulus (m a b : Int) : Cong (-m) a b ↔ Cong m a b := by
  constructor
  · rintro ⟨k, hk⟩
    refine ⟨-k, ?_⟩
    rw [hk, Int.mul_neg, Int.neg_mul]
  · rintro ⟨k, hk⟩
    refine ⟨-k, ?_⟩
    rw [hk, Int.neg_mul_neg]

theorem cong_of_multiple (m n a b : Int) (h1 : Cong m n 0) (h2 : Cong n a b) : Cong m a b := by
  obtain ⟨k, hk⟩ := h1
  obtain ⟨l, hl⟩ := h2
  refine ⟨k * l, ?_⟩
  rw [hl, hk, Int.zero_add, Int.mul_assoc]

theorem cong_sub_zero_iff (m a b : Int) : Cong m (a - b) 0 ↔ Cong m a b := by
  constructor
  · rintro ⟨k, hk⟩
    refine ⟨k, ?_⟩
    omega
  · rintro ⟨k, hk⟩
    refine ⟨k, ?_⟩
    omega

end Equivalence

section Arithmetic

theorem cong_add (m a b c d : Int) (h1 : Cong m a b) (h2 : Cong m c d) :
    Cong m (a + c) (b + d) := by
  obtain ⟨k, hk⟩ := h1
  obtain ⟨l, hl⟩ := h2
  refine ⟨k + l, ?_⟩
  rw [hk, hl, Int.mul_add]
  omega

theorem cong_neg (m a b : Int) (h : Cong m a b) : Cong m (-a) (-b) := by
  obtain ⟨k, hk⟩ := h
  refine ⟨-k, ?_⟩
  rw [hk, Int.neg_add, Int.mul_neg]

theorem cong_sub (m a b c d : Int) (h1 : Cong m a b) (h2 : Cong m c d) :
    Cong m (a - c) (b - d) := by
  have h3 := cong_neg m c d h2
  have h4 := cong_add m a b (-c) (-d) h1 h3
  rw [Int.sub_eq_add_neg, Int.sub_eq_add_neg]
  exact h4

theorem cong_mul_right (m a b c : Int) (h : Cong m a b) : Cong m (a * c) (b * c) := by
  obtain ⟨k, hk⟩ := h
  refine ⟨k * c, ?_⟩
  rw [hk, Int.add_mul, Int.mul_assoc]

theorem cong_mul (m a b c d : Int) (h1 : Cong m a b) (h2 : Cong m c d) :
    Cong m (a * c) (b * d) := by
  have h3 := cong_mul_right m a b c h1
  have h4 := cong_mul_right m c d b h2
  rw [Int.mul_comm c b, Int.mul_comm d b] at h4
  exact cong_trans m _ _ _ h3 h4

theorem cong_pow (m a b : Int) (n : Nat) (h : Cong m a b) : Cong m (a ^ n) (b ^ n) := by
  induction n with
  | zero =>
    rw [Int.pow_zero, Int.pow_zero]
    exact cong_refl m 1
  | succ n ih =>
    rw [Int.pow_succ, Int.pow_succ]
    exact cong_mul m _ _ a b ih h

theorem cong_add_multiple (m a k : Int) : Cong m (a + m * k) a := by
  exact ⟨k, rfl⟩

theorem cong_add_right_iff (m a b c : Int) : Cong m (a + c) (b + c) ↔ Cong m a b := by
  constructor
  · intro h
    have h1 := cong_sub m _ _ c c h (cong_refl m c)
    rw [Int.add_sub_cancel, Int.add_sub_cancel] at h1
    exact h1
  · intro h
    exact cong_add m a b c c h (cong_refl m c)

theorem cong_scale_iff (m a b c : Int) (hc : c ≠ 0) :
    Cong (c * m) (c * a) (c * b) ↔ Cong m a b := by
  constructor
  · rintro ⟨k, hk⟩
    refine ⟨k, ?_⟩
    apply Int.eq_of_mul_eq_mul_left hc
    rw [hk, Int.mul_add, Int.mul_assoc]
  · rintro ⟨k, hk⟩
    refine ⟨k, ?_⟩
    rw [hk, Int.mul_add, Int.mul_assoc]

theorem cong_sumOver (m : Int) (f g : Nat → Int) (a n : Nat) (h : ∀ i, Cong m (f i) (g i)) :
    Cong m (sumOver f a n) (sumOver g a n) := by
  induction n generalizing a with
  | zero => exact cong_refl m 0
  | succ n ih =>
    simp only [sumOver]
    apply cong_add
    · exact h a
    · exact ih (a + 1)

theorem cong_horner (m x y : Int) (cs : List Int) (h : Cong m x y) :
    Cong m (horner cs x) (horner cs y) := by
  induction cs with
  | nil => exact cong_refl m 0
  | cons c cs ih =>
    simp only [horner]
    apply cong_add
    · exact cong_refl m c
    · exact cong_mul m _ _ _ _ h ih

theorem cong_pow_one (m a : Int) (n : Nat) (h : Cong m a 1) : Cong m (a ^ n) 1 := by
  have h1 := cong_pow m a 1 n h
  rw [Int.one_pow] at h1
  exact h1

theorem cong_pow_add (m a : Int) (k n : Nat) (h : Cong m (a ^ k) 1) (r : Nat) :
    Cong m (a ^ (k * n + r)) (a ^ r) := by
  rw [Int.pow_add, Int.pow_mul]
  have h1 := cong_pow_one m (a ^ k) n h
  have h2 := cong_mul_right m _ _ (a ^ r) h1
  rw [Int.one_mul] at h2
  exact h2

end Arithmetic

section Remainders

theorem cong_emod (m a : Int) : Cong m (a % m) a := by
  apply cong_symm
  refine ⟨a / m, ?_⟩
  rw [Int.emod_add_mul_ediv]

theorem cong_iff_emod (m a b : Int) : Cong m a b ↔ a % m = b % m := by
  constructor
  · rintro ⟨k, hk⟩
    rw [hk, Int.add_mul_emod_self_left]
  · intro h
    have h1 := cong_symm m _ _ (cong_emod m a)
    rw [h] at h1
    exact cong_trans m a (b % m) b h1 (cong_emod m b)

theorem cong_unique (m a b : Int) (ha : 0 ≤ a) (ha' : a < m) (hb : 0 ≤ b) (hb' : b < m)
    (h : Cong m a b) : a = b := by
  rw [cong_iff_emod, Int.emod_eq_of_lt ha ha', Int.emod_eq_of_lt hb hb'] at h
  exact h

theorem exists_residue (m a : Int) (hm : 0 < m) : ∃ r, 0 ≤ r ∧ r < m ∧ Cong m a r := by
  refine ⟨a % m, ?_, ?_, ?_⟩
  · exact Int.emod_nonneg a (by omega)
  · exact Int.emod_lt_of_pos a hm
  · exact cong_symm m _ _ (cong_emod m a)

theorem cong_nat_iff (d n : Nat) : Cong d n 0 ↔ Measures d n := by
  rw [measures_iff_int]
  constructor
  · rintro ⟨k, hk⟩
    refine ⟨k, ?_⟩
    rw [hk, Int.zero_add, Int.mul_comm]
  · rintro ⟨k, hk⟩
    refine ⟨k, ?_⟩
    rw [hk, Int.zero_add, Int.mul_comm]

theorem square_mod_four (a : Int) : Cong 4 (a * a) 0 ∨ Cong 4 (a * a) 1 := by
  have h : a % 2 = 0 ∨ a % 2 = 1 := by omega
  rcases h with h | h
  · left
    refine ⟨(a / 2) * (a / 2), ?_⟩
    have h1 : a = 2 * (a / 2) := by omega
    grind
  · right
    refine ⟨(a / 2) * (a / 2) + a / 2, ?_⟩
    have h1 : a = 2 * (a / 2) + 1 := by omega
    grind

theorem square_ne_three_mod_four (a : Int) : ¬ Cong 4 (a * a) 3 := by
  intro h
  rw [cong_iff_emod] at h
  rcases square_mod_four a with h1 | h1
  · rw [cong_iff_emod, h] at h1
    contradiction
  · rw [cong_iff_emod, h] at h1
    contradiction

theorem sum_of_two_squares (a b : Int) : ¬ Cong 4 (a * a + b * b) 3 := by
  intro h
  rw [cong_iff_emod] at h
  have ha := square_mod_four a
  have hb := square_mod_four b
  rw [cong_iff_emod, cong_iff_emod] at ha hb
  omega

theorem cube_mod_three (a : Int) : Cong 3 (a * a * a) a := by
  have h : a % 3 = 0 ∨ a % 3 = 1 ∨ a % 3 = 2 := by omega
  rw [cong_iff_emod, Int.mul_emod, Int.mul_emod a a]
  rcases h with h | h | h
  · rw [h]
    rfl
  · rw [h]
    rfl
  · rw [h]
    rfl

end Remainders

section Parity

theorem intEven_iff (a : Int) : IntEven a ↔ ∃ k, a = 2 * k := by
  constructor
  · rintro ⟨k, hk⟩
    refine ⟨k, ?_⟩
    omega
  · rintro ⟨k, hk⟩
    refine ⟨k, ?_⟩
    omega

theorem intEven_or_odd (a : Int) : IntEven a ∨ IntOdd a := by
  unfold IntEven IntOdd
  rw [cong_iff_emod, cong_iff_emod]
  omega

theorem not_intEven_iff (a : Int) : ¬ IntEven a ↔ IntOdd a := by
  unfold IntEven IntOdd
  rw [cong_iff_emod, cong_iff_emod]
  omega

theorem intOdd_mul (a b : Int) (ha : IntOdd a) (hb : IntOdd b) : IntOdd (a * b) := by
  have h := cong_mul 2 a 1 b 1 ha hb
  rw [Int.one_mul] at h
  exact h

theorem intEven_mul_iff (a b : Int) : IntEven (a * b) ↔ IntEven a ∨ IntEven b := by
  constructor
  · intro h
    rcases intEven_or_odd a with h1 | h1
    · left
      exact h1
    · rcases intEven_or_odd b with h2 | h2
      · right
        exact h2
      · have h3 := intOdd_mul a b h1 h2
        rw [← not_intEven_iff] at h3
        contradiction
  · rintro (h | h)
    · have h1 := cong_mul_right 2 a 0 b h
      rw [Int.zero_mul] at h1
      exact h1
    · have h1 := cong_mul_right 2 b 0 a h
      rw [Int.zero_mul, Int.mul_comm] at h1
      exact h1

theorem intEven_consecutive (a : Int) : IntEven (a * (a + 1)) := by
  rw [intEven_mul_iff]
  unfold IntEven
  rw [cong_iff_emod, cong_iff_emod]
  omega

theorem intOdd_square_mod_eight (a : Int) (h : IntOdd a) : Cong 8 (a * a) 1 := by
  obtain ⟨k, hk⟩ := h
  have h1 := intEven_consecutive k
  rw [intEven_iff] at h1
  obtain ⟨l, hl⟩ := h1
  refine ⟨l, ?_⟩
  rw [hk]
  grind

theorem intEven_add_iff (a b : Int) : IntEven (a + b) ↔ (IntEven a ↔ IntEven b) := by
  unfold IntEven
  rw [cong_iff_emod, cong_iff_emod, cong_iff_emod]
  omega

theorem intEven_square_sub (a b : Int) : IntEven (a * a - b * b) ↔ IntEven (a - b) := by
  have h : a * a - b * b = (a - b) * (a + b) := by grind
  rw [h, intEven_mul_iff]
  unfold IntEven
  rw [cong_iff_emod, cong_iff_emod]
  omega

end Parity

section Inverses

theorem inverseMod_comm (m a b : Int) (h : InverseMod m a b) : InverseMod m b a := by
  unfold InverseMod at *
  rw [Int.mul_comm]
  exact h

/-- One may cancel what has an inverse. -/
theorem cong_cancel (m a b x y : Int) (h : InverseMod m a b) (h1 : Cong m (a * x) (a * y)) :
    Cong m x y := by
  have key : ∀ z, Cong m (b * (a * z)) z := by
    intro z
    have h2 := cong_mul_right m _ _ z (inverseMod_comm m a b h)
    rw [Int.one_mul, Int.mul_assoc] at h2
    exact h2
  have h3 := cong_mul m b b _ _ (cong_refl m b) h1
  have h4 := cong_trans m _ _ _ (cong_symm m _ _ (key x)) h3
  exact cong_trans m _ _ _ h4 (key y)

theorem inverseMod_unique (m a b c : Int) (h1 : InverseMod m a b) (h2 : InverseMod m a c) :
    Cong m b c := by
  apply cong_cancel m a b b c h1
  exact cong_trans m _ 1 _ h1 (cong_symm m _ _ h2)

theorem inverseMod_mul (m a b c d : Int) (h1 : InverseMod m a b) (h2 : InverseMod m c d) :
    InverseMod m (a * c) (b * d) := by
  have h3 := cong_mul m _ _ _ _ h1 h2
  rw [Int.one_mul] at h3
  unfold InverseMod
  have h4 : a * c * (b * d) = a * b * (c * d) := by ac_rfl
  rw [h4]
  exact h3

theorem exists_inverse (m a : Nat) (h : Coprime a m) : ∃ b, InverseMod m a b := by
  obtain ⟨x, y, hxy⟩ := combination_of_coprime a m h
  refine ⟨x, -y, ?_⟩
  rw [← hxy, Int.mul_comm x, Int.mul_neg, Int.mul_comm y, Int.add_neg_cancel_right]

theorem coprime_of_inverse (m a : Nat) (b : Int) (h : InverseMod m a b) : Coprime a m := by
  obtain ⟨k, hk⟩ := h
  apply coprime_of_combination a m b (-k)
  rw [Int.mul_comm b, hk, Int.neg_mul, Int.mul_comm k, Int.add_neg_cancel_right]

theorem exists_solution (m a : Nat) (c : Int) (h : Coprime a m) : ∃ x, Cong m (a * x) c := by
  obtain ⟨b, hb⟩ := exists_inverse m a h
  refine ⟨b * c, ?_⟩
  have h1 := cong_mul_right m _ _ c hb
  rw [Int.one_mul, Int.mul_assoc] at h1
  exact h1

/-- Two congruences with coprime moduli can be solved at once. -/
theorem chinese_remainder (m n : Nat) (a b : Int) (h : Coprime m n) :
    ∃ x, Cong m x a ∧ Cong n x b := by
  obtain ⟨u, v, huv⟩ := combination_of_coprime m n h
  refine ⟨a * (v * n) + b * (u * m), ?_, ?_⟩
  · have h1 : v * n = 1 - u * m := by omega
    refine ⟨(b - a) * u, ?_⟩
    rw [h1]
    grind
  · have h1 : u * m = 1 - v * n := by omega
    refine ⟨(a - b) * v, ?_⟩
    rw [h1]
    grind

theorem cong_of_coprime_moduli (m n : Nat) (x y : Nat) (h : Coprime m n) (hxy : y ≤ x)
    (h1 : Cong m x y) (h2 : Cong n x y) : Cong (m * n) x y := by
  rw [← cong_sub_zero_iff] at *
  have h3 : (x : Int) - y = ((x - y : Nat) : Int) := by omega
  rw [h3] at h1 h2 ⊢
  rw [cong_nat_iff] at h1 h2
  have h4 := mul_measures_of_coprime m n _ h h1 h2
  rw [← cong_nat_iff, Int.natCast_mul] at h4
  exact h4

theorem prime_zero_divisor (p a b : Nat) (hp : Prime p) (h : Cong p (a * b) 0) :
    Cong p a 0 ∨ Cong p b 0 := by
  rw [← Int.natCast_mul, cong_nat_iff] at h
  rcases prime_measures_mul p a b hp h with h1 | h1
  · left
    rw [cong_nat_iff]
    exact h1
  · right
    rw [cong_nat_iff]
    exact h1

end Inverses

end Numbers
