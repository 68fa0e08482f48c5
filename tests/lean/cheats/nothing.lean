/-
No text.

verdict: error
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:

-- end of proof
