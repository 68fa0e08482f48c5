import Structures.Algebra.Monoid
import Structures.Data.Vec

/-!
Groups, built on monoids.
-/

namespace Structures

class Group (α : Type) extends Monoid α where
  inv : α → α
  inv_op : ∀ a, op (inv a) a = unit

postfix:max "⁻" => Group.inv

namespace Group

open Monoid

variable {α : Type} [Group α]

/-- `b` arises from `a` by exchanging with some element. -/
def Conj (a b : α) : Prop := ∃ c : α, b = c ⋆ a ⋆ c⁻

theorem op_inv (a : α) : a ⋆ a⁻ = 𝟙 := by
  have h : a⁻⁻ ⋆ a⁻ = 𝟙 := inv_op a⁻
  have h1 : a⁻⁻ = a := by
    rw [← op_unit a⁻⁻, ← inv_op a, ← op_assoc, h, unit_op]
  rw [h1] at h
  exact h

theorem inv_inv (a : α) : a⁻⁻ = a := by
  rw [← op_unit a⁻⁻, ← inv_op a, ← op_assoc, inv_op, unit_op]

theorem inv_op_cancel (a b : α) : a⁻ ⋆ (a ⋆ b) = b := by
  rw [← op_assoc, inv_op, unit_op]

theorem op_inv_cancel (a b : α) : a ⋆ (a⁻ ⋆ b) = b := by
  rw [← op_assoc, op_inv, unit_op]

theorem op_op_inv (a b : α) : a ⋆ b ⋆ b⁻ = a := by
  rw [op_assoc, op_inv, op_unit]

theorem op_inv_op (a b : α) : a ⋆ b⁻ ⋆ b = a := by
  rw [op_assoc, inv_op, op_unit]

theorem left_cancel (a b c : α) (h : a ⋆ b = a ⋆ c) : b = c := by
  rw [← inv_op_cancel a b, h, inv_op_cancel]

theorem right_cancel (a b c : α) (h : b ⋆ a = c ⋆ a) : b = c := by
  rw [← op_op_inv b a, h, op_op_inv]

theorem inv_unit : (𝟙 : α)⁻ = 𝟙 := by
  rw [← op_unit (𝟙 : α)⁻, inv_op]

theorem inv_unique (a b : α) (h : b ⋆ a = 𝟙) : b = a⁻ := by
  rw [← op_op_inv b a, h, unit_op]

theorem inv_unique_right (a b : α) (h : a ⋆ b = 𝟙) : b = a⁻ := by
  rw [← inv_op_cancel a b, h, op_unit]

theorem inv_of_op (a b : α) : (a ⋆ b)⁻ = b⁻ ⋆ a⁻ := by
  apply left_cancel (a ⋆ b)
  rw [op_inv, op_assoc, ← op_assoc b, op_inv, unit_op, op_inv]

theorem inv_inj (a b : α) (h : a⁻ = b⁻) : a = b := by
  rw [← inv_inv a, h, inv_inv]

theorem inv_eq_unit (a : α) (h : a⁻ = 𝟙) : a = 𝟙 := by
  rw [← inv_inv a, h, inv_unit]

theorem solve_left (a b : α) : ∃ c, a ⋆ c = b := by
  exists a⁻ ⋆ b
  rw [← op_assoc, op_inv, unit_op]

theorem solve_right (a b : α) : ∃ c, c ⋆ a = b := by
  exists b ⋆ a⁻
  rw [op_assoc, inv_op, op_unit]

theorem idempotent_eq_unit (a : α) (h : Idempotent a) : a = 𝟙 := by
  apply left_cancel a
  rw [h, op_unit]

theorem op_eq_left (a b : α) (h : a ⋆ b = a) : b = 𝟙 := by
  apply left_cancel a
  rw [h, op_unit]

theorem op_eq_right (a b : α) (h : b ⋆ a = a) : b = 𝟙 := by
  rw [← op_op_inv b a, h, op_inv]

theorem commute_inv (a b : α) (h : Commute a b) : Commute a b⁻ := by
  unfold Commute at *
  apply left_cancel b
  rw [← op_assoc, ← h, op_op_inv, ← op_assoc, op_inv, unit_op]

theorem inv_power_op (a : α) (n : Nat) : power a⁻ n ⋆ power a n = 𝟙 := by
  induction n with
  | zero =>
    simp only [power]
    rw [unit_op]
  | succ n ih =>
    rw [power_succ a⁻, power_succ_left a, op_assoc, inv_op_cancel, ih]

theorem conj_refl (a : α) : Conj a a := by
  exists 𝟙
  rw [inv_unit, op_unit, unit_op]

theorem conj_unit (a : α) (h : Conj 𝟙 a) : a = 𝟙 := by
  obtain ⟨c, h1⟩ := h
  rw [h1, op_unit, op_inv]

theorem conj_symm (a b : α) (h : Conj a b) : Conj b a := by
  obtain ⟨c, h1⟩ := h
  exists c⁻
  rw [h1, inv_inv, op_assoc c, inv_op_cancel, op_assoc, inv_op, op_unit]

theorem conj_trans (a b c : α) (h1 : Conj a b) (h2 : Conj b c) : Conj a c := by
  obtain ⟨x, h3⟩ := h1
  obtain ⟨y, h4⟩ := h2
  exists y ⋆ x
  rw [h4, h3, inv_of_op]
  simp only [op_assoc]

theorem conj_commute (a b : α) (h : ∀ c : α, Commute a c) (h1 : Conj a b) : b = a := by
  obtain ⟨c, h2⟩ := h1
  rw [h2, ← h c, op_op_inv]

end Group

instance vecGroup : Group Vec where
  op := Vec.plus
  unit := Vec.zero
  op_assoc := Vec.plus_assoc
  unit_op := Vec.zero_plus
  op_unit := Vec.plus_zero
  inv := Vec.neg
  inv_op := Vec.neg_plus

section Instances

theorem vec_op_eq (u v : Vec) : u ⋆ v = u ⊹ v := by
  rfl

theorem vec_inv_eq (u : Vec) : u⁻ = Vec.neg u := by
  rfl

theorem vec_commute (u v : Vec) : Monoid.Commute u v := by
  exact Vec.plus_comm u v

theorem vec_central (u : Vec) : Monoid.Central u := by
  intro v
  exact Vec.plus_comm u v

theorem vec_power_two (u : Vec) : Monoid.power u 2 = 2 ⊙ u := by
  rw [Vec.two_scale, Monoid.power_succ, Monoid.power_one]
  rfl

theorem vec_conj_eq (u v : Vec) (h : Group.Conj u v) : v = u := by
  obtain ⟨w, h1⟩ := h
  rw [h1, vec_commute w u, Group.op_op_inv]

end Instances

end Structures
