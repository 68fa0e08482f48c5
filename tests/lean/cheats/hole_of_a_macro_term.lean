/-
A term of the file that stands for a hole.

verdict: sorry
-/
macro "hidden" : term => `(sorry)

theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
hidden
-- end of proof
