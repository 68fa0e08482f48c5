import Shared.Deriver

inductive Suit where
  | clubs | diamonds | hearts | spades
  deriving Countable', Repr

#eval Countable'.count Suit --> 4
