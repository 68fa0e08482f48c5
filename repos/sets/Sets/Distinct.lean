import Sets.Parts

/-!
Lists without repetition: what keeps them so, how inclusion bounds their length, and the pigeonhole
principle.
-/

namespace Sets

variable {α β : Type}

/-- No element occurs twice. -/
def Distinct : List α → Prop
  | [] => True
  | x :: xs => ¬ x ∊ xs ∧ Distinct xs

section DistinctLists

variable {a : α} {xs ys zs : List α}

theorem distinct_singleton (a : α) : Distinct [a] := by
  constructor
  · exact not_has_nil a
  · exact True.intro

theorem distinct_tail (h : Distinct (a :: xs)) : Distinct xs := by
  exact h.2

theorem distinct_head (h : Distinct (a :: xs)) : ¬ a ∊ xs := by
  exact h.1

theorem distinct_append : Distinct (xs ++ ys) ↔ Distinct xs ∧ Distinct ys ∧ Apart xs ys := by
  induction xs with
  | nil =>
    constructor
    · intro h
      refine ⟨True.intro, h, ?_⟩
      intro a ha
      exact ha.elim
    · intro h
      exact h.2.1
  | cons x xs ih =>
    rw [List.cons_append, apart_cons, Distinct, Distinct, ih, has_append]
    constructor
    · intro ⟨h1, h2, h3, h4⟩
      exact ⟨⟨fun h => h1 (Or.inl h), h2⟩, h3, fun h => h1 (Or.inr h), h4⟩
    · intro ⟨⟨h1, h2⟩, h3, h4, h5⟩
      refine ⟨?_, h2, h3, h5⟩
      intro h
      cases h with
      | inl h => exact h1 h
      | inr h => exact h4 h

theorem distinct_middle : Distinct (xs ++ a :: ys) ↔ ¬ a ∊ xs ++ ys ∧ Distinct (xs ++ ys) := by
  sorry

theorem distinct_reverse (h : Distinct xs) : Distinct xs.reverse := by
  sorry

theorem distinct_sift (p : α → Bool) (h : Distinct xs) : Distinct (sift p xs) := by
  induction xs with
  | nil => exact True.intro
  | cons x xs ih =>
    rw [sift]
    split
    · constructor
      · intro h1
        exact h.1 ((has_sift p x xs).1 h1).1
      · exact ih h.2
    · exact ih h.2

theorem distinct_map {f : α → β} (hf : ∀ a b, f a = f b → a = b) (h : Distinct xs) :
    Distinct (xs.map f) := by
  induction xs with
  | nil => exact True.intro
  | cons x xs ih =>
    rw [List.map_cons, Distinct]
    constructor
    · intro h1
      rw [has_map] at h1
      obtain ⟨a, ha, hax⟩ := h1
      rw [hf a x hax] at ha
      exact h.1 ha
    · exact ih h.2

theorem distinct_of_map {f : α → β} (h : Distinct (xs.map f)) : Distinct xs := by
  sorry

theorem distinct_map_inj {f : α → β} (h : Distinct (xs.map f)) {a b : α} (ha : a ∊ xs) (hb : b ∊ xs)
    (hab : f a = f b) : a = b := by
  induction xs with
  | nil => exact ha.elim
  | cons x xs ih =>
    rw [List.map_cons, Distinct] at h
    rcases ha with ha | ha
    · rcases hb with hb | hb
      · rw [ha, hb]
      · exfalso
        apply h.1
        rw [has_map]
        exact ⟨b, hb, by rw [← hab, ha]⟩
    · rcases hb with hb | hb
      · exfalso
        apply h.1
        rw [has_map]
        exact ⟨a, ha, by rw [hab, hb]⟩
      · exact ih h.2 ha hb

variable [DecidableEq α]

theorem distinct_insert (a : α) (h : Distinct xs) : Distinct (insert a xs) := by
  by_cases h1 : a ∊ xs
  · rw [insert_of_has h1]
    exact h
  · rw [insert_of_not_has h1]
    exact ⟨h1, h⟩

theorem distinct_remove (a : α) (h : Distinct xs) : Distinct (remove a xs) := by
  rw [remove_eq_sift]
  exact distinct_sift _ h

theorem distinct_union (xs : List α) (h : Distinct ys) : Distinct (union xs ys) := by
  induction xs with
  | nil => exact h
  | cons x xs ih =>
    rw [union]
    exact distinct_insert x ih

theorem distinct_inter (ys : List α) (h : Distinct xs) : Distinct (inter xs ys) := by
  rw [inter_eq_sift]
  exact distinct_sift _ h

theorem distinct_diff (ys : List α) (h : Distinct xs) : Distinct (diff xs ys) := by
  induction xs with
  | nil => exact True.intro
  | cons x xs ih =>
    rw [diff]
    split
    · exact ih h.2
    · constructor
      · intro h1
        exact h.1 (diff_sub xs ys x h1)
      · exact ih h.2

theorem distinct_either (h1 : Distinct xs) (h2 : Distinct ys) : Distinct (either xs ys) := by
  sorry

theorem remove_length_of_has (h : Distinct xs) (h1 : a ∊ xs) :
    (remove a xs).length + 1 = xs.length := by
  induction xs with
  | nil => exact h1.elim
  | cons x xs ih =>
    by_cases h2 : a = x
    · rw [remove, if_pos h2, List.length_cons, remove_of_not_has]
      rw [h2]
      exact h.1
    · rw [remove, if_neg h2, List.length_cons, List.length_cons, ih h.2 (has_of_ne h1 h2)]

theorem distinct_length_le (h : Distinct xs) (h1 : xs ⊑ ys) : xs.length ≤ ys.length := by
  induction xs generalizing ys with
  | nil => exact Nat.zero_le ys.length
  | cons x xs ih =>
    obtain ⟨h2, h3⟩ := cons_sub.1 h1
    have h4 : xs ⊑ remove x ys := by
      intro a ha
      rw [has_remove]
      refine ⟨h3 a ha, ?_⟩
      intro h5
      rw [h5] at ha
      exact h.1 ha
    have h6 := ih h.2 h4
    have h7 := remove_length_lt h2
    rw [List.length_cons]
    omega

/-- Lists without repetition of the same elements are equally long. -/
theorem distinct_same_length (h1 : Distinct xs) (h2 : Distinct ys) (h : xs ≃ ys) :
    xs.length = ys.length := by
  rw [same_iff_sub] at h
  apply Nat.le_antisymm
  · exact distinct_length_le h1 h.1
  · exact distinct_length_le h2 h.2

theorem distinct_sub_of_length (h : Distinct xs) (h1 : xs ⊑ ys) (h2 : ys.length ≤ xs.length) :
    ys ⊑ xs := by
  intro a ha
  by_cases h3 : a ∊ xs
  · exact h3
  · have h4 : Distinct (a :: xs) := ⟨h3, h⟩
    have h5 : a :: xs ⊑ ys := cons_sub.2 ⟨ha, h1⟩
    have h6 := distinct_length_le h4 h5
    rw [List.length_cons] at h6
    omega

/-- The pigeonhole principle: more pigeons than holes are not all in different holes. -/
theorem pigeonhole (h : xs ⊑ ys) (h1 : ys.length < xs.length) : ¬ Distinct xs := by
  intro h2
  have h3 := distinct_length_le h2 h
  omega

theorem distinct_of_longer (h : Distinct xs) (h1 : xs ⊑ ys) (h2 : ys.length ≤ xs.length) :
    Distinct ys := by
  induction ys generalizing xs with
  | nil => exact True.intro
  | cons y ys ih =>
    by_cases h3 : y ∊ ys
    · exfalso
      have h4 : xs ⊑ ys := by
        intro a ha
        have h5 := h1 a ha
        cases h5 with
        | inl h6 =>
          rw [h6]
          exact h3
        | inr h6 => exact h6
      have h7 := distinct_length_le h h4
      rw [List.length_cons] at h2
      omega
    · refine ⟨h3, ?_⟩
      have h4 : remove y xs ⊑ ys := by
        intro a ha
        rw [has_remove] at ha
        exact has_of_ne (h1 a ha.1) ha.2
      apply ih (distinct_remove y h) h4
      have h5 : y ∊ xs := distinct_sub_of_length h h1 h2 y (has_head y ys)
      have h6 := remove_length_of_has h h5
      rw [List.length_cons] at h2
      omega

theorem not_distinct_iff : ¬ Distinct xs ↔ ∃ a us vs ws, xs = us ++ a :: (vs ++ a :: ws) := by
  constructor
  · intro h
    induction xs with
    | nil => exact absurd True.intro h
    | cons x xs ih =>
      by_cases h1 : x ∊ xs
      · obtain ⟨vs, ws, h2⟩ := has_split h1
        refine ⟨x, [], vs, ws, ?_⟩
        rw [h2]
        rfl
      · have h2 : ¬ Distinct xs := fun h3 => h ⟨h1, h3⟩
        obtain ⟨a, us, vs, ws, h3⟩ := ih h2
        refine ⟨a, x :: us, vs, ws, ?_⟩
        rw [h3]
        rfl
  · intro ⟨a, us, vs, ws, h⟩ h1
    rw [h, distinct_append] at h1
    exact h1.2.1.1 (has_middle a vs ws)

end DistinctLists

end Sets
