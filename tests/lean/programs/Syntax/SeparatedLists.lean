syntax "sum[" term,* "]" : term
macro_rules
  | `(sum[]) => `(0)
  | `(sum[$x]) => `($x)
  | `(sum[$x, $xs,*]) => `($x + sum[$xs,*])

#eval sum[1, 2, 3] --> 6
theorem sum_three : sum[1, 2, 3] = 6 := by rfl

syntax "table{" sepBy(ident " := " term, "; ") "}" : term
macro_rules
  | `(table{ $[$names := $values];* }) => do
    let strings := names.map fun n => Lean.quote (toString n.getId)
    `([$[($strings, $values)],*])

#eval table{ a := 1; b := 2 } --> [("a", 1), ("b", 2)]
