import Structures.Num.Basic

/-!
The order of our own natural numbers, and parity.
-/

namespace Structures.Num

inductive Le : Num → Num → Prop where
  | zero (n : Num) : Le zero n
  | succ (n m : Num) (h : Le n m) : Le (succ n) (succ m)

inductive Even : Num → Prop where
  | zero : Even zero
  | step (n : Num) (h : Even n) : Even (succ (succ n))

infix:50 " ≼ " => Le

theorem le_refl (n : Num) : n ≼ n := by
  induction n with
  | zero => apply Le.zero
  | succ n ih =>
    apply Le.succ
    exact ih

theorem le_succ (n : Num) : n ≼ succ n := by
  induction n with
  | zero => apply Le.zero
  | succ n ih =>
    apply Le.succ
    exact ih

theorem le_add_right (n m : Num) : n ≼ m ∔ n := by
  induction n with
  | zero => apply Le.zero
  | succ n ih =>
    apply Le.succ
    exact ih

theorem le_of_succ_le (n m : Num) (h : succ n ≼ succ m) : n ≼ m := by
  cases h with
  | succ n m h1 => exact h1

theorem le_trans (n m k : Num) (h1 : n ≼ m) (h2 : m ≼ k) : n ≼ k := by
  induction h1 generalizing k with
  | zero m => apply Le.zero
  | succ n m h ih =>
    cases h2 with
    | succ m k h3 =>
      apply Le.succ
      exact ih k h3

theorem le_double (n : Num) : n ≼ double n := by
  induction n with
  | zero => apply Le.zero
  | succ n ih =>
    apply Le.succ
    apply le_trans n (double n)
    · exact ih
    · apply le_succ

theorem le_antisymm (n m : Num) (h1 : n ≼ m) (h2 : m ≼ n) : n = m := by
  induction h1 with
  | zero m =>
    cases h2 with
    | zero => rfl
  | succ n m h ih =>
    cases h2 with
    | succ m n h3 => rw [ih h3]

theorem le_zero (n : Num) (h : n ≼ zero) : n = zero := by
  cases h with
  | zero => rfl

theorem not_succ_le_zero (n : Num) : ¬ succ n ≼ zero := by
  intro h
  cases h

theorem not_succ_le_self (n : Num) : ¬ succ n ≼ n := by
  intro h
  induction n with
  | zero => cases h
  | succ n ih =>
    apply ih
    exact le_of_succ_le (succ n) n h

theorem le_or_le (n m : Num) : n ≼ m ∨ m ≼ n := by
  induction n generalizing m with
  | zero =>
    left
    apply Le.zero
  | succ n ih =>
    cases m with
    | zero =>
      right
      apply Le.zero
    | succ m =>
      cases ih m with
      | inl h =>
        left
        apply Le.succ
        exact h
      | inr h =>
        right
        apply Le.succ
        exact h

theorem le_toNat (n m : Num) (h : n ≼ m) : toNat n ≤ toNat m := by
  induction h with
  | zero m => simp [toNat]
  | succ n m h ih =>
    simp only [toNat]
    omega

theorem le_add_both (n m k : Num) (h : n ≼ m) : n ∔ k ≼ m ∔ k := by
  induction k with
  | zero => exact h
  | succ k ih =>
    apply Le.succ
    exact ih

theorem succ_le_add (n m : Num) (h : one ≼ m) : succ n ≼ m ∔ n := by
  induction n with
  | zero => exact h
  | succ n ih =>
    apply Le.succ
    exact ih

theorem double_mono (n m : Num) (h : n ≼ m) : double n ≼ double m := by
  induction h with
  | zero m => apply Le.zero
  | succ n m h ih =>
    apply Le.succ
    apply Le.succ
    exact ih

theorem le_exists (n m : Num) (h : n ≼ m) : ∃ k, m = k ∔ n := by
  induction h with
  | zero m => exact ⟨m, rfl⟩
  | succ n m h ih =>
    obtain ⟨k, h1⟩ := ih
    exists k
    rw [h1]
    rfl

theorem even_double (n : Num) : Even (double n) := by
  induction n with
  | zero => exact Even.zero
  | succ n ih =>
    apply Even.step
    exact ih

theorem even_add (n m : Num) (h1 : Even n) (h2 : Even m) : Even (n ∔ m) := by
  induction h2 with
  | zero => exact h1
  | step m h ih =>
    apply Even.step
    exact ih

theorem not_even_one : ¬ Even one := by
  intro h
  cases h

theorem not_even_three : ¬ Even (succ (succ one)) := by
  intro h
  cases h with
  | step n h1 => cases h1

theorem even_four : Even (double (succ one)) := by
  apply Even.step
  apply Even.step
  exact Even.zero

theorem even_exists (n : Num) (h : Even n) : ∃ m, n = double m := by
  induction h with
  | zero => exact ⟨zero, rfl⟩
  | step n h ih =>
    obtain ⟨m, h1⟩ := ih
    exists succ m
    rw [h1]
    rfl

theorem even_of_succ_succ (n : Num) (h : Even (succ (succ n))) : Even n := by
  cases h with
  | step n h1 => exact h1

theorem even_of_exists (n : Num) (h : ∃ m, n = double m) : Even n := by
  obtain ⟨m, h1⟩ := h
  rw [h1]
  exact even_double m

theorem even_not_succ (n : Num) (h : Even n) : ¬ Even (succ n) := by
  induction h with
  | zero =>
    intro h1
    cases h1
  | step n h ih =>
    intro h1
    cases h1 with
    | step n h2 => exact ih h2

theorem even_or_succ (n : Num) : Even n ∨ Even (succ n) := by
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

end Structures.Num
