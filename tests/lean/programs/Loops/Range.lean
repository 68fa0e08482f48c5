def total (n : Nat) : Nat := Id.run do
  let mut s := 0
  for i in [0:n] do
    s := s + i
  return s

#eval total 5 --> 10

def evens (n : Nat) : Array Nat := Id.run do
  let mut out := #[]
  for i in [0:n:2] do
    out := out.push i
  return out

#eval evens 7 --> #[0, 2, 4, 6]
