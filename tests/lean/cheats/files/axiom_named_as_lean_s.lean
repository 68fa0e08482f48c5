/-
A file without Lean's own library has an axiom of the name of one of Lean's.

target: axiom
-/
prelude
inductive False : Prop
axiom propext : False
theorem target : False := propext
