/-
The axiom of the compiler, in a definition that a theorem uses.

word: axiom
target: axiom
-/
def smaller : Bool := decide (10 < 20)
def word : smaller = true := Lean.ofReduceBool smaller true rfl
theorem target : 10 < 20 := of_decide_eq_true word
