/-! # Binary search trees with natural numbers as keys -/

inductive Tree where
  | empty
  | node (l : Tree) (k : Nat) (r : Tree)

namespace Tree

def All (p : Nat → Prop) : Tree → Prop
  | empty => True
  | node l k r => All p l ∧ p k ∧ All p r

def Ordered : Tree → Prop
  | empty => True
  | node l k r => l.All (· < k) ∧ r.All (k < ·) ∧ Ordered l ∧ Ordered r

protected inductive Mem (x : Nat) : Tree → Prop where
  | here {l r} : Tree.Mem x (node l x r)
  | left {l k r} : Tree.Mem x l → Tree.Mem x (node l k r)
  | right {l k r} : Tree.Mem x r → Tree.Mem x (node l k r)

instance : Membership Nat Tree := ⟨fun t x => Tree.Mem x t⟩

def contains (x : Nat) : Tree → Bool
  | empty => false
  | node l k r => if x < k then contains x l else if k < x then contains x r else true

def insert (x : Nat) : Tree → Tree
  | empty => node empty x empty
  | node l k r =>
    if x < k then node (insert x l) k r
    else if k < x then node l k (insert x r)
    else node l k r

def size : Tree → Nat
  | empty => 0
  | node l _ r => l.size + 1 + r.size

def height : Tree → Nat
  | empty => 0
  | node l _ r => max l.height r.height + 1

def ofList (ks : List Nat) : Tree := ks.foldr insert empty

theorem not_mem_empty (x : Nat) : ¬ x ∈ empty := by
  intro h
  cases h

theorem mem_node {x k : Nat} {l r : Tree} : x ∈ node l k r ↔ x ∈ l ∨ x = k ∨ x ∈ r := by
  constructor
  · exact fun
    | .here => .inr (.inl rfl)
    | .left h => .inl h
    | .right h => .inr (.inr h)
  · exact fun h => h.elim .left fun h => h.elim (· ▸ .here) .right

theorem all_iff {p : Nat → Prop} {t : Tree} : t.All p ↔ ∀ x ∈ t, p x := by
  induction t with
  | empty => exact ⟨fun _ x h => absurd h (not_mem_empty x), fun _ => trivial⟩
  | node l k r ihl ihr =>
    simp only [All, ihl, ihr, mem_node]
    constructor
    · intro ⟨hl, hk, hr⟩ x h
      exact h.elim (hl x) fun h => h.elim (· ▸ hk) (hr x)
    · intro h
      exact ⟨fun x hx => h x (.inl hx), h k (.inr (.inl rfl)), fun x hx => h x (.inr (.inr hx))⟩

theorem mem_insert {x y : Nat} {t : Tree} : y ∈ t.insert x ↔ y = x ∨ y ∈ t := by
  induction t with
  | empty => simp [insert, mem_node, not_mem_empty]
  | node l k r ihl ihr =>
    unfold insert
    split
    · simp only [mem_node, ihl, or_assoc]
    · split
      · simp only [mem_node, ihr]
        constructor <;> rintro (h | h | h | h) <;> simp [h]
      · have : x = k := by omega
        simp +contextual [mem_node, this]

theorem all_insert {p : Nat → Prop} {x : Nat} {t : Tree} :
    (t.insert x).All p ↔ p x ∧ t.All p := by
  simp only [all_iff, mem_insert]
  exact ⟨fun h => ⟨h x (.inl rfl), fun y hy => h y (.inr hy)⟩,
    fun ⟨hx, h⟩ y hy => hy.elim (fun e => e ▸ hx) (h y)⟩

theorem ordered_insert (x : Nat) {t : Tree} (h : t.Ordered) : (t.insert x).Ordered := by
  induction t with
  | empty => simp [insert, Ordered, All]
  | node l k r ihl ihr =>
    obtain ⟨hl, hr, ol, or⟩ := h
    unfold insert
    split
    · exact ⟨all_insert.mpr ⟨‹_›, hl⟩, hr, ihl ol, or⟩
    · split
      · exact ⟨hl, all_insert.mpr ⟨‹_›, hr⟩, ol, ihr or⟩
      · exact ⟨hl, hr, ol, or⟩

theorem ordered_ofList (ks : List Nat) : (ofList ks).Ordered := by
  induction ks with
  | nil => trivial
  | cons k ks ih => exact ordered_insert k ih

theorem mem_ofList {x : Nat} {ks : List Nat} : x ∈ ofList ks ↔ x ∈ ks := by
  induction ks with
  | nil => simp [ofList, not_mem_empty]
  | cons k ks ih => rw [List.mem_cons, ← ih]; exact mem_insert

theorem mem_of_contains {x : Nat} {t : Tree} (h : t.contains x = true) : x ∈ t := by
  induction t with
  | empty => cases h
  | node l k r ihl ihr =>
    unfold contains at h
    split at h
    · exact .left (ihl h)
    · split at h
      · exact .right (ihr h)
      · exact (show x = k by omega) ▸ .here

theorem contains_iff {x : Nat} {t : Tree} (ht : t.Ordered) : t.contains x = true ↔ x ∈ t := by
  refine ⟨mem_of_contains, fun h => ?_⟩
  induction h with
  | here => simp [contains]
  | left h ih => simp [contains, all_iff.mp ht.1 x h, ih ht.2.2.1]
  | right h ih =>
    have := all_iff.mp ht.2.1 x h
    simp [contains, this, Nat.lt_asymm this, ih ht.2.2.2]

theorem contains_insert {x y : Nat} {t : Tree} (ht : t.Ordered) :
    (t.insert x).contains y = (y == x || t.contains y) := by
  rw [Bool.eq_iff_iff, contains_iff (ordered_insert x ht), mem_insert]
  simp [contains_iff ht]

theorem insert_of_mem {x : Nat} {t : Tree} (ht : t.Ordered) (h : x ∈ t) : t.insert x = t := by
  induction h with
  | here => simp [insert]
  | left h ih => simp [insert, all_iff.mp ht.1 x h, ih ht.2.2.1]
  | right h ih =>
    have := all_iff.mp ht.2.1 x h
    simp [insert, this, Nat.lt_asymm this, ih ht.2.2.2]

theorem size_insert_le (x : Nat) (t : Tree) : (t.insert x).size ≤ t.size + 1 := by
  induction t with
  | empty => exact Nat.le_refl _
  | node l k r ihl ihr =>
    unfold insert
    split
    · simp only [size]; omega
    · split <;> simp only [size] <;> omega

theorem size_lt_two_pow (t : Tree) : t.size < 2 ^ t.height := by
  induction t with
  | empty => decide
  | node l k r ihl ihr =>
    have hl := Nat.pow_le_pow_right (n := 2) (by decide) (Nat.le_max_left l.height r.height)
    have hr := Nat.pow_le_pow_right (n := 2) (by decide) (Nat.le_max_right l.height r.height)
    simp only [size, height, Nat.pow_succ]
    omega

end Tree
