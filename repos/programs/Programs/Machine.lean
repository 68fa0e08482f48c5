import Programs.SmallStep

/-!
A stack machine: its instructions, a compiler for expressions and conditions, its correctness, how deep the stack
grows, and code with jumps for whole programs.
-/

namespace Programs

/-- Instructions that go on to the next one. -/
inductive Instr where
  | push (n : Nat)
  | load (x : Var)
  | add
  | mul
  | sub
  | less
  | same
  | neg
  | and

namespace Instr

abbrev Stack := List Nat

/-- A truth value as a number. -/
def code (b : Bool) : Nat := if b then 1 else 0

/-- What one instruction makes of a stack; `none` where too little is on it. -/
def step (s : Store) : Instr → Stack → Option Stack
  | push n, st => some (n :: st)
  | load x, st => some (s.get x :: st)
  | add, n :: m :: st => some ((m + n) :: st)
  | mul, n :: m :: st => some (m * n :: st)
  | sub, n :: m :: st => some ((m - n) :: st)
  | less, n :: m :: st => some (code (decide (m < n)) :: st)
  | same, n :: m :: st => some (code (decide (m = n)) :: st)
  | neg, n :: st => some ((1 - n) :: st)
  | and, n :: m :: st => some (m * n :: st)
  | _, _ => none

/-- Run a list of instructions. -/
def exec (s : Store) : List Instr → Stack → Option Stack
  | [], st => some st
  | i :: is, st =>
    match step s i st with
    | none => none
    | some st' => exec s is st'

def compileA : Arith → List Instr
  | .const n => [push n]
  | .var x => [load x]
  | .plus a b => compileA a ++ (compileA b ++ [add])
  | .times a b => compileA a ++ (compileA b ++ [mul])
  | .minus a b => compileA a ++ (compileA b ++ [sub])

def compileB : Cond → List Instr
  | .yes => [push 1]
  | .no => [push 0]
  | .less a b => compileA a ++ (compileA b ++ [less])
  | .same a b => compileA a ++ (compileA b ++ [same])
  | .neg c => compileB c ++ [neg]
  | .both c d => compileB c ++ (compileB d ++ [and])

/-- How many values an expression needs on the stack at most. -/
def depth : Arith → Nat
  | .const _ => 1
  | .var _ => 1
  | .plus a b => max (depth a) (depth b + 1)
  | .times a b => max (depth a) (depth b + 1)
  | .minus a b => max (depth a) (depth b + 1)

section Execution

theorem exec_cons {s : Store} {i : Instr} {is : List Instr} {st st' : Stack} (h : step s i st = some st') :
    exec s (i :: is) st = exec s is st' := by
  rw [exec, h]

theorem exec_single (s : Store) (i : Instr) (st : Stack) : exec s [i] st = step s i st := by
  rw [exec]
  cases step s i st with
  | none => rfl
  | some st' => rfl

theorem exec_append (s : Store) (is js : List Instr) (st : Stack) :
    exec s (is ++ js) st =
      match exec s is st with
      | none => none
      | some st' => exec s js st' := by
  induction is generalizing st with
  | nil => rfl
  | cons i is ih =>
    rw [List.cons_append, exec, exec]
    cases step s i st with
    | none => rfl
    | some st' => exact ih st'

theorem exec_append_some {s : Store} {is js : List Instr} {st st' : Stack} (h : exec s is st = some st') :
    exec s (is ++ js) st = exec s js st' := by
  rw [exec_append, h]

theorem exec_append_none {s : Store} {is : List Instr} (js : List Instr) {st : Stack}
    (h : exec s is st = none) : exec s (is ++ js) st = none := by
  rw [exec_append, h]

theorem exec_append_eq_some {s : Store} {is js : List Instr} {st st' : Stack}
    (h : exec s (is ++ js) st = some st') : ∃ m, exec s is st = some m ∧ exec s js m = some st' := by
  sorry

/-- What lies below does not matter to an instruction that has enough on the stack. -/
theorem step_frame {s : Store} {i : Instr} {st st' : Stack} (h : step s i st = some st') (rest : Stack) :
    step s i (st ++ rest) = some (st' ++ rest) := by
  cases i with
  | push n =>
    injection h with h
    rw [← h]
    rfl
  | load x =>
    injection h with h
    rw [← h]
    rfl
  | neg =>
    cases st with
    | nil => cases h
    | cons n st =>
      injection h with h
      rw [← h]
      rfl
  | _ =>
    cases st with
    | nil => cases h
    | cons n st =>
      cases st with
      | nil => cases h
      | cons m st =>
        injection h with h
        rw [← h]
        rfl

theorem exec_frame {s : Store} {is : List Instr} {st st' : Stack} (h : exec s is st = some st') (rest : Stack) :
    exec s is (st ++ rest) = some (st' ++ rest) := by
  sorry

end Execution

section Compiler

/-- The compiled expression puts its value on the stack, and touches nothing else. -/
theorem exec_compileA (s : Store) (a : Arith) (st : Stack) : exec s (compileA a) st = some (a.eval s :: st) := by
  induction a generalizing st with
  | const n => rfl
  | var x => rfl
  | plus a b iha ihb =>
    rw [compileA, exec_append_some (iha st), exec_append_some (ihb _)]
    rfl
  | times a b iha ihb =>
    rw [compileA, exec_append_some (iha st), exec_append_some (ihb _)]
    rfl
  | minus a b iha ihb =>
    rw [compileA, exec_append_some (iha st), exec_append_some (ihb _)]
    rfl

theorem code_not (b : Bool) : code (!b) = 1 - code b := by
  cases b
  · rfl
  · rfl

theorem code_and (b c : Bool) : code (b && c) = code b * code c := by
  cases b
  · exact (Nat.zero_mul _).symm
  · exact (Nat.one_mul _).symm

theorem code_injective {b c : Bool} (h : code b = code c) : b = c := by
  cases b
  · cases c
    · rfl
    · cases h
  · cases c
    · cases h
    · rfl

theorem exec_compileB (s : Store) (c : Cond) (st : Stack) :
    exec s (compileB c) st = some (code (c.eval s) :: st) := by
  induction c generalizing st with
  | yes => rfl
  | no => rfl
  | less a b =>
    rw [compileB, exec_append_some (exec_compileA s a st), exec_append_some (exec_compileA s b _)]
    rfl
  | same a b =>
    rw [compileB, exec_append_some (exec_compileA s a st), exec_append_some (exec_compileA s b _)]
    rfl
  | neg c ih =>
    rw [compileB, exec_append_some (ih st), Cond.eval, code_not]
    rfl
  | both c d ihc ihd =>
    rw [compileB, exec_append_some (ihc st), exec_append_some (ihd _), Cond.eval, code_and]
    rfl

/-- Code for equal values is interchangeable. -/
theorem compileA_equiv_iff (a b : Arith) :
    (∀ s st, exec s (compileA a) st = exec s (compileA b) st) ↔ Arith.Equiv a b := by
  sorry

theorem compileB_equiv_iff (c d : Cond) :
    (∀ s st, exec s (compileB c) st = exec s (compileB d) st) ↔ ∀ s, c.eval s = d.eval s := by
  constructor
  · intro h s
    have h1 := h s []
    rw [exec_compileB, exec_compileB] at h1
    injection h1 with h1
    injection h1 with h1 _
    exact code_injective h1
  · intro h s st
    rw [exec_compileB, exec_compileB, h s]

theorem exec_compileA_fold (s : Store) (a : Arith) (st : Stack) :
    exec s (compileA a.fold) st = exec s (compileA a) st := by
  rw [exec_compileA, exec_compileA, Arith.eval_fold]

theorem compileA_length (a : Arith) : (compileA a).length = a.nodes := by
  induction a with
  | const n => rfl
  | var x => rfl
  | plus a b iha ihb =>
    rw [compileA, List.length_append, List.length_append, iha, ihb, Arith.nodes, Nat.add_assoc]
    rfl
  | times a b iha ihb =>
    rw [compileA, List.length_append, List.length_append, iha, ihb, Arith.nodes, Nat.add_assoc]
    rfl
  | minus a b iha ihb =>
    rw [compileA, List.length_append, List.length_append, iha, ihb, Arith.nodes, Nat.add_assoc]
    rfl

theorem compileA_fold_length_le (a : Arith) : (compileA a.fold).length ≤ (compileA a).length := by
  rw [compileA_length, compileA_length]
  exact Arith.nodes_fold_le a

theorem compileB_ne_nil (c : Cond) : compileB c ≠ [] := by
  cases c with
  | yes => exact List.cons_ne_nil _ _
  | no => exact List.cons_ne_nil _ _
  | less a b =>
    intro h
    rw [compileB, List.append_eq_nil_iff, List.append_eq_nil_iff] at h
    cases h.2.2
  | same a b =>
    intro h
    rw [compileB, List.append_eq_nil_iff, List.append_eq_nil_iff] at h
    cases h.2.2
  | neg c =>
    intro h
    rw [compileB, List.append_eq_nil_iff] at h
    cases h.2
  | both c d =>
    intro h
    rw [compileB, List.append_eq_nil_iff, List.append_eq_nil_iff] at h
    cases h.2.2

end Compiler

section Depth

/-- Run, but fail as soon as more than `k` values are on the stack. -/
def execWithin (k : Nat) (s : Store) : List Instr → Stack → Option Stack
  | [], st => some st
  | i :: is, st =>
    match step s i st with
    | none => none
    | some st' => if st'.length ≤ k then execWithin k s is st' else none

theorem execWithin_append {k : Nat} {s : Store} {is : List Instr} (js : List Instr) {st st' : Stack}
    (h : execWithin k s is st = some st') : execWithin k s (is ++ js) st = execWithin k s js st' := by
  induction is generalizing st with
  | nil =>
    injection h with h
    rw [h]
    rfl
  | cons i is ih =>
    rw [execWithin] at h
    rw [List.cons_append, execWithin]
    cases h1 : step s i st with
    | none =>
      rw [h1] at h
      cases h
    | some m =>
      rw [h1] at h
      simp only at h
      simp only
      by_cases hl : m.length ≤ k
      · rw [if_pos hl] at h
        rw [if_pos hl]
        exact ih h
      · rw [if_neg hl] at h
        cases h

theorem exec_of_execWithin {k : Nat} {s : Store} {is : List Instr} {st st' : Stack}
    (h : execWithin k s is st = some st') : exec s is st = some st' := by
  induction is generalizing st with
  | nil => exact h
  | cons i is ih =>
    rw [execWithin] at h
    rw [exec]
    cases h1 : step s i st with
    | none =>
      rw [h1] at h
      cases h
    | some m =>
      rw [h1] at h
      simp only at h
      by_cases hl : m.length ≤ k
      · rw [if_pos hl] at h
        exact ih h
      · rw [if_neg hl] at h
        cases h

theorem execWithin_mono {k l : Nat} (hkl : k ≤ l) {s : Store} {is : List Instr} {st st' : Stack}
    (h : execWithin k s is st = some st') : execWithin l s is st = some st' := by
  sorry

theorem depth_pos (a : Arith) : 0 < depth a := by
  induction a with
  | const n => exact Nat.one_pos
  | var x => exact Nat.one_pos
  | plus a b iha _ =>
    rw [depth]
    omega
  | times a b iha _ =>
    rw [depth]
    omega
  | minus a b iha _ =>
    rw [depth]
    omega

theorem depth_le_nodes (a : Arith) : depth a ≤ a.nodes := by
  induction a with
  | const n => exact Nat.le_refl _
  | var x => exact Nat.le_refl _
  | plus a b iha ihb =>
    rw [depth, Arith.nodes]
    omega
  | times a b iha ihb =>
    rw [depth, Arith.nodes]
    omega
  | minus a b iha ihb =>
    rw [depth, Arith.nodes]
    omega

/-- The stack never grows by more than the depth of the expression. -/
theorem execWithin_compileA (s : Store) (a : Arith) (st : Stack) (k : Nat) (hk : st.length + depth a ≤ k) :
    execWithin k s (compileA a) st = some (a.eval s :: st) := by
  induction a generalizing st with
  | const n =>
    rw [depth] at hk
    rw [compileA, execWithin, step]
    simp only [List.length_cons]
    rw [if_pos hk]
    rfl
  | var x =>
    rw [depth] at hk
    rw [compileA, execWithin, step]
    simp only [List.length_cons]
    rw [if_pos hk]
    rfl
  | plus a b iha ihb =>
    rw [depth] at hk
    rw [compileA, execWithin_append _ (iha st (by omega))]
    rw [execWithin_append _ (ihb _ (by rw [List.length_cons]; omega))]
    rw [execWithin, step]
    simp only [List.length_cons]
    have := depth_pos a
    rw [if_pos (by omega)]
    rfl
  | times a b iha ihb =>
    rw [depth] at hk
    rw [compileA, execWithin_append _ (iha st (by omega))]
    rw [execWithin_append _ (ihb _ (by rw [List.length_cons]; omega))]
    rw [execWithin, step]
    simp only [List.length_cons]
    have := depth_pos a
    rw [if_pos (by omega)]
    rfl
  | minus a b iha ihb =>
    rw [depth] at hk
    rw [compileA, execWithin_append _ (iha st (by omega))]
    rw [execWithin_append _ (ihb _ (by rw [List.length_cons]; omega))]
    rw [execWithin, step]
    simp only [List.length_cons]
    have := depth_pos a
    rw [if_pos (by omega)]
    rfl

theorem execWithin_compileA_nil (s : Store) (a : Arith) :
    execWithin a.nodes s (compileA a) [] = some [a.eval s] := by
  sorry

end Depth

end Instr

/-- Structured code: straight instructions, branches on the top of the stack, and loops. -/
inductive Code where
  | straight (is : List Instr)
  | store (is : List Instr) (x : Var)
  | join (p q : Code)
  | branch (is : List Instr) (p q : Code)
  | repeated (is : List Instr) (p : Code)

namespace Code

open Instr

/-- `Runs p s t`: the code goes from one store to another. Values are computed on an empty stack. -/
inductive Runs : Code → Store → Store → Prop where
  | straight (is : List Instr) (s : Store) (st : Stack) (h : exec s is [] = some st) : Runs (straight is) s s
  | store (is : List Instr) (x : Var) (s : Store) (n : Nat) (h : exec s is [] = some [n]) :
      Runs (store is x) s (s.set x n)
  | join (p q : Code) (s t u : Store) (h1 : Runs p s t) (h2 : Runs q t u) : Runs (join p q) s u
  | branchYes (is : List Instr) (p q : Code) (s t : Store) (h : exec s is [] = some [1]) (h1 : Runs p s t) :
      Runs (branch is p q) s t
  | branchNo (is : List Instr) (p q : Code) (s t : Store) (h : exec s is [] = some [0]) (h1 : Runs q s t) :
      Runs (branch is p q) s t
  | again (is : List Instr) (p : Code) (s t u : Store) (h : exec s is [] = some [1]) (h1 : Runs p s t)
      (h2 : Runs (repeated is p) t u) : Runs (repeated is p) s u
  | stop (is : List Instr) (p : Code) (s : Store) (h : exec s is [] = some [0]) : Runs (repeated is p) s s

def compile : Com → Code
  | .skip => straight []
  | .assign x a => store (compileA a) x
  | .seq c d => join (compile c) (compile d)
  | .cond b c d => branch (compileB b) (compile c) (compile d)
  | .loop b c => repeated (compileB b) (compile c)

theorem exec_cond_true {s : Store} {b : Cond} : exec s (compileB b) [] = some [1] ↔ b.eval s = true := by
  rw [exec_compileB]
  constructor
  · intro h
    injection h with h
    injection h with h _
    exact code_injective h
  · intro h
    rw [h]
    rfl

theorem exec_cond_false {s : Store} {b : Cond} : exec s (compileB b) [] = some [0] ↔ b.eval s = false := by
  rw [exec_compileB]
  constructor
  · intro h
    injection h with h
    injection h with h _
    exact code_injective h
  · intro h
    rw [h]
    rfl

theorem runs_of_big {c : Com} {s t : Store} (h : Com.Big c s t) : Runs (compile c) s t := by
  induction h with
  | skip s => exact Runs.straight [] s [] rfl
  | assign x a s => exact Runs.store _ x s _ (exec_compileA s a [])
  | seq c d s t u _ _ ih1 ih2 => exact Runs.join _ _ s t u ih1 ih2
  | condTrue b c d s t hb _ ih => exact Runs.branchYes _ _ _ s t (exec_cond_true.mpr hb) ih
  | condFalse b c d s t hb _ ih => exact Runs.branchNo _ _ _ s t (exec_cond_false.mpr hb) ih
  | loopTrue b c s t u hb _ _ ih1 ih2 => exact Runs.again _ _ s t u (exec_cond_true.mpr hb) ih1 ih2
  | loopFalse b c s hb => exact Runs.stop _ _ s (exec_cond_false.mpr hb)

theorem big_of_runs {c : Com} {s t : Store} (h : Runs (compile c) s t) : Com.Big c s t := by
  generalize hp : compile c = p at h
  induction h generalizing c with
  | straight is s st _ =>
    cases c with
    | skip => exact Com.Big.skip s
    | _ => cases hp
  | store is x s n h =>
    cases c with
    | assign y a =>
      injection hp with h1 h2
      rw [← h1, exec_compileA] at h
      injection h with h
      injection h with h _
      rw [← h2, ← h]
      exact Com.Big.assign y a s
    | _ => cases hp
  | join p q s t u _ _ ih1 ih2 =>
    cases c with
    | seq c d =>
      injection hp with h1 h2
      exact Com.Big.seq c d s t u (ih1 h1) (ih2 h2)
    | _ => cases hp
  | branchYes is p q s t h _ ih =>
    cases c with
    | cond b c d =>
      injection hp with h1 h2 _
      rw [← h1] at h
      exact Com.Big.condTrue b c d s t (exec_cond_true.mp h) (ih h2)
    | _ => cases hp
  | branchNo is p q s t h _ ih =>
    cases c with
    | cond b c d =>
      injection hp with h1 _ h3
      rw [← h1] at h
      exact Com.Big.condFalse b c d s t (exec_cond_false.mp h) (ih h3)
    | _ => cases hp
  | again is p s t u h _ _ ih1 ih2 =>
    cases c with
    | loop b c =>
      have h0 := ih2 hp
      injection hp with h1 h2
      rw [← h1] at h
      exact Com.Big.loopTrue b c s t u (exec_cond_true.mp h) (ih1 h2) h0
    | _ => cases hp
  | stop is p s h =>
    cases c with
    | loop b c =>
      injection hp with h1 _
      rw [← h1] at h
      exact Com.Big.loopFalse b c s (exec_cond_false.mp h)
    | _ => cases hp

/-- The compiler is correct. -/
theorem compile_correct (c : Com) (s t : Store) : Runs (compile c) s t ↔ Com.Big c s t := by
  constructor
  · intro h
    exact big_of_runs h
  · intro h
    exact runs_of_big h

theorem compile_deterministic {c : Com} {s t u : Store} (h1 : Runs (compile c) s t)
    (h2 : Runs (compile c) s u) : t = u := by
  sorry

theorem compile_optimise (c : Com) (s t : Store) : Runs (compile c.optimise) s t ↔ Runs (compile c) s t := by
  rw [compile_correct, compile_correct]
  exact Com.optimise_equiv c s t

end Code

end Programs
