import MiniMathlib.Logic.Basic

universe u v w
namespace MiniMathlib
variable {α : Sort u} {β : Sort v} {γ : Sort w}

/-- Different values from different arguments. -/
def Injective (f : α → β) : Prop := ∀ ⦃a b⦄, f a = f b → a = b

lemma Injective.comp {g : β → γ} {f : α → β} (hg : Injective g) (hf : Injective f) : Injective (fun a => g (f a)) := by
  intro a b h
  exact hf (hg h)

lemma injective_id : Injective (fun a : α => a) := fun _ _ h => h

theorem const_of_subsingleton.{x} {ι : Sort x} [Subsingleton ι] (f : ι → α) (i j : ι) : f i = f j := by
  rw [Subsingleton.elim i j]
end MiniMathlib
