import Sets.Card

/-!
How often an element occurs, and permutations: lists with the same elements in another order.
-/

namespace Sets

variable {α β : Type}

/-- How often `a` occurs. -/
def count [DecidableEq α] (a : α) : List α → Nat
  | [] => 0
  | x :: xs => if a = x then count a xs + 1 else count a xs

/-- The list without the first occurrence of `a`. -/
def erase [DecidableEq α] (a : α) : List α → List α
  | [] => []
  | x :: xs => if a = x then xs else x :: erase a xs

/-- One list arises from the other by exchanging neighbours. -/
inductive Perm : List α → List α → Prop where
  | nil : Perm [] []
  | cons (x : α) {xs ys : List α} (h : Perm xs ys) : Perm (x :: xs) (x :: ys)
  | swap (x y : α) (xs : List α) : Perm (x :: y :: xs) (y :: x :: xs)
  | trans {xs ys zs : List α} (h1 : Perm xs ys) (h2 : Perm ys zs) : Perm xs zs

infix:50 " ~ " => Perm

section Counting

variable [DecidableEq α] {a b : α} {xs ys : List α}

theorem count_head (a : α) (xs : List α) : count a (a :: xs) = count a xs + 1 := by
  rw [count, if_pos rfl]

theorem count_other (h : a ≠ b) (xs : List α) : count a (b :: xs) = count a xs := by
  rw [count, if_neg h]

theorem count_append (a : α) (xs ys : List α) : count a (xs ++ ys) = count a xs + count a ys := by
  induction xs with
  | nil =>
    rw [List.nil_append, count, Nat.zero_add]
  | cons x xs ih =>
    rw [List.cons_append, count, count]
    split
    · omega
    · exact ih

theorem count_pos_iff (a : α) (xs : List α) : 0 < count a xs ↔ a ∊ xs := by
  induction xs with
  | nil =>
    constructor
    · intro h
      exact absurd h (Nat.lt_irrefl 0)
    · intro h
      exact h.elim
  | cons x xs ih =>
    by_cases h : a = x
    · rw [count, if_pos h]
      constructor
      · intro _
        exact Or.inl h
      · intro _
        exact Nat.zero_lt_succ _
    · rw [count, if_neg h, ih, has_cons]
      constructor
      · intro h1
        exact Or.inr h1
      · intro h1
        cases h1 with
        | inl h2 => exact absurd h2 h
        | inr h2 => exact h2

theorem count_eq_zero_iff (a : α) (xs : List α) : count a xs = 0 ↔ ¬ a ∊ xs := by
  rw [← count_pos_iff]
  omega

theorem count_reverse (a : α) (xs : List α) : count a xs.reverse = count a xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [List.reverse_cons, count_append, ih, count, count, count]
    split
    · omega
    · omega

theorem count_le_length (a : α) (xs : List α) : count a xs ≤ xs.length := by
  induction xs with
  | nil => exact Nat.le_refl 0
  | cons x xs ih =>
    rw [count, List.length_cons]
    split
    · omega
    · omega

theorem distinct_iff_count (xs : List α) : Distinct xs ↔ ∀ a, count a xs ≤ 1 := by
  induction xs with
  | nil =>
    constructor
    · intro _ a
      exact Nat.zero_le 1
    · intro _
      exact True.intro
  | cons x xs ih =>
    rw [Distinct, ih]
    constructor
    · intro ⟨h1, h2⟩ a
      by_cases h : a = x
      · rw [count, if_pos h, h, (count_eq_zero_iff x xs).2 h1]
        exact Nat.le_refl 1
      · rw [count_other h]
        exact h2 a
    · intro h
      constructor
      · have h1 := h x
        rw [count_head] at h1
        rw [← count_eq_zero_iff]
        omega
      · intro a
        have h1 := h a
        rw [count] at h1
        split at h1
        · omega
        · exact h1

theorem count_remove (a : α) (xs : List α) : count a (remove a xs) = 0 := by
  rw [count_eq_zero_iff]
  exact not_has_remove a xs

theorem count_remove_other (h : a ≠ b) (xs : List α) : count a (remove b xs) = count a xs := by
  sorry

theorem count_erase_self (a : α) (xs : List α) : count a (erase a xs) = count a xs - 1 := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h : a = x
    · rw [erase, if_pos h, count, if_pos h]
      omega
    · rw [erase, if_neg h, count_other h, count_other h, ih]

theorem count_erase_other (h : a ≠ b) (xs : List α) : count a (erase b xs) = count a xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h1 : b = x
    · rw [erase, if_pos h1, ← h1, count_other h]
    · rw [erase, if_neg h1, count, count, ih]

theorem count_sift (p : α → Bool) (h : p a = true) (xs : List α) :
    count a (sift p xs) = count a xs := by
  sorry

theorem count_map_ge [DecidableEq β] (f : α → β) (a : α) (xs : List α) :
    count a xs ≤ count (f a) (xs.map f) := by
  induction xs with
  | nil => exact Nat.le_refl 0
  | cons x xs ih =>
    rw [List.map_cons, count, count]
    by_cases h : a = x
    · rw [if_pos h, if_pos (by rw [h])]
      omega
    · rw [if_neg h]
      split
      · omega
      · exact ih

theorem count_map_inj [DecidableEq β] {f : α → β} (hf : ∀ a b, f a = f b → a = b) (a : α)
    (xs : List α) : count (f a) (xs.map f) = count a xs := by
  sorry

theorem count_replicate (a : α) (n : Nat) : count a (List.replicate n a) = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [List.replicate_succ, count_head, ih]

theorem erase_of_not_has (h : ¬ a ∊ xs) : erase a xs = xs := by
  sorry

theorem erase_length (h : a ∊ xs) : (erase a xs).length + 1 = xs.length := by
  induction xs with
  | nil => exact h.elim
  | cons x xs ih =>
    by_cases h1 : a = x
    · rw [erase, if_pos h1, List.length_cons]
    · rw [erase, if_neg h1, List.length_cons, List.length_cons, ih (has_of_ne h h1)]

theorem erase_append (h : a ∊ xs) (ys : List α) : erase a (xs ++ ys) = erase a xs ++ ys := by
  sorry

theorem erase_distinct (h : Distinct xs) : erase a xs = remove a xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h1 : a = x
    · rw [erase, if_pos h1, remove, if_pos h1, remove_of_not_has]
      rw [h1]
      exact h.1
    · rw [erase, if_neg h1, remove, if_neg h1, ih h.2]

theorem erase_comm (a b : α) (xs : List α) : erase a (erase b xs) = erase b (erase a xs) := by
  sorry

end Counting

section Permutations

variable {a b : α} {xs ys zs us : List α}

theorem perm_refl (xs : List α) : xs ~ xs := by
  induction xs with
  | nil => exact Perm.nil
  | cons x xs ih => exact Perm.cons x ih

theorem perm_symm (h : xs ~ ys) : ys ~ xs := by
  induction h with
  | nil => exact Perm.nil
  | cons x _ ih => exact Perm.cons x ih
  | swap x y xs => exact Perm.swap y x xs
  | trans _ _ ih1 ih2 => exact Perm.trans ih2 ih1

theorem perm_length (h : xs ~ ys) : xs.length = ys.length := by
  induction h with
  | nil => rfl
  | cons x _ ih => rw [List.length_cons, List.length_cons, ih]
  | swap x y xs => rfl
  | trans _ _ ih1 ih2 => rw [ih1, ih2]

theorem perm_has (h : xs ~ ys) (a : α) : a ∊ xs ↔ a ∊ ys := by
  induction h with
  | nil => exact Iff.rfl
  | cons x _ ih => rw [has_cons, has_cons, ih]
  | swap x y xs => exact cons_swap_same x y xs a
  | trans _ _ ih1 ih2 => exact ih1.trans ih2

theorem perm_same (h : xs ~ ys) : xs ≃ ys := by
  intro a
  exact perm_has h a

theorem perm_nil (h : xs ~ []) : xs = [] := by
  apply same_nil
  exact perm_same h

theorem perm_singleton (h : xs ~ [a]) : xs = [a] := by
  sorry

theorem perm_append_left (zs : List α) (h : xs ~ ys) : zs ++ xs ~ zs ++ ys := by
  induction zs with
  | nil => exact h
  | cons z zs ih => exact Perm.cons z ih

theorem perm_append_right (zs : List α) (h : xs ~ ys) : xs ++ zs ~ ys ++ zs := by
  induction h with
  | nil => exact perm_refl zs
  | cons x _ ih => exact Perm.cons x ih
  | swap x y xs => exact Perm.swap x y (xs ++ zs)
  | trans _ _ ih1 ih2 => exact Perm.trans ih1 ih2

theorem perm_append (h1 : xs ~ ys) (h2 : zs ~ us) : xs ++ zs ~ ys ++ us := by
  apply Perm.trans (perm_append_right zs h1)
  exact perm_append_left ys h2

theorem perm_middle (a : α) (xs ys : List α) : xs ++ a :: ys ~ a :: (xs ++ ys) := by
  induction xs with
  | nil => exact perm_refl (a :: ys)
  | cons x xs ih =>
    apply Perm.trans (Perm.cons x ih)
    exact Perm.swap x a (xs ++ ys)

theorem perm_append_comm (xs ys : List α) : xs ++ ys ~ ys ++ xs := by
  induction xs with
  | nil =>
    rw [List.nil_append, List.append_nil]
    exact perm_refl ys
  | cons x xs ih =>
    apply Perm.trans (Perm.cons x ih)
    exact perm_symm (perm_middle x ys xs)

theorem perm_reverse (xs : List α) : xs.reverse ~ xs := by
  induction xs with
  | nil => exact Perm.nil
  | cons x xs ih =>
    rw [List.reverse_cons]
    apply Perm.trans (perm_append_comm xs.reverse [x])
    exact Perm.cons x ih

theorem perm_map (f : α → β) (h : xs ~ ys) : xs.map f ~ ys.map f := by
  induction h with
  | nil => exact Perm.nil
  | cons x _ ih => exact Perm.cons (f x) ih
  | swap x y xs => exact Perm.swap (f x) (f y) (xs.map f)
  | trans _ _ ih1 ih2 => exact Perm.trans ih1 ih2

theorem perm_sift (p : α → Bool) (h : xs ~ ys) : sift p xs ~ sift p ys := by
  induction h with
  | nil => exact Perm.nil
  | cons x _ ih =>
    rw [sift, sift]
    split
    · exact Perm.cons x ih
    · exact ih
  | swap x y xs =>
    simp only [sift]
    split
    · split
      · exact Perm.swap x y _
      · exact perm_refl _
    · exact perm_refl _
  | trans _ _ ih1 ih2 => exact Perm.trans ih1 ih2

theorem perm_distinct (h : xs ~ ys) (h1 : Distinct xs) : Distinct ys := by
  sorry

theorem perm_every (p : α → Prop) (h : xs ~ ys) (h1 : Every p xs) : Every p ys := by
  intro a ha
  apply h1
  exact (perm_has h a).2 ha

theorem perm_sift_split (p : α → Bool) (xs : List α) :
    sift p xs ++ sift (fun x => !p x) xs ~ xs := by
  induction xs with
  | nil => exact Perm.nil
  | cons x xs ih =>
    cases h : p x with
    | true =>
      simp only [sift, h, if_true, Bool.not_true, Bool.false_eq_true, if_false]
      exact Perm.cons x ih
    | false =>
      simp only [sift, h, if_true, Bool.not_false, Bool.false_eq_true, if_false]
      apply Perm.trans (perm_middle x _ _)
      exact Perm.cons x ih

theorem perm_of_has (h : a ∊ xs) : ∃ ys, xs ~ a :: ys := by
  sorry

/-- Sums do not depend on the order of the summands. -/
theorem perm_sum {xs ys : List Nat} (h : xs ~ ys) : xs.sum = ys.sum := by
  induction h with
  | nil => rfl
  | cons x _ ih => rw [List.sum_cons, List.sum_cons, ih]
  | swap x y xs =>
    simp only [List.sum_cons]
    omega
  | trans _ _ ih1 ih2 => rw [ih1, ih2]

theorem perm_fold {f : β → α → β} (hf : ∀ b x y, f (f b x) y = f (f b y) x) (h : xs ~ ys) (b : β) :
    xs.foldl f b = ys.foldl f b := by
  sorry

end Permutations

section CountsDecide

variable [DecidableEq α] {a : α} {xs ys zs : List α}

theorem perm_count (h : xs ~ ys) (a : α) : count a xs = count a ys := by
  induction h with
  | nil => rfl
  | cons x _ ih => rw [count, count, ih]
  | swap x y xs =>
    simp only [count]
    split
    · split
      · rfl
      · rfl
    · rfl
  | trans _ _ ih1 ih2 => rw [ih1, ih2]

theorem perm_cons_erase (h : a ∊ xs) : xs ~ a :: erase a xs := by
  induction xs with
  | nil => exact h.elim
  | cons x xs ih =>
    by_cases h1 : a = x
    · rw [erase, if_pos h1, h1]
      exact perm_refl (x :: xs)
    · rw [erase, if_neg h1]
      apply Perm.trans (Perm.cons x (ih (has_of_ne h h1)))
      exact Perm.swap x a (erase a xs)

theorem perm_erase (a : α) (h : xs ~ ys) : erase a xs ~ erase a ys := by
  induction h with
  | nil => exact Perm.nil
  | cons x h1 ih =>
    rw [erase, erase]
    split
    · exact h1
    · exact Perm.cons x ih
  | swap x y xs =>
    by_cases h1 : a = x
    · by_cases h2 : a = y
      · rw [erase, if_pos h1, erase, if_pos h2, ← h1, ← h2]
        exact perm_refl (a :: xs)
      · rw [erase, if_pos h1, erase, if_neg h2, erase, if_pos h1]
        exact perm_refl (y :: xs)
    · by_cases h2 : a = y
      · rw [erase, if_neg h1, erase, if_pos h2, erase, if_pos h2]
        exact perm_refl (x :: xs)
      · rw [erase, if_neg h1, erase, if_neg h2, erase, if_neg h2, erase, if_neg h1]
        exact Perm.swap x y (erase a xs)
  | trans _ _ ih1 ih2 => exact Perm.trans ih1 ih2

theorem perm_cons_cancel (h : a :: xs ~ a :: ys) : xs ~ ys := by
  have h1 := perm_erase a h
  rw [erase, if_pos rfl, erase, if_pos rfl] at h1
  exact h1

theorem perm_of_count (h : ∀ a, count a xs = count a ys) : xs ~ ys := by
  induction xs generalizing ys with
  | nil =>
    have h1 : ys = [] := by
      apply nil_of_no_members
      intro a ha
      have h2 := (count_pos_iff a ys).2 ha
      rw [← h a] at h2
      exact absurd h2 (Nat.lt_irrefl 0)
    rw [h1]
    exact Perm.nil
  | cons x xs ih =>
    have h1 : x ∊ ys := by
      rw [← count_pos_iff, ← h x, count_head]
      exact Nat.zero_lt_succ _
    have h2 : xs ~ erase x ys := by
      apply ih
      intro a
      by_cases h3 : a = x
      · rw [h3, count_erase_self, ← h x, count_head]
        rfl
      · rw [count_erase_other h3, ← h a, count_other h3]
    exact Perm.trans (Perm.cons x h2) (perm_symm (perm_cons_erase h1))

theorem perm_append_cancel (h : zs ++ xs ~ zs ++ ys) : xs ~ ys := by
  sorry

/-- For lists without repetition it is enough to have the same elements. -/
theorem perm_of_same (h1 : Distinct xs) (h2 : Distinct ys) (h : xs ≃ ys) : xs ~ ys := by
  apply perm_of_count
  intro a
  have h3 := (distinct_iff_count xs).1 h1 a
  have h4 := (distinct_iff_count ys).1 h2 a
  by_cases h5 : a ∊ xs
  · have h6 := (count_pos_iff a xs).2 h5
    have h7 := (count_pos_iff a ys).2 ((h a).1 h5)
    omega
  · have h6 := (count_eq_zero_iff a xs).2 h5
    have h7 := (count_eq_zero_iff a ys).2 (fun h8 => h5 ((h a).2 h8))
    omega

theorem perm_dedup (h : xs ~ ys) : dedup xs ~ dedup ys := by
  sorry

theorem perm_card (h : xs ~ ys) : card xs = card ys := by
  apply card_same
  exact perm_same h

theorem perm_of_sub_length (h1 : Distinct xs) (h : xs ⊑ ys) (h2 : ys.length = xs.length) :
    xs ~ ys := by
  have h3 : ys.length ≤ xs.length := by omega
  have h4 : Distinct ys := distinct_of_longer h1 h h3
  apply perm_of_same h1 h4
  rw [same_iff_sub]
  exact ⟨h, distinct_sub_of_length h1 h h3⟩

theorem perm_union_comm (h1 : Distinct xs) (h2 : Distinct ys) : union xs ys ~ union ys xs := by
  apply perm_of_same
  · exact distinct_union xs h2
  · exact distinct_union ys h1
  · exact union_comm_same xs ys

theorem perm_inter_comm (h1 : Distinct xs) (h2 : Distinct ys) : inter xs ys ~ inter ys xs := by
  sorry

theorem perm_below_of_bounded {xs : List Nat} {n : Nat} (h : Distinct xs)
    (h1 : Every (fun a => a < n) xs) (h2 : xs.length = n) : xs ~ below n := by
  sorry

theorem perm_erase_count (h : ∀ a, count a ys ≤ count a xs) : ∃ zs, xs ~ ys ++ zs := by
  sorry

end CountsDecide

end Sets
