/-
An instance that a handler derives is overtaken by one with a hole.

sorry
-/
inductive T where
  | a | b
  deriving DecidableEq
instance (priority := high) liar : DecidableEq T := fun x y => .isTrue sorry
theorem target : T.a = T.b := by decide
