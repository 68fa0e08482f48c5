/-
A term that is a program.

verdict: forbidden
-/
import Lean

theorem target : False := -- proof:
by_elab return .const ``True.intro []
-- end of proof
