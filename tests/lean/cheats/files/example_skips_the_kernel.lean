/-
An example that the kernel is not asked about.

example: kernel
asks: -
-/
theorem a : True := trivial
set_option debug.skipKernelTC true in example : 1 = 2 := by decide +kernel
