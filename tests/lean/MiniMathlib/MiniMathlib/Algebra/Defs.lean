import MiniMathlib.Tactic.Basic
import MiniMathlib.Logic.Function

universe u
namespace MiniMathlib
/-- An associative addition. -/
class AddSemi (α : Type u) extends Add α where
  add_assoc' : ∀ a b c : α, a + b + c = a + (b + c)

/-- An associative multiplication. -/
class Semi (α : Type u) extends Mul α where
  mul_assoc' : ∀ a b c : α, a * b * c = a * (b * c)

attribute [additive_word HAdd.hAdd] HMul.hMul
attribute [additive_word instHAdd] instHMul
attribute [additive_word AddSemi] Semi
attribute [additive_word AddSemi.toAdd] Semi.toMul
attribute [additive_word AddSemi.add_assoc'] Semi.mul_assoc'
end MiniMathlib
