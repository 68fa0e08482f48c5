import Shared.Attributes
open Lean

@[favourite] theorem liked : 1 + 1 = 2 := rfl
@[favourite] theorem likedToo : 2 + 2 = 4 := rfl
#eval show CoreM Unit from do logInfo m!"{← allFavourites}" --> [liked, likedToo]

def tiny (n : Nat) : Nat := n
@[shrink] theorem tiny_eq (n : Nat) : tiny n = n := rfl
theorem by_attribute (n : Nat) : tiny (tiny n) = n := by simp only [shrink]

set_option shared.limit 5
#eval show CoreM Unit from do logInfo m!"{shared.limit.get (← getOptions)}" --> 5
#eval show IO Nat from do visits.modify (· + 2); visits.get --> 2
