import MiniMathlib.Data.Nat.Basic

universe u
namespace MiniMathlib.List
variable {α : Type u}

lemma length_append' (xs ys : List α) : (xs ++ ys).length = xs.length + ys.length := by
  simp

lemma reverse_twice (xs : List α) : xs.reverse.reverse = xs := by
  simp

set_option maxHeartbeats 400000 in
-- a proof that needs more than others
lemma map_map' {β γ : Type u} (f : α → β) (g : β → γ) (xs : List α) :
    (xs.map f).map g = xs.map (fun x => g (f x)) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [List.map]
end MiniMathlib.List
