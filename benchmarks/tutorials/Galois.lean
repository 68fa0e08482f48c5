/-! # Lattices, Galois connections and the Knaster-Tarski theorem -/

class Poset (α : Type u) extends LE α where
  refl : ∀ a : α, a ≤ a
  trans : ∀ {a b c : α}, a ≤ b → b ≤ c → a ≤ c
  antisymm : ∀ {a b : α}, a ≤ b → b ≤ a → a = b

class Lattice (α : Type u) extends Poset α where
  meet : α → α → α
  join : α → α → α
  le_meet_iff : ∀ {a b c : α}, c ≤ meet a b ↔ c ≤ a ∧ c ≤ b
  join_le_iff : ∀ {a b c : α}, join a b ≤ c ↔ a ≤ c ∧ b ≤ c

/-- Every set (here: predicate) has a greatest lower bound. -/
class CompleteLattice (α : Type u) extends Poset α where
  inf : (α → Prop) → α
  inf_le : ∀ {S : α → Prop} {a : α}, S a → inf S ≤ a
  le_inf : ∀ {S : α → Prop} {b : α}, (∀ a, S a → b ≤ a) → b ≤ inf S

infixl:70 " ⊓ " => Lattice.meet
infixl:65 " ⊔ " => Lattice.join

def Monotone [Poset α] [Poset β] (f : α → β) : Prop :=
  ∀ ⦃a b⦄, a ≤ b → f a ≤ f b

/-- Predicates, ordered by implication, are a complete lattice. -/
instance {α : Type u} : CompleteLattice (α → Prop) where
  le P Q := ∀ x, P x → Q x
  refl _ _ h := h
  trans hab hbc x h := hbc x (hab x h)
  antisymm hab hba := funext fun x => propext ⟨hab x, hba x⟩
  inf S x := ∀ P, S P → P x
  inf_le h _ hx := hx _ h
  le_inf h x hb P hP := h P hP x hb

namespace Lattice

open Poset

variable {α : Type u} [Lattice α]

theorem meet_le_left (a b : α) : a ⊓ b ≤ a := (le_meet_iff.mp (refl _)).1

theorem meet_le_right (a b : α) : a ⊓ b ≤ b := (le_meet_iff.mp (refl _)).2

theorem le_join_left (a b : α) : a ≤ a ⊔ b := (join_le_iff.mp (refl _)).1

theorem le_join_right (a b : α) : b ≤ a ⊔ b := (join_le_iff.mp (refl _)).2

theorem meet_comm (a b : α) : a ⊓ b = b ⊓ a := by
  apply antisymm
  · exact le_meet_iff.mpr ⟨meet_le_right a b, meet_le_left a b⟩
  · exact le_meet_iff.mpr ⟨meet_le_right b a, meet_le_left b a⟩

theorem le_iff_meet_eq {a b : α} : a ≤ b ↔ a ⊓ b = a := by
  constructor
  · intro h
    exact antisymm (meet_le_left a b) (le_meet_iff.mpr ⟨refl a, h⟩)
  · intro h
    rw [← h]
    exact meet_le_right a b

/-- One half of the distributive law holds in every lattice. -/
theorem distrib_le (a b c : α) : (a ⊓ b) ⊔ (a ⊓ c) ≤ a ⊓ (b ⊔ c) := by
  rw [join_le_iff, le_meet_iff, le_meet_iff]
  exact ⟨⟨meet_le_left a b, trans (meet_le_right a b) (le_join_left b c)⟩,
    ⟨meet_le_left a c, trans (meet_le_right a c) (le_join_right b c)⟩⟩

theorem monotone_join {β : Type v} [Lattice β] {f : α → β} (hf : Monotone f) (a b : α) :
    f a ⊔ f b ≤ f (a ⊔ b) :=
  join_le_iff.mpr ⟨hf (le_join_left a b), hf (le_join_right a b)⟩

end Lattice

/-- `l` is the lower adjoint of `u`. -/
structure Galois [Poset α] [Poset β] (l : α → β) (u : β → α) : Prop where
  gc : ∀ a b, l a ≤ b ↔ a ≤ u b

namespace Galois

open Poset

variable {α : Type u} {β : Type v} {l : α → β} {u : β → α}

theorem le_u_l [Poset α] [Poset β] (g : Galois l u) (a : α) : a ≤ u (l a) :=
  (g.gc a (l a)).mp (refl _)

theorem monotone_l [Poset α] [Poset β] (g : Galois l u) : Monotone l := by
  intro a b h
  rw [g.gc]
  exact trans h (g.le_u_l b)

theorem monotone_u [Poset α] [Poset β] (g : Galois l u) : Monotone u := by
  intro a b h
  rw [← g.gc]
  exact trans ((g.gc (u a) a).mpr (refl _)) h

theorem l_u_l [Poset α] [Poset β] (g : Galois l u) (a : α) : l (u (l a)) = l a := by
  apply antisymm
  · exact (g.gc _ _).mpr (refl _)
  · exact g.monotone_l (g.le_u_l a)

/-- An upper adjoint determines the lower one. -/
theorem unique [Poset α] [Poset β] {l' : α → β} (g : Galois l u) (g' : Galois l' u) :
    l = l' := by
  funext a
  apply antisymm
  · exact (g.gc _ _).mpr (g'.le_u_l a)
  · exact (g'.gc _ _).mpr (g.le_u_l a)

theorem l_join [Lattice α] [Lattice β] (g : Galois l u) (a b : α) :
    l (a ⊔ b) = l a ⊔ l b := by
  apply antisymm
  · rw [g.gc, Lattice.join_le_iff, ← g.gc, ← g.gc]
    exact ⟨Lattice.le_join_left _ _, Lattice.le_join_right _ _⟩
  · exact Lattice.monotone_join g.monotone_l a b

end Galois

/-- Image and preimage along `f` form a Galois connection. -/
theorem galois_image {α : Type u} {β : Type v} (f : α → β) :
    Galois (fun (P : α → Prop) (y : β) => ∃ x, P x ∧ f x = y) (fun Q x => Q (f x)) := by
  constructor
  intro P Q
  constructor
  · intro h x hx
    exact h (f x) ⟨x, hx, rfl⟩
  · rintro h y ⟨x, hx, rfl⟩
    exact h x hx

namespace CompleteLattice

open Poset

variable {α : Type u} [CompleteLattice α]

/-- The least fixed point. -/
def lfp (f : α → α) : α := inf (fun a => f a ≤ a)

/-- Knaster and Tarski. -/
theorem lfp_fixed {f : α → α} (hf : Monotone f) : f (lfp f) = lfp f := by
  have below : f (lfp f) ≤ lfp f := le_inf fun a ha => trans (hf (inf_le ha)) ha
  exact antisymm below (inf_le (hf below))

theorem lfp_least {f : α → α} {a : α} (h : f a = a) : lfp f ≤ a := by
  have : f a ≤ a := by rw [h]; exact refl a
  exact inf_le this

/-- The rolling rule: fixed points of `f ∘ g` and of `g ∘ f`. -/
theorem lfp_rolling {f g : α → α} (hf : Monotone f) (hg : Monotone g) :
    f (lfp (g ∘ f)) = lfp (f ∘ g) := by
  have hgf : g (f (lfp (g ∘ f))) = lfp (g ∘ f) := lfp_fixed fun _ _ h => hg (hf h)
  have hfg : f (g (lfp (f ∘ g))) = lfp (f ∘ g) := lfp_fixed fun _ _ h => hf (hg h)
  apply antisymm
  · have : lfp (g ∘ f) ≤ g (lfp (f ∘ g)) := lfp_least (congrArg g hfg)
    exact hfg ▸ hf this
  · exact lfp_least (congrArg f hgf)

end CompleteLattice
