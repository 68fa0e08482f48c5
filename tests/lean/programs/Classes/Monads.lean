abbrev Machine := StateT (List Nat) (ExceptT String Id)

def push (n : Nat) : Machine Unit := modify (n :: ·)
def pop : Machine Nat := do
  match ← get with
  | [] => throw "empty stack"
  | x :: rest => set rest; return x

def program : Machine Nat := do
  for i in [1, 2, 3] do push i
  let a ← pop
  let b ← pop
  push (a * b)
  pop

def Machine.exec (m : Machine α) : Except String α := (m.run' []).run
deriving instance Repr for Except

#eval match program.exec with | .ok n => s!"{n}" | .error e => e --> "6"
#eval match (do discard pop : Machine Unit).exec with | .ok _ => "fine" | .error e => e --> "empty stack"
