/-!
Binary trees and their fold: everything that recursion can compute is one fold, and folds may be
fused. Walks through a tree with an accumulator.
-/

namespace Trees

/-- Binary trees with values at the inner nodes. -/
inductive Bin (α : Type) where
  | tip : Bin α
  | bin (l : Bin α) (a : α) (r : Bin α) : Bin α

namespace Bin

variable {α β γ : Type}

/-- Replace `tip` by `z` and `bin` by `f`. -/
def fold (f : β → α → β → β) (z : β) : Bin α → β
  | tip => z
  | bin l a r => f (fold f z l) a (fold f z r)

def weight : Bin α → Nat
  | tip => 0
  | bin l _ r => weight l + weight r + 1

def height : Bin α → Nat
  | tip => 0
  | bin l _ r => max (height l) (height r) + 1

/-- The length of a shortest way to a tip. -/
def shallow : Bin α → Nat
  | tip => 0
  | bin l _ r => min (shallow l) (shallow r) + 1

/-- The values from left to right. -/
def inorder : Bin α → List α
  | tip => []
  | bin l a r => inorder l ++ a :: inorder r

/-- The same with an accumulator. -/
def inorderAcc (acc : List α) : Bin α → List α
  | tip => acc
  | bin l a r => inorderAcc (a :: inorderAcc acc r) l

/-- A walk from left to right that carries a state. -/
def walk (f : β → α → β) (s : β) : Bin α → β
  | tip => s
  | bin l a r => walk f (f (walk f s l) a) r

def fmap (f : α → β) : Bin α → Bin β
  | tip => tip
  | bin l a r => bin (fmap f l) (f a) (fmap f r)

def flip : Bin α → Bin α
  | tip => tip
  | bin l a r => bin (flip r) a (flip l)

/-- Number the nodes from left to right, from `n` on; also the next number. -/
def label (n : Nat) : Bin α → Bin Nat × Nat
  | tip => (tip, n)
  | bin l _ r =>
    let p := label n l
    let q := label (p.2 + 1) r
    (bin p.1 p.2 q.1, q.2)

/-- `p` holds for all values. -/
def Every (p : α → Prop) : Bin α → Prop
  | tip => True
  | bin l a r => Every p l ∧ p a ∧ Every p r

/-- All ways to a tip have the same length. -/
inductive Perfect : Nat → Bin α → Prop where
  | tip : Perfect 0 tip
  | bin (n : Nat) (l r : Bin α) (a : α) (hl : Perfect n l) (hr : Perfect n r) :
    Perfect (n + 1) (bin l a r)

section Folds

theorem fold_tip_bin (t : Bin α) : fold bin tip t = t := by
  induction t with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [fold]
    rw [ihl, ihr]

/-- What obeys the equations of a fold is that fold. -/
theorem fold_unique (h : Bin α → β) (f : β → α → β → β) (z : β) (h0 : h tip = z)
    (h1 : ∀ l a r, h (bin l a r) = f (h l) a (h r)) (t : Bin α) : h t = fold f z t := by
  induction t with
  | tip => exact h0
  | bin l a r ihl ihr =>
    rw [h1, ihl, ihr]
    rfl

theorem fold_fusion (h : β → γ) (f : β → α → β → β) (g : γ → α → γ → γ) (z : β)
    (hfg : ∀ x a y, h (f x a y) = g (h x) a (h y)) (t : Bin α) :
    h (fold f z t) = fold g (h z) t := by
  apply fold_unique (fun t => h (fold f z t))
  · rfl
  · intro l a r
    exact hfg _ a _

theorem weight_eq_fold (t : Bin α) : weight t = fold (fun x _ y => x + y + 1) 0 t := by
  apply fold_unique
  · rfl
  · intro l a r
    rfl

theorem fold_fmap (f : β → γ → β → β) (z : β) (g : α → γ) (t : Bin α) :
    fold f z (fmap g t) = fold (fun x a y => f x (g a) y) z t := by
  induction t with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [fmap, fold]
    rw [ihl, ihr]

theorem fold_flip (f : β → α → β → β) (z : β) (t : Bin α) :
    fold f z (flip t) = fold (fun x a y => f y a x) z t := by
  induction t with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [flip, fold]
    rw [ihl, ihr]

theorem fold_pair (f : β → α → β → β) (g : γ → α → γ → γ) (z : β) (w : γ) (t : Bin α) :
    fold (fun (x : β × γ) a y => (f x.1 a y.1, g x.2 a y.2)) (z, w) t = (fold f z t, fold g w t) := by
  symm
  apply fold_unique (fun t => (fold f z t, fold g w t))
  · rfl
  · intro l a r
    rfl

theorem fmap_eq_fold (g : α → β) (t : Bin α) :
    fmap g t = fold (fun l a r => bin l (g a) r) tip t := by
  apply fold_unique
  · rfl
  · intro l a r
    rfl

theorem flip_flip (t : Bin α) : flip (flip t) = t := by
  induction t with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [flip]
    rw [ihl, ihr]

theorem flip_fmap (f : α → β) (t : Bin α) : flip (fmap f t) = fmap f (flip t) := by
  induction t with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [fmap, flip]
    rw [ihl, ihr]

end Folds

section Walks

theorem inorderAcc_eq (acc : List α) (t : Bin α) : inorderAcc acc t = inorder t ++ acc := by
  induction t generalizing acc with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [inorderAcc, inorder]
    rw [ihl, ihr, List.append_assoc, List.cons_append]

theorem walk_eq_foldl (f : β → α → β) (s : β) (t : Bin α) :
    walk f s t = (inorder t).foldl f s := by
  induction t generalizing s with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [walk, inorder]
    rw [ihl, ihr, List.foldl_append, List.foldl_cons]

theorem length_inorder (t : Bin α) : (inorder t).length = weight t := by
  induction t with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [inorder, weight, List.length_append, List.length_cons]
    rw [ihl, ihr]
    omega

theorem inorder_flip (t : Bin α) : inorder (flip t) = (inorder t).reverse := by
  induction t with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [flip, inorder]
    rw [ihl, ihr, List.reverse_append, List.reverse_cons, List.append_assoc]
    rfl

theorem inorder_fmap (f : α → β) (t : Bin α) : inorder (fmap f t) = (inorder t).map f := by
  induction t with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [fmap, inorder]
    rw [ihl, ihr, List.map_append, List.map_cons]

theorem every_iff (p : α → Prop) (t : Bin α) : Every p t ↔ ∀ a ∈ inorder t, p a := by
  induction t with
  | tip =>
    constructor
    · intro _ a ha
      contradiction
    · intro _
      exact True.intro
  | bin l b r ihl ihr =>
    simp only [Every, inorder]
    rw [ihl, ihr]
    constructor
    · rintro ⟨h1, h2, h3⟩ a ha
      rcases List.mem_append.mp ha with h | h
      · exact h1 a h
      · rcases List.mem_cons.mp h with h | h
        · rw [h]
          exact h2
        · exact h3 a h
    · intro h
      refine ⟨?_, ?_, ?_⟩
      · intro a ha
        exact h a (List.mem_append_left _ ha)
      · exact h b (List.mem_append_right _ List.mem_cons_self)
      · intro a ha
        exact h a (List.mem_append_right _ (List.mem_cons_of_mem b ha))

theorem every_mono (p q : α → Prop) (h : ∀ a, p a → q a) (t : Bin α) (ht : Every p t) :
    Every q t := by
  induction t with
  | tip => exact True.intro
  | bin l a r ihl ihr => exact ⟨ihl ht.1, h a ht.2.1, ihr ht.2.2⟩

theorem every_flip (p : α → Prop) (t : Bin α) : Every p (flip t) ↔ Every p t := by
  rw [every_iff, every_iff, inorder_flip]
  constructor
  · intro h a ha
    exact h a (List.mem_reverse.mpr ha)
  · intro h a ha
    exact h a (List.mem_reverse.mp ha)

theorem every_fmap (p : β → Prop) (f : α → β) (t : Bin α) :
    Every p (fmap f t) ↔ Every (fun a => p (f a)) t := by
  induction t with
  | tip => exact Iff.rfl
  | bin l a r ihl ihr =>
    simp only [fmap, Every]
    rw [ihl, ihr]

theorem every_and (p q : α → Prop) (t : Bin α) :
    Every (fun a => p a ∧ q a) t ↔ Every p t ∧ Every q t := by
  rw [every_iff, every_iff, every_iff]
  constructor
  · intro h
    exact ⟨fun a ha => (h a ha).1, fun a ha => (h a ha).2⟩
  · rintro ⟨h1, h2⟩ a ha
    exact ⟨h1 a ha, h2 a ha⟩

theorem label_next (n : Nat) (t : Bin α) : (label n t).2 = n + weight t := by
  induction t generalizing n with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [label, weight]
    rw [ihr, ihl]
    omega

theorem inorder_label (n : Nat) (t : Bin α) :
    inorder (label n t).1 = List.range' n (weight t) := by
  induction t generalizing n with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [label, inorder, weight]
    rw [ihl, ihr, label_next]
    have h : weight l + weight r + 1 = weight l + (weight r + 1) := by omega
    rw [h, ← List.range'_append_1, List.range'_succ]

theorem weight_label (n : Nat) (t : Bin α) : weight (label n t).1 = weight t := by
  induction t generalizing n with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [label, weight]
    rw [ihl, ihr]

end Walks

section Measures

theorem shallow_le_height (t : Bin α) : shallow t ≤ height t := by
  induction t with
  | tip => exact Nat.le_refl 0
  | bin l a r ihl ihr =>
    simp only [shallow, height]
    omega

theorem weight_lt_pow (t : Bin α) : weight t < 2 ^ height t := by
  induction t with
  | tip => exact Nat.one_pos
  | bin l a r ihl ihr =>
    simp only [weight, height]
    have h1 : 2 ^ height l ≤ 2 ^ max (height l) (height r) :=
      Nat.pow_le_pow_right (by omega) (Nat.le_max_left _ _)
    have h2 : 2 ^ height r ≤ 2 ^ max (height l) (height r) :=
      Nat.pow_le_pow_right (by omega) (Nat.le_max_right _ _)
    rw [Nat.pow_succ]
    omega

theorem pow_shallow_le (t : Bin α) : 2 ^ shallow t ≤ weight t + 1 := by
  induction t with
  | tip => exact Nat.le_refl 1
  | bin l a r ihl ihr =>
    simp only [weight, shallow]
    have h1 : 2 ^ min (shallow l) (shallow r) ≤ 2 ^ shallow l :=
      Nat.pow_le_pow_right (by omega) (Nat.min_le_left _ _)
    have h2 : 2 ^ min (shallow l) (shallow r) ≤ 2 ^ shallow r :=
      Nat.pow_le_pow_right (by omega) (Nat.min_le_right _ _)
    rw [Nat.pow_succ]
    omega

theorem perfect_height (n : Nat) (t : Bin α) (h : Perfect n t) : height t = n := by
  induction h with
  | tip => rfl
  | bin n l r a _ _ ihl ihr =>
    simp only [height]
    rw [ihl, ihr, Nat.max_self]

theorem perfect_weight (n : Nat) (t : Bin α) (h : Perfect n t) : weight t + 1 = 2 ^ n := by
  induction h with
  | tip => rfl
  | bin n l r a _ _ ihl ihr =>
    simp only [weight]
    rw [Nat.pow_succ, ← ihl]
    omega

theorem perfect_iff (t : Bin α) : Perfect (height t) t ↔ shallow t = height t := by
  constructor
  · have key : ∀ n s, Perfect n s → shallow (α := α) s = n := by
      intro n s h
      induction h with
      | tip => rfl
      | bin n l r a _ _ ihl ihr =>
        simp only [shallow]
        rw [ihl, ihr, Nat.min_self]
    intro h
    exact key _ t h
  · intro h
    induction t with
    | tip => exact Perfect.tip
    | bin l a r ihl ihr =>
      simp only [shallow, height] at h
      have hl := shallow_le_height l
      have hr := shallow_le_height r
      have h1 : height r = height l := by omega
      have h2 := ihr (by omega)
      rw [h1] at h2
      simp only [height]
      rw [h1, Nat.max_self]
      exact Perfect.bin _ l r a (ihl (by omega)) h2

theorem perfect_flip (n : Nat) (t : Bin α) (h : Perfect n t) : Perfect n (flip t) := by
  induction h with
  | tip => exact Perfect.tip
  | bin n l r a _ _ ihl ihr => exact Perfect.bin n _ _ a ihr ihl

theorem height_flip (t : Bin α) : height (flip t) = height t := by
  induction t with
  | tip => rfl
  | bin l a r ihl ihr =>
    simp only [flip, height]
    rw [ihl, ihr, Nat.max_comm]

end Measures

end Bin

end Trees
