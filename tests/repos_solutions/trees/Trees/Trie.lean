/-!
Tries: maps from binary words to values. A node holds the value of the empty word and a trie for
each first letter.
-/

namespace Trees

/-- A map from words of two letters to values. -/
inductive Trie (α : Type) where
  | empty : Trie α
  | node (value : Option α) (zero one : Trie α) : Trie α

namespace Trie

variable {α β : Type}

def get : List Bool → Trie α → Option α
  | _, empty => none
  | [], node v _ _ => v
  | false :: w, node _ z _ => get w z
  | true :: w, node _ _ o => get w o

/-- A trie with one word. -/
def single (a : α) : List Bool → Trie α
  | [] => node (some a) empty empty
  | false :: w => node none (single a w) empty
  | true :: w => node none empty (single a w)

def set (a : α) : List Bool → Trie α → Trie α
  | w, empty => single a w
  | [], node _ z o => node (some a) z o
  | false :: w, node v z o => node v (set a w z) o
  | true :: w, node v z o => node v z (set a w o)

def erase : List Bool → Trie α → Trie α
  | _, empty => empty
  | [], node _ z o => node none z o
  | false :: w, node v z o => node v (erase w z) o
  | true :: w, node v z o => node v z (erase w o)

/-- The first value if there are two. -/
def orElse : Option α → Option α → Option α
  | none, v => v
  | some a, _ => some a

/-- The words of both, with the values of the first where both have one. -/
def union : Trie α → Trie α → Trie α
  | empty, t => t
  | node v z o, empty => node v z o
  | node v z o, node v' z' o' => node (orElse v v') (union z z') (union o o')

def map (f : α → β) : Trie α → Trie β
  | empty => empty
  | node v z o => node (v.map f) (map f z) (map f o)

/-- The words that begin with a prefix, without it. -/
def after : List Bool → Trie α → Trie α
  | [], t => t
  | _ :: _, empty => empty
  | false :: w, node _ z _ => after w z
  | true :: w, node _ _ o => after w o

/-- Put a prefix in front of all words. -/
def prepend : List Bool → Trie α → Trie α
  | [], t => t
  | false :: w, t => node none (prepend w t) empty
  | true :: w, t => node none empty (prepend w t)

/-- The number of words. -/
def count : Trie α → Nat
  | empty => 0
  | node none z o => count z + count o
  | node (some _) z o => count z + count o + 1

/-- The words, those without more letters first. -/
def words : Trie α → List (List Bool)
  | empty => []
  | node none z o => (words z).map (false :: ·) ++ (words o).map (true :: ·)
  | node (some _) z o => [] :: ((words z).map (false :: ·) ++ (words o).map (true :: ·))

/-- Two tries with the same values for all words. -/
def Agree (s t : Trie α) : Prop := ∀ w, get w s = get w t

section Reading

theorem get_empty (w : List Bool) : get w (empty : Trie α) = none := by
  cases w with
  | nil => rfl
  | cons b w =>
    cases b with
    | false => rfl
    | true => rfl

theorem get_single (a : α) (w : List Bool) : get w (single a w) = some a := by
  induction w with
  | nil => rfl
  | cons b w ih =>
    cases b with
    | false => exact ih
    | true => exact ih

theorem get_single_other (a : α) (v w : List Bool) (h : v ≠ w) : get v (single a w) = none := by
  induction w generalizing v with
  | nil =>
    cases v with
    | nil => contradiction
    | cons b v =>
      cases b with
      | false => exact get_empty v
      | true => exact get_empty v
  | cons c w ih =>
    cases v with
    | nil =>
      cases c with
      | false => rfl
      | true => rfl
    | cons b v =>
      cases b with
      | false =>
        cases c with
        | false =>
          apply ih
          intro h1
          apply h
          rw [h1]
        | true => exact get_empty v
      | true =>
        cases c with
        | false => exact get_empty v
        | true =>
          apply ih
          intro h1
          apply h
          rw [h1]

theorem get_set (a : α) (w : List Bool) (t : Trie α) : get w (set a w t) = some a := by
  induction w generalizing t with
  | nil =>
    cases t with
    | empty => rfl
    | node v z o => rfl
  | cons b w ih =>
    cases t with
    | empty =>
      cases b with
      | false => exact get_single a w
      | true => exact get_single a w
    | node v z o =>
      cases b with
      | false => exact ih z
      | true => exact ih o

theorem get_set_other (a : α) (v w : List Bool) (t : Trie α) (h : v ≠ w) :
    get v (set a w t) = get v t := by
  induction w generalizing v t with
  | nil =>
    cases t with
    | empty =>
      rw [get_empty]
      exact get_single_other a v [] h
    | node u z o =>
      cases v with
      | nil => contradiction
      | cons b v =>
        cases b with
        | false => rfl
        | true => rfl
  | cons c w ih =>
    cases t with
    | empty =>
      rw [get_empty]
      have h1 : set a (c :: w) empty = single a (c :: w) := by
        cases c with
        | false => rfl
        | true => rfl
      rw [h1]
      exact get_single_other a v (c :: w) h
    | node u z o =>
      cases v with
      | nil =>
        cases c with
        | false => rfl
        | true => rfl
      | cons b v =>
        cases b with
        | false =>
          cases c with
          | false =>
            apply ih
            intro h1
            apply h
            rw [h1]
          | true => rfl
        | true =>
          cases c with
          | false => rfl
          | true =>
            apply ih
            intro h1
            apply h
            rw [h1]

theorem set_set_agree (a b : α) (w : List Bool) (t : Trie α) :
    Agree (set a w (set b w t)) (set a w t) := by
  intro v
  by_cases h : v = w
  · rw [h, get_set, get_set]
  · rw [get_set_other a v w _ h, get_set_other b v w _ h, get_set_other a v w _ h]

theorem set_comm_agree (a b : α) (u w : List Bool) (t : Trie α) (h : u ≠ w) :
    Agree (set a u (set b w t)) (set b w (set a u t)) := by
  intro v
  by_cases hu : v = u
  · rw [hu, get_set, get_set_other b u w _ h, get_set]
  · rw [get_set_other a v u _ hu]
    by_cases hw : v = w
    · rw [hw, get_set, get_set]
    · rw [get_set_other b v w _ hw, get_set_other b v w _ hw, get_set_other a v u _ hu]

theorem agree_symm (s t : Trie α) (h : Agree s t) : Agree t s := by
  intro w
  rw [h w]

theorem agree_set (a : α) (w : List Bool) (s t : Trie α) (h : Agree s t) :
    Agree (set a w s) (set a w t) := by
  intro v
  by_cases hv : v = w
  · rw [hv, get_set, get_set]
  · rw [get_set_other a v w _ hv, get_set_other a v w _ hv, h v]

theorem get_erase (w : List Bool) (t : Trie α) : get w (erase w t) = none := by
  induction w generalizing t with
  | nil =>
    cases t with
    | empty => rfl
    | node v z o => rfl
  | cons b w ih =>
    cases t with
    | empty =>
      cases b with
      | false => rfl
      | true => rfl
    | node v z o =>
      cases b with
      | false => exact ih z
      | true => exact ih o

theorem get_erase_other (v w : List Bool) (t : Trie α) (h : v ≠ w) :
    get v (erase w t) = get v t := by
  induction w generalizing v t with
  | nil =>
    cases t with
    | empty => rfl
    | node u z o =>
      cases v with
      | nil => contradiction
      | cons b v =>
        cases b with
        | false => rfl
        | true => rfl
  | cons c w ih =>
    cases t with
    | empty =>
      cases c with
      | false => rfl
      | true => rfl
    | node u z o =>
      cases v with
      | nil =>
        cases c with
        | false => rfl
        | true => rfl
      | cons b v =>
        cases b with
        | false =>
          cases c with
          | false =>
            apply ih
            intro h1
            apply h
            rw [h1]
          | true => rfl
        | true =>
          cases c with
          | false => rfl
          | true =>
            apply ih
            intro h1
            apply h
            rw [h1]

theorem erase_idem (w : List Bool) (t : Trie α) : erase w (erase w t) = erase w t := by
  induction w generalizing t with
  | nil =>
    cases t with
    | empty => rfl
    | node v z o => rfl
  | cons b w ih =>
    cases t with
    | empty =>
      cases b with
      | false => rfl
      | true => rfl
    | node v z o =>
      cases b with
      | false =>
        simp only [erase]
        rw [ih]
      | true =>
        simp only [erase]
        rw [ih]

theorem set_get (a : α) (w : List Bool) (t : Trie α) (h : get w t = some a) : set a w t = t := by
  induction w generalizing t with
  | nil =>
    cases t with
    | empty => contradiction
    | node v z o =>
      have h1 : v = some a := h
      rw [h1]
      rfl
  | cons b w ih =>
    cases t with
    | empty =>
      rw [get_empty] at h
      contradiction
    | node v z o =>
      cases b with
      | false =>
        simp only [set]
        rw [ih z h]
      | true =>
        simp only [set]
        rw [ih o h]

end Reading

section Union

theorem union_empty (t : Trie α) : union t empty = t := by
  cases t with
  | empty => rfl
  | node v z o => rfl

theorem get_union (w : List Bool) (s t : Trie α) :
    get w (union s t) = orElse (get w s) (get w t) := by
  induction w generalizing s t with
  | nil =>
    cases s with
    | empty =>
      rw [get_empty]
      rfl
    | node v z o =>
      cases t with
      | empty =>
        simp only [union, get]
        cases v with
        | none => rfl
        | some a => rfl
      | node v' z' o' => rfl
  | cons b w ih =>
    cases s with
    | empty =>
      rw [get_empty]
      rfl
    | node v z o =>
      cases t with
      | empty =>
        rw [get_empty, union_empty]
        cases get (b :: w) (node v z o) with
        | none => rfl
        | some a => rfl
      | node v' z' o' =>
        cases b with
        | false => exact ih z z'
        | true => exact ih o o'

theorem union_assoc (s t u : Trie α) : union (union s t) u = union s (union t u) := by
  have h : ∀ x y z : Option α, orElse (orElse x y) z = orElse x (orElse y z) := by
    intro x y z
    cases x with
    | none => rfl
    | some a => rfl
  induction s generalizing t u with
  | empty => rfl
  | node v z o ihz iho =>
    cases t with
    | empty => rfl
    | node v' z' o' =>
      cases u with
      | empty => rfl
      | node v'' z'' o'' =>
        simp only [union]
        rw [h, ihz, iho]

theorem union_self (t : Trie α) : union t t = t := by
  induction t with
  | empty => rfl
  | node v z o ihz iho =>
    simp only [union]
    rw [ihz, iho]
    cases v with
    | none => rfl
    | some a => rfl

theorem agree_union (s s' t t' : Trie α) (h1 : Agree s s') (h2 : Agree t t') :
    Agree (union s t) (union s' t') := by
  intro w
  rw [get_union, get_union, h1 w, h2 w]

theorem union_single_agree (a : α) (w : List Bool) (t : Trie α) :
    Agree (union (single a w) t) (set a w t) := by
  intro v
  rw [get_union]
  by_cases h : v = w
  · rw [h, get_single, get_set]
    rfl
  · rw [get_single_other a v w h, get_set_other a v w t h]
    rfl

theorem get_union_none_iff (w : List Bool) (s t : Trie α) :
    get w (union s t) = none ↔ get w s = none ∧ get w t = none := by
  rw [get_union]
  cases get w s with
  | none =>
    constructor
    · intro h
      exact ⟨rfl, h⟩
    · intro h
      exact h.2
  | some a =>
    constructor
    · intro h
      contradiction
    · intro h
      have h1 := h.1
      contradiction

theorem union_comm_agree (s t : Trie α) (h : ∀ w, get w s = none ∨ get w t = none) :
    Agree (union s t) (union t s) := by
  intro w
  rw [get_union, get_union]
  rcases h w with h1 | h1
  · rw [h1]
    cases get w t with
    | none => rfl
    | some a => rfl
  · rw [h1]
    cases get w s with
    | none => rfl
    | some a => rfl

theorem get_map (f : α → β) (w : List Bool) (t : Trie α) :
    get w (map f t) = (get w t).map f := by
  induction t generalizing w with
  | empty =>
    simp only [map]
    rw [get_empty, get_empty]
    rfl
  | node v z o ihz iho =>
    cases w with
    | nil => rfl
    | cons b w =>
      cases b with
      | false => exact ihz w
      | true => exact iho w

theorem map_union (f : α → β) (s t : Trie α) :
    map f (union s t) = union (map f s) (map f t) := by
  induction s generalizing t with
  | empty => rfl
  | node v z o ihz iho =>
    cases t with
    | empty => rfl
    | node v' z' o' =>
      simp only [union, map]
      rw [ihz, iho]
      cases v with
      | none => rfl
      | some a => rfl

theorem agree_map (f : α → β) (s t : Trie α) (h : Agree s t) : Agree (map f s) (map f t) := by
  intro w
  rw [get_map, get_map, h w]

end Union

section Prefixes

theorem get_after (p w : List Bool) (t : Trie α) : get w (after p t) = get (p ++ w) t := by
  induction p generalizing t with
  | nil => rfl
  | cons b p ih =>
    cases t with
    | empty =>
      rw [get_empty]
      simp only [after]
      exact get_empty w
    | node v z o =>
      cases b with
      | false => exact ih z
      | true => exact ih o

theorem after_append (p q : List Bool) (t : Trie α) : after (p ++ q) t = after q (after p t) := by
  induction p generalizing t with
  | nil => rfl
  | cons b p ih =>
    cases t with
    | empty =>
      cases q with
      | nil => rfl
      | cons c q => rfl
    | node v z o =>
      cases b with
      | false => exact ih z
      | true => exact ih o

theorem after_prepend (p : List Bool) (t : Trie α) : after p (prepend p t) = t := by
  induction p with
  | nil => rfl
  | cons b p ih =>
    cases b with
    | false => exact ih
    | true => exact ih

theorem get_prepend (p w : List Bool) (t : Trie α) : get (p ++ w) (prepend p t) = get w t := by
  rw [← get_after, after_prepend]

theorem single_append (a : α) (p w : List Bool) : single a (p ++ w) = prepend p (single a w) := by
  induction p with
  | nil => rfl
  | cons b p ih =>
    cases b with
    | false =>
      simp only [List.cons_append, single, prepend]
      rw [ih]
    | true =>
      simp only [List.cons_append, single, prepend]
      rw [ih]

theorem after_union (p : List Bool) (s t : Trie α) :
    Agree (after p (union s t)) (union (after p s) (after p t)) := by
  intro w
  rw [get_after, get_union, get_union, get_after, get_after]

theorem after_set (a : α) (p w : List Bool) (t : Trie α) :
    Agree (after p (set a (p ++ w) t)) (set a w (after p t)) := by
  intro v
  rw [get_after]
  by_cases h : v = w
  · rw [h, get_set, get_set]
  · rw [get_set_other a v w _ h, get_after, get_set_other]
    intro h1
    exact h (List.append_cancel_left h1)

end Prefixes

section Counting

theorem length_words (t : Trie α) : (words t).length = count t := by
  induction t with
  | empty => rfl
  | node v z o ihz iho =>
    cases v with
    | none =>
      simp only [words, count, List.length_append, List.length_map]
      rw [ihz, iho]
    | some a =>
      simp only [words, count, List.length_cons, List.length_append, List.length_map]
      rw [ihz, iho]

theorem count_single (a : α) (w : List Bool) : count (single a w) = 1 := by
  induction w with
  | nil => rfl
  | cons b w ih =>
    cases b with
    | false =>
      simp only [single, count]
      rw [ih]
    | true =>
      simp only [single, count]
      rw [ih]

theorem count_set_le (a : α) (w : List Bool) (t : Trie α) : count (set a w t) ≤ count t + 1 := by
  induction w generalizing t with
  | nil =>
    cases t with
    | empty => exact Nat.le_refl 1
    | node v z o =>
      cases v with
      | none => exact Nat.le_refl _
      | some b => exact Nat.le_succ _
  | cons c w ih =>
    cases t with
    | empty =>
      have h : set a (c :: w) empty = single a (c :: w) := by
        cases c with
        | false => rfl
        | true => rfl
      rw [h, count_single]
      exact Nat.le_refl 1
    | node v z o =>
      have hz := ih z
      have ho := ih o
      cases c with
      | false =>
        cases v with
        | none =>
          simp only [set, count]
          omega
        | some b =>
          simp only [set, count]
          omega
      | true =>
        cases v with
        | none =>
          simp only [set, count]
          omega
        | some b =>
          simp only [set, count]
          omega

theorem count_map (f : α → β) (t : Trie α) : count (map f t) = count t := by
  induction t with
  | empty => rfl
  | node v z o ihz iho =>
    cases v with
    | none =>
      simp only [map, Option.map_none, count]
      rw [ihz, iho]
    | some a =>
      simp only [map, Option.map_some, count]
      rw [ihz, iho]

theorem mem_words_iff (w : List Bool) (t : Trie α) : w ∈ words t ↔ ∃ a, get w t = some a := by
  induction t generalizing w with
  | empty =>
    constructor
    · intro h
      contradiction
    · rintro ⟨a, h⟩
      rw [get_empty] at h
      contradiction
  | node v z o ihz iho =>
    have key : w ∈ (words z).map (false :: ·) ++ (words o).map (true :: ·) ↔
        (∃ u, u ∈ words z ∧ false :: u = w) ∨ (∃ u, u ∈ words o ∧ true :: u = w) := by
      rw [List.mem_append, List.mem_map, List.mem_map]
    cases w with
    | nil =>
      cases v with
      | none => simp [words, get]
      | some a => simp [words, get]
    | cons b w =>
      cases b with
      | false =>
        simp only [get]
        rw [← ihz]
        cases v with
        | none => simp [words]
        | some a => simp [words]
      | true =>
        simp only [get]
        rw [← iho]
        cases v with
        | none => simp [words]
        | some a => simp [words]

theorem count_union_le (s t : Trie α) : count (union s t) ≤ count s + count t := by
  induction s generalizing t with
  | empty =>
    simp only [union, count]
    omega
  | node v z o ihz iho =>
    cases t with
    | empty => exact Nat.le_refl _
    | node v' z' o' =>
      have hz := ihz z'
      have ho := iho o'
      cases v with
      | none =>
        cases v' with
        | none =>
          simp only [union, orElse, count]
          omega
        | some b =>
          simp only [union, orElse, count]
          omega
      | some a =>
        cases v' with
        | none =>
          simp only [union, orElse, count]
          omega
        | some b =>
          simp only [union, orElse, count]
          omega

theorem count_prepend (p : List Bool) (t : Trie α) : count (prepend p t) = count t := by
  induction p with
  | nil => rfl
  | cons b p ih =>
    cases b with
    | false =>
      simp only [prepend, count]
      rw [ih, Nat.add_zero]
    | true =>
      simp only [prepend, count]
      rw [ih, Nat.zero_add]

end Counting

end Trie

end Trees
