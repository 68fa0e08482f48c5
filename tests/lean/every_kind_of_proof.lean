namespace Fidélité

theorem byCalc (a b c : Nat) (h : a = b) (k : b = c) : a = c := calc
  a = b := by exact h
  _ = c := by rw [k]

theorem byConv (a b : Nat) : (a + 0) + b = a + b := by
  conv =>
    lhs
    rw [Nat.add_zero]

theorem bySplit (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor <;> assumption

theorem byCase (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  case right => exact hq
  · exact hp

theorem byAll (p : Prop) (hp : p) : p ∧ p := by
  constructor
  all_goals exact hp

theorem byInduction (n : Nat) : 0 + n = n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [← Nat.add_assoc]
    rw [ih]

theorem byMatch (p q : Prop) (h : p ∨ q) : q ∨ p := by
  match h with
  | .inl α => exact Or.inr α
  | .inr β => exact Or.inl β

theorem byNested (p q : Prop) (hp : p) (f : p → q) : p ∧ q := by
  have hq : q := by
    apply f
    exact hp
  exact ⟨hp, by exact hq⟩

macro "both" : tactic => `(tactic| (constructor <;> assumption))
theorem byMacro (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  both

theorem byFirst (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  first | exact hq | exact hp
  try exact hp
  assumption

def half (n : Nat) : Nat := if h : n < 2 then 0 else half (n - 2) + 1
termination_by n
decreasing_by omega

theorem halved (n : Nat) (h : 0 < n) : n / 2 < n := helper n h
where
  helper (n : Nat) (h : 0 < n) : n / 2 < n := by omega

mutual
theorem evenly : (n : Nat) → 0 ≤ n
  | 0 => by exact Nat.le_refl 0
  | n + 1 => Nat.le_succ_of_le (oddly n)
theorem oddly : (n : Nat) → 0 ≤ n
  | 0 => Nat.le_refl 0
  | n + 1 => by exact Nat.le_succ_of_le (evenly n)
end

theorem byTerm {p q : Prop} (h : p ∧ q) : q ∧ p := ⟨h.2, And.left h⟩

theorem recurses (n m : Nat) : n + m = m + n := by
  exact Nat.add_comm n m
termination_by n

theorem descends {p : Prop} (hp : p) : Nat → p
  | 0 => by exact hp
  | 1 => hp
  | n + 2 => (And.intro (descends hp (n + 1)) (descends hp n)).right
termination_by n => n
decreasing_by
  · exact Nat.lt_succ_self (n + 1)
  · apply Nat.lt_succ_of_lt
    exact Nat.lt_succ_self n

theorem descendsAtOnce (n : Nat) : 0 + n = n :=
  match n with
  | 0 => by rfl
  | k + 1 => congrArg (· + 1) (descendsAtOnce k)
termination_by n
decreasing_by all_goals omega

theorem descendsInside (n : Nat) : 0 + n = n := go n
where
  go (n : Nat) : 0 + n = n := match n with
    | 0 => rfl
    | k + 1 => congrArg (· + 1) (go k)
  termination_by n
  decreasing_by
    have less : k < k + 1 := by exact Nat.lt_succ_self k
    exact less

theorem descendsByStructure (n : Nat) : 0 + n = n :=
  match n with
  | 0 => by rfl
  | k + 1 => congrArg (· + 1) (descendsByStructure k)
termination_by structural n

theorem byGrind (f g : Nat → Nat) (h : ∀ n, f n = g (n + 1)) (k : ∀ n, g n = n) : f 3 = 4 := by
  grind =>
    instantiate
    finish

theorem byBranch (p q r : Prop) (h : r) : p ∨ q ∨ r := by
  first | (left; exact h) | (right; first | (left; exact h) | (right; exact h))

theorem byOnlyBranch (p : Prop) (hp : p) : p := by
  first | done | (exact hp; exact hp) | exact hp

theorem bySolve (p q : Prop) (hq : q) : p ∨ q := by
  solve | left; exact hq | right; exact hq

theorem byTry (p q : Prop) (hq : q) : p ∨ q := by
  try (left; exact hq)
  try (right; try exact absurd hq; skip)
  exact hq

theorem byRepeat (p q : Prop) (hq : q) : p ∨ p ∨ q := by
  repeat (first | (left; exact hq) | exact hq | right)

theorem byRepeatOnEach (p q : Prop) (hp : p) (hq : q) : p ∧ q ∧ p := by
  repeat' constructor
  repeat1' (skip; exact hp)
  exact hq

theorem byIterate (p q : Prop) (hq : q) : p ∨ p ∨ q := by
  iterate (right)
  fail_if_success (skip; exact absurd hq)
  exact hq

theorem byAnyGoals (p q : Prop) (hp : p) (hq : q) : (p ∧ p) ∧ (p ∨ q) := by
  constructor
  any_goals (constructor; exact hp; done)
  · exact ⟨hp, hp⟩

theorem byRewriting (a b c : Nat) (h : a = b) (k : b = c) : a + 0 = c := by
  conv => lhs; first | (arg 1; rw [Nat.zero_add]) | rw [Nat.add_zero]
  first | rw [h, Nat.add_comm] | rw [h, k]

macro "oneOf " s:tacticSeq " or " t:tacticSeq : tactic => `(tactic| first | ($s) | ($t))
theorem byMacroOfFirst (p q : Prop) (hq : q) : p ∨ q := by
  oneOf left; exact hq or right; exact hq

theorem byFocus (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  first | (· exact hp; · exact hp) | (rotate_left; exact hp; exact hq) | (rotate_left; exact hq; exact hp)

end Fidélité
