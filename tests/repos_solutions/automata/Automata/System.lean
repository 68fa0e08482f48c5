import Automata.Relation

/-!
Transition systems: reachable states, invariants and how they are shown, deadlock, simulations, products.
-/

namespace Automata

/-- Where a system may begin, and how it may go on. -/
structure System (σ : Type) where
  init : σ → Prop
  next : Rel σ

namespace System

variable {σ τ : Type}

def Reachable (S : System σ) (p : σ) : Prop := ∃ i, S.init i ∧ Rel.Path S.next i p

/-- What holds in every reachable state. -/
def Invariant (S : System σ) (P : σ → Prop) : Prop := ∀ p, S.Reachable p → P p

/-- What holds at first and is kept by every step. -/
structure Inductive (S : System σ) (P : σ → Prop) : Prop where
  base : ∀ p, S.init p → P p
  step : ∀ p q, P p → S.next p q → P q

/-- Every reachable state has a successor. -/
def DeadlockFree (S : System σ) : Prop := ∀ p, S.Reachable p → ∃ q, S.next p q

/-- Only the steps that keep `P`, from the states that have it. -/
def restrict (S : System σ) (P : σ → Prop) : System σ where
  init p := S.init p ∧ P p
  next p q := S.next p q ∧ P q

/-- Two systems of which one moves at a time. -/
def interleave (S : System σ) (T : System τ) : System (σ × τ) where
  init x := S.init x.1 ∧ T.init x.2
  next x y := (S.next x.1 y.1 ∧ x.2 = y.2) ∨ (T.next x.2 y.2 ∧ x.1 = y.1)

/-- Two systems that always move together. -/
def lockstep (S : System σ) (T : System τ) : System (σ × τ) where
  init x := S.init x.1 ∧ T.init x.2
  next x y := S.next x.1 y.1 ∧ T.next x.2 y.2

/-- `f` takes states of `S` to states of `T`; a step of `S` becomes a step of `T` or none. -/
structure Refines (S : System σ) (T : System τ) (f : σ → τ) : Prop where
  init : ∀ p, S.init p → T.init (f p)
  next : ∀ p q, S.Reachable p → S.next p q → f p = f q ∨ T.next (f p) (f q)

section Reachable

theorem reachable_init (S : System σ) {p : σ} (h : S.init p) : S.Reachable p := by
  exact ⟨p, h, Rel.Path.done p⟩

theorem reachable_next (S : System σ) {p q : σ} (hp : S.Reachable p) (h : S.next p q) : S.Reachable q := by
  obtain ⟨i, hi, hip⟩ := hp
  refine ⟨i, hi, ?_⟩
  exact Rel.path_concat hip h

theorem reachable_path (S : System σ) {p q : σ} (hp : S.Reachable p) (h : Rel.Path S.next p q) :
    S.Reachable q := by
  obtain ⟨i, hi, hip⟩ := hp
  exact ⟨i, hi, Rel.path_trans hip h⟩

theorem reachable_cases (S : System σ) {q : σ} (h : S.Reachable q) :
    S.init q ∨ ∃ p, S.Reachable p ∧ S.next p q := by
  obtain ⟨i, hi, hq⟩ := h
  rcases Rel.path_cases_last hq with heq | ⟨p, hp, hpq⟩
  · left
    rw [← heq]
    exact hi
  · right
    exact ⟨p, ⟨i, hi, hp⟩, hpq⟩

theorem reachable_inductive (S : System σ) : S.Inductive S.Reachable := by
  constructor
  · intro p hp
    exact reachable_init S hp
  · intro p q hp h
    exact reachable_next S hp h

theorem invariant_of_inductive {S : System σ} {P : σ → Prop} (h : S.Inductive P) : S.Invariant P := by
  rintro p ⟨i, hi, hp⟩
  apply Rel.path_invariant h.step hp
  exact h.base i hi

/-- Every invariant follows from an inductive one. -/
theorem invariant_iff_exists_inductive (S : System σ) (P : σ → Prop) :
    S.Invariant P ↔ ∃ Q, S.Inductive Q ∧ ∀ p, Q p → P p := by
  constructor
  · intro h
    exact ⟨S.Reachable, reachable_inductive S, h⟩
  · rintro ⟨Q, hQ, hQP⟩ p hp
    apply hQP
    exact invariant_of_inductive hQ p hp

theorem invariant_and {S : System σ} {P Q : σ → Prop} (hP : S.Invariant P) (hQ : S.Invariant Q) :
    S.Invariant (fun p => P p ∧ Q p) := by
  intro p hp
  exact ⟨hP p hp, hQ p hp⟩

theorem invariant_mono {S : System σ} {P Q : σ → Prop} (hP : S.Invariant P) (h : ∀ p, P p → Q p) :
    S.Invariant Q := by
  intro p hp
  apply h
  exact hP p hp

theorem inductive_and {S : System σ} {P Q : σ → Prop} (hP : S.Inductive P) (hQ : S.Inductive Q) :
    S.Inductive (fun p => P p ∧ Q p) := by
  constructor
  · intro p hp
    exact ⟨hP.base p hp, hQ.base p hp⟩
  · rintro p q ⟨h1, h2⟩ h
    exact ⟨hP.step p q h1 h, hQ.step p q h2 h⟩

/-- The second property may use the first one to get over a step. -/
theorem inductive_relative {S : System σ} {P Q : σ → Prop} (hP : S.Inductive P)
    (h0 : ∀ p, S.init p → Q p) (hs : ∀ p q, P p → Q p → S.next p q → Q q) :
    S.Inductive (fun p => P p ∧ Q p) := by
  constructor
  · intro p hp
    exact ⟨hP.base p hp, h0 p hp⟩
  · rintro p q ⟨h1, h2⟩ h
    refine ⟨hP.step p q h1 h, ?_⟩
    exact hs p q h1 h2 h

theorem inductive_all {ι : Type} {S : System σ} {P : ι → σ → Prop} (h : ∀ i, S.Inductive (P i)) :
    S.Inductive (fun p => ∀ i, P i p) := by
  constructor
  · intro p hp i
    exact (h i).base p hp
  · intro p q hp hn i
    exact (h i).step p q (hp i) hn

theorem inductive_exists {ι : Type} {S : System σ} {P : ι → σ → Prop} (i0 : ι) (h : ∀ i, S.Inductive (P i)) :
    S.Inductive (fun p => ∃ i, P i p) := by
  constructor
  · intro p hp
    exact ⟨i0, (h i0).base p hp⟩
  · rintro p q ⟨i, hi⟩ hn
    exact ⟨i, (h i).step p q hi hn⟩

/-- A function of the state that no step changes keeps its value. -/
theorem constant_along (S : System σ) (f : σ → τ) (h : ∀ p q, S.next p q → f p = f q) {p q : σ}
    (hp : Rel.Path S.next p q) : f p = f q := by
  induction hp with
  | done p => rfl
  | step p q t h1 _ ih => rw [h p q h1, ih]

theorem inductive_constant (S : System σ) (f : σ → τ) (c : τ) (h0 : ∀ p, S.init p → f p = c)
    (h : ∀ p q, S.next p q → f p = f q) : S.Inductive (fun p => f p = c) := by
  constructor
  · exact h0
  · intro p q hp hn
    rw [← h p q hn, hp]

theorem not_reachable_of_inductive {S : System σ} {P : σ → Prop} (h : S.Inductive P) {p : σ} (hp : ¬ P p) :
    ¬ S.Reachable p := by
  intro hr
  apply hp
  exact invariant_of_inductive h p hr

/-- Backwards: if no state outside `P` is initial, and what leads out of `P` is outside, then `P` is invariant. -/
theorem invariant_of_backward {S : System σ} {P : σ → Prop} (h0 : ∀ p, ¬ P p → ¬ S.init p)
    (hs : ∀ p q, S.next p q → ¬ P q → ¬ P p) : S.Invariant P := by
  apply invariant_of_inductive
  constructor
  · intro p hp
    apply Classical.byContradiction
    intro hn
    exact h0 p hn hp
  · intro p q hp hn
    apply Classical.byContradiction
    intro hq
    exact hs p q hn hq hp

end Reachable

section Restriction

theorem restrict_path {S : System σ} {P : σ → Prop} {p q : σ} (h : Rel.Path (S.restrict P).next p q) :
    Rel.Path S.next p q := by
  apply Rel.path_mono _ h
  intro x y hxy
  exact hxy.1

theorem reachable_of_restrict {S : System σ} {P : σ → Prop} {p : σ} (h : (S.restrict P).Reachable p) :
    S.Reachable p := by
  obtain ⟨i, hi, hp⟩ := h
  exact ⟨i, hi.1, restrict_path hp⟩

theorem restrict_invariant (S : System σ) (P : σ → Prop) : (S.restrict P).Invariant P := by
  apply invariant_of_inductive
  constructor
  · intro p hp
    exact hp.2
  · intro p q _ h
    exact h.2

/-- What is invariant can be assumed of every state. -/
theorem restrict_reachable_iff {S : System σ} {P : σ → Prop} (hP : S.Invariant P) (p : σ) :
    (S.restrict P).Reachable p ↔ S.Reachable p := by
  constructor
  · intro h
    exact reachable_of_restrict h
  · rintro ⟨i, hi, hp⟩
    have hi' : S.Reachable i := reachable_init S hi
    refine ⟨i, ⟨hi, hP i hi'⟩, ?_⟩
    clear hi
    induction hp with
    | done p => exact Rel.Path.done p
    | step p q t h1 _ ih =>
      have hq := reachable_next S hi' h1
      exact Rel.Path.step p q t ⟨h1, hP q hq⟩ (ih hq)

theorem invariant_restrict_iff {S : System σ} {P : σ → Prop} (hP : S.Invariant P) (Q : σ → Prop) :
    (S.restrict P).Invariant Q ↔ S.Invariant Q := by
  constructor
  · intro h p hp
    apply h
    rw [restrict_reachable_iff hP]
    exact hp
  · intro h p hp
    apply h
    exact reachable_of_restrict hp

end Restriction

section Deadlock

theorem not_stuck_of_deadlockFree {S : System σ} (h : S.DeadlockFree) {p : σ} (hp : S.Reachable p) :
    ¬ Rel.Stuck S.next p := by
  intro hs
  obtain ⟨q, hq⟩ := h p hp
  exact hs q hq

theorem deadlockFree_iff (S : System σ) :
    S.DeadlockFree ↔ S.Invariant (fun p => ¬ Rel.Stuck S.next p) := by
  constructor
  · intro h p hp
    exact not_stuck_of_deadlockFree h hp
  · intro h p hp
    apply Classical.byContradiction
    intro hn
    apply h p hp
    intro q hq
    exact hn ⟨q, hq⟩

/-- A system without deadlock can go on for as many steps as one likes. -/
theorem deadlockFree_steps {S : System σ} (h : S.DeadlockFree) (n : Nat) {p : σ} (hp : S.Reachable p) :
    ∃ q, Rel.Steps S.next n p q := by
  induction n generalizing p with
  | zero => exact ⟨p, Rel.Steps.zero p⟩
  | succ n ih =>
    obtain ⟨q, hq⟩ := h p hp
    obtain ⟨t, ht⟩ := ih (reachable_next S hp hq)
    exact ⟨t, Rel.Steps.succ n p q t hq ht⟩

/-- A system whose steps lower a measure comes to a deadlock. -/
theorem deadlock_of_measure (S : System σ) (f : σ → Nat) (hf : ∀ p q, S.next p q → f q < f p) (i : σ)
    (hi : S.init i) : ¬ S.DeadlockFree := by
  intro h
  obtain ⟨q, hq⟩ := deadlockFree_steps h (f i + 1) (reachable_init S hi)
  have hle := Rel.steps_le_measure f hf hq
  omega

end Deadlock

section Products

theorem interleave_path_left (S : System σ) (T : System τ) {p p' : σ} (h : Rel.Path S.next p p') (q : τ) :
    Rel.Path (interleave S T).next (p, q) (p', q) := by
  apply Rel.path_map (f := fun x => (x, q)) _ h
  intro x y hxy
  left
  exact ⟨hxy, rfl⟩

theorem interleave_path_right (S : System σ) (T : System τ) {q q' : τ} (h : Rel.Path T.next q q') (p : σ) :
    Rel.Path (interleave S T).next (p, q) (p, q') := by
  apply Rel.path_map (f := fun x => (p, x)) _ h
  intro x y hxy
  right
  exact ⟨hxy, rfl⟩

/-- In an interleaving every pair of reachable states is reachable, and no other pair. -/
theorem interleave_reachable_iff (S : System σ) (T : System τ) (p : σ) (q : τ) :
    (interleave S T).Reachable (p, q) ↔ S.Reachable p ∧ T.Reachable q := by
  constructor
  · intro h
    have hi : (interleave S T).Inductive (fun x => S.Reachable x.1 ∧ T.Reachable x.2) := by
      constructor
      · rintro x ⟨h1, h2⟩
        exact ⟨reachable_init S h1, reachable_init T h2⟩
      · rintro x y ⟨h1, h2⟩ (⟨h3, h4⟩ | ⟨h3, h4⟩)
        · rw [← h4]
          exact ⟨reachable_next S h1 h3, h2⟩
        · rw [← h4]
          exact ⟨h1, reachable_next T h2 h3⟩
    exact invariant_of_inductive hi (p, q) h
  · rintro ⟨⟨i, hi, hp⟩, j, hj, hq⟩
    refine ⟨(i, j), ⟨hi, hj⟩, ?_⟩
    apply Rel.path_trans (interleave_path_left S T hp j)
    exact interleave_path_right S T hq p

theorem lockstep_inductive {S : System σ} {T : System τ} {P : σ → Prop} {Q : τ → Prop} (hP : S.Inductive P)
    (hQ : T.Inductive Q) : (lockstep S T).Inductive (fun x => P x.1 ∧ Q x.2) := by
  constructor
  · rintro x ⟨h1, h2⟩
    exact ⟨hP.base _ h1, hQ.base _ h2⟩
  · rintro x y ⟨h1, h2⟩ ⟨h3, h4⟩
    exact ⟨hP.step _ _ h1 h3, hQ.step _ _ h2 h4⟩

theorem lockstep_steps {S : System σ} {T : System τ} {n : Nat} {p p' : σ} {q q' : τ}
    (h1 : Rel.Steps S.next n p p') (h2 : Rel.Steps T.next n q q') :
    Rel.Steps (lockstep S T).next n (p, q) (p', q') := by
  induction h1 generalizing q with
  | zero p =>
    cases h2
    exact Rel.Steps.zero _
  | succ n p t p' h _ ih =>
    cases h2 with
    | succ _ _ u _ h3 h4 => exact Rel.Steps.succ n (p, q) (t, u) (p', q') ⟨h, h3⟩ (ih h4)

theorem lockstep_steps_split {S : System σ} {T : System τ} {n : Nat} {x y : σ × τ}
    (h : Rel.Steps (lockstep S T).next n x y) : Rel.Steps S.next n x.1 y.1 ∧ Rel.Steps T.next n x.2 y.2 := by
  induction h with
  | zero x => exact ⟨Rel.Steps.zero _, Rel.Steps.zero _⟩
  | succ n x z y h _ ih =>
    constructor
    · exact Rel.Steps.succ n _ z.1 _ h.1 ih.1
    · exact Rel.Steps.succ n _ z.2 _ h.2 ih.2

theorem lockstep_path_left {S : System σ} {T : System τ} {x y : σ × τ}
    (h : Rel.Path (lockstep S T).next x y) : Rel.Path S.next x.1 y.1 := by
  apply Rel.path_map (f := Prod.fst) _ h
  intro u v huv
  exact huv.1

end Products

section Refinement

theorem refines_reachable {S : System σ} {T : System τ} {f : σ → τ} (h : Refines S T f) {p : σ}
    (hp : S.Reachable p) : T.Reachable (f p) := by
  have hi : S.Inductive (fun p => S.Reachable p ∧ T.Reachable (f p)) := by
    constructor
    · intro p hp
      exact ⟨reachable_init S hp, reachable_init T (h.init p hp)⟩
    · rintro p q ⟨h1, h2⟩ hn
      refine ⟨reachable_next S h1 hn, ?_⟩
      cases h.next p q h1 hn with
      | inl he =>
        rw [← he]
        exact h2
      | inr ht => exact reachable_next T h2 ht
  exact (invariant_of_inductive hi p hp).2

/-- Invariants come back along a refinement. -/
theorem invariant_of_refines {S : System σ} {T : System τ} {f : σ → τ} (h : Refines S T f) {P : τ → Prop}
    (hP : T.Invariant P) : S.Invariant (fun p => P (f p)) := by
  intro p hp
  apply hP
  exact refines_reachable h hp

theorem refines_id (S : System σ) : Refines S S id := by
  constructor
  · intro p hp
    exact hp
  · intro p q _ h
    right
    exact h

theorem refines_comp {ρ : Type} {S : System σ} {T : System τ} {U : System ρ} {f : σ → τ} {g : τ → ρ}
    (h1 : Refines S T f) (h2 : Refines T U g) : Refines S U (g ∘ f) := by
  constructor
  · intro p hp
    apply h2.init
    exact h1.init p hp
  · intro p q hp hn
    simp only [Function.comp_apply]
    cases h1.next p q hp hn with
    | inl he =>
      left
      rw [he]
    | inr ht => exact h2.next _ _ (refines_reachable h1 hp) ht

theorem refines_interleave_left (S : System σ) (T : System τ) : Refines (interleave S T) S Prod.fst := by
  constructor
  · intro x hx
    exact hx.1
  · rintro x y _ (⟨h1, _⟩ | ⟨_, h2⟩)
    · right
      exact h1
    · left
      exact h2

theorem refines_restrict (S : System σ) (P : σ → Prop) : Refines (S.restrict P) S id := by
  constructor
  · intro p hp
    exact hp.1
  · intro p q _ h
    right
    exact h.1

end Refinement

end System

end Automata
