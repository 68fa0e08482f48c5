/-!
Basic functions on lists, defined here by recursion, and their interaction.
-/

namespace Lists

variable {α β γ : Type}

def len : List α → Nat
  | [] => 0
  | _ :: xs => len xs + 1

def app : List α → List α → List α
  | [], ys => ys
  | x :: xs, ys => x :: app xs ys

/-- Add an element at the end. -/
def snoc : List α → α → List α
  | [], a => [a]
  | x :: xs, a => x :: snoc xs a

def rev : List α → List α
  | [] => []
  | x :: xs => snoc (rev xs) x

/-- Every element twice. -/
def twice : List α → List α
  | [] => []
  | x :: xs => x :: x :: twice xs

/-- The list of `n` copies of `a`. -/
def rep (a : α) : Nat → List α
  | 0 => []
  | n + 1 => a :: rep a n

def takeN : Nat → List α → List α
  | 0, _ => []
  | _ + 1, [] => []
  | n + 1, x :: xs => x :: takeN n xs

def dropN : Nat → List α → List α
  | 0, xs => xs
  | _ + 1, [] => []
  | n + 1, _ :: xs => dropN n xs

def sumL : List Nat → Nat
  | [] => 0
  | x :: xs => x + sumL xs

def prodL : List Nat → Nat
  | [] => 1
  | x :: xs => x * prodL xs

def isNil : List α → Bool
  | [] => true
  | _ :: _ => false

section Length

theorem len_nil : len ([] : List α) = 0 := by
  rfl

theorem len_cons (x : α) (xs : List α) : len (x :: xs) = len xs + 1 := by
  rfl

theorem len_app (xs ys : List α) : len (app xs ys) = len xs + len ys := by
  induction xs with
  | nil => simp [app, len]
  | cons x xs ih =>
    simp only [app, len]
    rw [ih]
    omega

theorem len_snoc (xs : List α) (a : α) : len (snoc xs a) = len xs + 1 := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [snoc, len, ih]

theorem len_rev (xs : List α) : len (rev xs) = len xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [rev, len]
    rw [len_snoc, ih]

theorem len_twice (xs : List α) : len (twice xs) = 2 * len xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [twice, len]
    omega

theorem len_rep (a : α) (n : Nat) : len (rep a n) = n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [rep, len, ih]

theorem len_eq_length (xs : List α) : len xs = xs.length := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [len, ih]

theorem len_eq_zero (xs : List α) (h : len xs = 0) : xs = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => simp [len] at h

theorem len_pos_of_cons (x : α) (xs : List α) : 0 < len (x :: xs) := by
  simp [len]

theorem ne_nil_of_len (xs : List α) (h : 0 < len xs) : xs ≠ [] := by
  cases xs with
  | nil => contradiction
  | cons x xs => simp

theorem len_app_comm (xs ys : List α) : len (app xs ys) = len (app ys xs) := by
  rw [len_app, len_app]
  omega

theorem len_app_left_le (xs ys : List α) : len xs ≤ len (app xs ys) := by
  rw [len_app]
  omega

theorem len_app_right_le (xs ys : List α) : len ys ≤ len (app xs ys) := by
  rw [len_app]
  omega

theorem len_le_twice (xs : List α) : len xs ≤ len (twice xs) := by
  induction xs with
  | nil => simp [twice]
  | cons x xs ih =>
    simp only [twice, len]
    omega

theorem exists_cons_of_len (xs : List α) (h : 0 < len xs) : ∃ y ys, xs = y :: ys := by
  cases xs with
  | nil => contradiction
  | cons x xs => exact ⟨x, xs, rfl⟩

theorem isNil_of_len (xs : List α) (h : len xs = 0) : isNil xs = true := by
  cases xs with
  | nil => rfl
  | cons x xs => simp [len] at h

theorem isNil_eq (xs : List α) (h : isNil xs = true) : xs = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => simp [isNil] at h

end Length

section Append

theorem nil_app (xs : List α) : app [] xs = xs := by
  rfl

theorem app_nil (xs : List α) : app xs [] = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [app]
    rw [ih]

theorem app_assoc (xs ys zs : List α) : app (app xs ys) zs = app xs (app ys zs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [app]
    rw [ih]

theorem app_cons_eq (x : α) (xs ys : List α) : app (x :: xs) ys = x :: app xs ys := by
  rfl

theorem app_eq_append (xs ys : List α) : app xs ys = xs ++ ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [app, ih]

theorem app_eq_nil_left (xs ys : List α) (h : app xs ys = []) : xs = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => simp [app] at h

theorem app_eq_nil_right (xs ys : List α) (h : app xs ys = []) : ys = [] := by
  cases xs with
  | nil => exact h
  | cons x xs => simp [app] at h

theorem app_left_cancel (xs ys zs : List α) (h : app xs ys = app xs zs) : ys = zs := by
  induction xs with
  | nil => exact h
  | cons x xs ih =>
    simp only [app] at h
    injection h with h1 h2
    exact ih h2

theorem snoc_eq_app (xs : List α) (a : α) : snoc xs a = app xs [a] := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [snoc, app, ih]

theorem snoc_app (xs ys : List α) (a : α) : snoc (app xs ys) a = app xs (snoc ys a) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [snoc, app, ih]

theorem app_snoc (xs ys : List α) (a : α) : app (snoc xs a) ys = app xs (a :: ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [snoc, app, ih]

theorem snoc_ne_nil (xs : List α) (a : α) : snoc xs a ≠ [] := by
  cases xs with
  | nil => simp [snoc]
  | cons x xs => simp [snoc]

theorem twice_app (xs ys : List α) : twice (app xs ys) = app (twice xs) (twice ys) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [twice, app, ih]

theorem twice_snoc (xs : List α) (a : α) : twice (snoc xs a) = snoc (snoc (twice xs) a) a := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [twice, snoc, ih]

theorem twice_eq_nil (xs : List α) (h : twice xs = []) : xs = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => simp [twice] at h

theorem rep_succ (a : α) (n : Nat) : rep a (n + 1) = a :: rep a n := by
  rfl

theorem snoc_rep (a : α) (n : Nat) : snoc (rep a n) a = rep a (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [rep, snoc]
    rw [ih]
    rfl

theorem app_rep (a : α) (n m : Nat) : app (rep a n) (rep a m) = rep a (n + m) := by
  induction n with
  | zero => simp [rep, app]
  | succ n ih =>
    rw [Nat.succ_add]
    simp only [rep, app]
    rw [ih]

end Append

section Reverse

theorem rev_nil : rev ([] : List α) = [] := by
  rfl

theorem rev_singleton (a : α) : rev [a] = [a] := by
  rfl

theorem rev_pair (a b : α) : rev [a, b] = [b, a] := by
  rfl

theorem rev_triple (a b c : α) : rev [a, b, c] = [c, b, a] := by
  rfl

theorem rev_snoc (xs : List α) (a : α) : rev (snoc xs a) = a :: rev xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [rev, snoc, ih]

theorem rev_rev (xs : List α) : rev (rev xs) = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [rev]
    rw [rev_snoc, ih]

theorem rev_app (xs ys : List α) : rev (app xs ys) = app (rev ys) (rev xs) := by
  induction xs with
  | nil => simp [app, rev, app_nil]
  | cons x xs ih =>
    simp only [app, rev]
    rw [ih, snoc_app]

theorem rev_eq_reverse (xs : List α) : rev xs = xs.reverse := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [rev]
    rw [ih, snoc_eq_app, app_eq_append]
    simp

theorem rev_inj (xs ys : List α) (h : rev xs = rev ys) : xs = ys := by
  rw [← rev_rev xs, h, rev_rev]

theorem rev_eq_nil (xs : List α) (h : rev xs = []) : xs = [] := by
  rw [← rev_rev xs, h]
  rfl

theorem rev_twice (xs : List α) : rev (twice xs) = twice (rev xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [twice, rev]
    rw [twice_snoc, ih]

theorem rev_rep (a : α) (n : Nat) : rev (rep a n) = rep a n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [rep, rev]
    rw [ih, snoc_rep]
    rfl

theorem rev_app3 (xs ys zs : List α) :
    rev (app xs (app ys zs)) = app (app (rev zs) (rev ys)) (rev xs) := by
  rw [rev_app, rev_app]

theorem len_rev_app (xs ys : List α) : len (rev (app xs ys)) = len xs + len ys := by
  rw [len_rev, len_app]

end Reverse

section TakeDrop

theorem takeN_zero (xs : List α) : takeN 0 xs = [] := by
  cases xs with
  | nil => rfl
  | cons x xs => rfl

theorem takeN_nil (n : Nat) : takeN n ([] : List α) = [] := by
  cases n with
  | zero => rfl
  | succ n => rfl

theorem dropN_nil (n : Nat) : dropN n ([] : List α) = [] := by
  cases n with
  | zero => rfl
  | succ n => rfl

theorem takeN_app_dropN (n : Nat) (xs : List α) : app (takeN n xs) (dropN n xs) = xs := by
  induction n generalizing xs with
  | zero => simp [takeN, dropN, app]
  | succ n ih =>
    cases xs with
    | nil => rfl
    | cons x xs => simp [takeN, dropN, app, ih]

theorem takeN_len (xs : List α) : takeN (len xs) xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [len, takeN, ih]

theorem dropN_len (xs : List α) : dropN (len xs) xs = [] := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [len, dropN, ih]

theorem takeN_len_app (xs ys : List α) : takeN (len xs) (app xs ys) = xs := by
  induction xs with
  | nil => simp [len, takeN]
  | cons x xs ih => simp [len, takeN, app, ih]

theorem dropN_len_app (xs ys : List α) : dropN (len xs) (app xs ys) = ys := by
  induction xs with
  | nil => simp [len, dropN, app]
  | cons x xs ih => simp [len, dropN, app, ih]

theorem len_takeN_le (n : Nat) (xs : List α) : len (takeN n xs) ≤ n := by
  induction n generalizing xs with
  | zero => simp [takeN, len]
  | succ n ih =>
    cases xs with
    | nil => simp [takeN, len]
    | cons x xs =>
      simp only [takeN, len]
      have h := ih xs
      omega

theorem len_dropN (n : Nat) (xs : List α) : len (dropN n xs) = len xs - n := by
  induction n generalizing xs with
  | zero => simp [dropN]
  | succ n ih =>
    cases xs with
    | nil => simp [dropN, len]
    | cons x xs =>
      simp only [dropN, len]
      rw [ih]
      omega

theorem dropN_one_cons (x : α) (xs : List α) : dropN 1 (x :: xs) = xs := by
  simp [dropN]

theorem takeN_rep (a : α) (n : Nat) : takeN n (rep a n) = rep a n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [takeN, rep, ih]

theorem dropN_rep (a : α) (n : Nat) : dropN n (rep a n) = [] := by
  induction n with
  | zero => rfl
  | succ n ih => simp [dropN, rep, ih]

end TakeDrop

section Sums

theorem sumL_app (xs ys : List Nat) : sumL (app xs ys) = sumL xs + sumL ys := by
  induction xs with
  | nil => simp [app, sumL]
  | cons x xs ih =>
    simp only [app, sumL]
    rw [ih]
    omega

theorem sumL_snoc (xs : List Nat) (a : Nat) : sumL (snoc xs a) = sumL xs + a := by
  induction xs with
  | nil => simp [snoc, sumL]
  | cons x xs ih =>
    simp only [snoc, sumL]
    omega

theorem sumL_rev (xs : List Nat) : sumL (rev xs) = sumL xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [rev, sumL]
    rw [sumL_snoc, ih]
    omega

theorem sumL_twice (xs : List Nat) : sumL (twice xs) = 2 * sumL xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [twice, sumL]
    omega

theorem sumL_rep (a n : Nat) : sumL (rep a n) = n * a := by
  induction n with
  | zero => simp [rep, sumL]
  | succ n ih =>
    simp only [rep, sumL]
    rw [ih, Nat.succ_mul]
    omega

theorem sumL_rep_one (n : Nat) : sumL (rep 1 n) = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [rep, sumL]
    omega

theorem prodL_app (xs ys : List Nat) : prodL (app xs ys) = prodL xs * prodL ys := by
  induction xs with
  | nil => simp [app, prodL]
  | cons x xs ih =>
    simp only [app, prodL]
    rw [ih, Nat.mul_assoc]

theorem prodL_snoc (xs : List Nat) (a : Nat) : prodL (snoc xs a) = prodL xs * a := by
  induction xs with
  | nil => simp [snoc, prodL]
  | cons x xs ih =>
    simp only [snoc, prodL]
    rw [ih, Nat.mul_assoc]

theorem prodL_rep_one (n : Nat) : prodL (rep 1 n) = 1 := by
  induction n with
  | zero => rfl
  | succ n ih => simp [rep, prodL, ih]

theorem sumL_pos (x : Nat) (xs : List Nat) (h : 0 < x) : 0 < sumL (x :: xs) := by
  simp only [sumL]
  omega

end Sums

end Lists
