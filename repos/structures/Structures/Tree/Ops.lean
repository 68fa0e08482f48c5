import Structures.Data.Seq
import Structures.Tree.Basic

/-!
Operations on trees: mirror image, mapping, flattening to a list, grafting.
-/

namespace Structures.Tree

variable {α β γ : Type}

/-- The values from left to right. -/
def toList : Tree α → List α
  | leaf => []
  | node l a r => toList l ++ₗ a :: toList r

/-- The values with each node before its children. -/
def preorder : Tree α → List α
  | leaf => []
  | node l a r => a :: (preorder l ++ₗ preorder r)

/-- Put the tree `s` at every leaf. -/
def graft (s : Tree α) : Tree α → Tree α
  | leaf => s
  | node l a r => node (graft s l) a (graft s r)

def leftmost (d : α) : Tree α → α
  | leaf => d
  | node l a _ => leftmost a l

def rightmost (d : α) : Tree α → α
  | leaf => d
  | node _ a r => rightmost a r

section Mirror

theorem mirror_mirror (t : Tree α) : mirror (mirror t) = t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp [mirror, ihl, ihr]

theorem size_mirror (t : Tree α) : size (mirror t) = size t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr =>
    simp only [mirror, size]
    omega

theorem leaves_mirror (t : Tree α) : leaves (mirror t) = leaves t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr =>
    simp only [mirror, leaves]
    omega

theorem depth_mirror (t : Tree α) : depth (mirror t) = depth t := by
  sorry

theorem sum_mirror (t : Tree Nat) : sum (mirror t) = sum t := by
  sorry

theorem mirror_single (a : α) : mirror (single a) = single a := by
  rfl

theorem mirror_full (a : α) (n : Nat) : mirror (full a n) = full a n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [full, mirror, ih]

theorem mirror_inj (s t : Tree α) (h : mirror s = mirror t) : s = t := by
  rw [← mirror_mirror s, h, mirror_mirror]

theorem mirror_eq_leaf (t : Tree α) (h : mirror t = leaf) : t = leaf := by
  cases t with
  | leaf => rfl
  | node l a r => contradiction

theorem mirror_surj (t : Tree α) : ∃ s, mirror s = t := by
  exists mirror t
  exact mirror_mirror t

theorem leftmost_mirror (d : α) (t : Tree α) : leftmost d (mirror t) = rightmost d t := by
  induction t generalizing d with
  | leaf => rfl
  | node l a r ihl ihr =>
    simp only [mirror, leftmost, rightmost]
    exact ihr a

theorem rightmost_mirror (d : α) (t : Tree α) : rightmost d (mirror t) = leftmost d t := by
  sorry

end Mirror

section Map

theorem map_id (t : Tree α) : map (fun a => a) t = t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp [map, ihl, ihr]

theorem map_map (f : α → β) (g : β → γ) (t : Tree α) :
    map g (map f t) = map (fun a => g (f a)) t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp [map, ihl, ihr]

theorem size_map (f : α → β) (t : Tree α) : size (map f t) = size t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp [map, size, ihl, ihr]

theorem leaves_map (f : α → β) (t : Tree α) : leaves (map f t) = leaves t := by
  sorry

theorem depth_map (f : α → β) (t : Tree α) : depth (map f t) = depth t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp [map, depth, ihl, ihr]

theorem map_mirror (f : α → β) (t : Tree α) : map f (mirror t) = mirror (map f t) := by
  sorry

theorem map_spine (f : α → β) (a : α) (n : Nat) : map f (spine a n) = spine (f a) n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [spine, map, ih]

theorem map_full (f : α → β) (a : α) (n : Nat) : map f (full a n) = full (f a) n := by
  sorry

theorem map_congr (f g : α → β) (h : ∀ a, f a = g a) (t : Tree α) : map f t = map g t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr =>
    simp only [map]
    rw [ihl, ihr, h]

theorem sum_map_zero (t : Tree α) : sum (map (fun _ => 0) t) = 0 := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp [map, sum, ihl, ihr]

theorem sum_map_one (t : Tree α) : sum (map (fun _ => 1) t) = size t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp [map, sum, size, ihl, ihr]

theorem sum_map_double (t : Tree Nat) : sum (map (fun a => 2 * a) t) = 2 * sum t := by
  sorry

theorem sum_map_succ (t : Tree Nat) : sum (map (fun a => a + 1) t) = sum t + size t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr =>
    simp only [map, sum, size]
    omega

end Map

section Flatten

theorem length_toList (t : Tree α) : (toList t).length = size t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr =>
    simp [toList, size, ihl, ihr]
    omega

theorem length_preorder (t : Tree α) : (preorder t).length = size t := by
  sorry

theorem toList_mirror (t : Tree α) : toList (mirror t) = (toList t).reverse := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp [toList, mirror, ihl, ihr]

theorem toList_map (f : α → β) (t : Tree α) : toList (map f t) = (toList t).map f := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp [toList, map, ihl, ihr]

theorem preorder_map (f : α → β) (t : Tree α) : preorder (map f t) = (preorder t).map f := by
  sorry

theorem toList_spine (a : α) (n : Nat) : toList (spine a n) = List.replicate n a := by
  induction n with
  | zero => rfl
  | succ n ih => simp [spine, toList, ih, List.replicate_succ]

theorem toList_eq_nil (t : Tree α) (h : toList t = []) : t = leaf := by
  cases t with
  | leaf => rfl
  | node l a r => simp [toList] at h

theorem preorder_eq_nil (t : Tree α) (h : preorder t = []) : t = leaf := by
  sorry

theorem sum_toList (t : Tree Nat) : (toList t).sum = sum t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr =>
    simp [toList, sum, ihl, ihr]
    omega

end Flatten

section Graft

theorem graft_leaf (t : Tree α) : graft leaf t = t := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp [graft, ihl, ihr]

theorem graft_assoc (s t u : Tree α) : graft s (graft t u) = graft (graft s t) u := by
  induction u with
  | leaf => rfl
  | node l a r ihl ihr => simp [graft, ihl, ihr]

theorem mirror_graft (s t : Tree α) : mirror (graft s t) = graft (mirror s) (mirror t) := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr => simp [graft, mirror, ihl, ihr]

theorem map_graft (f : α → β) (s t : Tree α) : map f (graft s t) = graft (map f s) (map f t) := by
  sorry

theorem leaves_graft (s t : Tree α) : leaves (graft s t) = leaves t * leaves s := by
  induction t with
  | leaf => simp [graft, leaves]
  | node l a r ihl ihr =>
    simp only [graft, leaves]
    rw [ihl, ihr, Nat.add_mul]

theorem size_le_graft (s t : Tree α) : size t ≤ size (graft s t) := by
  induction t with
  | leaf => simp [size]
  | node l a r ihl ihr =>
    simp only [graft, size]
    omega

theorem depth_graft (s t : Tree α) : depth (graft s t) ≤ depth t + depth s := by
  sorry

theorem graft_spine (a : α) (n : Nat) : graft leaf (spine a n) = spine a n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [spine, graft, ih]

end Graft

end Structures.Tree
