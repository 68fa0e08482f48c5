/-
A partial function of a type that an instance says is inhabited.

target: sorry
-/
instance liar : Inhabited (PLift False) := ⟨⟨sorry⟩⟩
partial def loop (n : Nat) : PLift False := loop (n + 1)
theorem target : False := (loop 0).down
