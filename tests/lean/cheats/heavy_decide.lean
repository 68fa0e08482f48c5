/-
`decide` on a term that is far too large.

verdict: error, timeout
-/
theorem target : (List.range 100000).foldl (· + ·) 0 = 1 := -- proof:
by decide
-- end of proof
