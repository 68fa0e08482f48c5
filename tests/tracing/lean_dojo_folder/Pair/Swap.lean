import Pair.Basic
open Pair

/- ∃ another comment -/
theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  cases h with
  | intro hp hq =>
    exact both hq hp

theorem double_eq (n : Nat) : double n = 2 * n := by
  unfold double -- n + n
  omega

private theorem left_open (p q : Prop) (h : p ∧ q) : q := by
  have hp : p := h.left
  sorry

theorem by_cases_of : ∀ n : Nat, n = n
  | 0 => rfl
  | _ + 1 => rfl
