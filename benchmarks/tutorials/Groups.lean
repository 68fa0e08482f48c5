/-!
# Groups, homomorphisms, kernels

Groups written multiplicatively, with the laws as fields of a class.
-/

class Group (G : Type u) where
  mul : G → G → G
  one : G
  inv : G → G
  mul_assoc : ∀ a b c, mul (mul a b) c = mul a (mul b c)
  one_mul : ∀ a, mul one a = a
  inv_mul : ∀ a, mul (inv a) a = one

namespace Group

infixl:70 " ⋆ " => Group.mul
notation "𝟙" => Group.one
postfix:max "⁻¹" => Group.inv

variable {G : Type u} {H : Type v} [Group G] [Group H]

theorem mul_left_cancel {a b c : G} (h : a ⋆ b = a ⋆ c) : b = c := by
  have h' : a⁻¹ ⋆ (a ⋆ b) = a⁻¹ ⋆ (a ⋆ c) := by rw [h]
  rw [← mul_assoc, ← mul_assoc, inv_mul, one_mul, one_mul] at h'
  exact h'

/-- A left inverse is also a right inverse. -/
theorem mul_inv (a : G) : a ⋆ a⁻¹ = 𝟙 := by
  apply mul_left_cancel (a := a⁻¹)
  apply mul_left_cancel (a := (a⁻¹)⁻¹)
  rw [← mul_assoc (a⁻¹) a, inv_mul, one_mul, inv_mul, ← mul_assoc, inv_mul, one_mul]

theorem mul_one (a : G) : a ⋆ 𝟙 = a := by
  rw [← inv_mul a, ← mul_assoc, mul_inv, one_mul]

theorem inv_unique {a b : G} (h : a ⋆ b = 𝟙) : b = a⁻¹ := by
  apply mul_left_cancel (a := a)
  rw [h, mul_inv]

theorem inv_inv (a : G) : (a⁻¹)⁻¹ = a := (inv_unique (inv_mul a)).symm

theorem inv_mul_rev (a b : G) : (a ⋆ b)⁻¹ = b⁻¹ ⋆ a⁻¹ := by
  symm
  apply inv_unique
  calc a ⋆ b ⋆ (b⁻¹ ⋆ a⁻¹)
      = a ⋆ (b ⋆ b⁻¹ ⋆ a⁻¹) := by simp only [mul_assoc]
    _ = 𝟙 := by rw [mul_inv, one_mul, mul_inv]

/-- If every element is its own inverse, the group is commutative. -/
theorem comm_of_square_one (h : ∀ a : G, a ⋆ a = 𝟙) (a b : G) : a ⋆ b = b ⋆ a := by
  have self_inv : ∀ x : G, x = x⁻¹ := fun x => inv_unique (h x)
  rw [self_inv (a ⋆ b), inv_mul_rev, ← self_inv a, ← self_inv b]

/-- `a ^ n` as a product of `n` copies. -/
def npow (a : G) : Nat → G
  | 0 => 𝟙
  | n + 1 => npow a n ⋆ a

theorem npow_add (a : G) (m n : Nat) : npow a (m + n) = npow a m ⋆ npow a n := by
  induction n with
  | zero => simp [npow, mul_one]
  | succ n ih => rw [← Nat.add_assoc, npow, ih, npow, mul_assoc]

end Group

open Group

/-- Homomorphisms of groups. -/
structure Hom (G : Type u) (H : Type v) [Group G] [Group H] where
  toFun : G → H
  map_mul : ∀ a b, toFun (a ⋆ b) = toFun a ⋆ toFun b

instance [Group G] [Group H] : CoeFun (Hom G H) (fun _ => G → H) := ⟨Hom.toFun⟩

/-- Subgroups, as predicates. -/
structure Subgroup (G : Type u) [Group G] where
  carrier : G → Prop
  one_mem : carrier 𝟙
  mul_mem : ∀ {a b}, carrier a → carrier b → carrier (a ⋆ b)
  inv_mem : ∀ {a}, carrier a → carrier a⁻¹

instance [Group G] : Membership G (Subgroup G) := ⟨fun S a => S.carrier a⟩

namespace Hom

variable {G : Type u} {H : Type v} [Group G] [Group H]

theorem map_one (f : Hom G H) : f 𝟙 = 𝟙 := by
  apply mul_left_cancel (a := f 𝟙)
  rw [← f.map_mul, mul_one, mul_one]

theorem map_inv (f : Hom G H) (a : G) : f a⁻¹ = (f a)⁻¹ := by
  apply inv_unique
  rw [← f.map_mul, mul_inv, f.map_one]

theorem map_npow (f : Hom G H) (a : G) (n : Nat) : f (npow a n) = npow (f a) n := by
  induction n with
  | zero => exact f.map_one
  | succ n ih => simp only [npow, f.map_mul, ih]

def ker (f : Hom G H) : Subgroup G where
  carrier a := f a = 𝟙
  one_mem := f.map_one
  mul_mem := by
    intro a b ha hb
    rw [f.map_mul, ha, hb, one_mul]
  inv_mem := by
    intro a ha
    rw [f.map_inv, ha]
    exact (inv_unique (one_mul 𝟙)).symm

theorem mem_ker {f : Hom G H} {a : G} : a ∈ f.ker ↔ f a = 𝟙 := Iff.rfl

theorem ker_normal (f : Hom G H) {n : G} (hn : n ∈ f.ker) (g : G) :
    g ⋆ n ⋆ g⁻¹ ∈ f.ker := by
  rw [mem_ker] at *
  rw [f.map_mul, f.map_mul, hn, mul_one, ← f.map_mul, mul_inv, f.map_one]

theorem eq_iff_ker (f : Hom G H) (a b : G) : f a = f b ↔ a⁻¹ ⋆ b ∈ f.ker := by
  rw [mem_ker, f.map_mul, f.map_inv]
  constructor
  · intro h
    rw [h, inv_mul]
  · intro h
    apply mul_left_cancel (a := (f a)⁻¹)
    rw [h, inv_mul]

/-- A homomorphism is injective exactly when its kernel is trivial. -/
theorem injective_iff_ker (f : Hom G H) :
    (∀ a b, f a = f b → a = b) ↔ ∀ a, a ∈ f.ker → a = 𝟙 := by
  constructor
  · intro inj a ha
    exact inj a 𝟙 (ha.trans f.map_one.symm)
  · intro triv a b hab
    have h := triv _ ((f.eq_iff_ker a b).mp hab)
    rw [inv_unique h, inv_inv]

end Hom

/-- A group is never the union of two proper subgroups. -/
theorem Subgroup.not_union {G : Type u} [Group G] (S T : Subgroup G)
    (cover : ∀ a, a ∈ S ∨ a ∈ T) : (∀ a, a ∈ S) ∨ (∀ a, a ∈ T) := by
  apply Classical.byContradiction
  intro h
  simp only [not_or, Classical.not_forall] at h
  obtain ⟨⟨a, haS⟩, ⟨b, hbT⟩⟩ := h
  have haT : a ∈ T := (cover a).resolve_left haS
  have hbS : b ∈ S := (cover b).resolve_right hbT
  rcases cover (a ⋆ b) with hab | hab
  · apply haS
    have : a ⋆ b ⋆ b⁻¹ ∈ S := S.mul_mem hab (S.inv_mem hbS)
    rwa [mul_assoc, mul_inv, mul_one] at this
  · apply hbT
    have : a⁻¹ ⋆ (a ⋆ b) ∈ T := T.mul_mem (T.inv_mem haT) hab
    rwa [← mul_assoc, inv_mul, one_mul] at this
