import MiniMathlib.Algebra.Additive

namespace MiniMathlib
/-- Two numbers. -/
structure Pair where
  first : Nat
  second : Nat

/-- The pair of a number with itself. -/
@[projections] def twin (n : Nat) : Pair := { first := n, second := n }

lemma twin_sum (n : Nat) : (twin n).first + (twin n).second = 2 * n := by
  rw [twin_first, twin_second]
  omega

lemma twin_eq (n : Nat) : (twin n).first = (twin n).second := by
  simp only [twin_first, twin_second]
end MiniMathlib
