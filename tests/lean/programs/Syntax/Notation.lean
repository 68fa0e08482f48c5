notation:65 a:66 " ⊕⊕ " b:66 => Nat.add (Nat.add a b) b
infixl:70 " ⋆ " => fun a b => a * b + 1
prefix:max "√" => Nat.succ
theorem twice_right : (1 ⊕⊕ 2) = 5 := rfl
#eval 2 ⋆ 3 --> 7
#eval √4 --> 5
local notation "ten" => 10
#eval ten + 1 --> 11
