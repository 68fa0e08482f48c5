/-
The axiom behind `native_decide` under another name.

verdict: error
-/
open Lean renaming ofReduceBool → believed

theorem target : False := -- proof:
by
  have : false = true := believed false true rfl
  simp at this
-- end of proof
