/-
An unsafe definition proves anything.

target: kernel
-/
theorem a : True := trivial
unsafe def target : False := target
