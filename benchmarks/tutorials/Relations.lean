/-! # Abstract rewriting: closures, confluence, termination, simulations -/
namespace Rewriting

variable {α : Type u} {β : Type v} {r : α → α → Prop}

/-- The reflexive transitive closure of `r`. -/
inductive Star (r : α → α → Prop) : α → α → Prop where
  | refl (a : α) : Star r a a
  | head {a b c : α} : r a b → Star r b c → Star r a c

/-- At least one step. -/
inductive Plus (r : α → α → Prop) : α → α → Prop where
  | one {a b : α} : r a b → Plus r a b
  | more {a b c : α} : r a b → Plus r b c → Plus r a c
def Joinable (r : α → α → Prop) (b c : α) : Prop := ∃ d, Star r b d ∧ Star r c d

def Diamond (r : α → α → Prop) : Prop :=
  ∀ a b c, r a b → r a c → ∃ d, r b d ∧ r c d

def LocallyConfluent (r : α → α → Prop) : Prop :=
  ∀ a b c, r a b → r a c → Joinable r b c

def Confluent (r : α → α → Prop) : Prop :=
  ∀ a b c, Star r a b → Star r a c → Joinable r b c

def Normal (r : α → α → Prop) (a : α) : Prop := ¬ ∃ b, r a b

/-- `r` terminates: its converse is well-founded. -/
def Terminating (r : α → α → Prop) : Prop := WellFounded (fun b a => r a b)

theorem Star.single {a b : α} (h : r a b) : Star r a b :=
  .head h (.refl b)

theorem Star.trans {a b c : α} (hab : Star r a b) (hbc : Star r b c) : Star r a c := by
  induction hab with
  | refl => exact hbc
  | head h _ ih => exact .head h (ih hbc)

theorem Star.idem {a b : α} : Star (Star r) a b ↔ Star r a b := by
  constructor
  · intro h
    induction h with
    | refl => exact .refl _
    | head h₁ _ ih => exact h₁.trans ih
  · exact Star.single

theorem star_iff_eq_or_plus {a b : α} : Star r a b ↔ a = b ∨ Plus r a b := by
  constructor
  · intro h
    induction h with
    | refl => exact .inl rfl
    | head h _ ih =>
      rcases ih with rfl | ih
      · exact .inr (.one h)
      · exact .inr (.more h ih)
  · rintro (rfl | h)
    · exact .refl _
    · induction h with
      | one h => exact .single h
      | more h _ ih => exact .head h ih

theorem normal_star {a b : α} (ha : Normal r a) (h : Star r a b) : a = b := by
  cases h with
  | refl => rfl
  | head h _ => exact absurd ⟨_, h⟩ ha

theorem Confluent.unique_normal (conf : Confluent r) {a b c : α}
    (hb : Star r a b) (hc : Star r a c) (nb : Normal r b) (nc : Normal r c) : b = c := by
  obtain ⟨d, hbd, hcd⟩ := conf a b c hb hc
  rw [normal_star nb hbd, normal_star nc hcd]

theorem Diamond.strip (dia : Diamond r) {a b c : α}
    (hab : r a b) (hac : Star r a c) : ∃ d, Star r b d ∧ r c d := by
  induction hac generalizing b with
  | refl => exact ⟨b, .refl b, hab⟩
  | head h _ ih =>
    obtain ⟨e, hbe, he⟩ := dia _ _ _ hab h
    obtain ⟨d, hed, hcd⟩ := ih he
    exact ⟨d, .head hbe hed, hcd⟩

theorem Diamond.confluent (dia : Diamond r) : Confluent r := by
  intro a b c hab
  induction hab generalizing c with
  | refl => exact fun hac => ⟨c, hac, .refl c⟩
  | head h _ ih =>
    intro hac
    obtain ⟨e, hbe, hce⟩ := dia.strip h hac
    obtain ⟨d, hbd, hed⟩ := ih e hbe
    exact ⟨d, hbd, .head hce hed⟩

theorem Terminating.has_normal (wf : Terminating r) (a : α) : ∃ b, Star r a b ∧ Normal r b := by
  induction a using wf.induction with
  | _ a ih =>
    by_cases h : ∃ b, r a b
    · obtain ⟨b, hab⟩ := h
      obtain ⟨c, hbc, hc⟩ := ih b hab
      exact ⟨c, .head hab hbc, hc⟩
    · exact ⟨a, .refl a, h⟩

theorem terminating_of_measure (m : α → Nat) (h : ∀ a b, r a b → m b < m a) :
    Terminating r :=
  Subrelation.wf (fun hr => h _ _ hr) (measure m).wf

theorem no_infinite_chain (wf : Terminating r) :
    ¬ ∃ f : Nat → α, ∀ n, r (f n) (f (n + 1)) := by
  rintro ⟨f, hf⟩
  have key : ∀ a, ∀ n, f n = a → False := by
    intro a
    induction a using wf.induction with
    | _ a ih =>
      rintro n rfl
      exact ih _ (hf n) (n + 1) rfl
  exact key _ 0 rfl

/-- Newman's lemma. -/
theorem newman (wf : Terminating r) (loc : LocallyConfluent r) :
    Confluent r := by
  intro a
  induction a using wf.induction with
  | _ a ih =>
    intro b c hab hac
    cases hab with
    | refl => exact ⟨c, hac, .refl c⟩
    | head hb hb' =>
      cases hac with
      | refl => exact ⟨b, .refl b, .head hb hb'⟩
      | head hc hc' =>
        obtain ⟨d, hd₁, hd₂⟩ := loc _ _ _ hb hc
        obtain ⟨e, he₁, he₂⟩ := ih _ hb _ _ hb' hd₁
        obtain ⟨g, hg₁, hg₂⟩ := ih _ hc _ _ hc' (hd₂.trans he₂)
        exact ⟨g, he₁.trans hg₂, hg₁⟩

def Simulation (R : α → β → Prop) (r : α → α → Prop) (s : β → β → Prop) : Prop :=
  ∀ a a' b, R a b → r a a' → ∃ b', R a' b' ∧ s b b'

theorem Simulation.star {R : α → β → Prop} {s : β → β → Prop}
    (sim : Simulation R r s) {a a' : α} (h : Star r a a') :
    ∀ b, R a b → ∃ b', R a' b' ∧ Star s b b' := by
  induction h with
  | refl => exact fun b hb => ⟨b, hb, .refl b⟩
  | head h _ ih =>
    intro b hb
    obtain ⟨b₁, hR, hs⟩ := sim _ _ _ hb h
    obtain ⟨b₂, hR₂, hs₂⟩ := ih b₁ hR
    exact ⟨b₂, hR₂, .head hs hs₂⟩

theorem Simulation.terminating {R : α → β → Prop} {s : β → β → Prop}
    (sim : Simulation R r s) (total : ∀ a, ∃ b, R a b) (wf : Terminating s) :
    Terminating r := by
  constructor
  intro a
  obtain ⟨b, hb⟩ := total a
  induction b using wf.induction generalizing a with
  | _ b ih =>
    constructor
    intro a' ha'
    obtain ⟨b', hR, hs⟩ := sim a a' b hb ha'
    exact ih b' hs a' hR

end Rewriting
