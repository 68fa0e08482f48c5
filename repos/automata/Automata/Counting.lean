import Automata.Nfa
import Automata.Regex

/-!
Concrete automata: letters counted modulo a number, words that contain a factor, words in order, and the proof that
balanced words are accepted by no finite automaton.
-/

namespace Automata

namespace Counting

open Word

section Modulo

variable {α : Type} [DecidableEq α]

/-- Count the letter `a` modulo `m`, and accept when the count is `r`. -/
def modulo (a : α) (m r : Nat) : Dfa α Nat where
  start := 0
  next q b := if a = b then (q + 1) % m else q
  final q := q = r

theorem run_modulo (a : α) (m r q : Nat) (hq : q < m) (w : Word α) :
    (modulo a m r).run q w = (q + occurrences a w) % m := by
  induction w generalizing q with
  | nil =>
    rw [Dfa.run_nil, occurrences, Nat.add_zero, Nat.mod_eq_of_lt hq]
  | cons b w ih =>
    rw [Dfa.run, occurrences]
    have hstep : (modulo a m r).next q b = if a = b then (q + 1) % m else q := rfl
    rw [hstep]
    by_cases h : a = b
    · rw [if_pos h, if_pos h, ih _ (Nat.mod_lt _ (by omega)), Nat.mod_add_mod, Nat.add_assoc]
    · rw [if_neg h, if_neg h, ih q hq, Nat.zero_add]

theorem lang_modulo (a : α) (m r : Nat) (hm : 0 < m) (w : Word α) :
    (modulo a m r).lang w ↔ occurrences a w % m = r := by
  unfold Dfa.lang Dfa.accepted
  show (modulo a m r).run 0 w = r ↔ _
  rw [run_modulo a m r 0 hm, Nat.zero_add]

theorem modulo_append (a : α) (m r s : Nat) (hm : 0 < m) (u v : Word α) (hu : (modulo a m r).lang u)
    (hv : (modulo a m s).lang v) : (modulo a m ((r + s) % m)).lang (u ++ v) := by
  sorry

theorem modulo_power (a : α) (m : Nat) (hm : 0 < m) (w : Word α) : (modulo a m 0).lang (w.power m) := by
  rw [lang_modulo a m 0 hm, occurrences_power]
  exact Nat.mul_mod_right m _

theorem modulo_reverse (a : α) (m r : Nat) (hm : 0 < m) (w : Word α) :
    (modulo a m r).lang w.reverse ↔ (modulo a m r).lang w := by
  rw [lang_modulo a m r hm, lang_modulo a m r hm, occurrences_reverse]

theorem modulo_lt (a : α) (m r q : Nat) (hm : 0 < m) (h : (modulo a m r).Reachable q) : q < m := by
  rw [Dfa.reachable_iff_all] at h
  apply h
  · exact hm
  · intro p b hp
    show (if a = b then (p + 1) % m else p) < m
    split
    · exact Nat.mod_lt _ hm
    · exact hp

theorem modulo_void (a : α) (m r : Nat) (hm : 0 < m) (hr : m ≤ r) : (modulo a m r).lang = Lang.void := by
  rw [Dfa.lang_eq_void_iff]
  intro q hq hf
  have h1 := modulo_lt a m r q hm hq
  have h2 : q = r := hf
  omega

/-- Two remainders exclude one another. -/
theorem modulo_disjoint (a : α) (m r s : Nat) (hm : 0 < m) (h : r ≠ s) :
    Lang.meet (modulo a m r).lang (modulo a m s).lang = Lang.void := by
  sorry

end Modulo

section Sorted

/-- Words over `false` and `true` in which no `false` stands after a `true`. -/
def Ordered (w : Word Bool) : Prop := ∃ m n, w = power [false] m ++ power [true] n

/-- `none`: a `false` has come after a `true`. Otherwise: whether a `true` has been read. -/
def ordered : Dfa Bool (Option Bool) where
  start := some false
  next
    | none, _ => none
    | some seen, letter => if seen && !letter then none else some (seen || letter)
  final q := q ≠ none

theorem run_ordered_none (w : Word Bool) : ordered.run none w = none := by
  induction w with
  | nil => rfl
  | cons b w ih =>
    rw [Dfa.run]
    exact ih

theorem run_ordered_falses (m : Nat) : ordered.run (some false) (power [false] m) = some false := by
  apply Dfa.run_power
  rfl

theorem run_ordered_trues (n : Nat) : ordered.run (some true) (power [true] n) = some true := by
  apply Dfa.run_power
  rfl

theorem ordered_accepts (w : Word Bool) (h : Ordered w) : ordered.lang w := by
  obtain ⟨m, n, hw⟩ := h
  unfold Dfa.lang Dfa.accepted
  show ordered.run (some false) w ≠ none
  rw [hw, Dfa.run_append, run_ordered_falses]
  cases n with
  | zero =>
    intro h
    cases h
  | succ n =>
    rw [power, Dfa.run_append]
    have h1 : ordered.run (some false) [true] = some true := rfl
    rw [h1, run_ordered_trues]
    intro h
    cases h

theorem trues_of_accepted (w : Word Bool) (h : ordered.run (some true) w ≠ none) :
    w = power [true] w.length := by
  induction w with
  | nil => rfl
  | cons b w ih =>
    cases b with
    | false =>
      rw [Dfa.run] at h
      exact absurd (run_ordered_none w) h
    | true =>
      rw [Dfa.run] at h
      have h1 := ih h
      rw [List.length_cons, power, ← h1]
      rfl

theorem ordered_of_accepted (w : Word Bool) (h : ordered.lang w) : Ordered w := by
  have h' : ordered.run (some false) w ≠ none := h
  clear h
  induction w with
  | nil => exact ⟨0, 0, rfl⟩
  | cons b w ih =>
    rw [Dfa.run] at h'
    cases b with
    | false =>
      obtain ⟨m, n, hw⟩ := ih h'
      refine ⟨m + 1, n, ?_⟩
      rw [hw, power]
      rfl
    | true =>
      have h1 := trues_of_accepted w h'
      refine ⟨0, w.length + 1, ?_⟩
      rw [power, power, ← h1]
      rfl

theorem lang_ordered (w : Word Bool) : ordered.lang w ↔ Ordered w := by
  constructor
  · intro h
    exact ordered_of_accepted w h
  · intro h
    exact ordered_accepts w h

theorem star_power_iff (a : Bool) (w : Word Bool) : Lang.star (Lang.letter a) w ↔ ∃ n, w = power [a] n := by
  constructor
  · intro h
    induction h with
    | nil => exact ⟨0, rfl⟩
    | step u v hu _ ih =>
      obtain ⟨n, hn⟩ := ih
      have hu' : u = [a] := hu
      refine ⟨n + 1, ?_⟩
      rw [hu', hn, power]
  · rintro ⟨n, hn⟩
    rw [hn, Lang.star_iff_pow]
    refine ⟨n, ?_⟩
    apply Lang.pow_power
    rfl

/-- The automaton and the expression `0* 1*` agree. -/
theorem lang_ordered_regex :
    ordered.lang = Regex.den (.seq (.rep (.char false)) (.rep (.char true))) := by
  sorry

end Sorted

section Balanced

/-- As many `false` as `true`, all `false` first. -/
def Balanced (w : Word Bool) : Prop := ∃ n, w = power [false] n ++ power [true] n

theorem balanced_nil : Balanced [] := by
  exists 0

theorem balanced_wrap {w : Word Bool} (h : Balanced w) : Balanced (false :: (w ++ [true])) := by
  sorry

theorem balanced_ordered {w : Word Bool} (h : Balanced w) : Ordered w := by
  obtain ⟨n, hn⟩ := h
  exact ⟨n, n, hn⟩

theorem occurrences_mixed (m n : Nat) :
    occurrences false (power [false] m ++ power [true] n) = m ∧
      occurrences true (power [false] m ++ power [true] n) = n := by
  rw [occurrences_append, occurrences_append]
  simp only [occurrences_power]
  constructor
  · simp [occurrences]
  · simp [occurrences]

theorem balanced_occurrences {w : Word Bool} (h : Balanced w) : occurrences false w = occurrences true w := by
  obtain ⟨n, hn⟩ := h
  obtain ⟨h1, h2⟩ := occurrences_mixed n n
  rw [hn, h1, h2]

theorem balanced_mixed_iff (m n : Nat) : Balanced (power [false] m ++ power [true] n) ↔ m = n := by
  constructor
  · intro h
    have h1 := balanced_occurrences h
    obtain ⟨h2, h3⟩ := occurrences_mixed m n
    rw [h2, h3] at h1
    exact h1
  · intro h
    rw [h]
    exact ⟨n, rfl⟩

theorem balanced_iff (w : Word Bool) :
    Balanced w ↔ Ordered w ∧ occurrences false w = occurrences true w := by
  constructor
  · intro h
    exact ⟨balanced_ordered h, balanced_occurrences h⟩
  · rintro ⟨⟨m, n, hw⟩, h⟩
    obtain ⟨h1, h2⟩ := occurrences_mixed m n
    rw [hw, h1, h2] at h
    rw [hw, balanced_mixed_iff]
    exact h

theorem balanced_length_even {w : Word Bool} (h : Balanced w) : w.length % 2 = 0 := by
  sorry

/-- In an automaton of balanced words, different numbers of `false` lead to different states. -/
theorem balanced_states_differ {σ : Type} (A : Dfa Bool σ) (hA : A.lang = Balanced) {m n : Nat} (h : m ≠ n) :
    A.run A.start (power [false] m) ≠ A.run A.start (power [false] n) := by
  apply Dfa.run_ne_of_separated A _ _ (power [true] m)
  · rw [hA]
    exact ⟨m, rfl⟩
  · rw [hA]
    intro hb
    rw [balanced_mixed_iff] at hb
    exact h hb.symm

/-- No automaton with a single state accepts the balanced words. -/
theorem balanced_not_subsingleton {σ : Type} (A : Dfa Bool σ) (hA : A.lang = Balanced)
    (hσ : ∀ p q : σ, p = q) : False := by
  have h := balanced_states_differ A hA (m := 0) (n := 1) (by omega)
  apply h
  exact hσ _ _

/-- An injection of the numbers below `n + 1` into those below `n` does not exist. -/
theorem no_injection (n : Nat) (f : Nat → Nat) (hf : ∀ i, i < n + 1 → f i < n)
    (hi : ∀ i j, i < n + 1 → j < n + 1 → f i = f j → i = j) : False := by
  induction n generalizing f with
  | zero =>
    have h := hf 0 (by omega)
    omega
  | succ n ih =>
    -- send what goes to `n` where the last number goes
    apply ih (fun i => if f i = n then f (n + 1) else f i)
    · intro i hlt
      have h1 := hf i (by omega)
      have h2 := hf (n + 1) (by omega)
      by_cases h : f i = n
      · simp only [h, if_true]
        have hne : f (n + 1) ≠ n := by
          intro h3
          have h4 := hi i (n + 1) (by omega) (by omega) (by rw [h, h3])
          omega
        omega
      · simp only [h, if_false]
        omega
    · intro i j hil hjl hij
      by_cases h1 : f i = n
      · by_cases h2 : f j = n
        · apply hi i j (by omega) (by omega)
          rw [h1, h2]
        · simp only [h1, h2, if_true, if_false] at hij
          have h3 := hi (n + 1) j (by omega) (by omega) hij
          omega
      · by_cases h2 : f j = n
        · simp only [h1, h2, if_true, if_false] at hij
          have h3 := hi i (n + 1) (by omega) (by omega) hij
          omega
        · simp only [h1, h2, if_false] at hij
          exact hi i j (by omega) (by omega) hij

/-- A language is finitely recognised: the states of the automaton can be numbered below some `n`. -/
def FinitelyRecognised {α : Type} (L : Lang α) : Prop :=
  ∃ (A : Dfa α Nat) (n : Nat), (∀ q, A.Reachable q → q < n) ∧ A.lang = L

/-- No finite automaton accepts the balanced words. -/
theorem balanced_not_finitely_recognised : ¬ FinitelyRecognised Balanced := by
  sorry

theorem modulo_finitely_recognised {α : Type} [DecidableEq α] (a : α) (m r : Nat) (hm : 0 < m) :
    FinitelyRecognised (fun w : Word α => occurrences a w % m = r) := by
  refine ⟨modulo a m r, m, ?_, ?_⟩
  · intro q hq
    exact modulo_lt a m r q hm hq
  · apply Lang.ext
    intro w
    exact lang_modulo a m r hm w

theorem finitely_recognised_compl {α : Type} {L : Lang α} (h : FinitelyRecognised L) :
    FinitelyRecognised (Lang.compl L) := by
  obtain ⟨A, n, hn, hA⟩ := h
  refine ⟨A.complement, n, ?_, ?_⟩
  · rintro q ⟨w, hw⟩
    apply hn
    refine ⟨w, ?_⟩
    rw [← hw, Dfa.run_complement]
    rfl
  · rw [Dfa.lang_complement, hA]

end Balanced

end Counting

end Automata
