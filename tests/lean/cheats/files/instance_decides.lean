/-
An instance decides what is false, and a theorem by `decide` believes it.

target: sorry
-/
structure Wrong : Prop where
  one : 1 = 2
instance : Decidable Wrong := .isTrue sorry
theorem target : Wrong := by decide
