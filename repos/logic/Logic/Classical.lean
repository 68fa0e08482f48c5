import Logic.Connectives

/-!
Propositional logic with the law of the excluded middle.
-/

namespace Logic

theorem em_or (p : Prop) : p ∨ ¬ p := by
  by_cases hp : p
  · left
    exact hp
  · right
    exact hp

theorem not_not_elim' (p : Prop) (h : ¬ ¬ p) : p := by
  by_cases hp : p
  · exact hp
  · exact absurd hp h

theorem not_not_iff' (p : Prop) : ¬ ¬ p ↔ p := by
  constructor
  · intro h
    exact Classical.not_not.1 h
  · intro hp hn
    exact hn hp

theorem not_and_split (p q : Prop) (h : ¬ (p ∧ q)) : ¬ p ∨ ¬ q := by
  by_cases hp : p
  · right
    intro hq
    exact h ⟨hp, hq⟩
  · left
    exact hp

theorem imp_as_or (p q : Prop) (h : p → q) : ¬ p ∨ q := by
  by_cases hp : p
  · right
    exact h hp
  · left
    exact hp

theorem or_as_imp (p q : Prop) (h : ¬ p ∨ q) : p → q := by
  intro hp
  cases h with
  | inl hn => exact absurd hp hn
  | inr hq => exact hq

theorem not_imp_split (p q : Prop) (h : ¬ (p → q)) : p ∧ ¬ q := by
  by_cases hp : p
  · constructor
    · exact hp
    · intro hq
      apply h
      intro _
      exact hq
  · exact absurd (fun h1 => absurd h1 hp) h

theorem contrapose_back (p q : Prop) (h : ¬ q → ¬ p) : p → q := by
  intro hp
  by_cases hq : q
  · exact hq
  · exact absurd hp (h hq)

theorem peirce (p q : Prop) (h : (p → q) → p) : p := by
  by_cases hp : p
  · exact hp
  · apply h
    intro h1
    exact absurd h1 hp

theorem imp_linear (p q : Prop) : (p → q) ∨ (q → p) := by
  sorry

theorem imp_or_split (p q r : Prop) (h : p → q ∨ r) : (p → q) ∨ (p → r) := by
  by_cases hp : p
  · cases h hp with
    | inl hq =>
      left
      intro _
      exact hq
    | inr hr =>
      right
      intro _
      exact hr
  · left
    intro h1
    exact absurd h1 hp

theorem cases_both (p q : Prop) (h1 : p → q) (h2 : ¬ p → q) : q := by
  by_cases hp : p
  · exact h1 hp
  · exact h2 hp

theorem or_of_not_imp (p q : Prop) (h : ¬ p → q) : p ∨ q := by
  by_cases hp : p
  · left
    exact hp
  · right
    exact h hp

theorem not_iff_split (p q : Prop) (h : ¬ (p ↔ q)) (hp : p) : ¬ q := by
  intro hq
  apply h
  constructor
  · intro _
    exact hq
  · intro _
    exact hp

theorem iff_cases (p q : Prop) (h : p ↔ q) : (p ∧ q) ∨ (¬ p ∧ ¬ q) := by
  by_cases hp : p
  · left
    exact ⟨hp, h.1 hp⟩
  · right
    constructor
    · exact hp
    · intro hq
      exact hp (h.2 hq)

theorem nand_split (p q : Prop) (h : Nand p q) : ¬ p ∨ ¬ q := by
  by_cases hp : p
  · right
    intro hq
    exact h ⟨hp, hq⟩
  · left
    exact hp

theorem not_nor_split (p q : Prop) (h : ¬ Nor p q) : p ∨ q := by
  sorry

theorem not_nand_split (p q : Prop) (h : ¬ Nand p q) : p ∧ q := by
  by_cases h1 : p ∧ q
  · exact h1
  · exact absurd h1 h

theorem exor_not (p : Prop) : ExOr p (¬ p) := by
  by_cases hp : p
  · left
    constructor
    · exact hp
    · intro hn
      exact hn hp
  · right
    constructor
    · exact hp
    · exact hp

theorem exor_of_or_nand (p q : Prop) (h : p ∨ q) (h1 : Nand p q) : ExOr p q := by
  cases h with
  | inl hp =>
    left
    constructor
    · exact hp
    · intro hq
      exact h1 ⟨hp, hq⟩
  | inr hq =>
    right
    constructor
    · intro hp
      exact h1 ⟨hp, hq⟩
    · exact hq

theorem some3_of_not_all3 (p q r : Prop) (h : ¬ All3 p q r) : Some3 (¬ p) (¬ q) (¬ r) := by
  sorry

theorem all3_of_not_some3 (p q r : Prop) (h : ¬ Some3 p q r) : All3 (¬ p) (¬ q) (¬ r) := by
  constructor
  · intro hp
    exact h (Some3.one hp)
  · intro hq
    exact h (Some3.two hq)
  · intro hr
    exact h (Some3.three hr)

end Logic
