/-
An opaque constant of a type that an instance says is inhabited.

target: sorry
liar: sorry
-/
instance liar : Inhabited (PLift False) := ⟨⟨sorry⟩⟩
opaque box : PLift False
theorem target : False := box.down
