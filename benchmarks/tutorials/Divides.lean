/-! # Parity, divisibility, gcd and primes, from definitions with `∃` -/
namespace Divides
def Even (a : Int) : Prop := ∃ k, a = k + k
def Odd (a : Int) : Prop := ∃ k, a = 2 * k + 1

def Div (d n : Nat) : Prop := ∃ k, n = d * k

infix:50 " ∣∣ " => Div

def Prime (p : Nat) : Prop := 2 ≤ p ∧ ∀ d, d ∣∣ p → d = 1 ∨ d = p

def gcd (a b : Nat) : Nat :=
  if _h : b = 0 then a else gcd b (a % b)
termination_by b
decreasing_by exact Nat.mod_lt a (Nat.pos_of_ne_zero _h)

theorem even_add {a b : Int} (ha : Even a) (hb : Even b) : Even (a + b) := by
  obtain ⟨m, rfl⟩ := ha
  obtain ⟨n, rfl⟩ := hb
  exact ⟨m + n, by omega⟩

theorem odd_mul_odd {a b : Int} (ha : Odd a) (hb : Odd b) : Odd (a * b) := by
  obtain ⟨m, rfl⟩ := ha
  obtain ⟨n, rfl⟩ := hb
  exact ⟨2 * m * n + m + n, by grind⟩

theorem even_or_odd (a : Int) : Even a ∨ Odd a := by
  rcases Int.emod_two_eq a with h | h
  · exact Or.inl ⟨a / 2, by omega⟩
  · exact Or.inr ⟨a / 2, by omega⟩

theorem not_even_iff_odd (a : Int) : ¬ Even a ↔ Odd a := by
  constructor
  · exact (even_or_odd a).resolve_left
  · rintro ⟨m, hm⟩ ⟨n, hn⟩
    omega

theorem even_of_even_sq {a : Int} (h : Even (a * a)) : Even a := by
  apply Classical.byContradiction
  intro hodd
  have ho := (not_even_iff_odd a).mp hodd
  exact (not_even_iff_odd (a * a)).mpr (odd_mul_odd ho ho) h

theorem Div.refl (n : Nat) : n ∣∣ n := ⟨1, (Nat.mul_one n).symm⟩

theorem Div.trans {a b c : Nat} (hab : a ∣∣ b) (hbc : b ∣∣ c) : a ∣∣ c := by
  obtain ⟨k, rfl⟩ := hab
  obtain ⟨l, rfl⟩ := hbc
  exact ⟨k * l, Nat.mul_assoc a k l⟩

theorem Div.add {d a b : Nat} (ha : d ∣∣ a) (hb : d ∣∣ b) : d ∣∣ a + b := by
  obtain ⟨k, rfl⟩ := ha
  obtain ⟨l, rfl⟩ := hb
  exact ⟨k + l, (Nat.mul_add d k l).symm⟩

theorem Div.mul_right {d a : Nat} (h : d ∣∣ a) (b : Nat) : d ∣∣ a * b :=
  h.trans ⟨b, rfl⟩

theorem Div.of_add {d a b : Nat} (ha : d ∣∣ a) (hab : d ∣∣ a + b) : d ∣∣ b := by
  obtain ⟨k, rfl⟩ := ha
  obtain ⟨l, hl⟩ := hab
  refine ⟨l - k, ?_⟩
  rw [Nat.mul_sub]
  omega

theorem Div.le {d n : Nat} (h : d ∣∣ n) (hn : 0 < n) : d ≤ n := by
  obtain ⟨k, rfl⟩ := h
  exact Nat.le_mul_of_pos_right d (Nat.pos_of_mul_pos_left hn)

theorem div_gcd_iff (d a b : Nat) : d ∣∣ gcd a b ↔ d ∣∣ a ∧ d ∣∣ b := by
  induction a, b using gcd.induct with
  | case1 a =>
    rw [gcd, dif_pos rfl]
    exact ⟨fun h => ⟨h, 0, rfl⟩, fun h => h.1⟩
  | case2 a b hb ih =>
    rw [gcd, dif_neg hb, ih]
    constructor
    · rintro ⟨h₁, h₂⟩
      refine ⟨?_, h₁⟩
      rw [← Nat.div_add_mod a b]
      exact (h₁.mul_right _).add h₂
    · rintro ⟨h₁, h₂⟩
      refine ⟨h₂, ?_⟩
      rw [← Nat.div_add_mod a b] at h₁
      exact Div.of_add (h₂.mul_right _) h₁

/-- Bézout's identity. -/
theorem bezout (a b : Nat) : ∃ x y : Int, (gcd a b : Int) = a * x + b * y := by
  induction a, b using gcd.induct with
  | case1 a =>
    rw [gcd, dif_pos rfl]
    exact ⟨1, 0, by simp⟩
  | case2 a b hb ih =>
    rw [gcd, dif_neg hb]
    obtain ⟨x, y, h⟩ := ih
    refine ⟨y, x - a / b * y, ?_⟩
    have e : (a : Int) = b * (a / b) + (a % b : Nat) := by
      rw [Int.natCast_emod, Int.mul_ediv_add_emod]
    rw [h]
    grind

/-- Every number from two on has a prime factor. -/
theorem exists_prime_factor (n : Nat) (hn : 2 ≤ n) : ∃ p, Prime p ∧ p ∣∣ n := by
  induction n using Nat.strongRecOn with
  | _ n ih =>
    by_cases h : Prime n
    · exact ⟨n, h, Div.refl n⟩
    · simp only [Prime, hn, true_and, Classical.not_forall, not_or] at h
      obtain ⟨d, hd, h1, hne⟩ := h
      have hle := hd.le (by omega)
      have h0 : d ≠ 0 := by
        rintro rfl
        obtain ⟨k, hk⟩ := hd
        omega
      obtain ⟨p, hp, hpd⟩ := ih d (by omega) (by omega)
      exact ⟨p, hp, hpd.trans hd⟩

def fact : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * fact n

theorem div_fact {d n : Nat} (hd : 1 ≤ d) (hn : d ≤ n) : d ∣∣ fact n := by
  induction n with
  | zero => omega
  | succ n ih =>
    by_cases h : d = n + 1
    · exact ⟨fact n, by rw [h, fact]⟩
    · obtain ⟨k, hk⟩ := ih (by omega)
      exact ⟨(n + 1) * k, by rw [fact, hk, Nat.mul_left_comm]⟩

/-- Euclid: there are infinitely many primes. -/
theorem infinitely_many_primes (n : Nat) : ∃ p, n < p ∧ Prime p := by
  have pos : 0 < fact n := by
    induction n with
    | zero => decide
    | succ n ih => exact Nat.mul_pos (Nat.succ_pos n) ih
  obtain ⟨p, hp, hdiv⟩ := exists_prime_factor (fact n + 1) (by omega)
  refine ⟨p, Nat.lt_of_not_le fun hle => ?_, hp⟩
  have h1 : p ∣∣ 1 := Div.of_add (div_fact (by have := hp.1; omega) hle) hdiv
  have := h1.le (by decide)
  have := hp.1
  omega

theorem euclid_lemma {p a b : Nat} (hp : Prime p) (h : p ∣∣ a * b) : p ∣∣ a ∨ p ∣∣ b := by
  have hg := (div_gcd_iff (gcd p a) p a).mp (Div.refl _)
  rcases hp.2 _ hg.1 with h1 | hpp
  · right
    obtain ⟨x, y, e⟩ := bezout p a
    obtain ⟨k, hk⟩ := h
    rw [h1] at e
    have : (p : Int) ∣ b := by
      refine ⟨b * x + k * y, ?_⟩
      have hk' : (a : Int) * b = p * k := by exact_mod_cast hk
      grind
    exact Int.natCast_dvd_natCast.mp this
  · left
    rw [hpp] at hg
    exact hg.2

end Divides
