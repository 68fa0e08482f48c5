import Arithmetic.Divides

/-!
A few facts on integers: absolute value, sign, and multiples.
-/

namespace Arithmetic

def absv (x : Int) : Int := if x < 0 then -x else x

def sgn (x : Int) : Int := if x < 0 then -1 else if x = 0 then 0 else 1

def clamp (x : Int) : Int := if x < 0 then 0 else x

/-- `x` is a multiple of `k`. -/
def Multiple (k x : Int) : Prop := ∃ a, x = k * a

section Absolute

theorem absv_zero : absv 0 = 0 := by
  rfl

theorem absv_nonneg (x : Int) : 0 ≤ absv x := by
  unfold absv
  split
  · omega
  · omega

theorem le_absv (x : Int) : x ≤ absv x := by
  unfold absv
  split
  · omega
  · omega

theorem neg_le_absv (x : Int) : -x ≤ absv x := by
  sorry

theorem absv_neg (x : Int) : absv (-x) = absv x := by
  unfold absv
  split
  · split
    · omega
    · omega
  · split
    · omega
    · omega

theorem absv_absv (x : Int) : absv (absv x) = absv x := by
  have h := absv_nonneg x
  rw [absv, if_neg]
  omega

theorem absv_of_nonneg (x : Int) (h : 0 ≤ x) : absv x = x := by
  unfold absv
  rw [if_neg]
  omega

theorem absv_of_neg (x : Int) (h : x < 0) : absv x = -x := by
  unfold absv
  rw [if_pos]
  exact h

theorem absv_eq_zero (x : Int) (h : absv x = 0) : x = 0 := by
  unfold absv at h
  split at h
  · omega
  · exact h

theorem absv_add_le (x y : Int) : absv (x + y) ≤ absv x + absv y := by
  have h1 := le_absv x
  have h2 := le_absv y
  have h3 : -x ≤ absv x := by
    unfold absv
    split <;> omega
  have h4 : -y ≤ absv y := by
    unfold absv
    split <;> omega
  rw [absv]
  split
  · omega
  · omega

theorem absv_le (x y : Int) (h1 : x ≤ y) (h2 : -x ≤ y) : absv x ≤ y := by
  sorry

end Absolute

section Sign

theorem sgn_zero : sgn 0 = 0 := by
  rfl

theorem sgn_le_one (x : Int) : sgn x ≤ 1 := by
  unfold sgn
  split
  · omega
  · split
    · omega
    · omega

theorem neg_one_le_sgn (x : Int) : -1 ≤ sgn x := by
  sorry

theorem sgn_of_pos (x : Int) (h : 0 < x) : sgn x = 1 := by
  unfold sgn
  rw [if_neg, if_neg]
  · omega
  · omega

theorem sgn_of_neg (x : Int) (h : x < 0) : sgn x = -1 := by
  unfold sgn
  rw [if_pos]
  exact h

theorem sgn_eq_zero (x : Int) (h : sgn x = 0) : x = 0 := by
  unfold sgn at h
  split at h
  · omega
  · split at h
    · omega
    · omega

theorem clamp_nonneg (x : Int) : 0 ≤ clamp x := by
  unfold clamp
  split
  · omega
  · omega

theorem le_clamp (x : Int) : x ≤ clamp x := by
  sorry

theorem clamp_le_absv (x : Int) : clamp x ≤ absv x := by
  unfold clamp absv
  split
  · omega
  · omega

theorem clamp_clamp (x : Int) : clamp (clamp x) = clamp x := by
  have h := clamp_nonneg x
  rw [clamp, if_neg]
  omega

theorem clamp_sub (x : Int) : clamp x - clamp (-x) = x := by
  unfold clamp
  split
  · split
    · omega
    · omega
  · split
    · omega
    · omega

end Sign

section Multiples

theorem multiple_self (k : Int) : Multiple k k := by
  refine ⟨1, ?_⟩
  omega

theorem multiple_zero (k : Int) : Multiple k 0 := by
  refine ⟨0, ?_⟩
  omega

theorem multiple_one (x : Int) : Multiple 1 x := sorry

theorem multiple_neg (k x : Int) (h : Multiple k x) : Multiple k (-x) := by
  obtain ⟨a, ha⟩ := h
  refine ⟨-a, ?_⟩
  rw [ha, Int.mul_neg]

theorem multiple_add (k x y : Int) (h1 : Multiple k x) (h2 : Multiple k y) :
    Multiple k (x + y) := by
  obtain ⟨a, ha⟩ := h1
  obtain ⟨b, hb⟩ := h2
  refine ⟨a + b, ?_⟩
  rw [ha, hb, Int.mul_add]

theorem multiple_sub (k x y : Int) (h1 : Multiple k x) (h2 : Multiple k y) :
    Multiple k (x - y) := by
  sorry

theorem multiple_mul (k x y : Int) (h : Multiple k x) : Multiple k (x * y) := by
  obtain ⟨a, ha⟩ := h
  refine ⟨a * y, ?_⟩
  rw [ha, Int.mul_assoc]

theorem multiple_trans (k m x : Int) (h1 : Multiple k m) (h2 : Multiple m x) : Multiple k x := by
  obtain ⟨a, ha⟩ := h1
  obtain ⟨b, hb⟩ := h2
  refine ⟨a * b, ?_⟩
  rw [hb, ha, Int.mul_assoc]

theorem multiple_six_two (x : Int) (h : Multiple 6 x) : Multiple 2 x := by
  obtain ⟨a, ha⟩ := h
  refine ⟨3 * a, ?_⟩
  omega

theorem multiple_six_three (x : Int) (h : Multiple 6 x) : Multiple 3 x := by
  sorry

theorem add_cancel_int (x y z : Int) (h : x + y = z + y) : x = z := by
  omega

theorem sub_neg_int (x y : Int) : x - -y = x + y := by
  sorry

theorem lt_of_double_lt (x y : Int) (h : 2 * x < 2 * y) : x < y := by
  omega

theorem neg_le_neg_int (x y : Int) (h : x ≤ y) : -y ≤ -x := by
  sorry

end Multiples

end Arithmetic
