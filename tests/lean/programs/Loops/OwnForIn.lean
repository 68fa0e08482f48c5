structure Countdown where
  start : Nat

instance [Monad m] : ForIn m Countdown Nat where
  forIn c init step := do
    let rec go : Nat → _ → _
      | 0, acc => pure acc
      | n + 1, acc => do
        match ← step (n + 1) acc with
        | .done acc => pure acc
        | .yield acc => go n acc
    go c.start init

def liftoff : List Nat := Id.run do
  let mut out := []
  for n in Countdown.mk 4 do
    out := n :: out
  return out

#eval liftoff --> [1, 2, 3, 4]
