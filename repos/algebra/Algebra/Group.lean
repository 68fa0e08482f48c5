import Algebra.Semigroup

/-!
Groups by the axioms of one side: a unit and inverses on the left. The other side is proved.
Integer powers, conjugation, commutators and the order of an element.
-/

namespace Algebra

open Semigroup

/-- A group, with a unit and inverses on the left only. -/
class Group (α : Type) extends Semigroup α where
  one : α
  inv : α → α
  one_mul : ∀ a, mul one a = a
  inv_mul : ∀ a, mul (inv a) a = one

/-- A group whose operation commutes. -/
class AbelianGroup (α : Type) extends Group α where
  comm : ∀ a b, mul a b = mul b a

notation "ε" => Group.one
postfix:max "ⁱ" => Group.inv

namespace Group

variable {α : Type} [Group α]

section BothSides

theorem inv_mul_cancel_left (a b : α) : aⁱ ∘' (a ∘' b) = b := by
  rw [← assoc, inv_mul, one_mul]

theorem mul_inv (a : α) : a ∘' aⁱ = ε := by
  calc a ∘' aⁱ = ε ∘' (a ∘' aⁱ) := (one_mul _).symm
    _ = aⁱⁱ ∘' aⁱ ∘' (a ∘' aⁱ) := by rw [inv_mul aⁱ]
    _ = ε := by rw [assoc, inv_mul_cancel_left a, inv_mul]

theorem mul_one (a : α) : a ∘' ε = a := by
  rw [← inv_mul a, ← assoc, mul_inv, one_mul]

theorem mul_inv_cancel_left (a b : α) : a ∘' (aⁱ ∘' b) = b := by
  rw [← assoc, mul_inv, one_mul]

theorem mul_inv_cancel_right (a b : α) : a ∘' b ∘' bⁱ = a := by
  rw [assoc, mul_inv, mul_one]

theorem inv_mul_cancel_right (a b : α) : a ∘' bⁱ ∘' b = a := by
  rw [assoc, inv_mul, mul_one]

theorem left_cancel (a b c : α) (h : a ∘' b = a ∘' c) : b = c := by
  rw [← inv_mul_cancel_left a b, h, inv_mul_cancel_left]

theorem right_cancel (a b c : α) (h : b ∘' a = c ∘' a) : b = c := by
  rw [← mul_inv_cancel_right b a, h, mul_inv_cancel_right]

theorem inv_unique (a b : α) (h : a ∘' b = ε) : b = aⁱ := by
  apply left_cancel a
  rw [h, mul_inv]

theorem inv_inv (a : α) : aⁱⁱ = a := by
  symm
  apply inv_unique
  exact inv_mul a

theorem inv_one : (ε : α)ⁱ = ε := by
  symm
  apply inv_unique
  exact one_mul ε

theorem inv_of_mul (a b : α) : (a ∘' b)ⁱ = bⁱ ∘' aⁱ := by
  symm
  apply inv_unique
  rw [assoc, mul_inv_cancel_left, mul_inv]

theorem inv_inj (a b : α) (h : aⁱ = bⁱ) : a = b := by
  sorry

theorem one_unique (e a : α) (h : e ∘' a = a) : e = ε := by
  apply right_cancel a
  rw [h, one_mul]

theorem idem_eq_one (a : α) (h : Idem a) : a = ε := by
  exact one_unique a a h

theorem eq_inv_mul_iff (a b c : α) : a = bⁱ ∘' c ↔ b ∘' a = c := by
  constructor
  · intro h
    rw [h, mul_inv_cancel_left]
  · intro h
    rw [← h, inv_mul_cancel_left]

theorem mul_inv_eq_one_iff (a b : α) : a ∘' bⁱ = ε ↔ a = b := by
  constructor
  · intro h
    rw [← inv_mul_cancel_right a b, h, one_mul]
  · intro h
    rw [h, mul_inv]

theorem unique_solution (a b : α) : ∃ x, a ∘' x = b ∧ ∀ y, a ∘' y = b → y = x := by
  refine ⟨aⁱ ∘' b, ?_, ?_⟩
  · exact mul_inv_cancel_left a b
  · intro y h
    rw [eq_inv_mul_iff]
    exact h

theorem solve_both (a b c : α) : ∃ x, a ∘' x ∘' b = c ∧ ∀ y, a ∘' y ∘' b = c → y = x := by
  sorry

/-- A group whose elements are all their own inverses is abelian. -/
theorem commutes_of_squares (h : ∀ a : α, a ∘' a = ε) (a b : α) : Commutes a b := by
  have key : ∀ x : α, x = xⁱ := fun x => inv_unique x x (h x)
  unfold Commutes
  rw [key (a ∘' b), inv_of_mul, ← key a, ← key b]

theorem commutes_of_square_mul (h : ∀ a b : α, a ∘' b ∘' (a ∘' b) = a ∘' a ∘' (b ∘' b))
    (a b : α) : Commutes a b := by
  sorry
theorem commutes_of_inv_mul (h : ∀ a b : α, (a ∘' b)ⁱ = aⁱ ∘' bⁱ) (a b : α) :
    Commutes a b := by
  sorry

theorem commutes_iff_inv (a b : α) : Commutes a b ↔ Commutes aⁱ b := by
  unfold Commutes
  constructor
  · intro h
    apply left_cancel a
    rw [mul_inv_cancel_left, ← assoc, h, mul_inv_cancel_right]
  · intro h
    apply left_cancel aⁱ
    rw [inv_mul_cancel_left, ← assoc, h, inv_mul_cancel_right]

end BothSides

section Powers

/-- Powers with exponents from zero on. -/
def npow (a : α) : Nat → α
  | 0 => ε
  | n + 1 => npow a n ∘' a

/-- Powers with integer exponents. -/
def zpow (a : α) : Int → α
  | Int.ofNat n => npow a n
  | Int.negSucc n => (npow a (n + 1))ⁱ

theorem npow_succ (a : α) (n : Nat) : npow a (n + 1) = npow a n ∘' a := by
  rfl

theorem npow_one (a : α) : npow a 1 = a := by
  rw [npow_succ]
  exact one_mul a

theorem npow_eq_pow (a : α) (n : Nat) : npow a (n + 1) = pow a n := by
  induction n with
  | zero => exact npow_one a
  | succ n ih =>
    rw [npow_succ, ih]
    rfl

theorem npow_add (a : α) (m n : Nat) : npow a (m + n) = npow a m ∘' npow a n := by
  induction n with
  | zero => exact (mul_one _).symm
  | succ n ih => rw [← Nat.add_assoc, npow_succ, ih, npow_succ, assoc]

theorem npow_mul (a : α) (m n : Nat) : npow a (m * n) = npow (npow a m) n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Nat.mul_succ, npow_add, ih, npow_succ]

theorem npow_of_one (n : Nat) : npow (ε : α) n = ε := by
  induction n with
  | zero => rfl
  | succ n ih => rw [npow_succ, ih, one_mul]

theorem npow_succ_left (a : α) (n : Nat) : npow a (n + 1) = a ∘' npow a n := by
  rw [Nat.add_comm, npow_add, npow_one]

theorem npow_inv (a : α) (n : Nat) : npow aⁱ n = (npow a n)ⁱ := by
  induction n with
  | zero => exact inv_one.symm
  | succ n ih => rw [npow_succ, ih, npow_succ_left, inv_of_mul]

theorem npow_sub (a : α) (m n : Nat) (h : n ≤ m) :
    npow a (m - n) = npow a m ∘' (npow a n)ⁱ := by
  have h1 : m = m - n + n := by omega
  rw [h1, npow_add, mul_inv_cancel_right, Nat.add_sub_cancel]

theorem commutes_npow (a b : α) (n : Nat) (h : Commutes a b) : Commutes a (npow b n) := by
  cases n with
  | zero =>
    unfold Commutes
    rw [npow, mul_one, one_mul]
  | succ n =>
    rw [npow_eq_pow]
    exact commutes_pow a b n h

theorem npow_mul_of_commutes (a b : α) (n : Nat) (h : Commutes a b) :
    npow (a ∘' b) n = npow a n ∘' npow b n := by
  sorry

theorem zpow_ofNat (a : α) (n : Nat) : zpow a n = npow a n := by
  rfl

theorem zpow_neg (a : α) (n : Int) : zpow a (-n) = (zpow a n)ⁱ := by
  cases n with
  | ofNat n =>
    cases n with
    | zero => exact inv_one.symm
    | succ n => rfl
  | negSucc n => exact (inv_inv _).symm

theorem zpow_succ (a : α) (n : Int) : zpow a (n + 1) = zpow a n ∘' a := by
  cases n with
  | ofNat n => rfl
  | negSucc n =>
    cases n with
    | zero =>
      show ε = (npow a 1)ⁱ ∘' a
      rw [npow_one, inv_mul]
    | succ n =>
      show (npow a (n + 1))ⁱ = (npow a (n + 1 + 1))ⁱ ∘' a
      rw [npow_succ_left a (n + 1), inv_of_mul, inv_mul_cancel_right]

theorem zpow_pred (a : α) (n : Int) : zpow a (n - 1) = zpow a n ∘' aⁱ := by
  have h := zpow_succ a (n - 1)
  rw [Int.sub_add_cancel] at h
  rw [h, mul_inv_cancel_right]

theorem zpow_add (a : α) (m n : Int) : zpow a (m + n) = zpow a m ∘' zpow a n := by
  obtain ⟨k, hk | hk⟩ := Int.eq_nat_or_neg n
  · subst hk
    induction k with
    | zero =>
      rw [Int.natCast_zero, Int.add_zero]
      exact (mul_one _).symm
    | succ k ih =>
      rw [Int.natCast_add, Int.natCast_one, ← Int.add_assoc, zpow_succ, ih, zpow_succ, assoc]
  · subst hk
    induction k with
    | zero =>
      rw [Int.natCast_zero, Int.neg_zero, Int.add_zero]
      exact (mul_one _).symm
    | succ k ih =>
      have h1 : -((k + 1 : Nat) : Int) = -(k : Int) - 1 := by omega
      have h2 : m + (-(k : Int) - 1) = m + -(k : Int) - 1 := by omega
      rw [h1, h2, zpow_pred, ih, zpow_pred, assoc]

theorem zpow_commutes (a : α) (m n : Int) : Commutes (zpow a m) (zpow a n) := by
  sorry

end Powers

section Conjugation

/-- `a` moved by `g`. -/
def conj (g a : α) : α := g ∘' a ∘' gⁱ

/-- What keeps `a` and `b` from commuting. -/
def commutator (a b : α) : α := a ∘' b ∘' aⁱ ∘' bⁱ

theorem conj_one (a : α) : conj ε a = a := by
  unfold conj
  rw [inv_one, mul_one, one_mul]

theorem conj_mul (g a b : α) : conj g (a ∘' b) = conj g a ∘' conj g b := by
  unfold conj
  rw [← assoc (g ∘' a ∘' gⁱ), ← assoc (g ∘' a ∘' gⁱ), inv_mul_cancel_right, assoc g a b]

theorem conj_conj (g h a : α) : conj g (conj h a) = conj (g ∘' h) a := by
  unfold conj
  rw [inv_of_mul]
  simp only [assoc]

theorem conj_inv (g a : α) : conj g aⁱ = (conj g a)ⁱ := by
  apply inv_unique
  rw [← conj_mul, mul_inv]
  unfold conj
  rw [mul_one, mul_inv]

theorem conj_npow (g a : α) (n : Nat) : conj g (npow a n) = npow (conj g a) n := by
  induction n with
  | zero =>
    unfold conj npow
    rw [mul_one, mul_inv]
  | succ n ih => rw [npow_succ, conj_mul, ih, npow_succ]

theorem conj_eq_self_iff (g a : α) : conj g a = a ↔ Commutes g a := by
  unfold conj Commutes
  constructor
  · intro h
    have h1 : g ∘' a ∘' gⁱ ∘' g = a ∘' g := by rw [h]
    rw [inv_mul_cancel_right] at h1
    exact h1
  · intro h
    rw [h, mul_inv_cancel_right]

theorem conj_inj (g a b : α) (h : conj g a = conj g b) : a = b := by
  unfold conj at h
  have h1 := right_cancel gⁱ _ _ h
  exact left_cancel g _ _ h1

theorem commutator_eq_one_iff (a b : α) : commutator a b = ε ↔ Commutes a b := by
  unfold commutator
  constructor
  · intro h
    rw [assoc, ← inv_of_mul] at h
    exact (mul_inv_eq_one_iff _ _).mp h
  · intro h
    unfold Commutes at h
    rw [h, mul_inv_cancel_right, mul_inv]

theorem commutator_inv (a b : α) : (commutator a b)ⁱ = commutator b a := by
  sorry

theorem commutator_eq_conj (a b : α) : commutator a b = conj a b ∘' bⁱ := by
  rfl

theorem conj_commutator (g a b : α) :
    conj g (commutator a b) = commutator (conj g a) (conj g b) := by
  sorry

theorem commutator_mul_right (a b c : α) :
    commutator a (b ∘' c) = commutator a b ∘' conj b (commutator a c) := by
  unfold commutator conj
  rw [inv_of_mul]
  simp only [assoc]
  rw [inv_mul_cancel_left, inv_mul_cancel_left]

end Conjugation

section Order

/-- `n` is the least exponent above zero that takes `a` to the unit. -/
def HasOrder (a : α) (n : Nat) : Prop :=
  0 < n ∧ npow a n = ε ∧ ∀ m, 0 < m → npow a m = ε → n ≤ m

theorem order_unique (a : α) (m n : Nat) (hm : HasOrder a m) (hn : HasOrder a n) : m = n := by
  obtain ⟨hm1, hm2, hm3⟩ := hm
  obtain ⟨hn1, hn2, hn3⟩ := hn
  apply Nat.le_antisymm
  · exact hm3 n hn1 hn2
  · exact hn3 m hm1 hm2

theorem order_one_iff (a : α) : HasOrder a 1 ↔ a = ε := by
  constructor
  · rintro ⟨_, h, _⟩
    rw [npow_one] at h
    exact h
  · intro h
    refine ⟨Nat.one_pos, ?_, ?_⟩
    · rw [npow_one, h]
    · intro m hm _
      exact hm

theorem npow_mod_order (a : α) (n m : Nat) (h : HasOrder a n) :
    npow a (m % n) = npow a m := by
  have h1 := Nat.div_add_mod m n
  calc npow a (m % n) = npow (npow a n) (m / n) ∘' npow a (m % n) := by
        rw [h.2.1, npow_of_one, one_mul]
    _ = npow a m := by rw [← npow_mul, ← npow_add, h1]

theorem npow_eq_one_iff (a : α) (n m : Nat) (h : HasOrder a n) :
    npow a m = ε ↔ m % n = 0 := by
  constructor
  · intro h1
    rw [← npow_mod_order a n m h] at h1
    rcases Nat.eq_zero_or_pos (m % n) with h2 | h2
    · exact h2
    · have h3 := h.2.2 (m % n) h2 h1
      have h4 := Nat.mod_lt m h.1
      omega
  · intro h1
    rw [← npow_mod_order a n m h, h1]
    rfl

theorem npow_inj_below_order (a : α) (n i j : Nat) (h : HasOrder a n) (hij : i ≤ j)
    (hj : j < n) (h1 : npow a i = npow a j) : i = j := by
  sorry

theorem order_inv (a : α) (n : Nat) (h : HasOrder a n) : HasOrder aⁱ n := by
  obtain ⟨h1, h2, h3⟩ := h
  refine ⟨h1, ?_, ?_⟩
  · rw [npow_inv, h2, inv_one]
  · intro m hm h4
    apply h3 m hm
    rw [npow_inv] at h4
    rw [← inv_inv (npow a m), h4, inv_one]

theorem order_conj (g a : α) (n : Nat) (h : HasOrder a n) : HasOrder (conj g a) n := by
  sorry

theorem order_two_iff (a : α) (h : a ≠ ε) : HasOrder a 2 ↔ aⁱ = a := by
  constructor
  · rintro ⟨_, h1, _⟩
    rw [npow_succ, npow_one] at h1
    exact (inv_unique a a h1).symm
  · intro h1
    refine ⟨by omega, ?_, ?_⟩
    · rw [npow_succ, npow_one]
      calc a ∘' a = aⁱ ∘' a := by rw [h1]
        _ = ε := inv_mul a
    · intro m hm h2
      by_cases h3 : m = 1
      · rw [h3, npow_one] at h2
        contradiction
      · omega

end Order

end Group

section Instances

open Group

instance prodGroup {α β : Type} [Group α] [Group β] : Group (α × β) where
  toSemigroup := prodSemigroup
  one := (ε, ε)
  inv p := (p.1ⁱ, p.2ⁱ)
  one_mul p := by rw [prod_mul, one_mul, one_mul]
  inv_mul p := by rw [prod_mul, inv_mul, inv_mul]

instance intGroup : AbelianGroup Int where
  mul := Int.add
  assoc := Int.add_assoc
  one := 0
  inv := Int.neg
  one_mul := Int.zero_add
  inv_mul := Int.add_left_neg
  comm := Int.add_comm

theorem abelian_commutator {α : Type} [AbelianGroup α] (a b : α) : commutator a b = ε := by
  sorry

theorem prod_inv {α β : Type} [Group α] [Group β] (p : α × β) : pⁱ = (p.1ⁱ, p.2ⁱ) := by
  rfl

theorem prod_npow {α β : Type} [Group α] [Group β] (p : α × β) (n : Nat) :
    npow p n = (npow p.1 n, npow p.2 n) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [npow_succ, ih]
    rfl

theorem int_npow (a : Int) (n : Nat) : npow a n = n * a := by
  induction n with
  | zero => exact (Int.zero_mul a).symm
  | succ n ih =>
    rw [npow_succ, ih, Int.natCast_add, Int.add_mul]
    show n * a + a = n * a + 1 * a
    rw [Int.one_mul]

theorem int_no_order (a : Int) (n : Nat) (ha : a ≠ 0) : ¬ HasOrder a n := by
  sorry

end Instances

end Algebra
