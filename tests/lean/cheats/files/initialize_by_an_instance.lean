/-
An initializer of a type that an instance says is inhabited.

target: sorry
-/
import Lean
instance liar : Nonempty (PLift False) := ⟨⟨sorry⟩⟩
initialize box : PLift False ← throw (IO.userError "never")
theorem target : False := box.down
