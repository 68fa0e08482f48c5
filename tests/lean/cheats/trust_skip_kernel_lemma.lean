/-
A lemma that the kernel never saw, of which the proof makes use.

verdict: axiom
-/
set_option debug.skipKernelTC true in
theorem wrong : 1 = 2 := by decide +kernel

theorem target : False := -- proof:
by
  have := wrong
  omega
-- end of proof
