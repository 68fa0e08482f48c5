import Arithmetic.Order

/-!
Divisibility and parity, defined by existence of a factor and by induction.
-/

namespace Arithmetic

/-- `a` divides `b`. -/
def Divides (a b : Nat) : Prop := ∃ k, b = a * k

def IsEven (n : Nat) : Prop := ∃ k, n = 2 * k

def IsOdd (n : Nat) : Prop := ∃ k, n = 2 * k + 1

/-- Even numbers, from zero in steps of two. -/
inductive Even : Nat → Prop where
  | zero : Even 0
  | step (n : Nat) (h : Even n) : Even (n + 2)

/-- Odd numbers, from one in steps of two. -/
inductive Odd : Nat → Prop where
  | one : Odd 1
  | step (n : Nat) (h : Odd n) : Odd (n + 2)

section Factor

theorem divides_self (a : Nat) : Divides a a := by
  refine ⟨1, ?_⟩
  omega

theorem one_divides (a : Nat) : Divides 1 a := by
  refine ⟨a, ?_⟩
  omega

theorem divides_zero (a : Nat) : Divides a 0 := by
  refine ⟨0, ?_⟩
  omega

theorem divides_mul_right (a b : Nat) : Divides a (a * b) := by
  exact ⟨b, rfl⟩

theorem divides_mul_left (a b : Nat) : Divides a (b * a) := by
  refine ⟨b, ?_⟩
  rw [Nat.mul_comm]

theorem divides_double (a : Nat) : Divides a (a + a) := by
  refine ⟨2, ?_⟩
  omega

theorem divides_trans (a b c : Nat) (h1 : Divides a b) (h2 : Divides b c) : Divides a c := by
  obtain ⟨k, hk⟩ := h1
  obtain ⟨m, hm⟩ := h2
  refine ⟨k * m, ?_⟩
  rw [hm, hk, Nat.mul_assoc]

theorem divides_add (a b c : Nat) (h1 : Divides a b) (h2 : Divides a c) : Divides a (b + c) := by
  obtain ⟨k, hk⟩ := h1
  obtain ⟨m, hm⟩ := h2
  refine ⟨k + m, ?_⟩
  rw [hk, hm, Nat.mul_add]

theorem divides_sub (a b c : Nat) (h1 : Divides a b) (h2 : Divides a c) : Divides a (b - c) := by
  obtain ⟨k, hk⟩ := h1
  obtain ⟨m, hm⟩ := h2
  refine ⟨k - m, ?_⟩
  rw [hk, hm, Nat.mul_sub]

theorem divides_mul (a b c : Nat) (h : Divides a b) : Divides a (b * c) := by
  obtain ⟨k, hk⟩ := h
  refine ⟨k * c, ?_⟩
  rw [hk, Nat.mul_assoc]

theorem divides_add_self (a b : Nat) (h : Divides a b) : Divides a (b + a) := by
  obtain ⟨k, hk⟩ := h
  refine ⟨k + 1, ?_⟩
  rw [hk, Nat.mul_succ]

theorem mul_divides_mul (a b c d : Nat) (h1 : Divides a b) (h2 : Divides c d) :
    Divides (a * c) (b * d) := by
  obtain ⟨k, hk⟩ := h1
  obtain ⟨m, hm⟩ := h2
  refine ⟨k * m, ?_⟩
  rw [hk, hm]
  grind

theorem mul_divides_left (a b c : Nat) (h : Divides (a * b) c) : Divides a c := by
  obtain ⟨k, hk⟩ := h
  refine ⟨b * k, ?_⟩
  rw [hk, Nat.mul_assoc]

theorem zero_divides (a : Nat) (h : Divides 0 a) : a = 0 := by
  obtain ⟨k, hk⟩ := h
  simp at hk
  exact hk

theorem divides_two_isEven (n : Nat) (h : Divides 2 n) : IsEven n := by
  obtain ⟨k, hk⟩ := h
  exact ⟨k, hk⟩

theorem isEven_divides_two (n : Nat) (h : IsEven n) : Divides 2 n := by
  obtain ⟨k, hk⟩ := h
  exact ⟨k, hk⟩

end Factor

section Parity

theorem isEven_zero : IsEven 0 := by
  exact ⟨0, rfl⟩

theorem isEven_two : IsEven 2 := by
  exact ⟨1, rfl⟩

theorem isOdd_one : IsOdd 1 := by
  exact ⟨0, rfl⟩

theorem isOdd_seven : IsOdd 7 := by
  exact ⟨3, rfl⟩

theorem isEven_add_two (n : Nat) (h : IsEven n) : IsEven (n + 2) := by
  obtain ⟨k, hk⟩ := h
  refine ⟨k + 1, ?_⟩
  omega

theorem isOdd_add_two (n : Nat) (h : IsOdd n) : IsOdd (n + 2) := by
  obtain ⟨k, hk⟩ := h
  refine ⟨k + 1, ?_⟩
  omega

theorem isOdd_succ (n : Nat) (h : IsEven n) : IsOdd (n + 1) := by
  obtain ⟨k, hk⟩ := h
  refine ⟨k, ?_⟩
  omega

theorem isEven_succ (n : Nat) (h : IsOdd n) : IsEven (n + 1) := by
  obtain ⟨k, hk⟩ := h
  refine ⟨k + 1, ?_⟩
  omega

theorem isEven_pred (n : Nat) (h : IsOdd (n + 1)) : IsEven n := by
  obtain ⟨k, hk⟩ := h
  refine ⟨k, ?_⟩
  omega

theorem isEven_add_self (n : Nat) : IsEven (n + n) := by
  refine ⟨n, ?_⟩
  omega

theorem isOdd_add_self_succ (n : Nat) : IsOdd (n + n + 1) := by
  refine ⟨n, ?_⟩
  omega

theorem isEven_double (n : Nat) : IsEven (double n) := by
  refine ⟨n, ?_⟩
  rw [double_eq]

theorem isEven_quad (n : Nat) : IsEven (quad n) := by
  refine ⟨double n, ?_⟩
  rw [quad_eq_double_double, double_eq]

theorem isEven_add (n m : Nat) (h1 : IsEven n) (h2 : IsEven m) : IsEven (n + m) := by
  obtain ⟨k, hk⟩ := h1
  obtain ⟨j, hj⟩ := h2
  refine ⟨k + j, ?_⟩
  omega

theorem isEven_add_odd (n m : Nat) (h1 : IsOdd n) (h2 : IsOdd m) : IsEven (n + m) := by
  obtain ⟨k, hk⟩ := h1
  obtain ⟨j, hj⟩ := h2
  refine ⟨k + j + 1, ?_⟩
  omega

theorem isOdd_add (n m : Nat) (h1 : IsEven n) (h2 : IsOdd m) : IsOdd (n + m) := by
  obtain ⟨k, hk⟩ := h1
  obtain ⟨j, hj⟩ := h2
  refine ⟨k + j, ?_⟩
  omega

theorem isEven_mul (n m : Nat) (h : IsEven n) : IsEven (n * m) := by
  obtain ⟨k, hk⟩ := h
  refine ⟨k * m, ?_⟩
  rw [hk, Nat.mul_assoc]

theorem isEven_or_isOdd (n : Nat) : IsEven n ∨ IsOdd n := by
  induction n with
  | zero =>
    left
    exact isEven_zero
  | succ n ih =>
    cases ih with
    | inl h =>
      right
      exact isOdd_succ n h
    | inr h =>
      left
      obtain ⟨k, hk⟩ := h
      refine ⟨k + 1, ?_⟩
      omega

theorem not_isEven_and_isOdd (n : Nat) (h1 : IsEven n) (h2 : IsOdd n) : False := by
  obtain ⟨k, hk⟩ := h1
  obtain ⟨j, hj⟩ := h2
  omega

theorem isEven_iff_isOdd_succ (n : Nat) : IsEven n ↔ IsOdd (n + 1) := by
  constructor
  · intro h
    exact isOdd_succ n h
  · intro h
    exact isEven_pred n h

theorem isEven_iff_isEven_add_two (n : Nat) : IsEven n ↔ IsEven (n + 2) := by
  constructor
  · intro h
    exact isEven_add_two n h
  · intro h
    obtain ⟨k, hk⟩ := h
    refine ⟨k - 1, ?_⟩
    omega

theorem not_isEven_one : ¬ IsEven 1 := by
  intro h
  obtain ⟨k, hk⟩ := h
  omega

theorem not_isOdd_zero : ¬ IsOdd 0 := by
  intro h
  obtain ⟨k, hk⟩ := h
  omega

theorem not_isOdd_four : ¬ IsOdd 4 := by
  intro h
  obtain ⟨k, hk⟩ := h
  omega

theorem isOdd_pos (n : Nat) (h : IsOdd n) : 0 < n := by
  obtain ⟨k, hk⟩ := h
  omega

theorem isOdd_not_isEven (n : Nat) (h : IsOdd n) : ¬ IsEven n := by
  intro h1
  obtain ⟨k, hk⟩ := h
  obtain ⟨j, hj⟩ := h1
  omega

theorem isEven_evenb (n : Nat) (h : evenb n = true) : IsEven n := by
  cases isEven_or_isOdd n with
  | inl h1 => exact h1
  | inr h1 =>
    obtain ⟨k, hk⟩ := h1
    rw [hk, ← double_eq, evenb_succ, evenb_double] at h
    contradiction

end Parity

section Inductive

theorem even_two : Even 2 := by
  apply Even.step
  apply Even.zero

theorem even_four : Even 4 := by
  apply Even.step
  apply Even.step
  apply Even.zero

theorem even_six : Even 6 := by
  apply Even.step
  apply Even.step
  apply Even.step
  apply Even.zero

theorem odd_three : Odd 3 := by
  apply Odd.step
  apply Odd.one

theorem odd_five : Odd 5 := by
  apply Odd.step
  apply Odd.step
  apply Odd.one

theorem not_even_one : ¬ Even 1 := by
  intro h
  cases h

theorem not_odd_zero : ¬ Odd 0 := by
  intro h
  cases h

theorem not_even_three : ¬ Even 3 := by
  intro h
  cases h with
  | step n h1 => cases h1

theorem not_odd_two : ¬ Odd 2 := by
  intro h
  cases h with
  | step n h1 => cases h1

theorem even_of_step (n : Nat) (h : Even (n + 2)) : Even n := by
  cases h with
  | step n h1 => exact h1

theorem even_to_isEven (n : Nat) (h : Even n) : IsEven n := by
  induction h with
  | zero => exact isEven_zero
  | step n h ih =>
    apply isEven_add_two
    exact ih

theorem odd_to_isOdd (n : Nat) (h : Odd n) : IsOdd n := by
  induction h with
  | one => exact isOdd_one
  | step n h ih =>
    apply isOdd_add_two
    exact ih

theorem odd_succ_of_even (n : Nat) (h : Even n) : Odd (n + 1) := by
  induction h with
  | zero => exact Odd.one
  | step n h ih =>
    apply Odd.step
    exact ih

theorem even_succ_of_odd (n : Nat) (h : Odd n) : Even (n + 1) := by
  induction h with
  | one => exact even_two
  | step n h ih =>
    apply Even.step
    exact ih

theorem even_double (n : Nat) : Even (double n) := by
  induction n with
  | zero => exact Even.zero
  | succ n ih =>
    apply Even.step
    exact ih

theorem odd_double_succ (n : Nat) : Odd (double n + 1) := by
  apply odd_succ_of_even
  exact even_double n

theorem even_quad (n : Nat) : Even (quad n) := by
  induction n with
  | zero => exact Even.zero
  | succ n ih =>
    apply Even.step
    apply Even.step
    exact ih

theorem even_add (n m : Nat) (h1 : Even n) (h2 : Even m) : Even (n + m) := by
  induction h2 with
  | zero => exact h1
  | step m h ih =>
    apply Even.step
    exact ih

theorem odd_add_even (n m : Nat) (h1 : Odd n) (h2 : Even m) : Odd (n + m) := by
  induction h2 with
  | zero => exact h1
  | step m h ih =>
    apply Odd.step
    exact ih

theorem even_or_even_succ (n : Nat) : Even n ∨ Even (n + 1) := by
  induction n with
  | zero =>
    left
    exact Even.zero
  | succ n ih =>
    cases ih with
    | inl h =>
      right
      apply Even.step
      exact h
    | inr h =>
      left
      exact h

theorem odd_or_odd_succ (n : Nat) : Odd n ∨ Odd (n + 1) := by
  induction n with
  | zero =>
    right
    exact Odd.one
  | succ n ih =>
    cases ih with
    | inl h =>
      right
      apply Odd.step
      exact h
    | inr h =>
      left
      exact h

theorem even_evenb (n : Nat) (h : Even n) : evenb n = true := by
  induction h with
  | zero => rfl
  | step n h ih =>
    rw [evenb_add_two]
    exact ih

theorem odd_oddb (n : Nat) (h : Odd n) : oddb n = true := by
  induction h with
  | one => rfl
  | step n h ih =>
    rw [oddb_add_two]
    exact ih

theorem even_not_odd (n : Nat) (h : Even n) : ¬ Odd n := by
  induction h with
  | zero =>
    intro h1
    cases h1
  | step n h ih =>
    intro h1
    cases h1 with
    | step n h2 => exact ih h2

end Inductive

end Arithmetic
