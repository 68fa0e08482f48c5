/-
A lemma of which the kernel was not asked.

wrong: kernel
target: kernel
-/
set_option debug.skipKernelTC true
theorem wrong : 1 = 2 := by decide +kernel
set_option debug.skipKernelTC false
theorem target : 1 = 2 := wrong
