import Order.Product

/-!
Well-founded relations: grounded elements, induction, minimal elements, the lack of infinite
descent, measures, lexicographic products, chains of steps, normal forms, and confluence.
-/

namespace Order

variable {α β : Type}

/-- All that lies below the element by `r` is grounded already. -/
inductive Grounded (r : α → α → Prop) : α → Prop where
  | intro (a : α) (h : ∀ b, r b a → Grounded r b) : Grounded r a

/-- Every element is grounded. -/
def Founded (r : α → α → Prop) : Prop := ∀ a, Grounded r a

/-- `m` belongs to `s`, and nothing that lies below it by `r` does. -/
def Bottom (r : α → α → Prop) (s : α → Prop) (m : α) : Prop := s m ∧ ∀ b, r b m → ¬ s b

/-- A sequence that goes down at every step. -/
def Descends (r : α → α → Prop) (f : Nat → α) : Prop := ∀ n, r (f (n + 1)) (f n)

/-- Any number of steps of `r`, none included. -/
inductive Reach (r : α → α → Prop) : α → α → Prop where
  | here (a : α) : Reach r a a
  | step {a b c : α} (h : r a b) (h1 : Reach r b c) : Reach r a c

/-- Steps of `r`, at least one. -/
inductive Steps (r : α → α → Prop) : α → α → Prop where
  | last {a b : α} (h : r a b) : Steps r a b
  | step {a b c : α} (h : r a b) (h1 : Steps r b c) : Steps r a c

section Induction

variable {r s : α → α → Prop} {a b : α}

theorem grounded_down (h : Grounded r a) (h1 : r b a) : Grounded r b := by
  cases h with
  | intro _ h => exact h b h1

theorem founded_induction (h : Founded r) {p : α → Prop} (step : ∀ a, (∀ b, r b a → p b) → p a) :
    ∀ a, p a := by
  intro a
  have h1 := h a
  induction h1 with
  | intro a _ ih => exact step a ih

theorem grounded_irrefl (h : Grounded r a) : ¬ r a a := by
  induction h with
  | intro a _ ih =>
    intro h1
    exact ih a h1 h1

theorem grounded_no_cycle (h : Grounded r a) : ∀ b, r b a → ¬ r a b := by
  induction h with
  | intro a _ ih =>
    intro b hba hab
    exact ih b hba a hab hba

theorem founded_irrefl (h : Founded r) (a : α) : ¬ r a a := by
  apply grounded_irrefl
  exact h a

theorem founded_asymm (h : Founded r) (h1 : r a b) : ¬ r b a := by
  exact grounded_no_cycle (h b) a h1

theorem founded_no_triangle (h : Founded r) {c : α} (h1 : r a b) (h2 : r b c) : ¬ r c a := by
  have key : ∀ x y z, r x y → r y z → ¬ r z x := by
    intro x
    apply founded_induction h (p := fun x => ∀ y z, r x y → r y z → ¬ r z x)
    intro x ih y z hxy hyz hzx
    exact ih z hzx x y hzx hxy hyz
  exact key a b c h1 h2

theorem grounded_sub (h : ∀ x y, r x y → s x y) (h1 : Grounded s a) : Grounded r a := by
  induction h1 with
  | intro a _ ih =>
    constructor
    intro b hb
    exact ih b (h b a hb)

theorem founded_sub (h : ∀ x y, r x y → s x y) (h1 : Founded s) : Founded r := by
  intro a
  exact grounded_sub h (h1 a)

theorem founded_empty : Founded (fun _ _ : α => False) := by
  intro a
  constructor
  intro b h
  exact h.elim

theorem grounded_inverse (f : β → α) (x : α) (h : Grounded r x) :
    ∀ y, f y = x → Grounded (fun u v => r (f u) (f v)) y := by
  induction h with
  | intro x _ ih =>
    intro y hy
    constructor
    intro z hz
    rw [hy] at hz
    exact ih (f z) hz z rfl

theorem founded_inverse (f : β → α) (h : Founded r) : Founded (fun u v => r (f u) (f v)) := by
  intro y
  exact grounded_inverse f (f y) (h (f y)) y rfl

theorem founded_nat : Founded (fun a b : Nat => a < b) := by
  intro n
  induction n with
  | zero =>
    constructor
    intro b h
    exact absurd h (Nat.not_lt_zero b)
  | succ n ih =>
    constructor
    intro b h
    by_cases h1 : b = n
    · rw [h1]
      exact ih
    · apply grounded_down ih
      omega

theorem founded_measure (f : α → Nat) : Founded (fun u v => f u < f v) := by
  exact founded_inverse f founded_nat

theorem founded_of_measure (f : α → Nat) (h : ∀ x y, r x y → f x < f y) : Founded r := by
  apply founded_sub h
  exact founded_measure f

theorem founded_restrict (h : Founded r) (p : α → Prop) : Founded (fun x y => r x y ∧ p y) := by
  apply founded_sub _ h
  intro x y h1
  exact h1.1

theorem founded_nat_pred : Founded (fun a b : Nat => b = a + 1) := by
  sorry

/-- Strong induction on natural numbers from well-foundedness. -/
theorem strong_induction {p : Nat → Prop} (h : ∀ n, (∀ m, m < n → p m) → p n) (n : Nat) : p n := by
  apply founded_induction founded_nat
  exact h

theorem measure_induction (f : α → Nat) {p : α → Prop}
    (h : ∀ a, (∀ b, f b < f a → p b) → p a) (a : α) : p a := by
  apply founded_induction (founded_measure f)
  exact h

end Induction

section MinimalElements

variable {r : α → α → Prop} {s : α → Prop}

theorem founded_bottom (h : Founded r) {a : α} (ha : s a) : ∃ m, Bottom r s m := by
  have key : ∀ a, s a → ∃ m, Bottom r s m := by
    intro a
    apply founded_induction h (p := fun a => s a → ∃ m, Bottom r s m)
    intro a ih ha
    by_cases h1 : ∃ b, r b a ∧ s b
    · obtain ⟨b, hba, hb⟩ := h1
      exact ih b hba hb
    · refine ⟨a, ha, ?_⟩
      intro b hba hb
      exact h1 ⟨b, hba, hb⟩
  exact key a ha

theorem founded_of_bottom (h : ∀ s : α → Prop, (∃ a, s a) → ∃ m, Bottom r s m) : Founded r := by
  intro a
  by_cases h1 : Grounded r a
  · exact h1
  · obtain ⟨m, hm, hmin⟩ := h (fun x => ¬ Grounded r x) ⟨a, h1⟩
    have h2 : Grounded r m := by
      constructor
      intro b hb
      by_cases h3 : Grounded r b
      · exact h3
      · exact absurd h3 (hmin b hb)
    exact absurd h2 hm

theorem nat_least_exists {s : Nat → Prop} {n : Nat} (h : s n) : ∃ m, Least s m := by
  sorry

theorem founded_no_descent (h : Founded r) (f : Nat → α) : ¬ Descends r f := by
  intro hf
  obtain ⟨m, ⟨n, hn⟩, hmin⟩ := founded_bottom h (s := fun x => ∃ n, f n = x) ⟨0, rfl⟩
  apply hmin (f (n + 1))
  · rw [← hn]
    exact hf n
  · exact ⟨n + 1, rfl⟩

theorem grounded_no_descent {a : α} (h : Grounded r a) : ∀ f : Nat → α, f 0 = a → ¬ Descends r f := by
  sorry

theorem descent_stays {f : Nat → Nat} (h : ∀ n, f (n + 1) ≤ f n) (n k : Nat) : f (n + k) ≤ f n := by
  induction k with
  | zero => exact Nat.le_refl (f n)
  | succ k ih =>
    have h1 : f (n + (k + 1)) ≤ f (n + k) := h (n + k)
    exact Nat.le_trans h1 ih

/-- A sequence of natural numbers that never grows is constant from some place on. -/
theorem descent_stops {f : Nat → Nat} (h : ∀ n, f (n + 1) ≤ f n) : ∃ n, ∀ k, f (n + k) = f n := by
  obtain ⟨m, ⟨n, hn⟩, hmin⟩ := founded_bottom founded_nat (s := fun x => ∃ n, f n = x) ⟨0, rfl⟩
  refine ⟨n, ?_⟩
  intro k
  have h1 := descent_stays h n k
  by_cases h2 : f (n + k) < f n
  · rw [hn] at h2
    exact absurd ⟨n + k, rfl⟩ (hmin (f (n + k)) h2)
  · omega

theorem bottom_subset {t : α → Prop} {m : α} (h : ∀ x, s x → t x) (h1 : Bottom r t m) (h2 : s m) :
    Bottom r s m := by
  refine ⟨h2, ?_⟩
  intro b hb hs
  exact h1.2 b hb (h b hs)

theorem bottom_minimal [Pre α] {m : α} (h : Bottom Below s m) : Minimal s m := by
  refine ⟨h.1, ?_⟩
  intro x hx hxm
  by_cases h1 : m ⊑ x
  · exact h1
  · exact absurd hx (h.2 x ⟨hxm, h1⟩)

theorem founded_least [Total α] (h : Founded (Below : α → α → Prop)) {a : α} (ha : s a) :
    ∃ m, Least s m := by
  obtain ⟨m, hm, hmin⟩ := founded_bottom h ha
  refine ⟨m, hm, ?_⟩
  intro x hx
  apply (not_below_iff_le x m).1
  intro hxm
  exact hmin x hxm hx

theorem strict_inflationary [Total α] (h : Founded (Below : α → α → Prop)) {f : α → α}
    (hf : Strict f) (a : α) : a ⊑ f a := by
  sorry

theorem not_founded_of_loop {a : α} (h : r a a) : ¬ Founded r := by
  intro h1
  exact founded_irrefl h1 a h

theorem not_founded_of_descends {f : Nat → α} (h : Descends r f) : ¬ Founded r := by
  intro h1
  exact founded_no_descent h1 f h

theorem not_founded_int : ¬ Founded (fun a b : Int => a < b) := by
  apply not_founded_of_descends (f := fun n => - (n : Int))
  intro n
  show - ((n + 1 : Nat) : Int) < - (n : Int)
  omega

end MinimalElements

section Products

variable {r : α → α → Prop} {s : β → β → Prop}

theorem grounded_lex {a : α} (ha : Grounded r a) (hs : Founded s) :
    ∀ b, Grounded (Lex r s) (a, b) := by
  induction ha with
  | intro a _ iha =>
    intro b
    have hb := hs b
    induction hb with
    | intro b _ ihb =>
      constructor
      intro ⟨a', b'⟩ h
      rcases h with h | ⟨h1, h2⟩
      · exact iha a' h b'
      · have h3 : a' = a := h1
        rw [h3]
        exact ihb b' h2

theorem founded_lex (hr : Founded r) (hs : Founded s) : Founded (Lex r s) := by
  intro ⟨a, b⟩
  exact grounded_lex (hr a) hs b

theorem founded_both (hr : Founded r) (hs : Founded s) :
    Founded (fun p q : α × β => r p.1 q.1 ∧ s p.2 q.2) := by
  apply founded_sub _ (founded_lex hr hs)
  intro p q h
  left
  exact h.1

theorem founded_first (hr : Founded r) : Founded (fun p q : α × β => r p.1 q.1) := by
  exact founded_inverse (fun p : α × β => p.1) hr

theorem founded_two_measures (f g : α → Nat) :
    Founded (fun x y => f x < f y ∨ (f x = f y ∧ g x < g y)) := by
  have h := founded_lex founded_nat founded_nat
  exact founded_inverse (fun x => (f x, g x)) h

/-- One component goes down while the other one stays. -/
theorem founded_either (hr : Founded r) (hs : Founded s) :
    Founded (fun p q : α × β => (r p.1 q.1 ∧ p.2 = q.2) ∨ (p.1 = q.1 ∧ s p.2 q.2)) := by
  apply founded_sub _ (founded_lex hr hs)
  intro p q h
  rcases h with ⟨h, _⟩ | h
  · exact Or.inl h
  · exact Or.inr h

theorem founded_sum_sides (hr : Founded r) (hs : Founded s) :
    Founded (fun x y : α ⊕ β => (∃ a a', x = .inl a ∧ y = .inl a' ∧ r a a') ∨
      (∃ b b', x = .inr b ∧ y = .inr b' ∧ s b b')) := by
  intro x
  cases x with
  | inl a =>
    have h := hr a
    induction h with
    | intro a _ ih =>
      constructor
      intro y hy
      rcases hy with ⟨a1, a2, h1, h2, h3⟩ | ⟨b1, b2, _, h2, _⟩
      · injection h2 with h2
        rw [h1]
        rw [← h2] at h3
        exact ih a1 h3
      · cases h2
  | inr b =>
    have h := hs b
    induction h with
    | intro b _ ih =>
      constructor
      intro y hy
      rcases hy with ⟨a1, a2, _, h2, _⟩ | ⟨b1, b2, h1, h2, h3⟩
      · cases h2
      · injection h2 with h2
        rw [h1]
        rw [← h2] at h3
        exact ih b1 h3

end Products

section Chains

variable {r s : α → α → Prop} {a b c : α}

theorem reach_trans (h1 : Reach r a b) (h2 : Reach r b c) : Reach r a c := by
  induction h1 with
  | here a => exact h2
  | step h _ ih => exact Reach.step h (ih h2)

theorem reach_single (h : r a b) : Reach r a b := by
  apply Reach.step h
  exact Reach.here b

theorem reach_snoc (h1 : Reach r a b) (h2 : r b c) : Reach r a c := by
  apply reach_trans h1
  exact reach_single h2

theorem reach_mono (h : ∀ x y, r x y → s x y) (h1 : Reach r a b) : Reach s a b := by
  induction h1 with
  | here a => exact Reach.here a
  | step h2 _ ih => exact Reach.step (h _ _ h2) ih

theorem reach_cases (h : Reach r a b) : a = b ∨ ∃ c, r a c ∧ Reach r c b := by
  cases h with
  | here =>
    left
    rfl
  | step h1 h2 =>
    right
    exact ⟨_, h1, h2⟩

theorem reach_cases_last (h : Reach r a b) : a = b ∨ ∃ c, Reach r a c ∧ r c b := by
  induction h with
  | here a =>
    left
    rfl
  | step h1 h2 ih =>
    right
    rcases ih with ih | ⟨c, h3, h4⟩
    · rw [← ih]
      exact ⟨_, Reach.here _, h1⟩
    · exact ⟨c, Reach.step h1 h3, h4⟩

theorem reach_reverse (h : Reach r a b) : Reach (fun x y => r y x) b a := by
  induction h with
  | here a => exact Reach.here a
  | step h1 _ ih => exact reach_snoc ih h1

theorem reach_least (h1 : ∀ x, s x x) (h2 : ∀ x y z, r x y → s y z → s x z) (h : Reach r a b) :
    s a b := by
  induction h with
  | here a => exact h1 a
  | step h3 _ ih => exact h2 _ _ _ h3 ih

theorem reach_reach (h : Reach (Reach r) a b) : Reach r a b := by
  sorry

theorem reach_invariant {p : α → Prop} (h : ∀ x y, r x y → p x → p y) (h1 : Reach r a b)
    (ha : p a) : p b := by
  induction h1 with
  | here a => exact ha
  | step h2 _ ih =>
    apply ih
    exact h _ _ h2 ha

theorem reach_map {t : β → β → Prop} (f : α → β) (h : ∀ x y, r x y → Reach t (f x) (f y))
    (h1 : Reach r a b) : Reach t (f a) (f b) := by
  induction h1 with
  | here a => exact Reach.here (f a)
  | step h2 _ ih => exact reach_trans (h _ _ h2) ih

theorem steps_trans (h1 : Steps r a b) (h2 : Steps r b c) : Steps r a c := by
  induction h1 with
  | last h => exact Steps.step h h2
  | step h _ ih => exact Steps.step h (ih h2)

theorem steps_reach (h : Steps r a b) : Reach r a b := by
  induction h with
  | last h => exact reach_single h
  | step h _ ih => exact Reach.step h ih

theorem reach_steps (h : Reach r a b) (h1 : r b c) : Steps r a c := by
  induction h with
  | here a => exact Steps.last h1
  | step h2 _ ih => exact Steps.step h2 (ih h1)

theorem steps_iff (a b : α) : Steps r a b ↔ ∃ c, r a c ∧ Reach r c b := by
  sorry

theorem steps_last (h : Steps r a b) : ∃ c, Reach r a c ∧ r c b := by
  induction h with
  | last h1 => exact ⟨_, Reach.here _, h1⟩
  | step h1 _ ih =>
    obtain ⟨c, h2, h3⟩ := ih
    exact ⟨c, Reach.step h1 h2, h3⟩

/-- What is grounded by single steps is grounded by chains of steps. -/
theorem grounded_steps (h : Grounded r a) : Grounded (Steps r) a := by
  induction h with
  | intro a _ ih =>
    constructor
    intro b hb
    obtain ⟨c, h1, h2⟩ := steps_last hb
    have h3 := ih c h2
    rcases reach_cases_last h1 with h4 | ⟨d, h4, h5⟩
    · rw [h4]
      exact h3
    · exact grounded_down h3 (reach_steps h4 h5)

theorem founded_steps (h : Founded r) : Founded (Steps r) := by
  intro a
  exact grounded_steps (h a)

theorem founded_no_return (h : Founded r) (h1 : Reach r a b) (h2 : Reach r b a) : a = b := by
  sorry

end Chains

section NormalForms

variable {r : α → α → Prop} {a b c : α}

/-- No step leads away from the element. -/
def Normal (r : α → α → Prop) (a : α) : Prop := ∀ b, ¬ r a b

/-- Two elements come together again. -/
def Joinable (r : α → α → Prop) (a b : α) : Prop := ∃ c, Reach r a c ∧ Reach r b c

def Confluent (r : α → α → Prop) : Prop := ∀ a b c, Reach r a b → Reach r a c → Joinable r b c

/-- Single steps from one element come together again. -/
def LocallyConfluent (r : α → α → Prop) : Prop := ∀ a b c, r a b → r a c → Joinable r b c

/-- Chains of steps have an end. -/
def Terminating (r : α → α → Prop) : Prop := Founded (fun x y => r y x)

theorem normal_reach (h : Normal r a) (h1 : Reach r a b) : a = b := by
  cases h1 with
  | here => rfl
  | step h2 _ => exact absurd h2 (h _)

theorem joinable_symm (h : Joinable r a b) : Joinable r b a := by
  obtain ⟨c, h1, h2⟩ := h
  exact ⟨c, h2, h1⟩

theorem joinable_of_reach (h : Reach r a b) : Joinable r a b := by
  exact ⟨b, h, Reach.here b⟩

theorem joinable_normal (h1 : Normal r a) (h2 : Normal r b) (h : Joinable r a b) : a = b := by
  obtain ⟨c, h3, h4⟩ := h
  rw [normal_reach h1 h3, normal_reach h2 h4]

theorem normal_exists (h : Terminating r) (a : α) : ∃ n, Reach r a n ∧ Normal r n := by
  apply founded_induction h (p := fun a => ∃ n, Reach r a n ∧ Normal r n)
  intro a ih
  by_cases h1 : ∃ b, r a b
  · obtain ⟨b, hb⟩ := h1
    obtain ⟨n, h2, h3⟩ := ih b hb
    exact ⟨n, Reach.step hb h2, h3⟩
  · refine ⟨a, Reach.here a, ?_⟩
    intro b hb
    exact h1 ⟨b, hb⟩

theorem normal_unique (h : Confluent r) (h1 : Reach r a b) (h2 : Reach r a c) (h3 : Normal r b)
    (h4 : Normal r c) : b = c := by
  apply joinable_normal h3 h4
  exact h a b c h1 h2

theorem confluent_normal (h : Confluent r) (h1 : Reach r a b) (h2 : Reach r a c)
    (h3 : Normal r c) : Reach r b c := by
  obtain ⟨d, h4, h5⟩ := h a b c h1 h2
  rw [normal_reach h3 h5]
  exact h4

theorem confluent_joinable_trans (h : Confluent r) (h1 : Joinable r a b) (h2 : Joinable r b c) :
    Joinable r a c := by
  obtain ⟨d, had, hbd⟩ := h1
  obtain ⟨e, hbe, hce⟩ := h2
  obtain ⟨f, hdf, hef⟩ := h b d e hbd hbe
  exact ⟨f, reach_trans had hdf, reach_trans hce hef⟩

/-- Steps that always come together in one step each are confluent on one side. -/
theorem strip (h : ∀ a b c, r a b → r a c → ∃ d, r b d ∧ r c d) (h1 : Reach r a b) :
    ∀ c, r a c → ∃ d, r b d ∧ Reach r c d := by
  induction h1 with
  | here a =>
    intro c hc
    exact ⟨c, hc, Reach.here c⟩
  | step h2 _ ih =>
    intro c hc
    obtain ⟨d, h3, h4⟩ := h _ _ c h2 hc
    obtain ⟨e, h5, h6⟩ := ih d h3
    exact ⟨e, h5, Reach.step h4 h6⟩

theorem diamond_confluent (h : ∀ a b c, r a b → r a c → ∃ d, r b d ∧ r c d) : Confluent r := by
  sorry

/-- Where chains of steps end, it is enough that single steps come together. -/
theorem terminating_confluent (h : Terminating r) (h1 : LocallyConfluent r) : Confluent r := by
  intro a
  apply founded_induction h (p := fun a => ∀ b c, Reach r a b → Reach r a c → Joinable r b c)
  intro a ih b c hab hac
  rcases reach_cases hab with h2 | ⟨b', hab', hb'b⟩
  · rw [← h2]
    exact ⟨c, hac, Reach.here c⟩
  · rcases reach_cases hac with h3 | ⟨c', hac', hc'c⟩
    · rw [← h3]
      exact ⟨b, Reach.here b, hab⟩
    · obtain ⟨d, hb'd, hc'd⟩ := h1 a b' c' hab' hac'
      obtain ⟨e, hbe, hde⟩ := ih b' hab' b d hb'b hb'd
      obtain ⟨f, hef, hcf⟩ := ih c' hac' e c (reach_trans hc'd hde) hc'c
      exact ⟨f, reach_trans hbe hef, hcf⟩

theorem deterministic_confluent (h : ∀ a b c, r a b → r a c → b = c) : Confluent r := by
  sorry

theorem terminating_unique_normal (h : Terminating r) (h1 : LocallyConfluent r) (a : α) :
    ∃ n, Reach r a n ∧ Normal r n ∧ ∀ m, Reach r a m → Normal r m → m = n := by
  sorry

theorem terminating_no_chain (h : Terminating r) (f : Nat → α) : ¬ ∀ n, r (f n) (f (n + 1)) := by
  intro hf
  apply founded_no_descent h f
  intro n
  exact hf n

theorem terminating_of_measure (f : α → Nat) (h : ∀ x y, r x y → f y < f x) : Terminating r := by
  apply founded_of_measure f
  intro x y h1
  exact h y x h1

end NormalForms

end Order
