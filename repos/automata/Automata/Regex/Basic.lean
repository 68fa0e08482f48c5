import Automata.Dfa

/-!
Regular expressions: their languages, and the questions whether the empty word or any word is in them.
-/

namespace Automata

inductive Regex (α : Type) where
  | none
  | eps
  | char (a : α)
  | alt (r s : Regex α)
  | seq (r s : Regex α)
  | rep (r : Regex α)

namespace Regex

variable {α β : Type}

/-- The language of an expression. -/
def den : Regex α → Lang α
  | none => Lang.void
  | eps => Lang.unit
  | char a => Lang.letter a
  | alt r s => Lang.union (den r) (den s)
  | seq r s => Lang.cat (den r) (den s)
  | rep r => Lang.star (den r)

/-- Does the expression have the empty word? -/
def nullable : Regex α → Bool
  | none => false
  | eps => true
  | char _ => false
  | alt r s => nullable r || nullable s
  | seq r s => nullable r && nullable s
  | rep _ => true

/-- The derivative by a letter: what may follow it. -/
def deriv [DecidableEq α] (a : α) : Regex α → Regex α
  | none => none
  | eps => none
  | char b => if a = b then eps else none
  | alt r s => alt (deriv a r) (deriv a s)
  | seq r s => if nullable r then alt (seq (deriv a r) s) (deriv a s) else seq (deriv a r) s
  | rep r => seq (deriv a r) (rep r)

/-- Derive by each letter of a word in turn. -/
def derivs [DecidableEq α] : Word α → Regex α → Regex α
  | [], r => r
  | a :: w, r => derivs w (deriv a r)

/-- Decide membership by derivatives. -/
def accepts [DecidableEq α] (r : Regex α) (w : Word α) : Bool := nullable (derivs w r)

/-- The expression read from right to left. -/
def flip : Regex α → Regex α
  | none => none
  | eps => eps
  | char a => char a
  | alt r s => alt (flip r) (flip s)
  | seq r s => seq (flip s) (flip r)
  | rep r => rep (flip r)

def map (f : α → β) : Regex α → Regex β
  | none => none
  | eps => eps
  | char a => char (f a)
  | alt r s => alt (map f r) (map f s)
  | seq r s => seq (map f r) (map f s)
  | rep r => rep (map f r)

/-- Is the language empty? -/
def isVoid : Regex α → Bool
  | none => true
  | eps => false
  | char _ => false
  | alt r s => isVoid r && isVoid s
  | seq r s => isVoid r || isVoid s
  | rep _ => false

/-- An `alt` that drops what is empty. -/
def mkAlt : Regex α → Regex α → Regex α
  | none, s => s
  | r, none => r
  | r, s => alt r s

/-- A `seq` that drops `eps` and sees `none`. -/
def mkSeq : Regex α → Regex α → Regex α
  | none, _ => none
  | eps, s => s
  | r, none => seq r none
  | r, s => seq r s

def simplify : Regex α → Regex α
  | alt r s => mkAlt (simplify r) (simplify s)
  | seq r s => mkSeq (simplify r) (simplify s)
  | rep r => rep (simplify r)
  | r => r

/-- The number of constructors. -/
def size : Regex α → Nat
  | alt r s => size r + size s + 1
  | seq r s => size r + size s + 1
  | rep r => size r + 1
  | _ => 1

/-- The word as an expression. -/
def ofWord : Word α → Regex α
  | [] => eps
  | a :: w => seq (char a) (ofWord w)

/-- No star occurs. -/
def Finite : Regex α → Prop
  | alt r s => Finite r ∧ Finite s
  | seq r s => Finite r ∧ Finite s
  | rep _ => False
  | _ => True

/-- The most letters that a word of an expression without stars can have. -/
def bound : Regex α → Nat
  | none => 0
  | eps => 0
  | char _ => 1
  | alt r s => max (bound r) (bound s)
  | seq r s => bound r + bound s
  | rep _ => 0

/-- Both expressions have the same words. -/
def Equiv (r s : Regex α) : Prop := den r = den s

section Nullable

theorem nullable_iff (r : Regex α) : nullable r = true ↔ den r [] := by
  induction r with
  | none =>
    constructor
    · intro h
      cases h
    · intro h
      exact h.elim
  | eps => exact ⟨fun _ => rfl, fun _ => rfl⟩
  | char a =>
    constructor
    · intro h
      cases h
    · intro h
      cases h
  | alt r s ihr ihs =>
    rw [nullable, Bool.or_eq_true, ihr, ihs]
    exact Iff.rfl
  | seq r s ihr ihs =>
    rw [nullable, Bool.and_eq_true, ihr, ihs, den, Lang.cat_nil_iff]
  | rep r _ => exact ⟨fun _ => Lang.star_nil _, fun _ => rfl⟩

theorem not_nullable_iff (r : Regex α) : nullable r = false ↔ ¬ den r [] := by
  rw [← nullable_iff, Bool.not_eq_true]

theorem nullable_flip (r : Regex α) : nullable (flip r) = nullable r := by
  sorry

theorem isVoid_iff (r : Regex α) : isVoid r = true ↔ den r = Lang.void := by
  induction r with
  | none => exact ⟨fun _ => rfl, fun _ => rfl⟩
  | eps =>
    constructor
    · intro h
      cases h
    · intro h
      have h1 : (den eps : Lang α) [] := rfl
      rw [h] at h1
      exact h1.elim
  | char a =>
    constructor
    · intro h
      cases h
    · intro h
      have h1 : den (char a) [a] := rfl
      rw [h] at h1
      exact h1.elim
  | alt r s ihr ihs =>
    rw [isVoid, Bool.and_eq_true, ihr, ihs, den]
    constructor
    · rintro ⟨h1, h2⟩
      rw [h1, h2, Lang.union_void]
    · intro h
      constructor
      · apply Lang.sub_antisymm
        · rw [← h]
          exact Lang.sub_union_left _ _
        · intro w hw
          exact hw.elim
      · apply Lang.sub_antisymm
        · rw [← h]
          exact Lang.sub_union_right _ _
        · intro w hw
          exact hw.elim
  | seq r s ihr ihs => rw [isVoid, Bool.or_eq_true, ihr, ihs, den, Lang.cat_eq_void_iff]
  | rep r _ =>
    constructor
    · intro h
      cases h
    · intro h
      have h1 : den (rep r) [] := Lang.star_nil _
      rw [h] at h1
      exact h1.elim

theorem exists_word_of_not_void {r : Regex α} (h : isVoid r = false) : ∃ w, den r w := by
  sorry

theorem isVoid_flip (r : Regex α) : isVoid (flip r) = isVoid r := by
  induction r with
  | none => rfl
  | eps => rfl
  | char a => rfl
  | alt r s ihr ihs => rw [flip, isVoid, isVoid, ihr, ihs]
  | seq r s ihr ihs => rw [flip, isVoid, isVoid, ihr, ihs, Bool.or_comm]
  | rep r _ => rfl

theorem nullable_not_void {r : Regex α} (h : nullable r = true) : isVoid r = false := by
  rw [← Bool.not_eq_true, isVoid_iff]
  intro hv
  rw [nullable_iff, hv] at h
  exact h

end Nullable

end Regex

end Automata
