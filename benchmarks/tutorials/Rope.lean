/-!
# Ropes

A rope is a binary tree with pieces of text at its leaves.  Every inner node
caches the length of its left subtree; the cache must be right for indexing to
work, and all operations keep it right.
-/

inductive Rope (α : Type u) where
  | leaf (s : List α)
  | node (weight : Nat) (l r : Rope α)

namespace Rope

variable {α : Type u} {β : Type v}

def toList : Rope α → List α
  | leaf s => s
  | node _ l r => l.toList ++ r.toList

/-- The length, computed from the cached weights along the right spine. -/
def length : Rope α → Nat
  | leaf s => s.length
  | node w _ r => w + r.length

/-- All the cached weights are right. -/
inductive Valid : Rope α → Prop
  | leaf (s : List α) : Valid (leaf s)
  | node {l r : Rope α} (hl : Valid l) (hr : Valid r) : Valid (node l.toList.length l r)

/-- Smart constructor, which computes the weight. -/
def mk (l r : Rope α) : Rope α := node l.length l r

instance : Append (Rope α) := ⟨mk⟩

def get? : Rope α → Nat → Option α
  | leaf s, i => s[i]?
  | node w l r, i => if i < w then l.get? i else r.get? (i - w)

/-- Cut a rope before position `i`. -/
def split : Rope α → Nat → Rope α × Rope α
  | leaf s, i => (leaf (s.take i), leaf (s.drop i))
  | node w l r, i =>
    if i < w then
      let (a, b) := l.split i
      (a, b ++ r)
    else
      let (a, b) := r.split (i - w)
      (l ++ a, b)

def insert (t : Rope α) (i : Nat) (s : Rope α) : Rope α :=
  (t.split i).1 ++ s ++ (t.split i).2

/-- Remove `n` elements from position `i` on. -/
def delete (t : Rope α) (i n : Nat) : Rope α :=
  (t.split i).1 ++ ((t.split i).2.split n).2

def map (f : α → β) : Rope α → Rope β
  | leaf s => leaf (s.map f)
  | node w l r => node w (l.map f) (r.map f)

def depth : Rope α → Nat
  | leaf _ => 0
  | node _ l r => max l.depth r.depth + 1

/-- A balanced rope with leaves of at most one element. -/
def build (s : List α) : Rope α :=
  if s.length ≤ 1 then leaf s
  else build (s.take (s.length / 2)) ++ build (s.drop (s.length / 2))
termination_by s.length
decreasing_by all_goals (simp; omega)

/-! ## The invariant -/

theorem Valid.length_eq {t : Rope α} (h : Valid t) : t.length = t.toList.length := by
  induction h with
  | leaf => rfl
  | node _ _ _ ihr => simp [length, toList, ihr]

theorem toList_append (s t : Rope α) : (s ++ t).toList = s.toList ++ t.toList := rfl

theorem Valid.append {s t : Rope α} (hs : Valid s) (ht : Valid t) : Valid (s ++ t) := by
  show Valid (Rope.node s.length s t)
  rw [hs.length_eq]
  exact .node hs ht

theorem valid_node_iff (w : Nat) (l r : Rope α) :
    Valid (node w l r) ↔ w = l.toList.length ∧ Valid l ∧ Valid r := by
  constructor
  · intro h
    cases h with
    | node hl hr => exact ⟨rfl, hl, hr⟩
  · rintro ⟨rfl, hl, hr⟩
    exact .node hl hr

theorem toList_map (f : α → β) (t : Rope α) : (t.map f).toList = t.toList.map f := by
  induction t with
  | leaf s => rfl
  | node w l r ihl ihr => simp [map, toList, ihl, ihr]

theorem Valid.map (f : α → β) {t : Rope α} (h : Valid t) : Valid (t.map f) := by
  induction h with
  | leaf => exact .leaf _
  | node _ _ ihl ihr =>
    rw [Rope.map, valid_node_iff, toList_map, List.length_map]
    exact ⟨rfl, ihl, ihr⟩

/-! ## Indexing and splitting -/

theorem Valid.get?_eq {t : Rope α} (h : Valid t) (i : Nat) : t.get? i = t.toList[i]? := by
  induction h generalizing i with
  | leaf => rfl
  | node _ _ ihl ihr =>
    rw [get?, toList, List.getElem?_append]
    split
    · exact ihl i
    · exact ihr _

theorem Valid.split_toList {t : Rope α} (h : Valid t) (i : Nat) :
    (t.split i).1.toList = t.toList.take i ∧ (t.split i).2.toList = t.toList.drop i := by
  induction h generalizing i with
  | leaf => exact ⟨rfl, rfl⟩
  | @node l r _ _ ihl ihr =>
    rw [split]
    split
    · rename_i hi
      simp [toList_append, ihl, toList, List.take_append, List.drop_append,
        Nat.sub_eq_zero_of_le (Nat.le_of_lt hi)]
    · rename_i hi
      have hi := Nat.le_of_not_lt hi
      simp [toList_append, ihr, toList, List.take_append, List.drop_append,
        List.take_of_length_le hi, List.drop_of_length_le hi]

theorem Valid.split {t : Rope α} (h : Valid t) (i : Nat) :
    Valid (t.split i).1 ∧ Valid (t.split i).2 := by
  induction h generalizing i with
  | leaf => exact ⟨.leaf _, .leaf _⟩
  | node hl hr ihl ihr =>
    rw [Rope.split]
    split
    · exact ⟨(ihl i).1, (ihl i).2.append hr⟩
    · exact ⟨hl.append (ihr _).1, (ihr _).2⟩

/-- Cutting a rope and gluing the pieces gives the same text. -/
theorem Valid.split_append {t : Rope α} (h : Valid t) (i : Nat) :
    ((t.split i).1 ++ (t.split i).2).toList = t.toList := by
  rw [toList_append, (h.split_toList i).1, (h.split_toList i).2, List.take_append_drop]

theorem Valid.toList_insert {t : Rope α} (h : Valid t) (i : Nat) (s : Rope α) :
    (t.insert i s).toList = t.toList.take i ++ s.toList ++ t.toList.drop i := by
  rw [insert, toList_append, toList_append, (h.split_toList i).1, (h.split_toList i).2]

/-- Deleting what was just inserted gives the old text back. -/
theorem Valid.delete_insert {t s : Rope α} (ht : Valid t) (hs : Valid s) {i : Nat}
    (hi : i ≤ t.length) : ((t.insert i s).delete i s.length).toList = t.toList := by
  have hv : Valid (t.insert i s) := ((ht.split i).1.append hs).append (ht.split i).2
  have hlen : (t.toList.take i).length = i := by
    rw [ht.length_eq] at hi
    simp [Nat.min_eq_left hi]
  rw [delete, toList_append, (hv.split_toList i).1,
    ((hv.split i).2.split_toList _).2, (hv.split_toList i).2, ht.toList_insert,
    hs.length_eq, List.append_assoc, List.take_left' hlen, List.drop_left' hlen,
    List.drop_left, List.take_append_drop]

/-! ## Building a balanced rope -/

theorem toList_build (s : List α) : (build s).toList = s := by
  rw [build]
  split
  · rfl
  · rw [toList_append, toList_build, toList_build, List.take_append_drop]
termination_by s.length
decreasing_by all_goals (simp; omega)

theorem valid_build (s : List α) : Valid (build s) := by
  fun_induction build s with
  | case1 s h => exact .leaf s
  | case2 s h ih₁ ih₂ => exact ih₁.append ih₂

/-- A rope built from at most `2 ^ k` elements has depth at most `k`. -/
theorem depth_build (k : Nat) (s : List α) (h : s.length ≤ 2 ^ k) : (build s).depth ≤ k := by
  induction k generalizing s with
  | zero =>
    rw [build, if_pos (by simpa using h)]
    exact Nat.le_refl 0
  | succ k ih =>
    rw [build]
    split
    · exact Nat.zero_le _
    · rw [Nat.pow_succ] at h
      have h₁ := ih (s.take (s.length / 2)) (by simp; omega)
      have h₂ := ih (s.drop (s.length / 2)) (by simp; omega)
      show max _ _ + 1 ≤ k + 1
      omega

end Rope
