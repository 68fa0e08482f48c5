/-
An example by the compiler's word, by name.

example: forbidden
asks: -
-/
theorem a : True := trivial
def smaller : Bool := decide (10 < 20)
example : 10 < 20 := of_decide_eq_true (Lean.ofReduceBool smaller true rfl)
