/-!
# List zippers

A zipper is a list with a cursor on one of its elements: the part before the
cursor is stored reversed, so that moving and editing take constant time.
-/

structure Zipper (α : Type u) where
  before : List α
  focus : α
  after : List α
deriving Repr, DecidableEq

namespace Zipper

variable {α : Type u} {β : Type v}

/-- Forget the cursor. -/
def toList (z : Zipper α) : List α := z.before.reverse ++ z.focus :: z.after

/-- Put the cursor on the first element. -/
def ofList? : List α → Option (Zipper α)
  | [] => none
  | a :: l => some ⟨[], a, l⟩

/-- The position of the cursor. -/
def index (z : Zipper α) : Nat := z.before.length

def size (z : Zipper α) : Nat := z.before.length + 1 + z.after.length

def right? : Zipper α → Option (Zipper α)
  | ⟨_, _, []⟩ => none
  | ⟨bs, x, a :: as⟩ => some ⟨x :: bs, a, as⟩

def left? : Zipper α → Option (Zipper α)
  | ⟨[], _, _⟩ => none
  | ⟨b :: bs, x, as⟩ => some ⟨bs, b, x :: as⟩

/-- Move `n` places to the right. -/
def rights? : Nat → Zipper α → Option (Zipper α)
  | 0, z => some z
  | n + 1, z => z.right? >>= rights? n

/-- Move as far to the left as possible. -/
def rewind (z : Zipper α) : Zipper α :=
  match z with
  | ⟨[], x, as⟩ => ⟨[], x, as⟩
  | ⟨b :: bs, x, as⟩ => rewind ⟨bs, b, x :: as⟩
termination_by z.before.length

def modify (f : α → α) (z : Zipper α) : Zipper α := { z with focus := f z.focus }

/-- Insert a new element just after the cursor and move onto it. -/
def insert (a : α) (z : Zipper α) : Zipper α := ⟨z.focus :: z.before, a, z.after⟩

/-- Delete the element under the cursor; move left if we can, otherwise right. -/
def delete? : Zipper α → Option (Zipper α)
  | ⟨b :: bs, _, as⟩ => some ⟨bs, b, as⟩
  | ⟨[], _, a :: as⟩ => some ⟨[], a, as⟩
  | ⟨[], _, []⟩ => none

def map (f : α → β) (z : Zipper α) : Zipper β :=
  ⟨z.before.map f, f z.focus, z.after.map f⟩

/-- Swap the two sides. -/
def flip (z : Zipper α) : Zipper α := ⟨z.after, z.focus, z.before⟩

/-! ## Views -/

theorem length_toList (z : Zipper α) : z.toList.length = z.size := by
  simp [toList, size]
  omega

theorem index_lt_size (z : Zipper α) : z.index < z.size := by
  unfold index size
  omega

/-- The cursor really is on the element at its index. -/
theorem getElem_index (z : Zipper α) : z.toList[z.index]? = some z.focus := by
  simp [toList, index]

theorem toList_of_ofList? {l : List α} {z : Zipper α} (h : ofList? l = some z) :
    z.toList = l := by
  cases l with
  | nil => cases h
  | cons a l =>
    cases h
    rfl

/-- A zipper is determined by its list and its index. -/
theorem eq_of_toList_index {z w : Zipper α} (hl : z.toList = w.toList)
    (hi : z.index = w.index) : z = w := by
  obtain ⟨bs, x, as⟩ := z
  obtain ⟨cs, y, ds⟩ := w
  simp only [toList, index] at hl hi
  obtain ⟨h₁, h₂⟩ := List.append_inj hl (by simpa using hi)
  rw [List.reverse_inj] at h₁
  cases h₁
  cases h₂
  rfl

theorem toList_map (f : α → β) (z : Zipper α) : (z.map f).toList = z.toList.map f := by
  simp [toList, map]

theorem toList_flip (z : Zipper α) : z.flip.toList = z.toList.reverse := by
  simp [toList, flip]

/-! ## Moving -/

theorem right?_spec {z w : Zipper α} (h : z.right? = some w) :
    w.toList = z.toList ∧ w.index = z.index + 1 := by
  obtain ⟨bs, x, as⟩ := z
  cases as with
  | nil => cases h
  | cons a as =>
    cases h
    simp [toList, index]

theorem right?_eq_some_iff (z w : Zipper α) : z.right? = some w ↔ w.left? = some z := by
  obtain ⟨bs, x, as⟩ := z
  obtain ⟨cs, y, ds⟩ := w
  cases as <;> cases cs <;> simp [right?, left?]
  constructor <;> (intro h; simp_all)

theorem right?_isSome_iff (z : Zipper α) : z.right?.isSome ↔ z.index + 1 < z.size := by
  obtain ⟨bs, x, as⟩ := z
  cases as <;> simp [right?, index, size]

/-- Moving left is moving right in the mirror. -/
theorem left?_eq_flip (z : Zipper α) : z.left? = z.flip.right?.map flip := by
  obtain ⟨bs, x, as⟩ := z
  cases bs <;> rfl

theorem rights?_spec (n : Nat) {z w : Zipper α} (h : rights? n z = some w) :
    w.toList = z.toList ∧ w.index = z.index + n := by
  induction n generalizing z with
  | zero =>
    cases h
    exact ⟨rfl, rfl⟩
  | succ n ih =>
    simp only [rights?, Option.bind_eq_bind, Option.bind_eq_some_iff] at h
    obtain ⟨u, hu, hw⟩ := h
    obtain ⟨h₁, h₂⟩ := right?_spec hu
    obtain ⟨h₃, h₄⟩ := ih hw
    exact ⟨h₃.trans h₁, by omega⟩

theorem rewind_spec (z : Zipper α) : z.rewind.toList = z.toList ∧ z.rewind.index = 0 := by
  obtain ⟨bs, x, as⟩ := z
  induction bs generalizing x as with
  | nil => simp [rewind, index]
  | cons b bs ih =>
    rw [rewind]
    obtain ⟨h₁, h₂⟩ := ih b (x :: as)
    exact ⟨by rw [h₁]; simp [toList], h₂⟩

/-- Rewinding and walking back to the old index loses nothing. -/
theorem rights?_rewind (z : Zipper α) : rights? z.index z.rewind = some z := by
  suffices h : ∀ (bs : List α) (x : α) (as : List α) (n : Nat),
      rights? (bs.length + n) (rewind ⟨bs, x, as⟩) = rights? n ⟨bs, x, as⟩ from
    h z.before z.focus z.after 0
  intro bs
  induction bs with
  | nil =>
    intro x as n
    simp [rewind]
  | cons b bs ih =>
    intro x as n
    have h := ih b (x :: as) (n + 1)
    rw [rewind, List.length_cons, Nat.add_right_comm, Nat.add_assoc, h]
    rfl

/-! ## Editing -/

theorem delete?_insert (a : α) (z : Zipper α) : (z.insert a).delete? = some z := rfl

theorem toList_modify (f : α → α) (z : Zipper α) :
    (z.modify f).toList = z.toList.set z.index (f z.focus) := by
  simp [toList, modify, index]

theorem toList_delete? {z w : Zipper α} (h : z.delete? = some w) :
    w.toList = z.toList.eraseIdx z.index := by
  obtain ⟨bs, x, as⟩ := z
  cases bs with
  | cons b bs =>
    cases h
    simp [toList, index, List.eraseIdx_append_of_length_le]
  | nil =>
    cases as with
    | nil => cases h
    | cons a as =>
      cases h
      simp [toList, index]

end Zipper
