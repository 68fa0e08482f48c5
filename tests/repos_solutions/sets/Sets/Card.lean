import Sets.Distinct

/-!
The number of different elements of a list: removal of repetition, counting arguments, inclusion and
exclusion, ranges of numbers.
-/

namespace Sets

variable {α β : Type}

/-- The list without repetition: of equal elements the last one stays. -/
def dedup [DecidableEq α] : List α → List α
  | [] => []
  | x :: xs => insert x (dedup xs)

/-- The number of different elements. -/
def card [DecidableEq α] (xs : List α) : Nat := (dedup xs).length

section Dedup

variable [DecidableEq α] [DecidableEq β] {a : α} {xs ys zs : List α}

theorem has_dedup (a : α) (xs : List α) : a ∊ dedup xs ↔ a ∊ xs := by
  induction xs with
  | nil => exact Iff.rfl
  | cons x xs ih => rw [dedup, has_insert, ih, has_cons]

theorem dedup_same (xs : List α) : dedup xs ≃ xs := by
  intro a
  exact has_dedup a xs

theorem dedup_distinct (xs : List α) : Distinct (dedup xs) := by
  induction xs with
  | nil => exact True.intro
  | cons x xs ih =>
    rw [dedup]
    exact distinct_insert x ih

theorem dedup_of_distinct (h : Distinct xs) : dedup xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [dedup, ih h.2, insert_of_not_has h.1]

theorem dedup_idem (xs : List α) : dedup (dedup xs) = dedup xs := by
  apply dedup_of_distinct
  exact dedup_distinct xs

theorem dedup_eq_iff (xs : List α) : dedup xs = xs ↔ Distinct xs := by
  constructor
  · intro h
    rw [← h]
    exact dedup_distinct xs
  · exact dedup_of_distinct

theorem dedup_append (xs ys : List α) : dedup (xs ++ ys) = union xs (dedup ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [List.cons_append, dedup, ih, union]

theorem dedup_length_le (xs : List α) : (dedup xs).length ≤ xs.length := by
  induction xs with
  | nil => exact Nat.le_refl 0
  | cons x xs ih =>
    rw [dedup, List.length_cons]
    have h := insert_length_le x (dedup xs)
    omega

theorem dedup_length_eq (h : (dedup xs).length = xs.length) : Distinct xs := by
  induction xs with
  | nil => exact True.intro
  | cons x xs ih =>
    have h1 := dedup_length_le xs
    rw [dedup, List.length_cons] at h
    by_cases h2 : x ∊ dedup xs
    · rw [insert_of_has h2] at h
      omega
    · rw [insert_of_not_has h2, List.length_cons] at h
      constructor
      · intro h3
        exact h2 ((has_dedup x xs).2 h3)
      · apply ih
        omega

theorem card_of_distinct (h : Distinct xs) : card xs = xs.length := by
  unfold card
  rw [dedup_of_distinct h]

theorem card_le_length (xs : List α) : card xs ≤ xs.length := by
  exact dedup_length_le xs

theorem card_mono (h : xs ⊑ ys) : card xs ≤ card ys := by
  apply distinct_length_le (dedup_distinct xs)
  intro a ha
  rw [has_dedup] at ha ⊢
  exact h a ha

theorem card_same (h : xs ≃ ys) : card xs = card ys := by
  rw [same_iff_sub] at h
  apply Nat.le_antisymm
  · exact card_mono h.1
  · exact card_mono h.2

theorem card_append_comm (xs ys : List α) : card (xs ++ ys) = card (ys ++ xs) := by
  apply card_same
  exact append_comm_same xs ys

theorem card_cons_of_has (h : a ∊ xs) : card (a :: xs) = card xs := by
  apply card_same
  exact cons_same_of_has h

theorem card_cons_of_not_has (h : ¬ a ∊ xs) : card (a :: xs) = card xs + 1 := by
  unfold card
  rw [dedup, insert_of_not_has]
  · rfl
  · rw [has_dedup]
    exact h

theorem card_eq_zero_iff (xs : List α) : card xs = 0 ↔ xs = [] := by
  constructor
  · intro h
    apply nil_of_no_members
    intro a ha
    have h1 := has_length_pos ((has_dedup a xs).2 ha)
    unfold card at h
    omega
  · intro h
    rw [h]
    rfl

theorem card_reverse (xs : List α) : card xs.reverse = card xs := by
  apply card_same
  exact reverse_same xs

theorem card_remove (h : a ∊ xs) : card (remove a xs) + 1 = card xs := by
  have h1 : ¬ a ∊ remove a xs := not_has_remove a xs
  rw [← card_cons_of_not_has h1]
  apply card_same
  apply same_trans (same_symm (insert_same_cons a (remove a xs)))
  exact insert_remove_same h

theorem card_within (h : Within xs ys) : card xs < card ys := by
  obtain ⟨a, ha, hx⟩ := within_new_element h
  have h1 : a :: xs ⊑ ys := cons_sub.2 ⟨ha, h.1⟩
  have h2 := card_mono h1
  rw [card_cons_of_not_has hx] at h2
  omega

theorem card_sub_same (h : xs ⊑ ys) (h1 : card ys ≤ card xs) : xs ≃ ys := by
  rw [same_iff_sub]
  refine ⟨h, ?_⟩
  intro a ha
  by_cases h2 : a ∊ xs
  · exact h2
  · have h3 : a :: xs ⊑ ys := cons_sub.2 ⟨ha, h⟩
    have h4 := card_mono h3
    rw [card_cons_of_not_has h2] at h4
    omega

theorem card_map_le (f : α → β) (xs : List α) : card (xs.map f) ≤ card xs := by
  have h1 : xs.map f ≃ (dedup xs).map f := by
    apply map_same
    exact same_symm (dedup_same xs)
  rw [card_same h1]
  have h2 := card_le_length ((dedup xs).map f)
  rw [List.length_map] at h2
  exact h2

theorem card_map_inj {f : α → β} (hf : ∀ a b, f a = f b → a = b) (xs : List α) :
    card (xs.map f) = card xs := by
  have h1 : xs.map f ≃ (dedup xs).map f := by
    apply map_same
    exact same_symm (dedup_same xs)
  rw [card_same h1, card_of_distinct (distinct_map hf (dedup_distinct xs)), List.length_map]
  rfl

theorem card_append_apart (h : Apart xs ys) : card (xs ++ ys) = card xs + card ys := by
  induction xs with
  | nil =>
    rw [List.nil_append]
    have h1 : card ([] : List α) = 0 := rfl
    omega
  | cons x xs ih =>
    obtain ⟨h1, h2⟩ := apart_cons.1 h
    rw [List.cons_append]
    by_cases h3 : x ∊ xs
    · have h4 : x ∊ xs ++ ys := (has_append x xs ys).2 (Or.inl h3)
      rw [card_cons_of_has h4, card_cons_of_has h3, ih h2]
    · have h4 : ¬ x ∊ xs ++ ys := by
        rw [has_append]
        intro h5
        cases h5 with
        | inl h6 => exact h3 h6
        | inr h6 => exact h1 h6
      rw [card_cons_of_not_has h4, card_cons_of_not_has h3, ih h2]
      omega

/-- A set splits into what it shares with another and the rest. -/
theorem card_diff_inter (xs ys : List α) : card (diff xs ys) + card (inter xs ys) = card xs := by
  have h1 : Apart (diff xs ys) (inter xs ys) := by
    intro a ha hi
    rw [has_diff] at ha
    rw [has_inter] at hi
    exact ha.2 hi.2
  rw [← card_append_apart h1]
  apply card_same
  apply same_trans (same_symm (union_same_append _ _))
  exact diff_union_inter_same xs ys

theorem card_union_diff (xs ys : List α) : card (union xs ys) = card (diff xs ys) + card ys := by
  rw [← card_append_apart (diff_apart xs ys)]
  apply card_same
  apply same_trans (same_symm (union_diff_same xs ys))
  exact union_same_append (diff xs ys) ys

theorem inclusion_exclusion (xs ys : List α) :
    card (union xs ys) + card (inter xs ys) = card xs + card ys := by
  have h1 := card_union_diff xs ys
  have h2 := card_diff_inter xs ys
  omega

theorem card_either (xs ys : List α) : card (either xs ys) + card (inter xs ys) = card (union xs ys) := by
  have h1 : Apart (diff xs ys) (diff ys xs) := by
    intro a ha hb
    rw [has_diff] at ha hb
    exact ha.2 hb.1
  have h2 : card (either xs ys) = card (diff xs ys) + card (diff ys xs) := by
    exact card_append_apart h1
  have h3 : card (inter ys xs) = card (inter xs ys) := by
    apply card_same
    intro a
    rw [has_inter, has_inter, and_comm]
  have h4 := card_union_diff xs ys
  have h5 := card_diff_inter ys xs
  omega

theorem card_dedup (xs : List α) : card (dedup xs) = card xs := by
  apply card_same
  exact dedup_same xs

theorem common_element (h1 : xs ⊑ zs) (h2 : ys ⊑ zs) (h : card zs < card xs + card ys) :
    ∃ a, a ∊ xs ∧ a ∊ ys := by
  have h3 : union xs ys ⊑ zs := union_sub_iff.2 ⟨h1, h2⟩
  have h4 := card_mono h3
  have h5 := inclusion_exclusion xs ys
  have h6 : inter xs ys ≠ [] := by
    intro h7
    rw [h7] at h5
    have h8 : card ([] : List α) = 0 := rfl
    omega
  obtain ⟨a, ha⟩ := (ne_nil_iff_exists (inter xs ys)).1 h6
  exact ⟨a, (has_inter a xs ys).1 ha⟩

omit [DecidableEq α] in
theorem pigeonhole_map {f : α → β} {ws : List β} (h : Distinct xs) (h1 : xs.map f ⊑ ws)
    (h2 : ws.length < xs.length) : ∃ a b, a ∊ xs ∧ b ∊ xs ∧ a ≠ b ∧ f a = f b := by
  have h3 : ws.length < (xs.map f).length := by
    rw [List.length_map]
    exact h2
  have h4 := pigeonhole h1 h3
  by_cases h5 : ∃ a b, a ∊ xs ∧ b ∊ xs ∧ a ≠ b ∧ f a = f b
  · exact h5
  · exfalso
    apply h4
    clear h1 h2 h3 h4
    induction xs with
    | nil => exact True.intro
    | cons x xs ih =>
      rw [List.map_cons, Distinct]
      constructor
      · intro h6
        rw [has_map] at h6
        obtain ⟨a, ha, hax⟩ := h6
        apply h5
        refine ⟨a, x, has_tail x ha, has_head x xs, ?_, hax⟩
        intro h7
        rw [h7] at ha
        exact h.1 ha
      · apply ih h.2
        intro ⟨a, b, ha, hb, hab, hf⟩
        exact h5 ⟨a, b, has_tail x ha, has_tail x hb, hab, hf⟩

end Dedup

section Ranges

/-- The numbers below `n`, the largest one first. -/
def below : Nat → List Nat
  | 0 => []
  | n + 1 => n :: below n

theorem has_below (a n : Nat) : a ∊ below n ↔ a < n := by
  induction n with
  | zero =>
    constructor
    · intro h
      exact h.elim
    · intro h
      exact absurd h (Nat.not_lt_zero a)
  | succ n ih =>
    rw [below, has_cons, ih]
    omega

theorem below_length (n : Nat) : (below n).length = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [below, List.length_cons, ih]

theorem below_distinct (n : Nat) : Distinct (below n) := by
  induction n with
  | zero => exact True.intro
  | succ n ih =>
    constructor
    · rw [has_below]
      exact Nat.lt_irrefl n
    · exact ih

theorem below_mono {n m : Nat} (h : n ≤ m) : below n ⊑ below m := by
  intro a ha
  rw [has_below] at ha ⊢
  omega

theorem card_below (n : Nat) : card (below n) = n := by
  rw [card_of_distinct (below_distinct n), below_length]

theorem card_bounded {xs : List Nat} {n : Nat} (h : Every (fun a => a < n) xs) : card xs ≤ n := by
  have h1 : xs ⊑ below n := by
    intro a ha
    rw [has_below]
    exact h a ha
  have h2 := card_mono h1
  rw [card_below] at h2
  exact h2

/-- A list of numbers has a number that it lacks. -/
theorem missing_number (xs : List Nat) : ∃ n, n ≤ xs.length ∧ ¬ n ∊ xs := by
  by_cases h : below (xs.length + 1) ⊑ xs
  · have h1 := distinct_length_le (below_distinct (xs.length + 1)) h
    rw [below_length] at h1
    omega
  · by_cases h1 : ∃ n, n ≤ xs.length ∧ ¬ n ∊ xs
    · exact h1
    · exfalso
      apply h
      intro a ha
      rw [has_below] at ha
      by_cases h2 : a ∊ xs
      · exact h2
      · exact absurd ⟨a, by omega, h2⟩ h1

theorem full_of_card {xs : List Nat} {n : Nat} (h : Every (fun a => a < n) xs) (h1 : card xs = n)
    {a : Nat} (ha : a < n) : a ∊ xs := by
  have h2 : xs ⊑ below n := by
    intro b hb
    rw [has_below]
    exact h b hb
  have h3 : xs ≃ below n := by
    apply card_sub_same h2
    rw [card_below, h1]
    exact Nat.le_refl n
  apply (h3 a).2
  rw [has_below]
  exact ha

end Ranges

end Sets
