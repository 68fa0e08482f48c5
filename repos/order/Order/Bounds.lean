import Order.Basic

/-!
Bounds of sets of elements: upper and lower bounds, greatest and least elements, suprema and
infima, sets that are closed upwards or downwards, directed sets.

A set of elements is a predicate.
-/

namespace Order

section Defs

variable {α : Type} [Pre α]

/-- Every element of `s` lies below `u`. -/
def Upper (s : α → Prop) (u : α) : Prop := ∀ x, s x → x ⊑ u

/-- Every element of `s` lies above `l`. -/
def Lower (s : α → Prop) (l : α) : Prop := ∀ x, s x → l ⊑ x

def Greatest (s : α → Prop) (m : α) : Prop := s m ∧ Upper s m

def Least (s : α → Prop) (m : α) : Prop := s m ∧ Lower s m

/-- The least of the upper bounds. -/
def Sup (s : α → Prop) (m : α) : Prop := Least (Upper s) m

/-- The greatest of the lower bounds. -/
def Inf (s : α → Prop) (m : α) : Prop := Greatest (Lower s) m

/-- No element of `s` is strictly above `m`. -/
def Maximal (s : α → Prop) (m : α) : Prop := s m ∧ ∀ x, s x → m ⊑ x → x ⊑ m

def Minimal (s : α → Prop) (m : α) : Prop := s m ∧ ∀ x, s x → x ⊑ m → m ⊑ x

/-- With an element, all that lies below it belongs to the set. -/
def Down (s : α → Prop) : Prop := ∀ x y, s x → y ⊑ x → s y

def Up (s : α → Prop) : Prop := ∀ x y, s x → x ⊑ y → s y

/-- All that lies below some element of the set. -/
def lowerSet (s : α → Prop) : α → Prop := fun x => ∃ y, s y ∧ x ⊑ y

def upperSet (s : α → Prop) : α → Prop := fun x => ∃ y, s y ∧ y ⊑ x

/-- The elements below a given one. -/
def under (a : α) : α → Prop := fun x => x ⊑ a

/-- Any two elements of the set have an upper bound in it. -/
def Directed (s : α → Prop) : Prop := ∀ x y, s x → s y → ∃ z, s z ∧ x ⊑ z ∧ y ⊑ z

/-- Any two elements of the set are comparable. -/
def IsChain (s : α → Prop) : Prop := ∀ x y, s x → s y → Comparable x y

/-- Each element of `s` lies below some element of `t`. -/
def Dominated (s t : α → Prop) : Prop := ∀ x, s x → ∃ y, t y ∧ x ⊑ y

end Defs

section Bounds

variable {α : Type} [Pre α] {s t : α → Prop} {a b : α}

theorem upper_of_le (h : Upper s a) (h1 : a ⊑ b) : Upper s b := by
  intro x hx
  exact le_trans (h x hx) h1

theorem lower_of_le (h : Lower s b) (h1 : a ⊑ b) : Lower s a := by
  intro x hx
  exact le_trans h1 (h x hx)

theorem upper_of_subset (h : ∀ x, s x → t x) (h1 : Upper t a) : Upper s a := by
  intro x hx
  apply h1
  apply h
  exact hx

theorem upper_union : Upper (fun x => s x ∨ t x) a ↔ Upper s a ∧ Upper t a := by
  constructor
  · intro h
    constructor
    · intro x hx
      exact h x (Or.inl hx)
    · intro x hx
      exact h x (Or.inr hx)
  · intro ⟨h1, h2⟩ x hx
    cases hx with
    | inl hx => exact h1 x hx
    | inr hx => exact h2 x hx

theorem upper_singleton : Upper (fun x => x = b) a ↔ b ⊑ a := by
  constructor
  · intro h
    exact h b rfl
  · intro h x hx
    rw [hx]
    exact h

theorem upper_under : Upper (under b) a ↔ b ⊑ a := by
  constructor
  · intro h
    exact h b (le_refl b)
  · intro h x hx
    exact le_trans hx h

theorem upper_lowerSet : Upper (lowerSet s) a ↔ Upper s a := by
  constructor
  · intro h x hx
    apply h
    exact ⟨x, hx, le_refl x⟩
  · intro h x hx
    obtain ⟨y, hy, hxy⟩ := hx
    exact le_trans hxy (h y hy)

theorem lower_upper_self (h : s a) : Lower (Upper s) a := by
  intro u hu
  exact hu a h

theorem upper_lower_upper : Upper (Lower (Upper s)) a ↔ Upper s a := by
  sorry

theorem upper_of_dominated (h : Dominated s t) (h1 : Upper t a) : Upper s a := by
  intro x hx
  obtain ⟨y, hy, hxy⟩ := h x hx
  exact le_trans hxy (h1 y hy)

theorem dominated_refl : Dominated s s := by
  intro x hx
  exact ⟨x, hx, le_refl x⟩

theorem dominated_trans {u : α → Prop} (h1 : Dominated s t) (h2 : Dominated t u) :
    Dominated s u := by
  intro x hx
  obtain ⟨y, hy, hxy⟩ := h1 x hx
  obtain ⟨z, hz, hyz⟩ := h2 y hy
  exact ⟨z, hz, le_trans hxy hyz⟩

theorem dominated_iff_lowerSet : Dominated s t ↔ ∀ x, lowerSet s x → lowerSet t x := by
  sorry

end Bounds

section Extremes

variable {α : Type} [Pre α] {s t : α → Prop} {a b : α}

theorem greatest_alike (h1 : Greatest s a) (h2 : Greatest s b) : Alike a b := by
  constructor
  · exact h2.2 a h1.1
  · exact h1.2 b h2.1

theorem least_alike (h1 : Least s a) (h2 : Least s b) : Alike a b := by
  constructor
  · exact h1.2 b h2.1
  · exact h2.2 a h1.1

theorem greatest_maximal (h : Greatest s a) : Maximal s a := by
  refine ⟨h.1, ?_⟩
  intro x hx _
  exact h.2 x hx

theorem maximal_alike_greatest (h1 : Greatest s a) (h2 : Maximal s b) : Alike a b := by
  have h3 : b ⊑ a := h1.2 b h2.1
  constructor
  · exact h2.2 a h1.1 h3
  · exact h3

theorem chain_maximal_greatest (h : IsChain s) (h1 : Maximal s a) : Greatest s a := by
  sorry

theorem directed_maximal_greatest (h : Directed s) (h1 : Maximal s a) : Greatest s a := by
  refine ⟨h1.1, ?_⟩
  intro x hx
  obtain ⟨z, hz, h2, h3⟩ := h x a hx h1.1
  exact le_trans h2 (h1.2 z hz h3)

theorem chain_directed (h : IsChain s) : Directed s := by
  intro x y hx hy
  cases h x y hx hy with
  | inl h1 => exact ⟨y, hy, h1, le_refl y⟩
  | inr h1 => exact ⟨x, hx, le_refl x, h1⟩

theorem chain_subset (h : ∀ x, s x → t x) (h1 : IsChain t) : IsChain s := by
  intro x y hx hy
  apply h1
  · exact h x hx
  · exact h y hy

theorem directed_lowerSet (h : Directed s) : Directed (lowerSet s) := by
  sorry

theorem directed_three (h : Directed s) {x y z : α} (hx : s x) (hy : s y) (hz : s z) :
    ∃ u, s u ∧ x ⊑ u ∧ y ⊑ u ∧ z ⊑ u := by
  obtain ⟨v, hv, hxv, hyv⟩ := h x y hx hy
  obtain ⟨u, hu, hvu, hzu⟩ := h v z hv hz
  exact ⟨u, hu, le_trans hxv hvu, le_trans hyv hvu, hzu⟩

theorem greatest_directed (h : Greatest s a) : Directed s := by
  intro x y hx hy
  exact ⟨a, h.1, h.2 x hx, h.2 y hy⟩

theorem greatest_under (a : α) : Greatest (under a) a := by
  constructor
  · exact le_refl a
  · intro x hx
    exact hx

end Extremes

section Suprema

variable {α : Type} [Pre α] {s t : α → Prop} {a b : α}

theorem sup_upper (h : Sup s a) {x : α} (hx : s x) : x ⊑ a := by
  exact h.1 x hx

theorem sup_le (h : Sup s a) (h1 : Upper s b) : a ⊑ b := by
  exact h.2 b h1

theorem sup_le_iff (h : Sup s a) : a ⊑ b ↔ Upper s b := by
  constructor
  · intro h1
    exact upper_of_le h.1 h1
  · intro h1
    exact h.2 b h1

theorem le_inf_iff (h : Inf s a) : b ⊑ a ↔ Lower s b := by
  sorry

theorem sup_of_iff (h : ∀ b, a ⊑ b ↔ Upper s b) : Sup s a := by
  constructor
  · exact (h a).1 (le_refl a)
  · intro b hb
    exact (h b).2 hb

theorem sup_alike (h1 : Sup s a) (h2 : Sup s b) : Alike a b := by
  exact least_alike h1 h2

theorem sup_mono (h : ∀ x, s x → t x) (h1 : Sup s a) (h2 : Sup t b) : a ⊑ b := by
  apply sup_le h1
  exact upper_of_subset h h2.1

theorem sup_of_dominated (h : Dominated s t) (h1 : Sup s a) (h2 : Sup t b) : a ⊑ b := by
  sorry

theorem greatest_sup (h : Greatest s a) : Sup s a := by
  constructor
  · exact h.2
  · intro u hu
    exact hu a h.1

theorem sup_greatest (h : Sup s a) (h1 : s a) : Greatest s a := by
  exact ⟨h1, h.1⟩

theorem sup_under (a : α) : Sup (under a) a := by
  apply greatest_sup
  exact greatest_under a

theorem sup_lowerSet : Sup (lowerSet s) a ↔ Sup s a := by
  constructor
  · intro h
    constructor
    · exact upper_lowerSet.1 h.1
    · intro u hu
      exact h.2 u (upper_lowerSet.2 hu)
  · intro h
    constructor
    · exact upper_lowerSet.2 h.1
    · intro u hu
      exact h.2 u (upper_lowerSet.1 hu)

theorem sup_upper_iff_inf (a : α) : Inf (Upper s) a ↔ Sup s a := by
  sorry

theorem sup_empty_least (h : Sup (fun _ => False) a) : a ⊑ b := by
  apply sup_le h
  intro x hx
  exact hx.elim

theorem sup_union {u v w : α} (h1 : Sup s u) (h2 : Sup t v)
    (h3 : Sup (fun x => x = u ∨ x = v) w) : Sup (fun x => s x ∨ t x) w := by
  constructor
  · intro x hx
    cases hx with
    | inl hx => exact le_trans (sup_upper h1 hx) (h3.1 u (Or.inl rfl))
    | inr hx => exact le_trans (sup_upper h2 hx) (h3.1 v (Or.inr rfl))
  · intro y hy
    have h4 := upper_union.1 hy
    apply h3.2
    intro x hx
    cases hx with
    | inl hx =>
      rw [hx]
      exact sup_le h1 h4.1
    | inr hx =>
      rw [hx]
      exact sup_le h2 h4.2

theorem inf_le_sup {x : α} (h : s x) (h1 : Inf s a) (h2 : Sup s b) : a ⊑ b := by
  calc a ⊑ x := h1.1 x h
    _ ⊑ b := h2.1 x h

theorem inf_sup_separated (h : ∀ x y, s x → t y → x ⊑ y) (h1 : Sup s a) (h2 : Inf t b) : a ⊑ b := by
  sorry

end Suprema

section Closed

variable {α : Type} [Pre α] {s t : α → Prop} {a b : α}

theorem down_under (a : α) : Down (under a) := by
  intro x y hx hyx
  exact le_trans hyx hx

theorem down_inter (h1 : Down s) (h2 : Down t) : Down (fun x => s x ∧ t x) := by
  intro x y ⟨hs, ht⟩ hyx
  constructor
  · exact h1 x y hs hyx
  · exact h2 x y ht hyx

theorem down_union (h1 : Down s) (h2 : Down t) : Down (fun x => s x ∨ t x) := by
  sorry

theorem down_lowerSet : Down (lowerSet s) := by
  intro x y ⟨z, hz, hxz⟩ hyx
  exact ⟨z, hz, le_trans hyx hxz⟩

theorem down_lower : Down (Lower s) := by
  intro l m hl hml x hx
  exact le_trans hml (hl x hx)

theorem up_compl (h : Down s) : Up (fun x => ¬ s x) := by
  intro x y hx hxy hy
  apply hx
  exact h y x hy hxy

theorem down_of_up_compl (h : Up (fun x => ¬ s x)) : Down s := by
  sorry

theorem lowerSet_least (h : ∀ x, s x → t x) (h1 : Down t) : ∀ x, lowerSet s x → t x := by
  intro x ⟨y, hy, hxy⟩
  exact h1 y x (h y hy) hxy

theorem lowerSet_of_down (h : Down s) : lowerSet s = s := by
  funext x
  apply propext
  constructor
  · intro ⟨y, hy, hxy⟩
    exact h y x hy hxy
  · intro hx
    exact ⟨x, hx, le_refl x⟩

theorem lowerSet_lowerSet : lowerSet (lowerSet s) = lowerSet s := by
  apply lowerSet_of_down
  exact down_lowerSet

theorem lowerSet_union :
    lowerSet (fun x => s x ∨ t x) = fun x => lowerSet s x ∨ lowerSet t x := by
  sorry

theorem under_subset_iff : (∀ x, under a x → under b x) ↔ a ⊑ b := by
  constructor
  · intro h
    exact h a (le_refl a)
  · intro h x hx
    exact le_trans hx h

theorem lowerSet_singleton : lowerSet (fun x => x = a) = under a := by
  funext x
  apply propext
  constructor
  · intro ⟨y, hy, hxy⟩
    rw [hy] at hxy
    exact hxy
  · intro hx
    exact ⟨a, rfl, hx⟩

theorem down_greatest (h : Down s) (h1 : Greatest s a) : s = under a := by
  funext x
  apply propext
  constructor
  · intro hx
    exact h1.2 x hx
  · intro hx
    exact h a x h1.1 hx

end Closed

section Unique

variable {α : Type} [Poset α] {s : α → Prop} {a b : α}

theorem greatest_unique (h1 : Greatest s a) (h2 : Greatest s b) : a = b := by
  apply alike_eq
  exact greatest_alike h1 h2

theorem sup_unique (h1 : Sup s a) (h2 : Sup s b) : a = b := by
  apply alike_eq
  exact sup_alike h1 h2

theorem under_inj (h : under a = under b) : a = b := by
  apply le_antisymm
  · have h1 : under b a := by
      rw [← h]
      exact le_refl a
    exact h1
  · have h1 : under a b := by
      rw [h]
      exact le_refl b
    exact h1

theorem sup_eq_inf_singleton {x : α} (h : s x) (h1 : Sup s a) (h2 : Inf s a) : x = a := by
  sorry

theorem minimal_below (h : Minimal s a) {x : α} (h1 : x ⊏ a) : ¬ s x := by
  intro hx
  apply h1.2
  exact h.2 x hx h1.1

theorem maximal_iff (h : s a) : Maximal s a ↔ ∀ x, a ⊏ x → ¬ s x := by
  sorry

end Unique

end Order
