/-!
Joining two lists, by recursion on the first one.
-/

namespace Structures

variable {α β : Type}

def join : List α → List α → List α
  | [], ys => ys
  | x :: xs, ys => x :: join xs ys

infixr:65 " ++ₗ " => join

@[simp] theorem join_eq (xs ys : List α) : xs ++ₗ ys = xs ++ ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [join, ih]

theorem nil_join (xs : List α) : [] ++ₗ xs = xs := by
  rfl

theorem join_nil (xs : List α) : xs ++ₗ [] = xs := by
  simp

theorem join_assoc (xs ys zs : List α) : (xs ++ₗ ys) ++ₗ zs = xs ++ₗ ys ++ₗ zs := by
  simp

theorem length_join (xs ys : List α) : (xs ++ₗ ys).length = xs.length + ys.length := by
  simp

theorem map_join (f : α → β) (xs ys : List α) :
    (xs ++ₗ ys).map f = xs.map f ++ₗ ys.map f := by
  simp

theorem join_eq_nil_left (xs ys : List α) (h : xs ++ₗ ys = []) : xs = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => contradiction

theorem join_ne_nil (x : α) (xs ys : List α) : (x :: xs) ++ₗ ys ≠ [] := by
  intro h
  contradiction

theorem join_left_cancel (xs ys zs : List α) (h : xs ++ₗ ys = xs ++ₗ zs) : ys = zs := by
  induction xs with
  | nil => exact h
  | cons x xs ih =>
    injection h with h1 h2
    exact ih h2

end Structures
