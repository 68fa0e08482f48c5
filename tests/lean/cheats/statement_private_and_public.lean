/-
A private definition and a public one that look the same: the statement is about the one, the proof about the other.

verdict: error
-/
def truth : Nat := 2

namespace Hidden
private def truth : Nat := 1

theorem target : truth = 2 := -- proof:
by exact (rfl : _root_.truth = 2)
-- end of proof

end Hidden
