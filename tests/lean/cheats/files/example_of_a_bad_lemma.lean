/-
An example rests on a lemma that the kernel has not seen.

wrong: kernel
example: kernel
asks: wrong
-/
theorem a : True := trivial
set_option debug.skipKernelTC true in
private theorem wrong : 1 = 2 := by decide +kernel
example : 1 = 2 := wrong
