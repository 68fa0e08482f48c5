/-
The file's own notation turns `<` around: the statement looks true, and the proof is of what it looks like.

verdict: error
-/
local notation:50 (priority := high) a:51 " < " b:51 => @LT.lt Nat _ b a

theorem target : 1 < 2 := -- proof:
by exact Nat.lt_succ_self 1
-- end of proof
