def dot (xs : List Nat) (ys : Array Nat) : Nat := Id.run do
  let mut s := 0
  for x in xs, y in ys do
    s := s + x * y
  return s

#eval dot [1, 2, 3] #[4, 5, 6] --> 32

def indexed (xs : Array String) : List String := Id.run do
  let mut out := []
  for h : i in [0:xs.size] do
    out := s!"{i}:{xs[i]}" :: out
  return out.reverse

#eval indexed #["a", "b"] --> ["0:a", "1:b"]
