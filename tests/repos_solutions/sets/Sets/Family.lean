import Sets.Canon

/-!
Images and preimages of finite sets, unions of families of sets, and pairs.
-/

namespace Sets

variable {α β : Type}

/-- The elements of a list that `f` sends into `ys`. -/
def pullback [DecidableEq β] (f : α → β) (ys : List β) (xs : List α) : List α :=
  sift (fun x => decide (f x ∊ ys)) xs

/-- The union of a list of lists. -/
def flat : List (List α) → List α
  | [] => []
  | xs :: xss => xs ++ flat xss

/-- All pairs with a first part from one list and a second part from another. -/
def pairs : List α → List β → List (α × β)
  | [], _ => []
  | x :: xs, ys => ys.map (fun y => (x, y)) ++ pairs xs ys

/-- No two of the lists have an element in common. -/
def Scattered : List (List α) → Prop
  | [] => True
  | xs :: xss => Every (fun ys => Apart xs ys) xss ∧ Scattered xss

section Images

variable {f : α → β} {xs ys : List α} {us vs : List β}

theorem map_append_same (f : α → β) (xs ys : List α) : (xs ++ ys).map f ≃ ys.map f ++ xs.map f := by
  rw [List.map_append]
  exact append_comm_same (xs.map f) (ys.map f)

theorem map_has (f : α → β) {a : α} (h : a ∊ xs) : f a ∊ xs.map f := by
  rw [has_map]
  exact ⟨a, h, rfl⟩

theorem has_map_inj (hf : ∀ a b, f a = f b → a = b) (a : α) (xs : List α) :
    f a ∊ xs.map f ↔ a ∊ xs := by
  constructor
  · intro h
    rw [has_map] at h
    obtain ⟨b, hb, hba⟩ := h
    rw [← hf b a hba]
    exact hb
  · exact map_has f

theorem map_sub_inj (hf : ∀ a b, f a = f b → a = b) : xs.map f ⊑ ys.map f ↔ xs ⊑ ys := by
  constructor
  · intro h a ha
    rw [← has_map_inj hf]
    apply h
    exact map_has f ha
  · exact map_mono f

theorem map_apart (hf : ∀ a b, f a = f b → a = b) (h : Apart xs ys) :
    Apart (xs.map f) (ys.map f) := by
  intro b hb hb'
  rw [has_map] at hb hb'
  obtain ⟨a, ha, hab⟩ := hb
  obtain ⟨c, hc, hcb⟩ := hb'
  have h1 : a = c := hf a c (hab.trans hcb.symm)
  rw [← h1] at hc
  exact h a ha hc

theorem apart_of_map (h : Apart (xs.map f) (ys.map f)) : Apart xs ys := by
  intro a hx hy
  exact h (f a) (map_has f hx) (map_has f hy)

theorem every_map (p : β → Prop) (f : α → β) (xs : List α) :
    Every p (xs.map f) ↔ Every (fun a => p (f a)) xs := by
  constructor
  · intro h a ha
    exact h (f a) (map_has f ha)
  · intro h b hb
    rw [has_map] at hb
    obtain ⟨a, ha, hab⟩ := hb
    rw [← hab]
    exact h a ha

theorem exist_map (p : β → Prop) (f : α → β) (xs : List α) :
    Exist p (xs.map f) ↔ Exist (fun a => p (f a)) xs := by
  constructor
  · intro ⟨b, hb, hp⟩
    rw [has_map] at hb
    obtain ⟨a, ha, hab⟩ := hb
    refine ⟨a, ha, ?_⟩
    show p (f a)
    rw [hab]
    exact hp
  · intro ⟨a, ha, hp⟩
    exact ⟨f a, map_has f ha, hp⟩

theorem sift_map (p : β → Bool) (f : α → β) (xs : List α) :
    sift p (xs.map f) = (sift (fun a => p (f a)) xs).map f := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [List.map_cons, sift, sift]
    split
    · rw [ih, List.map_cons]
    · exact ih

variable [DecidableEq β]

theorem has_pullback (f : α → β) (us : List β) (xs : List α) (a : α) :
    a ∊ pullback f us xs ↔ a ∊ xs ∧ f a ∊ us := by
  unfold pullback
  rw [has_sift]
  constructor
  · intro ⟨h1, h2⟩
    exact ⟨h1, of_decide_eq_true h2⟩
  · intro ⟨h1, h2⟩
    exact ⟨h1, decide_eq_true h2⟩

theorem pullback_mono (f : α → β) (h : us ⊑ vs) (xs : List α) :
    pullback f us xs ⊑ pullback f vs xs := by
  intro a ha
  rw [has_pullback] at ha ⊢
  exact ⟨ha.1, h (f a) ha.2⟩

theorem sub_pullback_iff (h : xs ⊑ ys) : xs ⊑ pullback f us ys ↔ xs.map f ⊑ us := by
  rw [map_sub_iff]
  constructor
  · intro h1 a ha
    exact ((has_pullback f us ys a).1 (h1 a ha)).2
  · intro h1 a ha
    rw [has_pullback]
    exact ⟨h a ha, h1 a ha⟩

theorem map_pullback (f : α → β) (us : List β) (xs : List α) :
    (pullback f us xs).map f ≃ inter us (xs.map f) := by
  intro b
  rw [has_map, has_inter, has_map]
  constructor
  · intro ⟨a, ha, hab⟩
    rw [has_pullback] at ha
    rw [← hab]
    exact ⟨ha.2, a, ha.1, rfl⟩
  · intro ⟨hb, a, ha, hab⟩
    refine ⟨a, ?_, hab⟩
    rw [has_pullback, hab]
    exact ⟨ha, hb⟩

theorem pullback_union (f : α → β) (us vs : List β) (xs : List α) :
    pullback f (union us vs) xs ≃ pullback f us xs ++ pullback f vs xs := by
  intro a
  rw [has_append, has_pullback, has_pullback, has_pullback, has_union, and_or_left]

theorem pullback_apart (f : α → β) (h : Apart us vs) (xs : List α) :
    Apart (pullback f us xs) (pullback f vs xs) := by
  intro a h1 h2
  rw [has_pullback] at h1 h2
  exact h (f a) h1.2 h2.2

theorem pullback_eq_nil_iff (f : α → β) (us : List β) (xs : List α) :
    pullback f us xs = [] ↔ Apart (xs.map f) us := by
  constructor
  · intro h b hb hu
    rw [has_map] at hb
    obtain ⟨a, ha, hab⟩ := hb
    have h1 : a ∊ pullback f us xs := by
      rw [has_pullback, hab]
      exact ⟨ha, hu⟩
    rw [h] at h1
    exact not_has_nil a h1
  · intro h
    apply nil_of_no_members
    intro a ha
    rw [has_pullback] at ha
    exact h (f a) (map_has f ha.1) ha.2

end Images

section Families

variable {a : α} {xs ys : List α} {xss yss : List (List α)}

theorem has_flat (a : α) (xss : List (List α)) : a ∊ flat xss ↔ ∃ xs, xs ∊ xss ∧ a ∊ xs := by
  induction xss with
  | nil =>
    constructor
    · intro h
      exact h.elim
    · intro ⟨xs, h, _⟩
      exact h
  | cons ys yss ih =>
    rw [flat, has_append, ih]
    constructor
    · intro h
      rcases h with h | ⟨xs, h, h1⟩
      · exact ⟨ys, has_head ys yss, h⟩
      · exact ⟨xs, has_tail ys h, h1⟩
    · intro ⟨xs, h, h1⟩
      cases h with
      | inl h =>
        left
        rw [← h]
        exact h1
      | inr h => exact Or.inr ⟨xs, h, h1⟩

theorem flat_append (xss yss : List (List α)) : flat (xss ++ yss) = flat xss ++ flat yss := by
  induction xss with
  | nil => rfl
  | cons xs xss ih => rw [List.cons_append, flat, ih, flat, List.append_assoc]

theorem sub_flat (h : xs ∊ xss) : xs ⊑ flat xss := by
  intro a ha
  rw [has_flat]
  exact ⟨xs, h, ha⟩

theorem flat_sub_iff (xss : List (List α)) (ys : List α) :
    flat xss ⊑ ys ↔ Every (fun xs => xs ⊑ ys) xss := by
  constructor
  · intro h xs hxs a ha
    apply h
    rw [has_flat]
    exact ⟨xs, hxs, ha⟩
  · intro h a ha
    rw [has_flat] at ha
    obtain ⟨xs, hxs, ha⟩ := ha
    exact h xs hxs a ha

theorem flat_mono (h : xss ⊑ yss) : flat xss ⊑ flat yss := by
  intro a ha
  rw [has_flat] at ha ⊢
  obtain ⟨xs, hxs, ha⟩ := ha
  exact ⟨xs, h xs hxs, ha⟩

theorem flat_same (h : xss ≃ yss) : flat xss ≃ flat yss := by
  rw [same_iff_sub] at h ⊢
  constructor
  · exact flat_mono h.1
  · exact flat_mono h.2

theorem flat_map_map (f : α → β) (xss : List (List α)) :
    flat (xss.map (fun xs => xs.map f)) = (flat xss).map f := by
  induction xss with
  | nil => rfl
  | cons xs xss ih => rw [List.map_cons, flat, ih, flat, List.map_append]

theorem flat_singletons (xs : List α) : flat (xs.map (fun a => [a])) = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [List.map_cons, flat, ih]
    rfl

theorem flat_eq_nil_iff (xss : List (List α)) : flat xss = [] ↔ Every (fun xs => xs = []) xss := by
  induction xss with
  | nil =>
    constructor
    · intro _ xs h
      exact h.elim
    · intro _
      rfl
  | cons xs xss ih => rw [flat, List.append_eq_nil_iff, every_cons, ih]

theorem apart_flat (xs : List α) (xss : List (List α)) :
    Apart xs (flat xss) ↔ Every (fun ys => Apart xs ys) xss := by
  constructor
  · intro h ys hys a ha hy
    apply h a ha
    rw [has_flat]
    exact ⟨ys, hys, hy⟩
  · intro h a ha hf
    rw [has_flat] at hf
    obtain ⟨ys, hys, hy⟩ := hf
    exact h ys hys a ha hy

theorem distinct_flat (h : Every Distinct xss) (h1 : Scattered xss) : Distinct (flat xss) := by
  induction xss with
  | nil => exact True.intro
  | cons xs xss ih =>
    rw [every_cons] at h
    rw [flat, distinct_append]
    refine ⟨h.1, ih h.2 h1.2, ?_⟩
    rw [apart_flat]
    exact h1.1

theorem scattered_of_distinct_flat (h : Distinct (flat xss)) : Scattered xss := by
  induction xss with
  | nil => exact True.intro
  | cons xs xss ih =>
    rw [flat, distinct_append] at h
    constructor
    · rw [← apart_flat]
      exact h.2.2
    · exact ih h.2.1

theorem card_flat [DecidableEq α] (h : Scattered xss) : card (flat xss) = (xss.map card).sum := by
  induction xss with
  | nil => rfl
  | cons xs xss ih =>
    rw [flat, List.map_cons, List.sum_cons, ← ih h.2]
    apply card_append_apart
    rw [apart_flat]
    exact h.1

theorem perm_flat (h : xss ~ yss) : flat xss ~ flat yss := by
  induction h with
  | nil => exact Perm.nil
  | cons xs _ ih => exact perm_append_left xs ih
  | swap xs ys xss =>
    rw [flat, flat, flat, flat, ← List.append_assoc, ← List.append_assoc]
    apply perm_append_right
    exact perm_append_comm xs ys
  | trans _ _ ih1 ih2 => exact Perm.trans ih1 ih2

end Families

section Pairs

variable {a : α} {b : β} {xs xs' : List α} {ys ys' : List β}

theorem has_pairs (a : α) (b : β) (xs : List α) (ys : List β) :
    (a, b) ∊ pairs xs ys ↔ a ∊ xs ∧ b ∊ ys := by
  induction xs with
  | nil =>
    constructor
    · intro h
      exact h.elim
    · intro h
      exact h.1
  | cons x xs ih =>
    rw [pairs, has_append, has_map, ih, has_cons]
    constructor
    · intro h
      rcases h with ⟨y, hy, h⟩ | ⟨h1, h2⟩
      · injection h with h3 h4
        rw [← h3, ← h4]
        exact ⟨Or.inl rfl, hy⟩
      · exact ⟨Or.inr h1, h2⟩
    · intro ⟨h1, h2⟩
      cases h1 with
      | inl h1 =>
        left
        refine ⟨b, h2, ?_⟩
        rw [h1]
      | inr h1 => exact Or.inr ⟨h1, h2⟩

theorem pairs_length (xs : List α) (ys : List β) :
    (pairs xs ys).length = xs.length * ys.length := by
  induction xs with
  | nil =>
    rw [List.length_nil, Nat.zero_mul]
    rfl
  | cons x xs ih =>
    rw [pairs, List.length_append, List.length_map, ih, List.length_cons, Nat.succ_mul, Nat.add_comm]

theorem pairs_nil (xs : List α) : pairs xs ([] : List β) = [] := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [pairs, ih]
    rfl

theorem pairs_mono (h1 : xs ⊑ xs') (h2 : ys ⊑ ys') : pairs xs ys ⊑ pairs xs' ys' := by
  intro ⟨a, b⟩ h
  rw [has_pairs] at h ⊢
  exact ⟨h1 a h.1, h2 b h.2⟩

theorem pairs_append (xs xs' : List α) (ys : List β) :
    pairs (xs ++ xs') ys = pairs xs ys ++ pairs xs' ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [List.cons_append, pairs, ih, pairs, List.append_assoc]

theorem pairs_distinct (h1 : Distinct xs) (h2 : Distinct ys) : Distinct (pairs xs ys) := by
  induction xs with
  | nil => exact True.intro
  | cons x xs ih =>
    rw [pairs, distinct_append]
    refine ⟨?_, ih h1.2, ?_⟩
    · apply distinct_map _ h2
      intro a b h
      injection h
    · intro ⟨a, b⟩ h3 h4
      rw [has_map] at h3
      rw [has_pairs] at h4
      obtain ⟨y, _, h5⟩ := h3
      injection h5 with h6 _
      rw [← h6] at h4
      exact h1.1 h4.1

theorem pairs_append_right_same (xs : List α) (ys ys' : List β) :
    pairs xs (ys ++ ys') ≃ pairs xs ys ++ pairs xs ys' := by
  intro ⟨a, b⟩
  rw [has_append, has_pairs, has_pairs, has_pairs, has_append, and_or_left]

theorem pairs_swap (xs : List α) (ys : List β) :
    (pairs xs ys).map (fun p => (p.2, p.1)) ≃ pairs ys xs := by
  intro ⟨b, a⟩
  rw [has_map, has_pairs]
  constructor
  · intro ⟨⟨a', b'⟩, h, h1⟩
    rw [has_pairs] at h
    injection h1 with h2 h3
    have h4 : b' = b := h2
    have h5 : a' = a := h3
    rw [← h4, ← h5]
    exact ⟨h.2, h.1⟩
  · intro ⟨h1, h2⟩
    refine ⟨(a, b), ?_, rfl⟩
    rw [has_pairs]
    exact ⟨h2, h1⟩

theorem pairs_eq_nil_iff (xs : List α) (ys : List β) : pairs xs ys = [] ↔ xs = [] ∨ ys = [] := by
  constructor
  · intro h
    have h1 := pairs_length xs ys
    rw [h, List.length_nil] at h1
    cases xs with
    | nil => exact Or.inl rfl
    | cons x xs =>
      right
      rw [List.length_cons, Nat.succ_mul] at h1
      apply List.eq_nil_of_length_eq_zero
      omega
  · intro h
    cases h with
    | inl h =>
      rw [h]
      rfl
    | inr h =>
      rw [h]
      exact pairs_nil xs

theorem card_pairs [DecidableEq α] [DecidableEq β] (xs : List α) (ys : List β) :
    card (pairs xs ys) = card xs * card ys := by
  have h : pairs xs ys ≃ pairs (dedup xs) (dedup ys) := by
    intro ⟨a, b⟩
    rw [has_pairs, has_pairs, has_dedup, has_dedup]
  rw [card_same h, card_of_distinct (pairs_distinct (dedup_distinct xs) (dedup_distinct ys)),
    pairs_length]
  rfl

end Pairs

end Sets
