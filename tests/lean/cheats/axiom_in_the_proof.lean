/-
The proof ends, and an axiom follows.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact ⟨h, h⟩

axiom cheat : False
-- end of proof
