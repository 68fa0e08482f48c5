import Structures.Expr.Basic

/-!
Simplification of expressions that keeps their value.
-/

namespace Structures

namespace Expr

/-- Addition that leaves out a zero. -/
def addS : Expr → Expr → Expr
  | num 0, b => b
  | a, b => add a b

/-- Twice an expression. -/
def dbl (a : Expr) : Expr := add a a

def sqr (a : Expr) : Expr := mul a a

/-- `a` to the power `n`. -/
def pow (a : Expr) : Nat → Expr
  | 0 => num 1
  | n + 1 => mul (pow a n) a

/-- The `n`-fold sum of `a`. -/
def times (a : Expr) : Nat → Expr
  | 0 => num 0
  | n + 1 => add (times a n) a

def simp1 : Expr → Expr
  | num k => num k
  | var => var
  | add a b => addS (simp1 a) (simp1 b)
  | mul a b => mul (simp1 a) (simp1 b)

end Expr

open Expr

section Simplify

theorem eval_addS (x : Nat) (a b : Expr) : eval x (addS a b) = eval x a + eval x b := by
  unfold addS
  split
  · simp [eval]
  · rfl

theorem addS_equiv (a b : Expr) : addS a b ≈ₑ add a b := by
  intro x
  rw [eval_addS]
  rfl

theorem eval_simp1 (x : Nat) (a : Expr) : eval x (simp1 a) = eval x a := by
  induction a with
  | num k => rfl
  | var => rfl
  | add a b iha ihb =>
    simp only [simp1, eval]
    rw [eval_addS, iha, ihb]
  | mul a b iha ihb =>
    simp only [simp1, eval]
    rw [iha, ihb]

theorem simp1_equiv (a : Expr) : simp1 a ≈ₑ a := by
  sorry

theorem ops_addS (a b : Expr) : ops (addS a b) ≤ ops a + ops b + 1 := by
  unfold addS
  split
  · simp only [ops]
    omega
  · simp only [ops]
    omega

theorem ops_simp1 (a : Expr) : ops (simp1 a) ≤ ops a := by
  induction a with
  | num k => simp [simp1]
  | var => simp [simp1]
  | add a b iha ihb =>
    have h := ops_addS (simp1 a) (simp1 b)
    simp only [simp1, ops]
    omega
  | mul a b iha ihb =>
    simp only [simp1, ops]
    omega

theorem closed_addS (a b : Expr) (ha : Closed a) (hb : Closed b) : Closed (addS a b) := by
  unfold addS
  split
  · exact hb
  · apply Closed.add
    · exact ha
    · exact hb

theorem closed_simp1 (a : Expr) (h : Closed a) : Closed (simp1 a) := by
  sorry

end Simplify

section Powers

theorem eval_dbl (x : Nat) (a : Expr) : eval x (dbl a) = 2 * eval x a := by
  simp only [dbl, eval]
  omega

theorem dbl_equiv (a b : Expr) (h : a ≈ₑ b) : dbl a ≈ₑ dbl b := by
  intro x
  simp only [dbl, eval]
  rw [h]

theorem sqr_equiv (a b : Expr) (h : a ≈ₑ b) : sqr a ≈ₑ sqr b := by
  sorry

theorem flip_dbl (a : Expr) : flip (dbl a) = dbl (flip a) := by
  rfl

theorem flip_sqr (a : Expr) : flip (sqr a) = sqr (flip a) := by
  sorry

theorem closed_dbl (a : Expr) (h : Closed a) : Closed (dbl a) := by
  apply Closed.add
  · exact h
  · exact h

theorem closed_sqr (a : Expr) (h : Closed a) : Closed (sqr a) := sorry

theorem eval_pow (x : Nat) (a : Expr) (n : Nat) : eval x (pow a n) = eval x a ^ n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [pow, eval]
    rw [ih, Nat.pow_succ]

theorem eval_times (x : Nat) (a : Expr) (n : Nat) : eval x (times a n) = n * eval x a := by
  sorry

theorem ops_pow (k n : Nat) : ops (pow (num k) n) = n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [pow, ops, ih]

theorem ops_times (k n : Nat) : ops (times (num k) n) = n := by
  sorry

theorem closed_pow (a : Expr) (n : Nat) (h : Closed a) : Closed (pow a n) := by
  induction n with
  | zero => apply Closed.num
  | succ n ih =>
    apply Closed.mul
    · exact ih
    · exact h

theorem closed_times (a : Expr) (n : Nat) (h : Closed a) : Closed (times a n) := by
  sorry

theorem subst_pow (a b : Expr) (n : Nat) : subst a (pow b n) = pow (subst a b) n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [pow, subst, ih]

theorem subst_times (a b : Expr) (n : Nat) : subst a (times b n) = times (subst a b) n := by
  sorry

theorem pow_equiv (a b : Expr) (n : Nat) (h : a ≈ₑ b) : pow a n ≈ₑ pow b n := by
  intro x
  rw [eval_pow, eval_pow, h]

end Powers

end Structures
