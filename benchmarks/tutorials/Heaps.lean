/-
Leftist heaps of natural numbers.  The rank of a heap is the length of its right
spine, and no right child has a larger rank than its sibling: right spines are
short, and `merge` only walks down right spines.
-/

inductive Heap where
  | nil : Heap
  | node (x : Nat) (left right : Heap) : Heap

namespace Heap

def size : Heap → Nat
  | nil => 0
  | node _ l r => size l + size r + 1

def rank : Heap → Nat
  | nil => 0
  | node _ _ r => rank r + 1

def Mem : Heap → Nat → Prop
  | nil, _ => False
  | node x l r, z => z = x ∨ Mem l z ∨ Mem r z

instance : Membership Nat Heap := ⟨Mem⟩

inductive Ordered : Heap → Prop
  | nil : Ordered nil
  | node {x l r} : (∀ z ∈ l, x ≤ z) → (∀ z ∈ r, x ≤ z) → Ordered l → Ordered r →
      Ordered (node x l r)

inductive Leftist : Heap → Prop
  | nil : Leftist nil
  | node {x l r} : rank r ≤ rank l → Leftist l → Leftist r → Leftist (node x l r)

/-- A node whose children are put in the right order. -/
def make (x : Nat) (a b : Heap) : Heap :=
  if rank b ≤ rank a then node x a b else node x b a

def merge : Heap → Heap → Heap
  | nil, k => k
  | h, nil => h
  | node x a b, node y c d =>
    if x ≤ y then make x a (merge b (node y c d))
    else make y c (merge (node x a b) d)
termination_by h k => size h + size k
decreasing_by all_goals simp only [size]; omega

def insert (x : Nat) (h : Heap) : Heap := merge (node x nil nil) h

def findMin : Heap → Option Nat
  | nil => none
  | node x _ _ => some x

def ofList (xs : List Nat) : Heap := xs.foldr insert nil

theorem mem_node (z x : Nat) (l r : Heap) : z ∈ node x l r ↔ z = x ∨ z ∈ l ∨ z ∈ r :=
  Iff.rfl

theorem not_mem_nil (z : Nat) : ¬ z ∈ nil := id

theorem mem_make (z x : Nat) (a b : Heap) : z ∈ make x a b ↔ z = x ∨ z ∈ a ∨ z ∈ b := by
  unfold make
  split <;> simp only [mem_node]
  exact or_congr_right or_comm

theorem mem_merge (z : Nat) (h k : Heap) : z ∈ merge h k ↔ z ∈ h ∨ z ∈ k := by
  fun_induction merge h k with
  | case1 k => simp [not_mem_nil]
  | case2 h _ => simp [not_mem_nil]
  | case3 x a b y c d _ ih | case4 x a b y c d _ ih => simp only [mem_make, ih, mem_node]; grind

theorem size_merge (h k : Heap) : size (merge h k) = size h + size k := by
  have size_make : ∀ x a b, size (make x a b) = size a + size b + 1 := by
    intro x a b
    unfold make
    split <;> simp only [size] <;> omega
  fun_induction merge h k with
  | case1 k => simp [size]
  | case2 h _ => simp [size]
  | case3 x a b y c d _ ih | case4 x a b y c d _ ih =>
    rw [size_make, ih]; simp only [size]; omega

/-- Draining a heap: the elements one after the other, the least one first. -/
def drain : Heap → List Nat
  | nil => []
  | node x l r => x :: drain (merge l r)
termination_by h => size h
decreasing_by rw [size_merge]; simp only [size]; omega

theorem Ordered.make {x : Nat} {a b : Heap} (ha : ∀ z ∈ a, x ≤ z) (hb : ∀ z ∈ b, x ≤ z)
    (oa : Ordered a) (ob : Ordered b) : Ordered (make x a b) := by
  unfold Heap.make
  split
  · exact .node ha hb oa ob
  · exact .node hb ha ob oa

theorem Ordered.root_le {x z : Nat} {l r : Heap} (h : Ordered (.node x l r))
    (hz : z ∈ Heap.node x l r) : x ≤ z := by
  cases h with
  | node hl hr _ _ =>
    rcases hz with rfl | hz | hz
    · exact Nat.le_refl _
    · exact hl z hz
    · exact hr z hz

theorem Ordered.merge {h k : Heap} (oh : Ordered h) (ok : Ordered k) : Ordered (merge h k) := by
  fun_induction Heap.merge h k with
  | case1 k => exact ok
  | case2 h _ => exact oh
  | case3 x a b y c d hxy ih =>
    cases oh with
    | node ha hb oa ob =>
      refine .make ha (fun z hz => ?_) oa (ih ob ok)
      rcases (mem_merge z b _).1 hz with hz | hz
      · exact hb z hz
      · exact Nat.le_trans hxy (ok.root_le hz)
  | case4 x a b y c d hxy ih =>
    cases ok with
    | node hc hd oc od =>
      refine .make hc (fun z hz => ?_) oc (ih oh od)
      rcases (mem_merge z _ d).1 hz with hz | hz
      · exact Nat.le_trans (Nat.le_of_not_le hxy) (oh.root_le hz)
      · exact hd z hz

theorem Leftist.make {x : Nat} {a b : Heap} (la : Leftist a) (lb : Leftist b) :
    Leftist (make x a b) := by
  unfold Heap.make
  split
  · next h => exact .node h la lb
  · next h => exact .node (Nat.le_of_not_le h) lb la

theorem Leftist.merge {h k : Heap} (lh : Leftist h) (lk : Leftist k) : Leftist (merge h k) := by
  fun_induction Heap.merge h k with
  | case1 => exact lk
  | case2 => exact lh
  | case3 x a b y c d _ ih => cases lh with | node _ la lb => exact la.make (ih lb lk)
  | case4 x a b y c d _ ih => cases lk with | node _ lc ld => exact lc.make (ih lh ld)

/-- The right spine of a leftist heap is logarithmic in its size. -/
theorem Leftist.pow_rank_le {h : Heap} (lh : Leftist h) : 2 ^ rank h ≤ size h + 1 := by
  induction lh with
  | nil => exact Nat.le_refl 1
  | node hr _ _ ihl ihr =>
    have := Nat.pow_le_pow_right (n := 2) (by decide) hr
    simp only [rank, size, Nat.pow_succ]
    omega

theorem findMin_spec {h : Heap} (o : Ordered h) (m : Nat) :
    findMin h = some m ↔ m ∈ h ∧ ∀ z ∈ h, m ≤ z := by
  cases h with
  | nil => exact ⟨fun e => (nomatch e), fun e => e.1.elim⟩
  | node x l r =>
    simp only [findMin, Option.some.injEq]
    constructor
    · rintro rfl
      exact ⟨.inl rfl, fun z hz => o.root_le hz⟩
    · rintro ⟨hm, hle⟩
      exact Nat.le_antisymm (o.root_le hm) (hle x (.inl rfl))

theorem ofList_valid (xs : List Nat) : Ordered (ofList xs) ∧ Leftist (ofList xs) := by
  induction xs with
  | nil => exact ⟨.nil, .nil⟩
  | cons x xs ih =>
    have no : ∀ z ∈ nil, x ≤ z := fun z hz => (not_mem_nil z hz).elim
    exact ⟨.merge (.node no no .nil .nil) ih.1, .merge (.node (Nat.le_refl 0) .nil .nil) ih.2⟩

theorem mem_drain (z : Nat) (h : Heap) : z ∈ drain h ↔ z ∈ h := by
  fun_induction drain h with
  | case1 => simp [not_mem_nil]
  | case2 x l r ih => rw [List.mem_cons, ih, mem_merge, mem_node]

theorem drain_sorted {h : Heap} (o : Ordered h) : (drain h).Pairwise (· ≤ ·) := by
  fun_induction drain h with
  | case1 => exact .nil
  | case2 x l r ih =>
    refine .cons (fun z hz => o.root_le (.inr ?_)) (ih ?_)
    · exact (mem_merge z l r).1 ((mem_drain z _).1 hz)
    · cases o with | node _ _ ol or => exact ol.merge or

theorem length_drain (h : Heap) : (drain h).length = size h := by
  fun_induction drain h with
  | case1 => rfl
  | case2 x l r ih => rw [List.length_cons, ih, size_merge, size]

/-- Heap sort gives a sorted list of the same length with the same elements. -/
theorem heapSort_correct (xs : List Nat) :
    let ys := drain (ofList xs)
    ys.Pairwise (· ≤ ·) ∧ ys.length = xs.length ∧ ∀ z, z ∈ ys ↔ z ∈ xs := by
  refine ⟨drain_sorted (ofList_valid xs).1, ?_, fun z => ?_⟩
  · rw [length_drain]
    induction xs with
    | nil => rfl
    | cons x xs ih =>
      rw [ofList, List.foldr_cons, insert, size_merge, ← ofList, ih, List.length_cons]
      exact Nat.add_comm 1 xs.length
  · rw [mem_drain]
    induction xs <;> simp_all [ofList, insert, mem_merge, mem_node, not_mem_nil]

end Heap
