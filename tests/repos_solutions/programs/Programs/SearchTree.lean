/-!
Binary search trees of numbers: the order invariant, membership, insertion, removal of the least value, joining, and
the sorted list of a tree.
-/

namespace Programs

inductive Tree where
  | leaf
  | node (l : Tree) (a : Nat) (r : Tree)

namespace Tree

/-- All values have the property. -/
def All (p : Nat → Prop) : Tree → Prop
  | leaf => True
  | node l a r => All p l ∧ p a ∧ All p r

/-- Smaller values stand to the left, larger ones to the right. -/
def Ordered : Tree → Prop
  | leaf => True
  | node l a r => All (fun b => b < a) l ∧ All (fun b => a < b) r ∧ Ordered l ∧ Ordered r

/-- The value is somewhere in the tree. -/
def Has (a : Nat) : Tree → Prop
  | leaf => False
  | node l b r => a = b ∨ Has a l ∨ Has a r

/-- Search by comparisons. -/
def search (a : Nat) : Tree → Bool
  | leaf => false
  | node l b r => if a < b then search a l else if b < a then search a r else true

def insert (a : Nat) : Tree → Tree
  | leaf => node leaf a leaf
  | node l b r => if a < b then node (insert a l) b r else if b < a then node l b (insert a r) else node l b r

def flatten : Tree → List Nat
  | leaf => []
  | node l a r => flatten l ++ a :: flatten r

def size : Tree → Nat
  | leaf => 0
  | node l _ r => size l + size r + 1

def height : Tree → Nat
  | leaf => 0
  | node l _ r => max (height l) (height r) + 1

/-- The least value of an ordered tree whose root is `a` and whose left subtree is given. -/
def least : Tree → Nat → Nat
  | leaf, a => a
  | node l b _, _ => least l b

/-- Put all values of a list in. -/
def insertAll : List Nat → Tree → Tree
  | [], t => t
  | a :: as, t => insertAll as (insert a t)

/-- The left child becomes the root. -/
def rotateRight : Tree → Tree
  | node (node l a m) b r => node l a (node m b r)
  | t => t

/-- A sorted list, without repetition. -/
def Increasing : List Nat → Prop
  | [] => True
  | a :: as => (∀ b, b ∈ as → a < b) ∧ Increasing as

section Properties

theorem all_iff_has (p : Nat → Prop) (t : Tree) : All p t ↔ ∀ a, Has a t → p a := by
  induction t with
  | leaf =>
    constructor
    · intro _ a h
      exact h.elim
    · intro _
      trivial
  | node l b r ihl ihr =>
    rw [All, ihl, ihr]
    constructor
    · rintro ⟨h1, h2, h3⟩ a (h | h | h)
      · rw [h]
        exact h2
      · exact h1 a h
      · exact h3 a h
    · intro h
      refine ⟨?_, ?_, ?_⟩
      · intro a ha
        exact h a (Or.inr (Or.inl ha))
      · exact h b (Or.inl rfl)
      · intro a ha
        exact h a (Or.inr (Or.inr ha))

theorem all_mono {p q : Nat → Prop} (hpq : ∀ a, p a → q a) {t : Tree} (h : All p t) : All q t := by
  rw [all_iff_has] at *
  intro a ha
  exact hpq a (h a ha)

theorem all_and_iff (p q : Nat → Prop) (t : Tree) : All (fun a => p a ∧ q a) t ↔ All p t ∧ All q t := by
  simp only [all_iff_has]
  constructor
  · intro h
    exact ⟨fun a ha => (h a ha).1, fun a ha => (h a ha).2⟩
  · rintro ⟨h1, h2⟩ a ha
    exact ⟨h1 a ha, h2 a ha⟩

theorem has_iff_mem_flatten (a : Nat) (t : Tree) : Has a t ↔ a ∈ flatten t := by
  induction t with
  | leaf =>
    constructor
    · intro h
      exact h.elim
    · intro h
      cases h
  | node l b r ihl ihr =>
    rw [Has, flatten, List.mem_append, List.mem_cons, ihl, ihr]
    constructor
    · rintro (h | h | h)
      · exact Or.inr (Or.inl h)
      · exact Or.inl h
      · exact Or.inr (Or.inr h)
    · rintro (h | h | h)
      · exact Or.inr (Or.inl h)
      · exact Or.inl h
      · exact Or.inr (Or.inr h)

theorem flatten_length (t : Tree) : (flatten t).length = size t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr =>
    rw [flatten, List.length_append, List.length_cons, ihl, ihr, size]
    omega

theorem height_le_size (t : Tree) : height t ≤ size t := by
  induction t with
  | leaf => exact Nat.le_refl 0
  | node l a r ihl ihr =>
    rw [height, size]
    omega

theorem size_lt_two_pow_height (t : Tree) : size t < 2 ^ height t := by
  induction t with
  | leaf => exact Nat.one_pos
  | node l a r ihl ihr =>
    have h1 : 2 ^ height l ≤ 2 ^ max (height l) (height r) :=
      Nat.pow_le_pow_right (by omega) (Nat.le_max_left _ _)
    have h2 : 2 ^ height r ≤ 2 ^ max (height l) (height r) :=
      Nat.pow_le_pow_right (by omega) (Nat.le_max_right _ _)
    rw [size, height, Nat.pow_succ]
    omega

/-- In an ordered tree the search finds what is there, and nothing else. -/
theorem search_iff {t : Tree} (h : Ordered t) (a : Nat) : search a t = true ↔ Has a t := by
  induction t with
  | leaf =>
    constructor
    · intro h1
      cases h1
    · intro h1
      exact h1.elim
  | node l b r ihl ihr =>
    obtain ⟨h1, h2, h3, h4⟩ := h
    rw [all_iff_has] at h1 h2
    rw [search, Has]
    by_cases hlt : a < b
    · rw [if_pos hlt, ihl h3]
      constructor
      · intro hl
        exact Or.inr (Or.inl hl)
      · rintro (heq | hl | hr)
        · omega
        · exact hl
        · have := h2 a hr
          omega
    · rw [if_neg hlt]
      by_cases hgt : b < a
      · rw [if_pos hgt, ihr h4]
        constructor
        · intro hr
          exact Or.inr (Or.inr hr)
        · rintro (heq | hl | hr)
          · omega
          · have := h1 a hl
            omega
          · exact hr
      · rw [if_neg hgt]
        constructor
        · intro _
          left
          omega
        · intro _
          rfl

theorem ordered_subtree_left {l r : Tree} {a : Nat} (h : Ordered (node l a r)) : Ordered l := by
  exact h.2.2.1

end Properties

section Insertion

theorem has_insert (a b : Nat) (t : Tree) : Has a (insert b t) ↔ a = b ∨ Has a t := by
  induction t with
  | leaf =>
    rw [insert, Has]
    constructor
    · rintro (h | h | h)
      · exact Or.inl h
      · exact h.elim
      · exact h.elim
    · rintro (h | h)
      · exact Or.inl h
      · exact h.elim
  | node l c r ihl ihr =>
    rw [insert]
    by_cases h1 : b < c
    · rw [if_pos h1, Has, Has, ihl]
      constructor
      · rintro (h | (h | h) | h)
        · exact Or.inr (Or.inl h)
        · exact Or.inl h
        · exact Or.inr (Or.inr (Or.inl h))
        · exact Or.inr (Or.inr (Or.inr h))
      · rintro (h | h | h | h)
        · exact Or.inr (Or.inl (Or.inl h))
        · exact Or.inl h
        · exact Or.inr (Or.inl (Or.inr h))
        · exact Or.inr (Or.inr h)
    · rw [if_neg h1]
      by_cases h2 : c < b
      · rw [if_pos h2, Has, Has, ihr]
        constructor
        · rintro (h | h | h | h)
          · exact Or.inr (Or.inl h)
          · exact Or.inr (Or.inr (Or.inl h))
          · exact Or.inl h
          · exact Or.inr (Or.inr (Or.inr h))
        · rintro (h | h | h | h)
          · exact Or.inr (Or.inr (Or.inl h))
          · exact Or.inl h
          · exact Or.inr (Or.inl h)
          · exact Or.inr (Or.inr (Or.inr h))
      · rw [if_neg h2]
        have hbc : b = c := by omega
        constructor
        · intro h
          exact Or.inr h
        · rintro (h | h)
          · left
            rw [h, hbc]
          · exact h

theorem all_insert {p : Nat → Prop} {a : Nat} {t : Tree} (ha : p a) (h : All p t) : All p (insert a t) := by
  rw [all_iff_has] at *
  intro b hb
  rw [has_insert] at hb
  rcases hb with hb | hb
  · rw [hb]
    exact ha
  · exact h b hb

theorem ordered_insert (a : Nat) {t : Tree} (h : Ordered t) : Ordered (insert a t) := by
  induction t with
  | leaf => exact ⟨trivial, trivial, trivial, trivial⟩
  | node l b r ihl ihr =>
    obtain ⟨h1, h2, h3, h4⟩ := h
    rw [insert]
    by_cases hlt : a < b
    · rw [if_pos hlt]
      exact ⟨all_insert hlt h1, h2, ihl h3, h4⟩
    · rw [if_neg hlt]
      by_cases hgt : b < a
      · rw [if_pos hgt]
        exact ⟨h1, all_insert hgt h2, h3, ihr h4⟩
      · rw [if_neg hgt]
        exact ⟨h1, h2, h3, h4⟩

theorem search_insert {t : Tree} (h : Ordered t) (a b : Nat) :
    search a (insert b t) = true ↔ a = b ∨ search a t = true := by
  rw [search_iff (ordered_insert b h), has_insert, search_iff h]

/-- A value that is there already changes nothing. -/
theorem insert_of_has {t : Tree} (h : Ordered t) {a : Nat} (ha : Has a t) : insert a t = t := by
  induction t with
  | leaf => exact ha.elim
  | node l b r ihl ihr =>
    obtain ⟨h1, h2, h3, h4⟩ := h
    rw [all_iff_has] at h1 h2
    rw [insert]
    rcases ha with ha | ha | ha
    · rw [if_neg (by omega), if_neg (by omega)]
    · rw [if_pos (h1 a ha), ihl h3 ha]
    · have hgt := h2 a ha
      rw [if_neg (by omega), if_pos hgt, ihr h4 ha]

theorem insert_insert_same {t : Tree} (h : Ordered t) (a : Nat) : insert a (insert a t) = insert a t := by
  apply insert_of_has (ordered_insert a h)
  rw [has_insert]
  exact Or.inl rfl

theorem size_insert_le (a : Nat) (t : Tree) : size (insert a t) ≤ size t + 1 := by
  induction t with
  | leaf => exact Nat.le_refl 1
  | node l b r ihl ihr =>
    rw [insert]
    split
    · rw [size, size]
      omega
    · split
      · rw [size, size]
        omega
      · exact Nat.le_succ _

theorem size_insert_of_not_has {a : Nat} {t : Tree} (h : ¬ Has a t) : size (insert a t) = size t + 1 := by
  induction t with
  | leaf => rfl
  | node l b r ihl ihr =>
    rw [Has] at h
    have hl : ¬ Has a l := fun h1 => h (Or.inr (Or.inl h1))
    have hr : ¬ Has a r := fun h1 => h (Or.inr (Or.inr h1))
    have hne : a ≠ b := fun h1 => h (Or.inl h1)
    rw [insert]
    by_cases hlt : a < b
    · rw [if_pos hlt, size, size, ihl hl]
      omega
    · rw [if_neg hlt, if_pos (by omega), size, size, ihr hr]
      omega

theorem height_insert_le (a : Nat) (t : Tree) : height (insert a t) ≤ height t + 1 := by
  induction t with
  | leaf => exact Nat.le_refl 1
  | node l b r ihl ihr =>
    rw [insert]
    split
    · rw [height, height]
      omega
    · split
      · rw [height, height]
        omega
      · exact Nat.le_succ _

theorem has_insertAll (a : Nat) (as : List Nat) (t : Tree) : Has a (insertAll as t) ↔ a ∈ as ∨ Has a t := by
  induction as generalizing t with
  | nil =>
    rw [insertAll]
    constructor
    · intro h
      exact Or.inr h
    · rintro (h | h)
      · cases h
      · exact h
  | cons b as ih =>
    rw [insertAll, ih, has_insert, List.mem_cons]
    constructor
    · rintro (h | h | h)
      · exact Or.inl (Or.inr h)
      · exact Or.inl (Or.inl h)
      · exact Or.inr h
    · rintro ((h | h) | h)
      · exact Or.inr (Or.inl h)
      · exact Or.inl h
      · exact Or.inr (Or.inr h)

theorem ordered_insertAll (as : List Nat) {t : Tree} (h : Ordered t) : Ordered (insertAll as t) := by
  induction as generalizing t with
  | nil => exact h
  | cons a as ih =>
    apply ih
    exact ordered_insert a h

theorem size_insertAll_le (as : List Nat) (t : Tree) : size (insertAll as t) ≤ size t + as.length := by
  induction as generalizing t with
  | nil => exact Nat.le_refl _
  | cons a as ih =>
    have h1 := ih (insert a t)
    have h2 := size_insert_le a t
    rw [insertAll, List.length_cons]
    omega

end Insertion

section Flattening

theorem increasing_append {as bs : List Nat} (ha : Increasing as) (hb : Increasing bs)
    (h : ∀ a b, a ∈ as → b ∈ bs → a < b) : Increasing (as ++ bs) := by
  induction as with
  | nil => exact hb
  | cons a as ih =>
    constructor
    · intro b hmem
      rcases List.mem_append.mp hmem with hm | hm
      · exact ha.1 b hm
      · exact h a b (List.mem_cons_self ..) hm
    · apply ih ha.2
      intro x y hx hy
      exact h x y (List.mem_cons_of_mem a hx) hy

theorem increasing_of_append {as bs : List Nat} (h : Increasing (as ++ bs)) :
    Increasing as ∧ Increasing bs ∧ ∀ a b, a ∈ as → b ∈ bs → a < b := by
  induction as with
  | nil =>
    refine ⟨trivial, h, ?_⟩
    intro a b ha
    cases ha
  | cons c as ih =>
    obtain ⟨h1, h2⟩ := h
    obtain ⟨h3, h4, h5⟩ := ih h2
    refine ⟨⟨?_, h3⟩, h4, ?_⟩
    · intro b hb
      exact h1 b (List.mem_append_left bs hb)
    · intro a b ha hb
      cases ha with
      | head => exact h1 b (List.mem_append_right as hb)
      | tail _ ha => exact h5 a b ha hb

/-- The list of a tree is increasing exactly when the tree is ordered. -/
theorem increasing_flatten_iff (t : Tree) : Increasing (flatten t) ↔ Ordered t := by
  induction t with
  | leaf => exact Iff.rfl
  | node l a r ihl ihr =>
    rw [flatten, Ordered, all_iff_has, all_iff_has]
    constructor
    · intro h
      obtain ⟨h1, ⟨h2, h3⟩, h4⟩ := increasing_of_append h
      refine ⟨?_, ?_, ihl.mp h1, ihr.mp h3⟩
      · intro b hb
        rw [has_iff_mem_flatten] at hb
        exact h4 b a hb (List.mem_cons_self ..)
      · intro b hb
        rw [has_iff_mem_flatten] at hb
        exact h2 b hb
    · rintro ⟨h1, h2, h3, h4⟩
      apply increasing_append (ihl.mpr h3)
      · refine ⟨?_, ihr.mpr h4⟩
        intro b hb
        rw [← has_iff_mem_flatten] at hb
        exact h2 b hb
      · intro b c hb hc
        rw [← has_iff_mem_flatten] at hb
        have hba := h1 b hb
        cases hc with
        | head => exact hba
        | tail _ hc =>
          have hac := h2 c ((has_iff_mem_flatten c r).mpr hc)
          omega

/-- An increasing list is known by its members. -/
theorem increasing_ext {as bs : List Nat} (ha : Increasing as) (hb : Increasing bs)
    (h : ∀ x, x ∈ as ↔ x ∈ bs) : as = bs := by
  induction as generalizing bs with
  | nil =>
    cases bs with
    | nil => rfl
    | cons b bs =>
      have h1 := (h b).mpr (List.mem_cons_self ..)
      cases h1
  | cons a as ih =>
    cases bs with
    | nil =>
      have h1 := (h a).mp (List.mem_cons_self ..)
      cases h1
    | cons b bs =>
      have hab : a = b := by
        have h1 := (h a).mp (List.mem_cons_self ..)
        have h2 := (h b).mpr (List.mem_cons_self ..)
        rw [List.mem_cons] at h1 h2
        rcases h1 with h1 | h1
        · exact h1
        · rcases h2 with h2 | h2
          · exact h2.symm
          · have h3 := hb.1 a h1
            have h4 := ha.1 b h2
            omega
      rw [← hab] at hb h
      rw [← hab]
      congr 1
      apply ih ha.2 hb.2
      intro x
      have hx := h x
      rw [List.mem_cons, List.mem_cons] at hx
      constructor
      · intro hm
        have hlt := ha.1 x hm
        rcases hx.mp (Or.inr hm) with h1 | h1
        · omega
        · exact h1
      · intro hm
        have hlt := hb.1 x hm
        rcases hx.mpr (Or.inr hm) with h1 | h1
        · omega
        · exact h1

/-- Ordered trees with the same values have the same list, however they are built. -/
theorem flatten_eq_of_has {s t : Tree} (hs : Ordered s) (ht : Ordered t) (h : ∀ a, Has a s ↔ Has a t) :
    flatten s = flatten t := by
  apply increasing_ext
  · rw [increasing_flatten_iff]
    exact hs
  · rw [increasing_flatten_iff]
    exact ht
  · intro a
    rw [← has_iff_mem_flatten, ← has_iff_mem_flatten]
    exact h a

theorem flatten_insert_comm {t : Tree} (h : Ordered t) (a b : Nat) :
    flatten (insert a (insert b t)) = flatten (insert b (insert a t)) := by
  apply flatten_eq_of_has (ordered_insert a (ordered_insert b h)) (ordered_insert b (ordered_insert a h))
  intro c
  rw [has_insert, has_insert, has_insert, has_insert]
  constructor
  · rintro (h1 | h1 | h1)
    · exact Or.inr (Or.inl h1)
    · exact Or.inl h1
    · exact Or.inr (Or.inr h1)
  · rintro (h1 | h1 | h1)
    · exact Or.inr (Or.inl h1)
    · exact Or.inl h1
    · exact Or.inr (Or.inr h1)

/-- Sorting by a tree: the result is increasing and has the members of the list. -/
theorem tree_sort (as : List Nat) :
    Increasing (flatten (insertAll as leaf)) ∧ ∀ a, a ∈ flatten (insertAll as leaf) ↔ a ∈ as := by
  constructor
  · rw [increasing_flatten_iff]
    exact ordered_insertAll as trivial
  · intro a
    rw [← has_iff_mem_flatten, has_insertAll]
    constructor
    · rintro (h | h)
      · exact h
      · exact h.elim
    · intro h
      exact Or.inl h

theorem flatten_rotateRight (t : Tree) : flatten (rotateRight t) = flatten t := by
  unfold rotateRight
  split
  · simp only [flatten, List.append_assoc, List.cons_append]
  · rfl

theorem ordered_rotateRight {t : Tree} (h : Ordered t) : Ordered (rotateRight t) := by
  rw [← increasing_flatten_iff] at h
  rw [← increasing_flatten_iff, flatten_rotateRight]
  exact h

theorem has_rotateRight (a : Nat) (t : Tree) : Has a (rotateRight t) ↔ Has a t := by
  rw [has_iff_mem_flatten, has_iff_mem_flatten, flatten_rotateRight]

theorem search_rotateRight {t : Tree} (h : Ordered t) (a : Nat) : search a (rotateRight t) = search a t := by
  rw [Bool.eq_iff_iff, search_iff (ordered_rotateRight h), search_iff h, has_rotateRight]

end Flattening

section Least

theorem has_least (l r : Tree) (a : Nat) : Has (least l a) (node l a r) := by
  induction l generalizing a r with
  | leaf => exact Or.inl rfl
  | node l' b r' ihl _ =>
    right
    left
    exact ihl r' b

theorem least_le {l r : Tree} {a : Nat} (h : Ordered (node l a r)) (b : Nat) (hb : Has b (node l a r)) :
    least l a ≤ b := by
  induction l generalizing a r b with
  | leaf =>
    obtain ⟨_, h2, _, _⟩ := h
    rw [all_iff_has] at h2
    rcases hb with hb | hb | hb
    · rw [hb]
      exact Nat.le_refl _
    · exact hb.elim
    · exact Nat.le_of_lt (h2 b hb)
  | node l' c r' ihl _ =>
    obtain ⟨h1, h2, h3, _⟩ := h
    have hc : c < a := h1.2.1
    have hroot : least l' c ≤ c := ihl h3 c (Or.inl rfl)
    rw [all_iff_has] at h2
    rw [least]
    rcases hb with hb | hb | hb
    · omega
    · exact ihl h3 b hb
    · have := h2 b hb
      omega

/-- Remove the least value. -/
def dropLeast : Tree → Tree
  | leaf => leaf
  | node leaf _ r => r
  | node (node l' b r') a r => node (dropLeast (node l' b r')) a r

theorem flatten_dropLeast (t : Tree) : flatten (dropLeast t) = (flatten t).tail := by
  induction t with
  | leaf => rfl
  | node l a r ihl _ =>
    cases l with
    | leaf => rfl
    | node l' b r' =>
      have hf : flatten (node (node l' b r') a r) = flatten (node l' b r') ++ a :: flatten r := rfl
      rw [dropLeast, flatten, ihl, hf]
      cases hl : flatten (node l' b r') with
      | nil =>
        rw [flatten, List.append_eq_nil_iff] at hl
        cases hl.2
      | cons c cs => rfl

theorem ordered_dropLeast {t : Tree} (h : Ordered t) : Ordered (dropLeast t) := by
  rw [← increasing_flatten_iff] at h
  rw [← increasing_flatten_iff, flatten_dropLeast]
  cases hl : flatten t with
  | nil => trivial
  | cons a as =>
    rw [hl] at h
    exact h.2

theorem size_dropLeast (t : Tree) : size (dropLeast t) = size t - 1 := by
  rw [← flatten_length, flatten_dropLeast, List.length_tail, flatten_length]

theorem head_flatten (l r : Tree) (a : Nat) : (flatten (node l a r)).head? = some (least l a) := by
  induction l generalizing a r with
  | leaf => rfl
  | node l' b r' ihl _ =>
    have h := ihl r' b
    rw [least, ← h]
    cases hl : flatten (node l' b r') with
    | nil =>
      rw [hl] at h
      cases h
    | cons c cs =>
      rw [flatten, hl]
      rfl

/-- What is left after the least value is removed is larger than it. -/
theorem least_lt_dropLeast {l r : Tree} {a : Nat} (h : Ordered (node l a r)) (b : Nat)
    (hb : Has b (dropLeast (node l a r))) : least l a < b := by
  rw [has_iff_mem_flatten, flatten_dropLeast] at hb
  rw [← increasing_flatten_iff] at h
  have hh := head_flatten l r a
  cases hl : flatten (node l a r) with
  | nil =>
    rw [hl] at hh
    cases hh
  | cons c cs =>
    rw [hl] at hh h hb
    injection hh with hc
    rw [← hc]
    exact h.1 b hb

end Least

end Tree

end Programs
