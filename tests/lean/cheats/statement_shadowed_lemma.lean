/-
A lemma of the file has the name of one of the library, but says nothing.

verdict: error
-/
namespace Mine
theorem Nat.add_comm : True := trivial

theorem target (a b : Nat) : a + b = b + a + 1 := -- proof:
by exact Nat.add_comm
-- end of proof

end Mine
