/-!
# Permutations and sorting

An inductive relation of permutation, and insertion sort over any decidable
total order.  Instead of counting, uniqueness of the sorted list comes from
the fact that insertions commute.
-/

/-- A decidable total order. -/
class TotalOrder (α : Type) where
  le : α → α → Prop
  dec : ∀ a b, Decidable (le a b)
  trans : ∀ {a b c}, le a b → le b c → le a c
  antisymm : ∀ {a b}, le a b → le b a → a = b
  total : ∀ a b, le a b ∨ le b a

infix:50 " ≼ " => TotalOrder.le

instance {α : Type} [TotalOrder α] (a b : α) : Decidable (a ≼ b) := TotalOrder.dec a b

inductive Perm {α : Type} : List α → List α → Prop
  | nil : Perm [] []
  | cons (a : α) {l r : List α} : Perm l r → Perm (a :: l) (a :: r)
  | swap (a b : α) (l : List α) : Perm (a :: b :: l) (b :: a :: l)
  | trans {l m r : List α} : Perm l m → Perm m r → Perm l r

infix:50 " ~~ " => Perm

section Definitions

variable {α : Type} [TotalOrder α]

inductive Sorted : List α → Prop
  | nil : Sorted []
  | single (a : α) : Sorted [a]
  | cons {a b : α} {l : List α} : a ≼ b → Sorted (b :: l) → Sorted (a :: b :: l)

def ins (a : α) : List α → List α
  | [] => [a]
  | b :: l => if a ≼ b then a :: b :: l else b :: ins a l

def isort : List α → List α
  | [] => []
  | a :: l => ins a (isort l)

end Definitions

namespace Perm

variable {α β : Type}

theorem refl (l : List α) : l ~~ l := by
  induction l with
  | nil => exact .nil
  | cons a l ih => exact .cons a ih

theorem symm {l r : List α} (h : l ~~ r) : r ~~ l := by
  induction h with
  | nil => exact .nil
  | cons a _ ih => exact .cons a ih
  | swap a b l => exact .swap b a l
  | trans _ _ ih₁ ih₂ => exact .trans ih₂ ih₁

theorem length_eq {l r : List α} (h : l ~~ r) : l.length = r.length := by
  induction h with
  | nil => rfl
  | cons _ _ ih => simp [ih]
  | swap => rfl
  | trans _ _ ih₁ ih₂ => exact ih₁.trans ih₂

theorem mem_iff {l r : List α} (h : l ~~ r) (x : α) : x ∈ l ↔ x ∈ r := by
  induction h with
  | nil => rfl
  | cons a _ ih => simp [ih]
  | swap a b l => simp only [List.mem_cons]; exact or_left_comm
  | trans _ _ ih₁ ih₂ => exact ih₁.trans ih₂

theorem map (f : α → β) {l r : List α} (h : l ~~ r) : l.map f ~~ r.map f := by
  induction h with
  | nil => exact .nil
  | cons a _ ih => exact .cons _ ih
  | swap a b l => exact .swap _ _ _
  | trans _ _ ih₁ ih₂ => exact .trans ih₁ ih₂

theorem filter (p : α → Bool) {l r : List α} (h : l ~~ r) : l.filter p ~~ r.filter p := by
  induction h with
  | nil => exact .nil
  | cons a _ ih =>
    cases hp : p a <;> simp only [List.filter_cons, hp]
    · exact ih
    · exact .cons a ih
  | swap a b l =>
    cases ha : p a <;> cases hb : p b <;> simp only [List.filter_cons, ha, hb] <;>
      first | exact .refl _ | exact .swap _ _ _
  | trans _ _ ih₁ ih₂ => exact .trans ih₁ ih₂

theorem append_right {l r : List α} (h : l ~~ r) (t : List α) : l ++ t ~~ r ++ t := by
  induction h with
  | nil => exact .refl t
  | cons a _ ih => exact .cons a ih
  | swap a b l => exact .swap a b (l ++ t)
  | trans _ _ ih₁ ih₂ => exact .trans ih₁ ih₂

/-- An element may be moved to the middle. -/
theorem middle (a : α) (l r : List α) : a :: (l ++ r) ~~ l ++ a :: r := by
  induction l with
  | nil => exact .refl _
  | cons b l ih => exact .trans (.swap a b (l ++ r)) (.cons b ih)

theorem append_comm (l r : List α) : l ++ r ~~ r ++ l := by
  induction l with
  | nil => rw [List.append_nil]; exact .refl r
  | cons a l ih => exact .trans (.cons a ih) (middle a r l)

theorem reverse (l : List α) : l.reverse ~~ l := by
  induction l with
  | nil => exact .nil
  | cons a l ih =>
    rw [List.reverse_cons]
    exact .trans (append_comm l.reverse [a]) (.cons a ih)

end Perm

section Sorting

variable {α : Type} [TotalOrder α]

theorem ins_perm (a : α) (l : List α) : ins a l ~~ a :: l := by
  induction l with
  | nil => exact .refl _
  | cons b l ih =>
    unfold ins
    split
    · exact .refl _
    · exact .trans (.cons b ih) (.swap b a l)

theorem isort_perm (l : List α) : isort l ~~ l := by
  induction l with
  | nil => exact .nil
  | cons a l ih => exact .trans (ins_perm a (isort l)) (.cons a ih)

theorem ins_sorted (a : α) {l : List α} (h : Sorted l) : Sorted (ins a l) := by
  induction h with
  | nil => exact .single a
  | single b =>
    simp only [ins]
    split
    · next hab => exact .cons hab (.single b)
    · next hab => exact .cons ((TotalOrder.total a b).resolve_left hab) (.single a)
  | @cons b c l hbc hl ih =>
    by_cases hab : a ≼ b
    · rw [ins, if_pos hab]
      exact .cons hab (.cons hbc hl)
    · have hba := (TotalOrder.total a b).resolve_left hab
      rw [ins, if_neg hab]
      unfold ins at ih ⊢
      split at ih
      · next hac => rw [if_pos hac]; exact .cons hba ih
      · next hac => rw [if_neg hac]; exact .cons hbc ih

theorem isort_sorted (l : List α) : Sorted (isort l) := by
  induction l with
  | nil => exact .nil
  | cons a l ih => exact ins_sorted a ih

theorem isort_of_sorted {l : List α} (h : Sorted l) : isort l = l := by
  induction h with
  | nil => rfl
  | single a => rfl
  | cons hab _ ih => rw [isort, ih, ins, if_pos hab]

theorem ins_comm (a b : α) (l : List α) : ins a (ins b l) = ins b (ins a l) := by
  have tot := @TotalOrder.total α _
  have tr := @TotalOrder.trans α _
  have anti := @TotalOrder.antisymm α _
  induction l with
  | nil => simp only [ins]; grind
  | cons c l ih => simp only [ins]; grind [ins]

/-- Two lists are permutations of each other if and only if they are sorted to the same list. -/
theorem perm_iff_isort_eq (l r : List α) : l ~~ r ↔ isort l = isort r := by
  constructor
  · intro h
    induction h with
    | nil => rfl
    | cons a _ ih => simp only [isort, ih]
    | swap a b l => exact ins_comm a b (isort l)
    | trans _ _ ih₁ ih₂ => exact ih₁.trans ih₂
  · intro h
    exact .trans (isort_perm l).symm (h ▸ isort_perm r)

/-- The sorted permutation of a list is unique. -/
theorem sorted_unique {l r : List α} (hl : Sorted l) (hr : Sorted r) (h : l ~~ r) : l = r := by
  rw [← isort_of_sorted hl, ← isort_of_sorted hr]
  exact (perm_iff_isort_eq l r).1 h

end Sorting
