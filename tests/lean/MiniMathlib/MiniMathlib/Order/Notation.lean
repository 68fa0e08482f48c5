import MiniMathlib.Logic.Basic

namespace MiniMathlib
/-- Both bounds. -/
def Between (a b c : Nat) : Prop := a ≤ b ∧ b ≤ c
namespace Order
scoped notation:50 a " ⋖⋖ " b:51 " ⋖⋖ " c:51 => Between a b c
scoped infixl:65 " ⊔⊔ " => max
end Order
end MiniMathlib
