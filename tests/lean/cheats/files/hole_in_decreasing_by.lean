/-
The measure goes down by a hole.

f: sorry
target: sorry
-/
def f (n : Nat) : False := f (n + 1)
termination_by n
decreasing_by sorry
theorem target : False := f 0
