import MiniMathlib.Order.Basic

namespace MiniMathlib
open Order

lemma max_comm' (a b : Nat) : a ⊔⊔ b = b ⊔⊔ a := by
  omega

lemma max_assoc' (a b c : Nat) : a ⊔⊔ b ⊔⊔ c = a ⊔⊔ (b ⊔⊔ c) := by
  omega

lemma between_max {a b c : Nat} (h : a ⋖⋖ b ⋖⋖ c) : a ⊔⊔ b = b := by
  have := h.1
  omega
end MiniMathlib
