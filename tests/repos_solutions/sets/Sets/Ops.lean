import Sets.Basic

/-!
Operations that build up sets: insertion, removal, union.
-/

namespace Sets

variable {α β : Type} [DecidableEq α]

/-- Adds an element unless it is there already. -/
def insert (a : α) (xs : List α) : List α := if a ∊ xs then xs else a :: xs

/-- Removes every occurrence of an element. -/
def remove (a : α) : List α → List α
  | [] => []
  | x :: xs => if a = x then remove a xs else x :: remove a xs

def union : List α → List α → List α
  | [], ys => ys
  | x :: xs, ys => insert x (union xs ys)

section InsertRemove

variable {a b : α} {xs ys : List α}

theorem insert_of_has (h : a ∊ xs) : insert a xs = xs := by
  unfold insert
  rw [if_pos h]

theorem insert_of_not_has (h : ¬ a ∊ xs) : insert a xs = a :: xs := by
  unfold insert
  rw [if_neg h]

theorem has_insert (a b : α) (xs : List α) : a ∊ insert b xs ↔ a = b ∨ a ∊ xs := by
  by_cases h : b ∊ xs
  · rw [insert_of_has h]
    constructor
    · intro h1
      exact Or.inr h1
    · intro h1
      cases h1 with
      | inl h2 => rw [h2]; exact h
      | inr h2 => exact h2
  · rw [insert_of_not_has h]
    exact has_cons a b xs

theorem insert_same_cons (a : α) (xs : List α) : insert a xs ≃ a :: xs := by
  intro b
  rw [has_insert, has_cons]

theorem insert_idem (a : α) (xs : List α) : insert a (insert a xs) = insert a xs := by
  apply insert_of_has
  rw [has_insert]
  left
  rfl

theorem insert_comm_same (a b : α) (xs : List α) : insert a (insert b xs) ≃ insert b (insert a xs) := by
  intro c
  rw [has_insert, has_insert, has_insert, has_insert, or_left_comm]

theorem insert_sub_iff : insert a xs ⊑ ys ↔ a ∊ ys ∧ xs ⊑ ys := by
  rw [← cons_sub]
  constructor
  · intro h
    exact sub_of_same_left (same_symm (insert_same_cons a xs)) h
  · intro h
    exact sub_of_same_left (insert_same_cons a xs) h

theorem insert_length_le (a : α) (xs : List α) : (insert a xs).length ≤ xs.length + 1 := by
  unfold insert
  split
  · exact Nat.le_succ xs.length
  · exact Nat.le_refl _

theorem has_remove (a b : α) (xs : List α) : a ∊ remove b xs ↔ a ∊ xs ∧ a ≠ b := by
  induction xs with
  | nil =>
    constructor
    · intro h
      exact h.elim
    · intro h
      exact h.1
  | cons x xs ih =>
    by_cases h : b = x
    · rw [remove, if_pos h, ih, has_cons]
      constructor
      · intro ⟨h1, h2⟩
        exact ⟨Or.inr h1, h2⟩
      · intro ⟨h1, h2⟩
        cases h1 with
        | inl h3 =>
          rw [h] at h2
          exact absurd h3 h2
        | inr h3 => exact ⟨h3, h2⟩
    · rw [remove, if_neg h, has_cons, has_cons, ih]
      constructor
      · intro h1
        rcases h1 with h1 | ⟨h1, h2⟩
        · refine ⟨Or.inl h1, ?_⟩
          intro h2
          exact h (h2.symm.trans h1)
        · exact ⟨Or.inr h1, h2⟩
      · intro ⟨h1, h2⟩
        cases h1 with
        | inl h3 => exact Or.inl h3
        | inr h3 => exact Or.inr ⟨h3, h2⟩

theorem not_has_remove (a : α) (xs : List α) : ¬ a ∊ remove a xs := by
  intro h
  exact ((has_remove a a xs).1 h).2 rfl

theorem remove_of_not_has (h : ¬ a ∊ xs) : remove a xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    obtain ⟨h1, h2⟩ := not_has_cons h
    rw [remove, if_neg h1, ih h2]

theorem remove_idem (a : α) (xs : List α) : remove a (remove a xs) = remove a xs := by
  apply remove_of_not_has
  exact not_has_remove a xs

theorem remove_comm (a b : α) (xs : List α) : remove a (remove b xs) = remove b (remove a xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h1 : a = x
    · by_cases h2 : b = x
      · rw [remove, if_pos h2, ih, remove, if_pos h1]
      · rw [remove, if_neg h2, remove, if_pos h1, ih, remove, if_pos h1]
    · by_cases h2 : b = x
      · rw [remove, if_pos h2, ih, remove.eq_2 a, if_neg h1, remove, if_pos h2]
      · rw [remove, if_neg h2, remove, if_neg h1, ih, remove.eq_2 a, if_neg h1, remove, if_neg h2]

theorem remove_append (a : α) (xs ys : List α) : remove a (xs ++ ys) = remove a xs ++ remove a ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [List.cons_append, remove, remove]
    split
    · exact ih
    · rw [ih, List.cons_append]

theorem remove_length_le (a : α) (xs : List α) : (remove a xs).length ≤ xs.length := by
  induction xs with
  | nil => exact Nat.le_refl 0
  | cons x xs ih =>
    rw [remove]
    split
    · rw [List.length_cons]
      omega
    · rw [List.length_cons, List.length_cons]
      omega

theorem remove_length_lt (h : a ∊ xs) : (remove a xs).length < xs.length := by
  induction xs with
  | nil => exact absurd h (not_has_nil a)
  | cons x xs ih =>
    rw [remove]
    by_cases h1 : a = x
    · rw [if_pos h1, List.length_cons]
      have h2 := remove_length_le a xs
      omega
    · rw [if_neg h1, List.length_cons, List.length_cons]
      have h2 := ih (has_of_ne h h1)
      omega

theorem insert_remove_same (h : a ∊ xs) : insert a (remove a xs) ≃ xs := by
  intro b
  rw [has_insert, has_remove]
  constructor
  · intro h1
    rcases h1 with h1 | ⟨h1, _⟩
    · rw [h1]
      exact h
    · exact h1
  · intro h1
    by_cases h2 : b = a
    · exact Or.inl h2
    · exact Or.inr ⟨h1, h2⟩

theorem remove_insert (h : ¬ a ∊ xs) : remove a (insert a xs) = xs := by
  rw [insert_of_not_has h, remove, if_pos rfl]
  exact remove_of_not_has h

theorem remove_sub (a : α) (xs : List α) : remove a xs ⊑ xs := by
  intro b h
  exact ((has_remove b a xs).1 h).1

theorem remove_mono (a : α) (h : xs ⊑ ys) : remove a xs ⊑ remove a ys := by
  intro b hb
  rw [has_remove] at hb ⊢
  exact ⟨h b hb.1, hb.2⟩

theorem sub_insert_iff : xs ⊑ insert a ys ↔ remove a xs ⊑ ys := by
  constructor
  · intro h b hb
    rw [has_remove] at hb
    have h1 := h b hb.1
    rw [has_insert] at h1
    cases h1 with
    | inl h2 => exact absurd h2 hb.2
    | inr h2 => exact h2
  · intro h b hb
    rw [has_insert]
    by_cases h1 : b = a
    · exact Or.inl h1
    · right
      apply h
      rw [has_remove]
      exact ⟨hb, h1⟩

end InsertRemove

section Unions

variable {a : α} {xs ys zs : List α}

theorem has_union (a : α) (xs ys : List α) : a ∊ union xs ys ↔ a ∊ xs ∨ a ∊ ys := by
  induction xs with
  | nil =>
    constructor
    · intro h
      exact Or.inr h
    · intro h
      rcases h with h | h
      · exact h.elim
      · exact h
  | cons x xs ih => rw [union, has_insert, ih, has_cons, or_assoc]

theorem union_same_append (xs ys : List α) : union xs ys ≃ xs ++ ys := by
  intro a
  rw [has_union, has_append]

theorem union_nil_same (xs : List α) : union xs [] ≃ xs := by
  intro a
  rw [has_union]
  constructor
  · intro h
    cases h with
    | inl h => exact h
    | inr h => exact h.elim
  · intro h
    exact Or.inl h

theorem union_of_sub (h : xs ⊑ ys) : union xs ys = ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    obtain ⟨h1, h2⟩ := cons_sub.1 h
    rw [union, ih h2, insert_of_has h1]

theorem union_union_self (xs ys : List α) : union xs (union xs ys) = union xs ys := by
  apply union_of_sub
  intro a h
  rw [has_union]
  exact Or.inl h

theorem union_comm_same (xs ys : List α) : union xs ys ≃ union ys xs := by
  intro a
  rw [has_union, has_union, or_comm]

theorem insert_union (a : α) (xs ys : List α) : union (insert a xs) ys = insert a (union xs ys) := by
  by_cases h : a ∊ xs
  · have h1 : a ∊ union xs ys := by
      rw [has_union]
      exact Or.inl h
    rw [insert_of_has h, insert_of_has h1]
  · rw [insert_of_not_has h, union]

theorem union_assoc (xs ys zs : List α) : union (union xs ys) zs = union xs (union ys zs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [union, insert_union, ih, union]

theorem union_length_le (xs ys : List α) : (union xs ys).length ≤ xs.length + ys.length := by
  induction xs with
  | nil =>
    rw [union, List.length_nil]
    omega
  | cons x xs ih =>
    rw [union, List.length_cons]
    have h := insert_length_le x (union xs ys)
    omega

theorem union_apart (h : Apart xs ys) (h1 : ∀ us a vs, xs = us ++ a :: vs → ¬ a ∊ vs) :
    union xs ys = xs ++ ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    obtain ⟨h2, h3⟩ := apart_cons.1 h
    have h4 : union xs ys = xs ++ ys := by
      apply ih h3
      intro us a vs h5
      apply h1 (x :: us) a vs
      rw [h5]
      rfl
    have h6 : ¬ x ∊ xs := h1 [] x xs rfl
    rw [union, h4, insert_of_not_has]
    · rfl
    · rw [has_append]
      intro h7
      cases h7 with
      | inl h8 => exact h6 h8
      | inr h8 => exact h2 h8

theorem union_sub_iff : union xs ys ⊑ zs ↔ xs ⊑ zs ∧ ys ⊑ zs := by
  rw [← append_sub]
  constructor
  · intro h
    exact sub_of_same_left (same_symm (union_same_append xs ys)) h
  · intro h
    exact sub_of_same_left (union_same_append xs ys) h

theorem union_mono {us : List α} (h1 : xs ⊑ ys) (h2 : zs ⊑ us) : union xs zs ⊑ union ys us := by
  rw [union_sub_iff]
  constructor
  · intro a ha
    rw [has_union]
    exact Or.inl (h1 a ha)
  · intro a ha
    rw [has_union]
    exact Or.inr (h2 a ha)

end Unions

end Sets
