/-
The file skips the kernel, and `decide +kernel` leaves the deciding to it.

verdict: kernel
-/
set_option debug.skipKernelTC true

theorem target : False := -- proof:
by
  have wrong : 1 = 2 := by decide +kernel
  omega
-- end of proof
