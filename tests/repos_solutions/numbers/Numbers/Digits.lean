import Numbers.Congruence

/-!
Digits of a number, the last one first: their value, how many there are, and sums of digits.
-/

namespace Numbers

/-- The value of digits in a base, the last digit first. -/
def value (b : Nat) : List Nat → Nat
  | [] => 0
  | d :: ds => d + b * value b ds

/-- All digits are smaller than the base. -/
def Proper (b : Nat) (ds : List Nat) : Prop := ∀ d ∈ ds, d < b

/-- The next number: add one and carry. -/
def increment (b : Nat) : List Nat → List Nat
  | [] => [1]
  | d :: ds => if d + 1 < b then (d + 1) :: ds else 0 :: increment b ds

/-- The digits of `n`, found by counting up to it. -/
def count (b : Nat) : Nat → List Nat
  | 0 => []
  | n + 1 => increment b (count b n)

/-- Written addition with a carry, in digits that are aligned. -/
def addDigits (b : Nat) (carry : Nat) : List Nat → List Nat → List Nat
  | [], [] => [carry]
  | [], e :: es => ((e + carry) % b) :: addDigits b ((e + carry) / b) [] es
  | d :: ds, [] => ((d + carry) % b) :: addDigits b ((d + carry) / b) ds []
  | d :: ds, e :: es => ((d + e + carry) % b) :: addDigits b ((d + e + carry) / b) ds es

/-- Written multiplication by one factor. -/
def mulDigits (b : Nat) (c carry : Nat) : List Nat → List Nat
  | [] => [carry]
  | d :: ds => ((c * d + carry) % b) :: mulDigits b c ((c * d + carry) / b) ds

/-- The sum with changing signs, the last digit first. -/
def alternating : List Nat → Int
  | [] => 0
  | d :: ds => d - alternating ds

section Values

theorem value_nil (b : Nat) : value b [] = 0 := by
  rfl

theorem value_cons (b d : Nat) (ds : List Nat) : value b (d :: ds) = d + b * value b ds := by
  rfl

theorem value_singleton (b d : Nat) : value b [d] = d := by
  rw [value_cons, value_nil, Nat.mul_zero, Nat.add_zero]

theorem value_append (b : Nat) (ds es : List Nat) :
    value b (ds ++ es) = value b ds + b ^ ds.length * value b es := by
  induction ds with
  | nil =>
    rw [List.nil_append, value_nil, List.length_nil, Nat.pow_zero]
    omega
  | cons d ds ih =>
    rw [List.cons_append, value_cons, ih, value_cons, List.length_cons, Nat.pow_succ,
      Nat.mul_add, Nat.add_assoc]
    congr 2
    ac_rfl

theorem value_append_zero (b : Nat) (ds : List Nat) (k : Nat) :
    value b (ds ++ List.replicate k 0) = value b ds := by
  have h : ∀ k, value b (List.replicate k 0) = 0 := by
    intro k
    induction k with
    | zero => rfl
    | succ k ih => rw [List.replicate_succ, value_cons, ih, Nat.mul_zero]
  rw [value_append, h, Nat.mul_zero, Nat.add_zero]

theorem value_shift (b : Nat) (ds : List Nat) (k : Nat) :
    value b (List.replicate k 0 ++ ds) = b ^ k * value b ds := by
  induction k with
  | zero =>
    rw [Nat.pow_zero, Nat.one_mul]
    rfl
  | succ k ih =>
    rw [List.replicate_succ, List.cons_append, value_cons, ih, Nat.pow_succ, Nat.zero_add]
    ac_rfl

theorem value_base_one (ds : List Nat) : value 1 ds = ds.sum := by
  induction ds with
  | nil => rfl
  | cons d ds ih => rw [value_cons, ih, Nat.one_mul, List.sum_cons]

theorem value_eq_horner (b : Nat) (ds : List Nat) :
    (value b ds : Int) = horner (ds.map (fun d : Nat => (d : Int))) b := by
  induction ds with
  | nil => rfl
  | cons d ds ih =>
    simp only [List.map_cons, horner]
    rw [value_cons, Int.natCast_add, Int.natCast_mul, ih]

theorem value_lt (b : Nat) (ds : List Nat) (h : Proper b ds) : value b ds < b ^ ds.length := by
  induction ds with
  | nil => exact Nat.one_pos
  | cons d ds ih =>
    have h1 := h d List.mem_cons_self
    have h2 := ih (fun e he => h e (List.mem_cons_of_mem d he))
    rw [value_cons, List.length_cons, Nat.pow_succ]
    have h3 : b * (value b ds + 1) ≤ b * b ^ ds.length := Nat.mul_le_mul_left b h2
    rw [Nat.mul_add, Nat.mul_one, Nat.mul_comm b (b ^ _)] at h3
    omega

theorem value_mod (b d : Nat) (ds : List Nat) (h : d < b) : value b (d :: ds) % b = d := by
  rw [value_cons, Nat.add_mul_mod_self_left, Nat.mod_eq_of_lt h]

theorem value_div (b d : Nat) (ds : List Nat) (h : d < b) :
    value b (d :: ds) / b = value b ds := by
  rw [value_cons, Nat.add_mul_div_left _ _ (by omega), Nat.div_eq_of_lt h, Nat.zero_add]

/-- Digits are unique, up to their number. -/
theorem value_inj (b : Nat) (ds es : List Nat) (hd : Proper b ds) (he : Proper b es)
    (hl : ds.length = es.length) (h : value b ds = value b es) : ds = es := by
  induction ds generalizing es with
  | nil =>
    cases es with
    | nil => rfl
    | cons e es => contradiction
  | cons d ds ih =>
    cases es with
    | nil => contradiction
    | cons e es =>
      have h1 := hd d List.mem_cons_self
      have h2 := he e List.mem_cons_self
      have h3 : d = e := by
        rw [← value_mod b d ds h1, h, value_mod b e es h2]
      have h4 : value b ds = value b es := by
        rw [← value_div b d ds h1, h, value_div b e es h2]
      have h5 := ih es (fun x hx => hd x (List.mem_cons_of_mem d hx))
        (fun x hx => he x (List.mem_cons_of_mem e hx)) (by simpa using hl) h4
      rw [h3, h5]

theorem value_le_of_forall (b : Nat) (ds : List Nat) (d : Nat) (h : d ∈ ds) (hb : 0 < b) :
    d ≤ value b ds := by
  induction ds with
  | nil => contradiction
  | cons e es ih =>
    rw [value_cons]
    rcases List.mem_cons.mp h with h1 | h1
    · omega
    · have h2 := ih h1
      have h3 : value b es ≤ b * value b es := Nat.le_mul_of_pos_left _ hb
      omega

theorem value_nines (b n : Nat) : value (b + 1) (List.replicate n b) + 1 = (b + 1) ^ n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [List.replicate_succ, value_cons, Nat.pow_succ, ← ih]
    grind

end Values

section Counting

theorem value_increment (b : Nat) (ds : List Nat) (h : Proper b ds) :
    value b (increment b ds) = value b ds + 1 := by
  induction ds with
  | nil => exact value_singleton b 1
  | cons d ds ih =>
    simp only [increment]
    split
    · rw [value_cons, value_cons]
      omega
    · have h1 := h d List.mem_cons_self
      rw [value_cons, ih (fun e he => h e (List.mem_cons_of_mem d he)), value_cons, Nat.mul_add]
      omega

theorem proper_cons_iff (b d : Nat) (ds : List Nat) :
    Proper b (d :: ds) ↔ d < b ∧ Proper b ds := by
  constructor
  · intro h
    exact ⟨h d List.mem_cons_self, fun e he => h e (List.mem_cons_of_mem d he)⟩
  · rintro ⟨h1, h2⟩ e he
    rcases List.mem_cons.mp he with h3 | h3
    · rw [h3]
      exact h1
    · exact h2 e h3

theorem proper_increment (b : Nat) (ds : List Nat) (hb : 1 < b) (h : Proper b ds) :
    Proper b (increment b ds) := by
  induction ds with
  | nil =>
    intro d hd
    simp only [increment, List.mem_singleton] at hd
    omega
  | cons d ds ih =>
    rw [proper_cons_iff] at h
    simp only [increment]
    split
    · rw [proper_cons_iff]
      refine ⟨?_, h.2⟩
      assumption
    · rw [proper_cons_iff]
      refine ⟨by omega, ih h.2⟩

theorem proper_count (b n : Nat) (hb : 1 < b) : Proper b (count b n) := by
  induction n with
  | zero =>
    intro d hd
    contradiction
  | succ n ih => exact proper_increment b _ hb ih

theorem value_count (b n : Nat) (hb : 1 < b) : value b (count b n) = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [count]
    rw [value_increment b _ (proper_count b n hb), ih]

theorem increment_ne_nil (b : Nat) (ds : List Nat) : increment b ds ≠ [] := by
  cases ds with
  | nil => simp [increment]
  | cons d ds =>
    simp only [increment]
    split
    · simp
    · simp

theorem length_increment (b : Nat) (ds : List Nat) :
    (increment b ds).length = ds.length ∨ (increment b ds).length = ds.length + 1 := by
  induction ds with
  | nil =>
    right
    rfl
  | cons d ds ih =>
    simp only [increment]
    split
    · left
      rfl
    · simp only [List.length_cons]
      omega

theorem length_count_le (b n : Nat) : (count b n).length ≤ n := by
  induction n with
  | zero => exact Nat.le_refl 0
  | succ n ih =>
    simp only [count]
    rcases length_increment b (count b n) with h | h
    · omega
    · omega

theorem lt_pow_length_count (b n : Nat) (hb : 1 < b) : n < b ^ (count b n).length := by
  have h := value_lt b (count b n) (proper_count b n hb)
  rw [value_count b n hb] at h
  exact h

theorem count_inj (b m n : Nat) (hb : 1 < b) (h : count b m = count b n) : m = n := by
  rw [← value_count b m hb, h, value_count b n hb]

end Counting

section WrittenArithmetic

theorem value_addDigits (b carry : Nat) (ds es : List Nat) :
    value b (addDigits b carry ds es) = value b ds + value b es + carry := by
  have key : ∀ x, x % b + b * (x / b) = x := fun x => Nat.mod_add_div x b
  induction ds generalizing carry es with
  | nil =>
    induction es generalizing carry with
    | nil =>
      simp only [addDigits]
      rw [value_singleton, value_nil]
      omega
    | cons e es ih =>
      simp only [addDigits]
      have h := key (e + carry)
      rw [value_cons, ih, value_nil, value_cons, Nat.mul_add, Nat.mul_add]
      omega
  | cons d ds ih =>
    cases es with
    | nil =>
      simp only [addDigits]
      have h := key (d + carry)
      rw [value_cons, ih, value_nil, value_cons, Nat.mul_add, Nat.mul_add]
      omega
    | cons e es =>
      simp only [addDigits]
      have h := key (d + e + carry)
      rw [value_cons, ih, value_cons, value_cons, Nat.mul_add, Nat.mul_add]
      omega

theorem value_mulDigits (b c carry : Nat) (ds : List Nat) :
    value b (mulDigits b c carry ds) = c * value b ds + carry := by
  induction ds generalizing carry with
  | nil =>
    simp only [mulDigits]
    rw [value_singleton, value_nil, Nat.mul_zero, Nat.zero_add]
  | cons d ds ih =>
    simp only [mulDigits]
    have h := Nat.mod_add_div (c * d + carry) b
    rw [value_cons, ih, value_cons, Nat.mul_add, Nat.mul_add, Nat.mul_left_comm b c]
    omega

theorem length_mulDigits (b c carry : Nat) (ds : List Nat) :
    (mulDigits b c carry ds).length = ds.length + 1 := by
  induction ds generalizing carry with
  | nil => rfl
  | cons d ds ih =>
    simp only [mulDigits, List.length_cons]
    rw [ih]

theorem addDigits_comm (b carry : Nat) (ds es : List Nat) :
    addDigits b carry ds es = addDigits b carry es ds := by
  induction ds generalizing carry es with
  | nil =>
    induction es generalizing carry with
    | nil => rfl
    | cons e es ih =>
      simp only [addDigits]
      rw [ih]
  | cons d ds ih =>
    cases es with
    | nil =>
      simp only [addDigits]
      rw [ih]
    | cons e es =>
      simp only [addDigits]
      rw [ih, Nat.add_comm d e]

theorem length_addDigits (b carry : Nat) (ds es : List Nat) (h : ds.length = es.length) :
    (addDigits b carry ds es).length = ds.length + 1 := by
  induction ds generalizing carry es with
  | nil =>
    cases es with
    | nil => simp [addDigits]
    | cons e es => contradiction
  | cons d ds ih =>
    cases es with
    | nil => contradiction
    | cons e es =>
      simp only [addDigits, List.length_cons]
      rw [ih]
      simpa using h

end WrittenArithmetic

section DigitSums

/-- A number and the sum of its digits are congruent with respect to the base less one. -/
theorem value_cong_sum (b : Nat) (ds : List Nat) : Cong ((b : Int) - 1) (value b ds) ds.sum := by
  induction ds with
  | nil => exact cong_refl _ 0
  | cons d ds ih =>
    rw [value_cons, List.sum_cons, Int.natCast_add, Int.natCast_add, Int.natCast_mul]
    apply cong_add
    · exact cong_refl _ _
    · have h : Cong ((b : Int) - 1) b 1 := ⟨1, by omega⟩
      have h1 := cong_mul _ _ _ _ _ h ih
      rw [Int.one_mul] at h1
      exact h1

theorem nine_measures_iff (ds : List Nat) : Measures 9 (value 10 ds) ↔ Measures 9 ds.sum := by
  rw [← cong_nat_iff, ← cong_nat_iff]
  have h : Cong 9 (value 10 ds) ds.sum := value_cong_sum 10 ds
  constructor
  · intro h1
    exact cong_trans 9 _ _ _ (cong_symm 9 _ _ h) h1
  · intro h1
    exact cong_trans 9 _ _ _ h h1

theorem value_cong_alternating (b : Nat) (ds : List Nat) :
    Cong ((b : Int) + 1) (value b ds) (alternating ds) := by
  induction ds with
  | nil => exact cong_refl _ 0
  | cons d ds ih =>
    simp only [alternating]
    rw [value_cons, Int.natCast_add, Int.natCast_mul, Int.sub_eq_add_neg]
    apply cong_add
    · exact cong_refl _ _
    · have h : Cong ((b : Int) + 1) b (-1) := ⟨1, by omega⟩
      have h1 := cong_mul _ _ _ _ _ h ih
      rw [Int.neg_mul, Int.one_mul] at h1
      exact h1

theorem alternating_append (ds es : List Nat) :
    alternating (ds ++ es) = alternating ds + (-1) ^ ds.length * alternating es := by
  induction ds with
  | nil =>
    simp only [List.nil_append, alternating, List.length_nil]
    omega
  | cons d ds ih =>
    simp only [List.cons_append, alternating, List.length_cons]
    rw [ih, Int.pow_succ]
    grind

theorem value_cong_last (b d : Nat) (ds : List Nat) : Cong b (value b (d :: ds)) d := by
  refine ⟨value b ds, ?_⟩
  rw [value_cons, Int.natCast_add, Int.natCast_mul]

theorem measures_base_iff (b d : Nat) (ds : List Nat) :
    Measures b (value b (d :: ds)) ↔ Measures b d := by
  rw [value_cons]
  apply measures_add_iff
  rw [Nat.mul_comm]
  exact measures_mul b _

theorem five_measures_iff (d : Nat) (ds : List Nat) :
    Measures 5 (value 10 (d :: ds)) ↔ Measures 5 d := by
  rw [value_cons]
  apply measures_add_iff
  rw [measures_iff_mod]
  omega

theorem sum_le_value (b : Nat) (ds : List Nat) (hb : 0 < b) : ds.sum ≤ value b ds := by
  induction ds with
  | nil => exact Nat.le_refl 0
  | cons d ds ih =>
    rw [List.sum_cons, value_cons]
    have h := Nat.le_mul_of_pos_left (value b ds) hb
    omega

theorem sum_eq_value_iff (b d : Nat) (ds : List Nat) (hb : 1 < b) :
    (d :: ds).sum = value b (d :: ds) ↔ value b ds = 0 := by
  rw [List.sum_cons, value_cons]
  have h1 := sum_le_value b ds (by omega)
  have h2 : 2 * value b ds ≤ b * value b ds := Nat.mul_le_mul_right _ hb
  constructor
  · intro h
    omega
  · intro h
    rw [h] at h1 h2 ⊢
    omega

end DigitSums

end Numbers
