/-!
Relations between states: paths, reachability, counted paths, normal forms and confluence.
-/

namespace Automata

/-- A transition relation. -/
abbrev Rel (σ : Type) := σ → σ → Prop

namespace Rel

variable {σ τ : Type} {r s : Rel σ}

/-- A path of any length, built from its first step. -/
inductive Path (r : Rel σ) : σ → σ → Prop where
  | done (p : σ) : Path r p p
  | step (p q t : σ) (h : r p q) (rest : Path r q t) : Path r p t

/-- A path of exactly `n` steps. -/
inductive Steps (r : Rel σ) : Nat → σ → σ → Prop where
  | zero (p : σ) : Steps r 0 p p
  | succ (n : Nat) (p q t : σ) (h : r p q) (rest : Steps r n q t) : Steps r (n + 1) p t

/-- First a step of `r`, then one of `s`. -/
def comp (r s : Rel σ) : Rel σ := fun p t => ∃ q, r p q ∧ s q t

def converse (r : Rel σ) : Rel σ := fun p q => r q p

def Within (r s : Rel σ) : Prop := ∀ p q, r p q → s p q

/-- At most one successor. -/
def Deterministic (r : Rel σ) : Prop := ∀ p q t, r p q → r p t → q = t

/-- No successor. -/
def Stuck (r : Rel σ) (p : σ) : Prop := ∀ q, ¬ r p q

/-- There is a state that both can reach. -/
def Joinable (r : Rel σ) (p q : σ) : Prop := ∃ t, Path r p t ∧ Path r q t

def Diamond (r : Rel σ) : Prop := ∀ p q t, r p q → r p t → ∃ u, r q u ∧ r t u

def Confluent (r : Rel σ) : Prop := ∀ p q t, Path r p q → Path r p t → Joinable r q t

/-- The states from which every path ends. -/
inductive Ends (r : Rel σ) : σ → Prop where
  | intro (p : σ) (h : ∀ q, r p q → Ends r q) : Ends r p

section Paths

theorem path_single {p q : σ} (h : r p q) : Path r p q := by
  exact Path.step p q q h (Path.done q)

theorem path_trans {p q t : σ} (h1 : Path r p q) (h2 : Path r q t) : Path r p t := by
  induction h1 with
  | done p => exact h2
  | step p p' q h _ ih => exact Path.step p p' t h (ih h2)

theorem path_concat {p q t : σ} (h1 : Path r p q) (h2 : r q t) : Path r p t := by
  apply path_trans h1
  exact path_single h2

/-- A path is empty or has a first step. -/
theorem path_cases_head {p t : σ} (h : Path r p t) : p = t ∨ ∃ q, r p q ∧ Path r q t := by
  cases h with
  | done => exact Or.inl rfl
  | step _ q _ h1 h2 => exact Or.inr ⟨q, h1, h2⟩

theorem path_cases_last {p t : σ} (h : Path r p t) : p = t ∨ ∃ q, Path r p q ∧ r q t := by
  induction h with
  | done p => exact Or.inl rfl
  | step p q t h1 h2 ih =>
    right
    rcases ih with ih | ⟨u, hu, hut⟩
    · rw [ih] at h1
      exact ⟨p, Path.done p, h1⟩
    · exact ⟨u, Path.step p q u h1 hu, hut⟩

theorem path_mono (h : Within r s) {p q : σ} (hp : Path r p q) : Path s p q := by
  induction hp with
  | done p => exact Path.done p
  | step p q t h1 _ ih => exact Path.step p q t (h p q h1) ih

theorem path_path {p q : σ} (h : Path (Path r) p q) : Path r p q := by
  induction h with
  | done p => exact Path.done p
  | step p q t h1 _ ih => exact path_trans h1 ih

/-- Being reachable is the least relation that is reflexive and closed under steps in front. -/
theorem path_least (h : Within r s) (hr : ∀ p, s p p) (ht : ∀ p q t, s p q → s q t → s p t) :
    Within (Path r) s := by
  intro p q hp
  induction hp with
  | done p => exact hr p
  | step p q t h1 _ ih => exact ht p q t (h p q h1) ih

theorem path_converse {p q : σ} (h : Path r p q) : Path (converse r) q p := by
  induction h with
  | done p => exact Path.done p
  | step p q t h1 _ ih =>
    apply path_concat ih
    exact h1

theorem path_converse_iff (p q : σ) : Path (converse r) q p ↔ Path r p q := by
  constructor
  · intro h
    exact path_converse h
  · intro h
    exact path_converse h

theorem path_of_stuck {p q : σ} (hp : Stuck r p) (h : Path r p q) : q = p := by
  cases h with
  | done => rfl
  | step _ t _ h1 _ => exact absurd h1 (hp t)

theorem stuck_anti (h : Within r s) {p : σ} (hp : Stuck s p) : Stuck r p := by
  intro q hq
  apply hp q
  exact h p q hq

/-- A property kept by the steps is kept by the paths. -/
theorem path_invariant {P : σ → Prop} (hs : ∀ p q, P p → r p q → P q) {p q : σ} (h : Path r p q) (hp : P p) :
    P q := by
  induction h with
  | done p => exact hp
  | step p q t h1 _ ih =>
    apply ih
    exact hs p q hp h1

/-- The same, backwards. -/
theorem path_invariant_back {P : σ → Prop} (hs : ∀ p q, P q → r p q → P p) {p q : σ} (h : Path r p q)
    (hq : P q) : P p := by
  induction h with
  | done p => exact hq
  | step p q t h1 _ ih => exact hs p q (ih hq) h1

theorem path_map {f : σ → τ} {r' : Rel τ} (hf : ∀ p q, r p q → r' (f p) (f q)) {p q : σ} (h : Path r p q) :
    Path r' (f p) (f q) := by
  induction h with
  | done p => exact Path.done (f p)
  | step p q t h1 _ ih => exact Path.step _ (f q) _ (hf p q h1) ih

/-- Where a property holds at one end and fails at the other, some step loses it. -/
theorem exists_step_that_loses {P : σ → Prop} {p t : σ} (h : Path r p t) (hp : P p) (ht : ¬ P t) :
    ∃ q q', Path r p q ∧ r q q' ∧ P q ∧ ¬ P q' := by
  induction h with
  | done p => exact absurd hp ht
  | step p q t h1 _ ih =>
    by_cases hq : P q
    · obtain ⟨u, u', h2, h3, h4, h5⟩ := ih hq ht
      exact ⟨u, u', Path.step p q u h1 h2, h3, h4, h5⟩
    · exact ⟨p, q, Path.done p, h1, hp, hq⟩

end Paths

section Counted

theorem steps_one_iff (p q : σ) : Steps r 1 p q ↔ r p q := by
  constructor
  · intro h
    cases h with
    | succ _ _ t _ h1 h2 =>
      cases h2
      exact h1
  · intro h
    exact Steps.succ 0 p q q h (Steps.zero q)

theorem steps_add {m n : Nat} {p q t : σ} (h1 : Steps r m p q) (h2 : Steps r n q t) : Steps r (m + n) p t := by
  induction h1 with
  | zero p =>
    rw [Nat.zero_add]
    exact h2
  | succ m p p' q h _ ih =>
    rw [Nat.succ_add]
    exact Steps.succ _ p p' t h (ih h2)

theorem steps_split (m n : Nat) {p t : σ} (h : Steps r (m + n) p t) : ∃ q, Steps r m p q ∧ Steps r n q t := by
  induction m generalizing p with
  | zero =>
    rw [Nat.zero_add] at h
    exact ⟨p, Steps.zero p, h⟩
  | succ m ih =>
    rw [Nat.succ_add] at h
    cases h with
    | succ _ _ p' _ h1 h2 =>
      obtain ⟨q, hq1, hq2⟩ := ih h2
      exact ⟨q, Steps.succ m p p' q h1 hq1, hq2⟩

theorem path_iff_steps (p q : σ) : Path r p q ↔ ∃ n, Steps r n p q := by
  constructor
  · intro h
    induction h with
    | done p => exact ⟨0, Steps.zero p⟩
    | step p q t h1 _ ih =>
      obtain ⟨n, hn⟩ := ih
      exact ⟨n + 1, Steps.succ n p q t h1 hn⟩
  · rintro ⟨n, hn⟩
    induction hn with
    | zero p => exact Path.done p
    | succ n p q t h1 _ ih => exact Path.step p q t h1 ih

theorem steps_succ_last {n : Nat} {p t : σ} (h : Steps r (n + 1) p t) : ∃ q, Steps r n p q ∧ r q t := by
  obtain ⟨q, h1, h2⟩ := steps_split n 1 h
  rw [steps_one_iff] at h2
  exact ⟨q, h1, h2⟩

theorem steps_deterministic (hd : Deterministic r) {n : Nat} {p q t : σ} (h1 : Steps r n p q)
    (h2 : Steps r n p t) : q = t := by
  induction h1 with
  | zero p =>
    cases h2
    rfl
  | succ n p p' q h _ ih =>
    cases h2 with
    | succ _ _ p'' _ h' rest =>
      apply ih
      rw [hd p p' p'' h h']
      exact rest

/-- A loop can be repeated. -/
theorem steps_loop {k : Nat} {p : σ} (h : Steps r k p p) (n : Nat) : Steps r (n * k) p p := by
  induction n with
  | zero =>
    rw [Nat.zero_mul]
    exact Steps.zero p
  | succ n ih =>
    rw [Nat.succ_mul]
    exact steps_add ih h

/-- A measure that falls with each step bounds the length of paths. -/
theorem steps_le_measure (f : σ → Nat) (hf : ∀ p q, r p q → f q < f p) {n : Nat} {p q : σ} (h : Steps r n p q) :
    n + f q ≤ f p := by
  induction h with
  | zero p =>
    rw [Nat.zero_add]
    exact Nat.le_refl _
  | succ n p q t h1 _ ih =>
    have h2 := hf p q h1
    omega

end Counted

section Termination

theorem ends_of_stuck {p : σ} (h : Stuck r p) : Ends r p := by
  apply Ends.intro
  intro q hq
  exact absurd hq (h q)

theorem ends_step {p q : σ} (h : Ends r p) (hq : r p q) : Ends r q := by
  cases h with
  | intro _ h => exact h q hq

theorem ends_path {p q : σ} (h : Ends r p) (hq : Path r p q) : Ends r q := by
  induction hq with
  | done p => exact h
  | step p q t h1 _ ih => exact ih (ends_step h h1)

theorem ends_mono (hs : Within r s) {p : σ} (h : Ends s p) : Ends r p := by
  induction h with
  | intro p _ ih =>
    apply Ends.intro
    intro q hq
    exact ih q (hs p q hq)

theorem ends_of_measure (f : σ → Nat) (hf : ∀ p q, r p q → f q < f p) (p : σ) : Ends r p := by
  have main : ∀ n p, f p < n → Ends r p := by
    intro n
    induction n with
    | zero =>
      intro p hp
      omega
    | succ n ih =>
      intro p hp
      apply Ends.intro
      intro q hq
      have := hf p q hq
      exact ih q (by omega)
  exact main (f p + 1) p (Nat.lt_succ_self _)

theorem ends_irrefl {p : σ} (h : Ends r p) : ¬ r p p := by
  induction h with
  | intro p _ ih =>
    intro hp
    exact ih p hp hp

theorem ends_no_loop {p : σ} (h : Ends r p) : ∀ q, r p q → ¬ Path r q p := by
  induction h with
  | intro p _ ih =>
    intro q hq hpath
    rcases path_cases_head hpath with heq | ⟨t, ht, htp⟩
    · rw [heq] at hq
      exact ih p hq p hq (Path.done p)
    · apply ih q hq t ht
      exact path_concat htp hq

/-- Where every path ends, some path ends in a stuck state. -/
theorem exists_stuck_of_ends {p : σ} (h : Ends r p) : ∃ q, Path r p q ∧ Stuck r q := by
  induction h with
  | intro p _ ih =>
    by_cases hp : ∃ q, r p q
    · obtain ⟨q, hq⟩ := hp
      obtain ⟨t, h1, h2⟩ := ih q hq
      exact ⟨t, Path.step p q t hq h1, h2⟩
    · refine ⟨p, Path.done p, ?_⟩
      intro q hq
      exact hp ⟨q, hq⟩

end Termination

section Confluence

theorem joinable_refl (p : σ) : Joinable r p p := by
  exact ⟨p, Path.done p, Path.done p⟩

theorem joinable_symm {p q : σ} (h : Joinable r p q) : Joinable r q p := by
  obtain ⟨t, h1, h2⟩ := h
  exact ⟨t, h2, h1⟩

theorem joinable_of_path {p q : σ} (h : Path r p q) : Joinable r p q := by
  exact ⟨q, h, Path.done q⟩

theorem joinable_back {p p' q : σ} (hp : Path r p p') (h : Joinable r p' q) : Joinable r p q := by
  obtain ⟨t, h1, h2⟩ := h
  exact ⟨t, path_trans hp h1, h2⟩

theorem joinable_trans (hc : Confluent r) {p q t : σ} (h1 : Joinable r p q) (h2 : Joinable r q t) :
    Joinable r p t := by
  obtain ⟨u, hpu, hqu⟩ := h1
  obtain ⟨v, hqv, htv⟩ := h2
  obtain ⟨w, huw, hvw⟩ := hc q u v hqu hqv
  exact ⟨w, path_trans hpu huw, path_trans htv hvw⟩

theorem deterministic_confluent (hd : Deterministic r) : Confluent r := by
  intro p q t hq ht
  induction hq with
  | done p => exact ⟨t, ht, Path.done t⟩
  | step p p' q h1 h2 ih =>
    rcases path_cases_head ht with heq | ⟨p'', h3, h4⟩
    · refine ⟨q, Path.done q, ?_⟩
      rw [← heq]
      exact Path.step p p' q h1 h2
    · apply ih
      rw [hd p p' p'' h1 h3]
      exact h4

/-- In a confluent relation a state reaches at most one stuck state. -/
theorem stuck_unique (hc : Confluent r) {p q t : σ} (hq : Path r p q) (ht : Path r p t) (h1 : Stuck r q)
    (h2 : Stuck r t) : q = t := by
  obtain ⟨u, hu1, hu2⟩ := hc p q t hq ht
  have e1 := path_of_stuck h1 hu1
  have e2 := path_of_stuck h2 hu2
  rw [← e1, e2]

theorem diamond_strip (hd : Diamond r) {p q t : σ} (h1 : r p q) (h2 : Path r p t) :
    ∃ u, Path r q u ∧ r t u := by
  induction h2 generalizing q with
  | done p => exact ⟨q, Path.done q, h1⟩
  | step p p' t h3 _ ih =>
    obtain ⟨v, hqv, hpv⟩ := hd p q p' h1 h3
    obtain ⟨u, hvu, htu⟩ := ih hpv
    exact ⟨u, Path.step q v u hqv hvu, htu⟩

theorem diamond_confluent (hd : Diamond r) : Confluent r := by
  intro p q t hq ht
  induction hq generalizing t with
  | done p => exact ⟨t, ht, Path.done t⟩
  | step p p' q h1 _ ih =>
    obtain ⟨u, hu1, hu2⟩ := diamond_strip hd h1 ht
    obtain ⟨v, hqv, huv⟩ := ih u hu1
    exact ⟨v, hqv, Path.step t u v hu2 huv⟩

theorem diamond_of_path_confluent (hc : Confluent r) : Diamond (Path r) := by
  intro p q t hq ht
  exact hc p q t hq ht

theorem confluent_of_between (h1 : Within r s) (h2 : Within s (Path r)) (hs : Confluent s) : Confluent r := by
  have back : ∀ p q, Path s p q → Path r p q := by
    intro p q h
    apply path_path
    exact path_mono h2 h
  intro p q t hq ht
  obtain ⟨u, hu1, hu2⟩ := hs p q t (path_mono h1 hq) (path_mono h1 ht)
  exact ⟨u, back q u hu1, back t u hu2⟩

/-- It is enough to join a step with a path. -/
theorem confluent_of_semi (h : ∀ p q t, r p q → Path r p t → Joinable r q t) : Confluent r := by
  intro p q t hq ht
  induction hq generalizing t with
  | done p => exact ⟨t, ht, Path.done t⟩
  | step p p' q h1 _ ih =>
    obtain ⟨u, hu1, hu2⟩ := h p p' t h1 ht
    obtain ⟨v, hv1, hv2⟩ := ih u hu1
    exact ⟨v, hv1, path_trans hu2 hv2⟩

/-- Newman: where all paths end, joining single steps is enough. -/
theorem newman (he : ∀ p, Ends r p) (hl : ∀ p q t, r p q → r p t → Joinable r q t) : Confluent r := by
  intro p
  have hp := he p
  induction hp with
  | intro p _ ih =>
    intro q t hq ht
    rcases path_cases_head hq with heq | ⟨q', hpq, hqq⟩
    · refine ⟨t, ?_, Path.done t⟩
      rw [← heq]
      exact ht
    · rcases path_cases_head ht with heq | ⟨t', hpt, htt⟩
      · refine ⟨q, Path.done q, ?_⟩
        rw [← heq]
        exact hq
      · obtain ⟨u, hqu, htu⟩ := hl p q' t' hpq hpt
        obtain ⟨v, hqv, huv⟩ := ih q' hpq q u hqq hqu
        obtain ⟨w, hvw, htw⟩ := ih t' hpt v t (path_trans htu huv) htt
        exact ⟨w, path_trans hqv hvw, htw⟩

theorem comp_assoc (r s t : Rel σ) : comp (comp r s) t = comp r (comp s t) := by
  funext p q
  apply propext
  constructor
  · rintro ⟨v, ⟨u, h1, h2⟩, h3⟩
    exact ⟨u, h1, v, h2, h3⟩
  · rintro ⟨u, h1, v, h2, h3⟩
    exact ⟨v, ⟨u, h1, h2⟩, h3⟩

theorem converse_comp (r s : Rel σ) : converse (comp r s) = comp (converse s) (converse r) := by
  funext p q
  apply propext
  constructor
  · rintro ⟨u, h1, h2⟩
    exact ⟨u, h2, h1⟩
  · rintro ⟨u, h1, h2⟩
    exact ⟨u, h2, h1⟩

/-- If `s` may be moved before `r`, then paths of `s` may. -/
theorem path_commute (h : Within (comp r s) (comp s r)) : Within (comp r (Path s)) (comp (Path s) r) := by
  rintro p t ⟨q, h1, h2⟩
  induction h2 generalizing p with
  | done q => exact ⟨p, Path.done p, h1⟩
  | step q q' t h3 _ ih =>
    obtain ⟨u, hu1, hu2⟩ := h p q' ⟨q, h1, h3⟩
    obtain ⟨v, hv1, hv2⟩ := ih u hu2
    exact ⟨v, Path.step p u v hu1 hv1, hv2⟩

end Confluence

end Rel

end Automata
