/-!
Preorders, equal rank, partial orders, the strict order, comparable elements, and total orders.
-/

namespace Order

/-- A preorder is reflexive and transitive. -/
class Pre (α : Type) where
  le : α → α → Prop
  refl : ∀ a, le a a
  trans : ∀ a b c, le a b → le b c → le a c

infix:50 " ⊑ " => Pre.le

/-- A partial order: elements that lie below each other are equal. -/
class Poset (α : Type) extends Pre α where
  antisymm : ∀ a b : α, a ⊑ b → b ⊑ a → a = b

/-- A total order: any two elements are comparable. -/
class Total (α : Type) extends Poset α where
  total : ∀ a b : α, a ⊑ b ∨ b ⊑ a

section Preorder

variable {α : Type} [Pre α]

/-- Both lie below each other. -/
def Alike (a b : α) : Prop := a ⊑ b ∧ b ⊑ a

/-- Strictly below: below, and not the other way round. -/
def Below (a b : α) : Prop := a ⊑ b ∧ ¬ b ⊑ a

infix:50 " ⊏ " => Below

/-- One of the two lies below the other. -/
def Comparable (a b : α) : Prop := a ⊑ b ∨ b ⊑ a

/-- Nothing lies strictly between `a` and `b`, and `a` is strictly below `b`. -/
def Covers (a b : α) : Prop := a ⊏ b ∧ ∀ c, a ⊏ c → c ⊏ b → False

theorem le_refl (a : α) : a ⊑ a := by
  exact Pre.refl a

theorem le_trans {a b c : α} (h1 : a ⊑ b) (h2 : b ⊑ c) : a ⊑ c := by
  exact Pre.trans a b c h1 h2

instance : Trans (Pre.le : α → α → Prop) Pre.le Pre.le where
  trans := le_trans

theorem le_of_eq {a b : α} (h : a = b) : a ⊑ b := by
  rw [h]
  exact le_refl b

theorem le_chain3 {a b c d : α} (h1 : a ⊑ b) (h2 : b ⊑ c) (h3 : c ⊑ d) : a ⊑ d := by
  calc a ⊑ b := h1
    _ ⊑ c := h2
    _ ⊑ d := h3

theorem le_chain4 {a b c d e : α} (h1 : a ⊑ b) (h2 : b ⊑ c) (h3 : c ⊑ d) (h4 : d ⊑ e) : a ⊑ e := by
  have h5 : a ⊑ c := le_trans h1 h2
  have h6 : c ⊑ e := le_trans h3 h4
  exact le_trans h5 h6

theorem not_le_of_le_of_not_le {a b c : α} (h1 : a ⊑ b) (h2 : ¬ a ⊑ c) : ¬ b ⊑ c := by
  intro h3
  apply h2
  exact le_trans h1 h3

theorem not_le_of_not_le_of_le {a b c : α} (h1 : c ⊑ b) (h2 : ¬ a ⊑ b) : ¬ a ⊑ c := by
  intro h3
  apply h2
  exact le_trans h3 h1

theorem le_of_forall_above {a b : α} (h : ∀ c, b ⊑ c → a ⊑ c) : a ⊑ b := by
  apply h
  exact le_refl b

theorem le_of_forall_below {a b : α} (h : ∀ c, c ⊑ a → c ⊑ b) : a ⊑ b := by
  apply h
  exact le_refl a

theorem le_iff_forall_above (a b : α) : a ⊑ b ↔ ∀ c, b ⊑ c → a ⊑ c := by
  constructor
  · intro h c h1
    exact le_trans h h1
  · exact le_of_forall_above

theorem alike_refl (a : α) : Alike a a := by
  constructor
  · exact le_refl a
  · exact le_refl a

theorem alike_symm {a b : α} (h : Alike a b) : Alike b a := by
  obtain ⟨h1, h2⟩ := h
  exact ⟨h2, h1⟩

theorem alike_trans {a b c : α} (h1 : Alike a b) (h2 : Alike b c) : Alike a c := by
  constructor
  · exact le_trans h1.1 h2.1
  · exact le_trans h2.2 h1.2

theorem alike_le_left {a b c : α} (h : Alike a b) : a ⊑ c ↔ b ⊑ c := by
  sorry

theorem alike_le_both {a b c d : α} (h : Alike a b) (h1 : Alike c d) : a ⊑ c ↔ b ⊑ d := by
  sorry

theorem alike_of_forall_above {a b : α} (h : ∀ c, a ⊑ c ↔ b ⊑ c) : Alike a b := by
  constructor
  · exact (h b).2 (le_refl b)
  · exact (h a).1 (le_refl a)

theorem alike_iff_forall_below (a b : α) : Alike a b ↔ ∀ c, c ⊑ a ↔ c ⊑ b := by
  sorry

theorem below_le {a b : α} (h : a ⊏ b) : a ⊑ b := by
  exact h.1

theorem below_irrefl (a : α) : ¬ a ⊏ a := by
  intro h
  exact h.2 h.1

theorem below_trans {a b c : α} (h1 : a ⊏ b) (h2 : b ⊏ c) : a ⊏ c := by
  constructor
  · exact le_trans h1.1 h2.1
  · intro h3
    exact h1.2 (le_trans h2.1 h3)

theorem below_of_below_of_le {a b c : α} (h1 : a ⊏ b) (h2 : b ⊑ c) : a ⊏ c := by
  refine ⟨le_trans h1.1 h2, ?_⟩
  intro h3
  exact h1.2 (le_trans h2 h3)

theorem below_of_le_of_below {a b c : α} (h1 : a ⊑ b) (h2 : b ⊏ c) : a ⊏ c := by
  constructor
  · exact le_trans h1 h2.1
  · intro h3
    exact h2.2 (le_trans h3 h1)

theorem below_asymm {a b : α} (h1 : a ⊏ b) : ¬ b ⊏ a := by
  intro h2
  exact below_irrefl a (below_trans h1 h2)

theorem below_not_ge {a b : α} (h : a ⊏ b) : ¬ b ⊑ a := by
  exact h.2

theorem below_ne {a b : α} (h : a ⊏ b) : a ≠ b := by
  intro h1
  rw [h1] at h
  exact below_irrefl b h

theorem below_alike {a b c d : α} (h1 : Alike a b) (h2 : b ⊏ c) (h3 : Alike c d) : a ⊏ d := by
  sorry

theorem not_below_cycle3 {a b c : α} (h1 : a ⊏ b) (h2 : b ⊏ c) : ¬ c ⊑ a := by
  intro h3
  have h4 := below_trans h1 h2
  exact h4.2 h3

theorem le_cases (a b : α) (h : a ⊑ b) : a ⊏ b ∨ Alike a b := by
  by_cases h1 : b ⊑ a
  · right
    exact ⟨h, h1⟩
  · left
    exact ⟨h, h1⟩

theorem le_iff_below_or_alike (a b : α) : a ⊑ b ↔ a ⊏ b ∨ Alike a b := by
  sorry

theorem comparable_refl (a : α) : Comparable a a := by
  left
  exact le_refl a

theorem comparable_symm {a b : α} (h : Comparable a b) : Comparable b a := by
  cases h with
  | inl h1 =>
    right
    exact h1
  | inr h1 =>
    left
    exact h1

theorem comparable_cases {a b : α} (h : Comparable a b) : a ⊏ b ∨ Alike a b ∨ b ⊏ a := by
  cases h with
  | inl h1 =>
    cases le_cases a b h1 with
    | inl h2 => exact Or.inl h2
    | inr h2 => exact Or.inr (Or.inl h2)
  | inr h1 =>
    cases le_cases b a h1 with
    | inl h2 => exact Or.inr (Or.inr h2)
    | inr h2 => exact Or.inr (Or.inl (alike_symm h2))

theorem comparable_of_alike {a b c : α} (h1 : Alike a b) (h2 : Comparable b c) : Comparable a c := by
  sorry

theorem not_le_of_incomparable {a b : α} (h : ¬ Comparable a b) : ¬ a ⊑ b := by
  intro h1
  apply h
  left
  exact h1

theorem not_comparable_below {a b : α} (h : ¬ Comparable a b) : ¬ a ⊏ b ∧ ¬ b ⊏ a := by
  constructor
  · intro h1
    exact h (Or.inl h1.1)
  · intro h1
    exact h (Or.inr h1.1)

theorem covers_below {a b : α} (h : Covers a b) : a ⊏ b := by
  exact h.1

theorem covers_between {a b c : α} (h : Covers a b) (h1 : a ⊑ c) (h2 : c ⊑ b) :
    Alike c a ∨ Alike c b := by
  by_cases h3 : c ⊑ a
  · left
    exact ⟨h3, h1⟩
  · by_cases h4 : b ⊑ c
    · right
      exact ⟨h2, h4⟩
    · exact absurd (h.2 c ⟨h1, h3⟩ ⟨h2, h4⟩) (fun f => f)

theorem not_covers_chain {a b c : α} (h1 : a ⊏ b) (h2 : b ⊏ c) : ¬ Covers a c := by
  intro h
  exact h.2 b h1 h2

end Preorder

section Partial

variable {α : Type} [Poset α]

theorem le_antisymm {a b : α} (h1 : a ⊑ b) (h2 : b ⊑ a) : a = b := by
  exact Poset.antisymm a b h1 h2

theorem alike_eq {a b : α} (h : Alike a b) : a = b := by
  obtain ⟨h1, h2⟩ := h
  exact le_antisymm h1 h2

theorem alike_iff_eq (a b : α) : Alike a b ↔ a = b := by
  constructor
  · exact alike_eq
  · intro h
    rw [h]
    exact alike_refl b

theorem below_iff_ne (a b : α) : a ⊏ b ↔ a ⊑ b ∧ a ≠ b := by
  constructor
  · intro h
    exact ⟨h.1, below_ne h⟩
  · intro ⟨h1, h2⟩
    refine ⟨h1, ?_⟩
    intro h3
    exact h2 (le_antisymm h1 h3)

theorem eq_or_below_of_le {a b : α} (h : a ⊑ b) : a = b ∨ a ⊏ b := by
  sorry

theorem eq_of_forall_above {a b : α} (h : ∀ c, a ⊑ c ↔ b ⊑ c) : a = b := by
  apply alike_eq
  exact alike_of_forall_above h

theorem eq_of_forall_below {a b : α} (h : ∀ c, c ⊑ a ↔ c ⊑ b) : a = b := by
  apply le_antisymm
  · exact (h a).1 (le_refl a)
  · exact (h b).2 (le_refl b)

theorem eq_of_cycle3 {a b c : α} (h1 : a ⊑ b) (h2 : b ⊑ c) (h3 : c ⊑ a) : a = b ∧ b = c := by
  constructor
  · exact le_antisymm h1 (le_trans h2 h3)
  · exact le_antisymm h2 (le_trans h3 h1)

theorem eq_of_cycle4 {a b c d : α} (h1 : a ⊑ b) (h2 : b ⊑ c) (h3 : c ⊑ d) (h4 : d ⊑ a) :
    a = c ∧ b = d := by
  sorry

theorem covers_le_cases {a b c : α} (h : Covers a b) (h1 : a ⊑ c) (h2 : c ⊑ b) : c = a ∨ c = b := by
  cases covers_between h h1 h2 with
  | inl h3 =>
    left
    exact alike_eq h3
  | inr h3 =>
    right
    exact alike_eq h3

theorem covers_not_le {a b c : α} (h1 : Covers a b) (h2 : Covers a c) (h3 : c ≠ b) :
    ¬ c ⊑ b := by
  sorry

end Partial

section TotalOrder

variable {α : Type} [Total α]

theorem le_total (a b : α) : a ⊑ b ∨ b ⊑ a := by
  exact Total.total a b

theorem comparable_total (a b : α) : Comparable a b := by
  unfold Comparable
  exact le_total a b

theorem not_le_iff_below (a b : α) : ¬ a ⊑ b ↔ b ⊏ a := by
  constructor
  · intro h
    cases le_total a b with
    | inl h1 => exact absurd h1 h
    | inr h1 => exact ⟨h1, h⟩
  · intro h
    exact h.2

theorem not_below_iff_le (a b : α) : ¬ a ⊏ b ↔ b ⊑ a := by
  constructor
  · intro h
    by_cases h1 : b ⊑ a
    · exact h1
    · have h2 : a ⊏ b := (not_le_iff_below b a).1 h1
      exact absurd h2 h
  · intro h h1
    exact h1.2 h

theorem below_trichotomy (a b : α) : a ⊏ b ∨ a = b ∨ b ⊏ a := by
  rcases comparable_cases (comparable_total a b) with h | h | h
  · left
    exact h
  · right
    left
    exact alike_eq h
  · right
    right
    exact h

theorem below_or_below_of_ne {a b : α} (h : a ≠ b) : a ⊏ b ∨ b ⊏ a := by
  sorry

theorem below_cut {a b : α} (h : a ⊏ b) (c : α) : a ⊏ c ∨ c ⊏ b := by
  by_cases h1 : c ⊑ a
  · right
    exact below_of_le_of_below h1 h
  · left
    exact (not_le_iff_below c a).1 h1

theorem le_or_covers {a b : α} (h : ∀ c, c ⊏ a → c ⊑ b) (h2 : ∃ c, Covers c a) :
    a ⊑ b ∨ Covers b a := by
  sorry

theorem covers_unique {a b c : α} (h1 : Covers a b) (h2 : Covers a c) : b = c := by
  sorry

theorem covered_unique {a b c : α} (h1 : Covers a c) (h2 : Covers b c) : a = b := by
  rcases below_trichotomy a b with h | h | h
  · exact (h1.2 b h h2.1).elim
  · exact h
  · exact (h2.2 a h h1.1).elim

theorem median_exists (a b c : α) : (a ⊑ b ∧ b ⊑ c) ∨ (c ⊑ b ∧ b ⊑ a) ∨ (b ⊑ a ∧ b ⊑ c) ∨
    (a ⊑ b ∧ c ⊑ b) := by
  cases le_total a b with
  | inl h1 =>
    cases le_total b c with
    | inl h2 => exact Or.inl ⟨h1, h2⟩
    | inr h2 => exact Or.inr (Or.inr (Or.inr ⟨h1, h2⟩))
  | inr h1 =>
    cases le_total b c with
    | inl h2 => exact Or.inr (Or.inr (Or.inl ⟨h1, h2⟩))
    | inr h2 => exact Or.inr (Or.inl ⟨h2, h1⟩)

end TotalOrder

end Order
