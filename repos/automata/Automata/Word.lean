/-!
Words over an alphabet: prefixes, suffixes and factors, powers, and words that commute.

A word is a list of letters. The order of being a prefix is defined by a witness, the rest of the word.
-/

namespace Automata

/-- A word over the alphabet `α`. -/
abbrev Word (α : Type) := List α

namespace Word

variable {α β : Type}

/-- `u` stands at the beginning of `w`. -/
def Prefix (u w : Word α) : Prop := ∃ v, u ++ v = w

/-- `u` stands at the end of `w`. -/
def Suffix (u w : Word α) : Prop := ∃ v, v ++ u = w

/-- `u` stands somewhere in `w`. -/
def Factor (u w : Word α) : Prop := ∃ x y, x ++ u ++ y = w

/-- The word `w` written `n` times. -/
def power (w : Word α) : Nat → Word α
  | 0 => []
  | n + 1 => w ++ power w n

/-- How often the letter `a` occurs. -/
def occurrences [DecidableEq α] (a : α) : Word α → Nat
  | [] => 0
  | b :: w => (if a = b then 1 else 0) + occurrences a w

/-- Every letter is replaced by a word. -/
def substitute (f : α → Word β) : Word α → Word β
  | [] => []
  | a :: w => f a ++ substitute f w

/-- Two words that commute. -/
def Commute (u v : Word α) : Prop := u ++ v = v ++ u

/-- A word that is the same from both sides. -/
def Palindrome (w : Word α) : Prop := w.reverse = w

section Prefixes

theorem prefix_nil (w : Word α) : Prefix [] w := by
  exact ⟨w, rfl⟩

theorem prefix_refl (w : Word α) : Prefix w w := by
  refine ⟨[], ?_⟩
  rw [List.append_nil]

theorem prefix_trans {u v w : Word α} (h1 : Prefix u v) (h2 : Prefix v w) : Prefix u w := by
  obtain ⟨x, hx⟩ := h1
  obtain ⟨y, hy⟩ := h2
  refine ⟨x ++ y, ?_⟩
  rw [← List.append_assoc, hx, hy]

theorem prefix_length {u w : Word α} (h : Prefix u w) : u.length ≤ w.length := by
  obtain ⟨v, hv⟩ := h
  rw [← hv, List.length_append]
  omega

theorem eq_of_prefix_length {u w : Word α} (h : Prefix u w) (hl : w.length ≤ u.length) : u = w := by
  obtain ⟨v, hv⟩ := h
  have hlen : u.length + v.length = w.length := by
    rw [← List.length_append, hv]
  have hv0 : v = [] := by
    apply List.eq_nil_of_length_eq_zero
    omega
  rw [hv0, List.append_nil] at hv
  exact hv

theorem prefix_antisymm {u w : Word α} (h1 : Prefix u w) (h2 : Prefix w u) : u = w := by
  sorry

theorem prefix_cons_iff (a b : α) (u w : Word α) : Prefix (a :: u) (b :: w) ↔ a = b ∧ Prefix u w := by
  constructor
  · intro h
    obtain ⟨v, hv⟩ := h
    rw [List.cons_append] at hv
    injection hv with h1 h2
    exact ⟨h1, v, h2⟩
  · intro h
    obtain ⟨h1, v, h2⟩ := h
    refine ⟨v, ?_⟩
    rw [List.cons_append, h1, h2]

theorem not_prefix_cons_nil (a : α) (u : Word α) : ¬ Prefix (a :: u) [] := by
  intro h
  have hl := prefix_length h
  simp only [List.length_cons, List.length_nil] at hl
  omega

theorem prefix_append_left (x u w : Word α) : Prefix (x ++ u) (x ++ w) ↔ Prefix u w := by
  constructor
  · rintro ⟨v, hv⟩
    rw [List.append_assoc] at hv
    exact ⟨v, List.append_cancel_left hv⟩
  · rintro ⟨v, hv⟩
    refine ⟨v, ?_⟩
    rw [List.append_assoc, hv]

theorem prefix_append_of_prefix {u w : Word α} (h : Prefix u w) (z : Word α) : Prefix u (w ++ z) := by
  apply prefix_trans h
  exact ⟨z, rfl⟩

/-- Two prefixes of a word are comparable. -/
theorem prefix_total {u v w : Word α} (hu : Prefix u w) (hv : Prefix v w) : Prefix u v ∨ Prefix v u := by
  induction u generalizing v w with
  | nil =>
    left
    exact prefix_nil v
  | cons a u ih =>
    cases v with
    | nil =>
      right
      exact prefix_nil _
    | cons b v =>
      cases w with
      | nil => exact absurd hu (not_prefix_cons_nil a u)
      | cons c w =>
        rw [prefix_cons_iff] at hu hv
        have hab : a = b := by rw [hu.1, hv.1]
        cases ih hu.2 hv.2 with
        | inl h =>
          left
          rw [prefix_cons_iff]
          exact ⟨hab, h⟩
        | inr h =>
          right
          rw [prefix_cons_iff]
          exact ⟨hab.symm, h⟩

theorem prefix_of_prefix_length {u v w : Word α} (hu : Prefix u w) (hv : Prefix v w)
    (h : u.length ≤ v.length) : Prefix u v := by
  cases prefix_total hu hv with
  | inl h1 => exact h1
  | inr h1 =>
    have he := eq_of_prefix_length h1 h
    rw [he]
    exact prefix_refl u

theorem prefix_concat_iff (u w : Word α) (a : α) : Prefix u (w ++ [a]) ↔ u = w ++ [a] ∨ Prefix u w := by
  sorry

theorem prefix_map (f : α → β) {u w : Word α} (h : Prefix u w) : Prefix (u.map f) (w.map f) := by
  obtain ⟨v, hv⟩ := h
  refine ⟨v.map f, ?_⟩
  rw [← hv, List.map_append]

end Prefixes

section Suffixes

theorem suffix_iff_prefix_reverse (u w : Word α) : Suffix u w ↔ Prefix u.reverse w.reverse := by
  constructor
  · rintro ⟨v, hv⟩
    refine ⟨v.reverse, ?_⟩
    rw [← hv, List.reverse_append]
  · rintro ⟨v, hv⟩
    refine ⟨v.reverse, ?_⟩
    have h := congrArg List.reverse hv
    rw [List.reverse_append, List.reverse_reverse, List.reverse_reverse] at h
    exact h

theorem suffix_refl (w : Word α) : Suffix w w := by
  exists []

theorem suffix_trans {u v w : Word α} (h1 : Suffix u v) (h2 : Suffix v w) : Suffix u w := by
  rw [suffix_iff_prefix_reverse] at *
  exact prefix_trans h1 h2

theorem suffix_total {u v w : Word α} (hu : Suffix u w) (hv : Suffix v w) : Suffix u v ∨ Suffix v u := by
  rw [suffix_iff_prefix_reverse] at hu hv
  rw [suffix_iff_prefix_reverse, suffix_iff_prefix_reverse]
  exact prefix_total hu hv

theorem suffix_cons_iff (u w : Word α) (a : α) : Suffix u (a :: w) ↔ u = a :: w ∨ Suffix u w := by
  sorry

theorem factor_of_prefix_suffix {u v w : Word α} (h1 : Prefix u v) (h2 : Suffix v w) : Factor u w := by
  obtain ⟨y, hy⟩ := h1
  obtain ⟨x, hx⟩ := h2
  refine ⟨x, y, ?_⟩
  rw [List.append_assoc, hy, hx]

theorem factor_iff (u w : Word α) : Factor u w ↔ ∃ v, Prefix u v ∧ Suffix v w := by
  constructor
  · rintro ⟨x, y, h⟩
    refine ⟨u ++ y, ⟨y, rfl⟩, x, ?_⟩
    rw [← List.append_assoc, h]
  · rintro ⟨v, h1, h2⟩
    exact factor_of_prefix_suffix h1 h2

theorem factor_trans {u v w : Word α} (h1 : Factor u v) (h2 : Factor v w) : Factor u w := by
  sorry

theorem factor_reverse {u w : Word α} (h : Factor u w) : Factor u.reverse w.reverse := by
  obtain ⟨x, y, hw⟩ := h
  refine ⟨y.reverse, x.reverse, ?_⟩
  rw [← hw]
  simp only [List.reverse_append, List.append_assoc]

theorem factor_cons_iff (u w : Word α) (a : α) : Factor u (a :: w) ↔ Prefix u (a :: w) ∨ Factor u w := by
  sorry

end Suffixes

section Powers

theorem power_add (w : Word α) (m n : Nat) : power w (m + n) = power w m ++ power w n := by
  induction m with
  | zero => rw [Nat.zero_add, power, List.nil_append]
  | succ m ih => rw [Nat.succ_add, power, power, ih, List.append_assoc]

theorem power_one (w : Word α) : power w 1 = w := by
  rw [power, power, List.append_nil]

theorem power_succ_right (w : Word α) (n : Nat) : power w (n + 1) = power w n ++ w := by
  rw [power_add, power_one]

theorem power_mul (w : Word α) (m n : Nat) : power w (m * n) = power (power w m) n := by
  sorry

theorem power_nil (n : Nat) : power ([] : Word α) n = [] := by
  induction n with
  | zero => rfl
  | succ n ih => rw [power, ih, List.append_nil]

theorem length_power (w : Word α) (n : Nat) : (power w n).length = n * w.length := by
  induction n with
  | zero => rw [power, Nat.zero_mul, List.length_nil]
  | succ n ih => rw [power, List.length_append, ih, Nat.succ_mul, Nat.add_comm]

theorem reverse_power (w : Word α) (n : Nat) : (power w n).reverse = power w.reverse n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [power_succ_right, List.reverse_append, ih]
    rfl

theorem power_prefix_of_le (w : Word α) {m n : Nat} (h : m ≤ n) : Prefix (power w m) (power w n) := by
  obtain ⟨k, hk⟩ := Nat.exists_eq_add_of_le h
  refine ⟨power w k, ?_⟩
  rw [hk, power_add]

theorem power_eq_nil_iff (w : Word α) (n : Nat) : power w n = [] ↔ w = [] ∨ n = 0 := by
  constructor
  · intro h
    cases n with
    | zero =>
      right
      rfl
    | succ n =>
      left
      rw [power] at h
      exact (List.append_eq_nil_iff.mp h).1
  · intro h
    cases h with
    | inl h => rw [h, power_nil]
    | inr h => rw [h, power]

theorem commute_refl (u : Word α) : Commute u u := by
  rfl

theorem commute_append {u v w : Word α} (h1 : Commute u w) (h2 : Commute v w) : Commute (u ++ v) w := by
  unfold Commute at *
  rw [List.append_assoc, h2, ← List.append_assoc, h1, List.append_assoc]

theorem commute_power {u v : Word α} (h : Commute u v) (n : Nat) : Commute (power u n) v := by
  induction n with
  | zero =>
    unfold Commute
    rw [power, List.nil_append, List.append_nil]
  | succ n ih =>
    rw [power]
    exact commute_append h ih

theorem commute_of_powers (w : Word α) (m n : Nat) : Commute (power w m) (power w n) := by
  unfold Commute
  rw [← power_add, ← power_add, Nat.add_comm]

theorem power_append_of_commute {u v : Word α} (h : Commute u v) (n : Nat) :
    power (u ++ v) n = power u n ++ power v n := by
  sorry

/-- A conjugation can be moved through a power. -/
theorem power_conjugate {u v w : Word α} (h : u ++ w = w ++ v) (n : Nat) : power u n ++ w = w ++ power v n := by
  sorry

theorem power_rotate (u v : Word α) (n : Nat) : u ++ power (v ++ u) n = power (u ++ v) n ++ u := by
  sorry

end Powers

section Substitutions

theorem substitute_append (f : α → Word β) (u v : Word α) :
    substitute f (u ++ v) = substitute f u ++ substitute f v := by
  induction u with
  | nil => rfl
  | cons a u ih => rw [List.cons_append, substitute, substitute, ih, List.append_assoc]

theorem substitute_power (f : α → Word β) (w : Word α) (n : Nat) :
    substitute f (power w n) = power (substitute f w) n := by
  sorry

theorem substitute_letters (w : Word α) : substitute (fun a => [a]) w = w := by
  induction w with
  | nil => rfl
  | cons a w ih =>
    rw [substitute, ih]
    rfl

theorem substitute_prefix (f : α → Word β) {u w : Word α} (h : Prefix u w) :
    Prefix (substitute f u) (substitute f w) := by
  obtain ⟨v, hv⟩ := h
  refine ⟨substitute f v, ?_⟩
  rw [← hv, substitute_append]

theorem substitute_length (f : α → Word β) (k : Nat) (h : ∀ a, (f a).length = k) (w : Word α) :
    (substitute f w).length = w.length * k := by
  induction w with
  | nil => rw [substitute, List.length_nil, List.length_nil, Nat.zero_mul]
  | cons a w ih =>
    rw [substitute, List.length_append, ih, h, List.length_cons, Nat.succ_mul]
    omega

theorem substitute_injective (f : α → Word β) (k : Nat) (hk : 0 < k) (hl : ∀ a, (f a).length = k)
    (hf : ∀ a b, f a = f b → a = b) (u v : Word α) (h : substitute f u = substitute f v) : u = v := by
  sorry

theorem occurrences_append [DecidableEq α] (a : α) (u v : Word α) :
    occurrences a (u ++ v) = occurrences a u + occurrences a v := by
  induction u with
  | nil => rw [List.nil_append, occurrences, Nat.zero_add]
  | cons b u ih => rw [List.cons_append, occurrences, occurrences, ih, Nat.add_assoc]

theorem occurrences_power [DecidableEq α] (a : α) (w : Word α) (n : Nat) :
    occurrences a (power w n) = n * occurrences a w := by
  induction n with
  | zero => rw [power, occurrences, Nat.zero_mul]
  | succ n ih =>
    rw [power, occurrences_append, ih, Nat.succ_mul]
    omega

theorem occurrences_reverse [DecidableEq α] (a : α) (w : Word α) : occurrences a w.reverse = occurrences a w := by
  induction w with
  | nil => rfl
  | cons b w ih =>
    rw [List.reverse_cons, occurrences_append, ih]
    simp only [occurrences]
    omega

theorem occurrences_le_length [DecidableEq α] (a : α) (w : Word α) : occurrences a w ≤ w.length := by
  induction w with
  | nil => exact Nat.le_refl 0
  | cons b w ih =>
    rw [occurrences, List.length_cons]
    split <;> omega

theorem occurrences_factor [DecidableEq α] (a : α) {u w : Word α} (h : Factor u w) :
    occurrences a u ≤ occurrences a w := by
  obtain ⟨x, y, hw⟩ := h
  rw [← hw, occurrences_append, occurrences_append]
  omega

theorem occurrences_eq_zero_iff [DecidableEq α] (a : α) (w : Word α) : occurrences a w = 0 ↔ ¬ a ∈ w := by
  sorry

end Substitutions

section Palindromes

theorem palindrome_append_reverse (w : Word α) : Palindrome (w ++ w.reverse) := by
  unfold Palindrome
  rw [List.reverse_append, List.reverse_reverse]

theorem palindrome_wrap (a : α) {w : Word α} (h : Palindrome w) : Palindrome (a :: (w ++ [a])) := by
  unfold Palindrome at *
  rw [List.reverse_cons, List.reverse_append, h]
  rfl

theorem palindrome_unwrap (a b : α) (w : Word α) (h : Palindrome (a :: (w ++ [b]))) : a = b ∧ Palindrome w := by
  sorry

theorem palindrome_power {w : Word α} (h : Palindrome w) (n : Nat) : Palindrome (power w n) := by
  unfold Palindrome at *
  rw [reverse_power, h]

theorem palindrome_append_iff_commute {u v : Word α} (hu : Palindrome u) (hv : Palindrome v) :
    Palindrome (u ++ v) ↔ Commute u v := by
  unfold Palindrome Commute at *
  rw [List.reverse_append, hu, hv]
  constructor
  · intro h
    exact h.symm
  · intro h
    exact h.symm

theorem palindrome_suffix_of_prefix {u w : Word α} (hw : Palindrome w) (h : Prefix u w) : Suffix u.reverse w := by
  rw [suffix_iff_prefix_reverse, List.reverse_reverse]
  unfold Palindrome at hw
  rw [hw]
  exact h

end Palindromes

end Word

end Automata
