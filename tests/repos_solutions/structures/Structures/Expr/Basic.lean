/-!
Arithmetic expressions with one variable, and their value.
-/

namespace Structures

inductive Expr where
  | num (k : Nat)
  | var
  | add (a b : Expr)
  | mul (a b : Expr)

namespace Expr

def eval (x : Nat) : Expr → Nat
  | num k => k
  | var => x
  | add a b => eval x a + eval x b
  | mul a b => eval x a * eval x b

/-- The number of leaves. -/
def atoms : Expr → Nat
  | num _ => 1
  | var => 1
  | add a b => atoms a + atoms b
  | mul a b => atoms a + atoms b

def ops : Expr → Nat
  | num _ => 0
  | var => 0
  | add a b => ops a + ops b + 1
  | mul a b => ops a + ops b + 1

/-- Replace the variable by an expression. -/
def subst (e : Expr) : Expr → Expr
  | num k => num k
  | var => e
  | add a b => add (subst e a) (subst e b)
  | mul a b => mul (subst e a) (subst e b)

/-- Exchange the two sides everywhere. -/
def flip : Expr → Expr
  | num k => num k
  | var => var
  | add a b => add (flip b) (flip a)
  | mul a b => mul (flip b) (flip a)

def Equiv (a b : Expr) : Prop := ∀ x, eval x a = eval x b

/-- No variable in the expression. -/
inductive Closed : Expr → Prop where
  | num (k : Nat) : Closed (num k)
  | add (a b : Expr) (ha : Closed a) (hb : Closed b) : Closed (add a b)
  | mul (a b : Expr) (ha : Closed a) (hb : Closed b) : Closed (mul a b)

infix:50 " ≈ₑ " => Equiv

section Counting

theorem atoms_pos (a : Expr) : 0 < atoms a := by
  induction a with
  | num k => simp [atoms]
  | var => simp [atoms]
  | add a b iha ihb =>
    simp only [atoms]
    omega
  | mul a b iha ihb =>
    simp only [atoms]
    omega

theorem atoms_eq_ops_succ (a : Expr) : atoms a = ops a + 1 := by
  induction a with
  | num k => rfl
  | var => rfl
  | add a b iha ihb =>
    simp only [atoms, ops]
    omega
  | mul a b iha ihb =>
    simp only [atoms, ops]
    omega

theorem ops_lt_atoms (a : Expr) : ops a < atoms a := by
  induction a with
  | num k => simp [atoms, ops]
  | var => simp [atoms, ops]
  | add a b iha ihb =>
    simp only [atoms, ops]
    omega
  | mul a b iha ihb =>
    simp only [atoms, ops]
    omega

theorem atoms_flip (a : Expr) : atoms (flip a) = atoms a := by
  induction a with
  | num k => rfl
  | var => rfl
  | add a b iha ihb =>
    simp only [flip, atoms]
    omega
  | mul a b iha ihb =>
    simp only [flip, atoms]
    omega

theorem ops_flip (a : Expr) : ops (flip a) = ops a := by
  induction a with
  | num k => rfl
  | var => rfl
  | add a b iha ihb =>
    simp only [flip, ops]
    omega
  | mul a b iha ihb =>
    simp only [flip, ops]
    omega

theorem flip_flip (a : Expr) : flip (flip a) = a := by
  induction a with
  | num k => rfl
  | var => rfl
  | add a b iha ihb => simp [flip, iha, ihb]
  | mul a b iha ihb => simp [flip, iha, ihb]

theorem eval_flip (x : Nat) (a : Expr) : eval x (flip a) = eval x a := by
  induction a with
  | num k => rfl
  | var => rfl
  | add a b iha ihb =>
    simp only [flip, eval]
    rw [iha, ihb, Nat.add_comm]
  | mul a b iha ihb =>
    simp only [flip, eval]
    rw [iha, ihb, Nat.mul_comm]

end Counting

section Substitution

theorem subst_var (a : Expr) : subst var a = a := by
  induction a with
  | num k => rfl
  | var => rfl
  | add a b iha ihb => simp [subst, iha, ihb]
  | mul a b iha ihb => simp [subst, iha, ihb]

theorem var_subst (a : Expr) : subst a var = a := by
  rfl

theorem subst_subst (a b c : Expr) : subst a (subst b c) = subst (subst a b) c := by
  induction c with
  | num k => rfl
  | var => rfl
  | add c d ihc ihd => simp [subst, ihc, ihd]
  | mul c d ihc ihd => simp [subst, ihc, ihd]

theorem eval_subst (x : Nat) (a b : Expr) : eval x (subst a b) = eval (eval x a) b := by
  induction b with
  | num k => rfl
  | var => rfl
  | add b c ihb ihc => simp [subst, eval, ihb, ihc]
  | mul b c ihb ihc => simp [subst, eval, ihb, ihc]

theorem flip_subst (a b : Expr) : flip (subst a b) = subst (flip a) (flip b) := by
  induction b with
  | num k => rfl
  | var => rfl
  | add b c ihb ihc => simp [subst, flip, ihb, ihc]
  | mul b c ihb ihc => simp [subst, flip, ihb, ihc]

theorem subst_closed (a b : Expr) (h : Closed b) : subst a b = b := by
  induction h with
  | num k => rfl
  | add b c hb hc ihb ihc => simp [subst, ihb, ihc]
  | mul b c hb hc ihb ihc => simp [subst, ihb, ihc]

theorem eval_closed (x y : Nat) (a : Expr) (h : Closed a) : eval x a = eval y a := by
  induction h with
  | num k => rfl
  | add a b ha hb iha ihb => simp [eval, iha, ihb]
  | mul a b ha hb iha ihb => simp [eval, iha, ihb]

theorem not_closed_var : ¬ Closed var := by
  intro h
  cases h

theorem not_closed_add_var (a : Expr) : ¬ Closed (add var a) := by
  intro h
  cases h with
  | add a b ha hb => cases ha

theorem not_closed_mul_var (a : Expr) : ¬ Closed (mul a var) := by
  intro h
  cases h with
  | mul a b ha hb => cases hb

theorem closed_add_left (a b : Expr) (h : Closed (add a b)) : Closed a := by
  cases h with
  | add a b ha hb => exact ha

theorem closed_mul_right (a b : Expr) (h : Closed (mul a b)) : Closed b := by
  cases h with
  | mul a b ha hb => exact hb

theorem closed_flip (a : Expr) (h : Closed a) : Closed (flip a) := by
  induction h with
  | num k => apply Closed.num
  | add a b ha hb iha ihb =>
    apply Closed.add
    · exact ihb
    · exact iha
  | mul a b ha hb iha ihb =>
    apply Closed.mul
    · exact ihb
    · exact iha

theorem closed_subst (a b : Expr) (h : Closed a) : Closed (subst a b) := by
  induction b with
  | num k => apply Closed.num
  | var => exact h
  | add b c ihb ihc =>
    apply Closed.add
    · exact ihb
    · exact ihc
  | mul b c ihb ihc =>
    apply Closed.mul
    · exact ihb
    · exact ihc

end Substitution

section Equivalence

theorem equiv_refl (a : Expr) : a ≈ₑ a := by
  intro x
  rfl

theorem equiv_symm (a b : Expr) (h : a ≈ₑ b) : b ≈ₑ a := by
  intro x
  rw [h]

theorem equiv_trans (a b c : Expr) (h1 : a ≈ₑ b) (h2 : b ≈ₑ c) : a ≈ₑ c := by
  intro x
  rw [h1, h2]

theorem add_equiv_comm (a b : Expr) : add a b ≈ₑ add b a := by
  intro x
  simp only [eval]
  rw [Nat.add_comm]

theorem mul_equiv_comm (a b : Expr) : mul a b ≈ₑ mul b a := by
  intro x
  simp only [eval]
  rw [Nat.mul_comm]

theorem add_equiv_assoc (a b c : Expr) : add (add a b) c ≈ₑ add a (add b c) := by
  intro x
  simp only [eval]
  rw [Nat.add_assoc]

theorem mul_equiv_assoc (a b c : Expr) : mul (mul a b) c ≈ₑ mul a (mul b c) := by
  intro x
  simp only [eval]
  rw [Nat.mul_assoc]

theorem mul_add_equiv (a b c : Expr) : mul a (add b c) ≈ₑ add (mul a b) (mul a c) := by
  intro x
  simp only [eval]
  rw [Nat.mul_add]

theorem add_mul_equiv (a b c : Expr) : mul (add a b) c ≈ₑ add (mul a c) (mul b c) := by
  intro x
  simp only [eval]
  rw [Nat.add_mul]

theorem add_zero_equiv (a : Expr) : add a (num 0) ≈ₑ a := by
  intro x
  simp [eval]

theorem mul_one_equiv (a : Expr) : mul a (num 1) ≈ₑ a := by
  intro x
  simp [eval]

theorem mul_zero_equiv (a : Expr) : mul a (num 0) ≈ₑ num 0 := by
  intro x
  simp [eval]

theorem add_self_equiv (a : Expr) : add a a ≈ₑ mul (num 2) a := by
  intro x
  simp only [eval]
  omega

theorem add_equiv_congr (a b c d : Expr) (h1 : a ≈ₑ c) (h2 : b ≈ₑ d) : add a b ≈ₑ add c d := by
  intro x
  simp only [eval]
  rw [h1, h2]

theorem mul_equiv_congr (a b c d : Expr) (h1 : a ≈ₑ c) (h2 : b ≈ₑ d) : mul a b ≈ₑ mul c d := by
  intro x
  simp only [eval]
  rw [h1, h2]

theorem flip_equiv (a : Expr) : flip a ≈ₑ a := by
  intro x
  exact eval_flip x a

theorem not_equiv_num : ¬ num 0 ≈ₑ num 1 := by
  intro h
  have h1 := h 0
  contradiction

theorem not_equiv_var_num (k : Nat) : ¬ var ≈ₑ num k := by
  intro h
  have h1 := h (k + 1)
  simp [eval] at h1

theorem exists_equiv_ne (a : Expr) : ∃ b, b ≈ₑ a ∧ ops b = ops a + 1 := by
  refine ⟨add a (num 0), ?_, ?_⟩
  · intro x
    simp [eval]
  · simp [ops]

theorem exists_root_of_closed (k : Nat) : ∃ a, Closed a ∧ eval 0 a = k := by
  refine ⟨num k, ?_, ?_⟩
  · apply Closed.num
  · rfl

end Equivalence

end Expr

end Structures
