import Lists.Map

/-!
Membership and other relations on lists, as recursive functions into `Prop` and as inductive
predicates.
-/

namespace Lists

variable {α β : Type}

/-- `Mem a xs`: the element `a` occurs in `xs`. -/
inductive Mem (a : α) : List α → Prop where
  | head (xs : List α) : Mem a (a :: xs)
  | tail (x : α) (xs : List α) (h : Mem a xs) : Mem a (x :: xs)

/-- Every element of the list satisfies `p`. -/
inductive All (p : α → Prop) : List α → Prop where
  | nil : All p []
  | cons (x : α) (xs : List α) (h1 : p x) (h2 : All p xs) : All p (x :: xs)

/-- Some element of the list satisfies `p`. -/
inductive Any (p : α → Prop) : List α → Prop where
  | here (x : α) (xs : List α) (h : p x) : Any p (x :: xs)
  | there (x : α) (xs : List α) (h : Any p xs) : Any p (x :: xs)

/-- `Sublist xs ys`: the list `xs` arises from `ys` by dropping elements. -/
inductive Sublist : List α → List α → Prop where
  | nil : Sublist [] []
  | skip (x : α) (xs ys : List α) (h : Sublist xs ys) : Sublist xs (x :: ys)
  | keep (x : α) (xs ys : List α) (h : Sublist xs ys) : Sublist (x :: xs) (x :: ys)

def Prefix (xs ys : List α) : Prop := ∃ zs, ys = app xs zs

def Suffix (xs ys : List α) : Prop := ∃ zs, ys = app zs xs

section Membership

theorem mem_singleton (a : α) : Mem a [a] := by
  apply Mem.head

theorem mem_second (a b : α) : Mem a [b, a] := by
  apply Mem.tail
  apply Mem.head

theorem mem_third (a b c : α) : Mem a [b, c, a] := sorry

theorem not_mem_nil (a : α) : ¬ Mem a [] := by
  intro h
  cases h

theorem mem_singleton_eq (a b : α) (h : Mem a [b]) : a = b := by
  cases h with
  | head => rfl
  | tail x xs h1 => cases h1

theorem mem_cons_or (a x : α) (xs : List α) (h : Mem a (x :: xs)) : a = x ∨ Mem a xs := by
  cases h with
  | head =>
    left
    rfl
  | tail x xs h1 =>
    right
    exact h1

theorem mem_app_left (a : α) (xs ys : List α) (h : Mem a xs) : Mem a (app xs ys) := by
  induction h with
  | head xs => apply Mem.head
  | tail x xs h ih =>
    apply Mem.tail
    exact ih

theorem mem_app_right (a : α) (xs ys : List α) (h : Mem a ys) : Mem a (app xs ys) := by
  induction xs with
  | nil => exact h
  | cons x xs ih =>
    apply Mem.tail
    exact ih

theorem mem_app_or (a : α) (xs ys : List α) (h : Mem a (app xs ys)) : Mem a xs ∨ Mem a ys := by
  induction xs with
  | nil =>
    right
    exact h
  | cons x xs ih =>
    cases h with
    | head =>
      left
      apply Mem.head
    | tail x xs h1 =>
      cases ih h1 with
      | inl h2 =>
        left
        apply Mem.tail
        exact h2
      | inr h2 =>
        right
        exact h2

theorem mem_mapL (f : α → β) (a : α) (xs : List α) (h : Mem a xs) : Mem (f a) (mapL f xs) := by
  induction h with
  | head xs => apply Mem.head
  | tail x xs h ih =>
    apply Mem.tail
    exact ih

theorem mem_snoc_self (a : α) (xs : List α) : Mem a (snoc xs a) := by
  induction xs with
  | nil => apply Mem.head
  | cons x xs ih =>
    apply Mem.tail
    exact ih

theorem mem_snoc_left (a b : α) (xs : List α) (h : Mem a xs) : Mem a (snoc xs b) := by
  sorry

theorem mem_twice (a : α) (xs : List α) (h : Mem a xs) : Mem a (twice xs) := by
  induction h with
  | head xs => apply Mem.head
  | tail x xs h ih =>
    apply Mem.tail
    apply Mem.tail
    exact ih

theorem mem_rep_succ (a : α) (n : Nat) : Mem a (rep a (n + 1)) := by
  apply Mem.head

theorem mem_rep_eq (a b : α) (n : Nat) (h : Mem a (rep b n)) : a = b := by
  induction n with
  | zero => cases h
  | succ n ih =>
    cases h with
    | head => rfl
    | tail x xs h1 => exact ih h1

theorem mem_rev (a : α) (xs : List α) (h : Mem a xs) : Mem a (rev xs) := by
  have h1 : ∀ ys b, Mem a ys → Mem a (snoc ys b) := by
    intro ys b h2
    induction h2 with
    | head ys => apply Mem.head
    | tail y ys h2 ih =>
      apply Mem.tail
      exact ih
  induction h with
  | head xs => apply mem_snoc_self
  | tail x xs h ih =>
    apply h1
    exact ih

theorem mem_iff_mem (a : α) (xs : List α) (h : Mem a xs) : a ∈ xs := by
  induction h with
  | head xs => simp
  | tail x xs h ih => simp [ih]

theorem mem_of_mem (a : α) (xs : List α) (h : a ∈ xs) : Mem a xs := by
  sorry

theorem mem_len_pos (a : α) (xs : List α) (h : Mem a xs) : 0 < len xs := by
  cases h with
  | head xs => simp [len]
  | tail x xs h1 => simp [len]

theorem mem_split (a : α) (xs : List α) (h : Mem a xs) : ∃ ys zs, xs = app ys (a :: zs) := by
  induction h with
  | head xs => exact ⟨[], xs, rfl⟩
  | tail x xs h ih =>
    obtain ⟨ys, zs, h1⟩ := ih
    refine ⟨x :: ys, zs, ?_⟩
    simp [app, h1]

theorem exists_mem_cons (x : α) (xs : List α) : ∃ a, Mem a (x :: xs) := by
  sorry

end Membership

section AllAny

variable (p q : α → Prop)

theorem all_singleton (x : α) (h : p x) : All p [x] := by
  apply All.cons
  · exact h
  · exact All.nil

theorem all_pair (x y : α) (h1 : p x) (h2 : p y) : All p [x, y] := by
  apply All.cons
  · exact h1
  · sorry

theorem all_head (x : α) (xs : List α) (h : All p (x :: xs)) : p x := by
  cases h with
  | cons x xs h1 h2 => exact h1

theorem all_tail (x : α) (xs : List α) (h : All p (x :: xs)) : All p xs := by
  cases h with
  | cons x xs h1 h2 => exact h2

theorem all_mono (h : ∀ x, p x → q x) (xs : List α) (h1 : All p xs) : All q xs := by
  induction h1 with
  | nil => exact All.nil
  | cons x xs h2 h3 ih =>
    apply All.cons
    · exact h x h2
    · exact ih

theorem all_of_forall (h : ∀ x, p x) (xs : List α) : All p xs := by
  sorry

theorem all_and (xs : List α) (h1 : All p xs) (h2 : All q xs) : All (fun x => p x ∧ q x) xs := by
  induction h1 with
  | nil => exact All.nil
  | cons x xs h3 h4 ih =>
    cases h2 with
    | cons x xs h5 h6 =>
      apply All.cons
      · exact ⟨h3, h5⟩
      · exact ih h6

theorem all_and_left (xs : List α) (h : All (fun x => p x ∧ q x) xs) : All p xs := by
  induction h with
  | nil => exact All.nil
  | cons x xs h1 h2 ih =>
    apply All.cons
    · exact h1.1
    · exact ih

theorem all_and_right (xs : List α) (h : All (fun x => p x ∧ q x) xs) : All q xs := by
  sorry

theorem all_app (xs ys : List α) (h1 : All p xs) (h2 : All p ys) : All p (app xs ys) := by
  induction h1 with
  | nil => exact h2
  | cons x xs h3 h4 ih =>
    apply All.cons
    · exact h3
    · exact ih

theorem all_app_left (xs ys : List α) (h : All p (app xs ys)) : All p xs := by
  induction xs with
  | nil => exact All.nil
  | cons x xs ih =>
    cases h with
    | cons x xs h1 h2 =>
      apply All.cons
      · exact h1
      · exact ih h2

theorem all_app_right (xs ys : List α) (h : All p (app xs ys)) : All p ys := by
  sorry

theorem all_snoc (xs : List α) (a : α) (h1 : All p xs) (h2 : p a) : All p (snoc xs a) := by
  induction h1 with
  | nil => exact All.cons a [] h2 All.nil
  | cons x xs h3 h4 ih =>
    apply All.cons
    · exact h3
    · exact ih

theorem all_rep (a : α) (n : Nat) (h : p a) : All p (rep a n) := by
  induction n with
  | zero => exact All.nil
  | succ n ih =>
    apply All.cons
    · exact h
    · exact ih

theorem all_twice (xs : List α) (h : All p xs) : All p (twice xs) := by
  sorry

theorem all_mem (a : α) (xs : List α) (h : All p xs) (h1 : Mem a xs) : p a := by
  induction h1 with
  | head xs =>
    cases h with
    | cons x xs h2 h3 => exact h2
  | tail x xs h1 ih =>
    cases h with
    | cons x xs h2 h3 => exact ih h3

theorem any_mono (h : ∀ x, p x → q x) (xs : List α) (h1 : Any p xs) : Any q xs := by
  induction h1 with
  | here x xs h2 =>
    apply Any.here
    exact h x h2
  | there x xs h2 ih =>
    apply Any.there
    exact ih

theorem not_any_nil : ¬ Any p [] := by
  intro h
  cases h

theorem any_exists (xs : List α) (h : Any p xs) : ∃ x, p x := by
  induction h with
  | here x xs h1 => exact ⟨x, h1⟩
  | there x xs h1 ih => exact ih

theorem any_of_mem (a : α) (xs : List α) (h : Mem a xs) (h1 : p a) : Any p xs := by
  induction h with
  | head xs =>
    apply Any.here
    exact h1
  | tail x xs h ih =>
    apply Any.there
    exact ih

theorem any_app_left (xs ys : List α) (h : Any p xs) : Any p (app xs ys) := by
  induction h with
  | here x xs h1 =>
    apply Any.here
    exact h1
  | there x xs h1 ih =>
    apply Any.there
    exact ih

theorem any_app_right (xs ys : List α) (h : Any p ys) : Any p (app xs ys) := by
  sorry

theorem any_or_left (xs : List α) (h : Any p xs) : Any (fun x => p x ∨ q x) xs := by
  induction h with
  | here x xs h1 =>
    apply Any.here
    left
    exact h1
  | there x xs h1 ih =>
    apply Any.there
    exact ih

theorem any_or_right (xs : List α) (h : Any q xs) : Any (fun x => p x ∨ q x) xs := by
  sorry

theorem all_any_false (xs : List α) (h : All (fun x => ¬ p x) xs) : ¬ Any p xs := by
  intro h1
  induction h1 with
  | here x xs h2 =>
    cases h with
    | cons x xs h3 h4 => exact h3 h2
  | there x xs h2 ih =>
    cases h with
    | cons x xs h3 h4 => exact ih h4

end AllAny

section Order

theorem sublist_refl (xs : List α) : Sublist xs xs := by
  induction xs with
  | nil => exact Sublist.nil
  | cons x xs ih =>
    apply Sublist.keep
    exact ih

theorem nil_sublist (xs : List α) : Sublist [] xs := by
  induction xs with
  | nil => exact Sublist.nil
  | cons x xs ih =>
    apply Sublist.skip
    exact ih

theorem sublist_cons (x : α) (xs : List α) : Sublist xs (x :: xs) := by
  apply Sublist.skip
  exact sublist_refl xs

theorem sublist_twice (xs : List α) : Sublist xs (twice xs) := by
  induction xs with
  | nil => exact Sublist.nil
  | cons x xs ih =>
    apply Sublist.keep
    apply Sublist.skip
    exact ih

theorem sublist_app_left (xs ys : List α) : Sublist ys (app xs ys) := by
  sorry

theorem sublist_app_right (xs ys : List α) : Sublist xs (app xs ys) := by
  induction xs with
  | nil => apply nil_sublist
  | cons x xs ih =>
    apply Sublist.keep
    exact ih

theorem sublist_snoc (xs : List α) (a : α) : Sublist xs (snoc xs a) := by
  sorry

theorem keep_sublist (p : α → Bool) (xs : List α) : Sublist (keep p xs) xs := by
  induction xs with
  | nil => exact Sublist.nil
  | cons x xs ih =>
    simp only [keep]
    split
    · apply Sublist.keep
      exact ih
    · apply Sublist.skip
      exact ih

theorem sublist_len (xs ys : List α) (h : Sublist xs ys) : len xs ≤ len ys := by
  induction h with
  | nil => simp
  | skip x xs ys h ih =>
    simp only [len]
    omega
  | keep x xs ys h ih =>
    simp only [len]
    omega

theorem sublist_sumL (xs ys : List Nat) (h : Sublist xs ys) : sumL xs ≤ sumL ys := by
  sorry

theorem sublist_mapL (f : α → β) (xs ys : List α) (h : Sublist xs ys) :
    Sublist (mapL f xs) (mapL f ys) := by
  induction h with
  | nil => exact Sublist.nil
  | skip x xs ys h ih =>
    apply Sublist.skip
    exact ih
  | keep x xs ys h ih =>
    apply Sublist.keep
    exact ih

theorem sublist_all (p : α → Prop) (xs ys : List α) (h : Sublist xs ys) (h1 : All p ys) :
    All p xs := by
  induction h with
  | nil => exact All.nil
  | skip x xs ys h ih =>
    cases h1 with
    | cons x ys h2 h3 => exact ih h3
  | keep x xs ys h ih =>
    cases h1 with
    | cons x ys h2 h3 =>
      apply All.cons
      · exact h2
      · exact ih h3

theorem prefix_refl (xs : List α) : Prefix xs xs := by
  refine ⟨[], ?_⟩
  rw [app_nil]

theorem nil_prefix (xs : List α) : Prefix [] xs := by
  exact ⟨xs, rfl⟩

theorem prefix_app (xs ys : List α) : Prefix xs (app xs ys) := by
  exact ⟨ys, rfl⟩

theorem prefix_snoc (xs : List α) (a : α) : Prefix xs (snoc xs a) := by
  sorry

theorem prefix_cons (x : α) (xs ys : List α) (h : Prefix xs ys) :
    Prefix (x :: xs) (x :: ys) := by
  obtain ⟨zs, h1⟩ := h
  refine ⟨zs, ?_⟩
  rw [h1]
  rfl

theorem prefix_trans (xs ys zs : List α) (h1 : Prefix xs ys) (h2 : Prefix ys zs) :
    Prefix xs zs := by
  obtain ⟨us, h3⟩ := h1
  obtain ⟨vs, h4⟩ := h2
  refine ⟨app us vs, ?_⟩
  rw [h4, h3, app_assoc]

theorem suffix_refl (xs : List α) : Suffix xs xs := by
  exact ⟨[], rfl⟩

theorem nil_suffix (xs : List α) : Suffix [] xs := by
  sorry

theorem suffix_cons (x : α) (xs ys : List α) (h : Suffix xs ys) : Suffix xs (x :: ys) := by
  obtain ⟨zs, h1⟩ := h
  refine ⟨x :: zs, ?_⟩
  rw [h1]
  rfl

theorem suffix_trans (xs ys zs : List α) (h1 : Suffix xs ys) (h2 : Suffix ys zs) :
    Suffix xs zs := by
  sorry

theorem prefix_len (xs ys : List α) (h : Prefix xs ys) : len xs ≤ len ys := by
  obtain ⟨zs, h1⟩ := h
  rw [h1, len_app]
  omega

theorem suffix_len (xs ys : List α) (h : Suffix xs ys) : len xs ≤ len ys := by
  sorry

theorem prefix_rev (xs ys : List α) (h : Prefix xs ys) : Suffix (rev xs) (rev ys) := by
  obtain ⟨zs, h1⟩ := h
  refine ⟨rev zs, ?_⟩
  rw [h1, rev_app]

theorem suffix_rev (xs ys : List α) (h : Suffix xs ys) : Prefix (rev xs) (rev ys) := by
  sorry

theorem prefix_mapL (f : α → β) (xs ys : List α) (h : Prefix xs ys) :
    Prefix (mapL f xs) (mapL f ys) := by
  obtain ⟨zs, h1⟩ := h
  refine ⟨mapL f zs, ?_⟩
  rw [h1, mapL_app]

theorem prefix_mem (a : α) (xs ys : List α) (h : Prefix xs ys) (h1 : Mem a xs) : Mem a ys := by
  obtain ⟨zs, h2⟩ := h
  rw [h2]
  apply mem_app_left
  exact h1

end Order

end Lists
