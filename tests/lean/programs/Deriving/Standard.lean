inductive Colour where
  | red | green | mixed (a b : Colour) (weight : Nat)
  deriving Repr, BEq, DecidableEq, Hashable, Inhabited, Ord

#eval Colour.mixed .red .green 2 --> Colour.mixed (Colour.red) (Colour.green) 2
#eval Colour.red == Colour.green --> false
#eval compare Colour.red Colour.green --> Ordering.lt
#eval (default : Colour) --> Colour.red
#eval hash Colour.red == hash Colour.red --> true
theorem different : Colour.red ≠ Colour.green := by decide

structure Point (α : Type) where
  x : α
  y : α
  deriving Repr, BEq, Hashable, Ord

#eval ({ x := 1, y := 2 } : Point Nat) --> { x := 1, y := 2 }
deriving instance DecidableEq for Point
