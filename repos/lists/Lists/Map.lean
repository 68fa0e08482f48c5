import Lists.Basic

/-!
Functions that take functions: mapping, filtering, folding, zipping.
-/

namespace Lists

variable {α β γ : Type}

def mapL (f : α → β) : List α → List β
  | [] => []
  | x :: xs => f x :: mapL f xs

/-- The elements for which `p` is true. -/
def keep (p : α → Bool) : List α → List α
  | [] => []
  | x :: xs => if p x then x :: keep p xs else keep p xs

def foldR (f : α → β → β) (b : β) : List α → β
  | [] => b
  | x :: xs => f x (foldR f b xs)

def foldL (f : β → α → β) (b : β) : List α → β
  | [] => b
  | x :: xs => foldL f (f b x) xs

def zipL : List α → List β → List (α × β)
  | [], _ => []
  | _ :: _, [] => []
  | x :: xs, y :: ys => (x, y) :: zipL xs ys

def flat : List (List α) → List α
  | [] => []
  | xs :: xss => app xs (flat xss)

/-- The number of elements for which `p` is true. -/
def count (p : α → Bool) : List α → Nat
  | [] => 0
  | x :: xs => if p x then count p xs + 1 else count p xs

def allB (p : α → Bool) : List α → Bool
  | [] => true
  | x :: xs => p x && allB p xs

def anyB (p : α → Bool) : List α → Bool
  | [] => false
  | x :: xs => p x || anyB p xs

section Map

variable (f : α → β) (g : β → γ)

theorem mapL_nil : mapL f [] = [] := by
  rfl

theorem mapL_cons (x : α) (xs : List α) : mapL f (x :: xs) = f x :: mapL f xs := by
  rfl

theorem mapL_id (xs : List α) : mapL (fun x => x) xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapL, ih]

theorem mapL_mapL (xs : List α) : mapL g (mapL f xs) = mapL (fun x => g (f x)) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapL, ih]

theorem len_mapL (xs : List α) : len (mapL f xs) = len xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapL, len, ih]

theorem mapL_app (xs ys : List α) : mapL f (app xs ys) = app (mapL f xs) (mapL f ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapL, app, ih]

theorem mapL_snoc (xs : List α) (a : α) : mapL f (snoc xs a) = snoc (mapL f xs) (f a) := by
  sorry

theorem mapL_twice (xs : List α) : mapL f (twice xs) = twice (mapL f xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapL, twice, ih]

theorem mapL_rep (a : α) (n : Nat) : mapL f (rep a n) = rep (f a) n := by
  sorry

theorem mapL_rev (xs : List α) : mapL f (rev xs) = rev (mapL f xs) := by
  have h : ∀ ys a, mapL f (snoc ys a) = snoc (mapL f ys) (f a) := by
    intro ys a
    induction ys with
    | nil => rfl
    | cons y ys ih => simp [mapL, snoc, ih]
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [mapL, rev]
    rw [h, ih]

theorem mapL_takeN (n : Nat) (xs : List α) : mapL f (takeN n xs) = takeN n (mapL f xs) := by
  induction n generalizing xs with
  | zero => simp [takeN, mapL]
  | succ n ih =>
    cases xs with
    | nil => rfl
    | cons x xs => simp [takeN, mapL, ih]

theorem mapL_dropN (n : Nat) (xs : List α) : mapL f (dropN n xs) = dropN n (mapL f xs) := by
  sorry

theorem mapL_congr (f' : α → β) (h : ∀ x, f x = f' x) (xs : List α) :
    mapL f xs = mapL f' xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [mapL]
    rw [ih, h]

theorem mapL_const (b : β) (xs : List α) : mapL (fun _ => b) xs = rep b (len xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapL, len, rep, ih]

theorem mapL_eq_map (xs : List α) : mapL f xs = xs.map f := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapL, ih]

theorem mapL_eq_nil (xs : List α) (h : mapL f xs = []) : xs = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => simp [mapL] at h

theorem mapL_inj (h : ∀ x y, f x = f y → x = y) (xs ys : List α) (h1 : mapL f xs = mapL f ys) :
    xs = ys := by
  induction xs generalizing ys with
  | nil =>
    cases ys with
    | nil => rfl
    | cons y ys => simp [mapL] at h1
  | cons x xs ih =>
    cases ys with
    | nil => simp [mapL] at h1
    | cons y ys =>
      simp only [mapL] at h1
      injection h1 with h2 h3
      rw [h x y h2, ih ys h3]

theorem mapL_succ_sum (xs : List Nat) : sumL (mapL (fun x => x + 1) xs) = sumL xs + len xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [mapL, sumL, len]
    omega

theorem mapL_double_sum (xs : List Nat) : sumL (mapL (fun x => 2 * x) xs) = 2 * sumL xs := by
  sorry

theorem mapL_zero_sum (xs : List α) : sumL (mapL (fun _ => 0) xs) = 0 := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapL, sumL, ih]

theorem mapL_one_sum (xs : List α) : sumL (mapL (fun _ => 1) xs) = len xs := by
  sorry

end Map

section Keep

variable (p q : α → Bool)

theorem keep_true (xs : List α) : keep (fun _ => true) xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [keep, ih]

theorem keep_false (xs : List α) : keep (fun _ => false) xs = [] := by
  sorry

theorem keep_cons_pos (x : α) (xs : List α) (h : p x = true) :
    keep p (x :: xs) = x :: keep p xs := by
  simp [keep, h]

theorem keep_cons_neg (x : α) (xs : List α) (h : p x = false) :
    keep p (x :: xs) = keep p xs := by
  simp [keep, h]

theorem keep_app (xs ys : List α) : keep p (app xs ys) = app (keep p xs) (keep p ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [app, keep]
    split
    · simp [app, ih]
    · exact ih

theorem keep_keep (xs : List α) : keep p (keep p xs) = keep p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h : p x = true
    · simp [keep, h, ih]
    · simp [keep, h, ih]

theorem keep_snoc_pos (xs : List α) (a : α) (h : p a = true) :
    keep p (snoc xs a) = snoc (keep p xs) a := by
  induction xs with
  | nil => simp [snoc, keep, h]
  | cons x xs ih =>
    by_cases h1 : p x = true
    · simp [snoc, keep, h1, ih]
    · simp [snoc, keep, h1, ih]

theorem keep_snoc_neg (xs : List α) (a : α) (h : p a = false) :
    keep p (snoc xs a) = keep p xs := by
  sorry

theorem len_keep_le (xs : List α) : len (keep p xs) ≤ len xs := by
  induction xs with
  | nil => simp [keep]
  | cons x xs ih =>
    simp only [keep]
    split
    · simp only [len]
      omega
    · simp only [len]
      omega

theorem keep_eq_filter (xs : List α) : keep p xs = xs.filter p := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [keep, List.filter_cons, ih]

theorem count_eq_len_keep (xs : List α) : count p xs = len (keep p xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h : p x = true
    · simp [count, keep, len, h, ih]
    · simp [count, keep, h, ih]

theorem count_app (xs ys : List α) : count p (app xs ys) = count p xs + count p ys := by
  induction xs with
  | nil => simp [app, count]
  | cons x xs ih =>
    simp only [app, count]
    split
    · omega
    · exact ih

theorem count_le_len (xs : List α) : count p xs ≤ len xs := by
  sorry

theorem count_true (xs : List α) : count (fun _ => true) xs = len xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [count, len, ih]

theorem count_false (xs : List α) : count (fun _ => false) xs = 0 := by
  sorry

theorem count_twice (xs : List α) : count p (twice xs) = 2 * count p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h : p x = true
    · simp only [twice, count, h]
      simp
      omega
    · simp only [twice, count, h]
      simp [ih]

theorem allB_app (xs ys : List α) : allB p (app xs ys) = (allB p xs && allB p ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [app, allB, ih, Bool.and_assoc]

theorem anyB_app (xs ys : List α) : anyB p (app xs ys) = (anyB p xs || anyB p ys) := by
  sorry

theorem allB_true (xs : List α) : allB (fun _ => true) xs = true := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [allB, ih]

theorem anyB_false (xs : List α) : anyB (fun _ => false) xs = false := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [anyB, ih]

theorem allB_not (xs : List α) : allB (fun x => !p x) xs = !anyB p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [allB, anyB, ih]

theorem anyB_not (xs : List α) : anyB (fun x => !p x) xs = !allB p xs := by
  sorry

theorem allB_keep (xs : List α) : allB p (keep p xs) = true := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    by_cases h : p x = true
    · simp [keep, allB, h, ih]
    · simp [keep, h, ih]

theorem allB_twice (xs : List α) : allB p (twice xs) = allB p xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [twice, allB, ih]

theorem anyB_twice (xs : List α) : anyB p (twice xs) = anyB p xs := by
  sorry

theorem keep_of_allB (xs : List α) (h : allB p xs = true) : keep p xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp [allB] at h
    simp [keep, h.1, ih h.2]

end Keep

section Fold

theorem foldR_app (f : α → β → β) (b : β) (xs ys : List α) :
    foldR f b (app xs ys) = foldR f (foldR f b ys) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [app, foldR, ih]

theorem foldL_app (f : β → α → β) (b : β) (xs ys : List α) :
    foldL f b (app xs ys) = foldL f (foldL f b xs) ys := by
  induction xs generalizing b with
  | nil => rfl
  | cons x xs ih => simp [app, foldL, ih]

theorem foldR_cons_nil (xs : List α) : foldR (fun x ys => x :: ys) [] xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [foldR, ih]

theorem foldR_cons_app (xs ys : List α) : foldR (fun x zs => x :: zs) ys xs = app xs ys := by
  sorry

theorem foldR_add (xs : List Nat) : foldR (fun x n => x + n) 0 xs = sumL xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [foldR, sumL, ih]

theorem foldR_mul (xs : List Nat) : foldR (fun x n => x * n) 1 xs = prodL xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [foldR, prodL, ih]

theorem foldR_len (xs : List α) : foldR (fun _ n => n + 1) 0 xs = len xs := by
  sorry

theorem foldR_map (f : α → β) (xs : List α) :
    foldR (fun x ys => f x :: ys) [] xs = mapL f xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [foldR, mapL, ih]

theorem foldR_twice (xs : List α) : foldR (fun x ys => x :: x :: ys) [] xs = twice xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [foldR, twice, ih]

theorem foldR_snoc_rev (xs : List α) : foldR (fun x ys => snoc ys x) [] xs = rev xs := by
  sorry

theorem foldL_add (n : Nat) (xs : List Nat) : foldL (fun m x => m + x) n xs = n + sumL xs := by
  induction xs generalizing n with
  | nil => rfl
  | cons x xs ih =>
    simp only [foldL, sumL]
    rw [ih]
    omega

theorem foldL_len (n : Nat) (xs : List α) : foldL (fun m _ => m + 1) n xs = n + len xs := by
  induction xs generalizing n with
  | nil => rfl
  | cons x xs ih =>
    sorry

theorem foldL_cons_rev (xs ys : List α) :
    foldL (fun zs x => x :: zs) ys xs = app (rev xs) ys := by
  induction xs generalizing ys with
  | nil => rfl
  | cons x xs ih =>
    simp only [foldL, rev]
    rw [ih, snoc_eq_app, app_assoc]
    rfl

end Fold

section ZipFlat

theorem zipL_nil_left (ys : List β) : zipL ([] : List α) ys = [] := by
  rfl

theorem zipL_nil_right (xs : List α) : zipL xs ([] : List β) = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => rfl

theorem len_zipL_self (xs : List α) : len (zipL xs xs) = len xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [zipL, len, ih]

theorem zipL_self (xs : List α) : zipL xs xs = mapL (fun x => (x, x)) xs := by
  sorry

theorem len_zipL_le (xs : List α) (ys : List β) : len (zipL xs ys) ≤ len xs := by
  induction xs generalizing ys with
  | nil => simp [zipL, len]
  | cons x xs ih =>
    cases ys with
    | nil => simp [zipL, len]
    | cons y ys =>
      simp only [zipL, len]
      have h := ih ys
      omega

theorem zipL_map_fst (f : α → β) (xs : List α) :
    mapL (fun y => y.1) (zipL xs (mapL f xs)) = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [zipL, mapL, ih]

theorem zipL_map_snd (f : α → β) (xs : List α) :
    mapL (fun y => y.2) (zipL xs (mapL f xs)) = mapL f xs := by
  sorry

theorem flat_singleton (xs : List α) : flat [xs] = xs := by
  simp [flat, app_nil]

theorem flat_app (xss yss : List (List α)) :
    flat (app xss yss) = app (flat xss) (flat yss) := by
  induction xss with
  | nil => rfl
  | cons xs xss ih =>
    simp only [app, flat]
    rw [ih, app_assoc]

theorem flat_map_singleton (xs : List α) : flat (mapL (fun x => [x]) xs) = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapL, flat, app, ih]

theorem flat_map_pair (xs : List α) : flat (mapL (fun x => [x, x]) xs) = twice xs := by
  sorry

theorem flat_rep_nil (n : Nat) : flat (rep ([] : List α) n) = [] := by
  induction n with
  | zero => rfl
  | succ n ih => simp [rep, flat, app, ih]

theorem len_flat (xss : List (List α)) : len (flat xss) = sumL (mapL len xss) := by
  sorry

theorem mapL_flat (f : α → β) (xss : List (List α)) :
    mapL f (flat xss) = flat (mapL (mapL f) xss) := by
  induction xss with
  | nil => rfl
  | cons xs xss ih =>
    simp only [flat, mapL]
    rw [mapL_app, ih]

end ZipFlat

section Core

theorem length_append_comm (xs ys : List α) : (xs ++ ys).length = (ys ++ xs).length := by
  simp
  omega

theorem length_map_reverse (f : α → β) (xs : List α) : (xs.reverse.map f).length = xs.length := by
  simp

theorem map_append_reverse (f : α → β) (xs ys : List α) :
    (xs ++ ys).reverse.map f = ys.reverse.map f ++ xs.reverse.map f := by
  sorry

theorem reverse_append_singleton (xs : List α) (a : α) : (xs ++ [a]).reverse = a :: xs.reverse := by
  sorry

theorem append_eq_nil_left (xs ys : List α) (h : xs ++ ys = []) : xs = [] := by
  simp at h
  exact h.1

theorem append_eq_nil_both (xs ys : List α) (h : xs ++ ys = []) : xs = [] ∧ ys = [] := by
  sorry

theorem length_cons_pos (x : α) (xs : List α) : 0 < (x :: xs).length := by
  simp

theorem length_two_le (x y : α) (xs : List α) : 2 ≤ (x :: y :: xs).length := by
  sorry

theorem mem_append_swap (a : α) (xs ys : List α) (h : a ∈ xs ++ ys) : a ∈ ys ++ xs := by
  simp at h
  simp
  cases h with
  | inl h1 => exact Or.inr h1
  | inr h1 => exact Or.inl h1

theorem mem_append_self (a : α) (xs : List α) (h : a ∈ xs ++ xs) : a ∈ xs := by
  sorry

theorem map_succ_pred (xs : List Nat) : (xs.map (fun x => x + 1)).map (fun x => x - 1) = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [List.map, Nat.add_sub_cancel]
    rw [ih]

theorem filter_append_app (p : α → Bool) (xs ys : List α) :
    (xs ++ ys).filter p = xs.filter p ++ ys.filter p := by
  sorry

end Core

end Lists
