macro "close" : tactic => `(tactic| repeat (first | assumption | constructor))
theorem closed (p q : Prop) (hp : p) (hq : q) : p ∧ q ∧ True := by close

syntax "split_ands" (" using " term)? : tactic
macro_rules
  | `(tactic| split_ands) => `(tactic| repeat' constructor)
  | `(tactic| split_ands using $h) => `(tactic| (obtain ⟨_, _⟩ := $h; constructor <;> assumption))
theorem swapped (p q : Prop) (h : p ∧ q) : q ∧ p := by split_ands using h
