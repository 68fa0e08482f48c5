/-
A notation of the file that stands for the axiom behind `sorry`.

verdict: sorry
-/
local notation "fine" => sorryAx _ true

theorem target (p : Prop) (h : p) : p ∧ p := -- proof:
fine
-- end of proof
