import Algebra.Group

/-!
Rings with their own axioms: what follows of them, units, nilpotent and idempotent elements, ideals,
and Boolean rings.
-/

namespace Algebra

/-- A ring with one, whose multiplication need not commute. -/
class Ring (ρ : Type) where
  add : ρ → ρ → ρ
  zero : ρ
  neg : ρ → ρ
  mul : ρ → ρ → ρ
  one : ρ
  add_assoc : ∀ a b c, add (add a b) c = add a (add b c)
  add_comm : ∀ a b, add a b = add b a
  zero_add : ∀ a, add zero a = a
  neg_add : ∀ a, add (neg a) a = zero
  mul_assoc : ∀ a b c, mul (mul a b) c = mul a (mul b c)
  one_mul : ∀ a, mul one a = a
  mul_one : ∀ a, mul a one = a
  mul_add : ∀ a b c, mul a (add b c) = add (mul a b) (mul a c)
  add_mul : ∀ a b c, mul (add a b) c = add (mul a c) (mul b c)

infixl:65 " ⊞ " => Ring.add
infixl:70 " ⊡ " => Ring.mul
prefix:max "⊟" => Ring.neg
notation "𝟎" => Ring.zero
notation "𝟏" => Ring.one

namespace Ring

variable {ρ : Type} [Ring ρ]

section Addition

theorem add_zero (a : ρ) : a ⊞ 𝟎 = a := by
  rw [add_comm, zero_add]

theorem add_neg (a : ρ) : a ⊞ ⊟a = 𝟎 := by
  rw [add_comm, neg_add]

theorem neg_add_cancel_left (a b : ρ) : ⊟a ⊞ (a ⊞ b) = b := by
  rw [← add_assoc, neg_add, zero_add]

theorem add_left_cancel (a b c : ρ) (h : a ⊞ b = a ⊞ c) : b = c := by
  rw [← neg_add_cancel_left a b, h, neg_add_cancel_left]

theorem add_right_cancel (a b c : ρ) (h : b ⊞ a = c ⊞ a) : b = c := by
  apply add_left_cancel a
  rw [add_comm a b, h, add_comm]

theorem neg_unique (a b : ρ) (h : a ⊞ b = 𝟎) : b = ⊟a := by
  apply add_left_cancel a
  rw [h, add_neg]

theorem neg_neg (a : ρ) : ⊟(⊟a) = a := by
  symm
  apply neg_unique
  exact neg_add a

theorem neg_zero : ⊟(𝟎 : ρ) = 𝟎 := by
  symm
  apply neg_unique
  exact zero_add 𝟎

theorem add_swap (a b c d : ρ) : a ⊞ b ⊞ (c ⊞ d) = a ⊞ c ⊞ (b ⊞ d) := by
  rw [add_assoc, ← add_assoc b, add_comm b c, add_assoc c, ← add_assoc]

theorem neg_of_add (a b : ρ) : ⊟(a ⊞ b) = ⊟a ⊞ ⊟b := by
  symm
  apply neg_unique
  rw [add_swap, add_neg, add_neg, zero_add]

theorem add_neg_eq_zero_iff (a b : ρ) : a ⊞ ⊟b = 𝟎 ↔ a = b := by
  constructor
  · intro h
    apply add_right_cancel ⊟b
    rw [h, add_neg]
  · intro h
    rw [h, add_neg]

theorem zero_of_add_self (a : ρ) (h : a ⊞ a = a) : a = 𝟎 := by
  apply add_left_cancel a
  rw [h, add_zero]

end Addition

section Multiplication

theorem mul_zero (a : ρ) : a ⊡ 𝟎 = 𝟎 := by
  apply add_left_cancel (a ⊡ 𝟎)
  rw [← mul_add, zero_add, add_zero]

theorem zero_mul (a : ρ) : 𝟎 ⊡ a = 𝟎 := by
  apply add_left_cancel (𝟎 ⊡ a)
  rw [← add_mul, zero_add, add_zero]

theorem mul_neg (a b : ρ) : a ⊡ ⊟b = ⊟(a ⊡ b) := by
  apply neg_unique
  rw [← mul_add, add_neg, mul_zero]

theorem neg_mul (a b : ρ) : ⊟a ⊡ b = ⊟(a ⊡ b) := by
  apply neg_unique
  rw [← add_mul, add_neg, zero_mul]

theorem neg_mul_neg (a b : ρ) : ⊟a ⊡ ⊟b = a ⊡ b := by
  rw [neg_mul, mul_neg, neg_neg]

theorem neg_one_mul (a : ρ) : ⊟𝟏 ⊡ a = ⊟a := by
  rw [neg_mul, one_mul]

theorem all_zero_of_one (h : (𝟏 : ρ) = 𝟎) (a b : ρ) : a = b := by
  sorry

theorem one_unique (e : ρ) (h : ∀ a, e ⊡ a = a) : e = 𝟏 := by
  rw [← mul_one e, h]

/-- The two ways to expand a double of a sum, from which one can see that addition commutes. -/
theorem comm_of_distrib (a b : ρ) :
    (𝟏 ⊞ 𝟏) ⊡ (a ⊞ b) = a ⊞ a ⊞ (b ⊞ b) ∧ (𝟏 ⊞ 𝟏) ⊡ (a ⊞ b) = a ⊞ b ⊞ (a ⊞ b) := by
  constructor
  · rw [mul_add, add_mul, add_mul, one_mul, one_mul]
  · rw [add_mul, one_mul]

theorem square_add (a b : ρ) :
    (a ⊞ b) ⊡ (a ⊞ b) = a ⊡ a ⊞ a ⊡ b ⊞ (b ⊡ a ⊞ b ⊡ b) := by
  rw [add_mul, mul_add, mul_add]

theorem square_add_of_comm (a b : ρ) (h : a ⊡ b = b ⊡ a) :
    (a ⊞ b) ⊡ (a ⊞ b) = a ⊡ a ⊞ (a ⊡ b ⊞ a ⊡ b) ⊞ b ⊡ b := by
  rw [square_add, ← h, add_assoc, ← add_assoc (a ⊡ b), ← add_assoc]

theorem difference_of_squares (a b : ρ) (h : a ⊡ b = b ⊡ a) :
    (a ⊞ b) ⊡ (a ⊞ ⊟b) = a ⊡ a ⊞ ⊟(b ⊡ b) := by
  sorry

theorem mul_cancel_iff (a : ρ) :
    (∀ x y, a ⊡ x = a ⊡ y → x = y) ↔ ∀ x, a ⊡ x = 𝟎 → x = 𝟎 := by
  constructor
  · intro h x hx
    apply h
    rw [hx, mul_zero]
  · intro h x y hxy
    rw [← add_neg_eq_zero_iff]
    apply h
    rw [mul_add, mul_neg, hxy, add_neg]

end Multiplication

section Powers

def power (a : ρ) : Nat → ρ
  | 0 => 𝟏
  | n + 1 => power a n ⊡ a

/-- `a + … + a` with `n` summands. -/
def times : Nat → ρ → ρ
  | 0, _ => 𝟎
  | n + 1, a => times n a ⊞ a

/-- `1 + a + … + a ^ (n - 1)` -/
def geometric (a : ρ) : Nat → ρ
  | 0 => 𝟎
  | n + 1 => geometric a n ⊞ power a n

theorem power_succ (a : ρ) (n : Nat) : power a (n + 1) = power a n ⊡ a := by
  rfl

theorem power_add (a : ρ) (m n : Nat) : power a (m + n) = power a m ⊡ power a n := by
  induction n with
  | zero => exact (mul_one _).symm
  | succ n ih => rw [← Nat.add_assoc, power_succ, ih, power_succ, mul_assoc]

theorem power_one (a : ρ) : power a 1 = a := by
  rw [power_succ]
  exact one_mul a

theorem power_comm (a b : ρ) (n : Nat) (h : a ⊡ b = b ⊡ a) :
    a ⊡ power b n = power b n ⊡ a := by
  sorry

theorem times_add (m n : Nat) (a : ρ) : times (m + n) a = times m a ⊞ times n a := by
  induction n with
  | zero => exact (add_zero _).symm
  | succ n ih =>
    rw [← Nat.add_assoc, times, ih, times, add_assoc]

theorem times_add_right (n : Nat) (a b : ρ) : times n (a ⊞ b) = times n a ⊞ times n b := by
  induction n with
  | zero => exact (zero_add 𝟎).symm
  | succ n ih =>
    simp only [times]
    rw [ih, add_swap]

theorem mul_times (n : Nat) (a b : ρ) : a ⊡ times n b = times n (a ⊡ b) := by
  induction n with
  | zero => exact mul_zero a
  | succ n ih =>
    simp only [times]
    rw [mul_add, ih]

theorem times_mul (n : Nat) (a b : ρ) : times n a ⊡ b = times n (a ⊡ b) := by
  induction n with
  | zero => exact zero_mul b
  | succ n ih =>
    simp only [times]
    rw [add_mul, ih]

theorem times_mul_nat (m n : Nat) (a : ρ) : times (m * n) a = times n (times m a) := by
  sorry

theorem times_neg (n : Nat) (a : ρ) : times n ⊟a = ⊟(times n a) := by
  induction n with
  | zero => exact neg_zero.symm
  | succ n ih =>
    simp only [times]
    rw [ih, neg_of_add]

theorem geometric_mul (a : ρ) (n : Nat) :
    geometric a n ⊡ (𝟏 ⊞ ⊟a) = 𝟏 ⊞ ⊟(power a n) := by
  induction n with
  | zero =>
    simp only [geometric, power]
    rw [zero_mul, add_neg]
  | succ n ih =>
    simp only [geometric, power]
    rw [add_mul, ih, mul_add, mul_one, mul_neg, add_assoc, neg_add_cancel_left]

theorem one_sub_unit_of_nilpotent (a : ρ) (n : Nat) (h : power a n = 𝟎) :
    ∃ b, b ⊡ (𝟏 ⊞ ⊟a) = 𝟏 := by
  refine ⟨geometric a n, ?_⟩
  rw [geometric_mul, h, neg_zero, add_zero]

end Powers

section Elements

def IsUnit (a : ρ) : Prop := ∃ b, a ⊡ b = 𝟏 ∧ b ⊡ a = 𝟏

def Nilpotent (a : ρ) : Prop := ∃ n, power a n = 𝟎

def Idempotent (a : ρ) : Prop := a ⊡ a = a

theorem unit_one : IsUnit (𝟏 : ρ) := by
  exact ⟨𝟏, one_mul 𝟏, one_mul 𝟏⟩

theorem unit_mul (a b : ρ) (ha : IsUnit a) (hb : IsUnit b) : IsUnit (a ⊡ b) := by
  obtain ⟨x, hx1, hx2⟩ := ha
  obtain ⟨y, hy1, hy2⟩ := hb
  refine ⟨y ⊡ x, ?_, ?_⟩
  · rw [mul_assoc, ← mul_assoc b, hy1, one_mul, hx1]
  · rw [mul_assoc, ← mul_assoc x, hx2, one_mul, hy2]

theorem unit_of_sides (a b c : ρ) (h1 : b ⊡ a = 𝟏) (h2 : a ⊡ c = 𝟏) : IsUnit a := by
  have h3 : b = c := by
    rw [← mul_one b, ← h2, ← mul_assoc, h1, one_mul]
  rw [h3] at h1
  exact ⟨c, h2, h1⟩

theorem unit_of_mul_comm (a b : ρ) (h : a ⊡ b = b ⊡ a) (hu : IsUnit (a ⊡ b)) : IsUnit a := by
  sorry

theorem unit_cancel (a b c : ρ) (ha : IsUnit a) (h : a ⊡ b = a ⊡ c) : b = c := by
  obtain ⟨x, _, hx⟩ := ha
  rw [← one_mul b, ← hx, mul_assoc, h, ← mul_assoc, hx, one_mul]

theorem idempotent_complement (a : ρ) (h : Idempotent a) : Idempotent (𝟏 ⊞ ⊟a) := by
  unfold Idempotent at *
  rw [mul_add, mul_one, mul_neg, add_mul, one_mul, neg_mul, h, add_neg, neg_zero, add_zero]

theorem idempotent_mul_complement (a b : ρ) (h : Idempotent a) :
    a ⊡ b ⊡ (𝟏 ⊞ ⊟a) = a ⊡ b ⊡ (𝟏 ⊞ ⊟a) ⊡ (𝟏 ⊞ ⊟a) := by
  have h1 := idempotent_complement a h
  unfold Idempotent at h1
  rw [mul_assoc (a ⊡ b), h1]

/-- An idempotent that is a unit is one. -/
theorem idempotent_unit (a : ρ) (h : Idempotent a) (hu : IsUnit a) : a = 𝟏 := by
  obtain ⟨b, hb, _⟩ := hu
  unfold Idempotent at h
  rw [← mul_one a, ← hb, ← mul_assoc, h]

theorem power_idempotent (a : ρ) (n : Nat) (h : Idempotent a) : power a (n + 1) = a := by
  induction n with
  | zero => exact power_one a
  | succ n ih =>
    rw [power_succ, ih]
    exact h

theorem idempotent_nilpotent (a : ρ) (h : Idempotent a) (hn : Nilpotent a) : a = 𝟎 := by
  sorry

theorem nilpotent_neg (a : ρ) (h : Nilpotent a) : Nilpotent ⊟a := by
  obtain ⟨n, hn⟩ := h
  have key : ∀ m, power ⊟a m = power a m ∨ power ⊟a m = ⊟(power a m) := by
    intro m
    induction m with
    | zero =>
      left
      rfl
    | succ m ih =>
      rcases ih with h1 | h1
      · right
        rw [power_succ, h1, mul_neg, power_succ]
      · left
        rw [power_succ, h1, neg_mul, mul_neg, neg_neg, power_succ]
  refine ⟨n, ?_⟩
  rcases key n with h1 | h1
  · rw [h1, hn]
  · rw [h1, hn, neg_zero]

theorem nilpotent_mul (a b : ρ) (h : a ⊡ b = b ⊡ a) (ha : Nilpotent a) : Nilpotent (a ⊡ b) := by
  sorry
theorem not_unit_of_nilpotent (a : ρ) (h1 : (𝟏 : ρ) ≠ 𝟎) (hn : Nilpotent a) : ¬ IsUnit a := by
  sorry

end Elements

section Ideals

/-- A set that is closed under addition and under multiplication with anything. -/
structure IsIdeal (I : ρ → Prop) : Prop where
  zero_mem : I 𝟎
  add_mem : ∀ a b, I a → I b → I (a ⊞ b)
  mul_mem_left : ∀ r a, I a → I (r ⊡ a)
  mul_mem_right : ∀ r a, I a → I (a ⊡ r)

/-- The elements that `S` annihilates. -/
def annihilator (S : ρ → Prop) (a : ρ) : Prop := ∀ s, S s → ∀ r, s ⊡ r ⊡ a = 𝟎

theorem ideal_neg (I : ρ → Prop) (hI : IsIdeal I) (a : ρ) (h : I a) : I ⊟a := by
  rw [← neg_one_mul]
  exact hI.mul_mem_left _ a h

theorem ideal_add_iff (I : ρ → Prop) (hI : IsIdeal I) (a b : ρ) (ha : I a) :
    I (a ⊞ b) ↔ I b := by
  sorry

theorem ideal_all (I : ρ → Prop) (hI : IsIdeal I) (h : I 𝟏) (a : ρ) : I a := by
  rw [← mul_one a]
  exact hI.mul_mem_left a 𝟏 h

theorem ideal_all_of_unit (I : ρ → Prop) (hI : IsIdeal I) (a b : ρ) (ha : IsUnit a) (h : I a) :
    I b := by
  sorry

theorem ideal_inter (I J : ρ → Prop) (hI : IsIdeal I) (hJ : IsIdeal J) :
    IsIdeal (fun a => I a ∧ J a) := by
  refine ⟨⟨hI.zero_mem, hJ.zero_mem⟩, ?_, ?_, ?_⟩
  · rintro a b ⟨h1, h2⟩ ⟨h3, h4⟩
    exact ⟨hI.add_mem a b h1 h3, hJ.add_mem a b h2 h4⟩
  · rintro r a ⟨h1, h2⟩
    exact ⟨hI.mul_mem_left r a h1, hJ.mul_mem_left r a h2⟩
  · rintro r a ⟨h1, h2⟩
    exact ⟨hI.mul_mem_right r a h1, hJ.mul_mem_right r a h2⟩

theorem ideal_sum (I J : ρ → Prop) (hI : IsIdeal I) (hJ : IsIdeal J) :
    IsIdeal (fun a => ∃ x y, I x ∧ J y ∧ a = x ⊞ y) := by
  refine ⟨?_, ?_, ?_, ?_⟩
  · exact ⟨𝟎, 𝟎, hI.zero_mem, hJ.zero_mem, (zero_add 𝟎).symm⟩
  · rintro a b ⟨x, y, hx, hy, ha⟩ ⟨u, v, hu, hv, hb⟩
    refine ⟨x ⊞ u, y ⊞ v, hI.add_mem x u hx hu, hJ.add_mem y v hy hv, ?_⟩
    rw [ha, hb, add_swap]
  · rintro r a ⟨x, y, hx, hy, ha⟩
    refine ⟨r ⊡ x, r ⊡ y, hI.mul_mem_left r x hx, hJ.mul_mem_left r y hy, ?_⟩
    rw [ha, mul_add]
  · rintro r a ⟨x, y, hx, hy, ha⟩
    refine ⟨x ⊡ r, y ⊡ r, hI.mul_mem_right r x hx, hJ.mul_mem_right r y hy, ?_⟩
    rw [ha, add_mul]

/-- Elements that are congruent with respect to an ideal may be multiplied. -/
theorem ideal_congr_mul (I : ρ → Prop) (hI : IsIdeal I) (a b c d : ρ) (h1 : I (a ⊞ ⊟b))
    (h2 : I (c ⊞ ⊟d)) : I (a ⊡ c ⊞ ⊟(b ⊡ d)) := by
  have h3 := hI.mul_mem_right c _ h1
  have h4 := hI.mul_mem_left b _ h2
  have h5 := hI.add_mem _ _ h3 h4
  rw [add_mul, mul_add, neg_mul, mul_neg, add_assoc, neg_add_cancel_left] at h5
  exact h5

theorem annihilator_ideal (S : ρ → Prop) : IsIdeal (annihilator S) := by
  sorry

theorem trivial_ideal : IsIdeal (fun a : ρ => a = 𝟎) := by
  refine ⟨rfl, ?_, ?_, ?_⟩
  · intro a b ha hb
    rw [ha, hb, zero_add]
  · intro r a ha
    rw [ha, mul_zero]
  · intro r a ha
    rw [ha, zero_mul]

end Ideals

section BooleanRings

/-- In a ring where every element is its own square, every element is its own negative. -/
theorem boolean_add_self (h : ∀ a : ρ, a ⊡ a = a) (a : ρ) : a ⊞ a = 𝟎 := by
  apply zero_of_add_self
  have h1 := h (a ⊞ a)
  rw [square_add, h a] at h1
  exact h1

theorem boolean_neg (h : ∀ a : ρ, a ⊡ a = a) (a : ρ) : ⊟a = a := by
  symm
  apply neg_unique
  exact boolean_add_self h a

theorem boolean_comm (h : ∀ a : ρ, a ⊡ a = a) (a b : ρ) : a ⊡ b = b ⊡ a := by
  sorry

theorem boolean_orthogonal (h : ∀ a : ρ, a ⊡ a = a) (a b : ρ) : a ⊡ (𝟏 ⊞ a) ⊡ b = 𝟎 := by
  rw [mul_add, mul_one, h a, boolean_add_self h, zero_mul]

theorem boolean_power (h : ∀ a : ρ, a ⊡ a = a) (a : ρ) (n : Nat) (hn : 0 < n) :
    power a n = a := by
  cases n with
  | zero => contradiction
  | succ n => exact power_idempotent a n (h a)

theorem boolean_unit (h : ∀ a : ρ, a ⊡ a = a) (a : ρ) : IsUnit a ↔ a = 𝟏 := by
  sorry

end BooleanRings

end Ring

end Algebra
