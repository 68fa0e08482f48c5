/-
An elaborator of the file swallows an example.

told: is the file's own, and may have done anything
asks: -
-/
import Lean
open Lean Elab Command
theorem a : True := trivial
elab "hide" _c:command : command => pure ()
hide example : 1 = 2 := rfl
