import Logic.Classical

/-!
Predicate logic: universal and existential quantifiers.
-/

namespace Logic

section Forall

variable {α : Type} (p q r : α → Prop)

theorem forall_and_split (h : ∀ x, p x ∧ q x) : (∀ x, p x) ∧ (∀ x, q x) := by
  constructor
  · intro x
    exact (h x).1
  · intro x
    exact (h x).2

theorem forall_and_collect (h : (∀ x, p x) ∧ (∀ x, q x)) : ∀ x, p x ∧ q x := by
  intro x
  constructor
  · exact h.1 x
  · exact h.2 x

theorem forall_and_swap (h : ∀ x, p x ∧ q x) : ∀ x, q x ∧ p x := by
  intro x
  exact ⟨(h x).2, (h x).1⟩

theorem forall_imp_chain (h1 : ∀ x, p x → q x) (h2 : ∀ x, q x → r x) : ∀ x, p x → r x := by
  intro x hp
  apply h2
  apply h1
  exact hp

theorem forall_mp (h1 : ∀ x, p x → q x) (h2 : ∀ x, p x) : ∀ x, q x := by
  intro x
  apply h1
  exact h2 x

theorem forall_or_of_or (h : (∀ x, p x) ∨ (∀ x, q x)) : ∀ x, p x ∨ q x := by
  intro x
  cases h with
  | inl h1 => exact Or.inl (h1 x)
  | inr h2 => exact Or.inr (h2 x)

theorem forall_or_swap (h : ∀ x, p x ∨ q x) : ∀ x, q x ∨ p x := by
  sorry

theorem forall_or_right_elim (h : ∀ x, p x ∨ q x) (hn : ∀ x, ¬ q x) : ∀ x, p x := by
  intro x
  cases h x with
  | inl hp => exact hp
  | inr hq => exact absurd hq (hn x)

theorem forall_const_imp (a : Prop) (h : ∀ x, a → p x) : a → ∀ x, p x := by
  intro ha x
  exact h x ha

theorem forall_contrapose (h : ∀ x, p x → q x) : ∀ x, ¬ q x → ¬ p x := by
  intro x hn hp
  apply hn
  exact h x hp

theorem forall_iff_swap (h : ∀ x, p x ↔ q x) : ∀ x, q x ↔ p x := by
  intro x
  constructor
  · exact (h x).2
  · exact (h x).1

theorem forall_iff_congr (h : ∀ x, p x ↔ q x) : (∀ x, p x) ↔ (∀ x, q x) := by
  sorry

theorem forall_swap' (s : α → α → Prop) (h : ∀ x y, s x y) : ∀ y x, s x y := by
  intro y x
  exact h x y

theorem forall_diag (s : α → α → Prop) (h : ∀ x y, s x y) : ∀ x, s x x := by
  intro x
  exact h x x

end Forall

section Exists

variable {α : Type} (p q r : α → Prop)

theorem exists_intro' (a : α) (h : p a) : ∃ x, p x := by
  exists a

theorem exists_and_left' (h : ∃ x, p x ∧ q x) : ∃ x, p x := by
  obtain ⟨x, hp, _⟩ := h
  exact ⟨x, hp⟩

theorem exists_and_split (h : ∃ x, p x ∧ q x) : (∃ x, p x) ∧ (∃ x, q x) := by
  obtain ⟨x, hp, hq⟩ := h
  constructor
  · exact ⟨x, hp⟩
  · exact ⟨x, hq⟩

theorem exists_and_swap (h : ∃ x, p x ∧ q x) : ∃ x, q x ∧ p x := by
  obtain ⟨x, hp, hq⟩ := h
  exact ⟨x, hq, hp⟩

theorem exists_or_split (h : ∃ x, p x ∨ q x) : (∃ x, p x) ∨ (∃ x, q x) := by
  obtain ⟨x, h1⟩ := h
  cases h1 with
  | inl hp =>
    left
    exact ⟨x, hp⟩
  | inr hq =>
    right
    exact ⟨x, hq⟩

theorem exists_or_collect (h : (∃ x, p x) ∨ (∃ x, q x)) : ∃ x, p x ∨ q x := by
  sorry

theorem exists_or_swap (h : ∃ x, p x ∨ q x) : ∃ x, q x ∨ p x := by
  obtain ⟨x, h1⟩ := h
  exists x
  cases h1 with
  | inl hp => exact Or.inr hp
  | inr hq => exact Or.inl hq

theorem exists_map (h1 : ∀ x, p x → q x) (h : ∃ x, p x) : ∃ x, q x := by
  obtain ⟨x, hp⟩ := h
  exists x
  exact h1 x hp

theorem exists_map_and (h1 : ∀ x, p x → q x) (h : ∃ x, p x ∧ r x) : ∃ x, q x ∧ r x := by
  obtain ⟨x, hp, hr⟩ := h
  exists x
  constructor
  · exact h1 x hp
  · exact hr

theorem exists_elim' (a : Prop) (h : ∃ x, p x) (h1 : ∀ x, p x → a) : a := by
  obtain ⟨x, hp⟩ := h
  exact h1 x hp

theorem exists_imp_iff (a : Prop) : ((∃ x, p x) → a) ↔ ∀ x, p x → a := by
  constructor
  · intro h x hp
    exact h ⟨x, hp⟩
  · intro h h1
    obtain ⟨x, hp⟩ := h1
    exact h x hp

theorem exists_const_and (a : Prop) (h : ∃ x, a ∧ p x) : a ∧ ∃ x, p x := by
  obtain ⟨x, ha, hp⟩ := h
  constructor
  · exact ha
  · exact ⟨x, hp⟩

theorem and_const_exists (a : Prop) (h : a ∧ ∃ x, p x) : ∃ x, a ∧ p x := by
  obtain ⟨ha, x, hp⟩ := h
  exact ⟨x, ha, hp⟩

theorem exists_const_imp (a : Prop) (h : ∃ x, a → p x) : a → ∃ x, p x := by
  intro ha
  obtain ⟨x, h1⟩ := h
  exists x
  exact h1 ha

theorem exists_swap' (s : α → α → Prop) (h : ∃ x y, s x y) : ∃ y x, s x y := by
  obtain ⟨x, y, h1⟩ := h
  exact ⟨y, x, h1⟩

theorem exists_diag (s : α → α → Prop) (h : ∃ x, s x x) : ∃ x y, s x y := by
  obtain ⟨x, h1⟩ := h
  exact ⟨x, x, h1⟩

theorem exists_iff_congr (h : ∀ x, p x ↔ q x) : (∃ x, p x) ↔ (∃ x, q x) := by
  constructor
  · intro h1
    obtain ⟨x, hp⟩ := h1
    exact ⟨x, (h x).1 hp⟩
  · sorry

theorem exists_forall_swap (s : α → α → Prop) (h : ∃ x, ∀ y, s x y) : ∀ y, ∃ x, s x y := by
  intro y
  obtain ⟨x, h1⟩ := h
  exists x
  exact h1 y

end Exists

section Mixed

variable {α : Type} (p q : α → Prop)

theorem not_exists_split (h : ¬ ∃ x, p x) : ∀ x, ¬ p x := by
  intro x hp
  apply h
  exists x

theorem not_exists_collect (h : ∀ x, ¬ p x) : ¬ ∃ x, p x := by
  intro h1
  obtain ⟨x, hp⟩ := h1
  exact h x hp

theorem not_forall_of_exists (h : ∃ x, ¬ p x) : ¬ ∀ x, p x := by
  intro h1
  obtain ⟨x, hn⟩ := h
  exact hn (h1 x)

theorem not_exists_not (h : ∀ x, p x) : ¬ ∃ x, ¬ p x := by
  intro h1
  obtain ⟨x, hn⟩ := h1
  apply hn
  exact h x

theorem exists_of_not_forall (h : ¬ ∀ x, p x) : ∃ x, ¬ p x := by
  apply Classical.byContradiction
  intro hn
  apply h
  intro x
  by_cases hp : p x
  · exact hp
  · exact absurd ⟨x, hp⟩ hn

theorem forall_exists_mp (h1 : ∀ x, p x → q x) (h : ∃ x, ¬ q x) : ∃ x, ¬ p x := by
  obtain ⟨x, hn⟩ := h
  exists x
  intro hp
  exact hn (h1 x hp)

theorem forall_not_of_not_and (h : ¬ ∃ x, p x ∧ q x) : ∀ x, p x → ¬ q x := by
  intro x hp hq
  apply h
  exact ⟨x, hp, hq⟩

theorem forall_em (x : α) : p x ∨ ¬ p x := by
  by_cases hp : p x
  · left
    exact hp
  · right
    exact hp

theorem exists_eq_self (a : α) : ∃ x, x = a := by
  exists a

theorem exists_fun_const (a : α) : ∃ f : α → α, ∀ x, f x = a := by
  exists fun _ => a
  intro x
  rfl

theorem exists_fun_id : ∃ f : α → α, ∀ x, f x = x := by
  sorry

theorem exists_pred_true : ∃ s : α → Prop, ∀ x, s x := by
  exists fun _ => True
  intro x
  trivial

theorem exists_pred_false : ∃ s : α → Prop, ∀ x, ¬ s x := by
  sorry

theorem exists_pred_and : ∃ s : α → Prop, ∀ x, s x ↔ p x ∧ q x := by
  exists fun x => p x ∧ q x
  intro x
  rfl

theorem exists_pred_or : ∃ s : α → Prop, ∀ x, s x ↔ q x ∨ p x := by
  sorry

theorem exists_prop_false : ∃ a : Prop, ¬ a := by
  refine ⟨False, ?_⟩
  intro h
  exact h

theorem exists_prop_below (a b : Prop) : ∃ c : Prop, (c → a) ∧ (c → b) := by
  exists a ∧ b
  constructor
  · intro h
    exact h.1
  · intro h
    exact h.2

theorem exists_prop_above (a b : Prop) : ∃ c : Prop, (a → c) ∧ (b → c) := by
  sorry

end Mixed

end Logic
