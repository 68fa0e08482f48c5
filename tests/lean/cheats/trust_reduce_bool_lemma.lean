/-
A lemma of the file rests on the compiler; the proof rests on the lemma.

verdict: axiom
-/
theorem small : 10 < 20 := by native_decide

theorem target : 10 < 20 := -- proof:
small
-- end of proof
