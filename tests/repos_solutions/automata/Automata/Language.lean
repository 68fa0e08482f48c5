import Automata.Word

/-!
Languages as predicates on words: union, meet, concatenation and reversal.

Languages are compared by `Sub`; equality follows by extensionality.
-/

namespace Automata

/-- A language is a predicate on words. -/
def Lang (α : Type) := Word α → Prop

namespace Lang

variable {α : Type}

/-- No word at all. -/
def void : Lang α := fun _ => False

/-- The empty word alone. -/
def unit : Lang α := fun w => w = []

/-- All words. -/
def full : Lang α := fun _ => True

/-- The word that is the letter `a`. -/
def letter (a : α) : Lang α := fun w => w = [a]

def union (L M : Lang α) : Lang α := fun w => L w ∨ M w

def meet (L M : Lang α) : Lang α := fun w => L w ∧ M w

def compl (L : Lang α) : Lang α := fun w => ¬ L w

/-- A word of the first language followed by one of the second. -/
def cat (L M : Lang α) : Lang α := fun w => ∃ u v, u ++ v = w ∧ L u ∧ M v

/-- What may follow the word `u` in `L`. -/
def quot (u : Word α) (L : Lang α) : Lang α := fun w => L (u ++ w)

def reversal (L : Lang α) : Lang α := fun w => L w.reverse

/-- Every word of `L` is one of `M`. -/
def Sub (L M : Lang α) : Prop := ∀ w, L w → M w

theorem ext {L M : Lang α} (h : ∀ w, L w ↔ M w) : L = M := by
  funext w
  exact propext (h w)

theorem sub_antisymm {L M : Lang α} (h1 : Sub L M) (h2 : Sub M L) : L = M := by
  apply ext
  intro w
  exact ⟨h1 w, h2 w⟩

theorem sub_refl (L : Lang α) : Sub L L := by
  intro w h
  exact h

theorem sub_trans {L M N : Lang α} (h1 : Sub L M) (h2 : Sub M N) : Sub L N := by
  intro w hw
  apply h2
  exact h1 w hw

section Union

theorem union_comm (L M : Lang α) : union L M = union M L := by
  apply ext
  intro w
  constructor
  · rintro (h | h)
    · exact Or.inr h
    · exact Or.inl h
  · rintro (h | h)
    · exact Or.inr h
    · exact Or.inl h

theorem union_assoc (L M N : Lang α) : union (union L M) N = union L (union M N) := by
  funext w
  simp only [union, or_assoc]

theorem union_self (L : Lang α) : union L L = L := by
  funext w
  simp only [union, or_self]

theorem union_void (L : Lang α) : union L void = L := by
  funext w
  simp only [union, void, or_false]

theorem sub_union_left (L M : Lang α) : Sub L (union L M) := by
  intro w h
  left
  exact h

theorem sub_union_right (L M : Lang α) : Sub M (union L M) := by
  intro w h
  right
  exact h

theorem union_sub {L M N : Lang α} (h1 : Sub L N) (h2 : Sub M N) : Sub (union L M) N := by
  intro w h
  cases h with
  | inl h => exact h1 w h
  | inr h => exact h2 w h

theorem sub_iff_union_eq (L M : Lang α) : Sub L M ↔ union L M = M := by
  constructor
  · intro h
    apply sub_antisymm
    · exact union_sub h (sub_refl M)
    · exact sub_union_right L M
  · intro h
    rw [← h]
    exact sub_union_left L M

theorem compl_union (L M : Lang α) : compl (union L M) = meet (compl L) (compl M) := by
  funext w
  simp only [compl, union, meet, not_or]

theorem compl_compl (L : Lang α) : compl (compl L) = L := by
  apply ext
  intro w
  constructor
  · intro h
    exact Classical.byContradiction h
  · intro h h1
    exact h1 h

theorem sub_compl_iff (L M : Lang α) : Sub L (compl M) ↔ meet L M = void := by
  constructor
  · intro h
    apply sub_antisymm
    · rintro w ⟨h1, h2⟩
      exact h w h1 h2
    · intro w hw
      exact hw.elim
  · intro h w h1 h2
    have h3 : meet L M w := ⟨h1, h2⟩
    rw [h] at h3
    exact h3

theorem meet_union (L M N : Lang α) : meet L (union M N) = union (meet L M) (meet L N) := by
  funext w
  simp only [meet, union, and_or_left]

end Union

section Concatenation

theorem cat_intro {L M : Lang α} {u v : Word α} (hu : L u) (hv : M v) : cat L M (u ++ v) := by
  exact ⟨u, v, rfl, hu, hv⟩

theorem cat_assoc (L M N : Lang α) : cat (cat L M) N = cat L (cat M N) := by
  apply ext
  intro w
  constructor
  · rintro ⟨x, v, hw, ⟨t, u, hx, ht, hu⟩, hv⟩
    refine ⟨t, u ++ v, ?_, ht, cat_intro hu hv⟩
    rw [← List.append_assoc, hx, hw]
  · rintro ⟨t, x, hw, ht, u, v, hx, hu, hv⟩
    refine ⟨t ++ u, v, ?_, cat_intro ht hu, hv⟩
    rw [List.append_assoc, hx, hw]

theorem unit_cat (L : Lang α) : cat unit L = L := by
  apply ext
  intro w
  constructor
  · rintro ⟨u, v, hw, hu, hv⟩
    unfold unit at hu
    rw [← hw, hu]
    exact hv
  · intro h
    exact ⟨[], w, rfl, rfl, h⟩

theorem cat_unit (L : Lang α) : cat L unit = L := by
  apply ext
  intro w
  constructor
  · rintro ⟨u, v, hw, hu, hv⟩
    unfold unit at hv
    rw [← hw, hv, List.append_nil]
    exact hu
  · intro h
    refine ⟨w, [], ?_, h, rfl⟩
    rw [List.append_nil]

theorem void_cat (L : Lang α) : cat void L = void := by
  apply ext
  intro w
  constructor
  · rintro ⟨u, v, _, hu, _⟩
    exact hu
  · intro h
    exact h.elim

theorem cat_union (L M N : Lang α) : cat L (union M N) = union (cat L M) (cat L N) := by
  apply ext
  intro w
  constructor
  · rintro ⟨u, v, hw, hu, hv | hv⟩
    · exact Or.inl ⟨u, v, hw, hu, hv⟩
    · exact Or.inr ⟨u, v, hw, hu, hv⟩
  · rintro (⟨u, v, hw, hu, hv⟩ | ⟨u, v, hw, hu, hv⟩)
    · exact ⟨u, v, hw, hu, Or.inl hv⟩
    · exact ⟨u, v, hw, hu, Or.inr hv⟩

theorem union_cat (L M N : Lang α) : cat (union L M) N = union (cat L N) (cat M N) := by
  apply ext
  intro w
  constructor
  · rintro ⟨u, v, hw, hu, hv⟩
    cases hu with
    | inl hu =>
      left
      exact ⟨u, v, hw, hu, hv⟩
    | inr hu =>
      right
      exact ⟨u, v, hw, hu, hv⟩
  · rintro (⟨u, v, hw, hu, hv⟩ | ⟨u, v, hw, hu, hv⟩)
    · exact ⟨u, v, hw, Or.inl hu, hv⟩
    · exact ⟨u, v, hw, Or.inr hu, hv⟩

theorem cat_mono {L L' M M' : Lang α} (h1 : Sub L L') (h2 : Sub M M') : Sub (cat L M) (cat L' M') := by
  rintro w ⟨u, v, hw, hu, hv⟩
  exact ⟨u, v, hw, h1 u hu, h2 v hv⟩

theorem cat_nil_iff (L M : Lang α) : cat L M [] ↔ L [] ∧ M [] := by
  constructor
  · rintro ⟨u, v, hw, hu, hv⟩
    obtain ⟨h1, h2⟩ := List.append_eq_nil_iff.mp hw
    rw [h1] at hu
    rw [h2] at hv
    exact ⟨hu, hv⟩
  · rintro ⟨h1, h2⟩
    exact ⟨[], [], rfl, h1, h2⟩

theorem cat_eq_void_iff (L M : Lang α) : cat L M = void ↔ L = void ∨ M = void := by
  constructor
  · intro h
    by_cases hL : ∃ u, L u
    · right
      obtain ⟨u, hu⟩ := hL
      apply sub_antisymm
      · intro v hv
        have hw : cat L M (u ++ v) := cat_intro hu hv
        rw [h] at hw
        exact hw
      · intro v hv
        exact hv.elim
    · left
      apply sub_antisymm
      · intro u hu
        exact hL ⟨u, hu⟩
      · intro u hu
        exact hu.elim
  · rintro (h | h)
    · rw [h, void_cat]
    · rw [h]
      apply sub_antisymm
      · rintro w ⟨u, v, _, _, hv⟩
        exact hv
      · intro w hw
        exact hw.elim

theorem reversal_cat (L M : Lang α) : reversal (cat L M) = cat (reversal M) (reversal L) := by
  apply ext
  intro w
  constructor
  · rintro ⟨u, v, hw, hu, hv⟩
    refine ⟨v.reverse, u.reverse, ?_, ?_, ?_⟩
    · rw [← List.reverse_append, hw, List.reverse_reverse]
    · unfold reversal
      rw [List.reverse_reverse]
      exact hv
    · unfold reversal
      rw [List.reverse_reverse]
      exact hu
  · rintro ⟨u, v, hw, hu, hv⟩
    refine ⟨v.reverse, u.reverse, ?_, hv, hu⟩
    rw [← List.reverse_append, hw]

theorem reversal_reversal (L : Lang α) : reversal (reversal L) = L := by
  funext w
  unfold reversal
  rw [List.reverse_reverse]

end Concatenation

end Lang

end Automata
