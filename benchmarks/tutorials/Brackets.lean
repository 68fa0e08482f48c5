/-! # Checking that the brackets of a text are balanced -/

inductive Bracket where
  | op
  | cl
  deriving DecidableEq, Repr

namespace Bracket

def toChar : Bracket → Char
  | op => '('
  | cl => ')'

def ofChar? (c : Char) : Option Bracket :=
  if c = '(' then some op else if c = ')' then some cl else none

def flip : Bracket → Bracket
  | op => cl
  | cl => op

theorem ofChar?_toChar (b : Bracket) : ofChar? b.toChar = some b := by
  cases b <;> rfl

theorem ofChar?_eq_some {c : Char} {b : Bracket} : ofChar? c = some b ↔ c = b.toChar := by
  constructor
  · intro h
    unfold ofChar? at h
    split at h
    · cases h; assumption
    · split at h <;> cases h
      assumption
  · rintro rfl
    exact ofChar?_toChar b

end Bracket

open Bracket

/-- The brackets of a text; every other character is skipped. -/
def brackets (s : List Char) : List Bracket := s.filterMap ofChar?

/-- The grammar `S → ε | ( S ) S`. -/
inductive Balanced : List Bracket → Prop where
  | nil : Balanced []
  | wrap {s t} : Balanced s → Balanced t → Balanced (op :: (s ++ cl :: t))

/-- Is `s` balanced, when `n` brackets are open before it? -/
def check : Nat → List Bracket → Bool
  | n, [] => n == 0
  | n, op :: s => check (n + 1) s
  | 0, cl :: _ => false
  | n + 1, cl :: s => check n s

def isBalanced (s : String) : Bool := check 0 (brackets s.toList)

theorem brackets_map_toChar (s : List Bracket) : brackets (s.map toChar) = s := by
  induction s with
  | nil => rfl
  | cons b s ih =>
    rw [List.map_cons, brackets, List.filterMap_cons_some (ofChar?_toChar b)]
    exact congrArg (b :: ·) ih

theorem mem_brackets {b : Bracket} {s : List Char} : b ∈ brackets s ↔ b.toChar ∈ s := by
  simp [brackets, ofChar?_eq_some]

/-! ## The grammar -/

theorem balanced_pair : Balanced [op, cl] := .wrap .nil .nil

theorem not_balanced_close (s : List Bracket) : ¬ Balanced (cl :: s) := by
  intro h
  cases h

theorem Balanced.append {s t : List Bracket} (hs : Balanced s) (ht : Balanced t) :
    Balanced (s ++ t) := by
  induction hs with
  | nil => exact ht
  | wrap ha _ _ ihb =>
    rw [List.cons_append, List.append_assoc]
    exact .wrap ha ihb

theorem Balanced.count_eq {s : List Bracket} (h : Balanced s) : s.count op = s.count cl := by
  induction h with
  | nil => rfl
  | wrap _ _ iha ihb =>
    simp [iha, ihb]
    omega

theorem Balanced.flip {s : List Bracket} (h : Balanced s) :
    Balanced (s.reverse.map Bracket.flip) := by
  induction h with
  | nil => exact .nil
  | wrap _ _ iha ihb =>
    simp only [List.reverse_cons, List.reverse_append, List.map_append, List.map_cons,
      List.map_nil, List.append_assoc]
    exact ihb.append (.wrap iha .nil)

/-- A pair of brackets may be put anywhere. -/
theorem Balanced.insert_pair {s t : List Bracket} (h : Balanced (s ++ t)) :
    Balanced (s ++ op :: cl :: t) := by
  generalize hu : s ++ t = u at h
  induction h generalizing s t with
  | nil =>
    obtain ⟨rfl, rfl⟩ := List.append_eq_nil_iff.mp hu
    exact balanced_pair
  | @wrap a b ha hb iha ihb =>
    cases s with
    | nil => cases hu; exact .wrap .nil (.wrap ha hb)
    | cons x s =>
      obtain ⟨rfl, hst⟩ := List.cons.inj hu
      rcases List.append_eq_append_iff.mp hst with ⟨c, rfl, rfl⟩ | ⟨c, rfl, hc⟩
      · have := iha (s := s) (t := c) rfl
        simpa using Balanced.wrap this hb
      · cases c with
        | nil =>
          have := iha (List.append_nil a)
          cases hc
          simpa using Balanced.wrap this hb
        | cons y c =>
          cases hc
          simpa using Balanced.wrap ha (ihb (s := c) (t := t) rfl)

theorem check_append {s : List Bracket} (h : Balanced s) (n : Nat) (t : List Bracket) :
    check n (s ++ t) = check n t := by
  induction h generalizing n t with
  | nil => rfl
  | wrap _ _ iha ihb =>
    show check (n + 1) ((_ ++ _) ++ t) = _
    rw [List.append_assoc, iha]
    exact ihb n t

theorem check_sound {n : Nat} {s : List Bracket} (h : check n s = true) :
    Balanced (List.replicate n op ++ s) := by
  induction s generalizing n with
  | nil =>
    have : n = 0 := by simpa [check] using h
    subst this
    exact .nil
  | cons b s ih =>
    cases b with
    | op => simpa [List.replicate_succ'] using ih (n := n + 1) h
    | cl =>
      cases n with
      | zero => cases h
      | succ n => simpa [List.replicate_succ'] using (ih (n := n) h).insert_pair

theorem check_iff {s : List Bracket} : check 0 s = true ↔ Balanced s := by
  constructor
  · exact check_sound (n := 0)
  · intro h
    rw [← List.append_nil s, check_append h]
    rfl

instance (s : List Bracket) : Decidable (Balanced s) := decidable_of_iff _ check_iff

theorem not_balanced_crossed : ¬ Balanced [op, cl, cl, op] := by decide

theorem isBalanced_ofList (s : List Bracket) :
    isBalanced (String.ofList (s.map toChar)) = true ↔ Balanced s := by
  rw [isBalanced, check_iff, String.toList_ofList, brackets_map_toChar]
