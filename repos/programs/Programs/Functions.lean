import Programs.Accumulator

/-!
Small functions and what they are meant to compute: powers by squaring, division by subtraction, bisection, run
lengths, insertion into sorted lists.
-/

namespace Programs

namespace Functions

section Power

/-- `acc * base ^ exp` by squaring; `fuel` bounds the number of halvings. -/
def powLoop : Nat → Nat → Nat → Nat → Nat
  | 0, _, _, acc => acc
  | fuel + 1, base, exp, acc =>
    if exp = 0 then acc
    else if exp % 2 = 1 then powLoop fuel (base * base) (exp / 2) (acc * base)
    else powLoop fuel (base * base) (exp / 2) acc

theorem pow_even {base exp : Nat} (h : exp % 2 = 0) : (base * base) ^ (exp / 2) = base ^ exp := by
  have he : exp = 2 * (exp / 2) := by omega
  conv => rhs; rw [he, Nat.pow_mul, Nat.pow_two]

theorem pow_odd {base exp : Nat} (h : exp % 2 = 1) : base * (base * base) ^ (exp / 2) = base ^ exp := by
  have he : exp = 2 * (exp / 2) + 1 := by omega
  conv => rhs; rw [he, Nat.pow_succ, Nat.pow_mul, Nat.pow_two, Nat.mul_comm]

theorem powLoop_eq (fuel base exp acc : Nat) (h : exp ≤ fuel) : powLoop fuel base exp acc = acc * base ^ exp := by
  induction fuel generalizing base exp acc with
  | zero =>
    have he : exp = 0 := by omega
    rw [powLoop, he, Nat.pow_zero, Nat.mul_one]
  | succ fuel ih =>
    rw [powLoop]
    by_cases h0 : exp = 0
    · rw [if_pos h0, h0, Nat.pow_zero, Nat.mul_one]
    · rw [if_neg h0]
      by_cases h1 : exp % 2 = 1
      · rw [if_pos h1, ih _ _ _ (by omega), Nat.mul_assoc, pow_odd h1]
      · rw [if_neg h1, ih _ _ _ (by omega), pow_even (by omega)]

theorem powLoop_one (base exp : Nat) : powLoop exp base exp 1 = base ^ exp := by
  rw [powLoop_eq exp base exp 1 (Nat.le_refl _), Nat.one_mul]

theorem powLoop_fuel {f g : Nat} (base exp acc : Nat) (hf : exp ≤ f) (hg : exp ≤ g) :
    powLoop f base exp acc = powLoop g base exp acc := by
  rw [powLoop_eq _ _ _ _ hf, powLoop_eq _ _ _ _ hg]

/-- The power as an iterated product. -/
theorem pow_eq_iter (base exp : Nat) : base ^ exp = Accumulator.iter (fun n => base * n) exp 1 := by
  sorry

end Power

section Division

/-- Quotient and remainder by subtraction, as long as the fuel lasts. -/
def divLoop : Nat → Nat → Nat → Nat → Nat × Nat
  | 0, n, _, q => (q, n)
  | fuel + 1, n, d, q => if n < d then (q, n) else divLoop fuel (n - d) d (q + 1)

theorem divLoop_sum (fuel n d q : Nat) :
    (divLoop fuel n d q).1 * d + (divLoop fuel n d q).2 = q * d + n := by
  induction fuel generalizing n q with
  | zero => rfl
  | succ fuel ih =>
    rw [divLoop]
    by_cases h : n < d
    · rw [if_pos h]
    · rw [if_neg h, ih, Nat.add_mul]
      omega

theorem divLoop_lt (fuel n d q : Nat) (hd : 0 < d) (hf : n ≤ fuel) : (divLoop fuel n d q).2 < d := by
  induction fuel generalizing n q with
  | zero =>
    rw [divLoop]
    simp only
    omega
  | succ fuel ih =>
    rw [divLoop]
    by_cases h : n < d
    · rw [if_pos h]
      exact h
    · rw [if_neg h]
      apply ih
      omega

theorem quotient_unique {d q q' r r' : Nat} (hr : r < d) (hr' : r' < d) (h : q * d + r = q' * d + r') :
    q = q' ∧ r = r' := by
  have one_way : ∀ a b s t, s < d → a * d + s = b * d + t → a ≤ b → t < d → a = b := by
    intro a b s t hs he hle _
    apply Classical.byContradiction
    intro hne
    have h1 : (a + 1) * d ≤ b * d := Nat.mul_le_mul_right d (by omega)
    rw [Nat.add_mul] at h1
    omega
  have hq : q = q' := by
    by_cases hle : q ≤ q'
    · exact one_way q q' r r' hr h hle hr'
    · exact (one_way q' q r' r hr' h.symm (by omega) hr).symm
  refine ⟨hq, ?_⟩
  rw [hq] at h
  omega

theorem divLoop_eq (n d : Nat) (hd : 0 < d) : divLoop n n d 0 = (n / d, n % d) := by
  have h1 := divLoop_sum n n d 0
  have h2 := divLoop_lt n n d 0 hd (Nat.le_refl n)
  have h3 := Nat.div_add_mod n d
  rw [Nat.mul_comm] at h3
  rw [Nat.zero_mul, Nat.zero_add] at h1
  obtain ⟨hq, hr⟩ := quotient_unique h2 (Nat.mod_lt n hd) (h1.trans h3.symm)
  exact Prod.ext hq hr

theorem divLoop_multiple (k d : Nat) (hd : 0 < d) : divLoop (k * d) (k * d) d 0 = (k, 0) := by
  sorry

end Division

section Bisection

/-- Look for the place where `p` changes, between `low` and `low + width`. -/
def bisect (p : Nat → Bool) : Nat → Nat → Nat → Nat
  | 0, low, _ => low
  | fuel + 1, low, width =>
    if width ≤ 1 then low
    else if p (low + width / 2) then bisect p fuel (low + width / 2) (width - width / 2)
    else bisect p fuel low (width / 2)

theorem bisect_holds (p : Nat → Bool) (fuel low width : Nat) (h : p low = true) :
    p (bisect p fuel low width) = true := by
  induction fuel generalizing low width with
  | zero => exact h
  | succ fuel ih =>
    rw [bisect]
    split
    · exact h
    · split
      · rename_i hp
        exact ih _ _ hp
      · exact ih _ _ h

theorem bisect_changes (p : Nat → Bool) (fuel low width : Nat) (hw : width ≤ fuel + 1) (hpos : 0 < width)
    (h : p (low + width) = false) : p (bisect p fuel low width + 1) = false := by
  induction fuel generalizing low width with
  | zero =>
    have h1 : width = 1 := by omega
    rw [bisect, ← h1]
    exact h
  | succ fuel ih =>
    rw [bisect]
    split
    · have h1 : width = 1 := by omega
      rw [← h1]
      exact h
    · split
      · apply ih
        · omega
        · omega
        · have h2 : low + width / 2 + (width - width / 2) = low + width := by omega
          rw [h2]
          exact h
      · rename_i hp
        rw [Bool.not_eq_true] at hp
        apply ih
        · omega
        · omega
        · exact hp

theorem bisect_bounds (p : Nat → Bool) (fuel low width : Nat) :
    low ≤ bisect p fuel low width ∧ bisect p fuel low width ≤ low + width := by
  sorry

/-- The integer square root, by bisection. -/
def root (n : Nat) : Nat := bisect (fun k => decide (k * k ≤ n)) n 0 (n + 1)

theorem root_spec (n : Nat) : root n * root n ≤ n ∧ n < (root n + 1) * (root n + 1) := by
  have h1 := bisect_holds (fun k => decide (k * k ≤ n)) n 0 (n + 1) (decide_eq_true (by omega))
  have hbig : n < (0 + (n + 1)) * (0 + (n + 1)) := by
    rw [Nat.zero_add, Nat.add_mul, Nat.mul_add]
    omega
  have h2 := bisect_changes (fun k => decide (k * k ≤ n)) n 0 (n + 1) (Nat.le_refl _) (Nat.succ_pos n)
    (decide_eq_false (by omega))
  constructor
  · exact of_decide_eq_true h1
  · have h3 := of_decide_eq_false h2
    unfold root
    omega

theorem root_unique {n k : Nat} (h1 : k * k ≤ n) (h2 : n < (k + 1) * (k + 1)) : root n = k := by
  obtain ⟨h3, h4⟩ := root_spec n
  apply Nat.le_antisymm
  · apply Classical.byContradiction
    intro h
    have h5 : (k + 1) * (k + 1) ≤ root n * root n := Nat.mul_le_mul (by omega) (by omega)
    omega
  · apply Classical.byContradiction
    intro h
    have h5 : (root n + 1) * (root n + 1) ≤ k * k := Nat.mul_le_mul (by omega) (by omega)
    omega

theorem root_square (k : Nat) : root (k * k) = k := by
  sorry

end Bisection

section Runs

variable {α : Type}

/-- Put a value before run lengths. -/
def consRun [DecidableEq α] (a : α) : List (α × Nat) → List (α × Nat)
  | [] => [(a, 1)]
  | (b, n) :: rs => if a = b then (b, n + 1) :: rs else (a, 1) :: (b, n) :: rs

def encode [DecidableEq α] : List α → List (α × Nat)
  | [] => []
  | a :: as => consRun a (encode as)

def decode : List (α × Nat) → List α
  | [] => []
  | (a, n) :: rs => List.replicate n a ++ decode rs

theorem decode_consRun [DecidableEq α] (a : α) (rs : List (α × Nat)) : decode (consRun a rs) = a :: decode rs := by
  cases rs with
  | nil => rfl
  | cons r rs =>
    obtain ⟨b, n⟩ := r
    rw [consRun]
    by_cases h : a = b
    · rw [if_pos h, decode, List.replicate_succ, List.cons_append, decode, h]
    · rw [if_neg h]
      rfl

theorem decode_encode [DecidableEq α] (as : List α) : decode (encode as) = as := by
  induction as with
  | nil => rfl
  | cons a as ih => rw [encode, decode_consRun, ih]

theorem decode_append (rs ss : List (α × Nat)) : decode (rs ++ ss) = decode rs ++ decode ss := by
  induction rs with
  | nil => rfl
  | cons r rs ih =>
    obtain ⟨a, n⟩ := r
    rw [List.cons_append, decode, decode, ih, List.append_assoc]

theorem encode_injective [DecidableEq α] {as bs : List α} (h : encode as = encode bs) : as = bs := by
  rw [← decode_encode as, h, decode_encode]

theorem length_decode (rs : List (α × Nat)) :
    (decode rs).length = Accumulator.foldRight (fun r n => r.2 + n) 0 rs := by
  sorry

theorem encode_positive [DecidableEq α] (as : List α) (r : α × Nat) (h : r ∈ encode as) : 0 < r.2 := by
  sorry

theorem length_consRun_le [DecidableEq α] (a : α) (rs : List (α × Nat)) :
    (consRun a rs).length ≤ rs.length + 1 := by
  cases rs with
  | nil => exact Nat.le_refl _
  | cons r rs =>
    obtain ⟨b, n⟩ := r
    rw [consRun]
    split
    · rw [List.length_cons, List.length_cons]
      omega
    · exact Nat.le_refl _

theorem length_encode_le [DecidableEq α] (as : List α) : (encode as).length ≤ as.length := by
  induction as with
  | nil => exact Nat.le_refl 0
  | cons a as ih =>
    have h := length_consRun_le a (encode as)
    rw [encode, List.length_cons]
    omega

end Runs

section Sorting

/-- Each value is at most all that follow. -/
def Sorted : List Nat → Prop
  | [] => True
  | a :: as => (∀ b, b ∈ as → a ≤ b) ∧ Sorted as

/-- Put a value at its place. -/
def place (a : Nat) : List Nat → List Nat
  | [] => [a]
  | b :: bs => if a ≤ b then a :: b :: bs else b :: place a bs

def sort : List Nat → List Nat
  | [] => []
  | a :: as => place a (sort as)

/-- How often a number occurs. -/
def count (a : Nat) : List Nat → Nat
  | [] => 0
  | b :: bs => (if a = b then 1 else 0) + count a bs

theorem mem_place (a x : Nat) (bs : List Nat) : x ∈ place a bs ↔ x = a ∨ x ∈ bs := by
  induction bs with
  | nil => rw [place, List.mem_singleton, List.mem_nil_iff, or_false]
  | cons b bs ih =>
    rw [place]
    split
    · rw [List.mem_cons]
    · rw [List.mem_cons, ih, List.mem_cons]
      constructor
      · rintro (h | h | h)
        · exact Or.inr (Or.inl h)
        · exact Or.inl h
        · exact Or.inr (Or.inr h)
      · rintro (h | h | h)
        · exact Or.inr (Or.inl h)
        · exact Or.inl h
        · exact Or.inr (Or.inr h)

theorem sorted_place (a : Nat) {bs : List Nat} (h : Sorted bs) : Sorted (place a bs) := by
  induction bs with
  | nil =>
    refine ⟨?_, trivial⟩
    intro b hb
    cases hb
  | cons b bs ih =>
    rw [place]
    by_cases hab : a ≤ b
    · rw [if_pos hab]
      refine ⟨?_, h⟩
      intro c hc
      rw [List.mem_cons] at hc
      rcases hc with hc | hc
      · omega
      · exact Nat.le_trans hab (h.1 c hc)
    · rw [if_neg hab]
      refine ⟨?_, ih h.2⟩
      intro c hc
      rw [mem_place] at hc
      rcases hc with hc | hc
      · omega
      · exact h.1 c hc

theorem sorted_sort (as : List Nat) : Sorted (sort as) := by
  induction as with
  | nil => trivial
  | cons a as ih => exact sorted_place a ih

theorem count_place (a b : Nat) (bs : List Nat) : count a (place b bs) = (if a = b then 1 else 0) + count a bs := by
  induction bs with
  | nil => rfl
  | cons c bs ih =>
    rw [place]
    split
    · rfl
    · rw [count, ih, count]
      omega

theorem count_sort (a : Nat) (as : List Nat) : count a (sort as) = count a as := by
  induction as with
  | nil => rfl
  | cons b as ih => rw [sort, count_place, ih, count]

theorem count_pos_iff (a : Nat) (as : List Nat) : 0 < count a as ↔ a ∈ as := by
  induction as with
  | nil =>
    constructor
    · intro h
      exact absurd h (Nat.lt_irrefl 0)
    · intro h
      cases h
  | cons b as ih =>
    rw [count, List.mem_cons, ← ih]
    by_cases h : a = b
    · rw [if_pos h]
      constructor
      · intro _
        exact Or.inl h
      · intro _
        omega
    · rw [if_neg h, Nat.zero_add]
      constructor
      · intro h1
        exact Or.inr h1
      · rintro (h1 | h1)
        · exact absurd h1 h
        · exact h1

/-- A sorted list is known by how often each number occurs. -/
theorem sorted_unique {as bs : List Nat} (ha : Sorted as) (hb : Sorted bs) (h : ∀ x, count x as = count x bs) :
    as = bs := by
  induction as generalizing bs with
  | nil =>
    cases bs with
    | nil => rfl
    | cons b bs =>
      have h1 := h b
      rw [count, count, if_pos rfl] at h1
      omega
  | cons a as ih =>
    cases bs with
    | nil =>
      have h1 := h a
      rw [count, count, if_pos rfl] at h1
      omega
    | cons b bs =>
      have hab : a = b := by
        have h1 : a ∈ b :: bs := by
          rw [← count_pos_iff, ← h a, count, if_pos rfl]
          omega
        have h2 : b ∈ a :: as := by
          rw [← count_pos_iff, h b, count, if_pos rfl]
          omega
        rw [List.mem_cons] at h1 h2
        rcases h1 with h1 | h1
        · exact h1
        · rcases h2 with h2 | h2
          · exact h2.symm
          · have h3 := hb.1 a h1
            have h4 := ha.1 b h2
            omega
      rw [hab]
      congr 1
      apply ih ha.2 hb.2
      intro x
      have h1 := h x
      rw [count, count, hab] at h1
      omega

theorem sort_of_sorted {as : List Nat} (h : Sorted as) : sort as = as := by
  apply sorted_unique (sorted_sort as) h
  intro x
  exact count_sort x as

theorem sort_sort (as : List Nat) : sort (sort as) = sort as := by
  apply sort_of_sorted
  exact sorted_sort as

theorem place_comm (a b : Nat) {cs : List Nat} (h : Sorted cs) : place a (place b cs) = place b (place a cs) := by
  sorry

theorem sort_eq_iff (as bs : List Nat) : sort as = sort bs ↔ ∀ x, count x as = count x bs := by
  sorry

end Sorting

end Functions

end Programs
