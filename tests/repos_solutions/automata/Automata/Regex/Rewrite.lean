import Automata.Regex.Basic

/-!
Expressions turned around, mapped and simplified; laws, and the length of words of expressions without stars.
-/

namespace Automata

namespace Regex

variable {α β : Type}

section Transformations

theorem flip_flip (r : Regex α) : flip (flip r) = r := by
  induction r with
  | none => rfl
  | eps => rfl
  | char a => rfl
  | alt r s ihr ihs => rw [flip, flip, ihr, ihs]
  | seq r s ihr ihs => rw [flip, flip, ihr, ihs]
  | rep r ih => rw [flip, flip, ih]

theorem den_flip (r : Regex α) : den (flip r) = Lang.reversal (den r) := by
  induction r with
  | none => rfl
  | eps =>
    apply Lang.ext
    intro w
    exact List.reverse_eq_nil_iff.symm
  | char a =>
    apply Lang.ext
    intro w
    constructor
    · intro h
      have h1 : w = [a] := h
      rw [h1]
      rfl
    · intro h
      have h1 : w.reverse = [a] := h
      have h2 := congrArg List.reverse h1
      rw [List.reverse_reverse] at h2
      exact h2
  | alt r s ihr ihs =>
    rw [flip, den, ihr, ihs]
    rfl
  | seq r s ihr ihs => rw [flip, den, ihr, ihs, den, Lang.reversal_cat]
  | rep r ih => rw [flip, den, ih, den, Lang.reversal_star]

theorem equiv_flip {r s : Regex α} (h : Equiv r s) : Equiv (flip r) (flip s) := by
  unfold Equiv at *
  rw [den_flip, den_flip, h]

theorem size_flip (r : Regex α) : size (flip r) = size r := by
  induction r with
  | none => rfl
  | eps => rfl
  | char a => rfl
  | alt r s ihr ihs => rw [flip, size, ihr, ihs, size]
  | seq r s ihr ihs =>
    rw [flip, size, ihr, ihs, size]
    omega
  | rep r ih => rw [flip, size, ih, size]

theorem flip_map (f : α → β) (r : Regex α) : flip (map f r) = map f (flip r) := by
  induction r with
  | none => rfl
  | eps => rfl
  | char a => rfl
  | alt r s ihr ihs => rw [map, flip, ihr, ihs, flip, map]
  | seq r s ihr ihs => rw [map, flip, ihr, ihs, flip, map]
  | rep r ih => rw [map, flip, ih, flip, map]

theorem den_map_of_den (f : α → β) (r : Regex α) (w : Word α) (h : den r w) : den (map f r) (w.map f) := by
  induction r generalizing w with
  | none => exact h.elim
  | eps =>
    have h1 : w = [] := h
    rw [h1]
    rfl
  | char a =>
    have h1 : w = [a] := h
    rw [h1]
    rfl
  | alt r s ihr ihs =>
    cases h with
    | inl h => exact Or.inl (ihr w h)
    | inr h => exact Or.inr (ihs w h)
  | seq r s ihr ihs =>
    obtain ⟨u, v, hw, hu, hv⟩ := h
    rw [← hw, List.map_append]
    exact Lang.cat_intro (ihr u hu) (ihs v hv)
  | rep r ih =>
    induction h with
    | nil => exact Lang.Star.nil
    | step u v hu _ ihv =>
      rw [List.map_append]
      exact Lang.Star.step _ _ (ih u hu) ihv

/-- Every word of the mapped expression is the image of a word. -/
theorem exists_den_of_den_map (f : α → β) (r : Regex α) (x : Word β) (h : den (map f r) x) :
    ∃ w, den r w ∧ w.map f = x := by
  induction r generalizing x with
  | none => exact h.elim
  | eps =>
    have h1 : x = [] := h
    exact ⟨[], rfl, h1.symm⟩
  | char a =>
    have h1 : x = [f a] := h
    exact ⟨[a], rfl, h1.symm⟩
  | alt r s ihr ihs =>
    cases h with
    | inl h =>
      obtain ⟨w, h1, h2⟩ := ihr x h
      exact ⟨w, Or.inl h1, h2⟩
    | inr h =>
      obtain ⟨w, h1, h2⟩ := ihs x h
      exact ⟨w, Or.inr h1, h2⟩
  | seq r s ihr ihs =>
    obtain ⟨u, v, hx, hu, hv⟩ := h
    obtain ⟨u', h1, h2⟩ := ihr u hu
    obtain ⟨v', h3, h4⟩ := ihs v hv
    refine ⟨u' ++ v', Lang.cat_intro h1 h3, ?_⟩
    rw [List.map_append, h2, h4, hx]
  | rep r ih =>
    induction h with
    | nil => exact ⟨[], Lang.Star.nil, rfl⟩
    | step u v hu _ ihv =>
      obtain ⟨u', h1, h2⟩ := ih u hu
      obtain ⟨v', h3, h4⟩ := ihv
      refine ⟨u' ++ v', Lang.Star.step u' v' h1 h3, ?_⟩
      rw [List.map_append, h2, h4]

theorem den_ofWord_iff (w x : Word α) : den (ofWord w) x ↔ x = w := by
  induction w generalizing x with
  | nil => exact Iff.rfl
  | cons a w ih =>
    constructor
    · rintro ⟨u, v, hx, hu, hv⟩
      have h1 : u = [a] := hu
      rw [ih] at hv
      rw [← hx, h1, hv]
      rfl
    · intro h
      refine ⟨[a], w, ?_, rfl, ?_⟩
      · rw [h]
        rfl
      · rw [ih]

theorem ofWord_map (f : α → β) (w : Word α) : map f (ofWord w) = ofWord (w.map f) := by
  induction w with
  | nil => rfl
  | cons a w ih =>
    rw [ofWord, map, ih]
    rfl

end Transformations

section Simplification

theorem den_mkAlt (r s : Regex α) : den (mkAlt r s) = den (alt r s) := by
  unfold mkAlt
  split
  · rw [den, den, Lang.union_comm, Lang.union_void]
  · rw [den, den, Lang.union_void]
  · rfl

theorem den_mkSeq (r s : Regex α) : den (mkSeq r s) = den (seq r s) := by
  unfold mkSeq
  split
  · rw [den, den, den, Lang.void_cat]
  · rw [den, den, Lang.unit_cat]
  · rfl
  · rfl

theorem den_simplify (r : Regex α) : den (simplify r) = den r := by
  induction r with
  | none => rfl
  | eps => rfl
  | char a => rfl
  | alt r s ihr ihs => rw [simplify, den_mkAlt, den, ihr, ihs, den]
  | seq r s ihr ihs => rw [simplify, den_mkSeq, den, ihr, ihs, den]
  | rep r ih => rw [simplify, den, ih, den]

theorem size_mkAlt_le (r s : Regex α) : size (mkAlt r s) ≤ size r + size s + 1 := by
  unfold mkAlt
  split
  · omega
  · omega
  · exact Nat.le_refl _

theorem size_mkSeq_le (r s : Regex α) : size (mkSeq r s) ≤ size r + size s + 1 := by
  unfold mkSeq
  split
  · simp only [size]
    omega
  · omega
  · exact Nat.le_refl _
  · exact Nat.le_refl _

theorem size_simplify_le (r : Regex α) : size (simplify r) ≤ size r := by
  induction r with
  | none => exact Nat.le_refl _
  | eps => exact Nat.le_refl _
  | char a => exact Nat.le_refl _
  | alt r s ihr ihs =>
    have h := size_mkAlt_le (simplify r) (simplify s)
    rw [simplify, size]
    omega
  | seq r s ihr ihs =>
    have h := size_mkSeq_le (simplify r) (simplify s)
    rw [simplify, size]
    omega
  | rep r ih =>
    rw [simplify, size, size]
    omega

theorem nullable_simplify (r : Regex α) : nullable (simplify r) = nullable r := by
  rw [Bool.eq_iff_iff, nullable_iff, nullable_iff, den_simplify]

end Simplification

section Laws

theorem equiv_seq_alt (r s t : Regex α) : Equiv (seq r (alt s t)) (alt (seq r s) (seq r t)) := by
  exact Lang.cat_union (den r) (den s) (den t)

theorem equiv_rep_unfold (r : Regex α) : Equiv (rep r) (alt eps (seq r (rep r))) := by
  exact Lang.star_unfold (den r)

theorem equiv_rep_rep (r : Regex α) : Equiv (rep (rep r)) (rep r) := by
  exact Lang.star_star (den r)

theorem equiv_seq_congr {r r' s s' : Regex α} (h1 : Equiv r r') (h2 : Equiv s s') :
    Equiv (seq r s) (seq r' s') := by
  unfold Equiv at *
  rw [den, den, h1, h2]

theorem equiv_rep_of_void {r : Regex α} (h : isVoid r = true) : Equiv (rep r) eps := by
  rw [isVoid_iff] at h
  show Lang.star (den r) = Lang.unit
  rw [h, Lang.star_void]

/-- The equation `x = r x | s` has one solution when `r` is not nullable. -/
theorem equiv_arden {r s x : Regex α} (hr : nullable r = false) (h : Equiv x (alt (seq r x) s)) :
    Equiv x (seq (rep r) s) := by
  rw [not_nullable_iff] at hr
  exact Lang.arden_unique hr h

theorem length_le_bound {r : Regex α} (hf : Finite r) {w : Word α} (h : den r w) : w.length ≤ bound r := by
  induction r generalizing w with
  | none => exact h.elim
  | eps =>
    have h1 : w = [] := h
    rw [h1]
    exact Nat.le_refl 0
  | char a =>
    have h1 : w = [a] := h
    rw [h1]
    exact Nat.le_refl 1
  | alt r s ihr ihs =>
    rw [bound]
    cases h with
    | inl h =>
      have h1 := ihr hf.1 h
      omega
    | inr h =>
      have h1 := ihs hf.2 h
      omega
  | seq r s ihr ihs =>
    obtain ⟨u, v, hw, hu, hv⟩ := h
    have h1 := ihr hf.1 hu
    have h2 := ihs hf.2 hv
    rw [← hw, List.length_append, bound]
    omega
  | rep r _ => exact hf.elim

theorem finite_flip {r : Regex α} (h : Finite r) : Finite (flip r) := by
  induction r with
  | none => trivial
  | eps => trivial
  | char a => trivial
  | alt r s ihr ihs => exact ⟨ihr h.1, ihs h.2⟩
  | seq r s ihr ihs => exact ⟨ihs h.2, ihr h.1⟩
  | rep r _ => exact h.elim

theorem bound_flip (r : Regex α) : bound (flip r) = bound r := by
  induction r with
  | none => rfl
  | eps => rfl
  | char a => rfl
  | alt r s ihr ihs => rw [flip, bound, ihr, ihs, bound]
  | seq r s ihr ihs => rw [flip, bound, ihr, ihs, bound, Nat.add_comm]
  | rep r _ => rfl

end Laws

end Regex

end Automata
