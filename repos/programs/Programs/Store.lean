/-!
Stores: total maps from variables to numbers, and the association lists that represent them.
-/

namespace Programs

/-- Variables are numbered. -/
abbrev Var := Nat

/-- The value of each variable. -/
def Store := Var → Nat

namespace Store

/-- All variables are zero. -/
def zero : Store := fun _ => 0

def get (s : Store) (x : Var) : Nat := s x

/-- The store that differs from `s` at `x` only. -/
def set (s : Store) (x : Var) (n : Nat) : Store := fun y => if y = x then n else s y

/-- Both stores agree on the variables of a list. -/
def AgreeOn (xs : List Var) (s t : Store) : Prop := ∀ x, x ∈ xs → s.get x = t.get x

/-- Exchange the values of two variables. -/
def swap (s : Store) (x y : Var) : Store := (s.set x (s.get y)).set y (s.get x)

/-- Set the variables of a list one after another. -/
def setAll (s : Store) : List (Var × Nat) → Store
  | [] => s
  | (x, n) :: ps => setAll (s.set x n) ps

theorem ext {s t : Store} (h : ∀ x, s.get x = t.get x) : s = t := by
  funext x
  exact h x

section Updates

theorem get_zero (x : Var) : zero.get x = 0 := by
  rfl

theorem get_set_same (s : Store) (x : Var) (n : Nat) : (s.set x n).get x = n := by
  unfold get set
  rw [if_pos rfl]

theorem get_set_other (s : Store) {x y : Var} (n : Nat) (h : y ≠ x) : (s.set x n).get y = s.get y := by
  unfold get set
  rw [if_neg h]

theorem get_set (s : Store) (x y : Var) (n : Nat) : (s.set x n).get y = if y = x then n else s.get y := by
  rfl

theorem set_set (s : Store) (x : Var) (m n : Nat) : (s.set x m).set x n = s.set x n := by
  apply ext
  intro y
  by_cases h : y = x
  · rw [h, get_set_same, get_set_same]
  · rw [get_set_other _ _ h, get_set_other _ _ h, get_set_other _ _ h]

theorem set_get (s : Store) (x : Var) : s.set x (s.get x) = s := by
  apply ext
  intro y
  by_cases h : y = x
  · rw [h, get_set_same]
  · rw [get_set_other _ _ h]

theorem set_comm (s : Store) {x y : Var} (m n : Nat) (h : x ≠ y) :
    (s.set x m).set y n = (s.set y n).set x m := by
  apply ext
  intro z
  by_cases hx : z = x
  · rw [hx, get_set_other _ _ h, get_set_same, get_set_same]
  · by_cases hy : z = y
    · rw [hy, get_set_same, get_set_other _ _ (Ne.symm h), get_set_same]
    · rw [get_set_other _ _ hy, get_set_other _ _ hx, get_set_other _ _ hx, get_set_other _ _ hy]

theorem set_injective {s : Store} {x : Var} {m n : Nat} (h : s.set x m = s.set x n) : m = n := by
  sorry

theorem set_eq_self_iff (s : Store) (x : Var) (n : Nat) : s.set x n = s ↔ s.get x = n := by
  constructor
  · intro h
    have h1 := get_set_same s x n
    rw [h] at h1
    exact h1
  · intro h
    rw [← h, set_get]

/-- Stores that agree everywhere but at `x` become equal when `x` is set. -/
theorem set_eq_set_iff (s t : Store) (x : Var) (n : Nat) :
    s.set x n = t.set x n ↔ ∀ y, y ≠ x → s.get y = t.get y := by
  sorry

theorem get_swap_left (s : Store) (x y : Var) : (s.swap x y).get x = s.get y := by
  unfold swap
  by_cases h : x = y
  · rw [h, get_set_same]
  · rw [get_set_other _ _ h, get_set_same]

theorem get_swap_right (s : Store) (x y : Var) : (s.swap x y).get y = s.get x := by
  unfold swap
  rw [get_set_same]

theorem get_swap_other (s : Store) {x y z : Var} (hx : z ≠ x) (hy : z ≠ y) : (s.swap x y).get z = s.get z := by
  unfold swap
  rw [get_set_other _ _ hy, get_set_other _ _ hx]

theorem swap_swap (s : Store) (x y : Var) : (s.swap x y).swap x y = s := by
  sorry

theorem swap_comm (s : Store) (x y : Var) : s.swap x y = s.swap y x := by
  apply ext
  intro z
  by_cases hx : z = x
  · rw [hx, get_swap_left, get_swap_right]
  · by_cases hy : z = y
    · rw [hy, get_swap_right, get_swap_left]
    · rw [get_swap_other _ hx hy, get_swap_other _ hy hx]

theorem swap_self (s : Store) (x : Var) : s.swap x x = s := by
  unfold swap
  rw [set_get, set_get]

end Updates

section Agreement

theorem agree_refl (xs : List Var) (s : Store) : AgreeOn xs s s := by
  intro x _
  rfl

theorem agree_symm {xs : List Var} {s t : Store} (h : AgreeOn xs s t) : AgreeOn xs t s := by
  intro x hx
  exact (h x hx).symm

theorem agree_trans {xs : List Var} {s t u : Store} (h1 : AgreeOn xs s t) (h2 : AgreeOn xs t u) :
    AgreeOn xs s u := by
  sorry

theorem agree_append_iff (xs ys : List Var) (s t : Store) :
    AgreeOn (xs ++ ys) s t ↔ AgreeOn xs s t ∧ AgreeOn ys s t := by
  constructor
  · intro h
    constructor
    · intro x hx
      exact h x (List.mem_append_left ys hx)
    · intro x hx
      exact h x (List.mem_append_right xs hx)
  · rintro ⟨h1, h2⟩ x hx
    cases List.mem_append.mp hx with
    | inl hx => exact h1 x hx
    | inr hx => exact h2 x hx

theorem agree_set {xs : List Var} {s t : Store} (h : AgreeOn xs s t) (x : Var) (n : Nat) :
    AgreeOn (x :: xs) (s.set x n) (t.set x n) := by
  sorry

/-- What is not looked at may be set. -/
theorem agree_set_fresh {xs : List Var} {s t : Store} (h : AgreeOn xs s t) {x : Var} (hx : ¬ x ∈ xs) (n : Nat) :
    AgreeOn xs (s.set x n) t := by
  intro y hy
  have hne : y ≠ x := by
    intro he
    rw [he] at hy
    exact hx hy
  rw [get_set_other _ _ hne]
  exact h y hy

theorem agree_of_subset {xs ys : List Var} {s t : Store} (hs : ∀ x, x ∈ xs → x ∈ ys) (h : AgreeOn ys s t) :
    AgreeOn xs s t := by
  intro x hx
  apply h
  exact hs x hx

theorem eq_of_agree_all {s t : Store} (h : ∀ xs, AgreeOn xs s t) : s = t := by
  apply ext
  intro x
  apply h [x]
  exact List.mem_singleton.mpr rfl

end Agreement

section Lists

theorem setAll_append (s : Store) (ps qs : List (Var × Nat)) :
    s.setAll (ps ++ qs) = (s.setAll ps).setAll qs := by
  induction ps generalizing s with
  | nil => rfl
  | cons p ps ih =>
    obtain ⟨x, n⟩ := p
    rw [List.cons_append, setAll, setAll]
    exact ih (s.set x n)

theorem get_setAll_fresh (s : Store) (ps : List (Var × Nat)) (x : Var) (h : ∀ p, p ∈ ps → p.1 ≠ x) :
    (s.setAll ps).get x = s.get x := by
  induction ps generalizing s with
  | nil => rfl
  | cons p ps ih =>
    obtain ⟨y, n⟩ := p
    have hy : y ≠ x := h (y, n) (List.mem_cons_self ..)
    rw [setAll, ih, get_set_other _ _ (Ne.symm hy)]
    intro q hq
    exact h q (List.mem_cons_of_mem _ hq)

/-- A variable that is not set by the list may as well be set before. -/
theorem setAll_set_comm (s : Store) (ps : List (Var × Nat)) (x : Var) (n : Nat) (h : ∀ p, p ∈ ps → p.1 ≠ x) :
    (s.set x n).setAll ps = (s.setAll ps).set x n := by
  sorry

theorem setAll_last (s : Store) (ps : List (Var × Nat)) (x : Var) (n : Nat) :
    (s.setAll (ps ++ [(x, n)])).get x = n := by
  rw [setAll_append]
  exact get_set_same _ x n

/-- The first entry for a variable counts; without an entry it is zero. -/
def lookup : List (Var × Nat) → Var → Nat
  | [], _ => 0
  | (y, n) :: ps, x => if x = y then n else lookup ps x

/-- The store that a list represents. -/
def ofList (ps : List (Var × Nat)) : Store := lookup ps

/-- Remove all entries for a variable. -/
def erase (x : Var) : List (Var × Nat) → List (Var × Nat)
  | [] => []
  | (y, n) :: ps => if y = x then erase x ps else (y, n) :: erase x ps

theorem ofList_cons (x : Var) (n : Nat) (ps : List (Var × Nat)) : ofList ((x, n) :: ps) = (ofList ps).set x n := by
  apply ext
  intro y
  rfl

theorem lookup_erase_same (x : Var) (ps : List (Var × Nat)) : lookup (erase x ps) x = 0 := by
  sorry

theorem lookup_erase_other {x z : Var} (h : z ≠ x) (ps : List (Var × Nat)) :
    lookup (erase x ps) z = lookup ps z := by
  induction ps with
  | nil => rfl
  | cons p ps ih =>
    obtain ⟨y, n⟩ := p
    rw [erase, lookup]
    by_cases hy : y = x
    · have hz : z ≠ y := by
        rw [hy]
        exact h
      rw [if_pos hy, if_neg hz, ih]
    · rw [if_neg hy, lookup, ih]

/-- Old entries of a variable that is set do not matter. -/
theorem ofList_cons_erase (x : Var) (n : Nat) (ps : List (Var × Nat)) :
    ofList ((x, n) :: erase x ps) = ofList ((x, n) :: ps) := by
  sorry

theorem erase_length_le (x : Var) (ps : List (Var × Nat)) : (erase x ps).length ≤ ps.length := by
  induction ps with
  | nil => exact Nat.le_refl 0
  | cons p ps ih =>
    obtain ⟨y, n⟩ := p
    rw [erase]
    by_cases h : y = x
    · rw [if_pos h, List.length_cons]
      omega
    · rw [if_neg h, List.length_cons, List.length_cons]
      omega

theorem erase_erase (x : Var) (ps : List (Var × Nat)) : erase x (erase x ps) = erase x ps := by
  sorry

theorem setAll_eq_ofList (ps qs : List (Var × Nat)) : (ofList qs).setAll ps = ofList (ps.reverse ++ qs) := by
  sorry

end Lists

end Store

end Programs
