/-! # Functions and sets: images, preimages, Cantor, partitions -/

namespace Maps

variable {α : Type u} {β : Type v} {γ : Type w}

def Injective (f : α → β) : Prop := ∀ ⦃x y⦄, f x = f y → x = y
def Surjective (f : α → β) : Prop := ∀ y, ∃ x, f x = y

/-- A set is given by its characteristic predicate. -/
def Set (α : Type u) := α → Prop

namespace Set

instance : Membership α (Set α) := ⟨fun s a => s a⟩
instance : HasSubset (Set α) := ⟨fun s t => ∀ a, a ∈ s → a ∈ t⟩
instance : Inter (Set α) := ⟨fun s t a => a ∈ s ∧ a ∈ t⟩

@[ext] theorem ext {s t : Set α} (h : ∀ a, a ∈ s ↔ a ∈ t) : s = t :=
  funext fun a => propext (h a)

end Set

def image (f : α → β) (s : Set α) : Set β := fun y => ∃ x, x ∈ s ∧ f x = y
def preimage (f : α → β) (t : Set β) : Set α := fun x => f x ∈ t

infixl:80 " '' " => image
infixl:80 " ⁻¹' " => preimage

theorem Injective.comp {g : β → γ} {f : α → β} (hg : Injective g) (hf : Injective f) :
    Injective (g ∘ f) :=
  fun _ _ h => hf (hg h)

theorem surjective_of_comp {g : β → γ} {f : α → β} (h : Surjective (g ∘ f)) :
    Surjective g := by
  intro z
  obtain ⟨x, hx⟩ := h z
  exact ⟨f x, hx⟩

theorem injective_of_left_inverse {f : α → β} (g : β → α) (h : ∀ x, g (f x) = x) :
    Injective f := by
  intro x y hxy
  rw [← h x, hxy, h y]

theorem surjective_iff_right_inverse {f : α → β} :
    Surjective f ↔ ∃ g : β → α, ∀ y, f (g y) = y := by
  constructor
  · intro h
    exact ⟨fun y => (h y).choose, fun y => (h y).choose_spec⟩
  · rintro ⟨g, hg⟩ y
    exact ⟨g y, hg y⟩

theorem image_subset_iff (f : α → β) (s : Set α) (t : Set β) :
    f '' s ⊆ t ↔ s ⊆ f ⁻¹' t := by
  constructor
  · intro h x hx
    exact h (f x) ⟨x, hx, rfl⟩
  · rintro h _ ⟨x, hx, rfl⟩
    exact h x hx

theorem image_inter {f : α → β} (hf : Injective f) (s t : Set α) :
    f '' (s ∩ t) = f '' s ∩ f '' t := by
  ext y
  constructor
  · rintro ⟨x, ⟨hs, ht⟩, rfl⟩
    exact ⟨⟨x, hs, rfl⟩, ⟨x, ht, rfl⟩⟩
  · rintro ⟨⟨x, hs, rfl⟩, ⟨x', ht, h⟩⟩
    have := hf h
    subst this
    exact ⟨x', ⟨hs, ht⟩, rfl⟩

theorem injective_iff_preimage_image (f : α → β) :
    Injective f ↔ ∀ s, f ⁻¹' (f '' s) = s := by
  constructor
  · intro hf s
    ext x
    constructor
    · rintro ⟨x', hx', h⟩
      exact hf h ▸ hx'
    · intro hx
      exact ⟨x, hx, rfl⟩
  · intro h x y hxy
    have hx : x ∈ f ⁻¹' (f '' (fun z => z = y)) := ⟨y, rfl, hxy.symm⟩
    rw [h] at hx
    exact hx

theorem cantor_surjective (f : α → Set α) : ¬ Surjective f := by
  intro h
  obtain ⟨d, hd⟩ := h (fun x => ¬ x ∈ f x)
  have key : d ∈ f d ↔ ¬ d ∈ f d := by
    conv => lhs; rw [hd]
    rfl
  by_cases hmem : d ∈ f d
  · exact key.mp hmem hmem
  · exact hmem (key.mpr hmem)

theorem cantor_injective (g : Set α → α) : ¬ Injective g := by
  intro hg
  apply cantor_surjective (fun x : α => (fun y => ∃ s, g s = x ∧ y ∈ s : Set α))
  intro s
  refine ⟨g s, Set.ext fun y => ⟨?_, fun hy => ⟨s, rfl, hy⟩⟩⟩
  rintro ⟨t, ht, hy⟩
  exact hg ht ▸ hy

/-! ## Equivalence relations and partitions -/

structure Partition (α : Type u) where
  parts : Set (Set α)
  nonempty : ∀ s, s ∈ parts → ∃ a, a ∈ s
  cover : ∀ a, ∃ s, s ∈ parts ∧ a ∈ s
  disjoint : ∀ s t a, s ∈ parts → t ∈ parts → a ∈ s → a ∈ t → s = t

def classOf (r : α → α → Prop) (a : α) : Set α := fun b => r a b

def Partition.rel (P : Partition α) (a b : α) : Prop :=
  ∃ s, s ∈ P.parts ∧ a ∈ s ∧ b ∈ s

theorem Partition.rel_equivalence (P : Partition α) : Equivalence P.rel := by
  constructor
  · intro a
    obtain ⟨s, hs, ha⟩ := P.cover a
    exact ⟨s, hs, ha, ha⟩
  · rintro a b ⟨s, hs, ha, hb⟩
    exact ⟨s, hs, hb, ha⟩
  · rintro a b c ⟨s, hs, ha, hb⟩ ⟨t, ht, hb', hc⟩
    have := P.disjoint s t b hs ht hb hb'
    exact ⟨s, hs, ha, this ▸ hc⟩

theorem classOf_eq_iff {r : α → α → Prop} (hr : Equivalence r) (a b : α) :
    classOf r a = classOf r b ↔ r a b := by
  constructor
  · intro h
    have hb : b ∈ classOf r b := hr.refl b
    rw [← h] at hb
    exact hb
  · intro h
    ext c
    exact ⟨fun hac => hr.trans (hr.symm h) hac, fun hbc => hr.trans h hbc⟩

def ofEquivalence {r : α → α → Prop} (hr : Equivalence r) : Partition α where
  parts := fun s => ∃ a, s = classOf r a
  nonempty := by
    rintro _ ⟨a, rfl⟩
    exact ⟨a, hr.refl a⟩
  cover a := ⟨classOf r a, ⟨a, rfl⟩, hr.refl a⟩
  disjoint := by
    rintro _ _ c ⟨a, rfl⟩ ⟨b, rfl⟩ hac hbc
    exact (classOf_eq_iff hr a b).mpr (hr.trans hac (hr.symm hbc))

theorem rel_ofEquivalence {r : α → α → Prop} (hr : Equivalence r) (a b : α) :
    (ofEquivalence hr).rel a b ↔ r a b := by
  constructor
  · rintro ⟨_, ⟨c, rfl⟩, hca, hcb⟩
    exact hr.trans (hr.symm hca) hcb
  · intro h
    exact ⟨classOf r a, ⟨a, rfl⟩, hr.refl a, h⟩

end Maps
