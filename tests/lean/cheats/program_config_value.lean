/-
The value of an option is a program, which Lean runs while the proof is elaborated.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by simp (maxSteps := dbgTrace "a program of the proof" fun _ => 100000) [h]
-- end of proof
