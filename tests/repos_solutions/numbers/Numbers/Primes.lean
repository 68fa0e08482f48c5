import Numbers.Euclid

/-!
Prime numbers: least factors, Euclid's lemma, infinitely many primes, factorizations.
-/

namespace Numbers

/-- A prime has no measures but one and itself. -/
def Prime (p : Nat) : Prop := 2 ≤ p ∧ ∀ d, Measures d p → d = 1 ∨ d = p

/-- A number with a proper measure. -/
def Composite (n : Nat) : Prop := ∃ d, Measures d n ∧ 1 < d ∧ d < n

/-- The first number from `d` on that measures `n`, looking at `fuel` numbers at most. -/
def search (n : Nat) : Nat → Nat → Nat
  | 0, d => d
  | fuel + 1, d => if n % d = 0 then d else search n fuel (d + 1)

/-- The least measure from two on. -/
def leastFactor (n : Nat) : Nat := search n n 2

/-- The product of a list of numbers. -/
def listProduct : List Nat → Nat
  | [] => 1
  | p :: ps => p * listProduct ps

/-- `1 · 2 · … · n` -/
def factorial : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * factorial n

section Basics

theorem prime_pos (p : Nat) (h : Prime p) : 0 < p := by
  have h1 := h.1
  omega

theorem not_prime_one : ¬ Prime 1 := by
  intro h
  have h1 := h.1
  omega

theorem prime_two : Prime 2 := by
  constructor
  · omega
  · intro d h
    have h1 := measures_le d 2 h (by omega)
    have h2 : d ≠ 0 := by
      intro h3
      rw [h3, zero_measures_iff] at h
      contradiction
    omega

theorem prime_three : Prime 3 := by
  constructor
  · omega
  · intro d h
    have h1 := measures_le d 3 h (by omega)
    rw [measures_iff_mod] at h
    have h2 : d = 0 ∨ d = 1 ∨ d = 2 ∨ d = 3 := by omega
    rcases h2 with h2 | h2 | h2 | h2
    · subst h2
      contradiction
    · left
      exact h2
    · subst h2
      contradiction
    · right
      exact h2

theorem measures_prime (d p : Nat) (hp : Prime p) (h : Measures d p) (hd : 1 < d) : d = p := by
  rcases hp.2 d h with h1 | h1
  · omega
  · exact h1

theorem prime_measures_prime (p q : Nat) (hp : Prime p) (hq : Prime q) (h : Measures p q) :
    p = q := by
  apply measures_prime p q hq h
  have h1 := hp.1
  omega

theorem not_prime_of_composite (n : Nat) (h : Composite n) : ¬ Prime n := by
  obtain ⟨d, h1, h2, h3⟩ := h
  intro hn
  rcases hn.2 d h1 with h4 | h4
  · omega
  · omega

theorem prime_or_composite (n : Nat) (h : 2 ≤ n) : Prime n ∨ Composite n := by
  by_cases hc : Composite n
  · right
    exact hc
  · left
    refine ⟨h, ?_⟩
    intro d hd
    have h1 := measures_le d n hd (by omega)
    have h2 : d ≠ 0 := by
      intro h3
      rw [h3, zero_measures_iff] at hd
      omega
    by_cases h4 : d = 1
    · left
      exact h4
    · by_cases h5 : d = n
      · right
        exact h5
      · exact absurd ⟨d, hd, by omega, by omega⟩ hc

theorem composite_mul (a b : Nat) (ha : 1 < a) (hb : 1 < b) : Composite (a * b) := by
  refine ⟨b, measures_mul b a, hb, ?_⟩
  have h1 : 2 * b ≤ a * b := Nat.mul_le_mul_right b ha
  omega

theorem composite_even (n : Nat) (h : 1 < n) : Composite (2 * n) := by
  exact composite_mul 2 n (by omega) h

theorem prime_even_iff (p : Nat) (hp : Prime p) : Measures 2 p ↔ p = 2 := by
  constructor
  · intro h
    exact (measures_prime 2 p hp h (by omega)).symm
  · intro h
    rw [h]
    exact measures_self 2

theorem composite_square_le (n : Nat) (h : Composite n) :
    ∃ d, Measures d n ∧ 1 < d ∧ d * d ≤ n := by
  obtain ⟨d, h1, h2, h3⟩ := h
  rw [measures_iff] at h1
  obtain ⟨k, hk⟩ := h1
  have hk1 : 1 < k := by
    rcases Nat.lt_or_ge 1 k with h4 | h4
    · exact h4
    · have h5 : k * d ≤ 1 * d := Nat.mul_le_mul_right d h4
      omega
  rcases Nat.le_total d k with h4 | h4
  · refine ⟨d, ?_, h2, ?_⟩
    · rw [hk]
      exact measures_mul d k
    · rw [hk]
      exact Nat.mul_le_mul_right d h4
  · refine ⟨k, ?_, hk1, ?_⟩
    · rw [hk, Nat.mul_comm]
      exact measures_mul k d
    · rw [hk]
      exact Nat.mul_le_mul_left k h4

end Basics

section EuclidsLemma

theorem coprime_of_prime (p a : Nat) (hp : Prime p) (h : ¬ Measures p a) : Coprime p a := by
  rw [coprime_iff]
  rintro d ⟨h1, h2⟩
  rcases hp.2 d h1 with h3 | h3
  · exact h3
  · subst h3
    contradiction

/-- Euclid's lemma. -/
theorem prime_measures_mul (p a b : Nat) (hp : Prime p) (h : Measures p (a * b)) :
    Measures p a ∨ Measures p b := by
  by_cases h1 : Measures p a
  · left
    exact h1
  · right
    exact measures_of_coprime_mul p a b (coprime_of_prime p a hp h1) h

theorem not_prime_measures_one (p : Nat) (hp : Prime p) : ¬ Measures p 1 := by
  intro h
  rw [measures_one_iff] at h
  have h1 := hp.1
  omega

theorem prime_measures_pow (p a n : Nat) (hp : Prime p) (h : Measures p (a ^ n)) :
    Measures p a := by
  induction n with
  | zero =>
    rw [Nat.pow_zero] at h
    exact absurd h (not_prime_measures_one p hp)
  | succ n ih =>
    rw [Nat.pow_succ] at h
    rcases prime_measures_mul p _ a hp h with h1 | h1
    · exact ih h1
    · exact h1

theorem prime_measures_square (p a : Nat) (hp : Prime p) :
    Measures p (a * a) ↔ Measures p a := by
  constructor
  · intro h
    rcases prime_measures_mul p a a hp h with h1 | h1
    · exact h1
    · exact h1
  · intro h
    exact measures_mul_left p a a h

theorem prime_measures_product (p : Nat) (ps : List Nat) (hp : Prime p)
    (h : Measures p (listProduct ps)) : ∃ q, q ∈ ps ∧ Measures p q := by
  induction ps with
  | nil => exact absurd h (not_prime_measures_one p hp)
  | cons q ps ih =>
    simp only [listProduct] at h
    rcases prime_measures_mul p q _ hp h with h1 | h1
    · exact ⟨q, List.mem_cons_self, h1⟩
    · obtain ⟨r, h2, h3⟩ := ih h1
      exact ⟨r, List.mem_cons_of_mem q h2, h3⟩

theorem prime_mem_of_measures (p : Nat) (ps : List Nat) (hp : Prime p)
    (hps : ∀ q ∈ ps, Prime q) (h : Measures p (listProduct ps)) : p ∈ ps := by
  obtain ⟨q, h1, h2⟩ := prime_measures_product p ps hp h
  have h3 := prime_measures_prime p q hp (hps q h1) h2
  rw [h3]
  exact h1

theorem distinct_primes_coprime (p q : Nat) (hp : Prime p) (hq : Prime q) (h : p ≠ q) :
    Coprime p q := by
  apply coprime_of_prime p q hp
  intro h1
  exact h (prime_measures_prime p q hp hq h1)

theorem distinct_primes_measure (p q n : Nat) (hp : Prime p) (hq : Prime q) (h : p ≠ q)
    (h1 : Measures p n) (h2 : Measures q n) : Measures (p * q) n := by
  apply mul_measures_of_coprime p q n
  · exact distinct_primes_coprime p q hp hq h
  · exact h1
  · exact h2

/-- The root of a prime is irrational. -/
theorem no_root_of_prime (p a b : Nat) (hp : Prime p) (hb : 0 < b) :
    a * a ≠ p * (b * b) := by
  induction b using Nat.strongRecOn generalizing a with
  | ind b ih =>
    intro h
    have h1 : Measures p (a * a) := by
      rw [h, Nat.mul_comm]
      exact measures_mul p (b * b)
    rw [prime_measures_square p a hp, measures_iff] at h1
    obtain ⟨k, hk⟩ := h1
    have h2 : b * b = p * (k * k) := by
      apply Nat.eq_of_mul_eq_mul_left (prime_pos p hp)
      rw [← h, hk]
      ac_rfl
    have h3 : Measures p (b * b) := by
      rw [h2, Nat.mul_comm]
      exact measures_mul p (k * k)
    have h4 : k < b := by
      rcases Nat.lt_or_ge k b with h5 | h5
      · exact h5
      · have h6 : b * b ≤ k * k := Nat.mul_le_mul h5 h5
        have h7 : 2 * (k * k) ≤ p * (k * k) := Nat.mul_le_mul_right _ hp.1
        have h8 : 0 < b * b := Nat.mul_pos hb hb
        omega
    have h5 : 0 < k := by
      rcases Nat.eq_zero_or_pos k with h6 | h6
      · rw [h6, Nat.mul_zero] at h2
        have h7 : 0 < b * b := Nat.mul_pos hb hb
        omega
      · exact h6
    exact ih k h4 b h5 h2

end EuclidsLemma

section LeastFactors

theorem search_measures (n fuel d : Nat) (h1 : n < d + fuel) (h2 : d ≤ n) (hd : 0 < d) :
    Measures (search n fuel d) n := by
  induction fuel generalizing d with
  | zero => omega
  | succ fuel ih =>
    simp only [search]
    split
    · rename_i h
      rw [measures_iff_mod]
      exact h
    · rename_i h
      apply ih
      · omega
      · rcases Nat.lt_or_ge d n with h3 | h3
        · exact h3
        · have h4 : d = n := by omega
          rw [h4, Nat.mod_self] at h
          contradiction
      · omega

theorem le_search (n fuel d : Nat) : d ≤ search n fuel d := by
  induction fuel generalizing d with
  | zero => exact Nat.le_refl d
  | succ fuel ih =>
    simp only [search]
    split
    · exact Nat.le_refl d
    · have h := ih (d + 1)
      omega

theorem search_least (n fuel d e : Nat) (h1 : d ≤ e) (h2 : e < search n fuel d) :
    ¬ Measures e n := by
  induction fuel generalizing d with
  | zero =>
    simp only [search] at h2
    omega
  | succ fuel ih =>
    simp only [search] at h2
    split at h2
    · omega
    · rename_i h
      by_cases h3 : d = e
      · rw [← h3, measures_iff_mod]
        exact h
      · exact ih (d + 1) (by omega) h2

theorem leastFactor_measures (n : Nat) (h : 2 ≤ n) : Measures (leastFactor n) n := by
  apply search_measures
  · omega
  · exact h
  · omega

theorem two_le_leastFactor (n : Nat) : 2 ≤ leastFactor n := by
  exact le_search n n 2

theorem leastFactor_le (n d : Nat) (h1 : Measures d n) (h2 : 2 ≤ d) : leastFactor n ≤ d := by
  rcases Nat.lt_or_ge d (leastFactor n) with h | h
  · exact absurd h1 (search_least n n 2 d h2 h)
  · exact h

theorem leastFactor_prime (n : Nat) (h : 2 ≤ n) : Prime (leastFactor n) := by
  refine ⟨two_le_leastFactor n, ?_⟩
  intro d hd
  have h1 := leastFactor_measures n h
  have h2 := measures_trans d _ n hd h1
  have h3 := two_le_leastFactor n
  have h4 := measures_le d _ hd (by omega)
  have h5 : d ≠ 0 := by
    intro h6
    rw [h6, zero_measures_iff] at hd
    omega
  by_cases h6 : d = 1
  · left
    exact h6
  · right
    have h7 := leastFactor_le n d h2 (by omega)
    omega

theorem exists_prime_factor (n : Nat) (h : 2 ≤ n) : ∃ p, Prime p ∧ Measures p n := by
  exact ⟨leastFactor n, leastFactor_prime n h, leastFactor_measures n h⟩

theorem leastFactor_eq_iff (n : Nat) (h : 2 ≤ n) : leastFactor n = n ↔ Prime n := by
  constructor
  · intro h1
    rw [← h1]
    exact leastFactor_prime n h
  · intro h1
    have h2 := two_le_leastFactor n
    exact measures_prime _ n h1 (leastFactor_measures n h) (by omega)

theorem leastFactor_square_le (n : Nat) (h : Composite n) :
    leastFactor n * leastFactor n ≤ n := by
  obtain ⟨d, h1, h2, h3⟩ := composite_square_le n h
  have h4 := leastFactor_le n d h1 h2
  have h5 := Nat.mul_le_mul h4 h4
  exact Nat.le_trans h5 h3

theorem coprime_iff_no_prime (a b : Nat) (ha : 0 < a) :
    Coprime a b ↔ ∀ p, Prime p → ¬ CommonMeasure p a b := by
  constructor
  · intro h p hp h1
    rw [coprime_iff] at h
    have h2 := h p h1
    have h3 := hp.1
    omega
  · intro h
    unfold Coprime
    have h1 := gcd_pos a b ha
    by_cases h2 : gcd a b = 1
    · exact h2
    · obtain ⟨p, hp, h3⟩ := exists_prime_factor (gcd a b) (by omega)
      rw [commonMeasure_gcd_iff] at h3
      exact absurd h3 (h p hp)

end LeastFactors

section Factorials

theorem factorial_succ (n : Nat) : factorial (n + 1) = (n + 1) * factorial n := by
  rfl

theorem factorial_pos (n : Nat) : 0 < factorial n := by
  induction n with
  | zero => exact Nat.one_pos
  | succ n ih =>
    rw [factorial_succ]
    exact Nat.mul_pos (Nat.succ_pos n) ih

theorem measures_factorial (d n : Nat) (h1 : 0 < d) (h2 : d ≤ n) : Measures d (factorial n) := by
  induction n with
  | zero => omega
  | succ n ih =>
    rw [factorial_succ]
    by_cases h : d = n + 1
    · rw [h, Nat.mul_comm]
      exact measures_mul (n + 1) (factorial n)
    · exact measures_mul_left d (n + 1) _ (ih (by omega))

theorem factorial_measures (m n : Nat) (h : m ≤ n) : Measures (factorial m) (factorial n) := by
  induction h with
  | refl => exact measures_self _
  | step _ ih =>
    rw [factorial_succ]
    exact measures_mul_left _ _ _ ih

theorem prime_measures_factorial (p n : Nat) (hp : Prime p) (h : Measures p (factorial n)) :
    p ≤ n := by
  induction n with
  | zero => exact absurd h (not_prime_measures_one p hp)
  | succ n ih =>
    rw [factorial_succ] at h
    rcases prime_measures_mul p _ _ hp h with h1 | h1
    · exact measures_le p (n + 1) h1 (Nat.succ_pos n)
    · have h2 := ih h1
      omega

/-- There is a prime beyond every number. -/
theorem exists_prime_gt (n : Nat) : ∃ p, n < p ∧ Prime p := by
  have h := factorial_pos n
  obtain ⟨p, hp, h1⟩ := exists_prime_factor (factorial n + 1) (by omega)
  refine ⟨p, ?_, hp⟩
  rcases Nat.lt_or_ge n p with h2 | h2
  · exact h2
  · have h3 := measures_factorial p n (prime_pos p hp) h2
    have h4 := measures_of_add p _ 1 h3 h1
    exact absurd h4 (not_prime_measures_one p hp)

theorem composite_run (n k : Nat) (h1 : 2 ≤ k) (h2 : k ≤ n) : Composite (factorial n + k) := by
  refine ⟨k, ?_, by omega, ?_⟩
  · apply measures_add
    · exact measures_factorial k n (by omega) h2
    · exact measures_self k
  · have h := factorial_pos n
    omega

theorem factorial_lt (n : Nat) (h : 1 ≤ n) : factorial n < factorial (n + 1) := by
  rw [factorial_succ, Nat.succ_mul]
  have h1 := factorial_pos n
  have h2 : 1 * factorial n ≤ n * factorial n := Nat.mul_le_mul_right _ h
  omega

end Factorials

section Factorizations

theorem listProduct_append (ps qs : List Nat) :
    listProduct (ps ++ qs) = listProduct ps * listProduct qs := by
  induction ps with
  | nil =>
    rw [List.nil_append, listProduct, Nat.one_mul]
  | cons p ps ih =>
    rw [List.cons_append, listProduct, ih, listProduct, Nat.mul_assoc]

theorem mem_measures_product (p : Nat) (ps : List Nat) (h : p ∈ ps) :
    Measures p (listProduct ps) := by
  induction ps with
  | nil => contradiction
  | cons q ps ih =>
    simp only [listProduct]
    rcases List.mem_cons.mp h with h1 | h1
    · rw [h1, Nat.mul_comm]
      exact measures_mul q _
    · exact measures_mul_left p q _ (ih h1)

theorem listProduct_pos (ps : List Nat) (h : ∀ p ∈ ps, Prime p) : 0 < listProduct ps := by
  induction ps with
  | nil => exact Nat.one_pos
  | cons p ps ih =>
    simp only [listProduct]
    apply Nat.mul_pos
    · exact prime_pos p (h p List.mem_cons_self)
    · apply ih
      intro q hq
      exact h q (List.mem_cons_of_mem p hq)

theorem exists_factorization (n : Nat) (h : 0 < n) :
    ∃ ps : List Nat, (∀ p ∈ ps, Prime p) ∧ listProduct ps = n := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    by_cases h1 : n = 1
    · refine ⟨[], ?_, h1.symm⟩
      intro p hp
      contradiction
    · obtain ⟨p, hp, h2⟩ := exists_prime_factor n (by omega)
      rw [measures_iff] at h2
      obtain ⟨k, hk⟩ := h2
      have h3 : 0 < k := by
        rcases Nat.eq_zero_or_pos k with h4 | h4
        · rw [h4, Nat.zero_mul] at hk
          omega
        · exact h4
      have h4 : k < n := by
        have h5 : k * 2 ≤ k * p := Nat.mul_le_mul_left k hp.1
        omega
      obtain ⟨ps, h5, h6⟩ := ih k h4 h3
      refine ⟨p :: ps, ?_, ?_⟩
      · intro q hq
        rcases List.mem_cons.mp hq with h7 | h7
        · rw [h7]
          exact hp
        · exact h5 q h7
      · rw [listProduct, h6, hk, Nat.mul_comm]

theorem product_one_iff (ps : List Nat) (h : ∀ p ∈ ps, Prime p) :
    listProduct ps = 1 ↔ ps = [] := by
  constructor
  · intro h1
    cases ps with
    | nil => rfl
    | cons p ps =>
      have h2 := mem_measures_product p (p :: ps) List.mem_cons_self
      rw [h1] at h2
      exact absurd h2 (not_prime_measures_one p (h p List.mem_cons_self))
  · intro h1
    rw [h1]
    rfl

theorem listProduct_erase (p : Nat) (ps : List Nat) (h : p ∈ ps) :
    p * listProduct (ps.erase p) = listProduct ps := by
  induction ps with
  | nil => contradiction
  | cons q ps ih =>
    by_cases h1 : q = p
    · rw [h1, List.erase_cons_head, listProduct]
    · rw [List.erase_cons_tail (by simpa using h1), listProduct, listProduct, Nat.mul_left_comm]
      rw [ih]
      rcases List.mem_cons.mp h with h2 | h2
      · exact absurd h2.symm h1
      · exact h2

/-- Primes that have the same product are the same, as often as they occur. -/
theorem factorization_unique (ps qs : List Nat) (hp : ∀ p ∈ ps, Prime p)
    (hq : ∀ q ∈ qs, Prime q) (h : listProduct ps = listProduct qs) : ps.Perm qs := by
  induction ps generalizing qs with
  | nil =>
    have h1 : qs = [] := (product_one_iff qs hq).mp h.symm
    rw [h1]
  | cons p ps ih =>
    have hp1 := hp p List.mem_cons_self
    have h1 : p ∈ qs := by
      apply prime_mem_of_measures p qs hp1 hq
      rw [← h]
      exact mem_measures_product p _ List.mem_cons_self
    have h2 := listProduct_erase p qs h1
    have h3 : listProduct ps = listProduct (qs.erase p) := by
      apply Nat.eq_of_mul_eq_mul_left (prime_pos p hp1)
      rw [h2, ← h, listProduct]
    have h4 := ih (qs.erase p) (fun r hr => hp r (List.mem_cons_of_mem p hr))
      (fun r hr => hq r (List.mem_of_mem_erase hr)) h3
    exact (h4.cons p).trans (List.perm_cons_erase h1).symm

end Factorizations

end Numbers
