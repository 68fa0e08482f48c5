import Algebra.Hom

/-!
Groups that act on sets: orbits, stabilizers, fixed points, maps that respect the action, and the
actions of a group on itself.
-/

namespace Algebra

open Semigroup Group

/-- A group acts on a set. -/
class Action (γ : Type) (ξ : Type) [Group γ] where
  act : γ → ξ → ξ
  one_act : ∀ x, act ε x = x
  mul_act : ∀ g h x, act (g ∘' h) x = act g (act h x)

infixr:73 " • " => Action.act

namespace Action

variable {γ ξ υ : Type} [Group γ] [Action γ ξ] [Action γ υ]

/-- `y` can be reached from `x`. -/
def SameOrbit (γ : Type) {ξ : Type} [Group γ] [Action γ ξ] (x y : ξ) : Prop :=
  ∃ g : γ, g • x = y

/-- What leaves `x` where it is. -/
def stabilizer (γ : Type) {ξ : Type} [Group γ] [Action γ ξ] (x : ξ) (g : γ) : Prop := g • x = x

/-- What stays where it is. -/
def fixed (γ : Type) {ξ : Type} [Group γ] [Action γ ξ] (x : ξ) : Prop := ∀ g : γ, g • x = x

/-- A set that the action does not leave. -/
def Invariant (γ : Type) {ξ : Type} [Group γ] [Action γ ξ] (P : ξ → Prop) : Prop :=
  ∀ (g : γ) (x : ξ), P x → P (g • x)

/-- Only one orbit. -/
def Transitive (γ ξ : Type) [Group γ] [Action γ ξ] : Prop := ∀ x y : ξ, SameOrbit γ x y

/-- Only the unit leaves any point where it is. -/
def Free (γ ξ : Type) [Group γ] [Action γ ξ] : Prop := ∀ (g : γ) (x : ξ), g • x = x → g = ε

/-- Only the unit leaves every point where it is. -/
def Faithful (γ ξ : Type) [Group γ] [Action γ ξ] : Prop := ∀ g : γ, (∀ x : ξ, g • x = x) → g = ε

/-- A function that respects the actions. -/
def Equivariant (γ : Type) {ξ υ : Type} [Group γ] [Action γ ξ] [Action γ υ] (f : ξ → υ) : Prop :=
  ∀ (g : γ) (x : ξ), f (g • x) = g • f x

section Basics

theorem inv_act_act (g : γ) (x : ξ) : gⁱ • g • x = x := by
  rw [← mul_act, inv_mul, one_act]

theorem act_inv_act (g : γ) (x : ξ) : g • gⁱ • x = x := by
  rw [← mul_act, mul_inv, one_act]

theorem act_inj (g : γ) (x y : ξ) (h : g • x = g • y) : x = y := by
  rw [← inv_act_act g x, h, inv_act_act]

theorem act_eq_iff (g : γ) (x y : ξ) : g • x = y ↔ x = gⁱ • y := by
  constructor
  · intro h
    rw [← h, inv_act_act]
  · intro h
    rw [h, act_inv_act]

theorem act_eq_act_iff (g h : γ) (x : ξ) : g • x = h • x ↔ (hⁱ ∘' g) • x = x := by
  sorry

theorem npow_act (g : γ) (x : ξ) (n : Nat) (h : g • x = x) : npow g n • x = x := by
  induction n with
  | zero => exact one_act x
  | succ n ih => rw [npow_succ, mul_act, h, ih]

theorem zpow_act (g : γ) (x : ξ) (n : Int) (h : g • x = x) : zpow g n • x = x := by
  sorry

theorem act_period (g : γ) (x : ξ) (m n : Nat) (h : npow g m • x = x) :
    npow g (n + m) • x = npow g n • x := by
  rw [npow_add, mul_act, h]

theorem act_surjective (g : γ) (y : ξ) : ∃ x : ξ, g • x = y := by
  exact ⟨gⁱ • y, act_inv_act g y⟩

theorem commutes_act (g h : γ) (x : ξ) (hc : Commutes g h) (hx : h • x = x) :
    h • g • x = g • x := by
  sorry

end Basics

section Orbits

theorem sameOrbit_refl (x : ξ) : SameOrbit γ x x := by
  exact ⟨ε, one_act x⟩

theorem sameOrbit_symm (x y : ξ) (h : SameOrbit γ x y) : SameOrbit γ y x := by
  obtain ⟨g, hg⟩ := h
  refine ⟨gⁱ, ?_⟩
  rw [← hg, inv_act_act]

theorem sameOrbit_trans (x y z : ξ) (h1 : SameOrbit γ x y) (h2 : SameOrbit γ y z) :
    SameOrbit γ x z := by
  obtain ⟨g, hg⟩ := h1
  obtain ⟨h, hh⟩ := h2
  refine ⟨h ∘' g, ?_⟩
  rw [mul_act, hg, hh]

theorem sameOrbit_act_iff (g : γ) (x y : ξ) : SameOrbit γ (g • x) y ↔ SameOrbit γ x y := by
  sorry

theorem orbit_invariant (x : ξ) : Invariant γ (SameOrbit γ x) := by
  intro g y h
  exact sameOrbit_trans x y _ h ⟨g, rfl⟩

theorem invariant_iff (P : ξ → Prop) :
    Invariant γ P ↔ ∀ x y, SameOrbit γ x y → P x → P y := by
  constructor
  · rintro h x y ⟨g, hg⟩ hx
    rw [← hg]
    exact h g x hx
  · intro h g x hx
    exact h x _ ⟨g, rfl⟩ hx

theorem invariant_act_iff (P : ξ → Prop) (h : Invariant γ P) (g : γ) (x : ξ) :
    P (g • x) ↔ P x := by
  sorry

theorem invariant_not (P : ξ → Prop) (h : Invariant γ P) : Invariant γ (fun x => ¬ P x) := by
  intro g x hx h1
  apply hx
  have h2 := h gⁱ _ h1
  rw [inv_act_act] at h2
  exact h2

theorem invariant_inter (P Q : ξ → Prop) (hP : Invariant γ P) (hQ : Invariant γ Q) :
    Invariant γ (fun x => P x ∧ Q x) := by
  rintro g x ⟨h1, h2⟩
  exact ⟨hP g x h1, hQ g x h2⟩

theorem fixed_iff_orbit (x : ξ) : fixed γ x ↔ ∀ y, SameOrbit γ x y → y = x := by
  constructor
  · rintro h y ⟨g, hg⟩
    rw [← hg]
    exact h g
  · intro h g
    exact h _ ⟨g, rfl⟩

theorem transitive_of_point (x : ξ) (h : ∀ y, SameOrbit γ x y) : Transitive γ ξ := by
  intro y z
  exact sameOrbit_trans y x z (sameOrbit_symm x y (h y)) (h z)

theorem fixed_transitive (h : Transitive γ ξ) (x y : ξ) (hx : fixed γ x) : y = x := by
  obtain ⟨g, hg⟩ := h x y
  rw [← hg]
  exact hx g

/-- An invariant set of a transitive action is everything, or nothing. -/
theorem invariant_transitive (h : Transitive γ ξ) (P : ξ → Prop) (hP : Invariant γ P) (x y : ξ)
    (hx : P x) : P y := by
  obtain ⟨g, hg⟩ := h x y
  rw [← hg]
  exact hP g x hx

end Orbits

section Stabilizers

theorem stabilizer_subgroup (x : ξ) : IsSubgroup (stabilizer γ x) := by
  refine ⟨one_act x, ?_, ?_⟩
  · intro g h hg hh
    unfold stabilizer at *
    rw [mul_act, hh, hg]
  · intro g hg
    unfold stabilizer at *
    rw [act_eq_iff] at hg
    exact hg.symm

theorem stabilizer_act (g h : γ) (x : ξ) :
    stabilizer γ (g • x) h ↔ stabilizer γ x (conj gⁱ h) := by
  unfold stabilizer conj
  rw [inv_inv, mul_act, mul_act]
  constructor
  · intro h1
    rw [h1, inv_act_act]
  · intro h1
    rw [act_eq_iff, inv_inv] at h1
    exact h1

theorem stabilizer_conjugate (g h : γ) (x : ξ) :
    stabilizer γ (g • x) h ↔ Subgroup.conjugate g (stabilizer γ x) h := by
  rw [stabilizer_act]
  rfl

/-- Points of the orbit correspond to cosets of the stabilizer. -/
theorem orbit_stabilizer (g h : γ) (x : ξ) :
    g • x = h • x ↔ Subgroup.SameCoset (stabilizer γ x) g h := by
  unfold Subgroup.SameCoset stabilizer
  rw [mul_act]
  constructor
  · intro h1
    rw [← h1, inv_act_act]
  · intro h1
    rw [act_eq_iff, inv_inv] at h1
    exact h1.symm

theorem stabilizer_normal_iff (x : ξ) :
    IsNormal (stabilizer γ x) ↔ ∀ g h : γ, h • x = x → h • g • x = g • x := by
  sorry

theorem free_iff_stabilizer : Free γ ξ ↔ ∀ (x : ξ) (g : γ), stabilizer γ x g → g = ε := by
  constructor
  · intro h x g hg
    exact h g x hg
  · intro h g x hg
    exact h x g hg

theorem free_unique (h : Free γ ξ) (g k : γ) (x : ξ) (h1 : g • x = k • x) : g = k := by
  sorry

theorem faithful_of_free (x : ξ) (h : Free γ ξ) : Faithful γ ξ := by
  intro g hg
  exact h g x (hg x)

theorem faithful_unique (h : Faithful γ ξ) (g k : γ) (h1 : ∀ x : ξ, g • x = k • x) : g = k := by
  rw [← mul_inv_eq_one_iff]
  apply h
  intro x
  rw [mul_act, h1, act_inv_act]

/-- A faithful action of which all moves commute comes from a commuting group. -/
theorem commutes_of_faithful (h : Faithful γ ξ) (g k : γ)
    (h1 : ∀ x : ξ, g • k • x = k • g • x) : Commutes g k := by
  rw [← commutator_eq_one_iff]
  apply h
  intro x
  unfold commutator
  rw [mul_act, mul_act, mul_act, h1, act_inv_act, act_inv_act]

theorem stabilizer_of_transitive_abelian (hc : ∀ a b : γ, Commutes a b) (ht : Transitive γ ξ)
    (x y : ξ) (g : γ) (h : g • x = x) : g • y = y := by
  obtain ⟨k, hk⟩ := ht x y
  have h1 := hc g k
  unfold Commutes at h1
  rw [← hk, ← mul_act, h1, mul_act, h]

theorem free_of_transitive_abelian (hc : ∀ a b : γ, Commutes a b) (ht : Transitive γ ξ)
    (hf : Faithful γ ξ) : Free γ ξ := by
  sorry

end Stabilizers

section Maps

theorem equivariant_id : Equivariant γ (fun x : ξ => x) := by
  intro g x
  rfl

theorem equivariant_orbit (f : ξ → υ) (hf : Equivariant γ f) (x y : ξ)
    (h : SameOrbit γ x y) : SameOrbit γ (f x) (f y) := by
  obtain ⟨g, hg⟩ := h
  refine ⟨g, ?_⟩
  rw [← hf, hg]

theorem equivariant_stabilizer (f : ξ → υ) (hf : Equivariant γ f) (x : ξ) (g : γ)
    (h : stabilizer γ x g) : stabilizer γ (f x) g := by
  unfold stabilizer at *
  rw [← hf, h]

theorem equivariant_fixed (f : ξ → υ) (hf : Equivariant γ f) (hi : ∀ x y, f x = f y → x = y)
    (x : ξ) : fixed γ (f x) ↔ fixed γ x := by
  sorry

theorem equivariant_ext (f f' : ξ → υ) (hf : Equivariant γ f) (hf' : Equivariant γ f')
    (ht : Transitive γ ξ) (x : ξ) (h : f x = f' x) (y : ξ) : f y = f' y := by
  obtain ⟨g, hg⟩ := ht x y
  rw [← hg, hf, hf', h]

theorem equivariant_inverse (f : ξ → υ) (k : υ → ξ) (hf : Equivariant γ f)
    (h1 : ∀ x, k (f x) = x) (h2 : ∀ y, f (k y) = y) : Equivariant γ k := by
  intro g y
  rw [← h1 (g • k y), hf, h2]

theorem preimage_invariant (f : ξ → υ) (hf : Equivariant γ f) (P : υ → Prop)
    (hP : Invariant γ P) : Invariant γ (fun x => P (f x)) := by
  intro g x hx
  show P (f (g • x))
  rw [hf]
  exact hP g _ hx

theorem image_transitive (f : ξ → υ) (hf : Equivariant γ f) (hs : ∀ y, ∃ x, f x = y)
    (h : Transitive γ ξ) : Transitive γ υ := by
  sorry

end Maps

section Constructions

instance prodAction : Action γ (ξ × υ) where
  act g p := (g • p.1, g • p.2)
  one_act p := by rw [one_act, one_act]
  mul_act g h p := by rw [mul_act, mul_act]

/-- A group moves functions by moving what they are applied to. -/
instance functionAction {δ : Type} : Action γ (ξ → δ) where
  act g f := fun x => f (gⁱ • x)
  one_act f := by
    funext x
    rw [inv_one, one_act]
  mul_act g h f := by
    funext x
    rw [inv_of_mul, mul_act]

theorem prod_act (g : γ) (p : ξ × υ) : g • p = (g • p.1, g • p.2) := by
  rfl

theorem prod_stabilizer_iff (g : γ) (p : ξ × υ) :
    stabilizer γ p g ↔ stabilizer γ p.1 g ∧ stabilizer γ p.2 g := by
  unfold stabilizer
  rw [prod_act]
  constructor
  · intro h
    exact ⟨congrArg Prod.fst h, congrArg Prod.snd h⟩
  · rintro ⟨h1, h2⟩
    rw [h1, h2]

theorem function_act {δ : Type} (g : γ) (f : ξ → δ) (x : ξ) : (g • f) x = f (gⁱ • x) := by
  rfl

/-- Functions that the action does not move are constant on orbits. -/
theorem function_fixed_iff {δ : Type} (f : ξ → δ) :
    fixed γ f ↔ ∀ x y, SameOrbit γ x y → f x = f y := by
  constructor
  · rintro h x y ⟨g, hg⟩
    have h1 := congrFun (h g) y
    rw [function_act, ← hg, inv_act_act] at h1
    rw [← hg]
    exact h1
  · intro h g
    funext x
    rw [function_act]
    exact h _ _ (sameOrbit_symm x _ ⟨gⁱ, rfl⟩)

theorem function_fixed_transitive {δ : Type} (f : ξ → δ) (ht : Transitive γ ξ)
    (h : fixed γ f) (x y : ξ) : f x = f y := by
  rw [function_fixed_iff] at h
  exact h x y (ht x y)

theorem function_act_comp {δ κ : Type} (g : γ) (f : ξ → δ) (k : δ → κ) :
    g • (fun x => k (f x)) = fun x => k ((g • f) x) := by
  funext x
  rw [function_act, function_act]

end Constructions

section OnItself

/-- A group acts on itself by multiplication on the left. -/
@[reducible] def leftAction (γ : Type) [Group γ] : Action γ γ where
  act g x := g ∘' x
  one_act := one_mul
  mul_act g h x := assoc g h x

/-- A group acts on itself by conjugation. -/
@[reducible] def conjAction (γ : Type) [Group γ] : Action γ γ where
  act := conj
  one_act := conj_one
  mul_act g h x := (conj_conj g h x).symm

theorem left_transitive : @Transitive γ γ _ (leftAction γ) := by
  intro x y
  refine ⟨y ∘' xⁱ, ?_⟩
  exact inv_mul_cancel_right y x

theorem left_free : @Free γ γ _ (leftAction γ) := by
  intro g x h
  exact one_unique g x h

theorem conj_stabilizer (x g : γ) : @stabilizer γ γ _ (conjAction γ) x g ↔ Commutes g x := by
  exact conj_eq_self_iff g x

theorem conj_fixed (x : γ) : @fixed γ γ _ (conjAction γ) x ↔ Subgroup.center x := by
  sorry

theorem conj_invariant_normal (N : γ → Prop) (hN : IsSubgroup N) :
    @Invariant γ γ _ (conjAction γ) N ↔ IsNormal N := by
  constructor
  · intro h
    exact ⟨hN, fun g a ha => h g a ha⟩
  · intro h g x hx
    exact h.conj_mem g x hx

end OnItself

end Action

end Algebra
