/-!
Propositional logic with the connectives of the core library and a few of our own.
No theorem in this file needs classical reasoning.
-/

namespace Logic

section Conjunction

theorem and_swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.2
  · exact h.1

theorem and_swap_iff (p q : Prop) : p ∧ q ↔ q ∧ p := by
  constructor
  · intro h
    exact ⟨h.2, h.1⟩
  · intro h
    exact ⟨h.2, h.1⟩

theorem and_regroup_right (p q r : Prop) (h : (p ∧ q) ∧ r) : p ∧ (q ∧ r) := by
  constructor
  · exact h.1.1
  · constructor
    · exact h.1.2
    · exact h.2

theorem and_regroup_left (p q r : Prop) (h : p ∧ (q ∧ r)) : (p ∧ q) ∧ r := by
  sorry

theorem and_of_both (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  apply And.intro
  · exact hp
  · exact hq

theorem and_same (p : Prop) : p ∧ p ↔ p := by
  constructor
  · intro h
    exact h.1
  · intro h
    exact ⟨h, h⟩

theorem and_map (p q r s : Prop) (h1 : p → r) (h2 : q → s) (h : p ∧ q) : r ∧ s := by
  cases h with
  | intro hp hq =>
    constructor
    · exact h1 hp
    · exact h2 hq

theorem and_map_left (p q r : Prop) (h1 : p → r) (h : p ∧ q) : r ∧ q := by
  obtain ⟨hp, hq⟩ := h
  constructor
  · exact h1 hp
  · exact hq

theorem and_reverse (p q r : Prop) (h : p ∧ q ∧ r) : r ∧ q ∧ p := by
  obtain ⟨hp, hq, hr⟩ := h
  constructor
  · exact hr
  · exact ⟨hq, hp⟩

theorem and_true_iff' (p : Prop) : p ∧ True ↔ p := by
  simp

theorem and_rotate (p q r : Prop) (h : p ∧ q ∧ r) : q ∧ r ∧ p := by
  obtain ⟨hp, hq, hr⟩ := h
  constructor
  · exact hq
  · constructor
    · exact hr
    · exact hp

end Conjunction

section Disjunction

theorem or_swap (p q : Prop) (h : p ∨ q) : q ∨ p := by
  cases h with
  | inl hp =>
    right
    exact hp
  | inr hq =>
    left
    exact hq

theorem or_swap_iff (p q : Prop) : p ∨ q ↔ q ∨ p := by
  constructor
  · intro h
    cases h with
    | inl hp => exact Or.inr hp
    | inr hq => exact Or.inl hq
  · intro h
    cases h with
    | inl hq => exact Or.inr hq
    | inr hp => exact Or.inl hp

theorem or_regroup_right (p q r : Prop) (h : (p ∨ q) ∨ r) : p ∨ (q ∨ r) := by
  cases h with
  | inl h1 =>
    cases h1 with
    | inl hp => exact Or.inl hp
    | inr hq => exact Or.inr (Or.inl hq)
  | inr hr => exact Or.inr (Or.inr hr)

theorem or_regroup_left (p q r : Prop) (h : p ∨ (q ∨ r)) : (p ∨ q) ∨ r := by
  sorry

theorem or_same (p : Prop) (h : p ∨ p) : p := by
  cases h with
  | inl hp => exact hp
  | inr hp => exact hp

theorem or_map (p q r s : Prop) (h1 : p → r) (h2 : q → s) (h : p ∨ q) : r ∨ s := by
  cases h with
  | inl hp =>
    left
    exact h1 hp
  | inr hq =>
    right
    exact h2 hq

theorem or_map_right (p q r : Prop) (h1 : q → r) (h : p ∨ q) : p ∨ r := by
  rcases h with hp | hq
  · left
    exact hp
  · right
    exact h1 hq

theorem or_cases (p q r : Prop) (h : p ∨ q) (h1 : p → r) (h2 : q → r) : r := by
  cases h with
  | inl hp => exact h1 hp
  | inr hq => exact h2 hq

theorem or_cases_iff (p q r : Prop) : (p ∨ q → r) ↔ (p → r) ∧ (q → r) := by
  constructor
  · intro h
    constructor
    · intro hp
      exact h (Or.inl hp)
    · intro hq
      exact h (Or.inr hq)
  · intro h h1
    cases h1 with
    | inl hp => exact h.1 hp
    | inr hq => exact h.2 hq

theorem or_left_not_right (p q : Prop) (h : p ∨ q) (hn : ¬ q) : p := by
  cases h with
  | inl hp => exact hp
  | inr hq => exact absurd hq hn

theorem or_right_not_left (p q : Prop) (h : p ∨ q) (hn : ¬ p) : q := by
  cases h with
  | inl hp => exact absurd hp hn
  | inr hq => exact hq

theorem or_rotate (p q r : Prop) (h : p ∨ q ∨ r) : q ∨ r ∨ p := by
  rcases h with hp | hq | hr
  · right
    right
    exact hp
  · left
    exact hq
  · right
    left
    exact hr

theorem or_false_left (p : Prop) (h : False ∨ p) : p := by
  cases h with
  | inl hf => contradiction
  | inr hp => exact hp

end Disjunction

section Distribution

theorem and_or_distrib (p q r : Prop) (h : p ∧ (q ∨ r)) : (p ∧ q) ∨ (p ∧ r) := by
  obtain ⟨hp, h1⟩ := h
  cases h1 with
  | inl hq =>
    left
    exact ⟨hp, hq⟩
  | inr hr =>
    right
    exact ⟨hp, hr⟩

theorem and_or_collect (p q r : Prop) (h : (p ∧ q) ∨ (p ∧ r)) : p ∧ (q ∨ r) := by
  cases h with
  | inl h1 =>
    constructor
    · exact h1.1
    · exact Or.inl h1.2
  | inr h2 =>
    constructor
    · exact h2.1
    · exact Or.inr h2.2

theorem or_and_distrib (p q r : Prop) (h : p ∨ (q ∧ r)) : (p ∨ q) ∧ (p ∨ r) := by
  cases h with
  | inl hp => exact ⟨Or.inl hp, Or.inl hp⟩
  | inr h1 => exact ⟨Or.inr h1.1, Or.inr h1.2⟩

theorem or_and_collect (p q r : Prop) (h : (p ∨ q) ∧ (p ∨ r)) : p ∨ (q ∧ r) := by
  sorry

theorem imp_and_distrib (p q r : Prop) (h : p → q ∧ r) : (p → q) ∧ (p → r) := by
  constructor
  · intro hp
    exact (h hp).1
  · intro hp
    exact (h hp).2

theorem imp_and_collect (p q r : Prop) (h : (p → q) ∧ (p → r)) : p → q ∧ r := by
  intro hp
  constructor
  · exact h.1 hp
  · exact h.2 hp

theorem imp_or_of_or (p q r : Prop) (h : (p → q) ∨ (p → r)) : p → q ∨ r := by
  intro hp
  cases h with
  | inl h1 =>
    left
    exact h1 hp
  | inr h2 =>
    right
    exact h2 hp

end Distribution

section Implication

theorem imp_self' (p : Prop) : p → p := by
  intro hp
  exact hp

theorem imp_const (p q : Prop) : p → q → p := by
  intro hp _
  exact hp

theorem imp_chain (p q r : Prop) (h1 : p → q) (h2 : q → r) : p → r := by
  intro hp
  apply h2
  apply h1
  exact hp

theorem imp_chain3 (p q r s : Prop) (h1 : p → q) (h2 : q → r) (h3 : r → s) : p → s := by
  intro hp
  apply h3
  apply h2
  apply h1
  exact hp

theorem imp_swap (p q r : Prop) (h : p → q → r) : q → p → r := by
  intro hq hp
  exact h hp hq

theorem imp_contract (p q : Prop) (h : p → p → q) : p → q := by
  intro hp
  exact h hp hp

theorem imp_distrib (p q r : Prop) (h : p → q → r) : (p → q) → p → r := by
  intro h1 hp
  apply h
  · exact hp
  · exact h1 hp

theorem curry_and (p q r : Prop) : (p ∧ q → r) ↔ (p → q → r) := by
  constructor
  · intro h hp hq
    exact h ⟨hp, hq⟩
  · intro h h1
    exact h h1.1 h1.2

theorem curry_and3 (p q r s : Prop) (h : p ∧ q ∧ r → s) : p → q → r → s := by
  sorry

end Implication

section Negation

theorem not_not_intro' (p : Prop) (hp : p) : ¬ ¬ p := by
  intro hn
  exact hn hp

theorem contrapose (p q : Prop) (h : p → q) : ¬ q → ¬ p := by
  intro hn hp
  apply hn
  exact h hp

theorem not_or_split (p q : Prop) (h : ¬ (p ∨ q)) : ¬ p ∧ ¬ q := by
  constructor
  · intro hp
    apply h
    left
    exact hp
  · intro hq
    apply h
    right
    exact hq

theorem not_or_collect (p q : Prop) (h : ¬ p ∧ ¬ q) : ¬ (p ∨ q) := by
  intro h1
  cases h1 with
  | inl hp => exact h.1 hp
  | inr hq => exact h.2 hq

theorem not_and_of_or (p q : Prop) (h : ¬ p ∨ ¬ q) : ¬ (p ∧ q) := by
  intro h1
  cases h with
  | inl hp => exact hp h1.1
  | inr hq => exact hq h1.2

theorem not_and_imp (p q : Prop) (h : ¬ (p ∧ q)) : p → ¬ q := by
  intro hp hq
  apply h
  exact ⟨hp, hq⟩

theorem not_and_not (p : Prop) : ¬ (p ∧ ¬ p) := by
  intro h
  exact h.2 h.1

theorem absurd_of (p q : Prop) (hp : p) (hn : ¬ p) : q := by
  exact absurd hp hn

theorem not_iff_not_self (p : Prop) : ¬ (p ↔ ¬ p) := by
  intro h
  have hn : ¬ p := by
    intro hp
    exact h.1 hp hp
  apply hn
  exact h.2 hn

theorem not_not_not (p : Prop) : ¬ ¬ ¬ p → ¬ p := by
  intro h hp
  apply h
  intro hn
  exact hn hp

theorem not_not_map (p q : Prop) (h : p → q) (hp : ¬ ¬ p) : ¬ ¬ q := by
  sorry

theorem not_not_and (p q : Prop) (h : ¬ ¬ (p ∧ q)) : ¬ ¬ p ∧ ¬ ¬ q := by
  constructor
  · intro hn
    apply h
    intro h1
    exact hn h1.1
  · intro hn
    apply h
    intro h1
    exact hn h1.2

end Negation

section Equivalence

theorem iff_reflexive (p : Prop) : p ↔ p := by
  rfl

theorem iff_swap (p q : Prop) (h : p ↔ q) : q ↔ p := by
  constructor
  · exact h.2
  · exact h.1

theorem iff_chain (p q r : Prop) (h1 : p ↔ q) (h2 : q ↔ r) : p ↔ r := by
  constructor
  · intro hp
    exact h2.1 (h1.1 hp)
  · intro hr
    exact h1.2 (h2.2 hr)

theorem iff_and_congr (p q r s : Prop) (h1 : p ↔ r) (h2 : q ↔ s) : p ∧ q ↔ r ∧ s := by
  constructor
  · intro h
    exact ⟨h1.1 h.1, h2.1 h.2⟩
  · intro h
    exact ⟨h1.2 h.1, h2.2 h.2⟩

theorem iff_or_congr (p q r s : Prop) (h1 : p ↔ r) (h2 : q ↔ s) : p ∨ q ↔ r ∨ s := by
  rw [h1, h2]

theorem iff_not_congr (p q : Prop) (h : p ↔ q) : ¬ p ↔ ¬ q := by
  constructor
  · intro hn hq
    exact hn (h.2 hq)
  · intro hn hp
    exact hn (h.1 hp)

theorem iff_imp_congr (p q r s : Prop) (h1 : p ↔ r) (h2 : q ↔ s) : (p → q) ↔ (r → s) := by
  constructor
  · intro h hr
    exact h2.1 (h (h1.2 hr))
  · sorry

end Equivalence

/-- Not both. -/
def Nand (p q : Prop) : Prop := ¬ (p ∧ q)

/-- Neither. -/
def Nor (p q : Prop) : Prop := ¬ (p ∨ q)

/-- Exactly one of the two. -/
def ExOr (p q : Prop) : Prop := (p ∧ ¬ q) ∨ (¬ p ∧ q)

/-- At least one of three. -/
inductive Some3 (p q r : Prop) : Prop where
  | one (h : p) : Some3 p q r
  | two (h : q) : Some3 p q r
  | three (h : r) : Some3 p q r

/-- All three. -/
structure All3 (p q r : Prop) : Prop where
  one : p
  two : q
  three : r

section Own

variable (p q r s : Prop)

theorem nand_comm (h : Nand p q) : Nand q p := by
  unfold Nand
  intro h1
  exact h ⟨h1.2, h1.1⟩

theorem nand_of_not (h : ¬ p) : Nand p q := by
  unfold Nand
  intro h1
  exact h h1.1

theorem nand_self (h : Nand p p) : ¬ p := by
  intro hp
  exact h ⟨hp, hp⟩

theorem nand_of_nor (h : Nor p q) : Nand p q := by
  intro h1
  apply h
  left
  exact h1.1

theorem nor_comm (h : Nor p q) : Nor q p := by
  unfold Nor
  intro h1
  apply h
  cases h1 with
  | inl hq => exact Or.inr hq
  | inr hp => exact Or.inl hp

theorem nor_left (h : Nor p q) : ¬ p := by
  intro hp
  apply h
  left
  exact hp

theorem nor_right (h : Nor p q) : ¬ q := sorry

theorem nor_of_not (h1 : ¬ p) (h2 : ¬ q) : Nor p q := by
  intro h
  cases h with
  | inl hp => exact h1 hp
  | inr hq => exact h2 hq

theorem nor_iff_and : Nor p q ↔ ¬ p ∧ ¬ q := by
  simp [Nor]

theorem nand_nor_absurd (h : Nor p q) (h1 : p ∨ q) : r := by
  exact absurd h1 h

theorem nand_mono (h1 : r → p) (h2 : s → q) (h : Nand p q) : Nand r s := by
  sorry

theorem exor_comm (h : ExOr p q) : ExOr q p := by
  cases h with
  | inl h1 => exact Or.inr ⟨h1.2, h1.1⟩
  | inr h1 => exact Or.inl ⟨h1.2, h1.1⟩

theorem exor_or (h : ExOr p q) : p ∨ q := by
  cases h with
  | inl h1 => exact Or.inl h1.1
  | inr h1 => exact Or.inr h1.2

theorem exor_nand (h : ExOr p q) : Nand p q := by
  sorry

theorem exor_irrefl : ¬ ExOr p p := by
  intro h
  cases h with
  | inl h1 => exact h1.2 h1.1
  | inr h1 => exact h1.1 h1.2

theorem exor_true (h : ExOr p True) : ¬ p := by
  intro hp
  cases h with
  | inl h1 => exact h1.2 True.intro
  | inr h1 => exact h1.1 hp

theorem exor_false (hp : p) : ExOr p False := by
  left
  constructor
  · exact hp
  · intro hf
    exact hf

theorem some3_rotate (h : Some3 p q r) : Some3 q r p := by
  cases h with
  | one hp => exact Some3.three hp
  | two hq => exact Some3.one hq
  | three hr => exact Some3.two hr

theorem some3_flip (h : Some3 p q r) : Some3 r q p := by
  sorry

theorem some3_to_or (h : Some3 p q r) : p ∨ q ∨ r := by
  cases h with
  | one hp =>
    left
    exact hp
  | two hq =>
    right
    left
    exact hq
  | three hr =>
    right
    right
    exact hr

theorem some3_of_or (h : p ∨ q ∨ r) : Some3 p q r := by
  sorry

theorem some3_false (h : Some3 p q False) : p ∨ q := by
  cases h with
  | one hp => exact Or.inl hp
  | two hq => exact Or.inr hq
  | three hf => contradiction

theorem some3_same (h : Some3 p p p) : p := by
  cases h with
  | one hp => exact hp
  | two hp => exact hp
  | three hp => exact hp

theorem some3_map (h1 : p → s) (h : Some3 p q r) : Some3 s q r := by
  cases h with
  | one hp =>
    apply Some3.one
    exact h1 hp
  | two hq =>
    apply Some3.two
    exact hq
  | three hr =>
    apply Some3.three
    exact hr

theorem all3_rotate (h : All3 p q r) : All3 q r p := by
  constructor
  · exact h.two
  · exact h.three
  · exact h.one

theorem all3_flip (h : All3 p q r) : All3 r q p := by
  sorry

theorem all3_to_and (h : All3 p q r) : p ∧ q ∧ r := by
  cases h with
  | mk hp hq hr => exact ⟨hp, hq, hr⟩

theorem all3_of_and (h : p ∧ q ∧ r) : All3 p q r := by
  obtain ⟨hp, hq, hr⟩ := h
  constructor
  · exact hp
  · exact hq
  · exact hr

theorem all3_to_some3 (h : All3 p q r) : Some3 p q r := by
  apply Some3.one
  exact h.one

theorem all3_map (h1 : p → s) (h : All3 p q r) : All3 s q r := by
  constructor
  · exact h1 h.one
  · exact h.two
  · exact h.three

theorem all3_not_some3 (h : All3 (¬ p) (¬ q) (¬ r)) : ¬ Some3 p q r := by
  intro h1
  cases h1 with
  | one hp => exact h.one hp
  | two hq => exact h.two hq
  | three hr => exact h.three hr

theorem some3_not_all3 (h : Some3 (¬ p) (¬ q) (¬ r)) : ¬ All3 p q r := by
  sorry

end Own

end Logic
