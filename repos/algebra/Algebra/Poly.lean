/-!
Polynomials over the integers as lists of coefficients, the constant one first: operations, values,
composition, derivatives, and roots.
-/

namespace Algebra

/-- The coefficients of a polynomial, the constant one first. -/
abbrev Poly := List Int

namespace Poly

/-- The value at a point. -/
def eval : Poly → Int → Int
  | [], _ => 0
  | c :: p, x => c + x * eval p x

def add : Poly → Poly → Poly
  | [], q => q
  | c :: p, [] => c :: p
  | c :: p, d :: q => (c + d) :: add p q

/-- Multiply by a number. -/
def scale (k : Int) : Poly → Poly
  | [] => []
  | c :: p => k * c :: scale k p

def neg (p : Poly) : Poly := scale (-1) p

/-- Multiply by the variable. -/
def shift (p : Poly) : Poly := 0 :: p

def mul : Poly → Poly → Poly
  | [], _ => []
  | c :: p, q => add (scale c q) (shift (mul p q))

def pow (p : Poly) : Nat → Poly
  | 0 => [1]
  | n + 1 => mul (pow p n) p

/-- Put `q` in the place of the variable. -/
def comp : Poly → Poly → Poly
  | [], _ => []
  | c :: p, q => add [c] (mul q (comp p q))

/-- The derivative, by the rule for a product with the variable. -/
def deriv : Poly → Poly
  | [] => []
  | _ :: p => add p (shift (deriv p))

/-- What is left of `p` after division by `x - a`. -/
def divide (a : Int) : Poly → Poly
  | [] => []
  | _ :: p => match p with
    | [] => []
    | _ :: _ => eval p a :: divide a p

/-- The coefficient of the power `n`. -/
def coeff : Poly → Nat → Int
  | [], _ => 0
  | c :: _, 0 => c
  | _ :: p, n + 1 => coeff p n

/-- Polynomials that have the same coefficients, however many zeros stand at the end. -/
def Same (p q : Poly) : Prop := ∀ n, coeff p n = coeff q n

section Values

theorem eval_nil (x : Int) : eval [] x = 0 := by
  rfl

theorem eval_cons (c : Int) (p : Poly) (x : Int) : eval (c :: p) x = c + x * eval p x := by
  rfl

theorem eval_const (c x : Int) : eval [c] x = c := by
  rw [eval_cons, eval_nil, Int.mul_zero, Int.add_zero]

theorem eval_at_zero (c : Int) (p : Poly) : eval (c :: p) 0 = c := by
  rw [eval_cons, Int.zero_mul, Int.add_zero]

theorem eval_at_one (p : Poly) : eval p 1 = p.sum := by
  sorry

theorem eval_add (p q : Poly) (x : Int) : eval (add p q) x = eval p x + eval q x := by
  induction p generalizing q with
  | nil =>
    rw [eval_nil, Int.zero_add]
    rfl
  | cons c p ih =>
    cases q with
    | nil =>
      rw [eval_nil, Int.add_zero]
      rfl
    | cons d q =>
      simp only [add]
      rw [eval_cons, ih, eval_cons, eval_cons, Int.mul_add]
      omega

theorem eval_scale (k : Int) (p : Poly) (x : Int) : eval (scale k p) x = k * eval p x := by
  induction p with
  | nil => exact (Int.mul_zero k).symm
  | cons c p ih =>
    simp only [scale]
    rw [eval_cons, ih, eval_cons, Int.mul_add, Int.mul_left_comm]

theorem eval_shift (p : Poly) (x : Int) : eval (shift p) x = x * eval p x := by
  unfold shift
  rw [eval_cons, Int.zero_add]

theorem eval_neg (p : Poly) (x : Int) : eval (neg p) x = - eval p x := by
  unfold neg
  rw [eval_scale, Int.neg_mul, Int.one_mul]

theorem eval_mul (p q : Poly) (x : Int) : eval (mul p q) x = eval p x * eval q x := by
  induction p with
  | nil => exact (Int.zero_mul _).symm
  | cons c p ih =>
    simp only [mul]
    rw [eval_add, eval_scale, eval_shift, ih, eval_cons, Int.add_mul, Int.mul_assoc]

theorem eval_pow (p : Poly) (n : Nat) (x : Int) : eval (pow p n) x = eval p x ^ n := by
  sorry
theorem eval_comp (p q : Poly) (x : Int) : eval (comp p q) x = eval p (eval q x) := by
  sorry

theorem eval_append (p q : Poly) (x : Int) :
    eval (p ++ q) x = eval p x + x ^ p.length * eval q x := by
  induction p with
  | nil =>
    rw [List.nil_append, eval_nil, List.length_nil, Int.pow_zero, Int.one_mul, Int.zero_add]
  | cons c p ih =>
    rw [List.cons_append, eval_cons, ih, eval_cons, List.length_cons, Int.pow_succ, Int.mul_add,
      Int.add_assoc]
    congr 2
    ac_rfl

theorem eval_monomial (n : Nat) (c x : Int) :
    eval (List.replicate n 0 ++ [c]) x = c * x ^ n := by
  sorry

end Values

section Laws

theorem add_nil (p : Poly) : add p [] = p := by
  cases p with
  | nil => rfl
  | cons c p => rfl

theorem add_comm (p q : Poly) : add p q = add q p := by
  induction p generalizing q with
  | nil => exact (add_nil q).symm
  | cons c p ih =>
    cases q with
    | nil => rfl
    | cons d q =>
      simp only [add]
      rw [ih, Int.add_comm]

theorem add_assoc (p q r : Poly) : add (add p q) r = add p (add q r) := by
  induction p generalizing q r with
  | nil => rfl
  | cons c p ih =>
    cases q with
    | nil => rfl
    | cons d q =>
      cases r with
      | nil => rfl
      | cons e r =>
        simp only [add]
        rw [ih, Int.add_assoc]

theorem add_swap (p q r s : Poly) : add (add p q) (add r s) = add (add p r) (add q s) := by
  rw [add_assoc, ← add_assoc q, add_comm q r, add_assoc r, ← add_assoc]

theorem scale_add (k : Int) (p q : Poly) : scale k (add p q) = add (scale k p) (scale k q) := by
  induction p generalizing q with
  | nil => rfl
  | cons c p ih =>
    cases q with
    | nil => rfl
    | cons d q =>
      simp only [add, scale]
      rw [ih, Int.mul_add]

theorem scale_scale (k l : Int) (p : Poly) : scale k (scale l p) = scale (k * l) p := by
  induction p with
  | nil => rfl
  | cons c p ih =>
    simp only [scale]
    rw [ih, Int.mul_assoc]

theorem add_scale (k l : Int) (p : Poly) : scale (k + l) p = add (scale k p) (scale l p) := by
  induction p with
  | nil => rfl
  | cons c p ih =>
    simp only [scale, add]
    rw [ih, Int.add_mul]

theorem scale_one (p : Poly) : scale 1 p = p := by
  induction p with
  | nil => rfl
  | cons c p ih =>
    simp only [scale]
    rw [ih, Int.one_mul]

theorem length_add (p q : Poly) : (add p q).length = max p.length q.length := by
  induction p generalizing q with
  | nil => simp [add]
  | cons c p ih =>
    cases q with
    | nil => simp [add]
    | cons d q =>
      simp only [add, List.length_cons]
      rw [ih]
      omega

theorem length_scale (k : Int) (p : Poly) : (scale k p).length = p.length := by
  induction p with
  | nil => rfl
  | cons c p ih =>
    simp only [scale, List.length_cons]
    rw [ih]

theorem length_mul (p q : Poly) (hp : p ≠ []) (hq : q ≠ []) :
    (mul p q).length + 1 = p.length + q.length := by
  sorry

theorem mul_const (c : Int) (q : Poly) : mul [c] q = add (scale c q) [0] := by
  rfl

end Laws

section Coefficients

theorem coeff_nil (n : Nat) : coeff [] n = 0 := by
  cases n with
  | zero => rfl
  | succ n => rfl

theorem coeff_add (p q : Poly) (n : Nat) : coeff (add p q) n = coeff p n + coeff q n := by
  induction p generalizing q n with
  | nil =>
    rw [coeff_nil, Int.zero_add]
    rfl
  | cons c p ih =>
    cases q with
    | nil =>
      rw [coeff_nil, Int.add_zero]
      rfl
    | cons d q =>
      cases n with
      | zero => rfl
      | succ n =>
        simp only [add, coeff]
        rw [ih]

theorem coeff_scale (k : Int) (p : Poly) (n : Nat) : coeff (scale k p) n = k * coeff p n := by
  induction p generalizing n with
  | nil =>
    rw [scale, coeff_nil, Int.mul_zero]
  | cons c p ih =>
    cases n with
    | zero => rfl
    | succ n =>
      simp only [scale, coeff]
      rw [ih]

theorem coeff_of_length (p : Poly) (n : Nat) (h : p.length ≤ n) : coeff p n = 0 := by
  induction p generalizing n with
  | nil => exact coeff_nil n
  | cons c p ih =>
    cases n with
    | zero => contradiction
    | succ n =>
      simp only [coeff]
      apply ih
      rw [List.length_cons] at h
      omega

theorem same_refl (p : Poly) : Same p p := by
  intro n
  rfl

theorem same_trans (p q r : Poly) (h1 : Same p q) (h2 : Same q r) : Same p r := by
  intro n
  rw [h1 n, h2 n]

theorem same_cons_iff (c d : Int) (p q : Poly) :
    Same (c :: p) (d :: q) ↔ c = d ∧ Same p q := by
  constructor
  · intro h
    constructor
    · exact h 0
    · intro n
      exact h (n + 1)
  · rintro ⟨h1, h2⟩ n
    cases n with
    | zero => exact h1
    | succ n => exact h2 n

theorem eval_zero_of_same (p : Poly) (h : Same p []) (x : Int) : eval p x = 0 := by
  induction p with
  | nil => rfl
  | cons c p ih =>
    have h1 : c = 0 := h 0
    have h2 : Same p [] := by
      intro n
      rw [coeff_nil]
      exact h (n + 1)
    rw [eval_cons, ih h2, h1, Int.mul_zero, Int.add_zero]

theorem eval_same (p q : Poly) (h : Same p q) (x : Int) : eval p x = eval q x := by
  sorry

theorem same_add (p q r s : Poly) (h1 : Same p q) (h2 : Same r s) :
    Same (add p r) (add q s) := by
  intro n
  rw [coeff_add, coeff_add, h1 n, h2 n]

theorem same_add_neg (p : Poly) : Same (add p (neg p)) [] := by
  sorry
theorem same_append_zero (p : Poly) : Same (p ++ [0]) p := by
  sorry

end Coefficients

section Derivatives

theorem deriv_const (c : Int) : Same (deriv [c]) [] := by
  intro n
  cases n with
  | zero => rfl
  | succ n => rfl

theorem deriv_add (p q : Poly) : Same (deriv (add p q)) (add (deriv p) (deriv q)) := by
  induction p generalizing q with
  | nil => exact same_refl _
  | cons c p ih =>
    cases q with
    | nil =>
      intro n
      simp only [add, deriv]
      rw [add_nil]
    | cons d q =>
      intro n
      simp only [add, deriv, shift]
      rw [coeff_add, coeff_add, coeff_add, coeff_add, coeff_add]
      cases n with
      | zero =>
        simp only [coeff]
        omega
      | succ n =>
        have h := ih q n
        rw [coeff_add] at h
        simp only [coeff]
        omega

theorem coeff_deriv (p : Poly) (n : Nat) : coeff (deriv p) n = (n + 1) * coeff p (n + 1) := by
  induction p generalizing n with
  | nil =>
    rw [deriv, coeff_nil, coeff_nil, Int.mul_zero]
  | cons c p ih =>
    simp only [deriv, shift, coeff]
    rw [coeff_add]
    cases n with
    | zero =>
      simp only [coeff]
      omega
    | succ n =>
      simp only [coeff]
      rw [ih]
      have h : ((n + 1 : Nat) : Int) = n + 1 := by omega
      rw [h]
      grind

theorem deriv_scale (k : Int) (p : Poly) : Same (deriv (scale k p)) (scale k (deriv p)) := by
  sorry

theorem eval_deriv_cons (c : Int) (p : Poly) (x : Int) :
    eval (deriv (c :: p)) x = eval p x + x * eval (deriv p) x := by
  simp only [deriv]
  rw [eval_add, eval_shift]

theorem eval_deriv_add (p q : Poly) (x : Int) :
    eval (deriv (add p q)) x = eval (deriv p) x + eval (deriv q) x := by
  induction p generalizing q with
  | nil => exact (Int.zero_add _).symm
  | cons c p ih =>
    cases q with
    | nil => exact (Int.add_zero _).symm
    | cons d q =>
      simp only [add]
      rw [eval_deriv_cons, eval_deriv_cons, eval_deriv_cons, ih, eval_add, Int.mul_add]
      omega

theorem eval_deriv_scale (k : Int) (p : Poly) (x : Int) :
    eval (deriv (scale k p)) x = k * eval (deriv p) x := by
  induction p with
  | nil => exact (Int.mul_zero k).symm
  | cons c p ih =>
    simp only [scale]
    rw [eval_deriv_cons, eval_deriv_cons, ih, eval_scale, Int.mul_add, Int.mul_left_comm]

/-- Leibniz's rule. -/
theorem eval_deriv_mul (p q : Poly) (x : Int) :
    eval (deriv (mul p q)) x = eval (deriv p) x * eval q x + eval p x * eval (deriv q) x := by
  induction p with
  | nil =>
    simp only [mul, deriv, eval]
    omega
  | cons c p ih =>
    simp only [mul, shift]
    rw [eval_deriv_add, eval_deriv_scale, eval_deriv_cons, eval_deriv_cons, ih, eval_mul,
      eval_cons]
    grind

theorem eval_deriv_square (p : Poly) (x : Int) :
    eval (deriv (mul p p)) x = 2 * (eval p x * eval (deriv p) x) := by
  rw [eval_deriv_mul, Int.mul_comm (eval (deriv p) x)]
  omega

theorem eval_deriv_pow (p : Poly) (n : Nat) (x : Int) :
    eval (deriv (pow p (n + 1))) x = (n + 1) * eval p x ^ n * eval (deriv p) x := by
  sorry
theorem chain_rule (p q : Poly) (x : Int) :
    eval (deriv (comp p q)) x = eval (deriv p) (eval q x) * eval (deriv q) x := by
  sorry

end Derivatives

section Roots

theorem eval_divide (a : Int) (p : Poly) (x : Int) :
    eval p x = eval p a + (x - a) * eval (divide a p) x := by
  induction p with
  | nil =>
    simp only [divide, eval]
    omega
  | cons c p ih =>
    cases p with
    | nil =>
      simp only [divide, eval]
      omega
    | cons d p =>
      rw [eval_cons c, ih, eval_cons c, divide, eval_cons (eval (d :: p) a)]
      grind

/-- A root splits off a linear factor. -/
theorem factor_of_root (a : Int) (p : Poly) (h : eval p a = 0) (x : Int) :
    eval p x = (x - a) * eval (divide a p) x := by
  rw [eval_divide a p x, h, Int.zero_add]

theorem sub_measures_eval_sub (p : Poly) (x a : Int) : ∃ k, eval p x - eval p a = (x - a) * k := by
  sorry
theorem root_of_divide (a b : Int) (p : Poly) (ha : eval p a = 0) (hb : eval p b = 0)
    (h : a ≠ b) : eval (divide a p) b = 0 := by
  sorry

theorem length_divide (a : Int) (p : Poly) : (divide a p).length = p.length - 1 := by
  induction p with
  | nil => rfl
  | cons c p ih =>
    cases p with
    | nil => rfl
    | cons d p =>
      rw [divide, List.length_cons, ih]
      simp only [List.length_cons]
      omega

theorem root_of_factor (p q : Poly) (a : Int) :
    eval (mul p q) a = 0 ↔ eval p a = 0 ∨ eval q a = 0 := by
  rw [eval_mul]
  exact Int.mul_eq_zero

theorem double_root (p : Poly) (a : Int) :
    eval (mul (mul [-a, 1] [-a, 1]) p) a = 0 ∧
      eval (deriv (mul (mul [-a, 1] [-a, 1]) p)) a = 0 := by
  sorry

/-- A polynomial with as many roots as coefficients vanishes everywhere. -/
theorem zero_of_roots (roots : List Int) (p : Poly) (h : ∀ a ∈ roots, eval p a = 0)
    (hd : roots.Nodup) (hl : p.length ≤ roots.length) (x : Int) : eval p x = 0 := by
  induction roots generalizing p with
  | nil =>
    have h1 : p = [] := List.length_eq_zero_iff.mp (by simpa using hl)
    rw [h1, eval_nil]
  | cons a as ih =>
    rw [List.nodup_cons] at hd
    have ha := h a List.mem_cons_self
    rw [factor_of_root a p ha x, ih (divide a p), Int.mul_zero]
    · intro b hb
      have h1 := h b (List.mem_cons_of_mem a hb)
      rw [factor_of_root a p ha b] at h1
      rcases Int.mul_eq_zero.mp h1 with h2 | h2
      · have h3 : b = a := by omega
        rw [h3] at hb
        exact absurd hb hd.1
      · exact h2
    · exact hd.2
    · rw [length_divide]
      rw [List.length_cons] at hl
      omega

theorem eq_of_values (points : List Int) (p q : Poly)
    (h : ∀ a ∈ points, eval p a = eval q a) (hd : points.Nodup)
    (hp : p.length ≤ points.length) (hq : q.length ≤ points.length) (x : Int) :
    eval p x = eval q x := by
  sorry

end Roots

end Poly

end Algebra
