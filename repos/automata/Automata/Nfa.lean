import Automata.Relation
import Automata.Dfa

/-!
Nondeterministic automata: runs as an inductive relation, the subset construction, reversal, union,
and simulations between automata.
-/

namespace Automata

/-- A nondeterministic automaton: any number of states to begin with, and any number of successors. -/
structure Nfa (α σ : Type) where
  start : σ → Prop
  step : σ → α → σ → Prop
  final : σ → Prop

namespace Nfa

variable {α σ τ : Type}

/-- `Run A p w q`: the word `w` can lead from `p` to `q`. -/
inductive Run (A : Nfa α σ) : σ → Word α → σ → Prop where
  | nil (p : σ) : Run A p [] p
  | cons (p q t : σ) (a : α) (w : Word α) (h : A.step p a q) (rest : Run A q w t) : Run A p (a :: w) t

def lang (A : Nfa α σ) : Lang α := fun w => ∃ p q, A.start p ∧ A.Run p w q ∧ A.final q

/-- The automaton that goes through everything backwards. -/
def backwards (A : Nfa α σ) : Nfa α σ where
  start := A.final
  step p a q := A.step q a p
  final := A.start

/-- A deterministic automaton is a nondeterministic one. -/
def ofDfa (A : Dfa α σ) : Nfa α σ where
  start q := q = A.start
  step p a q := A.next p a = q
  final := A.final

/-- The states that one of `P` reaches by `a`. -/
def image (A : Nfa α σ) (P : σ → Prop) (a : α) : σ → Prop := fun q => ∃ p, P p ∧ A.step p a q

/-- The subset construction: its states are sets of states. -/
def subsets (A : Nfa α σ) : Dfa α (σ → Prop) where
  start := A.start
  next := A.image
  final P := ∃ q, P q ∧ A.final q

/-- Both automata beside each other. -/
def union (A : Nfa α σ) (B : Nfa α τ) : Nfa α (σ ⊕ τ) where
  start
    | .inl p => A.start p
    | .inr p => B.start p
  step
    | .inl p, a, .inl q => A.step p a q
    | .inr p, a, .inr q => B.step p a q
    | _, _, _ => False
  final
    | .inl p => A.final p
    | .inr p => B.final p

/-- Steps by any letter. -/
def edge (A : Nfa α σ) : Rel σ := fun p q => ∃ a, A.step p a q

/-- `B` can answer every step of `A`. -/
structure Simulates (A : Nfa α σ) (B : Nfa α τ) (R : σ → τ → Prop) : Prop where
  start : ∀ p, A.start p → ∃ q, B.start q ∧ R p q
  step : ∀ p q a p', R p q → A.step p a p' → ∃ q', B.step q a q' ∧ R p' q'
  final : ∀ p q, R p q → A.final p → B.final q

/-- At most one start, and at most one successor by each letter. -/
def Unambiguous (A : Nfa α σ) : Prop :=
  (∀ p q, A.start p → A.start q → p = q) ∧ ∀ p a q t, A.step p a q → A.step p a t → q = t

section Runs

theorem run_nil_iff (A : Nfa α σ) (p q : σ) : A.Run p [] q ↔ p = q := by
  constructor
  · intro h
    cases h
    rfl
  · intro h
    rw [h]
    exact Run.nil q

theorem run_cons_iff (A : Nfa α σ) (p t : σ) (a : α) (w : Word α) :
    A.Run p (a :: w) t ↔ ∃ q, A.step p a q ∧ A.Run q w t := by
  constructor
  · intro h
    cases h with
    | cons _ q _ _ _ h1 h2 => exact ⟨q, h1, h2⟩
  · rintro ⟨q, h1, h2⟩
    exact Run.cons p q t a w h1 h2

theorem run_single_iff (A : Nfa α σ) (p q : σ) (a : α) : A.Run p [a] q ↔ A.step p a q := by
  rw [run_cons_iff]
  constructor
  · rintro ⟨t, h1, h2⟩
    rw [run_nil_iff] at h2
    rw [← h2]
    exact h1
  · intro h
    exact ⟨q, h, Run.nil q⟩

theorem run_append_intro (A : Nfa α σ) {p q t : σ} {u v : Word α} (h1 : A.Run p u q) (h2 : A.Run q v t) :
    A.Run p (u ++ v) t := by
  induction h1 with
  | nil p => exact h2
  | cons p p' q a w h _ ih => exact Run.cons p p' t a (w ++ v) h (ih h2)

theorem run_append_iff (A : Nfa α σ) (p t : σ) (u v : Word α) :
    A.Run p (u ++ v) t ↔ ∃ q, A.Run p u q ∧ A.Run q v t := by
  constructor
  · intro h
    induction u generalizing p with
    | nil => exact ⟨p, Run.nil p, h⟩
    | cons a u ih =>
      rw [List.cons_append, run_cons_iff] at h
      obtain ⟨p', h1, h2⟩ := h
      obtain ⟨q, h3, h4⟩ := ih p' h2
      exact ⟨q, Run.cons p p' q a u h1 h3, h4⟩
  · rintro ⟨q, h1, h2⟩
    exact run_append_intro A h1 h2

theorem run_concat_iff (A : Nfa α σ) (p t : σ) (w : Word α) (a : α) :
    A.Run p (w ++ [a]) t ↔ ∃ q, A.Run p w q ∧ A.step q a t := by
  rw [run_append_iff]
  constructor
  · rintro ⟨q, h1, h2⟩
    rw [run_single_iff] at h2
    exact ⟨q, h1, h2⟩
  · rintro ⟨q, h1, h2⟩
    rw [← run_single_iff] at h2
    exact ⟨q, h1, h2⟩

theorem path_of_run (A : Nfa α σ) {p q : σ} {w : Word α} (h : A.Run p w q) : Rel.Path A.edge p q := by
  induction h with
  | nil p => exact Rel.Path.done p
  | cons p q t a w h1 _ ih => exact Rel.Path.step p q t ⟨a, h1⟩ ih

theorem path_edge_iff (A : Nfa α σ) (p q : σ) : Rel.Path A.edge p q ↔ ∃ w, A.Run p w q := by
  sorry

theorem steps_of_run (A : Nfa α σ) {p q : σ} {w : Word α} (h : A.Run p w q) :
    Rel.Steps A.edge w.length p q := by
  induction h with
  | nil p => exact Rel.Steps.zero p
  | cons p q t a w h1 _ ih => exact Rel.Steps.succ w.length p q t ⟨a, h1⟩ ih

theorem run_power (A : Nfa α σ) {p : σ} {w : Word α} (h : A.Run p w p) (n : Nat) : A.Run p (w.power n) p := by
  induction n with
  | zero => exact Run.nil p
  | succ n ih =>
    rw [Word.power]
    exact run_append_intro A h ih

theorem pump (A : Nfa α σ) {p q t : σ} {x y z : Word α} (hp : A.start p) (hx : A.Run p x q) (hy : A.Run q y q)
    (hz : A.Run q z t) (ht : A.final t) (n : Nat) : A.lang (x ++ (y.power n ++ z)) := by
  sorry

/-- A run that ends where it has lost a property has lost it by some letter. -/
theorem run_loses (A : Nfa α σ) {P : σ → Prop} {p t : σ} {w : Word α} (h : A.Run p w t) (hp : P p)
    (ht : ¬ P t) : ∃ q a q', A.step q a q' ∧ P q ∧ ¬ P q' := by
  obtain ⟨q, q', _, ⟨a, ha⟩, h1, h2⟩ := Rel.exists_step_that_loses (path_of_run A h) hp ht
  exact ⟨q, a, q', ha, h1, h2⟩

theorem lang_nil_iff (A : Nfa α σ) : A.lang [] ↔ ∃ p, A.start p ∧ A.final p := by
  sorry

end Runs

section Backwards

theorem run_backwards (A : Nfa α σ) {p q : σ} {w : Word α} (h : A.Run p w q) : A.backwards.Run q w.reverse p := by
  induction h with
  | nil p => exact Run.nil p
  | cons p q t a w h1 _ ih =>
    rw [List.reverse_cons]
    apply run_append_intro _ ih
    rw [run_single_iff]
    exact h1

theorem run_backwards_iff (A : Nfa α σ) (p q : σ) (w : Word α) :
    A.backwards.Run q w p ↔ A.Run p w.reverse q := by
  constructor
  · intro h
    exact run_backwards A.backwards h
  · intro h
    have h1 := run_backwards A h
    rw [List.reverse_reverse] at h1
    exact h1

theorem lang_backwards (A : Nfa α σ) : A.backwards.lang = Lang.reversal A.lang := by
  apply Lang.ext
  intro w
  constructor
  · rintro ⟨p, q, h1, h2, h3⟩
    rw [run_backwards_iff] at h2
    exact ⟨q, p, h3, h2, h1⟩
  · rintro ⟨p, q, h1, h2, h3⟩
    rw [← run_backwards_iff] at h2
    exact ⟨q, p, h3, h2, h1⟩

theorem reach_backwards (A : Nfa α σ) (p q : σ) :
    Rel.Path A.backwards.edge q p ↔ Rel.Path A.edge p q := by
  have h : A.backwards.edge = Rel.converse A.edge := rfl
  rw [h, Rel.path_converse_iff]

end Backwards

section Subsets

theorem run_subsets (A : Nfa α σ) (P : σ → Prop) (w : Word α) (q : σ) :
    A.subsets.run P w q ↔ ∃ p, P p ∧ A.Run p w q := by
  induction w generalizing P with
  | nil =>
    rw [Dfa.run_nil]
    constructor
    · intro h
      exact ⟨q, h, Run.nil q⟩
    · rintro ⟨p, h1, h2⟩
      rw [run_nil_iff] at h2
      rw [← h2]
      exact h1
  | cons a w ih =>
    rw [Dfa.run, ih]
    constructor
    · rintro ⟨t, ⟨p, hp, hpt⟩, ht⟩
      exact ⟨p, hp, Run.cons p t q a w hpt ht⟩
    · rintro ⟨p, hp, hw⟩
      rw [run_cons_iff] at hw
      obtain ⟨t, h1, h2⟩ := hw
      exact ⟨t, ⟨p, hp, h1⟩, h2⟩

/-- The subset construction accepts the same words. -/
theorem lang_subsets (A : Nfa α σ) : A.subsets.lang = A.lang := by
  apply Lang.ext
  intro w
  constructor
  · rintro ⟨q, hq, hf⟩
    rw [run_subsets] at hq
    obtain ⟨p, hp, hw⟩ := hq
    exact ⟨p, q, hp, hw, hf⟩
  · rintro ⟨p, q, hp, hw, hf⟩
    refine ⟨q, ?_, hf⟩
    rw [run_subsets]
    exact ⟨p, hp, hw⟩

theorem image_mono (A : Nfa α σ) {P Q : σ → Prop} (h : ∀ p, P p → Q p) (a : α) (q : σ) (hq : A.image P a q) :
    A.image Q a q := by
  obtain ⟨p, hp, hs⟩ := hq
  exact ⟨p, h p hp, hs⟩

theorem image_empty (A : Nfa α σ) (a : α) : A.image (fun _ => False) a = fun _ => False := by
  sorry

theorem subsets_empty_dead (A : Nfa α σ) : A.subsets.accepted (fun _ => False) = Lang.void := by
  apply Lang.sub_antisymm
  · rintro w ⟨q, hq, _⟩
    rw [run_subsets] at hq
    obtain ⟨p, hp, _⟩ := hq
    exact hp
  · intro w hw
    exact hw.elim

theorem run_ofDfa_iff (A : Dfa α σ) (p q : σ) (w : Word α) : (ofDfa A).Run p w q ↔ A.run p w = q := by
  induction w generalizing p with
  | nil => rw [run_nil_iff, Dfa.run_nil]
  | cons a w ih =>
    rw [run_cons_iff, Dfa.run]
    constructor
    · rintro ⟨t, h1, h2⟩
      rw [ih] at h2
      have h3 : A.next p a = t := h1
      rw [h3]
      exact h2
    · intro h
      refine ⟨A.next p a, rfl, ?_⟩
      rw [ih]
      exact h

theorem lang_ofDfa (A : Dfa α σ) : (ofDfa A).lang = A.lang := by
  apply Lang.ext
  intro w
  constructor
  · rintro ⟨p, q, hp, hw, hq⟩
    rw [run_ofDfa_iff, hp] at hw
    unfold Dfa.lang Dfa.accepted
    rw [hw]
    exact hq
  · intro h
    refine ⟨A.start, A.run A.start w, rfl, ?_, h⟩
    rw [run_ofDfa_iff]

theorem unambiguous_ofDfa (A : Dfa α σ) : (ofDfa A).Unambiguous := by
  constructor
  · intro p q hp hq
    have h1 : p = A.start := hp
    have h2 : q = A.start := hq
    rw [h1, h2]
  · intro p a q t hq ht
    have h1 : A.next p a = q := hq
    have h2 : A.next p a = t := ht
    rw [← h1, h2]

theorem run_unambiguous {A : Nfa α σ} (hA : A.Unambiguous) {p q t : σ} {w : Word α} (h1 : A.Run p w q)
    (h2 : A.Run p w t) : q = t := by
  sorry

/-- Deterministic automata are enough: the reversal of what one accepts, another accepts. -/
theorem recognised_reversal (A : Dfa α σ) : Dfa.Recognised (σ → Prop) (Lang.reversal A.lang) := by
  sorry

theorem recognised_of_nfa (A : Nfa α σ) : Dfa.Recognised (σ → Prop) A.lang := by
  refine ⟨A.subsets, ?_⟩
  exact lang_subsets A

end Subsets

section Union

theorem run_union_inl (A : Nfa α σ) (B : Nfa α τ) {p q : σ} {w : Word α} (h : A.Run p w q) :
    (union A B).Run (.inl p) w (.inl q) := by
  induction h with
  | nil p => exact Run.nil _
  | cons p q t a w h1 _ ih => exact Run.cons (Sum.inl p) (Sum.inl q) (Sum.inl t) a w h1 ih

theorem run_union_inr (A : Nfa α σ) (B : Nfa α τ) {p q : τ} {w : Word α} (h : B.Run p w q) :
    (union A B).Run (.inr p) w (.inr q) := by
  induction h with
  | nil p => exact Run.nil _
  | cons p q t a w h1 _ ih => exact Run.cons (Sum.inr p) (Sum.inr q) (Sum.inr t) a w h1 ih

theorem run_union_from_inl (A : Nfa α σ) (B : Nfa α τ) {p : σ} {x : σ ⊕ τ} {w : Word α}
    (h : (union A B).Run (.inl p) w x) : ∃ q, x = .inl q ∧ A.Run p w q := by
  induction w generalizing p with
  | nil =>
    rw [run_nil_iff] at h
    exact ⟨p, h.symm, Run.nil p⟩
  | cons a w ih =>
    rw [run_cons_iff] at h
    obtain ⟨y, h1, h2⟩ := h
    cases y with
    | inl p' =>
      obtain ⟨q, hq, hr⟩ := ih h2
      exact ⟨q, hq, Run.cons p p' q a w h1 hr⟩
    | inr p' => exact h1.elim

theorem run_union_from_inr (A : Nfa α σ) (B : Nfa α τ) {p : τ} {x : σ ⊕ τ} {w : Word α}
    (h : (union A B).Run (.inr p) w x) : ∃ q, x = .inr q ∧ B.Run p w q := by
  induction w generalizing p with
  | nil =>
    rw [run_nil_iff] at h
    exact ⟨p, h.symm, Run.nil p⟩
  | cons a w ih =>
    rw [run_cons_iff] at h
    obtain ⟨y, h1, h2⟩ := h
    cases y with
    | inl p' => exact h1.elim
    | inr p' =>
      obtain ⟨q, hq, hr⟩ := ih h2
      exact ⟨q, hq, Run.cons p p' q a w h1 hr⟩

theorem lang_union (A : Nfa α σ) (B : Nfa α τ) : (union A B).lang = Lang.union A.lang B.lang := by
  sorry

end Union

section Simulation

variable {ρ : Type}

theorem run_simulates {A : Nfa α σ} {B : Nfa α τ} {R : σ → τ → Prop} (h : Simulates A B R) {p p' : σ} {q : τ}
    {w : Word α} (hpq : R p q) (hr : A.Run p w p') : ∃ q', B.Run q w q' ∧ R p' q' := by
  induction hr generalizing q with
  | nil p => exact ⟨q, Run.nil q, hpq⟩
  | cons p t p' a w h1 _ ih =>
    obtain ⟨u, hu1, hu2⟩ := h.step p q a t hpq h1
    obtain ⟨q', hq1, hq2⟩ := ih hu2
    exact ⟨q', Run.cons q u q' a w hu1 hq1, hq2⟩

theorem lang_simulates {A : Nfa α σ} {B : Nfa α τ} {R : σ → τ → Prop} (h : Simulates A B R) :
    Lang.Sub A.lang B.lang := by
  rintro w ⟨p, p', h1, h2, h3⟩
  obtain ⟨q, hq1, hq2⟩ := h.start p h1
  obtain ⟨q', hr1, hr2⟩ := run_simulates h hq2 h2
  exact ⟨q, q', hq1, hr1, h.final p' q' hr2 h3⟩

theorem simulates_refl (A : Nfa α σ) : Simulates A A (fun p q => p = q) := by
  constructor
  · intro p hp
    exact ⟨p, hp, rfl⟩
  · intro p q a p' h hs
    rw [h] at hs
    exact ⟨p', hs, rfl⟩
  · intro p q h hp
    rw [← h]
    exact hp

theorem simulates_comp {A : Nfa α σ} {B : Nfa α τ} {C : Nfa α ρ} {R : σ → τ → Prop} {S : τ → ρ → Prop}
    (h1 : Simulates A B R) (h2 : Simulates B C S) : Simulates A C (fun p t => ∃ q, R p q ∧ S q t) := by
  constructor
  · intro p hp
    obtain ⟨q, hq1, hq2⟩ := h1.start p hp
    obtain ⟨t, ht1, ht2⟩ := h2.start q hq1
    exact ⟨t, ht1, q, hq2, ht2⟩
  · rintro p t a p' ⟨q, hpq, hqt⟩ hs
    obtain ⟨q', hq1, hq2⟩ := h1.step p q a p' hpq hs
    obtain ⟨t', ht1, ht2⟩ := h2.step q t a q' hqt hq1
    exact ⟨t', ht1, q', hq2, ht2⟩
  · rintro p t ⟨q, hpq, hqt⟩ hp
    exact h2.final q t hqt (h1.final p q hpq hp)

/-- Being a member simulates the automaton in its subset construction. -/
theorem simulates_subsets (A : Nfa α σ) : Simulates A (ofDfa A.subsets) (fun p P => P p) := by
  sorry

end Simulation

end Nfa

end Automata
