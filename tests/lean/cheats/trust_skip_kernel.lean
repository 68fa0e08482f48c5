/-
The option that skips the kernel, inside the proof.

verdict: forbidden
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by set_option debug.skipKernelTC true in exact ⟨h, h⟩
-- end of proof
