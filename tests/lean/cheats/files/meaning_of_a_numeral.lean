/-
An elaborator of the file reads numerals.

told: takes the place of what Lean makes of a part of this statement
-/
import Lean
open Lean Elab Term
theorem a : True := trivial
@[term_elab num] def one : TermElab := fun _ _ => return mkNatLit 1
theorem target : 1 = 2 := rfl
