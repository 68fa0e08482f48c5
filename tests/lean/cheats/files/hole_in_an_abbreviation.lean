/-
What a statement stands for has a hole.

Claim: sorry
target: sorry
-/
abbrev Claim : Prop := sorry
theorem target : Claim → Claim := id
