import Lean
open Lean

structure Person where
  name : String
  age : Nat
  tags : List String := []
  deriving ToJson, FromJson, Repr

#eval (toJson ({ name := "Ada", age := 36 } : Person)).compress --> "{\"age\":36,\"name\":\"Ada\",\"tags\":[]}"
def parsed : Except String Nat := do
  let j ← Json.parse "{\"name\": \"Bo\", \"age\": 7, \"tags\": [\"x\"]}"
  let p ← (fromJson? j : Except String Person)
  return p.age + p.tags.length
#eval parsed.toOption --> some 8
