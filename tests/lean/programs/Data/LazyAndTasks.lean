def lazySum : Thunk Nat := Thunk.mk fun _ => 2 + 2
#eval lazySum.get --> 4
#eval (Task.spawn fun _ => (List.range 10).foldl (· + ·) 0).get --> 45
def counter : IO (List Nat) := do
  let ref ← IO.mkRef 0
  let mut seen := []
  for _ in [0:3] do
    ref.modify (· + 1)
    seen := (← ref.get) :: seen
  return seen
#eval counter --> [3, 2, 1]
