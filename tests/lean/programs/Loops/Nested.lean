/-- The first pair that multiplies to `n`, by `return` out of two loops. -/
def factors? (n : Nat) : Option (Nat × Nat) := do
  for a in [2:n] do
    for b in [2:n] do
      if a * b == n then return (a, b)
  failure

#eval factors? 35 --> some (5, 7)
#eval factors? 7 --> none

def skipping (xs : List Nat) : List Nat := Id.run do
  let mut out := []
  for x in xs do
    if x == 3 then continue
    if x > 5 then break
    out := x :: out
  return out.reverse

#eval skipping [1, 3, 5, 7, 2] --> [1, 5]
