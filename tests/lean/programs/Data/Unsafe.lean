unsafe def castImpl (n : Nat) : Nat := unsafeCast n
@[implemented_by castImpl] def castNat (n : Nat) : Nat := n
#eval castNat 3 --> 3
@[specialize] def twice (f : α → α) (x : α) : α := f (f x)
@[inline] def addTwo (n : Nat) : Nat := twice (· + 1) n
#eval addTwo 5 --> 7
@[noinline] def opaqueish (n : Nat) : Nat := n * 2
#eval (List.range 3).map opaqueish --> [0, 2, 4]
