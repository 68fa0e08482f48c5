/-!
Fifty theorems after A. Ireland and A. Bundy, "Productive use of failure in inductive proof" (Journal of Automated Reasoning 16, 1996):
most need a lemma or a generalization. They are here without these, and without proofs.
-/

namespace Induction

inductive N where
  | zero : N
  | succ : N → N
deriving DecidableEq, Repr

inductive L (α : Type) where
  | nil : L α
  | cons : α → L α → L α
deriving DecidableEq, Repr

open N L

def plus : N → N → N
  | zero, y => y
  | succ x, y => succ (plus x y)

def times : N → N → N
  | zero, _ => zero
  | succ x, y => plus y (times x y)

def double : N → N
  | zero => zero
  | succ x => succ (succ (double x))

def half : N → N
  | zero => zero
  | succ zero => zero
  | succ (succ x) => succ (half x)

def even : N → Bool
  | zero => true
  | succ zero => false
  | succ (succ x) => even x

def fac : N → N
  | zero => succ zero
  | succ x => times (succ x) (fac x)

def qfac : N → N → N
  | zero, y => y
  | succ x, y => qfac x (times (succ x) y)

def mult2 : N → N → N → N
  | zero, _, z => z
  | succ x, y, z => mult2 x y (plus y z)

def exp (x : N) : N → N
  | zero => succ zero
  | succ y => times x (exp x y)

def qexp (x : N) : N → N → N
  | zero, z => z
  | succ y, z => qexp x y (times x z)

def leq : N → N → Bool
  | zero, _ => true
  | succ _, zero => false
  | succ x, succ y => leq x y

variable {α : Type}

def app : L α → L α → L α
  | nil, ys => ys
  | cons x xs, ys => cons x (app xs ys)

def len : L α → N
  | nil => zero
  | cons _ xs => succ (len xs)

def rev : L α → L α
  | nil => nil
  | cons x xs => app (rev xs) (cons x nil)

def qrev : L α → L α → L α
  | nil, ys => ys
  | cons x xs, ys => qrev xs (cons x ys)

def drop : N → L α → L α
  | zero, xs => xs
  | succ _, nil => nil
  | succ n, cons _ xs => drop n xs

def rotate : N → L α → L α
  | zero, xs => xs
  | succ _, nil => nil
  | succ n, cons x xs => rotate n (app xs (cons x nil))

def revflat : L (L α) → L α
  | nil => nil
  | cons x xs => app (revflat xs) (rev x)

def qrevflat : L (L α) → L α → L α
  | nil, ys => ys
  | cons x xs, ys => qrevflat xs (app (rev x) ys)

def elem (x : N) : L N → Bool
  | nil => false
  | cons y ys => x == y || elem x ys

def subset : L N → L N → Bool
  | nil, _ => true
  | cons x xs, ys => elem x ys && subset xs ys

def union : L N → L N → L N
  | nil, ys => ys
  | cons x xs, ys => if elem x ys then union xs ys else cons x (union xs ys)

def inter : L N → L N → L N
  | nil, _ => nil
  | cons x xs, ys => if elem x ys then cons x (inter xs ys) else inter xs ys

def insert (x : N) : L N → L N
  | nil => cons x nil
  | cons y ys => if leq x y then cons x (cons y ys) else cons y (insert x ys)

def isort : L N → L N
  | nil => nil
  | cons x xs => insert x (isort xs)

def sorted : L N → Bool
  | nil => true
  | cons _ nil => true
  | cons x (cons y ys) => leq x y && sorted (cons y ys)

def count (x : N) : L N → N
  | nil => zero
  | cons y ys => if x == y then succ (count x ys) else count x ys

def nth : N → L (L N) → L N
  | _, nil => nil
  | zero, cons x _ => x
  | succ n, cons _ xs => nth n xs

def concat : L (L N) → L N
  | nil => nil
  | cons x xs => app x (concat xs)

theorem t01 (x : N) : double x = plus x x := by sorry
theorem t02 (x y : L α) : len (app x y) = len (app y x) := by sorry
theorem t03 (x y : L α) : len (app x y) = plus (len y) (len x) := by sorry
theorem t04 (x : L α) : len (app x x) = double (len x) := by sorry
theorem t05 (x : L α) : len (rev x) = len x := by sorry
theorem t06 (x y : L α) : len (rev (app x y)) = plus (len x) (len y) := by sorry
theorem t07 (x y : L α) : len (qrev x y) = plus (len x) (len y) := by sorry
theorem t08 (x y : N) (z : L α) : drop x (drop y z) = drop y (drop x z) := by sorry
theorem t09 (w x y : N) (z : L α) : drop w (drop x (drop y z)) = drop y (drop x (drop w z)) := by sorry
theorem t10 (x : L α) : rev (rev x) = x := by sorry
theorem t11 (x y : L α) : rev (app (rev x) (rev y)) = app y x := by sorry
theorem t12 (x y : L α) : qrev x y = app (rev x) y := by sorry
theorem t13 (x : N) : half (plus x x) = x := by sorry
theorem t14 (x : L N) : sorted (isort x) = true := by sorry
theorem t15 (x : N) : plus x (succ x) = succ (plus x x) := by sorry
theorem t16 (x : N) : even (plus x x) = true := by sorry
theorem t17 (x y : L α) : rev (rev (app x y)) = app (rev (rev x)) (rev (rev y)) := by sorry
theorem t18 (x y : L α) : rev (app (rev x) y) = app (rev y) x := by sorry
theorem t19 (x y : L α) : app (rev (rev x)) y = rev (rev (app x y)) := by sorry
theorem t20 (x : L α) : even (len (app x x)) = true := by sorry
theorem t21 (x y : L α) : rotate (len x) (app x y) = app y x := by sorry
theorem t22 (x y : L α) : even (len (app x y)) = even (len (app y x)) := by sorry
theorem t23 (x y : L α) : half (len (app x y)) = half (len (app y x)) := by sorry
theorem t24 (x y : N) : even (plus x y) = even (plus y x) := by sorry
theorem t25 (x y : L α) : even (len (app x y)) = even (plus (len y) (len x)) := by sorry
theorem t26 (x y : N) : half (plus x y) = half (plus y x) := by sorry
theorem t27 (x : L α) : rev x = qrev x nil := by sorry
theorem t28 (x : L (L α)) : revflat x = qrevflat x nil := by sorry
theorem t29 (x : L α) : rev (qrev x nil) = x := by sorry
theorem t30 (x : L α) : rev (app (rev x) nil) = x := by sorry
theorem t31 (x : L α) : qrev (qrev x nil) nil = x := by sorry
theorem t32 (x : L α) : rotate (len x) x = x := by sorry
theorem t33 (x : N) : fac x = qfac x (succ zero) := by sorry
theorem t34 (x y : N) : times x y = mult2 x y zero := by sorry
theorem t35 (x y : N) : exp x y = qexp x y (succ zero) := by sorry
theorem t36 (x : N) (y z : L N) : elem x y = true → elem x (app y z) = true := by sorry
theorem t37 (x : N) (y z : L N) : elem x z = true → elem x (app y z) = true := by sorry
theorem t38 (x : N) (y z : L N) : elem x y = true ∨ elem x z = true → elem x (app y z) = true := by sorry
theorem t39 (x n : N) (z : L (L N)) : elem x (nth n z) = true → elem x (concat z) = true := by sorry
theorem t40 (x y : L N) : subset x y = true → union x y = y := by sorry
theorem t41 (x y : L N) : subset x y = true → inter x y = x := by sorry
theorem t42 (x : N) (y z : L N) : elem x y = true → elem x (union y z) = true := by sorry
theorem t43 (x : N) (y z : L N) : elem x y = true → elem x (union z y) = true := by sorry
theorem t44 (x : N) (y z : L N) : elem x y = true → elem x z = true → elem x (inter y z) = true := by sorry
theorem t45 (x : N) (y : L N) : elem x (insert x y) = true := by sorry
theorem t46 (x y : N) (z : L N) : x = y → elem x (insert y z) = true := by sorry
theorem t47 (x y : N) (z : L N) : x ≠ y → elem x (insert y z) = elem x z := by sorry
theorem t48 (x : L N) : len (isort x) = len x := by sorry
theorem t49 (x : N) (y : L N) : elem x (isort y) = true → elem x y = true := by sorry
theorem t50 (x : N) (y : L N) : count x (isort y) = count x y := by sorry

end Induction
