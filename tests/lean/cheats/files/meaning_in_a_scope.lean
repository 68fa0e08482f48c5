/-
Macro rules of a namespace, which is open for one theorem alone.

told: takes the place of what Lean makes of a part of this statement
-/
theorem a : True := trivial
namespace Evil
scoped macro_rules | `($x = $_y) => `(@Eq _ $x $x)
end Evil
open Evil in
theorem target : 1 = 2 := rfl
