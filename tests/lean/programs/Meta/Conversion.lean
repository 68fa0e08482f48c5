import Lean
open Lean Meta Elab Tactic Conv

macro "swap_args" : conv => `(conv| rw [Nat.add_comm])
theorem comm_left (a b c : Nat) : a + b + c = b + a + c := by
  conv => lhs; arg 1; swap_args

elab "show_goal" : conv => do logInfo m!"{← getLhs}"
theorem looked (a : Nat) : a + 0 = a := by
  conv => lhs; show_goal; rw [Nat.add_zero] --> a + 0
