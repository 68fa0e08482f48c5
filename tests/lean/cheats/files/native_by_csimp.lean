/-
The compiler replaces a function by an equation with a hole.

same: sorry
target: forbidden
-/
def f : Nat := 1
def g : Nat := 2
@[csimp] theorem same : @f = @g := sorry
theorem target : f = 2 := by native_decide
