/-
The comment and the string with `sorry` in them are innocent; the hole behind them is not.

verdict: sorry
-/
theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
by
  have _s := "sorry" -- sorry
  exact ⟨h, by admit⟩
-- end of proof
