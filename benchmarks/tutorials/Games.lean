/-! # Winning positions of finite two-player games: a player who cannot move loses -/

/-- A game on the positions `P` that always ends. -/
class Game (P : Type) where
  move : P → P → Prop
  rank : P → Nat
  rank_lt : ∀ {p q : P}, move p q → rank q < rank p

namespace Game

infix:50 " ⟶ " => Game.move

variable {P Q : Type} [Game P] [Game Q]

/-- The player to move can force a win. -/
inductive Win : P → Prop where
  | intro {p q : P} : p ⟶ q → (∀ r, q ⟶ r → Win r) → Win p

/-- Whatever the player to move does, the opponent wins. -/
def Lose (p : P) : Prop := ∀ q, p ⟶ q → Win q

/-- `Play p n q` : one comes from `p` to `q` in `n` moves. -/
inductive Play : P → Nat → P → Prop where
  | stop {p : P} : Play p 0 p
  | step {p q r : P} {n : Nat} : p ⟶ q → Play q n r → Play p (n + 1) r

theorem win_iff (p : P) : Win p ↔ ∃ q, p ⟶ q ∧ Lose q :=
  ⟨fun | .intro h hq => ⟨_, h, hq⟩, fun ⟨_, h, hq⟩ => .intro h hq⟩

theorem lose_of_stuck {p : P} (h : ∀ q, ¬ p ⟶ q) : Lose p :=
  fun q hq => absurd hq (h q)

theorem not_lose_of_win {p : P} (h : Win p) : ¬ Lose p := by
  induction h with
  | @intro p q hpq hq ih =>
    intro hp
    obtain ⟨r, hqr, hr⟩ := (win_iff q).mp (hp q hpq)
    exact ih r hqr hr

/-- Zermelo: every position is decided. -/
theorem win_or_lose (p : P) : Win p ∨ Lose p := by
  by_cases h : ∃ q, p ⟶ q ∧ Lose q
  · exact .inl ((win_iff p).mpr h)
  · refine .inr fun q hq => ?_
    have := rank_lt hq
    rcases win_or_lose q with hw | hl
    · exact hw
    · exact absurd ⟨q, hq, hl⟩ h
termination_by rank p

theorem not_win_iff (p : P) : ¬ Win p ↔ Lose p := by
  exact ⟨(win_or_lose p).resolve_left, fun h hw => not_lose_of_win hw h⟩

/-- A set of positions that is a kernel of the game is the set of the lost positions. -/
theorem lose_iff_of_kernel (S : P → Prop) (stable : ∀ p q, S p → p ⟶ q → ¬ S q)
    (absorb : ∀ p, ¬ S p → ∃ q, p ⟶ q ∧ S q) (p : P) : Lose p ↔ S p := by
  constructor
  · intro h
    apply Classical.byContradiction
    intro hp
    obtain ⟨q, hpq, hq⟩ := absorb p hp
    have := rank_lt hpq
    exact not_lose_of_win (h q hpq) ((lose_iff_of_kernel S stable absorb q).mpr hq)
  · intro h q hpq
    obtain ⟨r, hqr, hr⟩ := absorb q (stable p q h hpq)
    have := rank_lt hpq
    have := rank_lt hqr
    exact (win_iff q).mpr ⟨r, hqr, (lose_iff_of_kernel S stable absorb r).mpr hr⟩
termination_by rank p

theorem play_bounded {p q : P} {n : Nat} (h : Play p n q) : n + rank q ≤ rank p := by
  induction h with
  | stop => simp
  | step hm _ ih =>
    have := rank_lt hm
    omega

/-! ## Sums: a move is a move in one of the components -/

inductive SumMove : P × Q → P × Q → Prop where
  | left {p p' : P} {q : Q} : p ⟶ p' → SumMove (p, q) (p', q)
  | right {p : P} {q q' : Q} : q ⟶ q' → SumMove (p, q) (p, q')

instance : Game (P × Q) where
  move := SumMove
  rank x := rank x.1 + rank x.2
  rank_lt h := by
    cases h with
    | left h => have := rank_lt h; simp only; omega
    | right h => have := rank_lt h; simp only; omega

theorem lose_sum {p : P} {q : Q} (hp : Lose p) (hq : Lose q) : Lose (p, q) := by
  intro x hx
  cases hx with
  | @left _ p' _ h =>
    obtain ⟨p'', h', hl⟩ := (win_iff p').mp (hp p' h)
    have := rank_lt h
    have := rank_lt h'
    exact (win_iff _).mpr ⟨(p'', q), .left h', lose_sum hl hq⟩
  | @right _ _ q' h =>
    obtain ⟨q'', h', hl⟩ := (win_iff q').mp (hq q' h)
    have := rank_lt h
    have := rank_lt h'
    exact (win_iff _).mpr ⟨(p, q''), .right h', lose_sum hp hl⟩
termination_by rank p + rank q

theorem win_sum_left {p : P} {q : Q} (hp : Win p) (hq : Lose q) : Win (p, q) := by
  obtain ⟨p', h, hl⟩ := (win_iff p).mp hp
  exact (win_iff _).mpr ⟨(p', q), .left h, lose_sum hl hq⟩

/-- The second player wins a doubled game by mirroring. -/
theorem lose_double (p : P) : Lose (p, p) := by
  intro x hx
  cases hx with
  | @left _ p' _ h =>
    have := rank_lt h
    exact (win_iff _).mpr ⟨(p', p'), .right h, lose_double p'⟩
  | @right _ _ p' h =>
    have := rank_lt h
    exact (win_iff _).mpr ⟨(p', p'), .left h, lose_double p'⟩
termination_by rank p

end Game

open Game

/-! ## The subtraction game: take between `1` and `k` tokens -/

structure Pile (k : Nat) where
  size : Nat

namespace Pile

variable {k : Nat}

instance : Game (Pile k) where
  move p q := q.size < p.size ∧ p.size ≤ q.size + k
  rank p := p.size
  rank_lt h := h.1

theorem stuck_iff (hk : 0 < k) (p : Pile k) : (∀ q, ¬ p ⟶ q) ↔ p.size = 0 := by
  refine ⟨fun h => ?_, fun h q hq => by have := hq.1; omega⟩
  have := h ⟨p.size - 1⟩
  simp only [move] at this
  omega

theorem lose_iff (p : Pile k) : Lose p ↔ p.size % (k + 1) = 0 := by
  refine lose_iff_of_kernel (fun p => p.size % (k + 1) = 0) ?_ ?_ p
  · intro p q hp hpq hq
    obtain ⟨h₁, h₂⟩ := hpq
    obtain ⟨a, ha⟩ := Nat.dvd_of_mod_eq_zero hp
    obtain ⟨b, hb⟩ := Nat.dvd_of_mod_eq_zero hq
    have hlt : b < a := Nat.lt_of_mul_lt_mul_left (a := k + 1) (by omega)
    have := Nat.mul_le_mul_left (k + 1) (Nat.succ_le_of_lt hlt)
    rw [Nat.mul_succ] at this
    omega
  · intro p hp
    refine ⟨⟨p.size - p.size % (k + 1)⟩, ?_, ?_⟩
    · have := Nat.mod_lt p.size (show k + 1 > 0 by omega)
      have := Nat.mod_le p.size (k + 1)
      constructor <;> simp only <;> omega
    · have := Nat.div_add_mod p.size (k + 1)
      have h : p.size - p.size % (k + 1) = (k + 1) * (p.size / (k + 1)) := by omega
      simp only [h, Nat.mul_mod_right]

end Pile

/-! ## Nim: take as many tokens as you like, from one heap -/

structure Heap where
  size : Nat

instance : Game Heap where
  move p q := q.size < p.size
  rank p := p.size
  rank_lt h := h

namespace Heap

theorem lose_iff (p : Heap) : Lose p ↔ p.size = 0 := by
  refine lose_iff_of_kernel (fun p => p.size = 0) ?_ (fun p hp => ?_) p
  · intro p q hp hpq _
    exact absurd (hp ▸ hpq : q.size < 0) (Nat.not_lt_zero _)
  · exact ⟨⟨0⟩, Nat.pos_of_ne_zero hp, rfl⟩

theorem two_heaps (p q : Heap) : Lose (p, q) ↔ p.size = q.size := by
  constructor
  · intro h
    rcases Nat.lt_trichotomy p.size q.size with hlt | heq | hgt
    · exact absurd (lose_double p) (not_lose_of_win (h (p, p) (.right hlt)))
    · exact heq
    · exact absurd (lose_double q) (not_lose_of_win (h (q, q) (.left hgt)))
  · intro h
    obtain ⟨n⟩ := p
    cases h
    exact lose_double _

end Heap
