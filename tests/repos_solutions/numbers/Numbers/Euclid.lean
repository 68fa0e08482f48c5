import Numbers.Measures

/-!
The greatest common measure by Euclid's algorithm, numbers that are coprime, and Bézout's identity.

`gcd` is defined by recursion on its second argument; all that is used of it are its two equations.
-/

namespace Numbers

/-- Euclid's algorithm. -/
def gcd (a b : Nat) : Nat :=
  if h : b = 0 then a else gcd b (a % b)
termination_by b
decreasing_by exact Nat.mod_lt a (Nat.pos_of_ne_zero h)

/-- Nothing but one measures both. -/
def Coprime (a b : Nat) : Prop := gcd a b = 1

/-- The least common multiple. -/
def lcm (a b : Nat) : Nat := a * b / gcd a b

section Algorithm

theorem gcd_zero (a : Nat) : gcd a 0 = a := by
  rw [gcd]
  rfl

theorem gcd_of_pos (a b : Nat) (h : 0 < b) : gcd a b = gcd b (a % b) := by
  rw [gcd]
  rw [dif_neg]
  omega

theorem gcd_step (a b : Nat) : gcd a b = gcd b (a % b) := by
  rcases Nat.eq_zero_or_pos b with h | h
  · subst h
    rw [Nat.mod_zero]
    rcases Nat.eq_zero_or_pos a with h1 | h1
    · rw [h1]
    · rw [gcd_of_pos 0 a h1, Nat.zero_mod]
  · exact gcd_of_pos a b h

theorem zero_gcd (b : Nat) : gcd 0 b = b := by
  rw [gcd_step, Nat.zero_mod, gcd_zero]

theorem commonMeasure_gcd_iff (d a b : Nat) : Measures d (gcd a b) ↔ CommonMeasure d a b := by
  induction b using Nat.strongRecOn generalizing a with
  | ind b ih =>
    rcases Nat.eq_zero_or_pos b with h | h
    · subst h
      rw [gcd_zero, commonMeasure_zero_iff]
    · rw [gcd_of_pos a b h, ih (a % b) (Nat.mod_lt a h) b]
      exact commonMeasure_mod d a b

theorem gcd_measures_left (a b : Nat) : Measures (gcd a b) a := by
  have h := (commonMeasure_gcd_iff (gcd a b) a b).mp (measures_self _)
  exact h.1

theorem gcd_measures_right (a b : Nat) : Measures (gcd a b) b := by
  have h := (commonMeasure_gcd_iff (gcd a b) a b).mp (measures_self _)
  exact h.2

theorem measures_gcd (d a b : Nat) (h1 : Measures d a) (h2 : Measures d b) :
    Measures d (gcd a b) := by
  rw [commonMeasure_gcd_iff]
  exact ⟨h1, h2⟩

theorem gcd_unique (g a b : Nat) (h1 : CommonMeasure g a b)
    (h2 : ∀ d, CommonMeasure d a b → Measures d g) : g = gcd a b := by
  apply measures_antisymm
  · rw [commonMeasure_gcd_iff]
    exact h1
  · apply h2
    rw [← commonMeasure_gcd_iff]
    exact measures_self _

theorem gcd_comm (a b : Nat) : gcd a b = gcd b a := by
  apply gcd_unique
  · exact ⟨gcd_measures_right a b, gcd_measures_left a b⟩
  · intro d h
    exact measures_gcd d a b h.2 h.1

theorem gcd_assoc (a b c : Nat) : gcd (gcd a b) c = gcd a (gcd b c) := by
  apply gcd_unique
  · constructor
    · exact measures_trans _ _ _ (gcd_measures_left _ c) (gcd_measures_left a b)
    · apply measures_gcd
      · exact measures_trans _ _ _ (gcd_measures_left _ c) (gcd_measures_right a b)
      · exact gcd_measures_right _ c
  · rintro d ⟨h1, h2⟩
    rw [commonMeasure_gcd_iff] at h2
    apply measures_gcd
    · exact measures_gcd d a b h1 h2.1
    · exact h2.2

theorem gcd_self (a : Nat) : gcd a a = a := by
  symm
  apply gcd_unique
  · exact ⟨measures_self a, measures_self a⟩
  · intro d h
    exact h.1

theorem gcd_one (a : Nat) : gcd a 1 = 1 := by
  rw [← measures_one_iff]
  exact gcd_measures_right a 1

theorem gcd_eq_left_iff (a b : Nat) : gcd a b = a ↔ Measures a b := by
  constructor
  · intro h
    have h1 := gcd_measures_right a b
    rw [h] at h1
    exact h1
  · intro h
    symm
    apply gcd_unique
    · exact ⟨measures_self a, h⟩
    · intro d h1
      exact h1.1

theorem gcd_add_self (a b : Nat) : gcd a (b + a) = gcd a b := by
  apply gcd_unique
  · rw [← commonMeasure_add, ← commonMeasure_gcd_iff]
    exact measures_self _
  · intro d h
    rw [commonMeasure_gcd_iff, commonMeasure_add]
    exact h

theorem gcd_add_mul (a b k : Nat) : gcd a (b + k * a) = gcd a b := by
  induction k with
  | zero => rw [Nat.zero_mul, Nat.add_zero]
  | succ k ih => rw [Nat.succ_mul, ← Nat.add_assoc, gcd_add_self, ih]

theorem gcd_pos (a b : Nat) (h : 0 < a) : 0 < gcd a b := by
  rcases Nat.eq_zero_or_pos (gcd a b) with h1 | h1
  · have h2 := gcd_measures_left a b
    rw [h1, zero_measures_iff] at h2
    omega
  · exact h1

theorem gcd_le_left (a b : Nat) (h : 0 < a) : gcd a b ≤ a := by
  exact measures_le _ _ (gcd_measures_left a b) h

theorem gcd_eq_zero_iff (a b : Nat) : gcd a b = 0 ↔ a = 0 ∧ b = 0 := by
  constructor
  · intro h
    have h1 := gcd_measures_left a b
    have h2 := gcd_measures_right a b
    rw [h, zero_measures_iff] at h1 h2
    exact ⟨h1, h2⟩
  · rintro ⟨h1, h2⟩
    rw [h1, h2, gcd_zero]

theorem gcd_mono (a b c : Nat) (h : Measures a b) : Measures (gcd a c) (gcd b c) := by
  apply measures_gcd
  · exact measures_trans _ a b (gcd_measures_left a c) h
  · exact gcd_measures_right a c

theorem gcd_idem (a b : Nat) : gcd a (gcd a b) = gcd a b := by
  rw [← gcd_assoc, gcd_self]

theorem gcd_absorb (a b : Nat) : gcd a (a * b) = a := by
  rw [gcd_eq_left_iff, Nat.mul_comm]
  exact measures_mul a b

theorem gcd_mul_left (c a b : Nat) : gcd (c * a) (c * b) = c * gcd a b := by
  induction b using Nat.strongRecOn generalizing a with
  | ind b ih =>
    rcases Nat.eq_zero_or_pos b with h | h
    · rw [h, Nat.mul_zero, gcd_zero, gcd_zero]
    · rw [gcd_step, Nat.mul_mod_mul_left, ih (a % b) (Nat.mod_lt a h), ← gcd_step]

end Algorithm

section Bezout

/-- Bézout's identity: the greatest common measure is a combination of the two numbers. -/
theorem bezout (a b : Nat) : ∃ x y : Int, (gcd a b : Int) = x * a + y * b := by
  induction b using Nat.strongRecOn generalizing a with
  | ind b ih =>
    rcases Nat.eq_zero_or_pos b with h | h
    · refine ⟨1, 0, ?_⟩
      rw [h, gcd_zero, Int.one_mul, Int.zero_mul, Int.add_zero]
    · obtain ⟨x, y, hxy⟩ := ih (a % b) (Nat.mod_lt a h) b
      refine ⟨y, x - y * (a / b : Nat), ?_⟩
      rw [gcd_step, hxy]
      have h1 : ((a % b : Nat) : Int) = a - b * (a / b : Nat) := by
        have h2 := Nat.div_add_mod a b
        have h3 : ((b * (a / b) + a % b : Nat) : Int) = a := by rw [h2]
        rw [Int.natCast_add, Int.natCast_mul] at h3
        omega
      rw [h1]
      grind

theorem measures_iff_int (d n : Nat) : Measures d n ↔ ∃ k : Int, (n : Int) = k * d := by
  rw [measures_iff]
  constructor
  · rintro ⟨k, hk⟩
    refine ⟨k, ?_⟩
    rw [hk, Int.natCast_mul]
  · rintro ⟨k, hk⟩
    rcases Nat.eq_zero_or_pos d with h | h
    · subst h
      refine ⟨0, ?_⟩
      simp at hk
      omega
    · refine ⟨k.toNat, ?_⟩
      have h1 : 0 ≤ k := by
        apply Int.le_of_not_gt
        intro h2
        have h3 : k * d < 0 := Int.mul_neg_of_neg_of_pos h2 (by omega)
        omega
      have h2 : ((k.toNat * d : Nat) : Int) = n := by
        rw [Int.natCast_mul, Int.toNat_of_nonneg h1, hk]
      omega

theorem measures_of_combination (d a b n : Nat) (x y : Int) (ha : Measures d a)
    (hb : Measures d b) (h : (n : Int) = x * a + y * b) : Measures d n := by
  rw [measures_iff_int] at *
  obtain ⟨k, hk⟩ := ha
  obtain ⟨l, hl⟩ := hb
  refine ⟨x * k + y * l, ?_⟩
  rw [h, hk, hl, Int.add_mul, Int.mul_assoc, Int.mul_assoc]

end Bezout

section CoprimeNumbers

theorem coprime_iff (a b : Nat) : Coprime a b ↔ ∀ d, CommonMeasure d a b → d = 1 := by
  unfold Coprime
  constructor
  · intro h d hd
    rw [← commonMeasure_gcd_iff, h, measures_one_iff] at hd
    exact hd
  · intro h
    apply h
    exact ⟨gcd_measures_left a b, gcd_measures_right a b⟩

theorem coprime_comm (a b : Nat) : Coprime a b ↔ Coprime b a := by
  unfold Coprime
  rw [gcd_comm]

theorem coprime_one (a : Nat) : Coprime a 1 := by
  exact gcd_one a

theorem coprime_succ (n : Nat) : Coprime n (n + 1) := by
  rw [coprime_iff]
  intro d h
  exact commonMeasure_succ d n h

theorem coprime_consecutive_odd (n : Nat) : Coprime (2 * n + 1) (2 * n + 3) := by
  rw [coprime_iff]
  intro d h
  exact commonMeasure_odd d n h

theorem coprime_self_iff (a : Nat) : Coprime a a ↔ a = 1 := by
  unfold Coprime
  rw [gcd_self]

theorem coprime_of_combination (a b : Nat) (x y : Int) (h : x * a + y * b = 1) :
    Coprime a b := by
  unfold Coprime
  rw [← measures_one_iff]
  apply measures_of_combination _ a b 1 x y
  · exact gcd_measures_left a b
  · exact gcd_measures_right a b
  · rw [h]
    rfl

theorem combination_of_coprime (a b : Nat) (h : Coprime a b) :
    ∃ x y : Int, x * a + y * b = 1 := by
  obtain ⟨x, y, hxy⟩ := bezout a b
  refine ⟨x, y, ?_⟩
  rw [← hxy, h]
  rfl

/-- Gauss's lemma. -/
theorem measures_of_coprime_mul (a b c : Nat) (h1 : Coprime a b) (h2 : Measures a (b * c)) :
    Measures a c := by
  have h3 : gcd (c * a) (c * b) = c := by
    rw [gcd_mul_left, h1, Nat.mul_one]
  rw [← h3]
  apply measures_gcd
  · exact measures_mul a c
  · rw [Nat.mul_comm]
    exact h2

theorem coprime_mul (a b c : Nat) (h1 : Coprime a b) (h2 : Coprime a c) :
    Coprime a (b * c) := by
  rw [coprime_iff]
  rintro d ⟨h3, h4⟩
  have h5 : Coprime d b := by
    rw [coprime_iff] at *
    rintro e ⟨h6, h7⟩
    exact h1 e ⟨measures_trans e d a h6 h3, h7⟩
  have h6 := measures_of_coprime_mul d b c h5 h4
  rw [coprime_iff] at h2
  exact h2 d ⟨h3, h6⟩

theorem coprime_of_mul_right (a b c : Nat) (h : Coprime a (b * c)) : Coprime a b := by
  rw [coprime_iff] at *
  rintro d ⟨h1, h2⟩
  apply h
  refine ⟨h1, ?_⟩
  rw [Nat.mul_comm]
  exact measures_mul_left d c b h2

theorem coprime_pow (a b n : Nat) (h : Coprime a b) : Coprime a (b ^ n) := by
  induction n with
  | zero =>
    rw [Nat.pow_zero]
    exact coprime_one a
  | succ n ih =>
    rw [Nat.pow_succ]
    exact coprime_mul a (b ^ n) b ih h

theorem coprime_of_measures (a b c : Nat) (h1 : Measures b c) (h2 : Coprime a c) :
    Coprime a b := by
  rw [measures_iff] at h1
  obtain ⟨k, hk⟩ := h1
  rw [hk, Nat.mul_comm] at h2
  exact coprime_of_mul_right a b k h2

theorem mul_measures_of_coprime (a b n : Nat) (h : Coprime a b) (ha : Measures a n)
    (hb : Measures b n) : Measures (a * b) n := by
  rw [measures_iff] at hb
  obtain ⟨k, hk⟩ := hb
  rw [hk, Nat.mul_comm] at ha
  have h1 := measures_of_coprime_mul a b k h ha
  rw [hk]
  exact measures_mul_mul a b k b h1 (measures_self b)

theorem coprime_add_mul (a b k : Nat) : Coprime a (b + k * a) ↔ Coprime a b := by
  unfold Coprime
  rw [gcd_add_mul]

theorem coprime_quotients (a b c d : Nat) (ha : 0 < gcd a b) (h1 : a = gcd a b * c)
    (h2 : b = gcd a b * d) : Coprime c d := by
  unfold Coprime
  apply Nat.eq_of_mul_eq_mul_left ha
  rw [← gcd_mul_left, ← h1, ← h2, Nat.mul_one]

end CoprimeNumbers

section Least

theorem gcd_measures_mul (a b : Nat) : Measures (gcd a b) (a * b) := by
  exact measures_mul_left _ a b (gcd_measures_right a b)

theorem gcd_mul_lcm (a b : Nat) : gcd a b * lcm a b = a * b := by
  have h := gcd_measures_mul a b
  rw [measures_iff_mod] at h
  unfold lcm
  have h1 := Nat.div_add_mod (a * b) (gcd a b)
  omega

theorem lcm_comm (a b : Nat) : lcm a b = lcm b a := by
  unfold lcm
  rw [gcd_comm, Nat.mul_comm]

theorem measures_lcm_left (a b : Nat) (h : 0 < a) : Measures a (lcm a b) := by
  have h1 := gcd_measures_right a b
  rw [measures_iff] at h1
  obtain ⟨k, hk⟩ := h1
  have h2 := gcd_mul_lcm a b
  have h3 : gcd a b * lcm a b = gcd a b * (k * a) := by
    calc gcd a b * lcm a b = a * b := h2
      _ = a * (k * gcd a b) := congrArg (a * ·) hk
      _ = gcd a b * (k * a) := by ac_rfl
  have h5 := Nat.eq_of_mul_eq_mul_left (gcd_pos a b h) h3
  rw [h5]
  exact measures_mul a k

theorem lcm_of_coprime (a b : Nat) (h : Coprime a b) : lcm a b = a * b := by
  unfold lcm
  rw [h, Nat.div_one]

theorem lcm_self (a : Nat) (h : 0 < a) : lcm a a = a := by
  unfold lcm
  rw [gcd_self, Nat.mul_div_cancel a h]

theorem lcm_measures (a b n : Nat) (h : 0 < a) (h1 : CommonMultiple n a b) :
    Measures (lcm a b) n := by
  obtain ⟨ha, hb⟩ := h1
  apply measures_of_mul_mul (gcd a b) _ _ (gcd_pos a b h)
  rw [gcd_mul_lcm, Nat.mul_comm (gcd a b), ← gcd_mul_left]
  apply measures_gcd
  · rw [Nat.mul_comm]
    exact measures_mul_mul b a n a hb (measures_self a)
  · exact measures_mul_mul a b n b ha (measures_self b)

end Least

end Numbers
