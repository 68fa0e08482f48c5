/-
A term that reads a file of the machine.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by
  have _s := include_str "/etc/passwd"
  exact ⟨h, h⟩
-- end of proof
