import MiniMathlib.Tactic.Basic
import MiniBatteries.Logic

namespace MiniMathlib
variable {p q r : Prop}

lemma imp_trans (f : p → q) (g : q → r) : p → r := fun h => g (f h)

@[simp] lemma and_self_left : p ∧ p ∧ q ↔ p ∧ q :=
  ⟨fun ⟨h, _, k⟩ => ⟨h, k⟩, fun ⟨h, k⟩ => ⟨h, h, k⟩⟩

/-- Written with tactics, over cases. -/
protected lemma or_swap (h : p ∨ q) : q ∨ p := by
  cases h with
  | inl h => exact Or.inr h
  | inr h => exact Or.inl h

alias or_symm := MiniMathlib.or_swap
alias or_turn := or_symm

lemma flip_twice (h : p ∨ q) : p ∨ q := by
  apply or_symm
  exact or_symm h

private lemma of_hidden (h : p) : p ∨ q := Or.inl h
theorem of_hidden_again (h : p) : p ∨ q := of_hidden h
end MiniMathlib
