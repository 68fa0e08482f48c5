import MiniMathlib.Logic.Function
import MiniMathlib.Logic.Classical

universe u
namespace MiniMathlib
/-- A set of elements. -/
def Set' (α : Type u) := α → Prop
namespace Set'
variable {α : Type u} {s t r : Set' α}
instance : Membership α (Set' α) := ⟨fun s a => s a⟩
/-- Every element of one is an element of the other. -/
protected def Subset (s t : Set' α) : Prop := ∀ ⦃a⦄, a ∈ s → a ∈ t
instance : HasSubset (Set' α) := ⟨Set'.Subset⟩

@[refl] lemma subset_refl (s : Set' α) : s ⊆ s := fun _ h => h
lemma subset_trans (h : s ⊆ t) (k : t ⊆ r) : s ⊆ r := by
  intro a ha
  exact k (h ha)

@[ext] lemma ext (h : ∀ a, a ∈ s ↔ a ∈ t) : s = t := by
  funext a
  exact propext (h a)

lemma subset_antisymm (h : s ⊆ t) (k : t ⊆ s) : s = t := by
  ext a
  exact ⟨fun ha => h ha, fun ha => k ha⟩
end Set'
end MiniMathlib
