import Std.Data.HashMap
import Std.Data.TreeMap
open Std

def counts (xs : List String) : HashMap String Nat := Id.run do
  let mut m := {}
  for x in xs do
    m := m.alter x fun n? => some (n?.getD 0 + 1)
  return m

#eval (counts ["a", "b", "a"])["a"]! --> 2
#eval (counts ["a", "b", "a"]).size --> 2

def sorted (xs : List (Nat × String)) : List String := Id.run do
  let m : TreeMap Nat String := .ofList xs
  let mut out := []
  for (k, v) in m do
    out := s!"{k}{v}" :: out
  return out.reverse

#eval sorted [(3, "c"), (1, "a"), (2, "b")] --> ["1a", "2b", "3c"]
