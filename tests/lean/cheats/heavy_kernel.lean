/-
`decide` on a term that is far too large, left to the kernel.

verdict: timeout
-/
theorem target : (List.range 300000).foldl (fun a b => (a * 31 + b) % 1000003) 0 = 1 := -- proof:
by decide +kernel
-- end of proof
