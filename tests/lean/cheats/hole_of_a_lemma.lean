/-
An earlier lemma of the file has the hole.

verdict: sorry
-/
theorem cheap : False := sorry

theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
cheap.elim
-- end of proof
