import Sets.Family

/-!
All subsets of a list, and partitions into parts.
-/

namespace Sets

variable {α β : Type}

/-- All lists that arise from a list by leaving out elements. -/
def subsets : List α → List (List α)
  | [] => [[]]
  | x :: xs => (subsets xs).map (fun ys => x :: ys) ++ subsets xs

/-- Parts that are not empty, have no element in common, and make up the whole. -/
structure Partition (xss : List (List α)) (xs : List α) : Prop where
  full : Every (fun ys => ys ≠ []) xss
  scattered : Scattered xss
  whole : flat xss ≃ xs

section Subsets

variable {a : α} {xs ys zs : List α}

theorem subsets_length (xs : List α) : (subsets xs).length = 2 ^ xs.length := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [subsets, List.length_append, List.length_map, ih, List.length_cons, Nat.pow_succ]
    omega

theorem nil_has_subsets (xs : List α) : [] ∊ subsets xs := by
  induction xs with
  | nil => exact has_head [] []
  | cons x xs ih =>
    rw [subsets, has_append]
    right
    exact ih

theorem self_has_subsets (xs : List α) : xs ∊ subsets xs := by
  induction xs with
  | nil => exact has_head [] []
  | cons x xs ih =>
    rw [subsets, has_append, has_map]
    left
    exact ⟨xs, ih, rfl⟩

theorem subsets_cons_iff (x : α) (xs ys : List α) :
    ys ∊ subsets (x :: xs) ↔ (∃ zs, zs ∊ subsets xs ∧ x :: zs = ys) ∨ ys ∊ subsets xs := by
  rw [subsets, has_append, has_map]

theorem subsets_sub (h : ys ∊ subsets xs) : ys ⊑ xs := by
  induction xs generalizing ys with
  | nil =>
    rw [subsets, has_singleton] at h
    rw [h]
    exact sub_refl []
  | cons x xs ih =>
    rw [subsets_cons_iff] at h
    rcases h with ⟨zs, h, h1⟩ | h
    · rw [← h1]
      exact cons_mono x (ih h)
    · exact sub_trans (ih h) (sub_cons x xs)

theorem subsets_length_le (h : ys ∊ subsets xs) : ys.length ≤ xs.length := by
  induction xs generalizing ys with
  | nil =>
    rw [subsets, has_singleton] at h
    rw [h]
    exact Nat.le_refl 0
  | cons x xs ih =>
    rw [subsets_cons_iff] at h
    rcases h with ⟨zs, h, h1⟩ | h
    · rw [← h1, List.length_cons, List.length_cons]
      exact Nat.succ_le_succ (ih h)
    · exact Nat.le_succ_of_le (ih h)

theorem subsets_trans (h1 : zs ∊ subsets ys) (h2 : ys ∊ subsets xs) : zs ∊ subsets xs := by
  induction xs generalizing ys zs with
  | nil =>
    rw [subsets, has_singleton] at h2
    rw [h2] at h1
    exact h1
  | cons x xs ih =>
    rw [subsets_cons_iff] at h2
    rcases h2 with ⟨us, h2, h3⟩ | h2
    · rw [← h3, subsets_cons_iff] at h1
      rcases h1 with ⟨vs, h1, h4⟩ | h1
      · rw [← h4, subsets_cons_iff]
        exact Or.inl ⟨vs, ih h1 h2, rfl⟩
      · rw [subsets_cons_iff]
        exact Or.inr (ih h1 h2)
    · rw [subsets_cons_iff]
      exact Or.inr (ih h1 h2)

theorem subsets_distinct (h : ys ∊ subsets xs) (h1 : Distinct xs) : Distinct ys := by
  induction xs generalizing ys with
  | nil =>
    rw [subsets, has_singleton] at h
    rw [h]
    exact True.intro
  | cons x xs ih =>
    rw [subsets_cons_iff] at h
    rcases h with ⟨zs, h, h2⟩ | h
    · rw [← h2]
      constructor
      · intro h3
        exact h1.1 (subsets_sub h x h3)
      · exact ih h h1.2
    · exact ih h h1.2

theorem sift_has_subsets (p : α → Bool) (xs : List α) : sift p xs ∊ subsets xs := by
  induction xs with
  | nil => exact has_head [] []
  | cons x xs ih =>
    rw [sift, subsets_cons_iff]
    split
    · left
      exact ⟨sift p xs, ih, rfl⟩
    · right
      exact ih

theorem subset_same_exists [DecidableEq α] (h : ys ⊑ xs) : ∃ zs, zs ∊ subsets xs ∧ zs ≃ ys := by
  refine ⟨sift (fun x => decide (x ∊ ys)) xs, sift_has_subsets _ xs, ?_⟩
  intro a
  rw [has_sift]
  constructor
  · intro h1
    exact of_decide_eq_true h1.2
  · intro h1
    exact ⟨h a h1, decide_eq_true h1⟩

theorem subsets_map (f : α → β) (xs : List α) :
    subsets (xs.map f) = (subsets xs).map (fun ys => ys.map f) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [List.map_cons, subsets, ih, subsets, List.map_append, List.map_map, List.map_map]
    rfl

theorem flat_subsets (xs : List α) : flat (subsets xs) ≃ xs := by
  rw [same_iff_sub]
  constructor
  · rw [flat_sub_iff]
    intro ys h
    exact subsets_sub h
  · exact sub_flat (self_has_subsets xs)

theorem append_has_subsets {us vs : List α} (h1 : ys ∊ subsets xs) (h2 : vs ∊ subsets us) :
    ys ++ vs ∊ subsets (xs ++ us) := by
  induction xs generalizing ys with
  | nil =>
    rw [subsets, has_singleton] at h1
    rw [h1]
    exact h2
  | cons x xs ih =>
    rw [subsets_cons_iff] at h1
    rw [List.cons_append, subsets_cons_iff]
    rcases h1 with ⟨zs, h1, h3⟩ | h1
    · left
      refine ⟨zs ++ vs, ih h1, ?_⟩
      rw [← h3, List.cons_append]
    · exact Or.inr (ih h1)

theorem subsets_sublists_mono (h : ys ∊ subsets xs) : subsets ys ⊑ subsets xs := by
  intro zs hz
  exact subsets_trans hz h

theorem subsets_distinct_lists (h : Distinct xs) : Distinct (subsets xs) := by
  induction xs with
  | nil => exact distinct_singleton []
  | cons x xs ih =>
    rw [subsets, distinct_append]
    refine ⟨?_, ih h.2, ?_⟩
    · apply distinct_map _ (ih h.2)
      intro us vs h1
      injection h1
    · intro ys h1 h2
      rw [has_map] at h1
      obtain ⟨zs, _, h3⟩ := h1
      have h4 := subsets_sub h2 x
      rw [← h3] at h4
      exact h.1 (h4 (has_head x zs))

theorem subsets_same_eq (h : Distinct xs) (h1 : ys ∊ subsets xs) (h2 : zs ∊ subsets xs)
    (h3 : ys ≃ zs) : ys = zs := by
  induction xs generalizing ys zs with
  | nil =>
    rw [subsets, has_singleton] at h1 h2
    rw [h1, h2]
  | cons x xs ih =>
    rw [subsets_cons_iff] at h1 h2
    rcases h1 with ⟨us, h1, h4⟩ | h1
    · rcases h2 with ⟨vs, h2, h5⟩ | h2
      · rw [← h4, ← h5] at h3 ⊢
        rw [ih h.2 h1 h2]
        rw [same_iff_sub] at h3 ⊢
        constructor
        · exact sub_of_cons_sub_cons h3.1 (fun h6 => h.1 (subsets_sub h1 x h6))
        · exact sub_of_cons_sub_cons h3.2 (fun h6 => h.1 (subsets_sub h2 x h6))
      · exfalso
        apply h.1
        apply subsets_sub h2
        rw [← h3 x, ← h4]
        exact has_head x us
    · rcases h2 with ⟨vs, h2, h5⟩ | h2
      · exfalso
        apply h.1
        apply subsets_sub h1
        rw [h3 x, ← h5]
        exact has_head x vs
      · exact ih h.2 h1 h2 h3

end Subsets

section Partitions

variable {a : α} {xs ys : List α} {xss : List (List α)}

theorem partition_sub (h : Partition xss xs) (h1 : ys ∊ xss) : ys ⊑ xs := by
  intro a ha
  exact (h.whole a).1 (sub_flat h1 a ha)

theorem partition_part (h : Partition xss xs) (h1 : a ∊ xs) : ∃ ys, ys ∊ xss ∧ a ∊ ys := by
  rw [← has_flat]
  exact (h.whole a).2 h1

theorem partition_whole (h : xs ≠ []) : Partition [xs] xs := by
  constructor
  · intro ys hy
    rw [has_singleton] at hy
    rw [hy]
    exact h
  · refine ⟨?_, True.intro⟩
    intro ys hy
    exact hy.elim
  · rw [flat, flat, List.append_nil]
    exact same_refl xs

theorem scattered_unique (h : Scattered xss) {us vs : List α} (h1 : us ∊ xss) (h2 : vs ∊ xss)
    (hu : a ∊ us) (hv : a ∊ vs) : us = vs := by
  induction xss with
  | nil => exact h1.elim
  | cons ws wss ih =>
    rcases h1 with h1 | h1
    · rcases h2 with h2 | h2
      · rw [h1, h2]
      · rw [h1] at hu
        exact absurd hv (h.1 vs h2 a hu)
    · rcases h2 with h2 | h2
      · rw [h2] at hv
        exact absurd hu (h.1 us h1 a hv)
      · exact ih h.2 h1 h2

theorem partition_unique_part (h : Partition xss xs) (h1 : a ∊ xs) :
    ∃ ys, (ys ∊ xss ∧ a ∊ ys) ∧ ∀ zs, zs ∊ xss → a ∊ zs → zs = ys := by
  obtain ⟨ys, h2, h3⟩ := partition_part h h1
  refine ⟨ys, ⟨h2, h3⟩, ?_⟩
  intro zs h4 h5
  exact scattered_unique h.scattered h4 h2 h5 h3

theorem partition_singletons (h : Distinct xs) : Partition (xs.map (fun a => [a])) xs := by
  constructor
  · rw [every_map]
    intro a _ h1
    cases h1
  · apply scattered_of_distinct_flat
    rw [flat_singletons]
    exact h
  · rw [flat_singletons]
    exact same_refl xs

theorem partition_card [DecidableEq α] (h : Partition xss xs) : (xss.map card).sum = card xs := by
  rw [← card_flat h.scattered]
  apply card_same
  exact h.whole

theorem partition_two {us vs : List α} (h1 : us ≠ []) (h2 : vs ≠ []) (h : Apart us vs) :
    Partition [us, vs] (us ++ vs) := by
  constructor
  · intro ws hw
    rcases hw with hw | hw | hw
    · rw [hw]
      exact h1
    · rw [hw]
      exact h2
    · exact hw.elim
  · refine ⟨?_, ?_, True.intro⟩
    · intro ws hw
      rw [has_singleton] at hw
      rw [hw]
      exact h
    · intro ws hw
      exact hw.elim
  · rw [flat, flat, flat, List.append_nil]
    exact same_refl (us ++ vs)

theorem partition_add (h : Partition xss xs) (h1 : ys ≠ []) (h2 : Apart ys xs) :
    Partition (ys :: xss) (ys ++ xs) := by
  constructor
  · rw [every_cons]
    exact ⟨h1, h.full⟩
  · constructor
    · rw [← apart_flat]
      intro a ha hf
      exact h2 a ha ((h.whole a).1 hf)
    · exact h.scattered
  · rw [flat]
    exact append_same (same_refl ys) h.whole

theorem scattered_map {f : α → β} (hf : ∀ a b, f a = f b → a = b) (h : Scattered xss) :
    Scattered (xss.map (fun xs => xs.map f)) := by
  induction xss with
  | nil => exact True.intro
  | cons xs xss ih =>
    rw [List.map_cons]
    constructor
    · rw [every_map]
      intro ys hy
      exact map_apart hf (h.1 ys hy)
    · exact ih h.2

theorem partition_map {f : α → β} (hf : ∀ a b, f a = f b → a = b) (h : Partition xss xs) :
    Partition (xss.map (fun ys => ys.map f)) (xs.map f) := by
  constructor
  · rw [every_map]
    intro ys hy h1
    exact h.full ys hy (List.map_eq_nil_iff.1 h1)
  · exact scattered_map hf h.scattered
  · rw [flat_map_map]
    exact map_same f h.whole

theorem partition_length_le [DecidableEq α] (h : Partition xss xs) : xss.length ≤ card xs := by
  rw [← partition_card h]
  have h1 : ∀ yss : List (List α), Every (fun ys => ys ≠ []) yss →
      yss.length ≤ (yss.map card).sum := by
    intro yss
    induction yss with
    | nil =>
      intro _
      exact Nat.zero_le _
    | cons ys yss ih =>
      intro h2
      rw [every_cons] at h2
      have h3 := ih h2.2
      have h4 : card ys ≠ 0 := by
        intro h5
        exact h2.1 ((card_eq_zero_iff ys).1 h5)
      rw [List.map_cons, List.sum_cons, List.length_cons]
      omega
  exact h1 xss h.full

theorem partition_separates (h : Partition xss xs) {us vs : List α} (h1 : us ∊ xss) (h2 : vs ∊ xss)
    (h3 : us ≠ vs) : Apart us vs := by
  intro a hu hv
  exact h3 (scattered_unique h.scattered h1 h2 hu hv)

end Partitions

end Sets
