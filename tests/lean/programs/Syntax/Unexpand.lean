import Lean
open Lean

def Both (p q : Prop) := p ∧ q
syntax:35 term:36 " andAlso " term:35 : term
macro_rules | `($a andAlso $b) => `(Both $a $b)

@[app_unexpander Both] def unexpandBoth : PrettyPrinter.Unexpander
  | `($_ $a $b) => `($a andAlso $b)
  | _ => throw ()

#check (Both True False) --> True andAlso False : Prop

def answer : Nat := 42
@[delab app.answer] def delabAnswer : PrettyPrinter.Delaborator.Delab := do
  if (← PrettyPrinter.Delaborator.SubExpr.getExpr).isConstOf ``answer then return Lean.mkIdent `theAnswer else failure
example : answer = 42 := by
  trace_state --> ⊢ theAnswer = 42
  rfl
