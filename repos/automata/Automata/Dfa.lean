import Automata.Star

/-!
Deterministic automata: runs, complement and product, morphisms, and the congruence of states.

The set of states need not be finite; what is said here does not depend on it.
-/

namespace Automata

/-- A deterministic automaton with states `σ` over the alphabet `α`. -/
structure Dfa (α σ : Type) where
  start : σ
  next : σ → α → σ
  final : σ → Prop

namespace Dfa

variable {α β σ τ ρ : Type}

/-- The state that a word leads to. -/
def run (A : Dfa α σ) (q : σ) : Word α → σ
  | [] => q
  | a :: w => run A (A.next q a) w

/-- The words that lead from `q` to a final state. -/
def accepted (A : Dfa α σ) (q : σ) : Lang α := fun w => A.final (A.run q w)

def lang (A : Dfa α σ) : Lang α := A.accepted A.start

def complement (A : Dfa α σ) : Dfa α σ where
  start := A.start
  next := A.next
  final q := ¬ A.final q

/-- Both automata side by side; `both` says which pairs of answers are final. -/
def product (both : Prop → Prop → Prop) (A : Dfa α σ) (B : Dfa α τ) : Dfa α (σ × τ) where
  start := (A.start, B.start)
  next q a := (A.next q.1 a, B.next q.2 a)
  final q := both (A.final q.1) (B.final q.2)

/-- The same automaton with another state to begin with. -/
def restart (A : Dfa α σ) (q : σ) : Dfa α σ where
  start := q
  next := A.next
  final := A.final

/-- Read every letter through `f`. -/
def relabel (f : β → α) (A : Dfa α σ) : Dfa β σ where
  start := A.start
  next q b := A.next q (f b)
  final := A.final

def Reachable (A : Dfa α σ) (q : σ) : Prop := ∃ w, A.run A.start w = q

/-- From both states the same words are accepted. -/
def Equivalent (A : Dfa α σ) (p q : σ) : Prop := ∀ w, A.accepted p w ↔ A.accepted q w

/-- A map of states that respects the start, the steps and the final states. -/
structure IsMorphism (A : Dfa α σ) (B : Dfa α τ) (f : σ → τ) : Prop where
  start : f A.start = B.start
  next : ∀ q a, f (A.next q a) = B.next (f q) a
  final : ∀ q, A.final q ↔ B.final (f q)

/-- A language that some automaton accepts with states in `σ`. -/
def Recognised (σ : Type) (L : Lang α) : Prop := ∃ A : Dfa α σ, A.lang = L

section Runs

theorem run_nil (A : Dfa α σ) (q : σ) : A.run q [] = q := by
  rfl

theorem run_append (A : Dfa α σ) (q : σ) (u v : Word α) : A.run q (u ++ v) = A.run (A.run q u) v := by
  induction u generalizing q with
  | nil => rfl
  | cons a u ih =>
    rw [List.cons_append, run, run]
    exact ih (A.next q a)

theorem run_concat (A : Dfa α σ) (q : σ) (w : Word α) (a : α) :
    A.run q (w ++ [a]) = A.next (A.run q w) a := by
  rw [run_append]
  rfl

/-- A word that loops at a state can be pumped. -/
theorem run_power (A : Dfa α σ) (q : σ) (w : Word α) (h : A.run q w = q) (n : Nat) :
    A.run q (w.power n) = q := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Word.power, run_append, h, ih]

theorem run_eq_foldl (A : Dfa α σ) (q : σ) (w : Word α) : A.run q w = w.foldl A.next q := by
  sorry

/-- What holds at first and is kept by each letter holds after each word. -/
theorem run_invariant (A : Dfa α σ) (P : σ → Prop) (hs : ∀ q a, P q → P (A.next q a)) (q : σ) (w : Word α)
    (hq : P q) : P (A.run q w) := by
  induction w generalizing q with
  | nil => exact hq
  | cons a w ih =>
    apply ih
    exact hs q a hq

theorem accepted_append (A : Dfa α σ) (q : σ) (u v : Word α) :
    A.accepted q (u ++ v) ↔ A.accepted (A.run q u) v := by
  unfold accepted
  rw [run_append]

theorem accepted_quot (A : Dfa α σ) (q : σ) (u : Word α) :
    Lang.quot u (A.accepted q) = A.accepted (A.run q u) := by
  apply Lang.ext
  intro v
  exact accepted_append A q u v

theorem pump (A : Dfa α σ) (x y z : Word α) (h : A.run A.start (x ++ y) = A.run A.start x)
    (hw : A.lang (x ++ y ++ z)) (n : Nat) : A.lang (x ++ y.power n ++ z) := by
  sorry

end Runs

section Constructions

theorem run_complement (A : Dfa α σ) (q : σ) (w : Word α) : A.complement.run q w = A.run q w := by
  induction w generalizing q with
  | nil => rfl
  | cons a w ih => exact ih (A.next q a)

theorem lang_complement (A : Dfa α σ) : A.complement.lang = Lang.compl A.lang := by
  funext w
  unfold lang accepted Lang.compl
  rw [run_complement]
  rfl

theorem run_product (both : Prop → Prop → Prop) (A : Dfa α σ) (B : Dfa α τ) (p : σ) (q : τ) (w : Word α) :
    (product both A B).run (p, q) w = (A.run p w, B.run q w) := by
  induction w generalizing p q with
  | nil => rfl
  | cons a w ih => exact ih (A.next p a) (B.next q a)

theorem lang_product (both : Prop → Prop → Prop) (A : Dfa α σ) (B : Dfa α τ) (w : Word α) :
    (product both A B).lang w ↔ both (A.lang w) (B.lang w) := by
  unfold lang accepted
  have h := run_product both A B A.start B.start w
  show (product both A B).final ((product both A B).run (A.start, B.start) w) ↔ _
  rw [h]
  exact Iff.rfl

theorem lang_product_and (A : Dfa α σ) (B : Dfa α τ) : (product And A B).lang = Lang.meet A.lang B.lang := by
  apply Lang.ext
  intro w
  rw [lang_product]
  exact Iff.rfl

theorem lang_product_or (A : Dfa α σ) (B : Dfa α τ) : (product Or A B).lang = Lang.union A.lang B.lang := by
  apply Lang.ext
  intro w
  rw [lang_product]
  exact Iff.rfl

theorem recognised_compl {L : Lang α} (h : Recognised σ L) : Recognised σ (Lang.compl L) := by
  obtain ⟨A, hA⟩ := h
  refine ⟨A.complement, ?_⟩
  rw [lang_complement, hA]

theorem recognised_meet {L M : Lang α} (hL : Recognised σ L) (hM : Recognised τ M) :
    Recognised (σ × τ) (Lang.meet L M) := by
  sorry

theorem run_restart (A : Dfa α σ) (p q : σ) (w : Word α) : (A.restart p).run q w = A.run q w := by
  induction w generalizing q with
  | nil => rfl
  | cons a w ih => exact ih (A.next q a)

theorem recognised_quot {L : Lang α} (h : Recognised σ L) (u : Word α) : Recognised σ (Lang.quot u L) := by
  obtain ⟨A, hA⟩ := h
  refine ⟨A.restart (A.run A.start u), ?_⟩
  rw [← hA]
  unfold lang
  rw [accepted_quot]
  funext w
  unfold accepted
  rw [run_restart]
  rfl

theorem run_relabel (f : β → α) (A : Dfa α σ) (q : σ) (w : Word β) :
    (A.relabel f).run q w = A.run q (w.map f) := by
  induction w generalizing q with
  | nil => rfl
  | cons b w ih =>
    rw [List.map_cons, run, run]
    exact ih (A.next q (f b))

theorem lang_relabel (f : β → α) (A : Dfa α σ) (w : Word β) : (A.relabel f).lang w ↔ A.lang (w.map f) := by
  unfold lang accepted
  rw [run_relabel]
  exact Iff.rfl

/-- The automaton whose states are languages, which derives by each letter. -/
def ofLang (L : Lang α) : Dfa α (Lang α) where
  start := L
  next M a := Lang.quot [a] M
  final M := M []

theorem run_ofLang (L M : Lang α) (w : Word α) : (ofLang L).run M w = Lang.quot w M := by
  induction w generalizing M with
  | nil => rfl
  | cons a w ih =>
    rw [run, ih]
    rfl

theorem lang_ofLang (L : Lang α) : (ofLang L).lang = L := by
  sorry

theorem sub_lang_iff (A : Dfa α σ) (B : Dfa α τ) :
    Lang.Sub A.lang B.lang ↔ Lang.meet A.lang B.complement.lang = Lang.void := by
  rw [lang_complement, ← Lang.sub_compl_iff, Lang.compl_compl]

end Constructions

section Reachability

theorem reachable_start (A : Dfa α σ) : A.Reachable A.start := by
  exists []

theorem reachable_next (A : Dfa α σ) {q : σ} (h : A.Reachable q) (a : α) : A.Reachable (A.next q a) := by
  obtain ⟨w, hw⟩ := h
  refine ⟨w ++ [a], ?_⟩
  rw [run_concat, hw]

theorem reachable_run (A : Dfa α σ) {q : σ} (h : A.Reachable q) (w : Word α) : A.Reachable (A.run q w) := by
  obtain ⟨u, hu⟩ := h
  refine ⟨u ++ w, ?_⟩
  rw [run_append, hu]

/-- Reachability is the least property that holds at the start and is kept by the steps. -/
theorem reachable_iff_all (A : Dfa α σ) (q : σ) :
    A.Reachable q ↔ ∀ P : σ → Prop, P A.start → (∀ p a, P p → P (A.next p a)) → P q := by
  constructor
  · rintro ⟨w, hw⟩ P h0 hs
    rw [← hw]
    exact run_invariant A P hs A.start w h0
  · intro h
    apply h
    · exact reachable_start A
    · intro p a hp
      exact reachable_next A hp a

theorem lang_eq_void_iff (A : Dfa α σ) : A.lang = Lang.void ↔ ∀ q, A.Reachable q → ¬ A.final q := by
  constructor
  · rintro h q ⟨w, hw⟩ hf
    have hl : A.lang w := by
      unfold lang accepted
      rw [hw]
      exact hf
    rw [h] at hl
    exact hl
  · intro h
    apply Lang.sub_antisymm
    · intro w hw
      exact h _ ⟨w, rfl⟩ hw
    · intro w hw
      exact hw.elim

theorem lang_eq_of_agree {A B : Dfa α σ} (h0 : A.start = B.start)
    (hs : ∀ q, A.Reachable q → ∀ a, A.next q a = B.next q a)
    (hf : ∀ q, A.Reachable q → (A.final q ↔ B.final q)) : A.lang = B.lang := by
  sorry

end Reachability

section Morphisms

theorem run_morphism {A : Dfa α σ} {B : Dfa α τ} {f : σ → τ} (h : IsMorphism A B f) (q : σ) (w : Word α) :
    f (A.run q w) = B.run (f q) w := by
  induction w generalizing q with
  | nil => rfl
  | cons a w ih => rw [run, run, ih, h.next]

theorem lang_morphism {A : Dfa α σ} {B : Dfa α τ} {f : σ → τ} (h : IsMorphism A B f) : A.lang = B.lang := by
  sorry

theorem morphism_id (A : Dfa α σ) : IsMorphism A A id := by
  constructor
  · rfl
  · intro q a
    rfl
  · intro q
    exact Iff.rfl

theorem morphism_comp {A : Dfa α σ} {B : Dfa α τ} {C : Dfa α ρ} {f : σ → τ} {g : τ → ρ}
    (hf : IsMorphism A B f) (hg : IsMorphism B C g) : IsMorphism A C (g ∘ f) := by
  sorry

/-- Every automaton maps to the one of its language. -/
theorem morphism_to_ofLang (A : Dfa α σ) : IsMorphism A (ofLang A.lang) A.accepted := by
  constructor
  · rfl
  · intro q a
    exact (accepted_quot A q [a]).symm
  · intro q
    exact Iff.rfl

theorem morphism_reachable {A : Dfa α σ} {B : Dfa α τ} {f : σ → τ} (h : IsMorphism A B f) (p : τ) :
    B.Reachable p ↔ ∃ q, A.Reachable q ∧ f q = p := by
  sorry

/-- Two morphisms from one automaton agree where it can go. -/
theorem morphism_unique {A : Dfa α σ} {B : Dfa α τ} {f g : σ → τ} (hf : IsMorphism A B f)
    (hg : IsMorphism A B g) (q : σ) (hq : A.Reachable q) : f q = g q := by
  obtain ⟨w, hw⟩ := hq
  rw [← hw, run_morphism hf, run_morphism hg, hf.start, hg.start]

theorem equivalent_refl (A : Dfa α σ) (q : σ) : A.Equivalent q q := by
  intro w
  exact Iff.rfl

theorem equivalent_trans (A : Dfa α σ) {p q r : σ} (h1 : A.Equivalent p q) (h2 : A.Equivalent q r) :
    A.Equivalent p r := by
  intro w
  rw [h1 w, h2 w]

theorem equivalent_next (A : Dfa α σ) {p q : σ} (h : A.Equivalent p q) (a : α) :
    A.Equivalent (A.next p a) (A.next q a) := by
  intro w
  exact h (a :: w)

theorem equivalent_run (A : Dfa α σ) {p q : σ} (h : A.Equivalent p q) (w : Word α) :
    A.Equivalent (A.run p w) (A.run q w) := by
  intro v
  rw [← accepted_append, ← accepted_append]
  exact h (w ++ v)

theorem equivalent_iff_accepted_eq (A : Dfa α σ) (p q : σ) : A.Equivalent p q ↔ A.accepted p = A.accepted q := by
  constructor
  · intro h
    apply Lang.ext
    exact h
  · intro h w
    rw [h]

/-- Equivalence contains every relation that respects final states and steps: the principle of coinduction. -/
theorem equivalent_of_bisimulation (A : Dfa α σ) (R : σ → σ → Prop)
    (hf : ∀ p q, R p q → (A.final p ↔ A.final q)) (hs : ∀ p q a, R p q → R (A.next p a) (A.next q a))
    (p q : σ) (h : R p q) : A.Equivalent p q := by
  sorry

theorem morphism_reflects_equivalent {A : Dfa α σ} {B : Dfa α τ} {f : σ → τ} (h : IsMorphism A B f) (p q : σ) :
    A.Equivalent p q ↔ B.Equivalent (f p) (f q) := by
  have key : ∀ r w, A.accepted r w ↔ B.accepted (f r) w := by
    intro r w
    unfold accepted
    rw [h.final, run_morphism h]
  constructor
  · intro he w
    rw [← key, ← key]
    exact he w
  · intro he w
    rw [key, key]
    exact he w

/-- Words that lead to one state have one future. -/
theorem quot_eq_of_run_eq (A : Dfa α σ) (u v : Word α) (h : A.run A.start u = A.run A.start v) :
    Lang.quot u A.lang = Lang.quot v A.lang := by
  unfold lang
  rw [accepted_quot, accepted_quot, h]

/-- Words with different futures need different states. -/
theorem run_ne_of_separated (A : Dfa α σ) (u v w : Word α) (h1 : A.lang (u ++ w)) (h2 : ¬ A.lang (v ++ w)) :
    A.run A.start u ≠ A.run A.start v := by
  intro h
  apply h2
  have hq := quot_eq_of_run_eq A u v h
  have h3 : Lang.quot u A.lang w := h1
  rw [hq] at h3
  exact h3

end Morphisms

end Dfa

end Automata
