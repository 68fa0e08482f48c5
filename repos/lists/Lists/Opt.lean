import Lists.Member

/-!
Options: mapping, chaining, choosing, and functions on lists that may fail.
-/

namespace Lists

variable {α β γ : Type}

def mapO (f : α → β) : Option α → Option β
  | none => none
  | some a => some (f a)

def chain (o : Option α) (f : α → Option β) : Option β :=
  match o with
  | none => none
  | some a => f a

/-- The first one that is there. -/
def orO : Option α → Option α → Option α
  | none, o => o
  | some a, _ => some a

def getOr (d : α) : Option α → α
  | none => d
  | some a => a

def toL : Option α → List α
  | none => []
  | some a => [a]

def first : List α → Option α
  | [] => none
  | x :: _ => some x

def last : List α → Option α
  | [] => none
  | [x] => some x
  | _ :: y :: xs => last (y :: xs)

def nth : List α → Nat → Option α
  | [], _ => none
  | x :: _, 0 => some x
  | _ :: xs, n + 1 => nth xs n

def find (p : α → Bool) : List α → Option α
  | [] => none
  | x :: xs => if p x then some x else find p xs

section Opt

theorem mapO_id (o : Option α) : mapO (fun x => x) o = o := by
  cases o with
  | none => rfl
  | some a => rfl

theorem mapO_mapO (f : α → β) (g : β → γ) (o : Option α) :
    mapO g (mapO f o) = mapO (fun x => g (f x)) o := by
  cases o with
  | none => rfl
  | some a => rfl

theorem mapO_eq_none (f : α → β) (o : Option α) (h : mapO f o = none) : o = none := by
  cases o with
  | none => rfl
  | some a => contradiction

theorem mapO_eq_some (f : α → β) (o : Option α) (b : β) (h : mapO f o = some b) :
    ∃ a, o = some a ∧ f a = b := by
  cases o with
  | none => contradiction
  | some a =>
    injection h with h1
    exact ⟨a, rfl, h1⟩

theorem chain_some (a : α) (f : α → Option β) : chain (some a) f = f a := by
  rfl

theorem chain_pure (o : Option α) : chain o some = o := by
  cases o with
  | none => rfl
  | some a => rfl

theorem chain_assoc (o : Option α) (f : α → Option β) (g : β → Option γ) :
    chain (chain o f) g = chain o (fun x => chain (f x) g) := by
  sorry

theorem chain_none (o : Option α) : chain o (fun _ => (none : Option β)) = none := by
  cases o with
  | none => rfl
  | some a => rfl

theorem chain_eq_mapO (o : Option α) (f : α → β) : chain o (fun x => some (f x)) = mapO f o := by
  sorry

theorem chain_eq_some (o : Option α) (f : α → Option β) (b : β) (h : chain o f = some b) :
    ∃ a, o = some a ∧ f a = some b := by
  sorry

theorem orO_none (o : Option α) : orO o none = o := by
  cases o with
  | none => rfl
  | some a => rfl

theorem orO_self (o : Option α) : orO o o = o := sorry

theorem orO_assoc (o1 o2 o3 : Option α) : orO (orO o1 o2) o3 = orO o1 (orO o2 o3) := by
  cases o1 with
  | none => rfl
  | some a => rfl

theorem orO_eq_none (o1 o2 : Option α) (h : orO o1 o2 = none) : o1 = none ∧ o2 = none := by
  cases o1 with
  | none =>
    constructor
    · rfl
    · exact h
  | some a => contradiction

theorem mapO_orO (f : α → β) (o1 o2 : Option α) :
    mapO f (orO o1 o2) = orO (mapO f o1) (mapO f o2) := by
  cases o1 with
  | none => rfl
  | some a => rfl

theorem getOr_some (d a : α) : getOr d (some a) = a := by
  rfl

theorem getOr_mapO (f : α → β) (d : α) (o : Option α) :
    getOr (f d) (mapO f o) = f (getOr d o) := by
  cases o with
  | none => rfl
  | some a => rfl

theorem getOr_orO (d : α) (o1 o2 : Option α) : getOr d (orO o1 o2) = getOr (getOr d o2) o1 := by
  sorry

theorem toL_mapO (f : α → β) (o : Option α) : toL (mapO f o) = mapL f (toL o) := by
  cases o with
  | none => rfl
  | some a => rfl

theorem len_toL_le (o : Option α) : len (toL o) ≤ 1 := by
  cases o with
  | none => simp [toL, len]
  | some a => simp [toL, len]

theorem first_toL (o : Option α) : first (toL o) = o := by
  sorry

theorem some_inj (a b : α) (h : some a = some b) : a = b := by
  injection h

theorem opt_cases (o : Option α) : o = none ∨ ∃ a, o = some a := by
  cases o with
  | none =>
    left
    rfl
  | some a =>
    right
    exact ⟨a, rfl⟩

theorem opt_ne_none (o : Option α) (h : o ≠ none) : ∃ a, o = some a := by
  sorry

end Opt

section Access

theorem first_mapL (f : α → β) (xs : List α) : first (mapL f xs) = mapO f (first xs) := by
  cases xs with
  | nil => rfl
  | cons x xs => rfl

theorem first_app (xs ys : List α) : first (app xs ys) = orO (first xs) (first ys) := by
  cases xs with
  | nil => rfl
  | cons x xs => rfl

theorem first_twice (xs : List α) : first (twice xs) = first xs := sorry

theorem first_eq_none (xs : List α) (h : first xs = none) : xs = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => contradiction

theorem first_eq_nth (xs : List α) : first xs = nth xs 0 := by
  cases xs with
  | nil => rfl
  | cons x xs => rfl

theorem last_snoc (xs : List α) (a : α) : last (snoc xs a) = some a := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    cases xs with
    | nil => rfl
    | cons y ys =>
      simp only [snoc, last]
      exact ih

theorem first_rev_snoc (xs : List α) (a : α) : first (rev (snoc xs a)) = some a := by
  rw [rev_snoc]
  rfl

theorem last_rev_cons (x : α) (xs : List α) : last (rev (x :: xs)) = some x := by
  sorry

theorem last_rev (xs : List α) : last (rev xs) = first xs := by
  cases xs with
  | nil => rfl
  | cons x xs =>
    simp only [rev, first]
    rw [last_snoc]

theorem nth_nil (n : Nat) : nth ([] : List α) n = none := by
  rfl

theorem nth_mapL (f : α → β) (xs : List α) (n : Nat) : nth (mapL f xs) n = mapO f (nth xs n) := by
  induction xs generalizing n with
  | nil => rfl
  | cons x xs ih =>
    cases n with
    | zero => rfl
    | succ n =>
      simp only [mapL, nth]
      exact ih n

theorem nth_app_right (xs ys : List α) (n : Nat) : nth (app xs ys) (len xs + n) = nth ys n := by
  induction xs with
  | nil => simp [app, len]
  | cons x xs ih =>
    rw [len, Nat.succ_add]
    simp only [app, nth]
    exact ih

theorem nth_len (xs : List α) : nth xs (len xs) = none := by
  sorry

theorem nth_dropN (xs : List α) (n : Nat) : first (dropN n xs) = nth xs n := by
  induction n generalizing xs with
  | zero =>
    cases xs with
    | nil => rfl
    | cons x xs => rfl
  | succ n ih =>
    cases xs with
    | nil => rfl
    | cons x xs =>
      simp only [dropN, nth]
      exact ih xs

theorem nth_mem (xs : List α) (n : Nat) (a : α) (h : nth xs n = some a) : Mem a xs := by
  induction xs generalizing n with
  | nil => contradiction
  | cons x xs ih =>
    cases n with
    | zero =>
      injection h with h1
      subst h1
      apply Mem.head
    | succ n =>
      apply Mem.tail
      exact ih n h

theorem mem_nth (a : α) (xs : List α) (h : Mem a xs) : ∃ n, nth xs n = some a := by
  sorry

theorem find_true (xs : List α) : find (fun _ => true) xs = first xs := by
  cases xs with
  | nil => rfl
  | cons x xs => rfl

theorem find_false (xs : List α) : find (fun _ => false) xs = none := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [find, ih]

theorem find_eq_first_keep (p : α → Bool) (xs : List α) : find p xs = first (keep p xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h : p x = true
    · simp [find, keep, first, h]
    · simp [find, keep, h, ih]

theorem find_app (p : α → Bool) (xs ys : List α) :
    find p (app xs ys) = orO (find p xs) (find p ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h : p x = true
    · sorry
    · simp [app, find, h, ih]

theorem find_some_true (p : α → Bool) (xs : List α) (a : α) (h : find p xs = some a) :
    p a = true := by
  induction xs with
  | nil => contradiction
  | cons x xs ih =>
    by_cases h1 : p x = true
    · simp [find, h1] at h
      subst h
      exact h1
    · simp [find, h1] at h
      exact ih h

end Access

end Lists
