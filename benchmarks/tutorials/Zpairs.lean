/-!
# The integers as differences of natural numbers
An integer is a class of pairs `(a, b)` of natural numbers, read as `a - b`.
Two pairs stand for the same integer when `a + d = c + b`.
-/

namespace Zpairs
/-- A formal difference `pos - neg`. -/
structure Diff where
  pos : Nat
  neg : Nat

def Diff.Equiv (p q : Diff) : Prop := p.pos + q.neg = q.pos + p.neg

theorem Diff.equiv_trans {p q r : Diff} (h₁ : Diff.Equiv p q) (h₂ : Diff.Equiv q r) :
    Diff.Equiv p r := by
  unfold Diff.Equiv at *
  omega

instance diffSetoid : Setoid Diff where
  r := Diff.Equiv
  iseqv := ⟨fun _ => rfl, Eq.symm, Diff.equiv_trans⟩

/-- The integers. -/
def Z : Type := Quotient diffSetoid

namespace Z

def mk (a b : Nat) : Z := Quotient.mk diffSetoid ⟨a, b⟩

instance : Coe Nat Z := ⟨fun n => mk n 0⟩
instance : OfNat Z n := ⟨mk n 0⟩

theorem mk_eq_mk {a b c d : Nat} : mk a b = mk c d ↔ a + d = c + b := by
  constructor
  · intro h
    exact Quotient.exact h
  · intro h
    exact Quotient.sound h

/-- To prove something of all integers, prove it of all differences. -/
theorem ind {P : Z → Prop} (h : ∀ a b, P (mk a b)) (x : Z) : P x := by
  induction x using Quotient.ind with
  | _ p => exact h p.pos p.neg

def neg : Z → Z :=
  Quotient.lift (fun p => mk p.neg p.pos) (by
    intro p q h
    apply mk_eq_mk.mpr
    have h' : p.pos + q.neg = q.pos + p.neg := h
    omega)

def add : Z → Z → Z :=
  Quotient.lift₂ (fun p q => mk (p.pos + q.pos) (p.neg + q.neg)) (by
    intro p q p' q' h k
    apply mk_eq_mk.mpr
    have h' : p.pos + p'.neg = p'.pos + p.neg := h
    have k' : q.pos + q'.neg = q'.pos + q.neg := k
    omega)

theorem mul_respects (a b c d a' b' c' d' : Nat)
    (h : a + b' = a' + b) (k : c + d' = c' + d) :
    (a * c + b * d) + (a' * d' + b' * c') = (a' * c' + b' * d') + (a * d + b * c) := by
  have e₁ : (a + b') * c = (a' + b) * c := by rw [h]
  have e₂ : (a + b') * d = (a' + b) * d := by rw [h]
  have e₃ : a' * (c + d') = a' * (c' + d) := by rw [k]
  have e₄ : b' * (c + d') = b' * (c' + d) := by rw [k]
  simp only [Nat.add_mul, Nat.mul_add] at e₁ e₂ e₃ e₄
  omega

def mul : Z → Z → Z :=
  Quotient.lift₂
    (fun p q => mk (p.pos * q.pos + p.neg * q.neg) (p.pos * q.neg + p.neg * q.pos)) (by
      intro p q p' q' h k
      exact mk_eq_mk.mpr (mul_respects _ _ _ _ _ _ _ _ h k))

instance : Neg Z := ⟨neg⟩
instance : Add Z := ⟨add⟩
instance : Mul Z := ⟨mul⟩
instance : Sub Z := ⟨fun x y => x + -y⟩

theorem add_mk (a b c d : Nat) : mk a b + mk c d = mk (a + c) (b + d) := rfl

theorem mul_mk (a b c d : Nat) :
    mk a b * mk c d = mk (a * c + b * d) (a * d + b * c) := rfl

theorem add_comm (x y : Z) : x + y = y + x := by
  induction x using ind with | _ a b
  induction y using ind with | _ c d
  rw [add_mk, add_mk, Nat.add_comm a, Nat.add_comm b]

theorem add_assoc (x y z : Z) : x + y + z = x + (y + z) := by
  induction x using ind with | _ a b
  induction y using ind with | _ c d
  induction z using ind with | _ e f
  simp only [add_mk, Nat.add_assoc]

theorem add_zero (x : Z) : x + 0 = x := by
  induction x using ind with | _ a b
  rfl

theorem add_neg (x : Z) : x + -x = 0 := by
  induction x using ind with | _ a b
  show mk (a + b) (b + a) = mk 0 0
  rw [mk_eq_mk]
  omega

/-- Addition can be cancelled, as in every group. -/
theorem add_right_cancel {x y z : Z} (h : x + z = y + z) : x = y := by
  have h' : x + z + -z = y + z + -z := by rw [h]
  rw [add_assoc, add_assoc, add_neg, add_zero, add_zero] at h'
  exact h'

theorem neg_neg (x : Z) : - -x = x := by
  apply add_right_cancel (z := -x)
  rw [add_neg, add_comm, add_neg]

theorem mul_comm (x y : Z) : x * y = y * x := by
  induction x using ind with | _ a b
  induction y using ind with | _ c d
  rw [mul_mk, mul_mk, mk_eq_mk, Nat.mul_comm c a, Nat.mul_comm d b,
    Nat.mul_comm c b, Nat.mul_comm d a]
  omega

theorem mul_add (x y z : Z) : x * (y + z) = x * y + x * z := by
  induction x using ind with | _ a b
  induction y using ind with | _ c d
  induction z using ind with | _ e f
  simp only [mul_mk, add_mk, mk_eq_mk, Nat.mul_add]
  omega

theorem coe_injective {m n : Nat} (h : (m : Z) = (n : Z)) : m = n := by
  have := mk_eq_mk.mp h
  omega

theorem coe_mul (m n : Nat) : ((m * n : Nat) : Z) = (m : Z) * (n : Z) := by
  apply mk_eq_mk.mpr
  simp

/-- Every integer is a natural number or the negative of one. -/
theorem coe_or_neg_coe (x : Z) : ∃ n : Nat, x = n ∨ x = -(n : Z) := by
  induction x using ind with | _ a b
  rcases Nat.le_total b a with h | h
  · exact ⟨a - b, Or.inl (mk_eq_mk.mpr (by omega))⟩
  · have e : mk a b = mk 0 (b - a) := mk_eq_mk.mpr (by omega)
    exact ⟨b - a, Or.inr e⟩

theorem sub_eq_iff (x y z : Z) : x - y = z ↔ x = z + y := by
  constructor
  · intro h
    rw [← h]
    show x = x + -y + y
    rw [add_assoc, add_comm (-y), add_neg, add_zero]
  · intro h
    rw [h]
    show z + y + -y = z
    rw [add_assoc, add_neg, add_zero]

end Z
end Zpairs
