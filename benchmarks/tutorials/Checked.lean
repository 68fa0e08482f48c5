/-! # Evaluation in `Except`, type inference in `Option`, and type safety -/

namespace Checked

inductive Ty where
  | nat | bool
  deriving DecidableEq

inductive Value where
  | nat (n : Nat) | bool (b : Bool)

inductive Err where | divByZero | typeError

abbrev Result := Except Err

inductive Expr where
  | lit (v : Value)
  | div (a b : Expr)
  | le (a b : Expr)
  | cond (c a b : Expr)

def Value.ty : Value → Ty
  | nat _ => .nat
  | bool _ => .bool

def Value.asNat : Value → Result Nat
  | nat n => pure n
  | bool _ => throw .typeError

def Value.asBool : Value → Result Bool
  | bool b => pure b
  | nat _ => throw .typeError

def divide (m n : Nat) : Result Nat :=
  if n = 0 then throw .divByZero else pure (m / n)

def eval : Expr → Result Value
  | .lit v => pure v
  | .div a b => do
    let m ← (← eval a).asNat
    let n ← (← eval b).asNat
    return .nat (← divide m n)
  | .le a b => do
    let m ← (← eval a).asNat
    let n ← (← eval b).asNat
    return .bool (m ≤ n)
  | .cond c a b => do
    if ← (← eval c).asBool then eval a else eval b

inductive HasType : Expr → Ty → Prop where
  | lit {v} : HasType (.lit v) v.ty
  | div {a b} : HasType a .nat → HasType b .nat → HasType (.div a b) .nat
  | le {a b} : HasType a .nat → HasType b .nat → HasType (.le a b) .bool
  | cond {c a b t} :
    HasType c .bool → HasType a t → HasType b t → HasType (.cond c a b) t

infix:50 " ∶ " => HasType

def infer : Expr → Option Ty
  | .lit v => some v.ty
  | .div a b => if infer a = some .nat ∧ infer b = some .nat then some .nat else none
  | .le a b => if infer a = some .nat ∧ infer b = some .nat then some .bool else none
  | .cond c a b => do
    let t ← infer a
    if infer c = some .bool ∧ infer b = some t then some t else none

theorem divide_zero (m : Nat) : divide m 0 = .error .divByZero := rfl

theorem divide_eq_ok {m n k : Nat} : divide m n = .ok k ↔ n ≠ 0 ∧ m / n = k := by
  unfold divide
  split
  · next h => exact ⟨nofun, fun h' => absurd h h'.1⟩
  · next h => exact ⟨fun e => ⟨h, Except.ok.inj e⟩, fun e => congrArg Except.ok e.2⟩

theorem bind_eq_ok {α β : Type} {x : Result α} {f : α → Result β} {b : β} :
    (x >>= f) = .ok b ↔ ∃ a, x = .ok a ∧ f a = .ok b := by
  cases x with
  | error e => exact ⟨nofun, nofun⟩
  | ok a => exact ⟨fun h => ⟨a, rfl, h⟩, fun ⟨_, rfl, h⟩ => h⟩

theorem eval_div {a b : Expr} {m n : Nat} (ha : eval a = .ok (.nat m))
    (hb : eval b = .ok (.nat n)) (hn : n ≠ 0) : eval (.div a b) = .ok (.nat (m / n)) := by
  rw [eval, ha, hb]
  show (divide m n >>= _) = _
  exact bind_eq_ok.mpr ⟨m / n, divide_eq_ok.mpr ⟨hn, rfl⟩, rfl⟩

theorem eval_div_zero {a b : Expr} {m : Nat} (ha : eval a = .ok (.nat m))
    (hb : eval b = .ok (.nat 0)) : eval (.div a b) = .error .divByZero := by
  rw [eval, ha, hb]; rfl

theorem eval_cond {c a b : Expr} {x : Bool} (hc : eval c = .ok (.bool x)) :
    eval (.cond c a b) = if x then eval a else eval b := by
  rw [eval, hc]; rfl

theorem ty_nat_iff {v : Value} : v.ty = .nat ↔ ∃ n, v = .nat n := by
  cases v <;> simp [Value.ty]

theorem ty_bool_iff {v : Value} : v.ty = .bool ↔ ∃ b, v = .bool b := by
  cases v <;> simp [Value.ty]

theorem infer_sound {e : Expr} {t : Ty} (h : infer e = some t) : e ∶ t := by
  induction e generalizing t with
  | lit v => cases h; exact .lit
  | div a b iha ihb | le a b iha ihb =>
    rw [infer] at h
    split at h <;> cases h
    next hab => constructor; exact iha hab.1; exact ihb hab.2
  | cond c a b ihc iha ihb =>
    obtain ⟨u, hu, h⟩ := Option.bind_eq_some_iff.mp h
    split at h <;> cases h
    next hcb => exact .cond (ihc hcb.1) (iha hu) (ihb hcb.2)

theorem infer_iff {e : Expr} {t : Ty} : infer e = some t ↔ e ∶ t := by
  refine ⟨infer_sound, fun h => ?_⟩
  induction h with
  | lit => rfl
  | div _ _ iha ihb | le _ _ iha ihb => simp [infer, iha, ihb]
  | cond _ _ _ ihc iha ihb => simp [infer, ihc, iha, ihb]

theorem type_safety {e : Expr} {t : Ty} (h : e ∶ t) :
    (∃ v, eval e = .ok v ∧ v.ty = t) ∨ eval e = .error .divByZero := by
  induction h with
  | @lit v => exact .inl ⟨v, rfl, rfl⟩
  | @div a b _ _ iha ihb | @le a b _ _ iha ihb =>
    rcases iha with ⟨v, hv, hvt⟩ | ha
    · obtain ⟨m, rfl⟩ := ty_nat_iff.mp hvt
      rcases ihb with ⟨w, hw, hwt⟩ | hb
      · obtain ⟨n, rfl⟩ := ty_nat_iff.mp hwt
        first
        | exact .inl ⟨.bool (m ≤ n), by rw [eval, hv, hw]; rfl, rfl⟩
        | by_cases hn : n = 0
          · exact .inr (eval_div_zero hv (hn ▸ hw))
          · exact .inl ⟨_, eval_div hv hw hn, rfl⟩
      · exact .inr (by rw [eval, hv, hb]; rfl)
    · exact .inr (by rw [eval, ha]; rfl)
  | @cond c a b t _ _ _ ihc iha ihb =>
    rcases ihc with ⟨v, hv, hvt⟩ | hc
    · obtain ⟨x, rfl⟩ := ty_bool_iff.mp hvt
      rw [eval_cond hv]
      cases x <;> assumption
    · exact .inr (by rw [eval, hc]; rfl)

theorem preservation {e : Expr} {t : Ty} {v : Value} (h : e ∶ t) (hv : eval e = .ok v) :
    v.ty = t := by
  rcases type_safety h with ⟨w, hw, ht⟩ | he
  · cases hv.symm.trans hw; exact ht
  · cases hv.symm.trans he

theorem no_typeError {e : Expr} {t : Ty} (h : e ∶ t) : eval e ≠ .error .typeError := by
  intro he
  rcases type_safety h with ⟨w, hw, _⟩ | hd
  · cases he.symm.trans hw
  · cases he.symm.trans hd

theorem untyped_may_evaluate : ∃ e v, eval e = .ok v ∧ ¬ ∃ t, e ∶ t := by
  refine ⟨.cond (.lit (.bool true)) (.lit (.nat 1)) (.lit (.bool false)), .nat 1, rfl, ?_⟩
  intro ⟨t, h⟩
  cases infer_iff.mpr h

end Checked
