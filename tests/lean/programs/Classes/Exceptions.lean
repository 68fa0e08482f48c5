def safeDiv (a b : Nat) : Except String Nat :=
  if b == 0 then .error "division by zero" else .ok (a / b)

def attempt (a b : Nat) : IO String := do
  try
    let q ← IO.ofExcept (safeDiv a b)
    return s!"{q}"
  catch e => return s!"caught: {e}"
  finally pure ()

#eval attempt 7 2 --> "3"
#eval attempt 7 0 --> "caught: division by zero"

def readerStack : ReaderT Nat (StateM Nat) Nat := do
  for i in [0:3] do modify (· + i)
  return (← read) + (← get)
#eval (readerStack.run 10 |>.run' 0) --> 13
