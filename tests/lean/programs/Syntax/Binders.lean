open Lean in
macro "∃!! " x:ident " : " t:term ", " p:term : term =>
  `(∃ $x:ident : $t, $p ∧ ∀ y : $t, (fun $x:ident => $p) y → y = $x)

theorem only_zero : ∃!! n : Nat, n = 0 := ⟨0, rfl, fun _ h => h⟩

syntax "all_of " ident+ " are " term : term
macro_rules
  | `(all_of $xs* are $p) => do
    let mut out ← `(True)
    for x in xs.reverse do
      out ← `($p $x ∧ $out)
    return out
theorem both (a b : Nat) (ha : a > 0) (hb : b > 0) : all_of a b are (· > 0) := ⟨ha, hb, trivial⟩
