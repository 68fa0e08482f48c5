/-!
# A first course in categories

Categories, isomorphisms, functors, natural transformations and binary products,
from scratch.  Composition is written in diagrammatic order: `f ≫ g` is first `f`, then `g`.
-/

class Category (C : Type u) where
  Hom : C → C → Type v
  id : (X : C) → Hom X X
  comp : {X Y Z : C} → Hom X Y → Hom Y Z → Hom X Z
  id_comp : ∀ {X Y : C} (f : Hom X Y), comp (id X) f = f
  comp_id : ∀ {X Y : C} (f : Hom X Y), comp f (id Y) = f
  assoc : ∀ {W X Y Z : C} (f : Hom W X) (g : Hom X Y) (h : Hom Y Z),
    comp (comp f g) h = comp f (comp g h)

namespace Category

infixr:10 " ⟶ " => Category.Hom
infixr:80 " ≫ " => Category.comp
notation "𝟙" => Category.id

attribute [simp] id_comp comp_id assoc

section Arrows

variable {C : Type u} [Category.{u, v} C] {X Y Z : C}

def Mono (f : X ⟶ Y) : Prop := ∀ {W : C} (g h : W ⟶ X), g ≫ f = h ≫ f → g = h

def Epi (f : X ⟶ Y) : Prop := ∀ {Z : C} (g h : Y ⟶ Z), f ≫ g = f ≫ h → g = h

/-- `g` is a two-sided inverse of `f`. -/
structure Inverse (f : X ⟶ Y) (g : Y ⟶ X) : Prop where
  hom_inv : f ≫ g = 𝟙 X
  inv_hom : g ≫ f = 𝟙 Y

def IsIso (f : X ⟶ Y) : Prop := ∃ g, Inverse f g

def Terminal (T : C) : Prop := ∀ X : C, ∃ f : X ⟶ T, ∀ g : X ⟶ T, g = f

theorem id_unique (e : X ⟶ X) (h : ∀ {Y : C} (f : X ⟶ Y), e ≫ f = f) : e = 𝟙 X := by
  rw [← comp_id e, h]

theorem inverse_unique {f : X ⟶ Y} {g g' : Y ⟶ X} (h : Inverse f g) (h' : Inverse f g') :
    g = g' := by
  rw [← comp_id g, ← h'.hom_inv, ← assoc, h.inv_hom, id_comp]

theorem inverse_comp {f : X ⟶ Y} {f' : Y ⟶ X} {g : Y ⟶ Z} {g' : Z ⟶ Y}
    (hf : Inverse f f') (hg : Inverse g g') : Inverse (f ≫ g) (g' ≫ f') where
  hom_inv := by rw [assoc, ← assoc g, hg.hom_inv, id_comp, hf.hom_inv]
  inv_hom := by rw [assoc, ← assoc f', hf.inv_hom, id_comp, hg.inv_hom]

theorem isIso_of_sections {f : X ⟶ Y} {l r : Y ⟶ X} (hl : l ≫ f = 𝟙 Y) (hr : f ≫ r = 𝟙 X) :
    IsIso f := by
  have hlr : l = r := by rw [← comp_id l, ← hr, ← assoc, hl, id_comp]
  exact ⟨l, hlr ▸ hr, hl⟩

theorem mono_comp {f : X ⟶ Y} {g : Y ⟶ Z} (hf : Mono f) (hg : Mono g) : Mono (f ≫ g) := by
  intro W h k e
  apply hf
  apply hg
  simpa using e

theorem mono_of_comp {f : X ⟶ Y} {g : Y ⟶ Z} (h : Mono (f ≫ g)) : Mono f := by
  intro W a b e
  apply h
  rw [← assoc, e, assoc]

theorem IsIso.mono {f : X ⟶ Y} : IsIso f → Mono f := by
  rintro ⟨g, hg⟩ W a b e
  rw [← comp_id a, ← comp_id b, ← hg.hom_inv, ← assoc, ← assoc, e]

theorem isIso_of_mono_of_retraction {f : X ⟶ Y} (hm : Mono f) {s : Y ⟶ X} (hs : s ≫ f = 𝟙 Y) :
    IsIso f := by
  refine ⟨s, hm _ _ ?_, hs⟩
  rw [assoc, hs, comp_id, id_comp]

theorem terminal_unique {S T : C} (hS : Terminal S) (hT : Terminal T) :
    ∃ f : S ⟶ T, IsIso f := by
  obtain ⟨f, _⟩ := hT S
  obtain ⟨g, _⟩ := hS T
  obtain ⟨_, hs⟩ := hS S
  obtain ⟨_, ht⟩ := hT T
  exact ⟨f, g, (hs _).trans (hs _).symm, (ht _).trans (ht _).symm⟩

/-! ### Products -/

/-- The cone `(P, p, q)` is a product of `X` and `Y`. -/
structure IsProduct {P : C} (p : P ⟶ X) (q : P ⟶ Y) where
  lift : {W : C} → (W ⟶ X) → (W ⟶ Y) → (W ⟶ P)
  lift_fst : ∀ {W : C} (f : W ⟶ X) (g : W ⟶ Y), lift f g ≫ p = f
  lift_snd : ∀ {W : C} (f : W ⟶ X) (g : W ⟶ Y), lift f g ≫ q = g
  ext : ∀ {W : C} {h k : W ⟶ P}, h ≫ p = k ≫ p → h ≫ q = k ≫ q → h = k

variable {P P' : C} {p : P ⟶ X} {q : P ⟶ Y} {p' : P' ⟶ X} {q' : P' ⟶ Y}

theorem lift_self (hP : IsProduct p q) : hP.lift p q = 𝟙 P := by
  apply hP.ext
  · rw [hP.lift_fst, id_comp]
  · rw [hP.lift_snd, id_comp]

theorem comp_lift (hP : IsProduct p q) {V W : C} (h : V ⟶ W) (f : W ⟶ X) (g : W ⟶ Y) :
    h ≫ hP.lift f g = hP.lift (h ≫ f) (h ≫ g) := by
  apply hP.ext
  · rw [assoc, hP.lift_fst, hP.lift_fst]
  · rw [assoc, hP.lift_snd, hP.lift_snd]

/-- Products are unique, up to an isomorphism. -/
theorem product_unique (hP : IsProduct p q) (hP' : IsProduct p' q') :
    Inverse (hP'.lift p q) (hP.lift p' q') where
  hom_inv := by rw [comp_lift, hP'.lift_fst, hP'.lift_snd, lift_self]
  inv_hom := by rw [comp_lift, hP.lift_fst, hP.lift_snd, lift_self]

theorem mono_fst_of_terminal (hP : IsProduct p q) (hY : Terminal Y) : Mono p := by
  intro W g h e
  obtain ⟨t, ht⟩ := hY W
  exact hP.ext e ((ht _).trans (ht _).symm)

end Arrows

/-! ### Functors and natural transformations -/

structure Functor (C : Type u) (D : Type u') [Category.{u, v} C] [Category.{u', v'} D] where
  obj : C → D
  map : {X Y : C} → (X ⟶ Y) → (obj X ⟶ obj Y)
  map_id : ∀ X : C, map (𝟙 X) = 𝟙 (obj X)
  map_comp : ∀ {X Y Z : C} (f : X ⟶ Y) (g : Y ⟶ Z), map (f ≫ g) = map f ≫ map g

variable {B : Type u₀} {C : Type u₁} {D : Type u₂} {E : Type u₃}
variable [Category.{u₀, v₀} B] [Category.{u₁, v₁} C] [Category.{u₂, v₂} D] [Category.{u₃, v₃} E]

namespace Functor

def ident (C : Type u) [Category.{u, v} C] : Functor C C :=
  ⟨fun X => X, fun f => f, fun _ => rfl, fun _ _ => rfl⟩

def comp (F : Functor C D) (G : Functor D E) : Functor C E where
  obj X := G.obj (F.obj X)
  map f := G.map (F.map f)
  map_id X := by rw [F.map_id, G.map_id]
  map_comp f g := by rw [F.map_comp, G.map_comp]

theorem comp_assoc (F : Functor B C) (G : Functor C D) (H : Functor D E) :
    comp (comp F G) H = comp F (comp G H) := rfl

theorem map_isIso (F : Functor C D) {X Y : C} {f : X ⟶ Y} : IsIso f → IsIso (F.map f)
  | ⟨g, hg⟩ => ⟨F.map g, by rw [← F.map_comp, hg.hom_inv, F.map_id],
      by rw [← F.map_comp, hg.inv_hom, F.map_id]⟩

theorem mono_of_faithful (F : Functor C D)
    (hF : ∀ {X Y : C} (f g : X ⟶ Y), F.map f = F.map g → f = g) {X Y : C} {f : X ⟶ Y}
    (h : Mono (F.map f)) : Mono f := by
  intro W a b e
  apply hF
  apply h
  rw [← F.map_comp, e, F.map_comp]

end Functor

/-- The naturality of a family of arrows. -/
def Natural (F G : Functor C D) (η : (X : C) → (F.obj X ⟶ G.obj X)) : Prop :=
  ∀ {X Y : C} (f : X ⟶ Y), F.map f ≫ η Y = η X ≫ G.map f

theorem natural_comp {F G H : Functor C D} {η : (X : C) → (F.obj X ⟶ G.obj X)}
    {θ : (X : C) → (G.obj X ⟶ H.obj X)} (hη : Natural F G η) (hθ : Natural G H θ) :
    Natural F H (fun X => η X ≫ θ X) := by
  intro X Y f
  rw [← assoc, hη, assoc, hθ, assoc]

theorem natural_inverse {F G : Functor C D} {η : (X : C) → (F.obj X ⟶ G.obj X)}
    {θ : (X : C) → (G.obj X ⟶ F.obj X)} (hη : Natural F G η)
    (h : ∀ X, Inverse (η X) (θ X)) : Natural G F θ := by
  intro X Y f
  apply (show IsIso (η Y) from ⟨θ Y, h Y⟩).mono
  rw [assoc, (h Y).inv_hom, comp_id, assoc, hη, ← assoc, (h X).inv_hom, id_comp]

end Category
