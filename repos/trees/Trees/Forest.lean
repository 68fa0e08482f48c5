/-!
Forests: trees with any number of children, written as first child and next sibling, so that one
recursion does for trees and for lists of them.
-/

namespace Trees

/-- A list of trees: the first one has a value and a forest of children. -/
inductive Forest (α : Type) where
  | none : Forest α
  | tree (a : α) (children rest : Forest α) : Forest α

namespace Forest

variable {α β : Type}

/-- The number of values. -/
def size : Forest α → Nat
  | none => 0
  | tree _ c r => size c + size r + 1

/-- The number of trees. -/
def width : Forest α → Nat
  | none => 0
  | tree _ _ r => width r + 1

/-- The number of values on a longest way down. -/
def depth : Forest α → Nat
  | none => 0
  | tree _ c r => max (depth c + 1) (depth r)

/-- The number of values without children. -/
def leaves : Forest α → Nat
  | none => 0
  | tree _ none r => leaves r + 1
  | tree _ (tree b c d) r => leaves (tree b c d) + leaves r

/-- Put one forest behind the other. -/
def append : Forest α → Forest α → Forest α
  | none, g => g
  | tree a c r, g => tree a c (append r g)

/-- Turn the order of the trees around, and that of children. -/
def mirror : Forest α → Forest α
  | none => none
  | tree a c r => append (mirror r) (tree a (mirror c) none)

def map (f : α → β) : Forest α → Forest β
  | none => none
  | tree a c r => tree (f a) (map f c) (map f r)

/-- Each value before its children. -/
def pre : Forest α → List α
  | none => []
  | tree a c r => a :: (pre c ++ pre r)

/-- Each value behind its children. -/
def post : Forest α → List α
  | none => []
  | tree a c r => post c ++ a :: post r

/-- The values at a distance from the roots. -/
def level : Nat → Forest α → List α
  | _, none => []
  | 0, tree a _ r => a :: level 0 r
  | n + 1, tree _ c r => level n c ++ level (n + 1) r

/-- Keep the trees whose roots have a property, without their children. -/
def prune (p : α → Bool) : Forest α → Forest α
  | none => none
  | tree a c r => if p a then tree a (prune p c) (prune p r) else prune p r

/-- Values inside a forest. -/
inductive Inside (a : α) : Forest α → Prop where
  | root (c r : Forest α) : Inside a (tree a c r)
  | child (b : α) (c r : Forest α) (h : Inside a c) : Inside a (tree b c r)
  | later (b : α) (c r : Forest α) (h : Inside a r) : Inside a (tree b c r)

section Appending

theorem append_none (f : Forest α) : append f none = f := by
  induction f with
  | none => rfl
  | tree a c r _ ihr =>
    simp only [append]
    rw [ihr]

theorem append_assoc (f g h : Forest α) : append (append f g) h = append f (append g h) := by
  induction f with
  | none => rfl
  | tree a c r _ ihr =>
    simp only [append]
    rw [ihr]

theorem size_append (f g : Forest α) : size (append f g) = size f + size g := by
  induction f with
  | none => exact (Nat.zero_add _).symm
  | tree a c r _ ihr =>
    simp only [append, size]
    rw [ihr]
    omega

theorem width_append (f g : Forest α) : width (append f g) = width f + width g := by
  induction f with
  | none => exact (Nat.zero_add _).symm
  | tree a c r _ ihr =>
    simp only [append, width]
    rw [ihr]
    omega

theorem depth_append (f g : Forest α) : depth (append f g) = max (depth f) (depth g) := by
  induction f with
  | none => exact (Nat.zero_max _).symm
  | tree a c r _ ihr =>
    simp only [append, depth]
    rw [ihr, Nat.max_assoc]

theorem pre_append (f g : Forest α) : pre (append f g) = pre f ++ pre g := by
  induction f with
  | none => rfl
  | tree a c r _ ihr =>
    simp only [append, pre]
    rw [ihr, ← List.append_assoc, List.cons_append]

theorem post_append (f g : Forest α) : post (append f g) = post f ++ post g := by
  induction f with
  | none => rfl
  | tree a c r _ ihr =>
    simp only [append, post]
    rw [ihr, List.append_assoc, List.cons_append]

theorem append_eq_none_iff (f g : Forest α) : append f g = none ↔ f = none ∧ g = none := by
  cases f with
  | none =>
    constructor
    · intro h
      exact ⟨rfl, h⟩
    · intro h
      exact h.2
  | tree a c r =>
    constructor
    · intro h
      contradiction
    · intro h
      have h1 := h.1
      contradiction

theorem append_cancel (f g h : Forest α) (e : append f g = append f h) : g = h := by
  sorry
theorem level_append (n : Nat) (f g : Forest α) :
    level n (append f g) = level n f ++ level n g := by
  sorry

theorem map_append (f : α → β) (g h : Forest α) :
    map f (append g h) = append (map f g) (map f h) := by
  induction g with
  | none => rfl
  | tree a c r _ ihr =>
    simp only [append, map]
    rw [ihr]

theorem prune_append (p : α → Bool) (f g : Forest α) :
    prune p (append f g) = append (prune p f) (prune p g) := by
  induction f with
  | none => rfl
  | tree a c r _ ihr =>
    simp only [append, prune]
    split
    · rw [ihr]
      rfl
    · exact ihr

end Appending

section Mirror

theorem mirror_append (f g : Forest α) :
    mirror (append f g) = append (mirror g) (mirror f) := by
  induction f with
  | none =>
    simp only [append, mirror]
    rw [append_none]
  | tree a c r _ ihr =>
    simp only [append, mirror]
    rw [ihr, append_assoc]

theorem mirror_mirror (f : Forest α) : mirror (mirror f) = f := by
  induction f with
  | none => rfl
  | tree a c r ihc ihr =>
    simp only [mirror]
    rw [mirror_append, ihr]
    simp only [mirror, append]
    rw [ihc]

theorem size_mirror (f : Forest α) : size (mirror f) = size f := by
  induction f with
  | none => rfl
  | tree a c r ihc ihr =>
    simp only [mirror]
    rw [size_append, ihr]
    simp only [size]
    omega

theorem depth_mirror (f : Forest α) : depth (mirror f) = depth f := by
  sorry
theorem pre_mirror (f : Forest α) : pre (mirror f) = (post f).reverse := by
  sorry

theorem post_mirror (f : Forest α) : post (mirror f) = (pre f).reverse := by
  induction f with
  | none => rfl
  | tree a c r ihc ihr =>
    simp only [mirror]
    rw [post_append, ihr]
    simp only [pre, post]
    rw [ihc, List.reverse_cons, List.reverse_append, List.append_assoc]

theorem mirror_map (f : α → β) (g : Forest α) : mirror (map f g) = map f (mirror g) := by
  induction g with
  | none => rfl
  | tree a c r ihc ihr =>
    simp only [map, mirror]
    rw [map_append, ihr, ihc]
    rfl

theorem width_mirror (f : Forest α) : width (mirror f) = width f := by
  induction f with
  | none => rfl
  | tree a c r _ ihr =>
    simp only [mirror]
    rw [width_append, ihr]
    rfl

end Mirror

section Orders

theorem length_pre (f : Forest α) : (pre f).length = size f := by
  induction f with
  | none => rfl
  | tree a c r ihc ihr =>
    simp only [pre, size, List.length_cons, List.length_append]
    rw [ihc, ihr]

theorem pre_perm_post (f : Forest α) : (pre f).Perm (post f) := by
  sorry

theorem pre_map (f : α → β) (g : Forest α) : pre (map f g) = (pre g).map f := by
  induction g with
  | none => rfl
  | tree a c r ihc ihr =>
    simp only [map, pre]
    rw [ihc, ihr, List.map_cons, List.map_append]

theorem inside_iff (a : α) (f : Forest α) : Inside a f ↔ a ∈ pre f := by
  constructor
  · intro h
    induction h with
    | root c r => exact List.mem_cons_self
    | child b c r _ ih => exact List.mem_cons_of_mem b (List.mem_append_left _ ih)
    | later b c r _ ih => exact List.mem_cons_of_mem b (List.mem_append_right _ ih)
  · intro h
    induction f with
    | none => contradiction
    | tree b c r ihc ihr =>
      simp only [pre] at h
      rcases List.mem_cons.mp h with h1 | h1
      · rw [h1]
        exact Inside.root c r
      · rcases List.mem_append.mp h1 with h2 | h2
        · exact Inside.child b c r (ihc h2)
        · exact Inside.later b c r (ihr h2)

theorem inside_append (a : α) (f g : Forest α) :
    Inside a (append f g) ↔ Inside a f ∨ Inside a g := by
  rw [inside_iff, inside_iff, inside_iff, pre_append]
  exact List.mem_append

theorem inside_map (f : α → β) (b : β) (g : Forest α) (h : Inside b (map f g)) :
    ∃ a, Inside a g ∧ f a = b := by
  rw [inside_iff, pre_map, List.mem_map] at h
  obtain ⟨a, h1, h2⟩ := h
  refine ⟨a, ?_, h2⟩
  rw [inside_iff]
  exact h1

theorem inside_prune (p : α → Bool) (a : α) (f : Forest α) (h : Inside a (prune p f)) :
    p a = true := by
  induction f with
  | none => cases h
  | tree b c r ihc ihr =>
    simp only [prune] at h
    split at h
    · rename_i hb
      cases h with
      | root => exact hb
      | child _ _ _ h1 => exact ihc h1
      | later _ _ _ h1 => exact ihr h1
    · exact ihr h

theorem inside_of_prune (p : α → Bool) (a : α) (f : Forest α) (h : Inside a (prune p f)) :
    Inside a f := by
  sorry
theorem prune_all (p : α → Bool) (f : Forest α) (h : ∀ a, Inside a f → p a = true) :
    prune p f = f := by
  sorry
theorem prune_prune (p q : α → Bool) (f : Forest α) :
    prune p (prune q f) = prune (fun a => q a && p a) f := by
  sorry

theorem size_prune_le (p : α → Bool) (f : Forest α) : size (prune p f) ≤ size f := by
  induction f with
  | none => exact Nat.le_refl 0
  | tree b c r ihc ihr =>
    simp only [prune]
    split
    · simp only [size]
      omega
    · simp only [size]
      omega

end Orders

section Levels

theorem level_nil (n : Nat) (f : Forest α) (h : depth f ≤ n) : level n f = [] := by
  induction f generalizing n with
  | none =>
    cases n with
    | zero => rfl
    | succ n => rfl
  | tree a c r ihc ihr =>
    simp only [depth] at h
    cases n with
    | zero => omega
    | succ n =>
      simp only [level]
      rw [ihc n (by omega), ihr (n + 1) (by omega)]
      rfl

theorem level_ne_nil (n : Nat) (f : Forest α) (h : n < depth f) : level n f ≠ [] := by
  sorry

theorem length_level_zero (f : Forest α) : (level 0 f).length = width f := by
  induction f with
  | none => rfl
  | tree a c r _ ihr =>
    simp only [level, width, List.length_cons]
    rw [ihr]

theorem mem_level (n : Nat) (a : α) (f : Forest α) (h : a ∈ level n f) : Inside a f := by
  induction f generalizing n with
  | none =>
    cases n with
    | zero => contradiction
    | succ n => contradiction
  | tree b c r ihc ihr =>
    cases n with
    | zero =>
      simp only [level] at h
      rcases List.mem_cons.mp h with h1 | h1
      · rw [h1]
        exact Inside.root c r
      · exact Inside.later b c r (ihr 0 h1)
    | succ n =>
      simp only [level] at h
      rcases List.mem_append.mp h with h1 | h1
      · exact Inside.child b c r (ihc n h1)
      · exact Inside.later b c r (ihr (n + 1) h1)

theorem exists_level (a : α) (f : Forest α) (h : Inside a f) : ∃ n, a ∈ level n f := by
  sorry

theorem depth_le_size (f : Forest α) : depth f ≤ size f := by
  induction f with
  | none => exact Nat.le_refl 0
  | tree a c r ihc ihr =>
    simp only [depth, size]
    omega

theorem leaves_pos (f : Forest α) (h : f ≠ none) : 0 < leaves f := by
  induction f with
  | none => contradiction
  | tree a c r ihc ihr =>
    cases c with
    | none =>
      simp only [leaves]
      omega
    | tree b d e =>
      simp only [leaves]
      have h1 := ihc (by simp)
      omega

theorem leaves_le_size (f : Forest α) : leaves f ≤ size f := by
  induction f with
  | none => exact Nat.le_refl 0
  | tree a c r ihc ihr =>
    cases c with
    | none =>
      simp only [leaves, size]
      omega
    | tree b d e =>
      simp only [leaves, size] at *
      omega

end Levels

end Forest

end Trees
