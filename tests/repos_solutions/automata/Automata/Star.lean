import Automata.Language

/-!
The star of a language, powers, Arden's equation, and quotients by letters.
-/

namespace Automata

namespace Lang

variable {α : Type}

/-- Words put together from words of `L`. -/
inductive Star (L : Lang α) : Word α → Prop where
  | nil : Star L []
  | step (u v : Word α) (hu : L u) (hv : Star L v) : Star L (u ++ v)

def star (L : Lang α) : Lang α := Star L

/-- Words put together from exactly `n` words of `L`. -/
def pow (L : Lang α) : Nat → Lang α
  | 0 => unit
  | n + 1 => cat L (pow L n)

section Star

theorem star_nil (L : Lang α) : star L [] := by
  exact Star.nil

theorem star_single {L : Lang α} {w : Word α} (h : L w) : star L w := by
  have h1 := Star.step w [] h Star.nil
  rw [List.append_nil] at h1
  exact h1

theorem sub_star (L : Lang α) : Sub L (star L) := by
  intro w h
  exact star_single h

theorem star_append {L : Lang α} {u v : Word α} (hu : star L u) (hv : star L v) : star L (u ++ v) := by
  induction hu with
  | nil => exact hv
  | step x y hx _ ih =>
    rw [List.append_assoc]
    exact Star.step x (y ++ v) hx ih

theorem star_mono {L M : Lang α} (h : Sub L M) : Sub (star L) (star M) := by
  intro w hw
  induction hw with
  | nil => exact Star.nil
  | step u v hu _ ih => exact Star.step u v (h u hu) ih

/-- The star is the least language that has the empty word and is closed under words of `L` in front. -/
theorem star_least {L M : Lang α} (h1 : M []) (h2 : Sub (cat L M) M) : Sub (star L) M := by
  intro w hw
  induction hw with
  | nil => exact h1
  | step u v hu _ ih =>
    apply h2
    exact cat_intro hu ih

theorem cat_star_sub (L : Lang α) : Sub (cat L (star L)) (star L) := by
  rintro w ⟨u, v, hw, hu, hv⟩
  rw [← hw]
  exact Star.step u v hu hv

theorem star_unfold (L : Lang α) : star L = union unit (cat L (star L)) := by
  apply sub_antisymm
  · intro w hw
    cases hw with
    | nil =>
      left
      rfl
    | step u v hu hv =>
      right
      exact cat_intro hu hv
  · apply union_sub
    · intro w hw
      unfold unit at hw
      rw [hw]
      exact Star.nil
    · exact cat_star_sub L

theorem cat_star_comm (L : Lang α) : cat L (star L) = cat (star L) L := by
  apply sub_antisymm
  · rintro w ⟨u, v, hw, hu, hv⟩
    induction hv generalizing u w with
    | nil =>
      refine ⟨[], u, ?_, Star.nil, hu⟩
      rw [← hw, List.append_nil, List.nil_append]
    | step x y hx _ ih =>
      obtain ⟨s, t, hst, hs, ht⟩ := ih (x ++ y) x rfl hx
      refine ⟨u ++ s, t, ?_, Star.step u s hu hs, ht⟩
      rw [List.append_assoc, hst, hw]
  · rintro w ⟨u, v, hw, hu, hv⟩
    induction hu generalizing w with
    | nil =>
      refine ⟨v, [], ?_, hv, Star.nil⟩
      rw [← hw, List.append_nil, List.nil_append]
    | step x y hx hy _ =>
      refine ⟨x, y ++ v, ?_, hx, star_append hy (star_single hv)⟩
      rw [← List.append_assoc, hw]

theorem star_cat_star (L : Lang α) : cat (star L) (star L) = star L := by
  apply sub_antisymm
  · rintro w ⟨u, v, hw, hu, hv⟩
    rw [← hw]
    exact star_append hu hv
  · intro w hw
    exact ⟨[], w, rfl, Star.nil, hw⟩

theorem star_star (L : Lang α) : star (star L) = star L := by
  apply sub_antisymm
  · apply star_least (star_nil L)
    rw [star_cat_star]
    exact sub_refl _
  · exact sub_star (star L)

theorem star_void : star (void : Lang α) = unit := by
  apply sub_antisymm
  · apply star_least (M := unit) rfl
    rw [void_cat]
    intro w hw
    exact hw.elim
  · intro w hw
    unfold unit at hw
    rw [hw]
    exact Star.nil

theorem star_union_unit (L : Lang α) : star (union L unit) = star L := by
  apply sub_antisymm
  · apply star_least (star_nil L)
    rintro w ⟨u, v, hw, hu, hv⟩
    cases hu with
    | inl hu =>
      rw [← hw]
      exact Star.step u v hu hv
    | inr hu =>
      unfold unit at hu
      rw [← hw, hu]
      exact hv
  · exact star_mono (sub_union_left L unit)

/-- A letter is a word of one letter, and so every word is in the star of all letters. -/
theorem star_letters (w : Word α) : star (fun u => ∃ a, letter a u) w := by
  induction w with
  | nil => exact Star.nil
  | cons a w ih =>
    have h := Star.step [a] w (L := fun u => ∃ a, letter a u) ⟨a, rfl⟩ ih
    exact h

theorem star_cons {L : Lang α} {a : α} {w : Word α} (h : star L (a :: w)) :
    ∃ u v, u ++ v = w ∧ L (a :: u) ∧ star L v := by
  generalize hx : a :: w = x at h
  induction h with
  | nil => cases hx
  | step u v hu hv ih =>
    cases u with
    | nil => exact ih hx
    | cons b u =>
      rw [List.cons_append] at hx
      injection hx with h1 h2
      rw [h1]
      exact ⟨u, v, h2.symm, hu, hv⟩

theorem pow_sub_star (L : Lang α) (n : Nat) : Sub (pow L n) (star L) := by
  induction n with
  | zero =>
    intro w hw
    unfold pow unit at hw
    rw [hw]
    exact Star.nil
  | succ n ih =>
    rintro w ⟨u, v, hw, hu, hv⟩
    rw [← hw]
    exact Star.step u v hu (ih v hv)

theorem star_iff_pow (L : Lang α) (w : Word α) : star L w ↔ ∃ n, pow L n w := by
  constructor
  · intro h
    induction h with
    | nil => exact ⟨0, rfl⟩
    | step u v hu _ ih =>
      obtain ⟨n, hn⟩ := ih
      refine ⟨n + 1, ?_⟩
      exact cat_intro hu hn
  · rintro ⟨n, hn⟩
    exact pow_sub_star L n w hn

theorem pow_add (L : Lang α) (m n : Nat) : pow L (m + n) = cat (pow L m) (pow L n) := by
  induction m with
  | zero => rw [Nat.zero_add, pow, unit_cat]
  | succ m ih => rw [Nat.succ_add, pow, pow, ih, cat_assoc]

theorem pow_power {L : Lang α} {w : Word α} (h : L w) (n : Nat) : pow L n (w.power n) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    unfold pow Word.power
    exact cat_intro h ih

/-- Sliding: `L (M L)* = (L M)* L`. -/
theorem star_slide (L M : Lang α) : cat L (star (cat M L)) = cat (star (cat L M)) L := by
  apply sub_antisymm
  · rintro w ⟨u, v, hw, hu, hv⟩
    induction hv generalizing u w with
    | nil =>
      refine ⟨[], u, ?_, Star.nil, hu⟩
      rw [← hw, List.append_nil, List.nil_append]
    | step x y hx _ ih =>
      obtain ⟨m, l, hml, hm, hl⟩ := hx
      obtain ⟨s, t, hst, hs, ht⟩ := ih (l ++ y) l rfl hl
      refine ⟨(u ++ m) ++ s, t, ?_, Star.step _ s (cat_intro hu hm) hs, ht⟩
      rw [List.append_assoc, hst, ← hw, ← hml]
      simp only [List.append_assoc]
  · rintro w ⟨u, v, hw, hu, hv⟩
    induction hu generalizing w with
    | nil =>
      refine ⟨v, [], ?_, hv, Star.nil⟩
      rw [← hw, List.append_nil, List.nil_append]
    | step x y hx _ ih =>
      obtain ⟨l, m, hlm, hl, hm⟩ := hx
      obtain ⟨l', z, hlz, hl', hz⟩ := ih (y ++ v) rfl
      refine ⟨l, (m ++ l') ++ z, ?_, hl, Star.step _ z (cat_intro hm hl') hz⟩
      rw [← hw, ← hlm, List.append_assoc, List.append_assoc, ← hlz]
      simp only [List.append_assoc]

/-- Arden: the least solution of `X = L X ∪ M` is below every other one. -/
theorem arden_least {L M X : Lang α} (h : Sub (union (cat L X) M) X) : Sub (cat (star L) M) X := by
  rintro w ⟨u, v, hw, hu, hv⟩
  induction hu generalizing w with
  | nil =>
    apply h
    right
    rw [← hw]
    exact hv
  | step x y hx _ ih =>
    apply h
    left
    refine ⟨x, y ++ v, ?_, hx, ih (y ++ v) rfl⟩
    rw [← List.append_assoc, hw]

theorem arden_solution (L M : Lang α) : cat (star L) M = union (cat L (cat (star L) M)) M := by
  rw [← cat_assoc, union_comm]
  have h : M = cat unit M := (unit_cat M).symm
  conv => rhs; lhs; rw [h]
  rw [← union_cat, ← star_unfold]

/-- Where `L` has no empty word, the solution is the only one. -/
theorem arden_unique {L M X : Lang α} (hL : ¬ L []) (h : X = union (cat L X) M) : X = cat (star L) M := by
  apply sub_antisymm
  · have main : ∀ n (w : Word α), w.length < n → X w → cat (star L) M w := by
      intro n
      induction n with
      | zero =>
        intro w hw
        omega
      | succ n ih =>
        intro w hw hX
        rw [h] at hX
        rcases hX with ⟨u, v, huv, hu, hv⟩ | hM
        · have hpos : u ≠ [] := by
            intro h0
            rw [h0] at hu
            exact hL hu
          have hlen := congrArg List.length huv
          rw [List.length_append] at hlen
          have hupos := List.length_pos_iff.mpr hpos
          obtain ⟨s, t, hst, hs, ht⟩ := ih v (by omega) hv
          refine ⟨u ++ s, t, ?_, Star.step u s hu hs, ht⟩
          rw [List.append_assoc, hst, huv]
        · exact ⟨[], w, rfl, Star.nil, hM⟩
    intro w hw
    exact main (w.length + 1) w (by omega) hw
  · apply arden_least
    rw [← h]
    exact sub_refl X

end Star

section Quotients

theorem quot_append (u v : Word α) (L : Lang α) : quot (u ++ v) L = quot v (quot u L) := by
  funext w
  unfold quot
  rw [List.append_assoc]

theorem quot_union (u : Word α) (L M : Lang α) : quot u (union L M) = union (quot u L) (quot u M) := by
  rfl

theorem mem_iff_quot_nil (w : Word α) (L : Lang α) : L w ↔ quot w L [] := by
  unfold quot
  rw [List.append_nil]

theorem quot_letter_cat (a : α) (L M : Lang α) :
    quot [a] (cat L M) = union (cat (quot [a] L) M) (fun w => L [] ∧ quot [a] M w) := by
  apply ext
  intro w
  constructor
  · rintro ⟨u, v, hw, hu, hv⟩
    cases u with
    | nil =>
      right
      rw [List.nil_append] at hw
      rw [hw] at hv
      exact ⟨hu, hv⟩
    | cons b u =>
      left
      rw [List.cons_append, List.singleton_append] at hw
      injection hw with h1 h2
      rw [h1] at hu
      exact ⟨u, v, h2, hu, hv⟩
  · rintro (⟨u, v, hw, hu, hv⟩ | ⟨h0, hM⟩)
    · refine ⟨a :: u, v, ?_, hu, hv⟩
      rw [List.cons_append, hw]
      rfl
    · exact ⟨[], a :: w, rfl, h0, hM⟩

theorem quot_letter_star (a : α) (L : Lang α) : quot [a] (star L) = cat (quot [a] L) (star L) := by
  apply ext
  intro w
  constructor
  · intro h
    obtain ⟨u, v, hw, hu, hv⟩ := star_cons h
    exact ⟨u, v, hw, hu, hv⟩
  · rintro ⟨u, v, hw, hu, hv⟩
    unfold quot
    rw [← hw]
    exact Star.step (a :: u) v hu hv

theorem reversal_star (L : Lang α) : reversal (star L) = star (reversal L) := by
  have one_way : ∀ (M : Lang α) (w : Word α), star M w → star (reversal M) w.reverse := by
    intro M w hw
    induction hw with
    | nil => exact Star.nil
    | step u v hu _ ih =>
      rw [List.reverse_append]
      apply star_append ih
      apply star_single
      unfold reversal
      rw [List.reverse_reverse]
      exact hu
  apply ext
  intro w
  constructor
  · intro h
    have h1 := one_way L w.reverse h
    rw [List.reverse_reverse] at h1
    exact h1
  · intro h
    have h1 := one_way (reversal L) w h
    rw [reversal_reversal] at h1
    exact h1

end Quotients

end Lang

end Automata
