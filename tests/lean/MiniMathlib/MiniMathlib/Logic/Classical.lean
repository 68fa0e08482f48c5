import MiniMathlib.Logic.Basic

namespace MiniMathlib
open scoped Classical in
lemma by_cases_value (p : Prop) : (if p then 1 else 1) = 1 := by
  split <;> rfl

section
open Classical
theorem not_not_iff (p : Prop) : ¬¬p ↔ p := by
  constructor
  · intro h
    exact byContradiction h
  · intro h k
    exact k h
end

noncomputable section
/-- A choice. -/
def pick {α : Sort _} [Nonempty α] : α := Classical.choice inferInstance
lemma pick_eq (a b : Unit) : (pick : Unit) = a := by
  cases a
  rfl
end
end MiniMathlib
