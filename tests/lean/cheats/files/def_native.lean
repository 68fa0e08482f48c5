/-
A definition is a proof by the compiler's word.

target: axiom
-/
theorem a : True := trivial
def target : 10 < 20 := by native_decide
