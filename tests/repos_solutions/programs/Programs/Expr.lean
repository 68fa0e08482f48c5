import Programs.Store

/-!
Arithmetic and boolean expressions over a store: values, variables, substitution and constant folding.
-/

namespace Programs

inductive Arith where
  | const (n : Nat)
  | var (x : Var)
  | plus (a b : Arith)
  | times (a b : Arith)
  | minus (a b : Arith)

inductive Cond where
  | yes
  | no
  | less (a b : Arith)
  | same (a b : Arith)
  | neg (c : Cond)
  | both (c d : Cond)

namespace Arith

/-- The value of an expression; a difference is never below zero. -/
def eval (s : Store) : Arith → Nat
  | const n => n
  | var x => s.get x
  | plus a b => eval s a + eval s b
  | times a b => eval s a * eval s b
  | minus a b => eval s a - eval s b

/-- The variables, from left to right. -/
def vars : Arith → List Var
  | const _ => []
  | var x => [x]
  | plus a b => vars a ++ vars b
  | times a b => vars a ++ vars b
  | minus a b => vars a ++ vars b

/-- Put `e` for the variable `x`. -/
def subst (x : Var) (e : Arith) : Arith → Arith
  | const n => const n
  | var y => if y = x then e else var y
  | plus a b => plus (subst x e a) (subst x e b)
  | times a b => times (subst x e a) (subst x e b)
  | minus a b => minus (subst x e a) (subst x e b)

/-- Add, unless a side is a known number that makes it needless. -/
def mkPlus : Arith → Arith → Arith
  | const m, const n => const (m + n)
  | const 0, b => b
  | a, const 0 => a
  | a, b => plus a b

def mkTimes : Arith → Arith → Arith
  | const m, const n => const (m * n)
  | const 0, _ => const 0
  | const 1, b => b
  | a, b => times a b

def mkMinus : Arith → Arith → Arith
  | const m, const n => const (m - n)
  | a, const 0 => a
  | a, b => minus a b

/-- Compute what is known without the store. -/
def fold : Arith → Arith
  | const n => const n
  | var x => var x
  | plus a b => mkPlus (fold a) (fold b)
  | times a b => mkTimes (fold a) (fold b)
  | minus a b => mkMinus (fold a) (fold b)

def nodes : Arith → Nat
  | const _ => 1
  | var _ => 1
  | plus a b => nodes a + nodes b + 1
  | times a b => nodes a + nodes b + 1
  | minus a b => nodes a + nodes b + 1

/-- Same value in every store. -/
def Equiv (a b : Arith) : Prop := ∀ s, eval s a = eval s b

section Values

/-- The value depends on the variables of the expression only. -/
theorem eval_agree {s t : Store} (a : Arith) (h : Store.AgreeOn (vars a) s t) : eval s a = eval t a := by
  induction a with
  | const n => rfl
  | var x =>
    apply h
    exact List.mem_singleton.mpr rfl
  | plus a b iha ihb =>
    rw [vars, Store.agree_append_iff] at h
    rw [eval, eval, iha h.1, ihb h.2]
  | times a b iha ihb =>
    rw [vars, Store.agree_append_iff] at h
    rw [eval, eval, iha h.1, ihb h.2]
  | minus a b iha ihb =>
    rw [vars, Store.agree_append_iff] at h
    rw [eval, eval, iha h.1, ihb h.2]

theorem eval_closed {a : Arith} (h : vars a = []) (s t : Store) : eval s a = eval t a := by
  apply eval_agree
  rw [h]
  intro x hx
  cases hx

theorem eval_set_fresh {a : Arith} {x : Var} (h : ¬ x ∈ vars a) (s : Store) (n : Nat) :
    eval (s.set x n) a = eval s a := by
  apply eval_agree
  exact Store.agree_set_fresh (Store.agree_refl _ s) h n

theorem eval_subst (s : Store) (x : Var) (e a : Arith) :
    eval s (subst x e a) = eval (s.set x (eval s e)) a := by
  induction a with
  | const n => rfl
  | var y =>
    rw [subst, eval]
    by_cases h : y = x
    · rw [if_pos h, h, Store.get_set_same]
    · rw [if_neg h, eval, Store.get_set_other _ _ h]
  | plus a b iha ihb => rw [subst, eval, eval, iha, ihb]
  | times a b iha ihb => rw [subst, eval, eval, iha, ihb]
  | minus a b iha ihb => rw [subst, eval, eval, iha, ihb]

theorem subst_self (x : Var) (a : Arith) : subst x (var x) a = a := by
  induction a with
  | const n => rfl
  | var y =>
    rw [subst]
    by_cases h : y = x
    · rw [if_pos h, h]
    · rw [if_neg h]
  | plus a b iha ihb => rw [subst, iha, ihb]
  | times a b iha ihb => rw [subst, iha, ihb]
  | minus a b iha ihb => rw [subst, iha, ihb]

theorem subst_fresh {x : Var} (e : Arith) {a : Arith} (h : ¬ x ∈ vars a) : subst x e a = a := by
  induction a with
  | const n => rfl
  | var y =>
    rw [subst]
    by_cases hy : y = x
    · rw [vars, hy] at h
      exact absurd (List.mem_singleton.mpr rfl) h
    · rw [if_neg hy]
  | plus a b iha ihb =>
    rw [vars, List.mem_append] at h
    rw [subst, iha (fun hx => h (Or.inl hx)), ihb (fun hx => h (Or.inr hx))]
  | times a b iha ihb =>
    rw [vars, List.mem_append] at h
    rw [subst, iha (fun hx => h (Or.inl hx)), ihb (fun hx => h (Or.inr hx))]
  | minus a b iha ihb =>
    rw [vars, List.mem_append] at h
    rw [subst, iha (fun hx => h (Or.inl hx)), ihb (fun hx => h (Or.inr hx))]

theorem subst_congr {x : Var} {e e' : Arith} (h : Equiv e e') (a : Arith) : Equiv (subst x e a) (subst x e' a) := by
  intro s
  rw [eval_subst, eval_subst, h s]

theorem mem_vars_subst {x y : Var} {e a : Arith} (h : y ∈ vars (subst x e a)) : y ∈ vars e ∨ y ∈ vars a := by
  induction a with
  | const n => cases h
  | var z =>
    rw [subst] at h
    by_cases hz : z = x
    · rw [if_pos hz] at h
      exact Or.inl h
    · rw [if_neg hz] at h
      exact Or.inr h
  | plus a b iha ihb =>
    rw [subst, vars, List.mem_append] at h
    rw [vars, List.mem_append]
    rcases h with h | h
    · rcases iha h with h | h
      · exact Or.inl h
      · exact Or.inr (Or.inl h)
    · rcases ihb h with h | h
      · exact Or.inl h
      · exact Or.inr (Or.inr h)
  | times a b iha ihb =>
    rw [subst, vars, List.mem_append] at h
    rw [vars, List.mem_append]
    rcases h with h | h
    · exact (iha h).imp_right Or.inl
    · exact (ihb h).imp_right Or.inr
  | minus a b iha ihb =>
    rw [subst, vars, List.mem_append] at h
    rw [vars, List.mem_append]
    rcases h with h | h
    · exact (iha h).imp_right Or.inl
    · exact (ihb h).imp_right Or.inr

/-- A variable that is put away is gone. -/
theorem not_mem_vars_subst {x : Var} {e : Arith} (he : ¬ x ∈ vars e) (a : Arith) : ¬ x ∈ vars (subst x e a) := by
  induction a with
  | const n =>
    intro h
    cases h
  | var y =>
    rw [subst]
    by_cases h : y = x
    · rw [if_pos h]
      exact he
    · rw [if_neg h, vars, List.mem_singleton]
      exact Ne.symm h
  | plus a b iha ihb =>
    rw [subst, vars, List.mem_append]
    rintro (h | h)
    · exact iha h
    · exact ihb h
  | times a b iha ihb =>
    rw [subst, vars, List.mem_append]
    rintro (h | h)
    · exact iha h
    · exact ihb h
  | minus a b iha ihb =>
    rw [subst, vars, List.mem_append]
    rintro (h | h)
    · exact iha h
    · exact ihb h

theorem subst_subst {x y : Var} (hxy : x ≠ y) {e f : Arith} (hx : ¬ x ∈ vars f) (a : Arith) :
    Equiv (subst y f (subst x e a)) (subst x (subst y f e) (subst y f a)) := by
  intro s
  rw [eval_subst, eval_subst, eval_subst, eval_subst, eval_subst]
  rw [eval_set_fresh hx, Store.set_comm _ _ _ (Ne.symm hxy)]

theorem nodes_pos (a : Arith) : 0 < nodes a := by
  cases a with
  | const n => exact Nat.one_pos
  | var x => exact Nat.one_pos
  | plus a b => exact Nat.succ_pos _
  | times a b => exact Nat.succ_pos _
  | minus a b => exact Nat.succ_pos _

theorem vars_length_le_nodes (a : Arith) : (vars a).length ≤ nodes a := by
  induction a with
  | const n => exact Nat.zero_le _
  | var x => exact Nat.le_refl _
  | plus a b iha ihb =>
    rw [vars, nodes, List.length_append]
    omega
  | times a b iha ihb =>
    rw [vars, nodes, List.length_append]
    omega
  | minus a b iha ihb =>
    rw [vars, nodes, List.length_append]
    omega

end Values

section Folding

theorem eval_mkPlus (s : Store) (a b : Arith) : eval s (mkPlus a b) = eval s a + eval s b := by
  unfold mkPlus
  split
  · rfl
  · rw [eval, Nat.zero_add]
  · rfl
  · rfl

theorem eval_mkTimes (s : Store) (a b : Arith) : eval s (mkTimes a b) = eval s a * eval s b := by
  unfold mkTimes
  split
  · rfl
  · simp only [eval, Nat.zero_mul]
  · simp only [eval, Nat.one_mul]
  · rfl

theorem eval_mkMinus (s : Store) (a b : Arith) : eval s (mkMinus a b) = eval s a - eval s b := by
  unfold mkMinus
  split
  · rfl
  · rfl
  · rfl

/-- Folding keeps the value. -/
theorem eval_fold (s : Store) (a : Arith) : eval s (fold a) = eval s a := by
  induction a with
  | const n => rfl
  | var x => rfl
  | plus a b iha ihb => rw [fold, eval_mkPlus, iha, ihb, eval]
  | times a b iha ihb => rw [fold, eval_mkTimes, iha, ihb, eval]
  | minus a b iha ihb => rw [fold, eval_mkMinus, iha, ihb, eval]

theorem fold_equiv_iff (a b : Arith) : Equiv (fold a) (fold b) ↔ Equiv a b := by
  constructor
  · intro h s
    rw [← eval_fold s a, h s, eval_fold]
  · intro h s
    rw [eval_fold, eval_fold, h s]

theorem nodes_mkPlus_le (a b : Arith) : nodes (mkPlus a b) ≤ nodes a + nodes b + 1 := by
  unfold mkPlus
  split
  · simp only [nodes]
    omega
  · omega
  · omega
  · exact Nat.le_refl _

theorem nodes_mkTimes_le (a b : Arith) : nodes (mkTimes a b) ≤ nodes a + nodes b + 1 := by
  unfold mkTimes
  split
  · simp only [nodes]
    omega
  · simp only [nodes]
    omega
  · omega
  · exact Nat.le_refl _

theorem nodes_mkMinus_le (a b : Arith) : nodes (mkMinus a b) ≤ nodes a + nodes b + 1 := by
  unfold mkMinus
  split
  · simp only [nodes]
    omega
  · omega
  · exact Nat.le_refl _

theorem nodes_fold_le (a : Arith) : nodes (fold a) ≤ nodes a := by
  induction a with
  | const n => exact Nat.le_refl _
  | var x => exact Nat.le_refl _
  | plus a b iha ihb =>
    have h := nodes_mkPlus_le (fold a) (fold b)
    rw [fold, nodes]
    omega
  | times a b iha ihb =>
    have h := nodes_mkTimes_le (fold a) (fold b)
    rw [fold, nodes]
    omega
  | minus a b iha ihb =>
    have h := nodes_mkMinus_le (fold a) (fold b)
    rw [fold, nodes]
    omega

/-- Without variables nothing but a number is left. -/
theorem fold_closed {a : Arith} (h : vars a = []) : ∃ n, fold a = const n := by
  induction a with
  | const n => exact ⟨n, rfl⟩
  | var x => cases h
  | plus a b iha ihb =>
    rw [vars, List.append_eq_nil_iff] at h
    obtain ⟨m, hm⟩ := iha h.1
    obtain ⟨n, hn⟩ := ihb h.2
    refine ⟨m + n, ?_⟩
    rw [fold, hm, hn, mkPlus]
  | times a b iha ihb =>
    rw [vars, List.append_eq_nil_iff] at h
    obtain ⟨m, hm⟩ := iha h.1
    obtain ⟨n, hn⟩ := ihb h.2
    refine ⟨m * n, ?_⟩
    rw [fold, hm, hn, mkTimes]
  | minus a b iha ihb =>
    rw [vars, List.append_eq_nil_iff] at h
    obtain ⟨m, hm⟩ := iha h.1
    obtain ⟨n, hn⟩ := ihb h.2
    refine ⟨m - n, ?_⟩
    rw [fold, hm, hn, mkMinus]

theorem fold_closed_eq {a : Arith} (h : vars a = []) (s : Store) : fold a = const (eval s a) := by
  obtain ⟨n, hn⟩ := fold_closed h
  have h1 := eval_fold s a
  rw [hn, eval] at h1
  rw [hn, h1]

end Folding

end Arith

namespace Cond

def eval (s : Store) : Cond → Bool
  | yes => true
  | no => false
  | less a b => decide (a.eval s < b.eval s)
  | same a b => decide (a.eval s = b.eval s)
  | neg c => !eval s c
  | both c d => eval s c && eval s d

def vars : Cond → List Var
  | yes => []
  | no => []
  | less a b => a.vars ++ b.vars
  | same a b => a.vars ++ b.vars
  | neg c => vars c
  | both c d => vars c ++ vars d

def subst (x : Var) (e : Arith) : Cond → Cond
  | yes => yes
  | no => no
  | less a b => less (Arith.subst x e a) (Arith.subst x e b)
  | same a b => same (Arith.subst x e a) (Arith.subst x e b)
  | neg c => neg (subst x e c)
  | both c d => both (subst x e c) (subst x e d)

/-- At least one of them. -/
def either (c d : Cond) : Cond := neg (both (neg c) (neg d))

def mkNeg : Cond → Cond
  | yes => no
  | no => yes
  | neg c => c
  | c => neg c

def mkBoth : Cond → Cond → Cond
  | yes, d => d
  | no, _ => no
  | c, yes => c
  | c, d => both c d

/-- Fold the numbers, then what is true or false anyway. -/
def fold : Cond → Cond
  | yes => yes
  | no => no
  | less a b => less a.fold b.fold
  | same a b => same a.fold b.fold
  | neg c => mkNeg (fold c)
  | both c d => mkBoth (fold c) (fold d)

theorem eval_agree {s t : Store} (c : Cond) (h : Store.AgreeOn (vars c) s t) : eval s c = eval t c := by
  induction c with
  | yes => rfl
  | no => rfl
  | less a b =>
    rw [vars, Store.agree_append_iff] at h
    rw [eval, eval, Arith.eval_agree a h.1, Arith.eval_agree b h.2]
  | same a b =>
    rw [vars, Store.agree_append_iff] at h
    rw [eval, eval, Arith.eval_agree a h.1, Arith.eval_agree b h.2]
  | neg c ih => rw [eval, eval, ih h]
  | both c d ihc ihd =>
    rw [vars, Store.agree_append_iff] at h
    rw [eval, eval, ihc h.1, ihd h.2]

theorem eval_subst (s : Store) (x : Var) (e : Arith) (c : Cond) :
    eval s (subst x e c) = eval (s.set x (e.eval s)) c := by
  induction c with
  | yes => rfl
  | no => rfl
  | less a b => rw [subst, eval, eval, Arith.eval_subst, Arith.eval_subst]
  | same a b => rw [subst, eval, eval, Arith.eval_subst, Arith.eval_subst]
  | neg c ih => rw [subst, eval, eval, ih]
  | both c d ihc ihd => rw [subst, eval, eval, ihc, ihd]

theorem eval_less_iff (s : Store) (a b : Arith) : eval s (less a b) = true ↔ a.eval s < b.eval s := by
  rw [eval, decide_eq_true_iff]

theorem eval_same_iff (s : Store) (a b : Arith) : eval s (same a b) = true ↔ a.eval s = b.eval s := by
  rw [eval, decide_eq_true_iff]

theorem eval_neg_iff (s : Store) (c : Cond) : eval s (neg c) = true ↔ eval s c = false := by
  rw [eval, Bool.not_eq_true']

theorem eval_both_iff (s : Store) (c d : Cond) : eval s (both c d) = true ↔ eval s c = true ∧ eval s d = true := by
  rw [eval, Bool.and_eq_true]

theorem eval_either (s : Store) (c d : Cond) : eval s (either c d) = (eval s c || eval s d) := by
  unfold either
  simp only [eval]
  cases eval s c <;> cases eval s d <;> rfl

theorem eval_less_false_iff (s : Store) (a b : Arith) : eval s (less a b) = false ↔ b.eval s ≤ a.eval s := by
  rw [eval, decide_eq_false_iff_not, Nat.not_lt]

theorem eval_mkNeg (s : Store) (c : Cond) : eval s (mkNeg c) = !eval s c := by
  unfold mkNeg
  split
  · rfl
  · rfl
  · rw [eval, Bool.not_not]
  · rfl

theorem eval_mkBoth (s : Store) (c d : Cond) : eval s (mkBoth c d) = (eval s c && eval s d) := by
  unfold mkBoth
  split
  · rw [eval, Bool.true_and]
  · rw [eval, Bool.false_and]
  · rw [eval, Bool.and_true]
  · rfl

theorem eval_fold (s : Store) (c : Cond) : eval s (fold c) = eval s c := by
  induction c with
  | yes => rfl
  | no => rfl
  | less a b => rw [fold, eval, eval, Arith.eval_fold, Arith.eval_fold]
  | same a b => rw [fold, eval, eval, Arith.eval_fold, Arith.eval_fold]
  | neg c ih => rw [fold, eval_mkNeg, ih, eval]
  | both c d ihc ihd => rw [fold, eval_mkBoth, ihc, ihd, eval]

/-- An order is total, as conditions see it. -/
theorem eval_trichotomy (s : Store) (a b : Arith) :
    eval s (either (less a b) (either (same a b) (less b a))) = true := by
  rw [eval_either, eval_either, Bool.or_eq_true, Bool.or_eq_true]
  rw [eval_less_iff, eval_same_iff, eval_less_iff]
  omega

end Cond

end Programs
