/-
A program declares an unsafe constant and calls it safe in another environment.

told: unsafe
-/
import Lean
open Lean Elab Command
unsafe def wrong : False := wrong
theorem target : False := wrong
