import Algebra.Subgroup

/-!
Homomorphisms of groups as a property of functions: kernels, images, preimages, maps from and into
products, and automorphisms.
-/

namespace Algebra

open Semigroup Group

/-- `f` respects the operation. -/
def IsHom {α β : Type} [Group α] [Group β] (f : α → β) : Prop :=
  ∀ a b, f (a ∘' b) = f a ∘' f b

namespace Hom

variable {α β γ : Type} [Group α] [Group β] [Group γ]

/-- What goes to the unit. -/
def kernel (f : α → β) (a : α) : Prop := f a = ε

/-- What is hit by an element of `H`. -/
def image (f : α → β) (H : α → Prop) (b : β) : Prop := ∃ a, H a ∧ f a = b

/-- What goes into `K`. -/
def preimage (f : α → β) (K : β → Prop) (a : α) : Prop := K (f a)

def Injective (f : α → β) : Prop := ∀ a b, f a = f b → a = b

def Surjective (f : α → β) : Prop := ∀ b, ∃ a, f a = b

/-- Where two functions agree. -/
def equalizer (f g : α → β) (a : α) : Prop := f a = g a

/-- The functions side by side. -/
def pair (f : γ → α) (g : γ → β) (c : γ) : α × β := (f c, g c)

/-- The product of the values. -/
def pointwise (f g : α → β) (a : α) : β := f a ∘' g a

section Basics

theorem hom_id : IsHom (fun a : α => a) := by
  intro a b
  rfl

theorem hom_comp (f : α → β) (g : β → γ) (hf : IsHom f) (hg : IsHom g) :
    IsHom (fun a => g (f a)) := by
  intro a b
  show g (f (a ∘' b)) = g (f a) ∘' g (f b)
  rw [hf, hg]

theorem hom_const : IsHom (fun _ : α => (ε : β)) := by
  intro a b
  exact (one_mul ε).symm

theorem map_one (f : α → β) (hf : IsHom f) : f ε = ε := by
  apply idem_eq_one
  unfold Idem
  rw [← hf, one_mul]

theorem map_inv (f : α → β) (hf : IsHom f) (a : α) : f aⁱ = (f a)ⁱ := by
  apply inv_unique
  rw [← hf, mul_inv, map_one f hf]

theorem map_npow (f : α → β) (hf : IsHom f) (a : α) (n : Nat) :
    f (npow a n) = npow (f a) n := by
  induction n with
  | zero => exact map_one f hf
  | succ n ih => rw [npow_succ, hf, ih, npow_succ]

theorem map_zpow (f : α → β) (hf : IsHom f) (a : α) (n : Int) :
    f (zpow a n) = zpow (f a) n := by
  cases n with
  | ofNat n => exact map_npow f hf a n
  | negSucc n =>
    show f (npow a (n + 1))ⁱ = (npow (f a) (n + 1))ⁱ
    rw [map_inv f hf, map_npow f hf]

theorem map_conj (f : α → β) (hf : IsHom f) (g a : α) : f (conj g a) = conj (f g) (f a) := by
  unfold conj
  rw [hf, hf, map_inv f hf]

theorem map_commutator (f : α → β) (hf : IsHom f) (a b : α) :
    f (commutator a b) = commutator (f a) (f b) := by
  unfold commutator
  rw [hf, hf, hf, map_inv f hf, map_inv f hf]

theorem map_commutes (f : α → β) (hf : IsHom f) (a b : α) (h : Commutes a b) :
    Commutes (f a) (f b) := by
  unfold Commutes at *
  rw [← hf, h, hf]

theorem commutes_of_injective (f : α → β) (hf : IsHom f) (hi : Injective f) (a b : α)
    (h : Commutes (f a) (f b)) : Commutes a b := by
  unfold Commutes at *
  apply hi
  rw [hf, h, hf]

theorem map_fold (f : α → β) (hf : IsHom f) (a : α) (as : List α) :
    f (fold a as) = fold (f a) (as.map f) := by
  induction as generalizing a with
  | nil => rfl
  | cons b bs ih => rw [fold_cons, ih, hf, List.map_cons, fold_cons]

theorem order_of_injective (f : α → β) (hf : IsHom f) (hi : Injective f) (a : α) (n : Nat) :
    HasOrder (f a) n ↔ HasOrder a n := by
  have key : ∀ m, npow (f a) m = ε ↔ npow a m = ε := by
    intro m
    rw [← map_npow f hf]
    constructor
    · intro h
      apply hi
      rw [h, map_one f hf]
    · intro h
      rw [h, map_one f hf]
  unfold HasOrder
  constructor
  · rintro ⟨h1, h2, h3⟩
    exact ⟨h1, (key n).mp h2, fun m hm h => h3 m hm ((key m).mpr h)⟩
  · rintro ⟨h1, h2, h3⟩
    exact ⟨h1, (key n).mpr h2, fun m hm h => h3 m hm ((key m).mp h)⟩

theorem order_map_measures (f : α → β) (hf : IsHom f) (a : α) (m n : Nat) (hm : HasOrder (f a) m)
    (hn : HasOrder a n) : n % m = 0 := by
  rw [← npow_eq_one_iff (f a) m n hm, ← map_npow f hf, hn.2.1, map_one f hf]

end Basics

section Kernels

theorem kernel_normal (f : α → β) (hf : IsHom f) : IsNormal (kernel f) := by
  refine ⟨⟨map_one f hf, ?_, ?_⟩, ?_⟩
  · intro a b ha hb
    unfold kernel at *
    rw [hf, ha, hb, one_mul]
  · intro a ha
    unfold kernel at *
    rw [map_inv f hf, ha, inv_one]
  · intro g a ha
    unfold kernel at *
    rw [map_conj f hf, ha]
    unfold conj
    rw [mul_one, mul_inv]

theorem kernel_iff_same (f : α → β) (hf : IsHom f) (a b : α) :
    Subgroup.SameCoset (kernel f) a b ↔ f a = f b := by
  unfold Subgroup.SameCoset kernel
  rw [hf, map_inv f hf]
  constructor
  · intro h
    have h1 := inv_unique _ _ h
    rw [inv_inv] at h1
    exact h1.symm
  · intro h
    rw [h, inv_mul]

theorem injective_iff_kernel (f : α → β) (hf : IsHom f) :
    Injective f ↔ ∀ a, kernel f a → a = ε := by
  constructor
  · intro h a ha
    apply h
    rw [map_one f hf]
    exact ha
  · intro h a b hab
    rw [← mul_inv_eq_one_iff]
    apply h
    unfold kernel
    rw [hf, map_inv f hf, hab, mul_inv]

omit [Group α] [Group β] in
theorem kernel_comp (f : α → β) (g : β → γ) (a : α) :
    kernel (fun x => g (f x)) a ↔ preimage f (kernel g) a := by
  rfl

omit [Group α] in
theorem kernel_subset_comp (f : α → β) (g : β → γ) (hg : IsHom g) (a : α) (h : kernel f a) :
    kernel (fun x => g (f x)) a := by
  show g (f a) = ε
  rw [show f a = ε from h, map_one g hg]

omit [Group α] [Group β] [Group γ] in
theorem injective_of_comp (f : α → β) (g : β → γ) (h : Injective (fun a => g (f a))) :
    Injective f := by
  intro a b hab
  apply h
  show g (f a) = g (f b)
  rw [hab]

theorem equalizer_subgroup (f g : α → β) (hf : IsHom f) (hg : IsHom g) :
    IsSubgroup (equalizer f g) := by
  refine ⟨?_, ?_, ?_⟩
  · unfold equalizer
    rw [map_one f hf, map_one g hg]
  · intro a b ha hb
    unfold equalizer at *
    rw [hf, hg, ha, hb]
  · intro a ha
    unfold equalizer at *
    rw [map_inv f hf, map_inv g hg, ha]

theorem hom_ext_generated (f g : α → β) (hf : IsHom f) (hg : IsHom g) (S : α → Prop)
    (h : ∀ a, S a → f a = g a) (a : α) (ha : Subgroup.Generated S a) : f a = g a := by
  exact Subgroup.generated_least S (equalizer f g) (equalizer_subgroup f g hf hg) h a ha

/-- A map that is constant on cosets of the kernel factors through any surjection with that
kernel: two preimages of an element have the same value. -/
theorem factor_unique (f : α → β) (g : α → γ) (hf : IsHom f) (hg : IsHom g)
    (h : ∀ a, kernel f a → kernel g a) (a b : α) (hab : f a = f b) : g a = g b := by
  rw [← kernel_iff_same f hf] at hab
  rw [← kernel_iff_same g hg]
  exact h _ hab

theorem exists_factor (f : α → β) (g : α → γ) (hf : IsHom f) (hg : IsHom g)
    (hs : Surjective f) (h : ∀ a, kernel f a → kernel g a) (b c : β) :
    ∃ x y, f x = b ∧ f y = c ∧ ∀ z, f z = b ∘' c → g z = g x ∘' g y := by
  obtain ⟨x, hx⟩ := hs b
  obtain ⟨y, hy⟩ := hs c
  refine ⟨x, y, hx, hy, ?_⟩
  intro z hz
  rw [← hg]
  apply factor_unique f g hf hg h
  rw [hf, hx, hy, hz]

end Kernels

section Images

theorem image_subgroup (f : α → β) (hf : IsHom f) (H : α → Prop) (hH : IsSubgroup H) :
    IsSubgroup (image f H) := by
  refine ⟨?_, ?_, ?_⟩
  · exact ⟨ε, hH.one_mem, map_one f hf⟩
  · rintro b c ⟨x, hx, hb⟩ ⟨y, hy, hc⟩
    refine ⟨x ∘' y, hH.mul_mem x y hx hy, ?_⟩
    rw [hf, hb, hc]
  · rintro b ⟨x, hx, hb⟩
    refine ⟨xⁱ, hH.inv_mem x hx, ?_⟩
    rw [map_inv f hf, hb]

theorem preimage_subgroup (f : α → β) (hf : IsHom f) (K : β → Prop) (hK : IsSubgroup K) :
    IsSubgroup (preimage f K) := by
  unfold preimage
  refine ⟨?_, ?_, ?_⟩
  · rw [map_one f hf]
    exact hK.one_mem
  · intro a b ha hb
    rw [hf]
    exact hK.mul_mem _ _ ha hb
  · intro a ha
    rw [map_inv f hf]
    exact hK.inv_mem _ ha

theorem preimage_normal (f : α → β) (hf : IsHom f) (N : β → Prop) (hN : IsNormal N) :
    IsNormal (preimage f N) := by
  refine ⟨preimage_subgroup f hf N hN.toIsSubgroup, ?_⟩
  intro g a ha
  unfold preimage at *
  rw [map_conj f hf]
  exact hN.conj_mem _ _ ha

theorem image_normal (f : α → β) (hf : IsHom f) (hs : Surjective f) (N : α → Prop)
    (hN : IsNormal N) : IsNormal (image f N) := by
  refine ⟨image_subgroup f hf N hN.toIsSubgroup, ?_⟩
  rintro c b ⟨x, hx, hb⟩
  obtain ⟨g, hg⟩ := hs c
  refine ⟨conj g x, hN.conj_mem g x hx, ?_⟩
  rw [map_conj f hf, hg, hb]

omit [Group α] [Group β] in
theorem subset_preimage_image (f : α → β) (H : α → Prop) (a : α) (h : H a) :
    preimage f (image f H) a := by
  exact ⟨a, h, rfl⟩

theorem preimage_image (f : α → β) (hf : IsHom f) (H : α → Prop) (a : α) :
    preimage f (image f H) a ↔ Subgroup.setProduct H (kernel f) a := by
  constructor
  · rintro ⟨x, hx, h⟩
    refine ⟨x, xⁱ ∘' a, hx, ?_, (mul_inv_cancel_left x a).symm⟩
    unfold kernel
    rw [hf, map_inv f hf, h, inv_mul]
  · rintro ⟨x, k, hx, hk, h⟩
    refine ⟨x, hx, ?_⟩
    unfold kernel at hk
    rw [h, hf, hk, mul_one]

omit [Group α] [Group β] in
theorem image_preimage (f : α → β) (hs : Surjective f) (K : β → Prop) (b : β) :
    image f (preimage f K) b ↔ K b := by
  constructor
  · rintro ⟨a, ha, h⟩
    unfold preimage at ha
    rw [h] at ha
    exact ha
  · intro hb
    obtain ⟨a, ha⟩ := hs b
    refine ⟨a, ?_, ha⟩
    unfold preimage
    rw [ha]
    exact hb

theorem image_generated (f : α → β) (hf : IsHom f) (S : α → Prop) (b : β)
    (h : image f (Subgroup.Generated S) b) : Subgroup.Generated (image f S) b := by
  obtain ⟨a, ha, hb⟩ := h
  rw [← hb]
  apply Subgroup.generated_least S (preimage f (Subgroup.Generated (image f S))) _ _ a ha
  · exact preimage_subgroup f hf _ (Subgroup.generated_subgroup _)
  · intro s hs
    exact Subgroup.Generated.basic _ ⟨s, hs, rfl⟩

theorem image_center (f : α → β) (hf : IsHom f) (hs : Surjective f) (b : β)
    (h : image f Subgroup.center b) : Subgroup.center b := by
  obtain ⟨a, ha, hb⟩ := h
  intro c
  obtain ⟨x, hx⟩ := hs c
  rw [← hb, ← hx]
  exact map_commutes f hf a x (ha x)

end Images

section Products

theorem hom_fst : IsHom (fun p : α × β => p.1) := by
  intro p q
  rfl

theorem hom_pair (f : γ → α) (g : γ → β) (hf : IsHom f) (hg : IsHom g) : IsHom (pair f g) := by
  intro a b
  unfold pair
  rw [hf, hg]
  rfl

omit [Group γ] in
theorem kernel_pair (f : γ → α) (g : γ → β) (c : γ) :
    kernel (pair f g) c ↔ kernel f c ∧ kernel g c := by
  unfold kernel pair
  constructor
  · intro h
    exact ⟨congrArg Prod.fst h, congrArg Prod.snd h⟩
  · rintro ⟨h1, h2⟩
    rw [h1, h2]
    rfl

omit [Group α] [Group β] [Group γ] in
theorem pair_unique (h : γ → α × β) (c : γ) :
    h c = pair (fun x => (h x).1) (fun x => (h x).2) c := by
  rfl

theorem hom_pair_iff (f : γ → α) (g : γ → β) : IsHom (pair f g) ↔ IsHom f ∧ IsHom g := by
  constructor
  · intro h
    constructor
    · intro a b
      exact congrArg Prod.fst (h a b)
    · intro a b
      exact congrArg Prod.snd (h a b)
  · rintro ⟨hf, hg⟩
    exact hom_pair f g hf hg

theorem hom_pointwise (f g : α → β) (hf : IsHom f) (hg : IsHom g)
    (h : ∀ a b, Commutes (g a) (f b)) : IsHom (pointwise f g) := by
  intro a b
  unfold pointwise
  have h1 := h a b
  unfold Commutes at h1
  rw [hf, hg, assoc, ← assoc (f b), ← h1, assoc, assoc]

theorem commutes_of_hom_pointwise (f g : α → β) (hf : IsHom f) (hg : IsHom g)
    (h : IsHom (pointwise f g)) (a b : α) : Commutes (g a) (f b) := by
  have h1 := h a b
  unfold pointwise at h1
  unfold Commutes
  rw [hf, hg, assoc, assoc] at h1
  have h2 := left_cancel _ _ _ h1
  rw [← assoc, ← assoc] at h2
  exact (right_cancel _ _ _ h2).symm

theorem hom_inv_iff : IsHom (fun a : α => aⁱ) ↔ ∀ a b : α, Commutes a b := by
  constructor
  · intro h a b
    have h1 : (bⁱ ∘' aⁱ)ⁱ = bⁱⁱ ∘' aⁱⁱ := h bⁱ aⁱ
    rw [inv_of_mul, inv_inv, inv_inv] at h1
    exact h1
  · intro h a b
    show (a ∘' b)ⁱ = aⁱ ∘' bⁱ
    rw [inv_of_mul]
    exact h _ _

theorem hom_square_iff : IsHom (fun a : α => a ∘' a) ↔ ∀ a b : α, Commutes a b := by
  constructor
  · intro h a b
    have h1 : a ∘' b ∘' (a ∘' b) = a ∘' a ∘' (b ∘' b) := h a b
    rw [assoc, assoc] at h1
    have h2 := left_cancel a _ _ h1
    rw [← assoc, ← assoc] at h2
    exact (right_cancel b _ _ h2).symm
  · intro h a b
    show a ∘' b ∘' (a ∘' b) = a ∘' a ∘' (b ∘' b)
    have h1 := h a b
    unfold Commutes at h1
    rw [assoc, ← assoc b a b, ← h1, assoc, assoc]

theorem conj_hom (g : α) : IsHom (conj g) := by
  intro a b
  exact conj_mul g a b

theorem conj_bijective (g : α) : Injective (conj g) ∧ Surjective (conj g) := by
  constructor
  · intro a b h
    exact conj_inj g a b h
  · intro b
    refine ⟨conj gⁱ b, ?_⟩
    rw [conj_conj, mul_inv, conj_one]

theorem zpow_hom (a : α) (f : Int → α) (hf : IsHom f) (h1 : f 1 = a) (n : Int) :
    f n = zpow a n := by
  have h2 : ∀ k : Nat, f k = npow a k := by
    intro k
    rw [← h1, ← map_npow f hf, int_npow, Int.mul_one]
  cases n with
  | ofNat n => exact h2 n
  | negSucc n =>
    show f (Group.inv ((n + 1 : Nat) : Int)) = (npow a (n + 1))ⁱ
    rw [map_inv f hf, h2]

end Products

end Hom

end Algebra
