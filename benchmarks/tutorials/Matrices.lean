/-!
# Integer matrices as functions

A matrix with `n` rows and `m` columns is a function `Fin n → Fin m → Int`.
We define finite sums by recursion on the number of terms and derive the usual
algebra of sums, products, transposes and traces.  The last part is about the
determinant of 2×2 matrices.
-/

/-- The sum of the values of a finite family. -/
def sumFin : {n : Nat} → (Fin n → Int) → Int
  | 0, _ => 0
  | _ + 1, f => f 0 + sumFin (fun i => f i.succ)

def Mat (n m : Nat) := Fin n → Fin m → Int

namespace Mat

variable {n m k l : Nat}

protected def zero : Mat n m := fun _ _ => 0
protected def add (A B : Mat n m) : Mat n m := fun i j => A i j + B i j
protected def neg (A : Mat n m) : Mat n m := fun i j => - A i j
protected def mul (A : Mat n m) (B : Mat m k) : Mat n k :=
  fun i j => sumFin (fun t => A i t * B t j)
def smul (c : Int) (A : Mat n m) : Mat n m := fun i j => c * A i j
def one : Mat n n := fun i j => if i = j then 1 else 0
def transpose (A : Mat n m) : Mat m n := fun i j => A j i
def trace (A : Mat n n) : Int := sumFin (fun i => A i i)

def pow (A : Mat n n) : Nat → Mat n n
  | 0 => one
  | p + 1 => Mat.mul (pow A p) A

instance : Add (Mat n m) := ⟨Mat.add⟩
instance : Neg (Mat n m) := ⟨Mat.neg⟩
instance : HMul (Mat n m) (Mat m k) (Mat n k) := ⟨Mat.mul⟩
instance : HMul Int (Mat n m) (Mat n m) := ⟨smul⟩

postfix:max "ᵀ" => Mat.transpose

/-- The determinant of a 2×2 matrix. -/
def det (A : Mat 2 2) : Int := A 0 0 * A 1 1 - A 0 1 * A 1 0

/-- The adjugate of a 2×2 matrix. -/
def adj (A : Mat 2 2) : Mat 2 2
  | 0, 0 => A 1 1
  | 0, 1 => - A 0 1
  | 1, 0 => - A 1 0
  | 1, 1 => A 0 0

/-! ### Finite sums -/

theorem sumFin_zero : sumFin (fun _ : Fin n => 0) = 0 := by
  induction n with
  | zero => rfl
  | succ n ih => simp [sumFin, ih]

theorem sumFin_add (f g : Fin n → Int) :
    sumFin (fun i => f i + g i) = sumFin f + sumFin g := by
  induction n with
  | zero => rfl
  | succ n ih => simp only [sumFin, ih]; omega

theorem sumFin_mul_left (c : Int) (f : Fin n → Int) :
    sumFin (fun i => c * f i) = c * sumFin f := by
  induction n with
  | zero => simp [sumFin]
  | succ n ih => simp only [sumFin, ih, Int.mul_add]

theorem sumFin_mul_right (c : Int) (f : Fin n → Int) :
    sumFin (fun i => f i * c) = sumFin f * c := by
  simp only [Int.mul_comm _ c, sumFin_mul_left]

/-- The order of two summations may be exchanged. -/
theorem sumFin_comm (f : Fin n → Fin m → Int) :
    sumFin (fun i => sumFin (fun j => f i j)) = sumFin (fun j => sumFin (fun i => f i j)) := by
  induction n with
  | zero => simp [sumFin, sumFin_zero]
  | succ n ih => simp only [sumFin, ih, sumFin_add]

/-- Summing against a Kronecker delta picks out one term. -/
theorem sumFin_delta (a : Fin n) (f : Fin n → Int) :
    sumFin (fun i => (if a = i then 1 else 0) * f i) = f a := by
  induction n with
  | zero => exact a.elim0
  | succ n ih =>
    simp only [sumFin]
    cases a using Fin.cases with
    | zero =>
      have h : ∀ i : Fin n, (0 : Fin (n + 1)) ≠ i.succ := fun i => (Fin.succ_ne_zero i).symm
      simp [h, sumFin_zero]
    | succ a =>
      have := ih a (fun i => f i.succ)
      simp only [Fin.succ_inj, Fin.succ_ne_zero, if_false, Int.zero_mul, Int.zero_add]
      exact this

/-! ### The algebra of matrices -/

theorem transpose_transpose (A : Mat n m) : Aᵀᵀ = A := rfl

theorem transpose_mul (A : Mat n m) (B : Mat m k) : (A * B)ᵀ = Bᵀ * Aᵀ := by
  funext i j
  show sumFin (fun t => A j t * B t i) = sumFin (fun t => B t i * A j t)
  simp only [Int.mul_comm]

theorem mul_add (A : Mat n m) (B C : Mat m k) : A * (B + C) = A * B + A * C := by
  funext i j
  show sumFin (fun t => A i t * (B t j + C t j)) = _
  simp only [Int.mul_add, sumFin_add]
  rfl

theorem mul_smul (c : Int) (A : Mat n m) (B : Mat m k) : A * (c * B) = c * (A * B) := by
  funext i j
  show sumFin (fun t => A i t * (c * B t j)) = c * sumFin (fun t => A i t * B t j)
  rw [← sumFin_mul_left]
  congr
  funext t
  exact Int.mul_left_comm _ _ _

theorem mul_assoc (A : Mat n m) (B : Mat m k) (C : Mat k l) : A * B * C = A * (B * C) := by
  funext i j
  show sumFin (fun t => sumFin (fun s => A i s * B s t) * C t j)
    = sumFin (fun s => A i s * sumFin (fun t => B s t * C t j))
  simp only [← sumFin_mul_left, ← sumFin_mul_right]
  rw [sumFin_comm]
  simp only [Int.mul_assoc]

theorem one_mul (A : Mat n m) : (one : Mat n n) * A = A := by
  funext i j
  exact sumFin_delta i (fun t => A t j)

theorem transpose_one : (one : Mat n n)ᵀ = one := by
  funext i j
  simp only [transpose, one, eq_comm]

theorem mul_one (A : Mat n m) : A * (one : Mat m m) = A := by
  have h := one_mul Aᵀ
  rw [← transpose_one, ← transpose_mul] at h
  exact congrArg transpose h

theorem pow_add (A : Mat n n) (p q : Nat) : pow A (p + q) = pow A p * pow A q := by
  induction q with
  | zero => exact (mul_one _).symm
  | succ q ih =>
    show pow A (p + q) * A = pow A p * (pow A q * A)
    rw [ih, mul_assoc]

theorem trace_mul_comm (A : Mat n m) (B : Mat m n) : trace (A * B) = trace (B * A) := by
  show sumFin (fun i => sumFin (fun t => A i t * B t i)) =
    sumFin (fun t => sumFin (fun i => B t i * A i t))
  rw [sumFin_comm]
  simp only [Int.mul_comm]

/-! ### Determinants of 2×2 matrices -/

theorem det_mul (A B : Mat 2 2) : det (A * B) = det A * det B := by
  show (A 0 0 * B 0 0 + (A 0 1 * B 1 0 + 0)) * (A 1 0 * B 0 1 + (A 1 1 * B 1 1 + 0))
    - (A 0 0 * B 0 1 + (A 0 1 * B 1 1 + 0)) * (A 1 0 * B 0 0 + (A 1 1 * B 1 0 + 0)) = _
  unfold det
  grind

theorem mul_adj (A : Mat 2 2) : A * adj A = det A * (one : Mat 2 2) := by
  have key : ∀ i j : Fin 2, A i 0 * adj A 0 j + (A i 1 * adj A 1 j + 0)
      = det A * (if i = j then 1 else 0) := by
    intro i j
    match i, j with
    | 0, 0 => simp [adj, det]; grind
    | 0, 1 => simp [adj]; grind
    | 1, 0 => simp [adj]; grind
    | 1, 1 => simp [adj, det]; grind
  funext i j
  exact key i j

end Mat
