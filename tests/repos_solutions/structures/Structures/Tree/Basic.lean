/-!
Binary trees with values at the inner nodes.
-/

namespace Structures

inductive Tree (α : Type) where
  | leaf : Tree α
  | node (l : Tree α) (a : α) (r : Tree α) : Tree α

namespace Tree

variable {α β γ : Type}

/-- The number of inner nodes. -/
def size : Tree α → Nat
  | leaf => 0
  | node l _ r => size l + 1 + size r

def leaves : Tree α → Nat
  | leaf => 1
  | node l _ r => leaves l + leaves r

def depth : Tree α → Nat
  | leaf => 0
  | node l _ r => max (depth l) (depth r) + 1

def mirror : Tree α → Tree α
  | leaf => leaf
  | node l a r => node (mirror r) a (mirror l)

def map (f : α → β) : Tree α → Tree β
  | leaf => leaf
  | node l a r => node (map f l) (f a) (map f r)

def sum : Tree Nat → Nat
  | leaf => 0
  | node l a r => sum l + a + sum r

def single (a : α) : Tree α := node leaf a leaf

/-- A tree that is a list to the right. -/
def spine (a : α) : Nat → Tree α
  | 0 => leaf
  | n + 1 => node leaf a (spine a n)

def full (a : α) : Nat → Tree α
  | 0 => leaf
  | n + 1 => node (full a n) a (full a n)

theorem size_leaf : size (leaf : Tree α) = 0 := by
  rfl

theorem size_single (a : α) : size (single a) = 1 := by
  rfl

theorem leaves_single (a : α) : leaves (single a) = 2 := by
  rfl

theorem size_node (l r : Tree α) (a : α) : size (node l a r) = size l + 1 + size r := by
  rfl

theorem leaves_eq_size_succ (t : Tree α) : leaves t = size t + 1 := by
  induction t with
  | leaf => rfl
  | node l a r ihl ihr =>
    simp only [leaves, size]
    omega

theorem leaves_pos (t : Tree α) : 0 < leaves t := by
  induction t with
  | leaf => simp [leaves]
  | node l a r ihl ihr =>
    simp only [leaves]
    omega

theorem size_lt_leaves (t : Tree α) : size t < leaves t := by
  induction t with
  | leaf => simp [size, leaves]
  | node l a r ihl ihr =>
    simp only [leaves, size]
    omega

theorem depth_le_size (t : Tree α) : depth t ≤ size t := by
  induction t with
  | leaf => simp [depth, size]
  | node l a r ihl ihr =>
    simp only [depth, size]
    omega

theorem depth_lt_leaves (t : Tree α) : depth t < leaves t := by
  induction t with
  | leaf => simp [depth, leaves]
  | node l a r ihl ihr =>
    have h := leaves_pos l
    have h1 := leaves_pos r
    simp only [depth, leaves]
    omega

theorem size_eq_zero (t : Tree α) (h : size t = 0) : t = leaf := by
  cases t with
  | leaf => rfl
  | node l a r =>
    simp only [size] at h
    omega

theorem depth_eq_zero (t : Tree α) (h : depth t = 0) : t = leaf := by
  cases t with
  | leaf => rfl
  | node l a r => simp [depth] at h

theorem leaves_eq_one (t : Tree α) (h : leaves t = 1) : t = leaf := by
  cases t with
  | leaf => rfl
  | node l a r =>
    have h1 := leaves_pos l
    have h2 := leaves_pos r
    simp only [leaves] at h
    omega

theorem node_ne_leaf (l r : Tree α) (a : α) : node l a r ≠ leaf := by
  intro h
  injection h

theorem node_inj_left (l r l' r' : Tree α) (a b : α) (h : node l a r = node l' b r') :
    l = l' := by
  injection h

theorem node_inj_value (l r l' r' : Tree α) (a b : α) (h : node l a r = node l' b r') :
    a = b := by
  injection h

theorem size_spine (a : α) (n : Nat) : size (spine a n) = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [spine, size]
    omega

theorem leaves_spine (a : α) (n : Nat) : leaves (spine a n) = n + 1 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [spine, leaves]
    omega

theorem depth_spine (a : α) (n : Nat) : depth (spine a n) = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [spine, depth]
    omega

theorem depth_full (a : α) (n : Nat) : depth (full a n) = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [full, depth]
    omega

theorem leaves_full (a : α) (n : Nat) : leaves (full a n) = 2 ^ n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [full, leaves]
    rw [ih, Nat.pow_succ]
    omega

theorem exists_tree_size (a : α) (n : Nat) : ∃ t : Tree α, size t = n := by
  exists spine a n
  exact size_spine a n

theorem exists_tree_depth (a : α) (n : Nat) : ∃ t : Tree α, depth t = n := by
  exists spine a n
  exact depth_spine a n

theorem leaf_or_node (t : Tree α) : t = leaf ∨ ∃ l a r, t = node l a r := by
  cases t with
  | leaf =>
    left
    rfl
  | node l a r =>
    right
    exact ⟨l, a, r, rfl⟩

end Tree

end Structures
