/-
The same inside a whole configuration.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by simp (config := { maxSteps := dbgTrace "a program of the proof" fun _ => 100000 }) [h]
-- end of proof
