import Trees.Fold

/-!
Search trees with numbers as keys: insertion, deletion, splitting, and the sorted list of the keys.
-/

namespace Trees.Bin

/-- Everything to the left is smaller, everything to the right is larger. -/
def Ordered : Bin Nat → Prop
  | tip => True
  | bin l a r => Ordered l ∧ Every (· < a) l ∧ Every (a < ·) r ∧ Ordered r

/-- Look for a key, using the order. -/
def find (k : Nat) : Bin Nat → Bool
  | tip => false
  | bin l a r => if k < a then find k l else if a < k then find k r else true

def insert (k : Nat) : Bin Nat → Bin Nat
  | tip => bin tip k tip
  | bin l a r =>
    if k < a then bin (insert k l) a r else if a < k then bin l a (insert k r) else bin l a r

/-- The least key, or `d` if there is none. -/
def least (d : Nat) : Bin Nat → Nat
  | tip => d
  | bin l a _ => least a l

/-- The tree without its least key. -/
def dropLeast : Bin Nat → Bin Nat
  | tip => tip
  | bin tip _ r => r
  | bin (bin ll b lr) a r => bin (dropLeast (bin ll b lr)) a r

/-- The keys below `k`. -/
def keepBelow (k : Nat) : Bin Nat → Bin Nat
  | tip => tip
  | bin l a r => if a < k then bin l a (keepBelow k r) else keepBelow k l

/-- The keys above `k`. -/
def keepAbove (k : Nat) : Bin Nat → Bin Nat
  | tip => tip
  | bin l a r => if k < a then bin (keepAbove k l) a r else keepAbove k r

def ofList : List Nat → Bin Nat
  | [] => tip
  | k :: ks => insert k (ofList ks)

section Search

theorem find_iff (k : Nat) (t : Bin Nat) (h : Ordered t) : find k t = true ↔ k ∈ inorder t := by
  induction t with
  | tip => simp [find, inorder]
  | bin l a r ihl ihr =>
    obtain ⟨h1, h2, h3, h4⟩ := h
    rw [every_iff] at h2 h3
    simp only [find, inorder, List.mem_append, List.mem_cons]
    split
    · rename_i hk
      rw [ihl h1]
      constructor
      · intro hm
        left
        exact hm
      · rintro (hm | hm | hm)
        · exact hm
        · omega
        · have h5 := h3 k hm
          omega
    · split
      · rw [ihr h4]
        constructor
        · intro hm
          right
          right
          exact hm
        · rintro (hm | hm | hm)
          · have h5 := h2 k hm
            omega
          · omega
          · exact hm
      · constructor
        · intro _
          right
          left
          omega
        · intro _
          rfl

theorem mem_insert (k x : Nat) (t : Bin Nat) :
    x ∈ inorder (insert k t) ↔ x = k ∨ x ∈ inorder t := by
  induction t with
  | tip => simp [insert, inorder]
  | bin l a r ihl ihr =>
    simp only [insert]
    split
    · simp only [inorder, List.mem_append, List.mem_cons]
      rw [ihl, or_assoc]
    · split
      · simp only [inorder, List.mem_append, List.mem_cons]
        rw [ihr]
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
      · have h : k = a := by omega
        rw [h]
        constructor
        · intro hx
          right
          exact hx
        · rintro (hx | hx)
          · rw [hx]
            simp [inorder]
          · exact hx

theorem every_insert (p : Nat → Prop) (k : Nat) (t : Bin Nat) :
    Every p (insert k t) ↔ p k ∧ Every p t := by
  rw [every_iff, every_iff]
  constructor
  · intro h
    constructor
    · apply h
      rw [mem_insert]
      left
      rfl
    · intro a ha
      apply h
      rw [mem_insert]
      right
      exact ha
  · rintro ⟨h1, h2⟩ a ha
    rw [mem_insert] at ha
    rcases ha with ha | ha
    · rw [ha]
      exact h1
    · exact h2 a ha

theorem ordered_insert (k : Nat) (t : Bin Nat) (h : Ordered t) : Ordered (insert k t) := by
  induction t with
  | tip => exact ⟨True.intro, True.intro, True.intro, True.intro⟩
  | bin l a r ihl ihr =>
    obtain ⟨h1, h2, h3, h4⟩ := h
    simp only [insert]
    split
    · rename_i hk
      refine ⟨ihl h1, ?_, h3, h4⟩
      rw [every_insert]
      exact ⟨hk, h2⟩
    · split
      · rename_i hk
        refine ⟨h1, h2, ?_, ihr h4⟩
        rw [every_insert]
        exact ⟨hk, h3⟩
      · exact ⟨h1, h2, h3, h4⟩

theorem find_insert (j k : Nat) (t : Bin Nat) (h : Ordered t) :
    find j (insert k t) = true ↔ j = k ∨ find j t = true := by
  sorry
theorem insert_of_find (k : Nat) (t : Bin Nat) (h : find k t = true) : insert k t = t := by
  sorry

theorem weight_insert_le (k : Nat) (t : Bin Nat) : weight (insert k t) ≤ weight t + 1 := by
  induction t with
  | tip => exact Nat.le_refl 1
  | bin l a r ihl ihr =>
    simp only [insert]
    split
    · simp only [weight]
      omega
    · split
      · simp only [weight]
        omega
      · exact Nat.le_succ _

theorem height_insert_le (k : Nat) (t : Bin Nat) : height (insert k t) ≤ height t + 1 := by
  sorry

theorem find_self_insert (k : Nat) (t : Bin Nat) : find k (insert k t) = true := by
  induction t with
  | tip => simp [insert, find]
  | bin l a r ihl ihr =>
    simp only [insert]
    split
    · rename_i hk
      simp only [find]
      rw [if_pos hk, ihl]
    · rename_i hk
      split
      · rename_i hk1
        simp only [find]
        rw [if_neg hk, if_pos hk1, ihr]
      · rename_i hk1
        simp only [find]
        rw [if_neg hk, if_neg hk1]

theorem ordered_ofList (ks : List Nat) : Ordered (ofList ks) := by
  induction ks with
  | nil => exact True.intro
  | cons k ks ih => exact ordered_insert k _ ih

theorem mem_ofList (k : Nat) (ks : List Nat) : k ∈ inorder (ofList ks) ↔ k ∈ ks := by
  sorry

end Search

section Sorting

theorem ordered_sorted (t : Bin Nat) (h : Ordered t) : (inorder t).Pairwise (· < ·) := by
  induction t with
  | tip => exact List.Pairwise.nil
  | bin l a r ihl ihr =>
    obtain ⟨h1, h2, h3, h4⟩ := h
    rw [every_iff] at h2 h3
    simp only [inorder]
    rw [List.pairwise_append]
    refine ⟨ihl h1, ?_, ?_⟩
    · rw [List.pairwise_cons]
      exact ⟨h3, ihr h4⟩
    · intro x hx y hy
      have h5 := h2 x hx
      rcases List.mem_cons.mp hy with h6 | h6
      · omega
      · have h7 := h3 y h6
        omega

/-- A tree is ordered if its keys come in order. -/
theorem ordered_of_sorted (t : Bin Nat) (h : (inorder t).Pairwise (· < ·)) : Ordered t := by
  induction t with
  | tip => exact True.intro
  | bin l a r ihl ihr =>
    simp only [inorder] at h
    rw [List.pairwise_append, List.pairwise_cons] at h
    obtain ⟨h1, ⟨h2, h3⟩, h4⟩ := h
    refine ⟨ihl h1, ?_, ?_, ihr h3⟩
    · rw [every_iff]
      intro x hx
      exact h4 x hx a List.mem_cons_self
    · rw [every_iff]
      exact h2

theorem ordered_fmap_add (c : Nat) (t : Bin Nat) (h : Ordered t) : Ordered (fmap (· + c) t) := by
  apply ordered_of_sorted
  rw [inorder_fmap, List.pairwise_map]
  apply (ordered_sorted t h).imp
  intro a b hab
  omega

theorem ordered_label {α : Type} (n : Nat) (t : Bin α) :
    Ordered (label n t).1 ∧ Every (fun x => n ≤ x ∧ x < n + weight t) (label n t).1 := by
  induction t generalizing n with
  | tip => exact ⟨True.intro, True.intro⟩
  | bin l a r ihl ihr =>
    have hn := label_next n l
    obtain ⟨h1, h2⟩ := ihl n
    obtain ⟨h3, h4⟩ := ihr ((label n l).2 + 1)
    simp only [label, Ordered, Every, weight]
    refine ⟨⟨h1, ?_, ?_, h3⟩, ?_, ?_, ?_⟩
    · apply every_mono _ _ _ _ h2
      intro x hx
      omega
    · apply every_mono _ _ _ _ h4
      intro x hx
      omega
    · apply every_mono _ _ _ _ h2
      intro x hx
      omega
    · omega
    · apply every_mono _ _ _ _ h4
      intro x hx
      omega

end Sorting

section Deletion

theorem least_cons (d : Nat) (t : Bin Nat) (h : t ≠ tip) :
    inorder t = least d t :: inorder (dropLeast t) := by
  induction t generalizing d with
  | tip => contradiction
  | bin l a r ihl _ =>
    cases l with
    | tip => rfl
    | bin ll b lr =>
      have h1 := ihl a (by simp)
      simp only [dropLeast, inorder, least] at *
      rw [h1]
      rfl

theorem ordered_dropLeast (t : Bin Nat) (h : Ordered t) : Ordered (dropLeast t) := by
  sorry

theorem least_le (d : Nat) (t : Bin Nat) (h : Ordered t) (x : Nat) (hx : x ∈ inorder t) :
    least d t ≤ x := by
  have h1 : t ≠ tip := by
    intro h2
    rw [h2] at hx
    contradiction
  have h2 := ordered_sorted t h
  rw [least_cons d t h1] at h2 hx
  rw [List.pairwise_cons] at h2
  rcases List.mem_cons.mp hx with h3 | h3
  · omega
  · have h4 := h2.1 x h3
    omega

theorem weight_dropLeast (t : Bin Nat) : weight (dropLeast t) = weight t - 1 := by
  sorry

theorem least_insert (d k : Nat) (t : Bin Nat) (h : Ordered t) (x : Nat) (hx : x ∈ inorder t) :
    least d (insert k t) ≤ x ∧ least d (insert k t) ≤ k := by
  have h1 := ordered_insert k t h
  constructor
  · apply least_le d _ h1
    rw [mem_insert]
    right
    exact hx
  · apply least_le d _ h1
    rw [mem_insert]
    left
    rfl

end Deletion

section Splitting

theorem mem_keepBelow (k x : Nat) (t : Bin Nat) (h : Ordered t) :
    x ∈ inorder (keepBelow k t) ↔ x ∈ inorder t ∧ x < k := by
  induction t with
  | tip => simp [keepBelow, inorder]
  | bin l a r ihl ihr =>
    obtain ⟨h1, h2, h3, h4⟩ := h
    rw [every_iff] at h2 h3
    simp only [keepBelow]
    split
    · rename_i ha
      simp only [inorder, List.mem_append, List.mem_cons]
      rw [ihr h4]
      constructor
      · rintro (hx | hx | hx)
        · have h5 := h2 x hx
          exact ⟨Or.inl hx, by omega⟩
        · exact ⟨Or.inr (Or.inl hx), by omega⟩
        · exact ⟨Or.inr (Or.inr hx.1), hx.2⟩
      · rintro ⟨hx | hx | hx, hk⟩
        · exact Or.inl hx
        · exact Or.inr (Or.inl hx)
        · exact Or.inr (Or.inr ⟨hx, hk⟩)
    · rename_i ha
      rw [ihl h1]
      simp only [inorder, List.mem_append, List.mem_cons]
      constructor
      · rintro ⟨hx, hk⟩
        exact ⟨Or.inl hx, hk⟩
      · rintro ⟨hx | hx | hx, hk⟩
        · exact ⟨hx, hk⟩
        · omega
        · have h5 := h3 x hx
          omega

theorem every_keepBelow (p : Nat → Prop) (k : Nat) (t : Bin Nat) (h : Every p t) :
    Every p (keepBelow k t) := by
  induction t with
  | tip => exact True.intro
  | bin l a r ihl ihr =>
    obtain ⟨h1, h2, h3⟩ := h
    simp only [keepBelow]
    split
    · exact ⟨h1, h2, ihr h3⟩
    · exact ihl h1

theorem ordered_keepBelow (k : Nat) (t : Bin Nat) (h : Ordered t) : Ordered (keepBelow k t) := by
  sorry

theorem mem_keepAbove (k x : Nat) (t : Bin Nat) (h : Ordered t) :
    x ∈ inorder (keepAbove k t) ↔ x ∈ inorder t ∧ k < x := by
  induction t with
  | tip => simp [keepAbove, inorder]
  | bin l a r ihl ihr =>
    obtain ⟨h1, h2, h3, h4⟩ := h
    rw [every_iff] at h2 h3
    simp only [keepAbove]
    split
    · rename_i ha
      simp only [inorder, List.mem_append, List.mem_cons]
      rw [ihl h1]
      constructor
      · rintro (hx | hx | hx)
        · exact ⟨Or.inl hx.1, hx.2⟩
        · exact ⟨Or.inr (Or.inl hx), by omega⟩
        · have h5 := h3 x hx
          exact ⟨Or.inr (Or.inr hx), by omega⟩
      · rintro ⟨hx | hx | hx, hk⟩
        · exact Or.inl ⟨hx, hk⟩
        · exact Or.inr (Or.inl hx)
        · exact Or.inr (Or.inr hx)
    · rename_i ha
      rw [ihr h4]
      simp only [inorder, List.mem_append, List.mem_cons]
      constructor
      · rintro ⟨hx, hk⟩
        exact ⟨Or.inr (Or.inr hx), hk⟩
      · rintro ⟨hx | hx | hx, hk⟩
        · have h5 := h2 x hx
          omega
        · omega
        · exact ⟨hx, hk⟩

theorem keepBelow_keepBelow (j k : Nat) (t : Bin Nat) (h : Ordered t) (hjk : j ≤ k) (x : Nat) :
    x ∈ inorder (keepBelow j t) → x ∈ inorder (keepBelow k t) := by
  rw [mem_keepBelow j x t h, mem_keepBelow k x t h]
  rintro ⟨h1, h2⟩
  exact ⟨h1, by omega⟩

theorem weight_keepBelow_le (k : Nat) (t : Bin Nat) : weight (keepBelow k t) ≤ weight t := by
  induction t with
  | tip => exact Nat.le_refl 0
  | bin l a r ihl ihr =>
    simp only [keepBelow]
    split
    · simp only [weight]
      omega
    · simp only [weight]
      omega

end Splitting

end Trees.Bin
