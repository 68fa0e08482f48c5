/-
The proof ends the namespace and opens another.

verdict: forbidden
-/
namespace Judge
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact ⟨h, h⟩
end Judge
namespace Other
-- end of proof

end Judge
