/-! # Regular expressions and Brzozowski derivatives -/

namespace RegexDeriv

/-- Regular expressions over the alphabet `α`. -/
inductive Regex (α : Type) where
  | zero | eps
  | chr (a : α)
  | alt (r s : Regex α)
  | seq (r s : Regex α)
  | star (r : Regex α)
  deriving Repr

open Regex

infixl:65 " ⋓ " => Regex.alt
infixl:70 " ⬝ " => Regex.seq

variable {α : Type}

/-- `Matches r w` : the word `w` is in the language of `r`. -/
inductive Matches : Regex α → List α → Prop where
  | eps : Matches .eps []
  | chr (a : α) : Matches (.chr a) [a]
  | altL {r s w} : Matches r w → Matches (r ⋓ s) w
  | altR {r s w} : Matches s w → Matches (r ⋓ s) w
  | seq {r s u v} : Matches r u → Matches s v → Matches (r ⬝ s) (u ++ v)
  | starNil {r} : Matches (.star r) []
  | starCons {r u v} : Matches r u → Matches (.star r) v → Matches (.star r) (u ++ v)

/-- Does the language of `r` contain the empty word? -/
def nullable : Regex α → Bool
  | .zero => false
  | .eps => true
  | .chr _ => false
  | r ⋓ s => nullable r || nullable s
  | r ⬝ s => nullable r && nullable s
  | .star _ => true

/-- The Brzozowski derivative of `r` with respect to the letter `a`. -/
def deriv [DecidableEq α] (a : α) : Regex α → Regex α
  | .zero => .zero
  | .eps => .zero
  | .chr b => if a = b then .eps else .zero
  | r ⋓ s => deriv a r ⋓ deriv a s
  | r ⬝ s => if nullable r then (deriv a r ⬝ s) ⋓ deriv a s else deriv a r ⬝ s
  | .star r => deriv a r ⬝ .star r

/-- The derivative with respect to a word. -/
def derivs [DecidableEq α] (r : Regex α) : List α → Regex α
  | [] => r
  | a :: w => derivs (deriv a r) w

def accepts [DecidableEq α] (r : Regex α) (w : List α) : Bool := nullable (derivs r w)

/-! ## The language -/

theorem not_matches_zero (w : List α) : ¬ Matches zero w := nofun

theorem matches_eps_iff (w : List α) : Matches eps w ↔ w = [] :=
  ⟨fun h => by cases h; rfl, fun h => h ▸ .eps⟩

theorem matches_chr_iff (a : α) (w : List α) : Matches (chr a) w ↔ w = [a] :=
  ⟨fun h => by cases h; rfl, fun h => h ▸ .chr a⟩

theorem matches_alt_iff (r s : Regex α) (w : List α) :
    Matches (r ⋓ s) w ↔ Matches r w ∨ Matches s w :=
  ⟨fun | .altL h => .inl h | .altR h => .inr h, fun | .inl h => .altL h | .inr h => .altR h⟩

theorem matches_seq_iff (r s : Regex α) (w : List α) :
    Matches (r ⬝ s) w ↔ ∃ u v, w = u ++ v ∧ Matches r u ∧ Matches s v := by
  constructor
  · intro h
    cases h with
    | seq h₁ h₂ => exact ⟨_, _, rfl, h₁, h₂⟩
  · rintro ⟨u, v, rfl, h₁, h₂⟩
    exact .seq h₁ h₂

theorem nullable_iff (r : Regex α) : nullable r = true ↔ Matches r [] := by
  induction r with
  | zero => simp [nullable, not_matches_zero]
  | eps => simp [nullable, matches_eps_iff]
  | chr a => simp [nullable, matches_chr_iff]
  | alt r s ihr ihs => simp [nullable, matches_alt_iff, ihr, ihs]
  | seq r s ihr ihs =>
    simp only [nullable, Bool.and_eq_true, ihr, ihs, matches_seq_iff]
    constructor
    · intro ⟨hr, hs⟩
      exact ⟨[], [], rfl, hr, hs⟩
    · rintro ⟨u, v, huv, hr, hs⟩
      obtain ⟨rfl, rfl⟩ := List.append_eq_nil_iff.mp huv.symm
      exact ⟨hr, hs⟩
  | star r _ => simp [nullable, Matches.starNil]

/-- A nonempty word of `star r` begins with a nonempty word of `r`. -/
theorem star_cons_inv {r : Regex α} {a : α} {w : List α} (h : Matches (star r) (a :: w)) :
    ∃ u v, w = u ++ v ∧ Matches r (a :: u) ∧ Matches (star r) v := by
  generalize hs : star r = s at h
  generalize hx : a :: w = x at h
  induction h with
  | eps | chr | altL | altR | seq => cases hs
  | starNil => cases hx
  | @starCons r' u v hu hv _ ih =>
    cases hs
    cases u with
    | nil => exact ih rfl hx
    | cons b u =>
      cases hx
      exact ⟨u, v, rfl, hu, hv⟩

theorem star_append {r : Regex α} {u v : List α} (hu : Matches (star r) u)
    (hv : Matches (star r) v) : Matches (star r) (u ++ v) := by
  generalize hs : star r = s at hu
  induction hu with
  | eps | chr | altL | altR | seq => cases hs
  | starNil => cases hs; exact hv
  | starCons h₁ _ _ ih =>
    cases hs
    rw [List.append_assoc]
    exact .starCons h₁ (ih rfl)

theorem star_star {r : Regex α} {w : List α} (h : Matches (star (star r)) w) :
    Matches (star r) w := by
  generalize hs : star (star r) = s at h
  induction h with
  | eps | chr | altL | altR | seq => cases hs
  | starNil => exact .starNil
  | starCons h₁ _ _ ih =>
    cases hs
    exact star_append h₁ (ih rfl)

variable [DecidableEq α]

theorem deriv_sound (r : Regex α) (a : α) (w : List α) :
    Matches (deriv a r) w → Matches r (a :: w) := by
  induction r generalizing w with
  | zero | eps => exact nofun
  | chr b =>
    intro h
    by_cases hab : a = b
    · simp only [deriv, if_pos hab, matches_eps_iff] at h
      simp [matches_chr_iff, hab, h]
    · simp [deriv, hab, not_matches_zero] at h
  | alt r s ihr ihs => exact fun | .altL h => .altL (ihr w h) | .altR h => .altR (ihs w h)
  | seq r s ihr ihs =>
    have key : Matches (deriv a r ⬝ s) w → Matches (r ⬝ s) (a :: w) := by
      intro h
      obtain ⟨u, v, rfl, hu, hv⟩ := (matches_seq_iff _ _ _).mp h
      exact .seq (ihr u hu) hv
    unfold deriv
    split
    · next hn => exact fun
        | .altL h => key h
        | .altR h => .seq ((nullable_iff r).mp hn) (ihs w h)
    · exact key
  | star r ih =>
    intro h
    obtain ⟨u, v, rfl, hu, hv⟩ := (matches_seq_iff _ _ _).mp h
    exact .starCons (ih u hu) hv

theorem deriv_complete (r : Regex α) (a : α) (w : List α) :
    Matches r (a :: w) → Matches (deriv a r) w := by
  induction r generalizing w with
  | zero | eps => exact nofun
  | chr b => intro h; cases h; simp [deriv, Matches.eps]
  | alt r s ihr ihs => exact fun | .altL h => .altL (ihr w h) | .altR h => .altR (ihs w h)
  | seq r s ihr ihs =>
    intro h
    obtain ⟨_ | ⟨b, u⟩, v, huv, hu, hv⟩ := (matches_seq_iff _ _ _).mp h
    · cases huv
      simp only [deriv, (nullable_iff r).mpr hu, if_true]
      exact .altR (ihs w hv)
    · cases huv
      have := Matches.seq (ihr u hu) hv
      by_cases hn : nullable r
      · simpa [deriv, hn] using .altL this
      · simpa [deriv, hn] using this
  | star r ih =>
    intro h
    obtain ⟨u, v, rfl, hu, hv⟩ := star_cons_inv h
    exact .seq (ih u hu) hv

theorem matches_derivs (r : Regex α) (u v : List α) :
    Matches (derivs r u) v ↔ Matches r (u ++ v) := by
  induction u generalizing r with
  | nil => rfl
  | cons a u ih => rw [derivs, ih]; exact ⟨deriv_sound r a _, deriv_complete r a _⟩

/-- The matcher is correct. -/
theorem accepts_iff (r : Regex α) (w : List α) : accepts r w = true ↔ Matches r w := by
  rw [accepts, nullable_iff, matches_derivs, List.append_nil]

theorem accepts_alt (r s : Regex α) (w : List α) :
    accepts (r ⋓ s) w = (accepts r w || accepts s w) := by
  rw [Bool.eq_iff_iff]
  simp [accepts_iff, matches_alt_iff]

end RegexDeriv
