/-! # A compiler from arithmetic expressions to a stack machine, with an optimizer -/

namespace Compiler

abbrev Env := String → Int

inductive Op where
  | plus | minus | times

inductive Expr where
  | num (n : Int)
  | var (x : String)
  | bin (o : Op) (a b : Expr)

def Op.denote : Op → Int → Int → Int
  | plus, m, n => m + n
  | minus, m, n => m - n
  | times, m, n => m * n

def Expr.eval (ρ : Env) : Expr → Int
  | num n => n
  | var x => ρ x
  | bin o a b => o.denote (a.eval ρ) (b.eval ρ)

notation "⟦" e "⟧ " ρ:max => Expr.eval ρ e

inductive Instr where
  | push (n : Int)
  | load (x : String)
  | apply (o : Op)

abbrev Stack := List Int

/-- One instruction; `none` when the stack is too short. -/
def step (ρ : Env) : Instr → Stack → Option Stack
  | .push n, s => some (n :: s)
  | .load x, s => some (ρ x :: s)
  | .apply o, n :: m :: s => some (o.denote m n :: s)
  | .apply _, _ => none

def exec (ρ : Env) : List Instr → Stack → Option Stack
  | [], s => some s
  | i :: is, s => (step ρ i s).bind (exec ρ is)

def compile : Expr → List Instr
  | .num n => [.push n]
  | .var x => [.load x]
  | .bin o a b => compile a ++ compile b ++ [.apply o]

theorem exec_append (ρ : Env) (p q : List Instr) (s : Stack) :
    exec ρ (p ++ q) s = (exec ρ p s).bind (exec ρ q) := by
  induction p generalizing s with
  | nil => rfl
  | cons i p ih =>
    show (step ρ i s).bind (exec ρ (p ++ q)) = ((step ρ i s).bind (exec ρ p)).bind (exec ρ q)
    cases step ρ i s with
    | none => rfl
    | some t => exact ih t

theorem exec_compile (ρ : Env) (e : Expr) (s : Stack) :
    exec ρ (compile e) s = some (⟦e⟧ ρ :: s) := by
  induction e generalizing s with
  | num | var => rfl
  | bin o a b iha ihb =>
    simp only [compile, exec_append, iha, ihb, Option.bind_some]; rfl

theorem compile_correct (ρ : Env) (e : Expr) : exec ρ (compile e) [] = some [⟦e⟧ ρ] :=
  exec_compile ρ e []

theorem exec_apply_short (ρ : Env) (o : Op) (s : Stack) :
    exec ρ [.apply o] s = none ↔ s.length < 2 := by
  match s with
  | [] | [_] | _ :: _ :: _ => simp [exec, step]

def Expr.size : Expr → Nat
  | num _ => 1
  | var _ => 1
  | bin _ a b => a.size + b.size + 1

theorem length_compile (e : Expr) : (compile e).length = e.size := by
  induction e with
  | num | var => rfl
  | bin o a b iha ihb => simp [compile, Expr.size, iha, ihb, Nat.add_assoc]

inductive Occurs (x : String) : Expr → Prop where
  | var : Occurs x (.var x)
  | left {o a b} : Occurs x a → Occurs x (.bin o a b)
  | right {o a b} : Occurs x b → Occurs x (.bin o a b)

def Closed (e : Expr) : Prop := ∀ x, ¬ Occurs x e

theorem eval_congr {e : Expr} {ρ σ : Env} (h : ∀ x, Occurs x e → ρ x = σ x) :
    ⟦e⟧ ρ = ⟦e⟧ σ := by
  induction e with
  | num n => rfl
  | var x => exact h x .var
  | bin o a b iha ihb =>
    rw [Expr.eval, Expr.eval, iha fun x hx => h x (.left hx), ihb fun x hx => h x (.right hx)]

theorem eval_closed {e : Expr} (h : Closed e) (ρ σ : Env) : ⟦e⟧ ρ = ⟦e⟧ σ :=
  eval_congr fun x hx => absurd hx (h x)

theorem closed_bin {o : Op} {a b : Expr} : Closed (.bin o a b) ↔ Closed a ∧ Closed b := by
  constructor
  · exact fun h => ⟨fun x hx => h x (.left hx), fun x hx => h x (.right hx)⟩
  · intro ⟨ha, hb⟩ x hx
    cases hx with
    | left hx => exact ha x hx
    | right hx => exact hb x hx

/-! ## Constant folding -/

def fold (o : Op) : Expr → Expr → Expr
  | .num m, .num n => .num (o.denote m n)
  | a, b => .bin o a b

def optimize : Expr → Expr
  | .bin o a b => fold o (optimize a) (optimize b)
  | e => e

theorem eval_fold (ρ : Env) (o : Op) (a b : Expr) :
    ⟦fold o a b⟧ ρ = o.denote (⟦a⟧ ρ) (⟦b⟧ ρ) := by
  unfold fold
  split <;> rfl

theorem eval_optimize (ρ : Env) (e : Expr) : ⟦optimize e⟧ ρ = ⟦e⟧ ρ := by
  induction e with
  | num | var => rfl
  | bin o a b iha ihb => rw [optimize, eval_fold, iha, ihb, Expr.eval]

theorem optimized_correct (ρ : Env) (e : Expr) :
    exec ρ (compile (optimize e)) [] = some [⟦e⟧ ρ] := by
  rw [compile_correct, eval_optimize]

theorem size_fold_le (o : Op) (a b : Expr) : (fold o a b).size ≤ a.size + b.size + 1 := by
  unfold fold
  split
  · simp [Expr.size]
  · exact Nat.le_refl _

theorem length_optimize_le (e : Expr) : (compile (optimize e)).length ≤ (compile e).length := by
  rw [length_compile, length_compile]
  induction e with
  | num | var => exact Nat.le_refl _
  | bin o a b iha ihb =>
    have h := size_fold_le o (optimize a) (optimize b)
    simp only [optimize, Expr.size]
    omega

theorem optimize_closed {e : Expr} (h : Closed e) : ∃ n, optimize e = .num n := by
  induction e with
  | num n => exact ⟨n, rfl⟩
  | var x => exact absurd .var (h x)
  | bin o a b iha ihb =>
    obtain ⟨m, hm⟩ := iha (closed_bin.mp h).1
    obtain ⟨n, hn⟩ := ihb (closed_bin.mp h).2
    exact ⟨o.denote m n, by rw [optimize, hm, hn, fold]⟩

end Compiler
