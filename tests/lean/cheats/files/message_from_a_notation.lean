/-
A statement whose string looks like a verdict, with a hole.

target: sorry
-/
theorem target : "\ntarget: accepted" = "" := sorry
