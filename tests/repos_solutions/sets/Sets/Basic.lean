/-!
Lists as finite sets: membership, inclusion, and having the same elements. Order and repetition of
elements do not matter for any of them.
-/

namespace Sets

variable {α β : Type}

/-- The element `a` occurs in the list. -/
def Has (a : α) : List α → Prop
  | [] => False
  | x :: xs => a = x ∨ Has a xs

infix:50 " ∊ " => Has

/-- Every element of `xs` occurs in `ys`. -/
def Sub (xs ys : List α) : Prop := ∀ a, a ∊ xs → a ∊ ys

infix:50 " ⊑ " => Sub

/-- The two lists have the same elements. -/
def Same (xs ys : List α) : Prop := ∀ a, a ∊ xs ↔ a ∊ ys

infix:50 " ≃ " => Same

/-- The two lists have no element in common. -/
def Apart (xs ys : List α) : Prop := ∀ a, a ∊ xs → ¬ a ∊ ys

/-- Some elements of `ys` are not in `xs`, and all of `xs` are in `ys`. -/
def Within (xs ys : List α) : Prop := xs ⊑ ys ∧ ¬ ys ⊑ xs

/-- Every element of the list satisfies `p`. -/
def Every (p : α → Prop) (xs : List α) : Prop := ∀ a, a ∊ xs → p a

/-- Some element of the list satisfies `p`. -/
def Exist (p : α → Prop) (xs : List α) : Prop := ∃ a, a ∊ xs ∧ p a

instance hasDecidable [DecidableEq α] (a : α) : (xs : List α) → Decidable (a ∊ xs)
  | [] => isFalse (fun h => h)
  | x :: xs => by
    unfold Has
    have := hasDecidable a xs
    infer_instance

section Membership

theorem not_has_nil (a : α) : ¬ a ∊ [] := by
  intro h
  exact h

theorem has_head (a : α) (xs : List α) : a ∊ a :: xs := by
  left
  rfl

theorem has_tail {a : α} {xs : List α} (x : α) (h : a ∊ xs) : a ∊ x :: xs := by
  right
  exact h

theorem has_cons (a x : α) (xs : List α) : a ∊ x :: xs ↔ a = x ∨ a ∊ xs := by
  exact Iff.rfl

theorem has_of_ne {a x : α} {xs : List α} (h : a ∊ x :: xs) (h1 : a ≠ x) : a ∊ xs := by
  cases h with
  | inl h2 => exact absurd h2 h1
  | inr h2 => exact h2

theorem not_has_cons {a x : α} {xs : List α} (h : ¬ a ∊ x :: xs) : a ≠ x ∧ ¬ a ∊ xs := by
  constructor
  · intro h1
    apply h
    rw [h1]
    exact has_head x xs
  · intro h1
    exact h (has_tail x h1)

theorem has_singleton (a b : α) : a ∊ [b] ↔ a = b := by
  constructor
  · intro h
    cases h with
    | inl h1 => exact h1
    | inr h1 => exact absurd h1 (not_has_nil a)
  · intro h
    rw [h]
    exact has_head b []

theorem has_append (a : α) (xs ys : List α) : a ∊ xs ++ ys ↔ a ∊ xs ∨ a ∊ ys := by
  induction xs with
  | nil =>
    constructor
    · intro h
      exact Or.inr h
    · intro h
      cases h with
      | inl h => exact h.elim
      | inr h => exact h
  | cons x xs ih =>
    rw [List.cons_append, has_cons, has_cons, ih, or_assoc]

theorem has_reverse (a : α) (xs : List α) : a ∊ xs.reverse ↔ a ∊ xs := by
  induction xs with
  | nil => exact Iff.rfl
  | cons x xs ih =>
    rw [List.reverse_cons, has_append, has_singleton, ih, has_cons]
    exact Or.comm

theorem has_split {a : α} {xs : List α} (h : a ∊ xs) : ∃ ys zs, xs = ys ++ a :: zs := by
  induction xs with
  | nil => exact absurd h (not_has_nil a)
  | cons x xs ih =>
    cases h with
    | inl h1 =>
      rw [h1]
      exact ⟨[], xs, rfl⟩
    | inr h1 =>
      obtain ⟨ys, zs, h2⟩ := ih h1
      refine ⟨x :: ys, zs, ?_⟩
      rw [h2]
      rfl

/-- The part before the element may be chosen without it. -/
theorem has_first_split [DecidableEq α] {a : α} {xs : List α} (h : a ∊ xs) :
    ∃ ys zs, xs = ys ++ a :: zs ∧ ¬ a ∊ ys := by
  induction xs with
  | nil => exact absurd h (not_has_nil a)
  | cons x xs ih =>
    by_cases h1 : a = x
    · rw [h1]
      exact ⟨[], xs, rfl, not_has_nil x⟩
    · obtain ⟨ys, zs, h2, h3⟩ := ih (has_of_ne h h1)
      refine ⟨x :: ys, zs, ?_, ?_⟩
      · rw [h2]
        rfl
      · intro h4
        cases h4 with
        | inl h5 => exact h1 h5
        | inr h5 => exact h3 h5

theorem has_middle (a : α) (ys zs : List α) : a ∊ ys ++ a :: zs := by
  rw [has_append]
  right
  exact has_head a zs

theorem has_length_pos {a : α} {xs : List α} (h : a ∊ xs) : 0 < xs.length := by
  cases xs with
  | nil => exact absurd h (not_has_nil a)
  | cons x xs => exact Nat.zero_lt_succ xs.length

theorem nil_of_no_members {xs : List α} (h : ∀ a, ¬ a ∊ xs) : xs = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => exact absurd (has_head x xs) (h x)

theorem ne_nil_iff_exists (xs : List α) : xs ≠ [] ↔ ∃ a, a ∊ xs := by
  constructor
  · intro h
    cases xs with
    | nil => exact absurd rfl h
    | cons x xs => exact ⟨x, has_head x xs⟩
  · intro ⟨a, h⟩ h1
    rw [h1] at h
    exact not_has_nil a h

theorem has_iff_mem (a : α) (xs : List α) : a ∊ xs ↔ a ∈ xs := by
  induction xs with
  | nil =>
    constructor
    · intro h
      exact h.elim
    · intro h
      cases h
  | cons x xs ih => rw [has_cons, ih, List.mem_cons]

theorem has_map (f : α → β) (b : β) (xs : List α) : b ∊ xs.map f ↔ ∃ a, a ∊ xs ∧ f a = b := by
  induction xs with
  | nil =>
    constructor
    · intro h
      exact h.elim
    · intro ⟨a, h, _⟩
      exact h
  | cons x xs ih =>
    rw [List.map_cons, has_cons, ih]
    constructor
    · intro h
      rcases h with h | ⟨a, h, h1⟩
      · exact ⟨x, has_head x xs, h.symm⟩
      · exact ⟨a, has_tail x h, h1⟩
    · intro ⟨a, h, h1⟩
      rcases h with h | h
      · left
        rw [← h1, h]
      · right
        exact ⟨a, h, h1⟩

end Membership

section Inclusion

variable {xs ys zs us : List α} {a : α}

theorem sub_refl (xs : List α) : xs ⊑ xs := by
  intro a h
  exact h

theorem sub_trans (h1 : xs ⊑ ys) (h2 : ys ⊑ zs) : xs ⊑ zs := by
  intro a h
  exact h2 a (h1 a h)

theorem nil_sub (xs : List α) : [] ⊑ xs := by
  intro a h
  exact absurd h (not_has_nil a)

theorem sub_nil (h : xs ⊑ []) : xs = [] := by
  apply nil_of_no_members
  intro a h1
  exact not_has_nil a (h a h1)

theorem cons_sub : a :: xs ⊑ ys ↔ a ∊ ys ∧ xs ⊑ ys := by
  constructor
  · intro h
    constructor
    · exact h a (has_head a xs)
    · intro b hb
      exact h b (has_tail a hb)
  · intro ⟨h1, h2⟩ b hb
    cases hb with
    | inl hb =>
      rw [hb]
      exact h1
    | inr hb => exact h2 b hb

theorem sub_cons (a : α) (xs : List α) : xs ⊑ a :: xs := by
  intro b h
  exact has_tail a h

theorem cons_mono (a : α) (h : xs ⊑ ys) : a :: xs ⊑ a :: ys := by
  rw [cons_sub]
  constructor
  · exact has_head a ys
  · exact sub_trans h (sub_cons a ys)

theorem append_sub : xs ++ ys ⊑ zs ↔ xs ⊑ zs ∧ ys ⊑ zs := by
  constructor
  · intro h
    constructor
    · intro a ha
      exact h a ((has_append a xs ys).2 (Or.inl ha))
    · intro a ha
      exact h a ((has_append a xs ys).2 (Or.inr ha))
  · intro ⟨h1, h2⟩ a ha
    rw [has_append] at ha
    cases ha with
    | inl ha => exact h1 a ha
    | inr ha => exact h2 a ha

theorem append_mono (h1 : xs ⊑ ys) (h2 : zs ⊑ us) : xs ++ zs ⊑ ys ++ us := by
  rw [append_sub]
  constructor
  · intro a ha
    rw [has_append]
    exact Or.inl (h1 a ha)
  · intro a ha
    rw [has_append]
    exact Or.inr (h2 a ha)

theorem sub_of_cons_sub_cons (h : a :: xs ⊑ a :: ys) (h1 : ¬ a ∊ xs) : xs ⊑ ys := by
  intro b hb
  have h2 := h b (has_tail a hb)
  cases h2 with
  | inl h3 =>
    rw [h3] at hb
    exact absurd hb h1
  | inr h3 => exact h3

theorem map_mono (f : α → β) (h : xs ⊑ ys) : xs.map f ⊑ ys.map f := by
  intro b hb
  rw [has_map] at hb ⊢
  obtain ⟨a, ha, hab⟩ := hb
  exact ⟨a, h a ha, hab⟩

theorem map_sub_iff (f : α → β) (ws : List β) : xs.map f ⊑ ws ↔ ∀ a, a ∊ xs → f a ∊ ws := by
  constructor
  · intro h a ha
    apply h
    rw [has_map]
    exact ⟨a, ha, rfl⟩
  · intro h b hb
    rw [has_map] at hb
    obtain ⟨a, ha, hab⟩ := hb
    rw [← hab]
    exact h a ha

theorem reverse_sub : xs.reverse ⊑ ys ↔ xs ⊑ ys := by
  constructor
  · intro h a ha
    exact h a ((has_reverse a xs).2 ha)
  · intro h a ha
    exact h a ((has_reverse a xs).1 ha)

theorem sub_middle (a : α) (h : xs ⊑ ys ++ zs) : xs ⊑ ys ++ a :: zs := by
  intro b hb
  have h1 := h b hb
  rw [has_append] at h1 ⊢
  cases h1 with
  | inl h2 => exact Or.inl h2
  | inr h2 => exact Or.inr (has_tail a h2)

theorem sub_drop_middle (h : xs ⊑ ys ++ a :: zs) (h1 : ¬ a ∊ xs) : xs ⊑ ys ++ zs := by
  intro b hb
  have h2 := h b hb
  rw [has_append] at h2 ⊢
  rcases h2 with h2 | h2 | h2
  · left
    exact h2
  · rw [h2] at hb
    exact absurd hb h1
  · right
    exact h2

end Inclusion

section SameElements

variable {xs ys zs us : List α} {a b : α}

theorem same_refl (xs : List α) : xs ≃ xs := by
  intro a
  exact Iff.rfl

theorem same_symm (h : xs ≃ ys) : ys ≃ xs := by
  intro a
  exact (h a).symm

theorem same_trans (h1 : xs ≃ ys) (h2 : ys ≃ zs) : xs ≃ zs := by
  intro a
  exact (h1 a).trans (h2 a)

theorem same_iff_sub : xs ≃ ys ↔ xs ⊑ ys ∧ ys ⊑ xs := by
  constructor
  · intro h
    constructor
    · intro a ha
      exact (h a).1 ha
    · intro a ha
      exact (h a).2 ha
  · intro ⟨h1, h2⟩ a
    exact ⟨h1 a, h2 a⟩

theorem same_nil (h : xs ≃ []) : xs = [] := by
  apply sub_nil
  intro a ha
  exact (h a).1 ha

theorem cons_same_cons (a : α) (h : xs ≃ ys) : a :: xs ≃ a :: ys := by
  intro b
  rw [has_cons, has_cons, h b]

theorem cons_swap_same (a b : α) (xs : List α) : a :: b :: xs ≃ b :: a :: xs := by
  intro c
  rw [has_cons, has_cons, has_cons, has_cons, or_left_comm]

theorem cons_twice_same (a : α) (xs : List α) : a :: a :: xs ≃ a :: xs := by
  intro b
  rw [has_cons, has_cons, ← or_assoc, or_self]

theorem cons_same_of_has (h : a ∊ xs) : a :: xs ≃ xs := by
  rw [same_iff_sub]
  constructor
  · rw [cons_sub]
    exact ⟨h, sub_refl xs⟩
  · exact sub_cons a xs

theorem append_same (h1 : xs ≃ ys) (h2 : zs ≃ us) : xs ++ zs ≃ ys ++ us := by
  intro a
  rw [has_append, has_append, h1 a, h2 a]

theorem append_comm_same (xs ys : List α) : xs ++ ys ≃ ys ++ xs := by
  intro a
  rw [has_append, has_append, or_comm]

theorem append_self_same (xs : List α) : xs ++ xs ≃ xs := by
  intro a
  rw [has_append, or_self]

theorem reverse_same (xs : List α) : xs.reverse ≃ xs := by
  intro a
  exact has_reverse a xs

theorem append_same_right_iff (xs ys : List α) : xs ++ ys ≃ ys ↔ xs ⊑ ys := by
  constructor
  · intro h a ha
    apply (h a).1
    rw [has_append]
    exact Or.inl ha
  · intro h a
    rw [has_append]
    constructor
    · intro h1
      cases h1 with
      | inl h2 => exact h a h2
      | inr h2 => exact h2
    · intro h1
      exact Or.inr h1

theorem middle_same (a : α) (ys zs : List α) : ys ++ a :: zs ≃ a :: (ys ++ zs) := by
  intro b
  rw [has_append, has_cons, has_cons, has_append, or_left_comm]

theorem same_singleton_iff (h : xs ≃ [a]) : a ∊ xs ∧ ∀ b, b ∊ xs → b = a := by
  constructor
  · exact (h a).2 (has_head a [])
  · intro b hb
    exact (has_singleton b a).1 ((h b).1 hb)

theorem sub_of_same_left (h : xs ≃ ys) (h1 : ys ⊑ zs) : xs ⊑ zs := by
  intro a ha
  exact h1 a ((h a).1 ha)

theorem map_same (f : α → β) (h : xs ≃ ys) : xs.map f ≃ ys.map f := by
  rw [same_iff_sub] at h ⊢
  exact ⟨map_mono f h.1, map_mono f h.2⟩

end SameElements

section Separation

variable {xs ys zs : List α} {a : α}

theorem apart_symm (h : Apart xs ys) : Apart ys xs := by
  intro a h1 h2
  exact h a h2 h1

theorem apart_nil (xs : List α) : Apart xs [] := by
  intro a _ h
  exact not_has_nil a h

theorem apart_cons : Apart (a :: xs) ys ↔ ¬ a ∊ ys ∧ Apart xs ys := by
  constructor
  · intro h
    constructor
    · exact h a (has_head a xs)
    · intro b hb
      exact h b (has_tail a hb)
  · intro ⟨h1, h2⟩ b hb hy
    cases hb with
    | inl hb =>
      rw [hb] at hy
      exact h1 hy
    | inr hb => exact h2 b hb hy

theorem apart_sub (h : Apart ys zs) (h1 : xs ⊑ ys) : Apart xs zs := by
  intro a ha
  exact h a (h1 a ha)

theorem apart_append : Apart (xs ++ ys) zs ↔ Apart xs zs ∧ Apart ys zs := by
  constructor
  · intro h
    constructor
    · intro a ha
      exact h a ((has_append a xs ys).2 (Or.inl ha))
    · intro a ha
      exact h a ((has_append a xs ys).2 (Or.inr ha))
  · intro ⟨h1, h2⟩ a ha
    rw [has_append] at ha
    cases ha with
    | inl ha => exact h1 a ha
    | inr ha => exact h2 a ha

theorem apart_self (h : Apart xs xs) : xs = [] := by
  apply nil_of_no_members
  intro a ha
  exact h a ha ha

theorem sub_of_sub_append_apart (h : xs ⊑ ys ++ zs) (h1 : Apart xs zs) : xs ⊑ ys := by
  intro a ha
  have h2 := h a ha
  rw [has_append] at h2
  cases h2 with
  | inl h3 => exact h3
  | inr h3 => exact absurd h3 (h1 a ha)

theorem within_irrefl (xs : List α) : ¬ Within xs xs := by
  intro h
  exact h.2 h.1

theorem within_trans (h1 : Within xs ys) (h2 : Within ys zs) : Within xs zs := by
  constructor
  · exact sub_trans h1.1 h2.1
  · intro h3
    apply h1.2
    exact sub_trans h2.1 h3

theorem within_new_element (h : Within xs ys) : ∃ a, a ∊ ys ∧ ¬ a ∊ xs := by
  by_cases h1 : ∃ a, a ∊ ys ∧ ¬ a ∊ xs
  · exact h1
  · exfalso
    apply h.2
    intro a ha
    by_cases h2 : a ∊ xs
    · exact h2
    · exact absurd ⟨a, ha, h2⟩ h1

theorem every_cons (p : α → Prop) (x : α) (xs : List α) :
    Every p (x :: xs) ↔ p x ∧ Every p xs := by
  constructor
  · intro h
    constructor
    · exact h x (has_head x xs)
    · intro a ha
      exact h a (has_tail x ha)
  · intro ⟨h1, h2⟩ a ha
    cases ha with
    | inl ha => rw [ha]; exact h1
    | inr ha => exact h2 a ha

theorem every_sub (p : α → Prop) (h : xs ⊑ ys) (h1 : Every p ys) : Every p xs := by
  intro a ha
  apply h1
  exact h a ha

theorem exist_cons (p : α → Prop) (x : α) (xs : List α) :
    Exist p (x :: xs) ↔ p x ∨ Exist p xs := by
  constructor
  · intro ⟨a, ha, hp⟩
    cases ha with
    | inl ha =>
      left
      rw [← ha]
      exact hp
    | inr ha =>
      right
      exact ⟨a, ha, hp⟩
  · intro h
    rcases h with h | ⟨a, ha, hp⟩
    · exact ⟨x, has_head x xs, h⟩
    · exact ⟨a, has_tail x ha, hp⟩

theorem not_every_iff (p : α → Prop) (xs : List α) :
    ¬ Every p xs ↔ Exist (fun a => ¬ p a) xs := by
  constructor
  · intro h
    by_cases h1 : Exist (fun a => ¬ p a) xs
    · exact h1
    · exfalso
      apply h
      intro a ha
      by_cases h2 : p a
      · exact h2
      · exact absurd ⟨a, ha, h2⟩ h1
  · intro ⟨a, ha, hp⟩ h
    exact hp (h a ha)

theorem every_append (p : α → Prop) (xs ys : List α) :
    Every p (xs ++ ys) ↔ Every p xs ∧ Every p ys := by
  induction xs with
  | nil =>
    constructor
    · intro h
      exact ⟨fun a ha => ha.elim, h⟩
    · intro h
      exact h.2
  | cons x xs ih => rw [List.cons_append, every_cons, every_cons, ih, and_assoc]

theorem exist_same (p : α → Prop) (h : xs ≃ ys) : Exist p xs ↔ Exist p ys := by
  constructor
  · intro ⟨a, ha, hp⟩
    exact ⟨a, (h a).1 ha, hp⟩
  · intro ⟨a, ha, hp⟩
    exact ⟨a, (h a).2 ha, hp⟩

theorem apart_iff_every : Apart xs ys ↔ Every (fun a => ¬ a ∊ ys) xs := by
  exact Iff.rfl

end Separation

end Sets
