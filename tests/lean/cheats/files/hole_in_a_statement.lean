/-
The statement itself has a hole.

target: sorry
-/
theorem target : (sorry : Prop) → True := fun _ => trivial
