/-!
# A first look at point-set topology

Subsets are predicates, with the usual notations given by instances.  We define
interior and closure, continuity, and limits of sequences.
-/

universe u v

/-- A region of the space `X` is a predicate on its points. -/
def Region (X : Type u) := X → Prop

namespace Region
variable {X : Type u} {Y : Type v}

instance : Membership X (Region X) := ⟨fun A x => A x⟩
instance : HasSubset (Region X) := ⟨fun A B => ∀ x, x ∈ A → x ∈ B⟩
instance : Inter (Region X) := ⟨fun A B x => x ∈ A ∧ x ∈ B⟩
instance : Union (Region X) := ⟨fun A B x => x ∈ A ∨ x ∈ B⟩

def full : Region X := fun _ => True
def empty : Region X := fun _ => False
def compl (A : Region X) : Region X := fun x => ¬ x ∈ A
def preimage (f : X → Y) (B : Region Y) : Region X := fun x => f x ∈ B
def image (f : X → Y) (A : Region X) : Region Y := fun y => ∃ x, x ∈ A ∧ f x = y
def sUnion (F : Region X → Prop) : Region X := fun x => ∃ U, F U ∧ x ∈ U

theorem ext {A B : Region X} (h : ∀ x, x ∈ A ↔ x ∈ B) : A = B :=
  funext fun x => propext (h x)

theorem subset_antisymm {A B : Region X} (h₁ : A ⊆ B) (h₂ : B ⊆ A) : A = B :=
  ext fun x => ⟨h₁ x, h₂ x⟩

end Region

open Region

class Topology (X : Type u) where
  IsOpen : Region X → Prop
  open_full : IsOpen full
  open_inter : ∀ {U V}, IsOpen U → IsOpen V → IsOpen (U ∩ V)
  open_sUnion : ∀ {F : Region X → Prop}, (∀ U, F U → IsOpen U) → IsOpen (sUnion F)

namespace Topology
variable {X : Type u} {Y : Type v} [Topology X] [Topology Y]

def interior (A : Region X) : Region X := sUnion fun U => IsOpen U ∧ U ⊆ A

/-- `x` is in the closure of `A` when every open set around `x` meets `A`. -/
def closure (A : Region X) : Region X :=
  fun x => ∀ U, IsOpen U → x ∈ U → ∃ y, y ∈ U ∧ y ∈ A

def IsClosed (A : Region X) : Prop := IsOpen (compl A)

def Continuous (f : X → Y) : Prop := ∀ V : Region Y, IsOpen V → IsOpen (preimage f V)

/-- The sequence `s` converges to `x`. -/
def Limit (s : Nat → X) (x : X) : Prop :=
  ∀ U, IsOpen U → x ∈ U → ∃ N, ∀ n, N ≤ n → s n ∈ U

def Hausdorff (X : Type u) [Topology X] : Prop :=
  ∀ x y : X, x ≠ y → ∃ U V : Region X,
    IsOpen U ∧ IsOpen V ∧ x ∈ U ∧ y ∈ V ∧ ∀ z, z ∈ U → z ∈ V → False

/-! ## Open sets and the interior -/

theorem open_empty : IsOpen (empty : Region X) := by
  have h : sUnion (fun _ : Region X => False) = empty :=
    Region.ext fun x => ⟨fun ⟨_, h, _⟩ => h, fun h => h.elim⟩
  rw [← h]
  exact open_sUnion fun U hU => hU.elim

theorem open_interior (A : Region X) : IsOpen (interior A) :=
  open_sUnion fun _ hU => hU.1

theorem interior_subset (A : Region X) : interior A ⊆ A :=
  fun x ⟨_, ⟨_, hUA⟩, hx⟩ => hUA x hx

theorem interior_of_open {A : Region X} (h : IsOpen A) : interior A = A :=
  subset_antisymm (interior_subset A) fun _ hx => ⟨A, ⟨h, fun _ hy => hy⟩, hx⟩

theorem interior_inter (A B : Region X) :
    interior (A ∩ B) = interior A ∩ interior B := by
  refine Region.ext fun x => ⟨?_, ?_⟩
  · rintro ⟨U, ⟨hU, hUAB⟩, hx⟩
    exact ⟨⟨U, ⟨hU, fun y hy => (hUAB y hy).1⟩, hx⟩,
      ⟨U, ⟨hU, fun y hy => (hUAB y hy).2⟩, hx⟩⟩
  · rintro ⟨⟨U, ⟨hU, hUA⟩, hxU⟩, ⟨V, ⟨hV, hVB⟩, hxV⟩⟩
    exact ⟨U ∩ V, ⟨open_inter hU hV, fun y hy => ⟨hUA y hy.1, hVB y hy.2⟩⟩, hxU, hxV⟩

/-- A region is open iff it is a neighbourhood of each of its points. -/
theorem open_iff_nhds (A : Region X) :
    IsOpen A ↔ ∀ x, x ∈ A → ∃ U, IsOpen U ∧ U ⊆ A ∧ x ∈ U := by
  constructor
  · exact fun h x hx => ⟨A, h, fun _ hy => hy, hx⟩
  · intro h
    have e : interior A = A := by
      apply subset_antisymm (interior_subset A)
      intro x hx
      obtain ⟨U, hU, hUA, hxU⟩ := h x hx
      exact ⟨U, ⟨hU, hUA⟩, hxU⟩
    exact e ▸ open_interior A

/-! ## The closure operator -/

theorem subset_closure (A : Region X) : A ⊆ closure A :=
  fun x hx _ _ hxU => ⟨x, hxU, hx⟩

theorem closure_mono {A B : Region X} (h : A ⊆ B) : closure A ⊆ closure B := by
  intro x hx U hU hxU
  obtain ⟨y, hyU, hyA⟩ := hx U hU hxU
  exact ⟨y, hyU, h y hyA⟩

theorem closure_idem (A : Region X) : closure (closure A) = closure A := by
  apply subset_antisymm
  · intro x hx U hU hxU
    obtain ⟨y, hyU, hyA⟩ := hx U hU hxU
    exact hyA U hU hyU
  · exact subset_closure _

theorem closure_union (A B : Region X) : closure (A ∪ B) = closure A ∪ closure B := by
  apply subset_antisymm
  · intro x hx
    apply Classical.byContradiction
    intro hn
    have hA : ¬ x ∈ closure A := fun h => hn (Or.inl h)
    have hB : ¬ x ∈ closure B := fun h => hn (Or.inr h)
    obtain ⟨U, hU⟩ := Classical.not_forall.mp hA
    obtain ⟨V, hV⟩ := Classical.not_forall.mp hB
    simp only [Classical.not_imp] at hU hV
    obtain ⟨oU, xU, nU⟩ := hU
    obtain ⟨oV, xV, nV⟩ := hV
    obtain ⟨y, ⟨yU, yV⟩, hy⟩ := hx (U ∩ V) (open_inter oU oV) ⟨xU, xV⟩
    cases hy with
    | inl h => exact nU ⟨y, yU, h⟩
    | inr h => exact nV ⟨y, yV, h⟩
  · intro x hx
    cases hx with
    | inl h => exact closure_mono (fun y hy => Or.inl hy) x h
    | inr h => exact closure_mono (fun y hy => Or.inr hy) x h

theorem compl_closure (A : Region X) : compl (closure A) = interior (compl A) := by
  apply subset_antisymm
  · intro x hx
    obtain ⟨U, hU⟩ := Classical.not_forall.mp hx
    simp only [Classical.not_imp] at hU
    obtain ⟨oU, xU, nU⟩ := hU
    exact ⟨U, ⟨oU, fun y hy hyA => nU ⟨y, hy, hyA⟩⟩, xU⟩
  · rintro x ⟨U, ⟨oU, hUA⟩, hxU⟩ hx
    obtain ⟨y, hyU, hyA⟩ := hx U oU hxU
    exact hUA y hyU hyA

theorem closed_iff_closure_eq (A : Region X) : IsClosed A ↔ closure A = A := by
  constructor
  · intro h
    apply subset_antisymm _ (subset_closure A)
    intro x hx
    apply Classical.byContradiction
    intro hn
    obtain ⟨y, hy, hyA⟩ := hx _ h hn
    exact hy hyA
  · intro h
    unfold IsClosed
    rw [← h, compl_closure]
    exact open_interior _

/-- A map is continuous iff it sends closures into closures. -/
theorem continuous_iff_closure (f : X → Y) :
    Continuous f ↔ ∀ A, image f (closure A) ⊆ closure (image f A) := by
  constructor
  · rintro hf A _ ⟨x, hx, rfl⟩ V hV hfx
    obtain ⟨y, hyV, hyA⟩ := hx _ (hf V hV) hfx
    exact ⟨f y, hyV, y, hyA, rfl⟩
  · intro h V hV
    rw [open_iff_nhds]
    intro x hx
    have hn : ¬ x ∈ closure (compl (preimage f V)) := by
      intro hc
      obtain ⟨_, hyV, z, hz, rfl⟩ := h _ _ ⟨x, hc, rfl⟩ V hV hx
      exact hz hyV
    have hi : x ∈ compl (closure (compl (preimage f V))) := hn
    rw [compl_closure] at hi
    obtain ⟨U, ⟨oU, hUV⟩, hxU⟩ := hi
    exact ⟨U, oU, fun y hy => Classical.not_not.mp (hUV y hy), hxU⟩

theorem Limit.map {f : X → Y} (hf : Continuous f) {s : Nat → X} {x : X}
    (h : Limit s x) : Limit (fun n => f (s n)) (f x) :=
  fun V hV hx => h (preimage f V) (hf V hV) hx

/-- In a Hausdorff space a sequence has at most one limit. -/
theorem Limit.unique (hX : Hausdorff X) {s : Nat → X} {x y : X}
    (hx : Limit s x) (hy : Limit s y) : x = y := by
  apply Classical.byContradiction
  intro hne
  obtain ⟨U, V, oU, oV, xU, yV, disj⟩ := hX x y hne
  obtain ⟨N, hN⟩ := hx U oU xU
  obtain ⟨M, hM⟩ := hy V oV yV
  exact disj (s (max N M)) (hN _ (by omega)) (hM _ (by omega))

end Topology
