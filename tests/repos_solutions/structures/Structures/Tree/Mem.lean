import Structures.Tree.Ops

/-!
Values in a tree, properties of all values, symmetric trees.
-/

namespace Structures.Tree

variable {α β : Type}

inductive Mem (a : α) : Tree α → Prop where
  | here (l r : Tree α) : Mem a (node l a r)
  | left (l r : Tree α) (b : α) (h : Mem a l) : Mem a (node l b r)
  | right (l r : Tree α) (b : α) (h : Mem a r) : Mem a (node l b r)

inductive All (p : α → Prop) : Tree α → Prop where
  | leaf : All p leaf
  | node (l r : Tree α) (a : α) (hl : All p l) (ha : p a) (hr : All p r) : All p (node l a r)

def Symmetric (t : Tree α) : Prop := mirror t = t

open List in
def SameSize (s t : Tree α) : Prop := length (toList s) = length (toList t)

section Member

theorem mem_single (a : α) : Mem a (single a) := by
  apply Mem.here

theorem not_mem_leaf (a : α) : ¬ Mem a leaf := by
  intro h
  cases h

theorem mem_single_eq (a b : α) (h : Mem a (single b)) : a = b := by
  cases h with
  | here => rfl
  | left l r b h1 => cases h1
  | right l r b h1 => cases h1

theorem mem_node_cases (l r : Tree α) (a b : α) (h : Mem a (node l b r)) :
    a = b ∨ Mem a l ∨ Mem a r := by
  cases h with
  | here =>
    left
    rfl
  | left l r b h1 =>
    right
    left
    exact h1
  | right l r b h1 =>
    right
    right
    exact h1

theorem mem_mirror (a : α) (t : Tree α) (h : Mem a t) : Mem a (mirror t) := by
  induction h with
  | here l r => apply Mem.here
  | left l r b h ih =>
    apply Mem.right
    exact ih
  | right l r b h ih =>
    apply Mem.left
    exact ih

theorem mem_of_mirror (a : α) (t : Tree α) (h : Mem a (mirror t)) : Mem a t := by
  rw [← mirror_mirror t]
  apply mem_mirror
  exact h

theorem mem_map (f : α → β) (a : α) (t : Tree α) (h : Mem a t) : Mem (f a) (map f t) := by
  induction h with
  | here l r => apply Mem.here
  | left l r b h ih =>
    apply Mem.left
    exact ih
  | right l r b h ih =>
    apply Mem.right
    exact ih

theorem mem_graft (a : α) (s t : Tree α) (h : Mem a t) : Mem a (graft s t) := by
  induction h with
  | here l r => apply Mem.here
  | left l r b h ih =>
    apply Mem.left
    exact ih
  | right l r b h ih =>
    apply Mem.right
    exact ih

theorem mem_graft_right (a : α) (s t : Tree α) (h : Mem a s) : Mem a (graft s t) := by
  induction t with
  | leaf => exact h
  | node l b r ihl ihr =>
    apply Mem.left
    exact ihl

theorem mem_toList (a : α) (t : Tree α) (h : Mem a t) : a ∈ toList t := by
  induction h with
  | here l r => simp [toList]
  | left l r b h ih => simp [toList, ih]
  | right l r b h ih => simp [toList, ih]

theorem mem_size_pos (a : α) (t : Tree α) (h : Mem a t) : 0 < size t := by
  cases h with
  | here l r =>
    simp only [size]
    omega
  | left l r b h1 =>
    simp only [size]
    omega
  | right l r b h1 =>
    simp only [size]
    omega

theorem mem_spine_eq (a b : α) (n : Nat) (h : Mem a (spine b n)) : a = b := by
  induction n with
  | zero => cases h
  | succ n ih =>
    cases h with
    | here => rfl
    | left l r b h1 => cases h1
    | right l r b h1 => exact ih h1

theorem exists_mem_node (l r : Tree α) (a : α) : ∃ b, Mem b (node l a r) := by
  exists a
  apply Mem.here

theorem mem_le_sum (a : Nat) (t : Tree Nat) (h : Mem a t) : a ≤ sum t := by
  induction h with
  | here l r =>
    simp only [sum]
    omega
  | left l r b h ih =>
    simp only [sum]
    omega
  | right l r b h ih =>
    simp only [sum]
    omega

end Member

section AllValues

variable (p q : α → Prop)

theorem all_single (a : α) (h : p a) : All p (single a) := by
  apply All.node
  · exact All.leaf
  · exact h
  · exact All.leaf

theorem all_root (l r : Tree α) (a : α) (h : All p (node l a r)) : p a := by
  cases h with
  | node l r a hl ha hr => exact ha

theorem all_left (l r : Tree α) (a : α) (h : All p (node l a r)) : All p l := by
  cases h with
  | node l r a hl ha hr => exact hl

theorem all_right (l r : Tree α) (a : α) (h : All p (node l a r)) : All p r := by
  cases h with
  | node l r a hl ha hr => exact hr

theorem all_mono (h : ∀ a, p a → q a) (t : Tree α) (h1 : All p t) : All q t := by
  induction h1 with
  | leaf => exact All.leaf
  | node l r a hl ha hr ihl ihr =>
    apply All.node
    · exact ihl
    · exact h a ha
    · exact ihr

theorem all_of_forall (h : ∀ a, p a) (t : Tree α) : All p t := by
  induction t with
  | leaf => exact All.leaf
  | node l a r ihl ihr =>
    apply All.node
    · exact ihl
    · exact h a
    · exact ihr

theorem all_mirror (t : Tree α) (h : All p t) : All p (mirror t) := by
  induction h with
  | leaf => exact All.leaf
  | node l r a hl ha hr ihl ihr =>
    apply All.node
    · exact ihr
    · exact ha
    · exact ihl

theorem all_graft (s t : Tree α) (h1 : All p s) (h2 : All p t) : All p (graft s t) := by
  induction h2 with
  | leaf => exact h1
  | node l r a hl ha hr ihl ihr =>
    apply All.node
    · exact ihl
    · exact ha
    · exact ihr

theorem all_spine (a : α) (n : Nat) (h : p a) : All p (spine a n) := by
  induction n with
  | zero => exact All.leaf
  | succ n ih =>
    apply All.node
    · exact All.leaf
    · exact h
    · exact ih

theorem all_full (a : α) (n : Nat) (h : p a) : All p (full a n) := by
  induction n with
  | zero => exact All.leaf
  | succ n ih =>
    apply All.node
    · exact ih
    · exact h
    · exact ih

theorem all_and (t : Tree α) (h : All (fun a => p a ∧ q a) t) : All p t ∧ All q t := by
  induction h with
  | leaf =>
    constructor
    · exact All.leaf
    · exact All.leaf
  | node l r a hl ha hr ihl ihr =>
    constructor
    · exact All.node l r a ihl.1 ha.1 ihr.1
    · exact All.node l r a ihl.2 ha.2 ihr.2

theorem all_mem (a : α) (t : Tree α) (h : Mem a t) (h1 : All p t) : p a := by
  induction h with
  | here l r =>
    cases h1 with
    | node l r a hl ha hr => exact ha
  | left l r b h ih =>
    cases h1 with
    | node l r b hl hb hr => exact ih hl
  | right l r b h ih =>
    cases h1 with
    | node l r b hl hb hr => exact ih hr

theorem all_sum_zero (t : Tree Nat) (h : All (fun a => a = 0) t) : sum t = 0 := by
  induction h with
  | leaf => rfl
  | node l r a hl ha hr ihl ihr =>
    simp only [sum]
    omega

end AllValues

section Symmetry

theorem symmetric_leaf : Symmetric (leaf : Tree α) := by
  rfl

theorem symmetric_single (a : α) : Symmetric (single a) := by
  rfl

theorem symmetric_full (a : α) (n : Nat) : Symmetric (full a n) := by
  unfold Symmetric
  rw [mirror_full]

theorem symmetric_node (t : Tree α) (a : α) : Symmetric (node (mirror t) a t) := by
  unfold Symmetric
  simp only [mirror]
  rw [mirror_mirror]

theorem symmetric_map (f : α → β) (t : Tree α) (h : Symmetric t) : Symmetric (map f t) := by
  have h1 : ∀ s : Tree α, mirror (map f s) = map f (mirror s) := by
    intro s
    induction s with
    | leaf => rfl
    | node l a r ihl ihr => simp [map, mirror, ihl, ihr]
  unfold Symmetric
  rw [h1, h]

theorem symmetric_mirror (t : Tree α) (h : Symmetric t) : Symmetric (mirror t) := by
  unfold Symmetric
  rw [h, h]

theorem symmetric_graft (s t : Tree α) (h1 : Symmetric s) (h2 : Symmetric t) :
    Symmetric (graft s t) := by
  unfold Symmetric
  rw [mirror_graft, h1, h2]

theorem exists_symmetric (a : α) (n : Nat) : ∃ t : Tree α, depth t = n ∧ Symmetric t := by
  refine ⟨full a n, ?_, ?_⟩
  · induction n with
    | zero => rfl
    | succ n ih =>
      simp only [full, depth]
      omega
  · exact symmetric_full a n

theorem sameSize_mirror (t : Tree α) : SameSize (mirror t) t := by
  unfold SameSize
  rw [toList_mirror]
  simp

theorem sameSize_symm (s t : Tree α) (h : SameSize s t) : SameSize t s := by
  unfold SameSize
  rw [h]

theorem sameSize_trans (s t u : Tree α) (h1 : SameSize s t) (h2 : SameSize t u) : SameSize s u := by
  unfold SameSize
  rw [h1, h2]

end Symmetry

end Structures.Tree
