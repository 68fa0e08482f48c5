/-
The file's own order turns `<` around: the statement looks true, and `omega` takes every `<` for that of the numbers.

verdict: error
-/
instance : LT Nat := ⟨fun a b => Nat.lt b a⟩

theorem target : 1 < 2 := -- proof:
by omega
-- end of proof
