import Shared.Tactics
open Shared

theorem here (p q : Prop) (hp : p) (_ : q) : p := by find_it
theorem everywhere (p q : Prop) (hp : p) (hq : q) : p ∧ q ∧ p := by find_all
#eval max_of 3, 9, 4 --> 9
#eval ⟪10⟫ --> 5
#eval (List.range 5).map half --> [0, 1, 1, 2, 2]
theorem reduced (n : Nat) (h : n = 7) : twiceOf 2 + n = 11 := by
  simp only [reduceTwiceOf, h]
