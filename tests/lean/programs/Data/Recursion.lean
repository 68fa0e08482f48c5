def gcd' (a b : Nat) : Nat :=
  if h : b = 0 then a else gcd' b (a % b)
termination_by b
decreasing_by exact Nat.mod_lt _ (Nat.pos_of_ne_zero h)

#eval gcd' 48 36 --> 12

mutual
inductive Tree where
  | node : Forest → Tree
inductive Forest where
  | nil : Forest
  | cons : Tree → Forest → Forest
end

mutual
def Tree.size : Tree → Nat
  | .node f => f.size + 1
def Forest.size : Forest → Nat
  | .nil => 0
  | .cons t f => t.size + f.size
end

#eval (Tree.node (.cons (.node .nil) (.cons (.node .nil) .nil))).size --> 3

partial def digits (n : Nat) : List Nat := if n < 10 then [n] else digits (n / 10) ++ [n % 10]
#eval digits 407 --> [4, 0, 7]
