def collatz (n : Nat) : Nat := Id.run do
  let mut n := n
  let mut steps := 0
  while n != 1 do
    n := if n % 2 == 0 then n / 2 else 3 * n + 1
    steps := steps + 1
  return steps

#eval collatz 27 --> 111

def firstSquareOver (limit : Nat) : IO Nat := do
  let mut i := 0
  repeat
    i := i + 1
    if i * i > limit then break
  return i

#eval firstSquareOver 50 --> 8
