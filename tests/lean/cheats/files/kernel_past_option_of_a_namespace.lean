/-
The kernel is left out for a whole section.

target: kernel
example: kernel
-/
section
set_option debug.skipKernelTC true
theorem target : 1 = 2 := by decide +kernel
example : 1 = 3 := by decide +kernel
end
