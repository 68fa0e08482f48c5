/-
A name that is not bound stays unbound.

verdict: error
-/
theorem target (p : Prop) : p := -- proof:
fun (h : q) => h
-- end of proof
