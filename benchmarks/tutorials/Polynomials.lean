/-!
# Polynomials with integer coefficients

A polynomial is the list of its coefficients, constant term first; trailing
zeros are allowed, so that we reason about coefficients and values rather than
about equality of lists.
-/

/-- `⟨[a₀, a₁, a₂]⟩` stands for `a₀ + a₁ X + a₂ X²`. -/
structure Poly where
  coeffs : List Int

namespace Poly

def evalList (x : Int) : List Int → Int
  | [] => 0
  | a :: p => a + x * evalList x p

/-- The value of `p` at `x`, by Horner's rule. -/
def eval (p : Poly) (x : Int) : Int := evalList x p.coeffs

def coeff (p : Poly) (n : Nat) : Int := p.coeffs.getD n 0

def addList : List Int → List Int → List Int
  | [], q => q
  | p, [] => p
  | a :: p, b :: q => (a + b) :: addList p q

def mulList : List Int → List Int → List Int
  | [], _ => []
  | a :: p, q => addList (q.map (a * ·)) (0 :: mulList p q)

/-- `(a₀ + X p)' = p + X p'` -/
def derivList : List Int → List Int
  | [] => []
  | _ :: p => addList p (0 :: derivList p)

/-- Synthetic division by `X - c`: the quotient. -/
def quotList (c : Int) : List Int → List Int
  | [] => []
  | _ :: p => evalList c p :: quotList c p

def C (a : Int) : Poly := ⟨[a]⟩
def X : Poly := ⟨[0, 1]⟩

instance : Add Poly := ⟨fun p q => ⟨addList p.coeffs q.coeffs⟩⟩
instance : Mul Poly := ⟨fun p q => ⟨mulList p.coeffs q.coeffs⟩⟩

def deriv (p : Poly) : Poly := ⟨derivList p.coeffs⟩
def quot (p : Poly) (c : Int) : Poly := ⟨quotList c p.coeffs⟩

/-- The product of the `X - c` for `c` in the list. -/
def ofRoots : List Int → Poly
  | [] => C 1
  | c :: l => (X + C (-c)) * ofRoots l

def IsRoot (p : Poly) (c : Int) : Prop := p.eval c = 0

theorem coeff_add (p q : Poly) (n : Nat) : (p + q).coeff n = p.coeff n + q.coeff n := by
  show (addList p.coeffs q.coeffs).getD n 0 = p.coeffs.getD n 0 + q.coeffs.getD n 0
  generalize p.coeffs = p, q.coeffs = q
  induction p generalizing q n with
  | nil => simp [addList]
  | cons a p ih =>
    cases q with
    | nil => simp [addList]
    | cons b q =>
      cases n with
      | zero => simp [addList]
      | succ n => simpa [addList] using ih n q

/-- The derivative has the coefficients one expects. -/
theorem coeff_deriv (p : Poly) (n : Nat) : p.deriv.coeff n = (n + 1) * p.coeff (n + 1) := by
  obtain ⟨l⟩ := p
  induction l generalizing n with
  | nil => simp [deriv, derivList, coeff]
  | cons a l ih =>
    have h := coeff_add ⟨l⟩ ⟨0 :: derivList l⟩ n
    have e : (deriv ⟨a :: l⟩).coeff n = coeff ⟨l⟩ n + coeff ⟨0 :: derivList l⟩ n := h
    have e' : coeff ⟨a :: l⟩ (n + 1) = coeff ⟨l⟩ n := rfl
    rw [e, e']
    cases n with
    | zero => simp [coeff]
    | succ n =>
      have e'' : coeff ⟨0 :: derivList l⟩ (n + 1) = (deriv ⟨l⟩).coeff n := rfl
      rw [e'', ih]
      grind

/-! ## Values -/

theorem eval_C (a x : Int) : (C a).eval x = a := by simp [C, eval, evalList]

theorem eval_X (x : Int) : X.eval x = x := by simp [X, eval, evalList]

theorem evalList_addList (x : Int) (p q : List Int) :
    evalList x (addList p q) = evalList x p + evalList x q := by
  induction p generalizing q with
  | nil => simp [addList, evalList]
  | cons a p ih =>
    cases q with
    | nil => simp [addList, evalList]
    | cons b q =>
      simp only [addList, evalList, ih]
      grind

theorem evalList_scale (x a : Int) (q : List Int) :
    evalList x (q.map (a * ·)) = a * evalList x q := by
  induction q with
  | nil => simp [evalList]
  | cons b q ih =>
    simp only [List.map, evalList, ih]
    grind

theorem evalList_mulList (x : Int) (p q : List Int) :
    evalList x (mulList p q) = evalList x p * evalList x q := by
  induction p with
  | nil => simp [mulList, evalList]
  | cons a p ih =>
    simp only [mulList, evalList, evalList_addList, evalList_scale, ih]
    grind

theorem evalList_deriv_addList (x : Int) (p q : List Int) :
    evalList x (derivList (addList p q)) =
      evalList x (derivList p) + evalList x (derivList q) := by
  induction p generalizing q with
  | nil => simp [addList, derivList, evalList]
  | cons a p ih =>
    cases q with
    | nil => simp [addList, derivList, evalList]
    | cons b q =>
      simp only [addList, derivList, evalList, evalList_addList, ih]
      grind

theorem evalList_deriv_scale (x a : Int) (q : List Int) :
    evalList x (derivList (q.map (a * ·))) = a * evalList x (derivList q) := by
  induction q with
  | nil => simp [derivList, evalList]
  | cons b q ih =>
    simp only [List.map, derivList, evalList, evalList_addList, evalList_scale, ih]
    grind

/-- Leibniz' rule. -/
theorem eval_deriv_mul (p q : Poly) (x : Int) :
    (p * q).deriv.eval x = p.deriv.eval x * q.eval x + p.eval x * q.deriv.eval x := by
  show evalList x (derivList (mulList p.coeffs q.coeffs)) = _
  simp only [eval, deriv]
  induction p.coeffs with
  | nil => simp [mulList, derivList, evalList]
  | cons a p ih =>
    simp only [mulList, derivList, evalList, evalList_addList, evalList_deriv_addList,
      evalList_deriv_scale, evalList_mulList, ih]
    grind

/-! ## Roots -/

/-- Division with remainder by `X - c`. -/
theorem eval_sub_eval (p : Poly) (c x : Int) :
    p.eval x - p.eval c = (x - c) * (p.quot c).eval x := by
  obtain ⟨p⟩ := p
  simp only [eval, quot]
  induction p with
  | nil => simp [quotList, evalList]
  | cons a p ih =>
    simp only [quotList, evalList]
    grind

theorem eval_linear_mul (c x : Int) (q : Poly) :
    ((X + C (-c)) * q).eval x = (x - c) * q.eval x := by
  show evalList x (mulList (addList _ _) _) = _
  rw [evalList_mulList, evalList_addList]
  simp [eval, X, C, evalList, Int.sub_eq_add_neg]

/-- The factor theorem. -/
theorem isRoot_iff_factor (p : Poly) (c : Int) :
    p.IsRoot c ↔ ∃ q : Poly, ∀ x, p.eval x = ((X + C (-c)) * q).eval x := by
  constructor
  · intro h
    refine ⟨p.quot c, fun x => ?_⟩
    rw [eval_linear_mul, ← eval_sub_eval, h, Int.sub_zero]
  · rintro ⟨q, hq⟩
    unfold IsRoot
    rw [hq c, eval_linear_mul, Int.sub_self, Int.zero_mul]

/-- The derivative at `c` is the value at `c` of the difference quotient. -/
theorem eval_deriv_eq_quot (p : Poly) (c : Int) : p.deriv.eval c = (p.quot c).eval c := by
  obtain ⟨p⟩ := p
  simp only [eval, deriv, quot]
  induction p with
  | nil => rfl
  | cons a p ih => simp [derivList, quotList, evalList, evalList_addList, ih]

theorem isRoot_ofRoots (l : List Int) (c : Int) : (ofRoots l).IsRoot c ↔ c ∈ l := by
  unfold IsRoot
  induction l with
  | nil => simp [ofRoots, eval_C]
  | cons a l ih =>
    rw [ofRoots, eval_linear_mul, Int.mul_eq_zero, ih, List.mem_cons, Int.sub_eq_zero]

end Poly
