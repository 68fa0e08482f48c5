import Trees.Fold

/-!
Heaps: binary trees whose least value is at the root, with merging as the one operation that all
others are made of. The children are exchanged at each merge, so that the tree stays shallow.
-/

namespace Trees.Bin

/-- No value below a node is less than the node's own. -/
def Heap : Bin Nat → Prop
  | tip => True
  | bin l a r => Heap l ∧ Every (a ≤ ·) l ∧ Every (a ≤ ·) r ∧ Heap r

/-- Merge two heaps. -/
def merge : Bin Nat → Bin Nat → Bin Nat
  | tip, t => t
  | bin l a r, tip => bin l a r
  | bin l a r, bin l' b r' =>
    if a ≤ b then bin (merge r (bin l' b r')) a l else bin (merge (bin l a r) r') b l'
termination_by s t => weight s + weight t
decreasing_by
  all_goals
    simp only [weight]
    omega

def push (a : Nat) (t : Bin Nat) : Bin Nat := merge (bin tip a tip) t

/-- The heap without its root. -/
def pop : Bin Nat → Bin Nat
  | tip => tip
  | bin l _ r => merge l r

/-- The root, if there is one. -/
def peek : Bin Nat → Option Nat
  | tip => none
  | bin _ a _ => some a

def build : List Nat → Bin Nat
  | [] => tip
  | a :: as => push a (build as)

/-- The values from the least to the largest: take the root `n` times. -/
def drain : Nat → Bin Nat → List Nat
  | 0, _ => []
  | _ + 1, tip => []
  | n + 1, bin l a r => a :: drain n (merge l r)

/-- How often `x` is in a tree. -/
def occurs (x : Nat) : Bin Nat → Nat
  | tip => 0
  | bin l a r => occurs x l + occurs x r + if a = x then 1 else 0

def total : Bin Nat → Nat
  | tip => 0
  | bin l a r => total l + total r + a

section Merging

theorem tip_merge (t : Bin Nat) : merge tip t = t := by
  rw [merge]

theorem merge_tip (t : Bin Nat) : merge t tip = t := by
  cases t with
  | tip => rw [merge]
  | bin l a r => rw [merge]

theorem merge_left (l r l' r' : Bin Nat) (a b : Nat) (h : a ≤ b) :
    merge (bin l a r) (bin l' b r') = bin (merge r (bin l' b r')) a l := by
  rw [merge, if_pos h]

theorem merge_right (l r l' r' : Bin Nat) (a b : Nat) (h : ¬ a ≤ b) :
    merge (bin l a r) (bin l' b r') = bin (merge (bin l a r) r') b l' := by
  rw [merge, if_neg h]

theorem weight_merge (s t : Bin Nat) : weight (merge s t) = weight s + weight t := by
  induction s, t using merge.induct with
  | case1 t =>
    rw [tip_merge, weight, Nat.zero_add]
  | case2 l a r =>
    rw [merge_tip, weight, weight, Nat.add_zero]
  | case3 l a r l' b r' h ih =>
    rw [merge_left _ _ _ _ _ _ h]
    simp only [weight] at *
    omega
  | case4 l a r l' b r' h ih =>
    rw [merge_right _ _ _ _ _ _ h]
    simp only [weight] at *
    omega

theorem total_merge (s t : Bin Nat) : total (merge s t) = total s + total t := by
  induction s, t using merge.induct with
  | case1 t =>
    rw [tip_merge, total, Nat.zero_add]
  | case2 l a r =>
    rw [merge_tip, total, total, Nat.add_zero]
  | case3 l a r l' b r' h ih =>
    rw [merge_left _ _ _ _ _ _ h]
    simp only [total] at *
    omega
  | case4 l a r l' b r' h ih =>
    rw [merge_right _ _ _ _ _ _ h]
    simp only [total] at *
    omega

theorem occurs_merge (x : Nat) (s t : Bin Nat) :
    occurs x (merge s t) = occurs x s + occurs x t := by
  induction s, t using merge.induct with
  | case1 t =>
    rw [tip_merge, occurs, Nat.zero_add]
  | case2 l a r =>
    rw [merge_tip, occurs, occurs, Nat.add_zero]
  | case3 l a r l' b r' h ih =>
    rw [merge_left _ _ _ _ _ _ h]
    simp only [occurs] at *
    omega
  | case4 l a r l' b r' h ih =>
    rw [merge_right _ _ _ _ _ _ h]
    simp only [occurs] at *
    omega

theorem every_merge (p : Nat → Prop) (s t : Bin Nat) :
    Every p (merge s t) ↔ Every p s ∧ Every p t := by
  induction s, t using merge.induct with
  | case1 t =>
    rw [tip_merge]
    simp only [Every, true_and]
  | case2 l a r =>
    rw [merge_tip]
    simp only [Every, and_true]
  | case3 l a r l' b r' h ih =>
    rw [merge_left _ _ _ _ _ _ h]
    simp only [Every] at *
    rw [ih]
    constructor
    · rintro ⟨⟨h1, h2⟩, h3, h4⟩
      exact ⟨⟨h4, h3, h1⟩, h2⟩
    · rintro ⟨⟨h4, h3, h1⟩, h2⟩
      exact ⟨⟨h1, h2⟩, h3, h4⟩
  | case4 l a r l' b r' h ih =>
    rw [merge_right _ _ _ _ _ _ h]
    simp only [Every] at *
    rw [ih]
    constructor
    · rintro ⟨⟨h1, h2⟩, h3, h4⟩
      exact ⟨h1, h4, h3, h2⟩
    · rintro ⟨h1, h4, h3, h2⟩
      exact ⟨⟨h1, h2⟩, h3, h4⟩

/-- Every value of a heap is at least what is at most its root. -/
theorem every_of_root (l r : Bin Nat) (a b : Nat) (h : Heap (bin l a r)) (hb : b ≤ a) :
    Every (b ≤ ·) (bin l a r) := by
  obtain ⟨_, h2, h3, _⟩ := h
  refine ⟨?_, hb, ?_⟩
  · apply every_mono _ _ _ l h2
    intro x hx
    exact Nat.le_trans hb hx
  · apply every_mono _ _ _ r h3
    intro x hx
    exact Nat.le_trans hb hx

theorem heap_merge (s t : Bin Nat) (hs : Heap s) (ht : Heap t) : Heap (merge s t) := by
  induction s, t using merge.induct with
  | case1 t =>
    rw [tip_merge]
    exact ht
  | case2 l a r =>
    rw [merge_tip]
    exact hs
  | case3 l a r l' b r' h ih =>
    rw [merge_left _ _ _ _ _ _ h]
    have h5 := every_of_root l' r' b a ht h
    obtain ⟨h1, h2, h3, h4⟩ := hs
    refine ⟨ih h4 ht, ?_, h2, h1⟩
    rw [every_merge]
    exact ⟨h3, h5⟩
  | case4 l a r l' b r' h ih =>
    rw [merge_right _ _ _ _ _ _ h]
    have h5 := every_of_root l r a b hs (by omega)
    obtain ⟨h1, h2, h3, h4⟩ := ht
    refine ⟨ih hs h4, ?_, h2, h1⟩
    rw [every_merge]
    exact ⟨h5, h3⟩

theorem heap_push (a : Nat) (t : Bin Nat) (h : Heap t) : Heap (push a t) := by
  apply heap_merge
  · exact ⟨True.intro, True.intro, True.intro, True.intro⟩
  · exact h

theorem heap_pop (t : Bin Nat) (h : Heap t) : Heap (pop t) := by
  cases t with
  | tip => exact True.intro
  | bin l a r =>
    obtain ⟨h1, _, _, h4⟩ := h
    exact heap_merge l r h1 h4

theorem heap_build (as : List Nat) : Heap (build as) := by
  induction as with
  | nil => exact True.intro
  | cons a as ih => exact heap_push a _ ih

theorem weight_build (as : List Nat) : weight (build as) = as.length := by
  induction as with
  | nil => rfl
  | cons a as ih =>
    simp only [build, push]
    rw [weight_merge, ih, List.length_cons]
    simp only [weight]
    omega

theorem occurs_build (x : Nat) (as : List Nat) : occurs x (build as) = as.count x := by
  induction as with
  | nil => rfl
  | cons a as ih =>
    simp only [build, push]
    rw [occurs_merge, ih, List.count_cons]
    simp only [occurs, beq_iff_eq]
    omega

theorem weight_pop (t : Bin Nat) : weight (pop t) = weight t - 1 := by
  cases t with
  | tip => rfl
  | bin l a r =>
    simp only [pop, weight]
    rw [weight_merge]
    omega

theorem merge_eq_tip_iff (s t : Bin Nat) : merge s t = tip ↔ s = tip ∧ t = tip := by
  constructor
  · intro h
    have h1 := weight_merge s t
    rw [h] at h1
    cases s with
    | tip =>
      rw [tip_merge] at h
      exact ⟨rfl, h⟩
    | bin l a r =>
      simp only [weight] at h1
      omega
  · rintro ⟨h1, h2⟩
    rw [h1, h2, tip_merge]

end Merging

section Minimum

theorem peek_le (t : Bin Nat) (a : Nat) (h : Heap t) (ha : peek t = some a) :
    Every (a ≤ ·) t := by
  cases t with
  | tip => contradiction
  | bin l b r =>
    simp only [peek, Option.some.injEq] at ha
    rw [← ha]
    exact every_of_root l r b b h (Nat.le_refl b)

theorem peek_merge (s t : Bin Nat) (a b : Nat) (hs : peek s = some a) (ht : peek t = some b) :
    peek (merge s t) = some (min a b) := by
  cases s with
  | tip => contradiction
  | bin l x r =>
    cases t with
    | tip => contradiction
    | bin l' y r' =>
      simp only [peek, Option.some.injEq] at hs ht
      subst hs ht
      by_cases h : x ≤ y
      · rw [merge_left _ _ _ _ _ _ h, peek, Nat.min_eq_left h]
      · rw [merge_right _ _ _ _ _ _ h, peek, Nat.min_eq_right (by omega)]

theorem peek_push (a : Nat) (t : Bin Nat) : ∃ b, peek (push a t) = some b ∧ b ≤ a := by
  cases t with
  | tip =>
    refine ⟨a, ?_, Nat.le_refl a⟩
    unfold push
    rw [merge_tip, peek]
  | bin l b r =>
    unfold push
    by_cases h : a ≤ b
    · refine ⟨a, ?_, Nat.le_refl a⟩
      rw [merge_left _ _ _ _ _ _ h, peek]
    · refine ⟨b, ?_, by omega⟩
      rw [merge_right _ _ _ _ _ _ h, peek]

theorem peek_of_occurs (x : Nat) (t : Bin Nat) (h : 0 < occurs x t) : ∃ a, peek t = some a := by
  cases t with
  | tip => contradiction
  | bin l a r => exact ⟨a, rfl⟩

theorem occurs_pos_iff (x : Nat) (t : Bin Nat) : 0 < occurs x t ↔ x ∈ inorder t := by
  induction t with
  | tip => simp [occurs, inorder]
  | bin l a r ihl ihr =>
    simp only [occurs, inorder, List.mem_append, List.mem_cons]
    rw [← ihl, ← ihr]
    split
    · constructor
      · intro _
        right
        left
        omega
      · intro _
        omega
    · constructor
      · intro h1
        by_cases h2 : 0 < occurs x l
        · exact Or.inl h2
        · exact Or.inr (Or.inr (by omega))
      · rintro (h1 | h1 | h1)
        · omega
        · omega
        · omega

theorem least_of_heap (t : Bin Nat) (a x : Nat) (h : Heap t) (ha : peek t = some a)
    (hx : 0 < occurs x t) : a ≤ x := by
  have h1 := peek_le t a h ha
  rw [every_iff] at h1
  apply h1
  rw [← occurs_pos_iff]
  exact hx

end Minimum

section Sorting

theorem drain_tip (n : Nat) : drain n tip = [] := by
  cases n with
  | zero => rfl
  | succ n => rfl

theorem mem_drain (n : Nat) (t : Bin Nat) (x : Nat) (h : x ∈ drain n t) : 0 < occurs x t := by
  induction n generalizing t with
  | zero => contradiction
  | succ n ih =>
    cases t with
    | tip => contradiction
    | bin l a r =>
      simp only [drain] at h
      simp only [occurs]
      rcases List.mem_cons.mp h with h1 | h1
      · rw [if_pos h1.symm]
        omega
      · have h2 := ih _ h1
        rw [occurs_merge] at h2
        omega

theorem drain_sorted (n : Nat) (t : Bin Nat) (h : Heap t) : (drain n t).Pairwise (· ≤ ·) := by
  induction n generalizing t with
  | zero => exact List.Pairwise.nil
  | succ n ih =>
    cases t with
    | tip => exact List.Pairwise.nil
    | bin l a r =>
      obtain ⟨h1, h2, h3, h4⟩ := h
      simp only [drain]
      rw [List.pairwise_cons]
      refine ⟨?_, ih _ (heap_merge l r h1 h4)⟩
      intro x hx
      have h5 := mem_drain n _ x hx
      rw [occurs_pos_iff] at h5
      have h6 : Every (a ≤ ·) (merge l r) := by
        rw [every_merge]
        exact ⟨h2, h3⟩
      rw [every_iff] at h6
      exact h6 x h5

theorem length_drain (n : Nat) (t : Bin Nat) (h : weight t ≤ n) :
    (drain n t).length = weight t := by
  induction n generalizing t with
  | zero =>
    have h1 : weight t = 0 := by omega
    rw [h1]
    rfl
  | succ n ih =>
    cases t with
    | tip => rfl
    | bin l a r =>
      simp only [weight] at h
      simp only [drain, weight, List.length_cons]
      rw [ih, weight_merge]
      rw [weight_merge]
      omega

theorem count_drain (n : Nat) (t : Bin Nat) (x : Nat) (h : weight t ≤ n) :
    (drain n t).count x = occurs x t := by
  induction n generalizing t with
  | zero =>
    cases t with
    | tip => rfl
    | bin l a r =>
      simp only [weight] at h
      omega
  | succ n ih =>
    cases t with
    | tip => rfl
    | bin l a r =>
      simp only [weight] at h
      simp only [drain, occurs]
      rw [List.count_cons, ih, occurs_merge]
      · simp only [beq_iff_eq]
      · rw [weight_merge]
        omega

theorem heap_sort (as : List Nat) :
    (drain as.length (build as)).Pairwise (· ≤ ·) := by
  apply drain_sorted
  exact heap_build as

theorem sum_inorder (t : Bin Nat) : (inorder t).sum = total t := by
  induction t with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [inorder, total, List.sum_append_nat, List.sum_cons]
    rw [ihl, ihr]
    omega

end Sorting

end Trees.Bin
