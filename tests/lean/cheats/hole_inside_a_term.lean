/-
A term with a tactic block in it that leaves a hole.

verdict: sorry
-/
macro "trust_me" : tactic => `(tactic| sorry)

theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
⟨h, by trust_me⟩
-- end of proof
