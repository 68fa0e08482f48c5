/-
A constant whose name looks like `False` with a Cyrillic letter.

verdict: error
-/
def «Fаlse» : Prop := True

theorem target : False := -- proof:
by exact (trivial : «Fаlse»)
-- end of proof
