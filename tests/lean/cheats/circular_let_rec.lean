/-
A local function proves itself.

verdict: error
-/
theorem target : False := -- proof:
by
  let rec f : False := f
  exact f
-- end of proof
