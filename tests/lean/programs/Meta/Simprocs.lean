import Lean
open Lean Meta Simp

def triple (n : Nat) : Nat := 3 * n

simproc reduceTriple (triple _) := fun e => do
  let_expr triple n ← e | return .continue
  let some n ← Nat.fromExpr? n | return .continue
  return .done { expr := mkNatLit (3 * n), proof? := some (mkApp2 (mkConst ``Eq.refl [1]) (mkConst ``Nat) (mkNatLit (3 * n))) }

theorem triple_four : triple 4 = 12 := by simp

dsimproc_decl reduceTripleD (triple _) := fun e => do
  let_expr triple n ← e | return .continue
  let some n ← Nat.fromExpr? n | return .continue
  return .done (mkNatLit (3 * n))

theorem triple_five : triple 5 = 15 := by simp only [reduceTripleD]
theorem off : triple 2 = 6 := by
  fail_if_success simp [-reduceTriple]
  simp
