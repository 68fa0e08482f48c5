/-!
# Infinite descent

Fermat's method: if a counterexample always gives a smaller one, there is none.
We set up the method in a few forms and use it on some classical examples.
-/

namespace Descent

/-- `m` is the least number with property `P`. -/
structure IsLeast (P : Nat → Prop) (m : Nat) : Prop where
  holds : P m
  least : ∀ k, P k → m ≤ k

/-- `p` has no divisors but one and itself. -/
def Prime (p : Nat) : Prop := 2 ≤ p ∧ ∀ d, d ∣ p → d = 1 ∨ d = p

def fact : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * fact n

/-- Product of a list of numbers. -/
def prod : List Nat → Nat
  | [] => 1
  | a :: l => a * prod l

/-! ## The method -/

theorem exists_least {P : Nat → Prop} {n : Nat} (h : P n) : ∃ m, IsLeast P m := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    by_cases hk : ∃ k, k < n ∧ P k
    · obtain ⟨k, hkn, hP⟩ := hk
      exact ih k hkn hP
    · refine ⟨n, h, fun k hP => ?_⟩
      apply Nat.le_of_not_lt
      intro hlt
      exact hk ⟨k, hlt, hP⟩

theorem IsLeast.unique {P : Nat → Prop} {m n : Nat} (hm : IsLeast P m)
    (hn : IsLeast P n) : m = n :=
  Nat.le_antisymm (hm.least n hn.holds) (hn.least m hm.holds)

/-- The principle of infinite descent. -/
theorem descent {P : Nat → Prop} (step : ∀ n, P n → ∃ m, m < n ∧ P m) (n : Nat) :
    ¬ P n := by
  intro h
  obtain ⟨m, hm⟩ := exists_least h
  obtain ⟨k, hk, hP⟩ := step m hm.holds
  exact Nat.not_lt_of_le (hm.least k hP) hk

/-- Descent along a measure on any type. -/
theorem descent_measure {α : Type u} (μ : α → Nat) {P : α → Prop}
    (step : ∀ a, P a → ∃ b, μ b < μ a ∧ P b) (a : α) : ¬ P a := by
  intro h
  refine descent (P := fun n => ∃ a, μ a = n ∧ P a) ?_ (μ a) ⟨a, rfl, h⟩
  rintro _ ⟨b, rfl, hb⟩
  obtain ⟨c, hc, hPc⟩ := step b hb
  exact ⟨μ c, hc, c, rfl, hPc⟩

/-- There is no infinite strictly decreasing sequence. -/
theorem no_decreasing_sequence (f : Nat → Nat) : ∃ n, f n ≤ f (n + 1) := by
  apply Classical.byContradiction
  intro hn
  have step : ∀ n, f (n + 1) < f n := fun n =>
    Nat.lt_of_not_le fun h => hn ⟨n, h⟩
  refine descent (P := fun v => ∃ n, f n = v) ?_ (f 0) ⟨0, rfl⟩
  rintro _ ⟨n, rfl⟩
  exact ⟨f (n + 1), step n, n + 1, rfl⟩

/-- A sequence that never increases is constant from some point on. -/
theorem eventually_constant (f : Nat → Nat) (h : ∀ n, f (n + 1) ≤ f n) :
    ∃ N, ∀ n, N ≤ n → f n = f N := by
  obtain ⟨m, ⟨N, hN⟩, hm⟩ := exists_least (P := fun v => ∃ n, f n = v) ⟨0, rfl⟩
  refine ⟨N, fun n hn => Nat.le_antisymm ?_ (hN ▸ hm _ ⟨n, rfl⟩)⟩
  induction hn with
  | refl => exact Nat.le_refl _
  | step _ ih => exact Nat.le_trans (h _) ih

/-! ## Irrationality -/

theorem even_of_even_sq {a : Nat} (h : a * a % 2 = 0) : a % 2 = 0 := by
  rcases Nat.mod_two_eq_zero_or_one a with h0 | h1
  · exact h0
  · rw [Nat.mul_mod, h1] at h
    simp at h

/-- The square root of two is irrational. -/
theorem sqrt_two (a b : Nat) (h : a * a = 2 * (b * b)) : b = 0 := by
  induction a using Nat.strongRecOn generalizing b with
  | ind a ih =>
    have ha : a % 2 = 0 := even_of_even_sq (by omega)
    obtain ⟨c, rfl⟩ : ∃ c, a = 2 * c := ⟨a / 2, by omega⟩
    have h₁ : b * b = 2 * (c * c) := by grind
    by_cases hb : b < 2 * c
    · have hc := ih b hb c h₁
      subst hc
      exact (Nat.mul_eq_zero.mp h₁).elim id id
    · have h₂ : 2 * c ≤ b := Nat.le_of_not_lt hb
      have h₃ := Nat.mul_le_mul h₂ h₂
      have h₄ : b * b = 0 := by grind
      exact (Nat.mul_eq_zero.mp h₄).elim id id

theorem three_dvd_of_sq_add_sq {a b : Nat} (h : (a * a + b * b) % 3 = 0) :
    a % 3 = 0 ∧ b % 3 = 0 := by
  have ha : a % 3 = 0 ∨ a % 3 = 1 ∨ a % 3 = 2 := by omega
  have hb : b % 3 = 0 ∨ b % 3 = 1 ∨ b % 3 = 2 := by omega
  rw [Nat.add_mod, Nat.mul_mod a, Nat.mul_mod b] at h
  rcases ha with ha | ha | ha <;> rcases hb with hb | hb | hb <;> simp_all

/-- `a² + b² = 3c²` has no solutions but zero. -/
theorem no_sum_of_squares (a b c : Nat) (h : a * a + b * b = 3 * (c * c)) : c = 0 := by
  induction c using Nat.strongRecOn generalizing a b with
  | ind c ih =>
    obtain ⟨ha, hb⟩ := three_dvd_of_sq_add_sq (a := a) (b := b) (by omega)
    obtain ⟨x, rfl⟩ : ∃ x, a = 3 * x := ⟨a / 3, by omega⟩
    obtain ⟨y, rfl⟩ : ∃ y, b = 3 * y := ⟨b / 3, by omega⟩
    have h₁ : c * c + 0 * 0 = 3 * (x * x + y * y) := by grind
    have hc := (three_dvd_of_sq_add_sq (a := c) (b := 0) (by omega)).1
    obtain ⟨z, rfl⟩ : ∃ z, c = 3 * z := ⟨c / 3, by omega⟩
    have h₂ : x * x + y * y = 3 * (z * z) := by grind
    by_cases hz : z = 0
    · omega
    · have := ih z (by omega) x y h₂
      contradiction

/-! ## Prime factors -/

theorem exists_prime_dvd (n : Nat) (h : 2 ≤ n) : ∃ p, Prime p ∧ p ∣ n := by
  by_cases hp : Prime n
  · exact ⟨n, hp, Nat.dvd_refl n⟩
  · have hd : ∃ d, d ∣ n ∧ d ≠ 1 ∧ d ≠ n := by
      apply Classical.byContradiction
      intro hn
      refine hp ⟨h, fun d hd => Classical.byContradiction fun hne => hn ⟨d, hd, ?_⟩⟩
      exact not_or.mp hne
    obtain ⟨d, hdn, h1, hn⟩ := hd
    have hpos : 0 < d := Nat.pos_of_dvd_of_pos hdn (by omega)
    have hle : d ≤ n := Nat.le_of_dvd (by omega) hdn
    have hlt : d < n := by omega
    obtain ⟨p, hp, hpd⟩ := exists_prime_dvd d (by omega)
    exact ⟨p, hp, Nat.dvd_trans hpd hdn⟩
termination_by n

/-- Every positive number is a product of primes. -/
theorem exists_factorisation (n : Nat) (h : 0 < n) :
    ∃ l : List Nat, (∀ p, p ∈ l → Prime p) ∧ prod l = n := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    by_cases h1 : n = 1
    · exact ⟨[], by simp, h1.symm⟩
    · obtain ⟨p, hp, k, rfl⟩ := exists_prime_dvd n (by omega)
      have hk : 0 < k := Nat.pos_of_mul_pos_left h
      have hlt : k < p * k := by
        have := Nat.mul_le_mul_right k hp.1
        omega
      obtain ⟨l, hl, e⟩ := ih k hlt hk
      refine ⟨p :: l, ?_, by rw [prod, e]⟩
      intro q hq
      cases hq with
      | head => exact hp
      | tail _ hq => exact hl q hq

theorem dvd_fact {k n : Nat} (hk : 0 < k) (hn : k ≤ n) : k ∣ fact n := by
  induction n with
  | zero => omega
  | succ n ih =>
    by_cases h : k = n + 1
    · exact ⟨fact n, by rw [h, fact]⟩
    · exact Nat.dvd_mul_left_of_dvd (ih (by omega)) (n + 1)

theorem fact_pos (n : Nat) : 0 < fact n := by
  induction n with
  | zero => decide
  | succ n ih => exact Nat.mul_pos (Nat.succ_pos n) ih

/-- Euclid: beyond any bound there is a prime. -/
theorem exists_prime_gt (n : Nat) : ∃ p, n < p ∧ Prime p := by
  have h := fact_pos n
  obtain ⟨p, hp, hd⟩ := exists_prime_dvd (fact n + 1) (by omega)
  refine ⟨p, Nat.lt_of_not_le fun hle => ?_, hp⟩
  have h2 := hp.1
  have h1 := (Nat.dvd_add_right (dvd_fact (by omega) hle)).mp hd
  have := Nat.dvd_one.mp h1
  omega

end Descent
