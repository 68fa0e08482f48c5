import Arithmetic.Sums

/-!
Order on natural numbers: linear arithmetic, relations of our own, minimum and maximum.
-/

namespace Arithmetic

section Linear

theorem lt_of_succ_le' (n m : Nat) (h : n + 1 ≤ m) : n < m := by
  omega

theorem le_of_lt_succ' (n m : Nat) (h : n < m + 1) : n ≤ m := by
  omega

theorem lt_chain (n m k : Nat) (h1 : n < m) (h2 : m < k) : n + 1 < k := by
  omega

theorem lt_chain3 (a b c d : Nat) (h1 : a < b) (h2 : b < c) (h3 : c < d) : a + 2 < d := by
  omega

theorem add_lt_add_both (a b c d : Nat) (h1 : a < b) (h2 : c < d) : a + c + 1 < b + d := by
  omega

theorem sub_add_le (n m : Nat) (h : m ≤ n) : n - m + m = n := by
  omega

theorem add_sub_self (n m : Nat) : n + m - m = n := by
  omega

theorem sub_sub_swap (n m k : Nat) : n - m - k = n - k - m := by
  omega

theorem le_antisymm' (n m : Nat) (h1 : n ≤ m) (h2 : m ≤ n) : n = m := by
  apply Nat.le_antisymm
  · exact h1
  · exact h2

theorem lt_or_ge' (n m : Nat) : n < m ∨ m ≤ n := by
  omega

theorem le_total' (n m : Nat) : n ≤ m ∨ m ≤ n := by
  by_cases h : n ≤ m
  · left
    exact h
  · right
    omega

theorem lt_trichotomy' (n m : Nat) : n < m ∨ n = m ∨ m < n := by
  by_cases h1 : n < m
  · left
    exact h1
  · right
    omega

theorem mul_le_mul_both (a b c d : Nat) (h1 : a ≤ b) (h2 : c ≤ d) : a * c ≤ b * d := by
  apply Nat.mul_le_mul
  · exact h1
  · exact h2

theorem square_mono (n m : Nat) (h : n ≤ m) : n * n ≤ m * m := by
  apply Nat.mul_le_mul
  · exact h
  · exact h

theorem square_succ (n : Nat) : (n + 1) * (n + 1) = n * n + 2 * n + 1 := by
  rw [Nat.mul_succ, Nat.succ_mul]
  omega

theorem le_square (n : Nat) : n ≤ n * n := by
  cases n with
  | zero => simp
  | succ n =>
    apply Nat.le_mul_of_pos_left
    omega

theorem mul_eq_zero_cases (n m : Nat) (h : n * m = 0) : n = 0 ∨ m = 0 := by
  cases n with
  | zero =>
    left
    rfl
  | succ n =>
    right
    cases m with
    | zero => rfl
    | succ m =>
      rw [Nat.mul_succ] at h
      omega

theorem add_eq_zero_both (n m : Nat) (h : n + m = 0) : n = 0 ∧ m = 0 := by
  constructor
  · omega
  · omega

theorem eq_zero_or_succ (n : Nat) : n = 0 ∨ ∃ m, n = m + 1 := by
  cases n with
  | zero =>
    left
    rfl
  | succ n =>
    right
    exact ⟨n, rfl⟩

end Linear

/-- `n` is at most `m`, built step by step. -/
inductive Below : Nat → Nat → Prop where
  | refl (n : Nat) : Below n n
  | step (n m : Nat) (h : Below n m) : Below n (m + 1)

/-- `m` is reached from `n` by adding something. -/
def Reach (n m : Nat) : Prop := ∃ k, m = n + k

section Own

theorem below_self_succ (n : Nat) : Below n (n + 1) := by
  apply Below.step
  apply Below.refl

theorem below_add_two (n : Nat) : Below n (n + 2) := by
  apply Below.step
  apply Below.step
  apply Below.refl

theorem below_add_three (n : Nat) : Below n (n + 3) := by
  apply Below.step
  apply Below.step
  apply Below.step
  apply Below.refl

theorem zero_below (n : Nat) : Below 0 n := by
  induction n with
  | zero => apply Below.refl
  | succ n ih =>
    apply Below.step
    exact ih

theorem below_add (n m : Nat) : Below n (n + m) := by
  induction m with
  | zero => apply Below.refl
  | succ m ih =>
    apply Below.step
    exact ih

theorem below_double (n : Nat) : Below n (n + n) := by
  apply below_add

theorem below_succ_succ (n m : Nat) (h : Below n m) : Below (n + 1) (m + 1) := by
  induction h with
  | refl => apply Below.refl
  | step m h ih =>
    apply Below.step
    exact ih

theorem below_add_right (n m k : Nat) (h : Below n m) : Below (n + k) (m + k) := by
  induction k with
  | zero => exact h
  | succ k ih =>
    apply below_succ_succ
    exact ih

theorem below_trans (n m k : Nat) (h1 : Below n m) (h2 : Below m k) : Below n k := by
  induction h2 with
  | refl => exact h1
  | step k h ih =>
    apply Below.step
    exact ih

theorem below_to_le (n m : Nat) (h : Below n m) : n ≤ m := by
  induction h with
  | refl => omega
  | step m h ih => omega

theorem below_of_le (n m : Nat) (h : n ≤ m) : Below n m := by
  induction h with
  | refl => apply Below.refl
  | step h ih =>
    apply Below.step
    exact ih

theorem below_zero (n : Nat) (h : Below n 0) : n = 0 := by
  cases h with
  | refl => rfl

theorem below_antisymm (n m : Nat) (h1 : Below n m) (h2 : Below m n) : n = m := by
  have h3 := below_to_le n m h1
  have h4 := below_to_le m n h2
  omega

theorem reach_self (n : Nat) : Reach n n := by
  exact ⟨0, rfl⟩

theorem reach_succ (n : Nat) : Reach n (n + 1) := by
  exact ⟨1, rfl⟩

theorem zero_reach (n : Nat) : Reach 0 n := by
  refine ⟨n, ?_⟩
  omega

theorem reach_add (n m : Nat) : Reach n (m + n) := by
  refine ⟨m, ?_⟩
  omega

theorem reach_double (n : Nat) : Reach n (2 * n) := by
  refine ⟨n, ?_⟩
  omega

theorem reach_trans (n m k : Nat) (h1 : Reach n m) (h2 : Reach m k) : Reach n k := by
  obtain ⟨a, ha⟩ := h1
  obtain ⟨b, hb⟩ := h2
  refine ⟨a + b, ?_⟩
  omega

theorem reach_antisymm (n m : Nat) (h1 : Reach n m) (h2 : Reach m n) : n = m := by
  obtain ⟨a, ha⟩ := h1
  obtain ⟨b, hb⟩ := h2
  omega

theorem reach_step (n m : Nat) (h : Reach n m) : Reach n (m + 1) := by
  obtain ⟨a, ha⟩ := h
  refine ⟨a + 1, ?_⟩
  omega

theorem reach_succ_succ (n m : Nat) (h : Reach n m) : Reach (n + 1) (m + 1) := by
  obtain ⟨a, ha⟩ := h
  refine ⟨a, ?_⟩
  omega

theorem reach_mul (n m k : Nat) (h : Reach n m) : Reach (k * n) (k * m) := by
  obtain ⟨a, ha⟩ := h
  refine ⟨k * a, ?_⟩
  rw [ha, Nat.mul_add]

theorem reach_to_le (n m : Nat) (h : Reach n m) : n ≤ m := by
  obtain ⟨a, ha⟩ := h
  omega

theorem reach_of_le (n m : Nat) (h : n ≤ m) : Reach n m := by
  refine ⟨m - n, ?_⟩
  omega

theorem reach_add_both (a b c d : Nat) (h1 : Reach a b) (h2 : Reach c d) :
    Reach (a + c) (b + d) := by
  obtain ⟨m, hm⟩ := h1
  obtain ⟨n, hn⟩ := h2
  refine ⟨m + n, ?_⟩
  omega

theorem reach_or (n m : Nat) : Reach n m ∨ Reach m n := by
  by_cases h : n ≤ m
  · left
    exact reach_of_le n m h
  · right
    apply reach_of_le
    omega

theorem reach_below (n m : Nat) (h : Reach n m) : Below n m := by
  apply below_of_le
  exact reach_to_le n m h

theorem below_reach (n m : Nat) (h : Below n m) : Reach n m := by
  apply reach_of_le
  exact below_to_le n m h

end Own

def maxi (n m : Nat) : Nat := if n ≤ m then m else n

def mini (n m : Nat) : Nat := if n ≤ m then n else m

section MinMax

theorem left_le_maxi (n m : Nat) : n ≤ maxi n m := by
  unfold maxi
  split
  · omega
  · omega

theorem right_le_maxi (n m : Nat) : m ≤ maxi n m := by
  unfold maxi
  split
  · omega
  · omega

theorem mini_le_left (n m : Nat) : mini n m ≤ n := by
  unfold mini
  split
  · omega
  · omega

theorem mini_le_right (n m : Nat) : mini n m ≤ m := by
  unfold mini
  split
  · omega
  · omega

theorem maxi_self (n : Nat) : maxi n n = n := by
  simp [maxi]

theorem mini_self (n : Nat) : mini n n = n := by
  simp [mini]

theorem maxi_comm (n m : Nat) : maxi n m = maxi m n := by
  unfold maxi
  split
  · split
    · omega
    · omega
  · split
    · omega
    · omega

theorem mini_comm (n m : Nat) : mini n m = mini m n := by
  unfold mini
  split
  · split
    · omega
    · omega
  · split
    · omega
    · omega

theorem maxi_of_le (n m : Nat) (h : n ≤ m) : maxi n m = m := by
  simp [maxi, h]

theorem mini_of_le (n m : Nat) (h : n ≤ m) : mini n m = n := by
  simp [mini, h]

theorem maxi_le (n m k : Nat) (h1 : n ≤ k) (h2 : m ≤ k) : maxi n m ≤ k := by
  unfold maxi
  split
  · exact h2
  · exact h1

theorem le_mini (n m k : Nat) (h1 : k ≤ n) (h2 : k ≤ m) : k ≤ mini n m := by
  unfold mini
  split
  · exact h1
  · exact h2

theorem maxi_add_mini (n m : Nat) : maxi n m + mini n m = n + m := by
  unfold maxi mini
  split
  · omega
  · omega

theorem mini_le_maxi (n m : Nat) : mini n m ≤ maxi n m := by
  unfold maxi mini
  split
  · omega
  · omega

theorem maxi_eq_or (n m : Nat) : maxi n m = n ∨ maxi n m = m := by
  unfold maxi
  split
  · right
    rfl
  · left
    rfl

theorem mini_eq_or (n m : Nat) : mini n m = n ∨ mini n m = m := by
  unfold mini
  split
  · left
    rfl
  · right
    rfl

theorem maxi_zero (n : Nat) : maxi n 0 = n := by
  unfold maxi
  split
  · omega
  · rfl

theorem zero_mini (n : Nat) : mini 0 n = 0 := by
  simp [mini]

end MinMax

end Arithmetic
