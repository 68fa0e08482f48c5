structure Parser (α : Type) where
  run : List Char → Option (α × List Char)

instance : Monad Parser where
  pure a := ⟨fun s => some (a, s)⟩
  bind p f := ⟨fun s => do
    let (a, rest) ← p.run s
    (f a).run rest⟩

instance : Alternative Parser where
  failure := ⟨fun _ => none⟩
  orElse p q := ⟨fun s => p.run s <|> (q ()).run s⟩

def item : Parser Char := ⟨fun | [] => none | c :: cs => some (c, cs)⟩
def sat (p : Char → Bool) : Parser Char := do
  let c ← item
  if p c then pure c else failure

def digit : Parser Nat := (·.toNat - '0'.toNat) <$> sat Char.isDigit

partial def many (p : Parser α) : Parser (List α) :=
  (do return (← p) :: (← many p)) <|> pure []

def number : Parser Nat := return (← many digit).foldl (10 * · + ·) 0

#eval (number.run "42x".toList).map (·.1) --> some 42
