import MiniMathlib.Algebra.Defs

universe u
namespace MiniMathlib
variable {α : Type u} [Semi α]

@[additive MiniMathlib.add_add_add]
theorem mul_mul_mul (a b c d : α) : a * b * c * d = a * (b * (c * d)) := by
  rw [Semi.mul_assoc', Semi.mul_assoc']

@[additive MiniMathlib.add_turn]
lemma mul_turn (a b c : α) : a * (b * c) = a * b * c := by
  rw [Semi.mul_assoc']
end MiniMathlib
