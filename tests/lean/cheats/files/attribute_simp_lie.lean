/-
A simp lemma is an axiom, and simp proves with it.

lies: axiom
target: axiom
-/
@[simp] axiom lies (n : Nat) : n = 0
theorem target : 1 = 2 := by simp
