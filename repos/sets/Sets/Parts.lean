import Sets.Ops

/-!
Parts of a set: intersection, difference, symmetric difference, and the elements that pass a test.
-/

namespace Sets

variable {α β : Type} [DecidableEq α]

/-- The elements of the first list that occur in the second one. -/
def inter : List α → List α → List α
  | [], _ => []
  | x :: xs, ys => if x ∊ ys then x :: inter xs ys else inter xs ys

/-- The elements of the first list that do not occur in the second one. -/
def diff : List α → List α → List α
  | [], _ => []
  | x :: xs, ys => if x ∊ ys then diff xs ys else x :: diff xs ys

/-- The elements of exactly one of the two lists. -/
def either (xs ys : List α) : List α := diff xs ys ++ diff ys xs

/-- The elements that pass a test. -/
def sift {α : Type} (p : α → Bool) : List α → List α
  | [] => []
  | x :: xs => if p x then x :: sift p xs else sift p xs

section Intersections

variable {a : α} {xs ys zs : List α}

theorem has_inter (a : α) (xs ys : List α) : a ∊ inter xs ys ↔ a ∊ xs ∧ a ∊ ys := by
  induction xs with
  | nil =>
    constructor
    · intro h
      exact h.elim
    · intro h
      exact h.1
  | cons x xs ih =>
    rw [inter]
    split
    · rename_i h
      rw [has_cons, has_cons, ih]
      constructor
      · intro h1
        rcases h1 with h1 | ⟨h1, h2⟩
        · rw [h1]
          exact ⟨Or.inl rfl, h⟩
        · exact ⟨Or.inr h1, h2⟩
      · intro ⟨h1, h2⟩
        cases h1 with
        | inl h3 => exact Or.inl h3
        | inr h3 => exact Or.inr ⟨h3, h2⟩
    · rename_i h
      rw [has_cons, ih]
      constructor
      · intro ⟨h1, h2⟩
        exact ⟨Or.inr h1, h2⟩
      · intro ⟨h1, h2⟩
        cases h1 with
        | inl h3 =>
          rw [h3] at h2
          exact absurd h2 h
        | inr h3 => exact ⟨h3, h2⟩

theorem inter_sub_left (xs ys : List α) : inter xs ys ⊑ xs := by
  intro a h
  exact ((has_inter a xs ys).1 h).1

theorem sub_inter_iff : zs ⊑ inter xs ys ↔ zs ⊑ xs ∧ zs ⊑ ys := by
  constructor
  · intro h
    constructor
    · intro a ha
      exact ((has_inter a xs ys).1 (h a ha)).1
    · intro a ha
      exact ((has_inter a xs ys).1 (h a ha)).2
  · intro ⟨h1, h2⟩ a ha
    rw [has_inter]
    exact ⟨h1 a ha, h2 a ha⟩

theorem inter_nil (xs : List α) : inter xs [] = [] := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [inter, if_neg (not_has_nil x), ih]

theorem inter_of_sub (h : xs ⊑ ys) : inter xs ys = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    obtain ⟨h1, h2⟩ := cons_sub.1 h
    rw [inter, if_pos h1, ih h2]

theorem inter_self (xs : List α) : inter xs xs = xs := by
  apply inter_of_sub
  exact sub_refl xs

theorem inter_eq_nil_iff : inter xs ys = [] ↔ Apart xs ys := by
  sorry

theorem inter_same_right (h : ys ≃ zs) : inter xs ys = inter xs zs := by
  sorry

theorem inter_assoc (xs ys zs : List α) : inter (inter xs ys) zs = inter xs (inter ys zs) := by
  sorry

theorem inter_union_same (xs ys zs : List α) :
    inter xs (union ys zs) ≃ union (inter xs ys) (inter xs zs) := by
  intro a
  rw [has_inter, has_union, has_union, has_inter, has_inter, and_or_left]

theorem union_inter_same (xs ys zs : List α) :
    union xs (inter ys zs) ≃ inter (union xs ys) (union xs zs) := by
  intro a
  rw [has_union, has_inter, has_inter, has_union, has_union, or_and_left]

theorem union_inter_absorb (xs ys : List α) : union (inter xs ys) xs = xs := by
  apply union_of_sub
  exact inter_sub_left xs ys

theorem inter_union_absorb (xs ys : List α) : inter xs (union xs ys) = xs := by
  apply inter_of_sub
  intro a h
  rw [has_union]
  exact Or.inl h

theorem inter_length_le (xs ys : List α) : (inter xs ys).length ≤ xs.length := by
  induction xs with
  | nil => exact Nat.le_refl 0
  | cons x xs ih =>
    rw [inter, List.length_cons]
    split
    · rw [List.length_cons]
      omega
    · omega

end Intersections

section Differences

variable {a : α} {xs ys zs : List α}

theorem has_diff (a : α) (xs ys : List α) : a ∊ diff xs ys ↔ a ∊ xs ∧ ¬ a ∊ ys := by
  induction xs with
  | nil =>
    constructor
    · intro h
      exact h.elim
    · intro h
      exact h.1
  | cons x xs ih =>
    by_cases h : x ∊ ys
    · rw [diff, if_pos h, ih, has_cons]
      constructor
      · intro ⟨h1, h2⟩
        exact ⟨Or.inr h1, h2⟩
      · intro ⟨h1, h2⟩
        cases h1 with
        | inl h3 =>
          rw [h3] at h2
          exact absurd h h2
        | inr h3 => exact ⟨h3, h2⟩
    · rw [diff, if_neg h, has_cons, has_cons, ih]
      constructor
      · intro h1
        rcases h1 with h1 | ⟨h1, h2⟩
        · rw [h1]
          exact ⟨Or.inl rfl, h⟩
        · exact ⟨Or.inr h1, h2⟩
      · intro ⟨h1, h2⟩
        cases h1 with
        | inl h3 => exact Or.inl h3
        | inr h3 => exact Or.inr ⟨h3, h2⟩

theorem diff_sub (xs ys : List α) : diff xs ys ⊑ xs := by
  intro a h
  exact ((has_diff a xs ys).1 h).1

theorem diff_apart (xs ys : List α) : Apart (diff xs ys) ys := by
  intro a h
  exact ((has_diff a xs ys).1 h).2

theorem diff_eq_nil_iff : diff xs ys = [] ↔ xs ⊑ ys := by
  constructor
  · intro h a ha
    by_cases h1 : a ∊ ys
    · exact h1
    · have h2 : a ∊ diff xs ys := (has_diff a xs ys).2 ⟨ha, h1⟩
      rw [h] at h2
      exact absurd h2 (not_has_nil a)
  · intro h
    apply nil_of_no_members
    intro a ha
    rw [has_diff] at ha
    exact ha.2 (h a ha.1)

theorem diff_of_apart (h : Apart xs ys) : diff xs ys = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    obtain ⟨h1, h2⟩ := apart_cons.1 h
    rw [diff, if_neg h1, ih h2]

theorem diff_diff_same (xs ys zs : List α) : diff (diff xs ys) zs ≃ diff xs (union ys zs) := by
  intro a
  rw [has_diff, has_diff, has_diff, has_union, not_or, and_assoc]

theorem diff_singleton (a : α) (xs : List α) : diff xs [a] = remove a xs := by
  sorry

theorem diff_inter_length (xs ys : List α) :
    (diff xs ys).length + (inter xs ys).length = xs.length := by
  sorry

theorem union_diff_same (xs ys : List α) : union (diff xs ys) ys ≃ union xs ys := by
  intro a
  rw [has_union, has_union, has_diff]
  constructor
  · intro h
    cases h with
    | inl h => exact Or.inl h.1
    | inr h => exact Or.inr h
  · intro h
    by_cases h1 : a ∊ ys
    · exact Or.inr h1
    · cases h with
      | inl h2 => exact Or.inl ⟨h2, h1⟩
      | inr h2 => exact Or.inr h2

theorem diff_union_inter_same (xs ys : List α) : union (diff xs ys) (inter xs ys) ≃ xs := by
  intro a
  rw [has_union, has_diff, has_inter]
  constructor
  · intro h
    cases h with
    | inl h => exact h.1
    | inr h => exact h.1
  · intro h
    by_cases h1 : a ∊ ys
    · exact Or.inr ⟨h, h1⟩
    · exact Or.inl ⟨h, h1⟩

theorem diff_mono (h : xs ⊑ ys) (zs : List α) : diff xs zs ⊑ diff ys zs := by
  intro a ha
  rw [has_diff] at ha ⊢
  exact ⟨h a ha.1, ha.2⟩

theorem diff_sub_iff : diff xs ys ⊑ zs ↔ xs ⊑ union ys zs := by
  constructor
  · intro h a ha
    rw [has_union]
    by_cases h1 : a ∊ ys
    · exact Or.inl h1
    · right
      apply h
      rw [has_diff]
      exact ⟨ha, h1⟩
  · intro h a ha
    rw [has_diff] at ha
    have h1 := h a ha.1
    rw [has_union] at h1
    cases h1 with
    | inl h2 => exact absurd h2 ha.2
    | inr h2 => exact h2

theorem diff_inter_same (xs ys zs : List α) :
    diff xs (inter ys zs) ≃ union (diff xs ys) (diff xs zs) := by
  sorry

theorem has_either (a : α) (xs ys : List α) :
    a ∊ either xs ys ↔ (a ∊ xs ∧ ¬ a ∊ ys) ∨ (a ∊ ys ∧ ¬ a ∊ xs) := by
  unfold either
  rw [has_append, has_diff, has_diff]

theorem either_same_iff : either xs ys = [] ↔ xs ≃ ys := by
  sorry

theorem either_cancel (xs ys : List α) : either (either xs ys) ys ≃ xs := by
  intro a
  rw [has_either, has_either]
  by_cases h1 : a ∊ xs
  · by_cases h2 : a ∊ ys
    · simp [h1, h2]
    · simp [h1, h2]
  · by_cases h2 : a ∊ ys
    · simp [h1, h2]
    · simp [h1, h2]

theorem either_union_inter_same (xs ys : List α) :
    either xs ys ≃ diff (union xs ys) (inter xs ys) := by
  sorry

end Differences

section Sifting

variable {α : Type} {p q : α → Bool} {xs ys : List α}

theorem has_sift (p : α → Bool) (a : α) (xs : List α) : a ∊ sift p xs ↔ a ∊ xs ∧ p a = true := by
  induction xs with
  | nil =>
    constructor
    · intro h
      exact h.elim
    · intro h
      exact h.1
  | cons x xs ih =>
    by_cases h : p x = true
    · rw [sift, if_pos h, has_cons, has_cons, ih]
      constructor
      · intro h1
        rcases h1 with h1 | ⟨h1, h2⟩
        · rw [h1]
          exact ⟨Or.inl rfl, h⟩
        · exact ⟨Or.inr h1, h2⟩
      · intro ⟨h1, h2⟩
        cases h1 with
        | inl h3 => exact Or.inl h3
        | inr h3 => exact Or.inr ⟨h3, h2⟩
    · rw [sift, if_neg h, has_cons, ih]
      constructor
      · intro ⟨h1, h2⟩
        exact ⟨Or.inr h1, h2⟩
      · intro ⟨h1, h2⟩
        cases h1 with
        | inl h3 =>
          rw [h3] at h2
          exact absurd h2 h
        | inr h3 => exact ⟨h3, h2⟩

theorem sift_append (p : α → Bool) (xs ys : List α) : sift p (xs ++ ys) = sift p xs ++ sift p ys := by
  sorry

theorem sift_sift (p q : α → Bool) (xs : List α) :
    sift p (sift q xs) = sift (fun x => q x && p x) xs := by
  sorry

theorem sift_every (h : Every (fun a => p a = true) xs) : sift p xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    obtain ⟨h1, h2⟩ := (every_cons _ x xs).1 h
    rw [sift, if_pos h1, ih h2]

theorem sift_mono (p : α → Bool) (h : xs ⊑ ys) : sift p xs ⊑ sift p ys := by
  intro a ha
  rw [has_sift] at ha ⊢
  exact ⟨h a ha.1, ha.2⟩

theorem sift_lengths (p : α → Bool) (xs : List α) :
    (sift p xs).length + (sift (fun x => !p x) xs).length = xs.length := by
  sorry

theorem sift_eq_nil_iff : sift p xs = [] ↔ Every (fun a => p a = false) xs := by
  constructor
  · intro h a ha
    cases h1 : p a with
    | false => rfl
    | true =>
      have h2 : a ∊ sift p xs := (has_sift p a xs).2 ⟨ha, h1⟩
      rw [h] at h2
      exact absurd h2 (not_has_nil a)
  · intro h
    apply nil_of_no_members
    intro a ha
    rw [has_sift] at ha
    have h1 : p a = false := h a ha.1
    rw [ha.2] at h1
    exact Bool.noConfusion h1

theorem inter_eq_sift [DecidableEq α] (xs ys : List α) :
    inter xs ys = sift (fun x => decide (x ∊ ys)) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h : x ∊ ys
    · rw [inter, if_pos h, sift, if_pos (decide_eq_true h), ih]
    · have h1 : ¬ decide (x ∊ ys) = true := by
        intro h2
        exact h (of_decide_eq_true h2)
      rw [inter, if_neg h, sift, if_neg h1, ih]

theorem remove_eq_sift [DecidableEq α] (a : α) (xs : List α) :
    remove a xs = sift (fun x => decide (a ≠ x)) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h : a = x
    · have h1 : ¬ decide (a ≠ x) = true := by
        intro h2
        exact of_decide_eq_true h2 h
      rw [remove, if_pos h, sift, if_neg h1, ih]
    · rw [remove, if_neg h, sift, if_pos (decide_eq_true h), ih]

end Sifting

end Sets
