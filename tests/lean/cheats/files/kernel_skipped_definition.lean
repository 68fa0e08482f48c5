/-
A definition of which the kernel was not asked.

wrong: kernel
target: kernel
-/
set_option debug.skipKernelTC true in
def wrong : 1 = 2 := by decide +kernel
theorem target : 1 = 2 := wrong
