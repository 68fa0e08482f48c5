/-
An unsafe definition of the file, which may call itself for ever.

verdict: error
-/
unsafe def loop (_ : Unit) : False := loop ()

theorem target : False := -- proof:
loop ()
-- end of proof
