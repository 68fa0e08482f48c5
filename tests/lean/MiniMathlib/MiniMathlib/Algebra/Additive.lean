import MiniMathlib.Algebra.Semi

universe u
namespace MiniMathlib
lemma add_five {α : Type u} [AddSemi α] (a b c d e : α) : a + b + c + d + e = a + (b + (c + (d + e))) := by
  rw [add_add_add, AddSemi.add_assoc']

instance : AddSemi Nat := ⟨Nat.add_assoc⟩
end MiniMathlib
