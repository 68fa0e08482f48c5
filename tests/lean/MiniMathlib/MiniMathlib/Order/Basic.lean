import MiniMathlib.Order.Notation

namespace MiniMathlib
open scoped Order
variable {a b c d : Nat}

lemma between_self (a : Nat) : a ⋖⋖ a ⋖⋖ a := ⟨Nat.le_refl a, Nat.le_refl a⟩

lemma Between.widen (h : a ⋖⋖ b ⋖⋖ c) (hd : c ≤ d) : a ⋖⋖ b ⋖⋖ d := by
  obtain ⟨h₁, h₂⟩ := h
  exact ⟨h₁, Nat.le_trans h₂ hd⟩

theorem max_self' (a : Nat) : a ⊔⊔ a = a := by
  simp
end MiniMathlib
