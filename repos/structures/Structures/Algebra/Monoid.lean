import Structures.Data.Seq
import Structures.Num.Basic

/-!
Monoids as a type class, with instances, and commutative monoids.
-/

namespace Structures

class Monoid (α : Type) where
  op : α → α → α
  unit : α
  op_assoc : ∀ a b c, op (op a b) c = op a (op b c)
  unit_op : ∀ a, op unit a = a
  op_unit : ∀ a, op a unit = a

class CommMonoid (α : Type) extends Monoid α where
  op_comm : ∀ a b, op a b = op b a

infixl:70 " ⋆ " => Monoid.op

notation "𝟙" => Monoid.unit

namespace Monoid

/-- The `n`-fold product of `a`. -/
def power {α : Type} [Monoid α] (a : α) : Nat → α
  | 0 => 𝟙
  | n + 1 => power a n ⋆ a

/-- The product of a list. -/
def product {α : Type} [Monoid α] : List α → α
  | [] => 𝟙
  | x :: xs => x ⋆ product xs

/-- The elements `a` and `b` may be exchanged. -/
def Commute {α : Type} [Monoid α] (a b : α) : Prop := a ⋆ b = b ⋆ a

def Idempotent {α : Type} [Monoid α] (a : α) : Prop := a ⋆ a = a

def Central {α : Type} [Monoid α] (a : α) : Prop := ∀ b, a ⋆ b = b ⋆ a

variable {α : Type} [Monoid α]

section Unit

theorem unit_unique (e : α) (h : ∀ a, e ⋆ a = a) : e = 𝟙 := by
  rw [← h 𝟙, op_unit]

theorem unit_unique_right (e : α) (h : ∀ a, a ⋆ e = a) : e = 𝟙 := by
  rw [← h 𝟙, unit_op]

theorem unit_op_unit : (𝟙 : α) ⋆ 𝟙 = 𝟙 := by
  rw [unit_op]

theorem op_four (a b c d : α) : a ⋆ b ⋆ c ⋆ d = a ⋆ (b ⋆ (c ⋆ d)) := by
  rw [op_assoc, op_assoc]

theorem op_middle (a b c d : α) : a ⋆ b ⋆ (c ⋆ d) = a ⋆ (b ⋆ c) ⋆ d := by
  sorry

theorem inverse_unique (a b c : α) (h1 : b ⋆ a = 𝟙) (h2 : a ⋆ c = 𝟙) : b = c := by
  rw [← op_unit b, ← h2, ← op_assoc, h1, unit_op]

theorem op_congr_left (a b c : α) (h : a = b) : a ⋆ c = b ⋆ c := by
  rw [h]

theorem op_congr_right (a b c : α) (h : a = b) : c ⋆ a = c ⋆ b := by
  sorry

theorem left_cancel_of_inverse (a b c d : α) (h : d ⋆ a = 𝟙) (h1 : a ⋆ b = a ⋆ c) : b = c := by
  rw [← unit_op b, ← h, op_assoc, h1, ← op_assoc, h, unit_op]

theorem exists_unit : ∃ e : α, ∀ a, e ⋆ a = a := by
  exists 𝟙
  intro a
  rw [unit_op]

theorem exists_idempotent : ∃ e : α, Idempotent e := by
  sorry

end Unit

section Commuting

theorem commute_self (a : α) : Commute a a := by
  rfl

theorem commute_symm (a b : α) (h : Commute a b) : Commute b a := by
  unfold Commute
  rw [h]

theorem commute_unit (a : α) : Commute a 𝟙 := by
  unfold Commute
  rw [op_unit, unit_op]

theorem unit_commute (a : α) : Commute 𝟙 a := by
  sorry

theorem commute_op (a b c : α) (h1 : Commute a b) (h2 : Commute a c) : Commute a (b ⋆ c) := by
  unfold Commute at *
  rw [← op_assoc, h1, op_assoc, h2, op_assoc]

theorem op_commute (a b c : α) (h1 : Commute a c) (h2 : Commute b c) : Commute (a ⋆ b) c := by
  sorry

theorem central_commute (a b : α) (h : Central a) : Commute a b := by
  exact h b

theorem central_unit : Central (𝟙 : α) := by
  intro b
  rw [unit_op, op_unit]

theorem central_op (a b : α) (h1 : Central a) (h2 : Central b) : Central (a ⋆ b) := by
  intro c
  rw [op_assoc, h2, ← op_assoc, h1, op_assoc]

theorem idempotent_unit : Idempotent (𝟙 : α) := by
  unfold Idempotent
  rw [unit_op]

theorem idempotent_op (a b : α) (h : Commute a b) (h1 : Idempotent a) (h2 : Idempotent b) :
    Idempotent (a ⋆ b) := by
  unfold Idempotent Commute at *
  rw [op_assoc, ← op_assoc b, ← h, op_assoc, h2, ← op_assoc, h1]

end Commuting

section Powers

theorem power_zero (a : α) : power a 0 = 𝟙 := by
  rfl

theorem power_one (a : α) : power a 1 = a := by
  simp only [power]
  rw [unit_op]

theorem power_two (a : α) : power a 2 = a ⋆ a := by
  sorry

theorem power_succ (a : α) (n : Nat) : power a (n + 1) = power a n ⋆ a := by
  rfl

theorem unit_power (n : Nat) : power (𝟙 : α) n = 𝟙 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [power]
    rw [ih, unit_op]

theorem power_add (a : α) (n m : Nat) : power a (n + m) = power a n ⋆ power a m := by
  induction m with
  | zero =>
    simp only [power]
    rw [op_unit]
    rfl
  | succ m ih =>
    rw [← Nat.add_assoc, power_succ, ih, power_succ, op_assoc]

theorem power_comm (a : α) (n : Nat) : Commute a (power a n) := by
  induction n with
  | zero =>
    unfold Commute power
    rw [op_unit, unit_op]
  | succ n ih =>
    unfold Commute at *
    rw [power_succ, ← op_assoc, ih]

theorem power_idempotent (a : α) (n : Nat) (h : Idempotent a) : power a (n + 1) = a := by
  sorry

theorem commute_power (a b : α) (n : Nat) (h : Commute a b) : Commute a (power b n) := by
  induction n with
  | zero => exact commute_unit a
  | succ n ih =>
    apply commute_op
    · exact ih
    · exact h

theorem power_succ_left (a : α) (n : Nat) : power a (n + 1) = a ⋆ power a n := by
  have h := power_comm a n
  rw [power_succ, h]

end Powers

section Products

theorem product_nil : product ([] : List α) = 𝟙 := by
  rfl

theorem product_singleton (a : α) : product [a] = a := by
  simp only [product]
  rw [op_unit]

theorem product_pair (a b : α) : product [a, b] = a ⋆ b := by
  sorry

theorem product_append (xs ys : List α) : product (xs ++ ys) = product xs ⋆ product ys := by
  induction xs with
  | nil =>
    simp only [product]
    rw [unit_op]
    rfl
  | cons x xs ih =>
    simp only [List.cons_append, product]
    rw [ih, op_assoc]

theorem product_snoc (xs : List α) (a : α) : product (xs ++ [a]) = product xs ⋆ a := by
  sorry

theorem product_replicate (a : α) (n : Nat) : product (List.replicate n a) = power a n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [power_succ_left, ← ih]
    rfl

theorem product_units (n : Nat) : product (List.replicate n (𝟙 : α)) = 𝟙 := by
  sorry

theorem product_central (a : α) (xs : List α) (h : Central a) : Commute a (product xs) := by
  exact h (product xs)

theorem commute_product (a : α) (xs : List α) (h : ∀ x, Commute a x) :
    Commute a (product xs) := by
  induction xs with
  | nil => exact commute_unit a
  | cons x xs ih =>
    apply commute_op
    · exact h x
    · exact ih

end Products

end Monoid

namespace CommMonoid

open Monoid

variable {α : Type} [CommMonoid α]

theorem all_commute (a b : α) : Commute a b := by
  exact op_comm a b

theorem op_right_comm (a b c : α) : a ⋆ b ⋆ c = a ⋆ c ⋆ b := by
  rw [op_assoc, op_comm b c, op_assoc]

theorem op_left_comm (a b c : α) : a ⋆ (b ⋆ c) = b ⋆ (a ⋆ c) := by
  sorry

theorem op_cross (a b c d : α) : a ⋆ b ⋆ (c ⋆ d) = a ⋆ c ⋆ (b ⋆ d) := by
  rw [op_assoc, ← op_assoc b, op_comm b c, op_assoc, op_assoc]

theorem op_power (a b : α) (n : Nat) : power (a ⋆ b) n = power a n ⋆ power b n := by
  induction n with
  | zero =>
    simp only [power]
    rw [unit_op]
  | succ n ih =>
    simp only [power]
    rw [ih, op_cross]

theorem product_reverse (xs : List α) : product xs.reverse = product xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [List.reverse_cons, product_append, ih, product_singleton, op_comm]
    rfl

end CommMonoid

instance numMonoid : CommMonoid Num where
  op := Num.add
  unit := Num.zero
  op_assoc := Num.add_assoc
  unit_op := Num.zero_add
  op_unit := Num.add_zero
  op_comm := Num.add_comm

instance listMonoid {α : Type} : Monoid (List α) where
  op := join
  unit := []
  op_assoc := by simp
  unit_op := by simp
  op_unit := by simp

section Instances

theorem num_op_eq (n m : Num) : n ⋆ m = n ∔ m := by
  rfl

theorem num_unit_eq : (𝟙 : Num) = Num.zero := by
  rfl

theorem list_op_eq {α : Type} (xs ys : List α) : xs ⋆ ys = xs ++ ys := by
  exact join_eq xs ys

theorem num_power_toNat (n : Num) (k : Nat) :
    (Monoid.power n k).toNat = k * n.toNat := by
  induction k with
  | zero =>
    rw [Nat.zero_mul]
    rfl
  | succ k ih =>
    rw [Monoid.power_succ, num_op_eq, Num.toNat_add]
    rw [ih, Nat.succ_mul]

theorem num_power_zero (k : Nat) : Monoid.power Num.zero k = Num.zero := by
  sorry

theorem list_power_length {α : Type} (xs : List α) (n : Nat) :
    (Monoid.power xs n).length = n * xs.length := by
  induction n with
  | zero =>
    simp only [Nat.zero_mul]
    rfl
  | succ n ih =>
    have h : (Monoid.power xs (n + 1)).length = (Monoid.power xs n).length + xs.length := by
      exact length_join (Monoid.power xs n) xs
    rw [h, ih, Nat.succ_mul]

end Instances

end Structures
