import Structures.Algebra.Group

/-!
Maps between monoids that respect the operation.
-/

namespace Structures

open Monoid

structure Hom (α β : Type) [Monoid α] [Monoid β] where
  fn : α → β
  fn_unit : fn 𝟙 = 𝟙
  fn_op : ∀ a b, fn (a ⋆ b) = fn a ⋆ fn b

namespace Hom

section Basics

variable {α β γ : Type} [Monoid α] [Monoid β] [Monoid γ]

def id : Hom α α where
  fn := fun a => a
  fn_unit := rfl
  fn_op := fun _ _ => rfl

def comp (g : Hom β γ) (f : Hom α β) : Hom α γ where
  fn := fun a => g.fn (f.fn a)
  fn_unit := by rw [f.fn_unit, g.fn_unit]
  fn_op := by
    intro a b
    rw [f.fn_op, g.fn_op]

def trivial : Hom α β where
  fn := fun _ => 𝟙
  fn_unit := rfl
  fn_op := by
    intro a b
    rw [unit_op]

/-- The elements sent to the unit. -/
def Kernel (f : Hom α β) (a : α) : Prop := f.fn a = 𝟙

/-- The elements that are hit. -/
def Image (f : Hom α β) (b : β) : Prop := ∃ a, f.fn a = b

variable (f : Hom α β) (g : Hom β γ)

theorem id_apply (a : α) : id.fn a = a := by
  rfl

theorem comp_apply (a : α) : (comp g f).fn a = g.fn (f.fn a) := by
  rfl

theorem map_op3 (a b c : α) : f.fn (a ⋆ b ⋆ c) = f.fn a ⋆ f.fn b ⋆ f.fn c := by
  rw [f.fn_op, f.fn_op]

theorem map_power (a : α) (n : Nat) : f.fn (power a n) = power (f.fn a) n := by
  induction n with
  | zero => exact f.fn_unit
  | succ n ih =>
    simp only [power]
    rw [f.fn_op, ih]

theorem map_product (xs : List α) : f.fn (product xs) = product (xs.map f.fn) := by
  induction xs with
  | nil => exact f.fn_unit
  | cons x xs ih =>
    simp only [List.map, product]
    rw [f.fn_op, ih]

theorem map_commute (a b : α) (h : Commute a b) : Commute (f.fn a) (f.fn b) := by
  unfold Commute at *
  rw [← f.fn_op, h, f.fn_op]

theorem map_idempotent (a : α) (h : Idempotent a) : Idempotent (f.fn a) := by
  unfold Idempotent at *
  rw [← f.fn_op, h]

theorem kernel_unit : Kernel f 𝟙 := by
  exact f.fn_unit

theorem kernel_op (a b : α) (h1 : Kernel f a) (h2 : Kernel f b) : Kernel f (a ⋆ b) := by
  unfold Kernel at *
  rw [f.fn_op, h1, h2, unit_op]

theorem kernel_power (a : α) (n : Nat) (h : Kernel f a) : Kernel f (power a n) := by
  induction n with
  | zero => exact f.fn_unit
  | succ n ih =>
    apply kernel_op
    · exact ih
    · exact h

theorem kernel_comp (a : α) (h : Kernel f a) : Kernel (comp g f) a := by
  unfold Kernel at *
  simp only [comp]
  rw [h, g.fn_unit]

theorem kernel_trivial (a : α) : Kernel (trivial : Hom α β) a := by
  rfl

theorem image_unit : Image f 𝟙 := by
  exists 𝟙
  exact f.fn_unit

theorem image_fn (a : α) : Image f (f.fn a) := by
  exact ⟨a, rfl⟩

theorem image_op (x y : β) (h1 : Image f x) (h2 : Image f y) : Image f (x ⋆ y) := by
  obtain ⟨a, ha⟩ := h1
  obtain ⟨b, hb⟩ := h2
  exists a ⋆ b
  rw [f.fn_op, ha, hb]

theorem image_power (x : β) (n : Nat) (h : Image f x) : Image f (power x n) := by
  obtain ⟨a, ha⟩ := h
  exists power a n
  rw [map_power, ha]

theorem image_comp (z : γ) (h : Image (comp g f) z) : Image g z := by
  obtain ⟨a, ha⟩ := h
  exact ⟨f.fn a, ha⟩

theorem image_id (a : α) : Image id a := by
  exists a

theorem image_trivial (b : β) (h : Image (trivial : Hom α β) b) : b = 𝟙 := by
  obtain ⟨a, ha⟩ := h
  rw [← ha]
  rfl

end Basics

section Groups

variable {α β : Type} [Group α] [Group β] (f : Hom α β)

theorem map_inv (a : α) : f.fn a⁻ = (f.fn a)⁻ := by
  apply Group.inv_unique
  rw [← f.fn_op, Group.inv_op, f.fn_unit]

theorem kernel_inv (a : α) (h : Kernel f a) : Kernel f a⁻ := by
  unfold Kernel at *
  rw [map_inv, h, Group.inv_unit]

theorem image_inv (x : β) (h : Image f x) : Image f x⁻ := by
  obtain ⟨a, ha⟩ := h
  exists a⁻
  rw [map_inv, ha]

theorem inj_of_kernel (h : ∀ a, Kernel f a → a = 𝟙) (a b : α) (h1 : f.fn a = f.fn b) :
    a = b := by
  have h2 : a ⋆ b⁻ = 𝟙 := by
    apply h
    unfold Kernel
    rw [f.fn_op, map_inv, h1, Group.op_inv]
  rw [← Group.inv_inv b]
  apply Group.inv_unique
  exact h2

theorem kernel_of_inj (h : ∀ a b, f.fn a = f.fn b → a = b) (a : α) (h1 : Kernel f a) :
    a = 𝟙 := by
  apply h
  rw [h1, f.fn_unit]

theorem map_conj (a b : α) (h : Group.Conj a b) : Group.Conj (f.fn a) (f.fn b) := by
  obtain ⟨c, h1⟩ := h
  exists f.fn c
  rw [h1, f.fn_op, f.fn_op, map_inv]

end Groups

/-- The length of a list, as one of our own numbers. -/
def count {α : Type} : List α → Num
  | [] => Num.zero
  | _ :: xs => Num.succ (count xs)

theorem count_join {α : Type} (xs ys : List α) : count (xs ++ₗ ys) = count xs ∔ count ys := by
  induction xs with
  | nil =>
    simp only [join, count]
    rw [Num.zero_add]
  | cons x xs ih =>
    simp only [join, count]
    rw [ih, Num.succ_add]

def countHom {α : Type} : Hom (List α) Num where
  fn := count
  fn_unit := rfl
  fn_op := count_join

def turnHom : Hom Vec Vec where
  fn := Vec.turn
  fn_unit := rfl
  fn_op := Vec.turn_plus

section Examples

variable {α : Type}

theorem toNat_count (xs : List α) : (count xs).toNat = xs.length := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [count, Num.toNat, ih]

theorem countHom_kernel (xs : List α) (h : Kernel countHom xs) : xs = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => injection h

theorem countHom_image (a : α) (n : Num) : Image (countHom (α := α)) n := by
  induction n with
  | zero => exact ⟨[], rfl⟩
  | succ n ih =>
    obtain ⟨xs, h⟩ := ih
    refine ⟨a :: xs, ?_⟩
    rw [← h]
    rfl

theorem turnHom_image (u : Vec) : Image turnHom u := by
  exists Vec.turn (Vec.turn (Vec.turn u))
  exact Vec.turn_four u

theorem turnHom_inv (u : Vec) : turnHom.fn u⁻ = (turnHom.fn u)⁻ := by
  exact map_inv turnHom u

end Examples

end Hom

end Structures
