import MiniMathlib.Data.Set.Basic
import MiniMathlib.Data.List.Perm
import MiniMathlib.Algebra.Pairs
import MiniMathlib.Order.Lattice

namespace MiniMathlib
lemma twin_positive (n : Nat) (h : 0 < n) : 0 < (twin n).first := by
  sorry

lemma open_max (a b : Nat) : a ≤ max a b := by
  sorry

theorem open_and {p q : Prop} (hp : p) (hq : q) : q ∧ p := by
  sorry
end MiniMathlib
