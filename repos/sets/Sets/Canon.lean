import Sets.Sort

/-!
Sets of natural numbers as strictly sorted lists, one for each set, and the least element of a list.
-/

namespace Sets

/-- Sorted without repetition. -/
inductive Rising : List Nat → Prop where
  | nil : Rising []
  | cons {x : Nat} {xs : List Nat} (h : ∀ a, a ∊ xs → x < a) (h1 : Rising xs) : Rising (x :: xs)

/-- Puts a number into a strictly sorted list unless it is there. -/
def put (a : Nat) : List Nat → List Nat
  | [] => [a]
  | x :: xs => if a < x then a :: x :: xs else if a = x then x :: xs else x :: put a xs

/-- The strictly sorted list of the elements of a list. -/
def canon : List Nat → List Nat
  | [] => []
  | x :: xs => put x (canon xs)

/-- The least of `a` and the elements of the list. -/
def minimum (a : Nat) : List Nat → Nat
  | [] => a
  | x :: xs => minimum (if x ≤ a then x else a) xs

section RisingLists

variable {a b : Nat} {xs ys : List Nat}

theorem rising_sorted (h : Rising xs) : Sorted xs := by
  induction h with
  | nil => exact Sorted.nil
  | cons h1 _ ih =>
    apply Sorted.cons _ ih
    intro a ha
    exact Nat.le_of_lt (h1 a ha)

theorem rising_distinct (h : Rising xs) : Distinct xs := by
  induction h with
  | nil => exact True.intro
  | @cons x xs h1 _ ih =>
    refine ⟨?_, ih⟩
    intro h2
    exact Nat.lt_irrefl x (h1 x h2)

theorem rising_of_sorted_distinct (h : Sorted xs) (h1 : Distinct xs) : Rising xs := by
  sorry

theorem rising_eq (h1 : Rising xs) (h2 : Rising ys) (h : xs ≃ ys) : xs = ys := by
  apply sorted_same_distinct (rising_sorted h1) (rising_sorted h2)
  · exact rising_distinct h1
  · exact rising_distinct h2
  · exact h

theorem has_put (a b : Nat) (xs : List Nat) : a ∊ put b xs ↔ a = b ∨ a ∊ xs := by
  induction xs with
  | nil => exact Iff.rfl
  | cons x xs ih =>
    rw [put]
    split
    · exact Iff.rfl
    · split
      · rename_i h
        constructor
        · intro h1
          exact Or.inr h1
        · intro h1
          cases h1 with
          | inl h2 =>
            left
            rw [h2, h]
          | inr h2 => exact h2
      · rw [has_cons, ih, has_cons]
        exact or_left_comm

theorem put_rising (a : Nat) (h : Rising xs) : Rising (put a xs) := by
  induction h with
  | nil =>
    apply Rising.cons _ Rising.nil
    intro b hb
    exact hb.elim
  | @cons x xs h1 h2 ih =>
    rw [put]
    split
    · rename_i h3
      apply Rising.cons _ (Rising.cons h1 h2)
      intro b hb
      rcases hb with hb | hb
      · omega
      · have h4 := h1 b hb
        omega
    · split
      · exact Rising.cons h1 h2
      · apply Rising.cons _ ih
        intro b hb
        rw [has_put] at hb
        cases hb with
        | inl hb => omega
        | inr hb => exact h1 b hb

theorem canon_rising (xs : List Nat) : Rising (canon xs) := by
  induction xs with
  | nil => exact Rising.nil
  | cons x xs ih =>
    rw [canon]
    exact put_rising x ih

theorem canon_same (xs : List Nat) : canon xs ≃ xs := by
  induction xs with
  | nil => exact same_refl []
  | cons x xs ih =>
    intro a
    rw [canon, has_put, has_cons, ih a]

theorem canon_eq_iff (xs ys : List Nat) : canon xs = canon ys ↔ xs ≃ ys := by
  sorry

theorem canon_of_rising (h : Rising xs) : canon xs = xs := by
  apply rising_eq (canon_rising xs) h
  exact canon_same xs

theorem canon_eq_sort_dedup (xs : List Nat) : canon xs = sort (dedup xs) := by
  apply sorted_perm_eq (rising_sorted (canon_rising xs)) (sort_sorted _)
  apply Perm.trans _ (perm_symm (sort_perm (dedup xs)))
  apply perm_of_same
  · exact rising_distinct (canon_rising xs)
  · exact dedup_distinct xs
  · exact same_trans (canon_same xs) (same_symm (dedup_same xs))

theorem canon_length (xs : List Nat) : (canon xs).length = card xs := by
  rw [canon_eq_sort_dedup, sort_length]
  rfl

theorem put_of_has (h : Rising xs) (h1 : a ∊ xs) : put a xs = xs := by
  sorry

theorem put_comm (a b : Nat) (h : Rising xs) : put a (put b xs) = put b (put a xs) := by
  sorry

end RisingLists

section Least

variable {a b : Nat} {xs ys : List Nat}

theorem minimum_le_start (a : Nat) (xs : List Nat) : minimum a xs ≤ a := by
  induction xs generalizing a with
  | nil => exact Nat.le_refl a
  | cons x xs ih =>
    rw [minimum]
    split
    · have h1 := ih x
      omega
    · exact ih a

theorem minimum_le (a : Nat) (h : b ∊ xs) : minimum a xs ≤ b := by
  induction xs generalizing a with
  | nil => exact h.elim
  | cons x xs ih =>
    rw [minimum]
    cases h with
    | inl h =>
      rw [h]
      split
      · exact minimum_le_start x xs
      · have h1 := minimum_le_start a xs
        omega
    | inr h => exact ih _ h

theorem minimum_has (a : Nat) (xs : List Nat) : minimum a xs ∊ a :: xs := by
  induction xs generalizing a with
  | nil => exact has_head a []
  | cons x xs ih =>
    rw [minimum]
    split
    · exact has_tail a (ih x)
    · have h1 := ih a
      cases h1 with
      | inl h2 => exact Or.inl h2
      | inr h2 => exact Or.inr (Or.inr h2)

theorem minimum_unique (h : b ∊ a :: xs) (h1 : b ≤ a) (h2 : ∀ c, c ∊ xs → b ≤ c) :
    minimum a xs = b := by
  apply Nat.le_antisymm
  · cases h with
    | inl h3 =>
      rw [h3]
      exact minimum_le_start a xs
    | inr h3 => exact minimum_le a h3
  · have h4 := minimum_has a xs
    cases h4 with
    | inl h5 =>
      rw [h5]
      exact h1
    | inr h5 => exact h2 _ h5

theorem minimum_sorted (h : Sorted (a :: xs)) : minimum a xs = a := by
  apply minimum_unique (has_head a xs) (Nat.le_refl a)
  intro c hc
  exact sorted_head h hc

theorem minimum_perm (a : Nat) (h : xs ~ ys) : minimum a xs = minimum a ys := by
  sorry

theorem minimum_sub (a : Nat) (h : xs ⊑ ys) : minimum a ys ≤ minimum a xs := by
  have h1 := minimum_has a xs
  cases h1 with
  | inl h2 =>
    rw [h2]
    exact minimum_le_start a ys
  | inr h2 => exact minimum_le a (h _ h2)

theorem sort_head_minimum (a : Nat) (xs : List Nat) : ∃ ys, sort (a :: xs) = minimum a xs :: ys := by
  sorry

end Least

end Sets
