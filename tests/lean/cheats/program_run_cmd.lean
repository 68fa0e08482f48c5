/-
A command that is a program follows the proof.

verdict: forbidden
-/
import Lean

theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by exact ⟨h, h⟩
run_cmd pure ()
-- end of proof
