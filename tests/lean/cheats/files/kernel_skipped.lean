/-
Lean is told not to ask the kernel.

target: kernel
-/
set_option debug.skipKernelTC true in
theorem target : 1 = 2 := by decide +kernel
