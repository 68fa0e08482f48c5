import Sets.Perm

/-!
Sorted lists of natural numbers: insertion into a sorted list, insertion sort, merging.
-/

namespace Sets

/-- Each element is at most as large as those after it. -/
inductive Sorted : List Nat → Prop where
  | nil : Sorted []
  | cons {x : Nat} {xs : List Nat} (h : ∀ a, a ∊ xs → x ≤ a) (h1 : Sorted xs) : Sorted (x :: xs)

/-- Puts a number at its place in a sorted list. -/
def place (a : Nat) : List Nat → List Nat
  | [] => [a]
  | x :: xs => if a ≤ x then a :: x :: xs else x :: place a xs

def sort : List Nat → List Nat
  | [] => []
  | x :: xs => place x (sort xs)

/-- Merges two sorted lists. -/
def merge : List Nat → List Nat → List Nat
  | [], ys => ys
  | x :: xs, ys => place x (merge xs ys)

section SortedLists

variable {a x : Nat} {xs ys : List Nat}

theorem sorted_tail (h : Sorted (x :: xs)) : Sorted xs := by
  cases h with
  | cons _ h1 => exact h1

theorem sorted_head (h : Sorted (x :: xs)) (h1 : a ∊ xs) : x ≤ a := by
  cases h with
  | cons h2 _ => exact h2 a h1

theorem sorted_singleton (a : Nat) : Sorted [a] := by
  apply Sorted.cons
  · intro b h
    exact h.elim
  · exact Sorted.nil

theorem sorted_cons_le (h : a ≤ x) (h1 : Sorted (x :: xs)) : Sorted (a :: x :: xs) := by
  apply Sorted.cons _ h1
  intro b hb
  cases hb with
  | inl hb =>
    rw [hb]
    exact h
  | inr hb => exact Nat.le_trans h (sorted_head h1 hb)

theorem sorted_append : Sorted (xs ++ ys) ↔
    Sorted xs ∧ Sorted ys ∧ ∀ a b, a ∊ xs → b ∊ ys → a ≤ b := by
  induction xs with
  | nil =>
    constructor
    · intro h
      refine ⟨Sorted.nil, h, ?_⟩
      intro a b ha
      exact ha.elim
    · intro h
      exact h.2.1
  | cons x xs ih =>
    constructor
    · intro h
      rw [List.cons_append] at h
      obtain ⟨h1, h2, h3⟩ := ih.1 (sorted_tail h)
      refine ⟨Sorted.cons ?_ h1, h2, ?_⟩
      · intro a ha
        exact sorted_head h ((has_append a xs ys).2 (Or.inl ha))
      · intro a b ha hb
        cases ha with
        | inl ha =>
          rw [ha]
          exact sorted_head h ((has_append b xs ys).2 (Or.inr hb))
        | inr ha => exact h3 a b ha hb
    · intro ⟨h1, h2, h3⟩
      rw [List.cons_append]
      apply Sorted.cons
      · intro a ha
        rw [has_append] at ha
        cases ha with
        | inl ha => exact sorted_head h1 ha
        | inr ha => exact h3 x a (has_head x xs) ha
      · apply ih.2
        refine ⟨sorted_tail h1, h2, ?_⟩
        intro a b ha hb
        exact h3 a b (has_tail x ha) hb

theorem sorted_sift (p : Nat → Bool) (h : Sorted xs) : Sorted (sift p xs) := by
  induction h with
  | nil => exact Sorted.nil
  | @cons x xs h1 _ ih =>
    rw [sift]
    split
    · apply Sorted.cons _ ih
      intro a ha
      rw [has_sift] at ha
      exact h1 a ha.1
    · exact ih

theorem sorted_map_add (k : Nat) (h : Sorted xs) : Sorted (xs.map (fun n => n + k)) := by
  sorry

theorem sorted_map {f : Nat → Nat} (hf : ∀ n m, n ≤ m → f n ≤ f m) (h : Sorted xs) :
    Sorted (xs.map f) := by
  induction h with
  | nil => exact Sorted.nil
  | @cons x xs h1 _ ih =>
    rw [List.map_cons]
    apply Sorted.cons _ ih
    intro a ha
    rw [has_map] at ha
    obtain ⟨b, hb, hab⟩ := ha
    rw [← hab]
    exact hf x b (h1 b hb)

theorem sorted_replicate (n a : Nat) : Sorted (List.replicate n a) := by
  induction n with
  | zero => exact Sorted.nil
  | succ n ih =>
    rw [List.replicate_succ]
    apply Sorted.cons _ ih
    intro b hb
    rw [has_iff_mem] at hb
    have h1 := List.eq_of_mem_replicate hb
    omega

/-- A sorted list is known by how often each number occurs. -/
theorem sorted_perm_eq (h1 : Sorted xs) (h2 : Sorted ys) (h : xs ~ ys) : xs = ys := by
  induction h1 generalizing ys with
  | nil => exact (perm_nil (perm_symm h)).symm
  | @cons x xs h3 _ ih =>
    cases h2 with
    | nil => exact perm_nil h
    | @cons y ys h4 h5 =>
      have h6 : x = y := by
        have h7 : x ∊ y :: ys := (perm_has h x).1 (has_head x xs)
        have h8 : y ∊ x :: xs := (perm_has h y).2 (has_head y ys)
        rcases h7 with h7 | h7
        · exact h7
        · rcases h8 with h8 | h8
          · exact h8.symm
          · have h9 := h3 y h8
            have h10 := h4 x h7
            omega
      rw [h6] at h ⊢
      rw [ih h5 (perm_cons_cancel h)]

theorem sorted_same_distinct (h1 : Sorted xs) (h2 : Sorted ys) (h3 : Distinct xs) (h4 : Distinct ys)
    (h : xs ≃ ys) : xs = ys := by
  apply sorted_perm_eq h1 h2
  exact perm_of_same h3 h4 h

end SortedLists

section Placing

variable {a b : Nat} {xs ys : List Nat}

theorem place_perm (a : Nat) (xs : List Nat) : place a xs ~ a :: xs := by
  induction xs with
  | nil => exact perm_refl [a]
  | cons x xs ih =>
    rw [place]
    split
    · exact perm_refl _
    · apply Perm.trans (Perm.cons x ih)
      exact Perm.swap x a xs

theorem has_place (a b : Nat) (xs : List Nat) : a ∊ place b xs ↔ a = b ∨ a ∊ xs := by
  rw [perm_has (place_perm b xs) a, has_cons]

theorem place_length (a : Nat) (xs : List Nat) : (place a xs).length = xs.length + 1 := by
  exact perm_length (place_perm a xs)

theorem place_sorted (a : Nat) (h : Sorted xs) : Sorted (place a xs) := by
  induction h with
  | nil => exact sorted_singleton a
  | @cons x xs h1 h2 ih =>
    rw [place]
    split
    · rename_i h3
      exact sorted_cons_le h3 (Sorted.cons h1 h2)
    · rename_i h3
      apply Sorted.cons _ ih
      intro b hb
      rw [has_place] at hb
      cases hb with
      | inl hb => omega
      | inr hb => exact h1 b hb

theorem place_of_le (h : ∀ b, b ∊ xs → a ≤ b) : place a xs = a :: xs := by
  cases xs with
  | nil => rfl
  | cons x xs => rw [place, if_pos (h x (has_head x xs))]

theorem place_comm (a b : Nat) (h : Sorted xs) : place a (place b xs) = place b (place a xs) := by
  sorry

theorem place_ne_nil (a : Nat) (xs : List Nat) : place a xs ≠ [] := by
  intro h
  have h1 := place_length a xs
  rw [h] at h1
  cases h1

theorem place_sum (a : Nat) (xs : List Nat) : (place a xs).sum = a + xs.sum := by
  rw [perm_sum (place_perm a xs), List.sum_cons]

theorem place_erase (h : Sorted xs) (h1 : a ∊ xs) : place a (erase a xs) = xs := by
  sorry

theorem place_drop_below (h : Sorted xs) :
    place a xs = sift (fun x => decide (x < a)) xs ++ a :: sift (fun x => decide (a ≤ x)) xs := by
  sorry

end Placing

section Sorting

variable {a : Nat} {xs ys zs : List Nat}

theorem sort_sorted (xs : List Nat) : Sorted (sort xs) := by
  induction xs with
  | nil => exact Sorted.nil
  | cons x xs ih =>
    rw [sort]
    exact place_sorted x ih

theorem sort_perm (xs : List Nat) : sort xs ~ xs := by
  induction xs with
  | nil => exact Perm.nil
  | cons x xs ih =>
    rw [sort]
    apply Perm.trans (place_perm x (sort xs))
    exact Perm.cons x ih

theorem sort_length (xs : List Nat) : (sort xs).length = xs.length := by
  apply perm_length
  exact sort_perm xs

theorem has_sort (a : Nat) (xs : List Nat) : a ∊ sort xs ↔ a ∊ xs := by
  apply perm_has
  exact sort_perm xs

theorem sort_of_sorted (h : Sorted xs) : sort xs = xs := by
  induction h with
  | nil => rfl
  | cons h1 _ ih =>
    rw [sort, ih]
    exact place_of_le h1

theorem sort_idem (xs : List Nat) : sort (sort xs) = sort xs := by
  apply sort_of_sorted
  exact sort_sorted xs

theorem sort_eq_of_perm (h : xs ~ ys) : sort xs = sort ys := by
  apply sorted_perm_eq (sort_sorted xs) (sort_sorted ys)
  apply Perm.trans (sort_perm xs)
  apply Perm.trans h
  exact perm_symm (sort_perm ys)

theorem sort_eq_iff_perm (xs ys : List Nat) : sort xs = sort ys ↔ xs ~ ys := by
  sorry

theorem sort_reverse (xs : List Nat) : sort xs.reverse = sort xs := by
  apply sort_eq_of_perm
  exact perm_reverse xs

theorem sort_append_comm (xs ys : List Nat) : sort (xs ++ ys) = sort (ys ++ xs) := by
  apply sort_eq_of_perm
  exact perm_append_comm xs ys

theorem sort_map {f : Nat → Nat} (hf : ∀ n m, n ≤ m → f n ≤ f m) (xs : List Nat) :
    sort (xs.map f) = (sort xs).map f := by
  apply sorted_perm_eq (sort_sorted _) (sorted_map hf (sort_sorted xs))
  apply Perm.trans (sort_perm (xs.map f))
  apply perm_map
  exact perm_symm (sort_perm xs)

theorem sort_sift (p : Nat → Bool) (xs : List Nat) : sort (sift p xs) = sift p (sort xs) := by
  sorry

theorem sort_unique (h : Sorted ys) (h1 : ys ~ xs) : sort xs = ys := by
  apply sorted_perm_eq (sort_sorted xs) h
  exact Perm.trans (sort_perm xs) (perm_symm h1)

theorem sort_below_head (n : Nat) : (sort (below (n + 1))) = place n (sort (below n)) := by
  rw [below, sort]

theorem sorted_snoc_max (h : Sorted xs) (h1 : ∀ b, b ∊ xs → b ≤ a) : place a xs = xs ++ [a] := by
  apply sorted_perm_eq (place_sorted a h)
  · rw [sorted_append]
    refine ⟨h, sorted_singleton a, ?_⟩
    intro b c hb hc
    rw [has_singleton] at hc
    rw [hc]
    exact h1 b hb
  · apply Perm.trans (place_perm a xs)
    exact perm_append_comm [a] xs

theorem sort_below_succ (n : Nat) : sort (below (n + 1)) = sort (below n) ++ [n] := by
  rw [sort_below_head]
  apply sorted_snoc_max (sort_sorted (below n))
  intro b hb
  rw [has_sort, has_below] at hb
  omega

theorem merge_perm (xs ys : List Nat) : merge xs ys ~ xs ++ ys := by
  induction xs with
  | nil => exact perm_refl ys
  | cons x xs ih =>
    rw [merge]
    apply Perm.trans (place_perm x (merge xs ys))
    exact Perm.cons x ih

theorem merge_sorted (xs : List Nat) (h : Sorted ys) : Sorted (merge xs ys) := by
  induction xs with
  | nil => exact h
  | cons x xs ih =>
    rw [merge]
    exact place_sorted x ih

theorem merge_comm (h1 : Sorted xs) (h2 : Sorted ys) : merge xs ys = merge ys xs := by
  sorry

theorem sort_append (xs ys : List Nat) : sort (xs ++ ys) = merge xs (sort ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [List.cons_append, sort, ih, merge]

theorem merge_sort (xs ys : List Nat) : merge (sort xs) (sort ys) = sort (xs ++ ys) := by
  sorry

end Sorting

end Sets
