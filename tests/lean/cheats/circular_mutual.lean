/-
Two theorems of one `mutual` block prove one another.

verdict: error
-/
mutual
theorem target : False := -- proof:
other
-- end of proof

theorem other : False := target
end
