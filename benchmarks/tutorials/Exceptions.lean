/-!
# A small language with exceptions

Expressions can throw and catch.  We relate a small-step semantics, a big-step
semantics and an evaluator, and verify an analysis of the possible exceptions.
-/

inductive Exp where
  | num (n : Nat)
  | throw (code : Nat)
  | add (a b : Exp)
  | tryCatch (a h : Exp)

abbrev Res := Except Nat Nat

namespace Exp

/-- The expression which a result is written as. -/
def ofRes : Res → Exp
  | .ok n => num n
  | .error x => throw x

def IsFinal (e : Exp) : Prop := ∃ r, e = ofRes r

def size : Exp → Nat
  | num _ | throw _ => 1
  | add a b => a.size + b.size + 1
  | tryCatch a h => a.size + h.size + 1

def eval : Exp → Res
  | num n => pure n
  | throw x => .error x
  | add a b => do
    let m ← a.eval
    let n ← b.eval
    return m + n
  | tryCatch a h =>
    match a.eval with
    | .ok n => .ok n
    | .error _ => h.eval

end Exp

open Exp
/-- Small steps, from left to right. -/
inductive Step : Exp → Exp → Prop
  | addL {a a' b} : Step a a' → Step (add a b) (add a' b)
  | addR {m b b'} : Step b b' → Step (add (num m) b) (add (num m) b')
  | add {m n} : Step (add (num m) (num n)) (num (m + n))
  | throwL {x b} : Step (add (throw x) b) (throw x)
  | throwR {m x} : Step (add (num m) (throw x)) (throw x)
  | try_ {a a' h} : Step a a' → Step (tryCatch a h) (tryCatch a' h)
  | tryNum {n h} : Step (tryCatch (num n) h) (num n)
  | tryThrow {x h} : Step (tryCatch (throw x) h) h

infix:50 " ⟶ " => Step
inductive Steps : Exp → Exp → Prop
  | refl {e} : Steps e e
  | head {e₁ e₂ e₃} : e₁ ⟶ e₂ → Steps e₂ e₃ → Steps e₁ e₃

infix:50 " ⟶* " => Steps

/-- Big steps. -/
inductive Big : Exp → Res → Prop
  | num {n} : Big (num n) (.ok n)
  | throw {x} : Big (throw x) (.error x)
  | add {a b m n} : Big a (.ok m) → Big b (.ok n) → Big (add a b) (.ok (m + n))
  | addL {a b x} : Big a (.error x) → Big (add a b) (.error x)
  | addR {a b m x} : Big a (.ok m) → Big b (.error x) → Big (add a b) (.error x)
  | tryOk {a h n} : Big a (.ok n) → Big (tryCatch a h) (.ok n)
  | tryErr {a h x r} : Big a (.error x) → Big h r → Big (tryCatch a h) r

infix:50 " ⇓ " => Big

/-! ## Big steps and the evaluator -/

theorem eval_of_big {e : Exp} {r : Res} (h : e ⇓ r) : e.eval = r := by
  induction h <;> simp_all [eval, bind, Except.bind, pure, Except.pure]

theorem big_eval (e : Exp) : e ⇓ e.eval := by
  induction e with
  | num n => exact .num
  | throw x => exact .throw
  | add a b iha ihb =>
    rw [eval]
    cases ha : a.eval with
    | error x => exact .addL (ha ▸ iha)
    | ok m =>
      cases hb : b.eval with
      | error x => exact .addR (ha ▸ iha) (hb ▸ ihb)
      | ok n => exact .add (ha ▸ iha) (hb ▸ ihb)
  | tryCatch a h iha ihh =>
    rw [eval]
    cases ha : a.eval with
    | error x => exact .tryErr (ha ▸ iha) ihh
    | ok n => exact .tryOk (ha ▸ iha)

theorem big_deterministic {e : Exp} {r r' : Res} (h : e ⇓ r) (h' : e ⇓ r') : r = r' :=
  (eval_of_big h).symm.trans (eval_of_big h')

/-! ## Small steps -/

theorem final_no_step {e e' : Exp} (hf : e.IsFinal) : ¬ e ⟶ e' := by
  obtain ⟨r, rfl⟩ := hf
  cases r <;> (intro h; cases h)

theorem progress (e : Exp) : e.IsFinal ∨ ∃ e', e ⟶ e' := by
  induction e with
  | num n => exact .inl ⟨.ok n, rfl⟩
  | throw x => exact .inl ⟨.error x, rfl⟩
  | add a b iha ihb =>
    right
    rcases iha with ⟨_ | m, rfl⟩ | ⟨a', ha⟩
    · exact ⟨_, .throwL⟩
    · rcases ihb with ⟨_ | n, rfl⟩ | ⟨b', hb⟩
      · exact ⟨_, .throwR⟩
      · exact ⟨_, .add⟩
      · exact ⟨_, .addR hb⟩
    · exact ⟨_, .addL ha⟩
  | tryCatch a h iha _ =>
    right
    rcases iha with ⟨_ | n, rfl⟩ | ⟨a', ha⟩
    · exact ⟨_, .tryThrow⟩
    · exact ⟨_, .tryNum⟩
    · exact ⟨_, .try_ ha⟩

theorem step_deterministic {e e₁ e₂ : Exp} (h₁ : e ⟶ e₁) (h₂ : e ⟶ e₂) : e₁ = e₂ := by
  induction h₁ generalizing e₂ <;> grind [cases Step]

theorem size_lt_of_step {e e' : Exp} (h : e ⟶ e') : e'.size < e.size := by
  induction h <;> simp only [size] at * <;> omega

theorem eval_step {e e' : Exp} (h : e ⟶ e') : e.eval = e'.eval := by
  induction h with
  | addL _ ih | addR _ ih | try_ _ ih => simp only [eval, ih]
  | _ => rfl

/-- Every expression runs to a final one. -/
theorem exists_final (e : Exp) : ∃ r, e ⟶* ofRes r := by
  rcases progress e with ⟨r, rfl⟩ | ⟨e', h⟩
  · exact ⟨r, .refl⟩
  · have := size_lt_of_step h
    obtain ⟨r, hr⟩ := exists_final e'
    exact ⟨r, .head h hr⟩
termination_by e.size

theorem eval_steps {e e' : Exp} (h : e ⟶* e') : e.eval = e'.eval := by
  induction h with
  | refl => rfl
  | head h _ ih => rw [eval_step h, ih]

/-- Running in small steps gives what the evaluator says, and nothing else. -/
theorem steps_iff_eval (e : Exp) (r : Res) : e ⟶* ofRes r ↔ e.eval = r := by
  have hr : ∀ r, (ofRes r).eval = r := by intro r; cases r <;> rfl
  constructor
  · intro h
    rw [eval_steps h, hr]
  · rintro rfl
    obtain ⟨r, h⟩ := exists_final e
    rw [eval_steps h, hr]
    exact h

theorem steps_iff_big (e : Exp) (r : Res) : e ⟶* ofRes r ↔ e ⇓ r := by
  rw [steps_iff_eval]
  exact ⟨fun h => h ▸ big_eval e, eval_of_big⟩

/-! ## An analysis -/

namespace Exp

def mayThrow : Exp → Bool
  | num _ => false
  | throw _ => true
  | add a b => a.mayThrow || b.mayThrow
  | tryCatch a h => a.mayThrow && h.mayThrow

theorem eval_tryCatch_assoc (a b c : Exp) :
    (tryCatch (tryCatch a b) c).eval = (tryCatch a (tryCatch b c)).eval := by
  simp only [eval]
  cases a.eval <;> rfl

theorem eval_of_not_mayThrow {e : Exp} (h : e.mayThrow = false) : ∃ n, e.eval = .ok n := by
  induction e with
  | num n => exact ⟨n, rfl⟩
  | throw x => cases h
  | add a b iha ihb =>
    simp only [mayThrow, Bool.or_eq_false_iff] at h
    obtain ⟨m, hm⟩ := iha h.1
    obtain ⟨n, hn⟩ := ihb h.2
    exact ⟨m + n, by rw [eval, hm, hn]; rfl⟩
  | tryCatch a b iha ihb =>
    rw [eval]
    cases ha : a.eval <;> grind [mayThrow]

/-- The analysis is stable under running. -/
theorem mayThrow_step {e e' : Exp} (h : e ⟶ e') (he : e.mayThrow = false) :
    e'.mayThrow = false := by
  induction h <;> grind [mayThrow]

end Exp
