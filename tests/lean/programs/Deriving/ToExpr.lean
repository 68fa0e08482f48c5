import Lean
open Lean Meta

inductive Kind where
  | plain (n : Nat) | named (s : String)
  deriving ToExpr

#eval show MetaM Unit from do logInfo m!"{toExpr (Kind.plain 3)}" --> Kind.plain 3
#eval show MetaM Unit from do logInfo m!"{← inferType (toExpr (Kind.named "a"))}" --> Kind
