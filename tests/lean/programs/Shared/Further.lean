import Shared.UseAttributes
import Shared.UseTactics
open Lean

-- entries of an extension, two files further on
#eval show CoreM Unit from do logInfo m!"{(← allFavourites).size}" --> 2
theorem still (n : Nat) (h : n = 1) : tiny n = 1 := by
  simp only [shrink]
  find_it
