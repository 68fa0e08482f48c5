/-!
Semigroups: one associative operation. Powers with positive exponents, commuting elements,
idempotents, regular elements, cancellation, and products of structures.
-/

namespace Algebra

/-- A set with an associative operation. -/
class Semigroup (α : Type) where
  mul : α → α → α
  assoc : ∀ a b c, mul (mul a b) c = mul a (mul b c)

infixl:70 " ∘' " => Semigroup.mul

/-- A semigroup in which every element is its own square. -/
class Band (α : Type) extends Semigroup α where
  idem : ∀ a, mul a a = a

namespace Semigroup

variable {α : Type} [Semigroup α]

/-- `pow a n` is the product of `n + 1` factors `a`. -/
def pow (a : α) : Nat → α
  | 0 => a
  | n + 1 => pow a n ∘' a

/-- The product of an element and the elements of a list, from the left. -/
def fold (a : α) : List α → α
  | [] => a
  | b :: bs => fold (a ∘' b) bs

def Commutes (a b : α) : Prop := a ∘' b = b ∘' a

def Idem (a : α) : Prop := a ∘' a = a

/-- `b` is a generalized inverse of `a`. -/
def IsQuasiInverse (a b : α) : Prop := a ∘' b ∘' a = a ∧ b ∘' a ∘' b = b

/-- `a` has an element `b` with `aba = a`. -/
def Regular (a : α) : Prop := ∃ b, a ∘' b ∘' a = a

/-- One may cancel `a` on the left. -/
def LeftCancels (a : α) : Prop := ∀ x y, a ∘' x = a ∘' y → x = y

/-- One may cancel `a` on the right. -/
def RightCancels (a : α) : Prop := ∀ x y, x ∘' a = y ∘' a → x = y

/-- `b` is a right multiple of `a`, or `a` itself. -/
def Above (a b : α) : Prop := b = a ∨ ∃ c, b = a ∘' c

/-- `z` swallows everything. -/
def IsZero (z : α) : Prop := ∀ a, z ∘' a = z ∧ a ∘' z = z

section Powers

theorem pow_zero (a : α) : pow a 0 = a := by
  rfl

theorem pow_succ (a : α) (n : Nat) : pow a (n + 1) = pow a n ∘' a := by
  rfl

theorem pow_succ_left (a : α) (n : Nat) : pow a (n + 1) = a ∘' pow a n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [pow_succ, ih, assoc, ← pow_succ, ih]

theorem mul_pow (a : α) (m n : Nat) : pow a m ∘' pow a n = pow a (m + n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [pow_succ, ← assoc, ih]
    rfl

theorem pow_pow (a : α) (m n : Nat) : pow (pow a m) n = pow a (m * n + m + n) := by
  sorry

theorem pow_commutes (a : α) (m n : Nat) : Commutes (pow a m) (pow a n) := by
  unfold Commutes
  rw [mul_pow, mul_pow, Nat.add_comm m n]

theorem commutes_pow (a b : α) (n : Nat) (h : Commutes a b) : Commutes a (pow b n) := by
  unfold Commutes at *
  induction n with
  | zero => exact h
  | succ n ih => rw [pow_succ, ← assoc, ih, assoc, h, assoc]

theorem pow_of_idem (a : α) (n : Nat) (h : Idem a) : pow a n = a := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [pow_succ, ih]
    exact h

theorem pow_mul (a b : α) (n : Nat) (h : Commutes a b) :
    pow (a ∘' b) n = pow a n ∘' pow b n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    have h1 : Commutes a (pow b n) := commutes_pow a b n h
    unfold Commutes at h1
    rw [pow_succ, ih, pow_succ, pow_succ, assoc, ← assoc _ a b, ← h1, assoc, assoc]

/-- A power that comes twice makes the powers go round. -/
theorem pow_periodic (a : α) (m p : Nat) (h : pow a (m + p) = pow a m) (k : Nat) :
    pow a (m + k + p) = pow a (m + k) := by
  induction k with
  | zero => exact h
  | succ k ih =>
    have h1 : m + (k + 1) + p = m + k + p + 1 := by omega
    rw [h1, pow_succ, ih]
    rfl

theorem pow_periodic_mul (a : α) (m p : Nat) (h : pow a (m + p) = pow a m) (j : Nat) :
    pow a (m + j * p) = pow a m := by
  induction j with
  | zero => rw [Nat.zero_mul, Nat.add_zero]
  | succ j ih =>
    rw [Nat.succ_mul, ← Nat.add_assoc, pow_periodic a m p h, ih]

theorem exists_idem_pow (a : α) (m p : Nat) (hp : 0 < p) (h : pow a (m + p) = pow a m) :
    ∃ n, Idem (pow a n) := by
  sorry

end Powers

section Folds

theorem fold_cons (a b : α) (bs : List α) : fold a (b :: bs) = fold (a ∘' b) bs := by
  rfl

theorem mul_fold (a b : α) (bs : List α) : a ∘' fold b bs = fold (a ∘' b) bs := by
  induction bs generalizing b with
  | nil => rfl
  | cons c cs ih => rw [fold_cons, ih, fold_cons, assoc]

theorem fold_append (a b : α) (as bs : List α) :
    fold a (as ++ b :: bs) = fold a as ∘' fold b bs := by
  induction as generalizing a with
  | nil => exact (mul_fold a b bs).symm
  | cons c cs ih =>
    rw [List.cons_append, fold_cons, ih]
    rfl

theorem fold_snoc (a b : α) (as : List α) : fold a (as ++ [b]) = fold a as ∘' b := by
  rw [fold_append]
  rfl

theorem fold_replicate (a : α) (n : Nat) : fold a (List.replicate n a) = pow a n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [List.replicate_succ, fold_cons, ← mul_fold, ih, pow_succ_left]

theorem commutes_fold (a b : α) (bs : List α) (h : Commutes a b) (hs : ∀ c ∈ bs, Commutes a c) :
    Commutes a (fold b bs) := by
  sorry

theorem fold_reverse (a : α) (as : List α) (h : ∀ x y : α, Commutes x y) :
    fold a as.reverse = fold a as := by
  induction as generalizing a with
  | nil => rfl
  | cons b bs ih =>
    rw [List.reverse_cons, fold_snoc, ih, fold_cons, h a b, ← mul_fold]
    exact h _ _

end Folds

section Idempotents

theorem idem_mul (a b : α) (h : Commutes a b) (ha : Idem a) (hb : Idem b) : Idem (a ∘' b) := by
  unfold Idem Commutes at *
  rw [assoc, ← assoc b a b, ← h, assoc a b b, hb, ← assoc, ha]

theorem regular_of_idem (a : α) (h : Idem a) : Regular a := by
  refine ⟨a, ?_⟩
  unfold Idem at h
  rw [h, h]

theorem idem_left_of_regular (a b : α) (h : a ∘' b ∘' a = a) : Idem (a ∘' b) := by
  unfold Idem
  rw [← assoc, h]

theorem idem_right_of_regular (a b : α) (h : a ∘' b ∘' a = a) : Idem (b ∘' a) := by
  unfold Idem
  rw [assoc, ← assoc a, h]

/-- Every regular element has a generalized inverse. -/
theorem quasiInverse_of_regular (a : α) (h : Regular a) : ∃ b, IsQuasiInverse a b := by
  obtain ⟨b, hb⟩ := h
  refine ⟨b ∘' a ∘' b, ?_, ?_⟩
  · rw [← assoc, ← assoc, hb, hb]
  · calc b ∘' a ∘' b ∘' a ∘' (b ∘' a ∘' b)
        = b ∘' (a ∘' b ∘' a) ∘' b ∘' a ∘' b := by simp only [assoc]
      _ = b ∘' a ∘' b ∘' a ∘' b := by rw [hb]
      _ = b ∘' (a ∘' b ∘' a) ∘' b := by simp only [assoc]
      _ = b ∘' a ∘' b := by rw [hb]

theorem quasiInverse_symm (a b : α) (h : IsQuasiInverse a b) : IsQuasiInverse b a := by
  exact ⟨h.2, h.1⟩

theorem quasiInverse_unique (a b c : α) (hb : IsQuasiInverse a b) (hc : IsQuasiInverse a c)
    (h : ∀ e f : α, Idem e → Idem f → Commutes e f) : b = c := by
  sorry

theorem band_regular {β : Type} [Band β] (a : β) : Regular a := by
  exact regular_of_idem a (Band.idem a)

theorem band_commutes_of_zigzag {β : Type} [Band β] (h : ∀ a b c : β, a ∘' b ∘' c = a ∘' c ∘' b)
    (h' : ∀ a b c : β, a ∘' b ∘' c = b ∘' a ∘' c) (a b : β) : Commutes a b := by
  sorry

end Idempotents

section Cancelling

theorem leftCancels_mul (a b : α) (ha : LeftCancels a) (hb : LeftCancels b) :
    LeftCancels (a ∘' b) := by
  intro x y h
  rw [assoc, assoc] at h
  exact hb x y (ha _ _ h)

theorem leftCancels_of_mul (a b : α) (h : LeftCancels (a ∘' b)) : LeftCancels b := by
  intro x y h1
  apply h
  rw [assoc, h1, assoc]

theorem rightCancels_mul (a b : α) (ha : RightCancels a) (hb : RightCancels b) :
    RightCancels (a ∘' b) := by
  intro x y h
  rw [← assoc, ← assoc] at h
  exact ha x y (hb _ _ h)

theorem leftCancels_pow_iff (a : α) (n : Nat) : LeftCancels (pow a n) ↔ LeftCancels a := by
  sorry

/-- An idempotent that may be cancelled is a unit on the left. -/
theorem idem_cancel_left (e a : α) (he : Idem e) (h : LeftCancels e) : e ∘' a = a := by
  apply h
  rw [← assoc, he]

theorem idem_unique_of_cancel (e f : α) (he : Idem e) (hf : Idem f) (h1 : LeftCancels e)
    (h2 : RightCancels f) : e = f := by
  sorry

theorem zero_unique (y z : α) (hy : IsZero y) (hz : IsZero z) : y = z := by
  rw [← (hy z).1]
  exact (hz y).2

theorem zero_idem (z : α) (h : IsZero z) : Idem z := by
  exact (h z).1

theorem all_zero_of_cancel (z : α) (hz : IsZero z) (h : LeftCancels z) (a b : α) : a = b := by
  sorry

end Cancelling

section Divisibility

theorem above_refl (a : α) : Above a a := by
  left
  rfl

theorem above_trans (a b c : α) (h1 : Above a b) (h2 : Above b c) : Above a c := by
  rcases h1 with h1 | ⟨x, h1⟩
  · rw [← h1]
    exact h2
  · rcases h2 with h2 | ⟨y, h2⟩
    · right
      exact ⟨x, by rw [h2, h1]⟩
    · right
      exact ⟨x ∘' y, by rw [h2, h1, assoc]⟩

theorem above_mul_left (a b c : α) (h : Above a b) : Above (c ∘' a) (c ∘' b) := by
  sorry

theorem above_idem_iff (e a : α) (he : Idem e) : Above e a ↔ e ∘' a = a := by
  constructor
  · intro h
    rcases h with h | ⟨x, h⟩
    · rw [h]
      exact he
    · rw [h, ← assoc, he]
  · intro h
    right
    exact ⟨a, h.symm⟩

theorem above_pow (a : α) (m n : Nat) (h : m ≤ n) : Above (pow a m) (pow a n) := by
  sorry

/-- A regular element and its idempotent are above each other. -/
theorem regular_above (a b : α) (h : a ∘' b ∘' a = a) : Above (a ∘' b) a ∧ Above a (a ∘' b) := by
  constructor
  · right
    exact ⟨a, h.symm⟩
  · right
    exact ⟨b, rfl⟩

end Divisibility

end Semigroup

section Products

instance prodSemigroup {α β : Type} [Semigroup α] [Semigroup β] : Semigroup (α × β) where
  mul p q := (p.1 ∘' q.1, p.2 ∘' q.2)
  assoc p q r := by rw [Semigroup.assoc, Semigroup.assoc]

instance functionSemigroup {ι α : Type} [Semigroup α] : Semigroup (ι → α) where
  mul f g := fun i => f i ∘' g i
  assoc f g h := by
    funext i
    rw [Semigroup.assoc]

open Semigroup

theorem prod_mul {α β : Type} [Semigroup α] [Semigroup β] (p q : α × β) :
    p ∘' q = (p.1 ∘' q.1, p.2 ∘' q.2) := by
  rfl

theorem prod_pow {α β : Type} [Semigroup α] [Semigroup β] (p : α × β) (n : Nat) :
    pow p n = (pow p.1 n, pow p.2 n) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [pow_succ, ih]
    rfl

theorem prod_commutes_iff {α β : Type} [Semigroup α] [Semigroup β] (p q : α × β) :
    Commutes p q ↔ Commutes p.1 q.1 ∧ Commutes p.2 q.2 := by
  sorry
theorem prod_regular_iff {α β : Type} [Semigroup α] [Semigroup β] (p : α × β) :
    Regular p ↔ Regular p.1 ∧ Regular p.2 := by
  sorry

theorem function_idem_iff {ι α : Type} [Semigroup α] (f : ι → α) :
    Idem f ↔ ∀ i, Idem (f i) := by
  constructor
  · intro h i
    exact congrFun h i
  · intro h
    funext i
    exact h i

end Products

end Algebra
