import Logic.Relations

/-!
Predicates on a type as sets, with the usual operations.
-/

namespace Logic

/-- A set of elements of `α` is a predicate. -/
def Pred (α : Type) := α → Prop

namespace Pred

variable {α : Type}

def empty : Pred α := fun _ => False

def full : Pred α := fun _ => True

def inter (a b : Pred α) : Pred α := fun x => a x ∧ b x

def union (a b : Pred α) : Pred α := fun x => a x ∨ b x

def compl (a : Pred α) : Pred α := fun x => ¬ a x

def diff (a b : Pred α) : Pred α := fun x => a x ∧ ¬ b x

def Subset (a b : Pred α) : Prop := ∀ x, a x → b x

def Disjoint (a b : Pred α) : Prop := ∀ x, a x → ¬ b x

def Inhabited (a : Pred α) : Prop := ∃ x, a x

variable (a b c d : Pred α)

theorem subset_refl : Subset a a := by
  intro x h
  exact h

theorem subset_trans (h1 : Subset a b) (h2 : Subset b c) : Subset a c := by
  intro x h
  apply h2
  apply h1
  exact h

theorem empty_subset : Subset empty a := by
  intro x h
  exact absurd h (fun hf => hf)

theorem subset_full : Subset a full := sorry

theorem inter_subset_left : Subset (inter a b) a := by
  intro x h
  exact h.1

theorem inter_subset_swap : Subset (inter a b) (inter b a) := by
  intro x h
  constructor
  · exact h.2
  · exact h.1

theorem union_subset_swap : Subset (union a b) (union b a) := by
  sorry

theorem subset_inter (h1 : Subset c a) (h2 : Subset c b) : Subset c (inter a b) := by
  intro x h
  constructor
  · exact h1 x h
  · exact h2 x h

theorem subset_union_left : Subset a (union a b) := by
  intro x h
  left
  exact h

theorem subset_union_right : Subset b (union a b) := by
  sorry

theorem union_subset (h1 : Subset a c) (h2 : Subset b c) : Subset (union a b) c := by
  intro x h
  cases h with
  | inl h3 => exact h1 x h3
  | inr h3 => exact h2 x h3

theorem inter_mono (h1 : Subset a c) (h2 : Subset b d) : Subset (inter a b) (inter c d) := by
  intro x h
  constructor
  · exact h1 x h.1
  · exact h2 x h.2

theorem union_mono (h1 : Subset a c) (h2 : Subset b d) : Subset (union a b) (union c d) := by
  sorry

theorem inter_union_subset : Subset (inter a (union b c)) (union (inter a b) (inter a c)) := by
  intro x h
  obtain ⟨ha, h1⟩ := h
  cases h1 with
  | inl hb =>
    left
    exact ⟨ha, hb⟩
  | inr hc =>
    right
    exact ⟨ha, hc⟩

theorem union_inter_subset : Subset (union a (inter b c)) (inter (union a b) (union a c)) := by
  intro x h
  cases h with
  | inl ha => exact ⟨Or.inl ha, Or.inl ha⟩
  | inr h1 => exact ⟨Or.inr h1.1, Or.inr h1.2⟩

theorem compl_anti (h : Subset a b) : Subset (compl b) (compl a) := by
  intro x hn ha
  apply hn
  exact h x ha

theorem compl_compl_intro : Subset a (compl (compl a)) := by
  intro x h hn
  exact hn h

theorem compl_compl_elim : Subset (compl (compl a)) a := by
  intro x h
  exact Classical.not_not.1 h

theorem compl_union_subset : Subset (compl (union a b)) (inter (compl a) (compl b)) := by
  intro x h
  constructor
  · intro ha
    apply h
    left
    exact ha
  · intro hb
    apply h
    right
    exact hb

theorem inter_compl_subset : Subset (inter (compl a) (compl b)) (compl (union a b)) := by
  sorry

theorem union_compl_subset : Subset (union (compl a) (compl b)) (compl (inter a b)) := by
  intro x h h1
  cases h with
  | inl ha => exact ha h1.1
  | inr hb => exact hb h1.2

theorem diff_subset : Subset (diff a b) a := by
  intro x h
  exact h.1

theorem diff_mono (h : Subset a c) : Subset (diff a b) (diff c b) := by
  intro x h1
  constructor
  · exact h x h1.1
  · exact h1.2

theorem diff_anti (h : Subset b c) : Subset (diff a c) (diff a b) := by
  intro x h1
  constructor
  · exact h1.1
  · intro hb
    apply h1.2
    exact h x hb

theorem diff_disjoint : Disjoint (diff a b) b := by
  intro x h
  exact h.2

theorem disjoint_symm (h : Disjoint a b) : Disjoint b a := by
  intro x hb ha
  exact h x ha hb

theorem disjoint_compl : Disjoint a (compl a) := by
  intro x ha hn
  exact hn ha

theorem disjoint_mono (h : Disjoint b d) (h1 : Subset a b) (h2 : Subset c d) : Disjoint a c := by
  intro x ha hc
  apply h x
  · exact h1 x ha
  · exact h2 x hc

theorem disjoint_subset_compl (h : Disjoint a b) : Subset a (compl b) := by
  intro x ha hb
  exact h x ha hb

theorem disjoint_empty : Disjoint a empty := sorry

theorem disjoint_union (h1 : Disjoint a c) (h2 : Disjoint b c) : Disjoint (union a b) c := by
  intro x h hc
  cases h with
  | inl ha => exact h1 x ha hc
  | inr hb => exact h2 x hb hc

theorem inhabited_mono (h1 : Subset a b) (h : Inhabited a) : Inhabited b := by
  obtain ⟨x, ha⟩ := h
  exists x
  exact h1 x ha

theorem inhabited_union_left (h : Inhabited a) : Inhabited (union a b) := by
  obtain ⟨x, ha⟩ := h
  exists x
  left
  exact ha

theorem inhabited_union_right (h : Inhabited b) : Inhabited (union a b) := by
  sorry

theorem inhabited_of_inter (h : Inhabited (inter a b)) : Inhabited a ∧ Inhabited b := by
  obtain ⟨x, h1⟩ := h
  constructor
  · exact ⟨x, h1.1⟩
  · exact ⟨x, h1.2⟩

theorem inhabited_union_cases (h : Inhabited (union a b)) : Inhabited a ∨ Inhabited b := by
  obtain ⟨x, h1⟩ := h
  cases h1 with
  | inl ha =>
    left
    exact ⟨x, ha⟩
  | inr hb =>
    right
    exact ⟨x, hb⟩

theorem not_inhabited_empty : ¬ Inhabited (empty : Pred α) := by
  intro h
  obtain ⟨x, hx⟩ := h
  exact hx

theorem not_disjoint_of_inhabited (h : Inhabited (inter a b)) : ¬ Disjoint a b := by
  sorry

theorem inter_comm_eq : inter a b = inter b a := by
  funext x
  apply propext
  constructor
  · intro h
    exact ⟨h.2, h.1⟩
  · intro h
    exact ⟨h.2, h.1⟩

theorem union_comm_eq : union a b = union b a := by
  funext x
  apply propext
  constructor
  · intro h
    exact h.symm
  · intro h
    exact h.symm

theorem inter_full_eq : inter a full = a := by
  funext x
  apply propext
  constructor
  · intro h
    exact h.1
  · intro h
    exact ⟨h, trivial⟩

theorem union_empty_eq : union a empty = a := by
  funext x
  apply propext
  constructor
  · intro h
    cases h with
    | inl ha => exact ha
    | inr hf => exact absurd hf (fun hf => hf)
  · intro h
    exact Or.inl h

theorem inter_same_eq : inter a a = a := by
  sorry

end Pred

end Logic
