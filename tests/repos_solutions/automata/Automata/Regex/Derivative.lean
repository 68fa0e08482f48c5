import Automata.Regex.Basic

/-!
Brzozowski's derivatives: membership decided letter by letter, and the automaton of an expression.
-/

namespace Automata

namespace Regex

section Derivatives

variable {α : Type} [DecidableEq α]

theorem den_deriv (a : α) (r : Regex α) : den (deriv a r) = Lang.quot [a] (den r) := by
  induction r with
  | none => rfl
  | eps =>
    apply Lang.sub_antisymm
    · intro w hw
      exact hw.elim
    · intro w hw
      cases hw
  | char b =>
    rw [deriv]
    by_cases h : a = b
    · rw [if_pos h, h]
      apply Lang.sub_antisymm
      · intro w hw
        have h1 : w = [] := hw
        rw [h1]
        rfl
      · intro w hw
        have h1 : b :: w = [b] := hw
        injection h1
    · rw [if_neg h]
      apply Lang.sub_antisymm
      · intro w hw
        exact hw.elim
      · intro w hw
        have h1 : a :: w = [b] := hw
        injection h1 with h2 _
        exact (h h2).elim
  | alt r s ihr ihs =>
    rw [deriv, den, den, ihr, ihs]
    rfl
  | seq r s ihr ihs =>
    rw [deriv, den, Lang.quot_letter_cat]
    by_cases h : nullable r = true
    · rw [if_pos h, den, den, ihr, ihs]
      rw [nullable_iff] at h
      congr 1
      funext w
      apply propext
      constructor
      · intro hw
        exact ⟨h, hw⟩
      · intro hw
        exact hw.2
    · rw [if_neg h, den, ihr]
      rw [nullable_iff] at h
      apply Lang.sub_antisymm
      · exact Lang.sub_union_left _ _
      · rintro w (hw | hw)
        · exact hw
        · exact (h hw.1).elim
  | rep r ih => rw [deriv, den, den, ih, Lang.quot_letter_star]

theorem den_derivs (w : Word α) (r : Regex α) : den (derivs w r) = Lang.quot w (den r) := by
  induction w generalizing r with
  | nil => rfl
  | cons a w ih =>
    rw [derivs, ih, den_deriv]
    rfl

theorem accepts_iff (r : Regex α) (w : Word α) : accepts r w = true ↔ den r w := by
  unfold accepts
  rw [nullable_iff, den_derivs]
  exact (Lang.mem_iff_quot_nil w (den r)).symm

theorem derivs_append (u v : Word α) (r : Regex α) : derivs (u ++ v) r = derivs v (derivs u r) := by
  induction u generalizing r with
  | nil => rfl
  | cons a u ih =>
    rw [List.cons_append, derivs, derivs]
    exact ih (deriv a r)

theorem derivs_none (w : Word α) : derivs w (none : Regex α) = none := by
  induction w with
  | nil => rfl
  | cons a w ih =>
    rw [derivs, deriv]
    exact ih

theorem derivs_alt (w : Word α) (r s : Regex α) : derivs w (alt r s) = alt (derivs w r) (derivs w s) := by
  induction w generalizing r s with
  | nil => rfl
  | cons a w ih => rw [derivs, deriv, ih, derivs, derivs]

theorem accepts_append (r : Regex α) (u v : Word α) : accepts r (u ++ v) = accepts (derivs u r) v := by
  unfold accepts
  rw [derivs_append]

theorem accepts_seq {r s : Regex α} {u v : Word α} (hr : accepts r u = true) (hs : accepts s v = true) :
    accepts (seq r s) (u ++ v) = true := by
  rw [accepts_iff] at *
  exact Lang.cat_intro hr hs

theorem accepts_rep_cons_iff (r : Regex α) (a : α) (w : Word α) :
    accepts (rep r) (a :: w) = true ↔ ∃ u v, u ++ v = w ∧ accepts r (a :: u) = true ∧ accepts (rep r) v = true := by
  rw [accepts_iff]
  constructor
  · intro h
    obtain ⟨u, v, hw, hu, hv⟩ := Lang.star_cons h
    refine ⟨u, v, hw, ?_, ?_⟩
    · rw [accepts_iff]
      exact hu
    · rw [accepts_iff]
      exact hv
  · rintro ⟨u, v, hw, hu, hv⟩
    rw [accepts_iff] at hu hv
    rw [← hw]
    exact Lang.Star.step (a :: u) v hu hv

theorem equiv_iff_accepts (r s : Regex α) : Equiv r s ↔ ∀ w, accepts r w = accepts s w := by
  constructor
  · intro h w
    rw [Bool.eq_iff_iff, accepts_iff, accepts_iff, h]
  · intro h
    apply Lang.ext
    intro w
    rw [← accepts_iff, ← accepts_iff, h]

theorem equiv_deriv {r s : Regex α} (h : Equiv r s) (a : α) : Equiv (deriv a r) (deriv a s) := by
  unfold Equiv at *
  rw [den_deriv, den_deriv, h]

/-- Expressions with equal empty words and equivalent derivatives are equivalent. -/
theorem equiv_of_derivs {r s : Regex α} (hn : nullable r = nullable s)
    (hd : ∀ a, Equiv (deriv a r) (deriv a s)) : Equiv r s := by
  rw [equiv_iff_accepts]
  intro w
  cases w with
  | nil => exact hn
  | cons a w => exact (equiv_iff_accepts _ _).mp (hd a) w

/-- The automaton whose states are expressions. -/
def automaton (r : Regex α) : Dfa α (Regex α) where
  start := r
  next s a := deriv a s
  final s := nullable s = true

theorem run_automaton (r s : Regex α) (w : Word α) : (automaton r).run s w = derivs w s := by
  induction w generalizing s with
  | nil => rfl
  | cons a w ih => exact ih (deriv a s)

theorem lang_automaton (r : Regex α) : (automaton r).lang = den r := by
  apply Lang.ext
  intro w
  rw [← accepts_iff]
  unfold Dfa.lang Dfa.accepted
  rw [run_automaton]
  exact Iff.rfl

theorem den_recognised (r : Regex α) : Dfa.Recognised (Regex α) (den r) := by
  refine ⟨automaton r, ?_⟩
  exact lang_automaton r

end Derivatives

end Regex

end Automata
