/-
How derivations of inductive predicates can be taken apart: where an argument is made by a constructor, only the rules that conclude
so can have been applied (`Step (app f a) t`, but not `Step x t`).
-/
import LeanAgent.Definitions
open Lean

namespace LeanAgent

/-- The conditions of a rule and its conclusion, with the same terms for its variables in all of them. -/
partial def opened (rule : Expr) (conditions : Array Expr := #[]) : Array Expr × Expr :=
  match rule.consumeMData with
  | .forallE _ type body _ => opened (body.instantiate1 (.fvar ⟨.num `variable conditions.size⟩)) (conditions.push type)
  | conclusion => (conditions, conclusion)

/-- A constructor at a place of a predicate's arguments: the number of one, and, where that is a pair, which part of it. -/
structure MadeBy where
  place : Nat
  part? : Option Nat
  maker : Name
  deriving BEq

/-- The arguments of a predicate, and the parts of those that are pairs. -/
def argumentsIn (predicate : Name) (e : Expr) : Array (Nat × Option Nat × Expr) := Id.run do
  let e := e.consumeMData
  unless e.isAppOf predicate do return #[]
  let mut all := #[]
  for (argument, place) in e.getAppArgs.zipIdx do
    if argument.isAppOfArity ``Prod.mk 4 then all := all ++ #[(place, some 0, argument.getArg! 2), (place, some 1, argument.getArg! 3)]
    else all := all.push (place, none, argument)
  return all

/-- Where the arguments of a predicate are made by constructors. -/
def makersIn (env : Environment) (predicate : Name) (e : Expr) : Array MadeBy :=
  (argumentsIn predicate e).filterMap fun (place, part?, argument) =>
    if isConstructor env (headOf argument) then some { place, part?, maker := headOf argument } else none

/-- Whether a rule can conclude with that constructor there, and asks for the like: its own, or what it concludes, whatever it is. -/
def goesOn (env : Environment) (predicate : Name) (made : MadeBy) : Array Expr × Expr → Bool := fun (conditions, conclusion) =>
  let there (e : Expr) : Option Expr := (argumentsIn predicate e).findSome? fun (place, part?, argument) =>
    if place == made.place && part? == made.part? then some argument else none
  let isOther (e : Expr) : Bool := isConstructor env (headOf e) && headOf e != made.maker
  match there conclusion with
  | none => true
  | some concluded => !isOther concluded && conditions.any fun condition =>
    match there (conclusionOf condition) with
    | none => (conclusionOf condition.consumeMData).isAppOf predicate
    | some asked => headOf asked == made.maker || asked == concluded

/-- Whether a rule rests on derivations of its own predicate. -/
def asksForMore (predicate : Name) : Array Expr × Expr → Bool := fun (conditions, _) =>
  conditions.any fun condition => (condition.find? (·.isConstOf predicate)).isSome

/-- What a tactic calls a derivation that can be taken apart (`‹Step (Expr.app ..) ..›`). Taken apart by any rule it leaves no other
one of the same kind, if `repeats`; it stands in the goal, if `isThere`. -/
structure Inversion where
  text : String
  repeats : Bool
  isThere : Bool

def inversionJson (i : Inversion) : Json := .arr #[i.text, i.repeats, i.isThere]

/-- As a tactic calls a derivation of a predicate with a constructor there; nothing where its place is no explicit one. -/
def derivationText? (predicate : ConstantInfo) (made : MadeBy) : Option String := do
  let mut type := predicate.type
  let mut words := #[s!"{privateToUserName predicate.name}"]
  for place in [0:made.place + 1] do
    let .forallE _ _ body info := type | none
    type := body
    if place == made.place then
      guard info.isExplicit
      let term := s!"({privateToUserName made.maker} ..)"
      words := words.push (match made.part? with | none => term | some 0 => s!"({term}, _)" | some _ => s!"(_, {term})")
    else if info.isExplicit then words := words.push "_"
  return s!"‹{" ".intercalate words.toList}{if type.isForall then " .." else ""}›"

/-- So many rules at most: those of a large language are more than a tactic can try. -/
def mostRules : Nat := 40

/-- The rules of the inductive predicates among some constants. -/
def rulesOf (env : Environment) (constants : Array Name) : Array Name :=
  (constants.flatMap fun predicate => match env.find? predicate with
    | some (.inductInfo info) => info.ctors.toArray
    | _ => #[]).extract 0 mostRules

/-- So many predicates, and so many definitions, are told of rules. -/
def mostOfRules : Nat := 12

/-- Inductive predicates of which the rules of those among some constants speak, as `Reachable` does of `Step`, and definitions that all
these rules are made of; none of the constants themselves. -/
def behindRules (env : Environment) (constants : Array Name) : Array Name × Array Name := Id.run do
  let mut known := constants
  let mut predicates := #[]
  let mut functions := #[]
  let mut place := 0
  while place < known.size && known.size < constants.size + mostOfRules do
    let some (.inductInfo info) := env.find? known[place]! | place := place + 1; continue
    place := place + 1
    for rule in info.ctors do
      let some rule := env.find? rule | continue
      for c in definitionsIn env rule.type do
        if known.contains c || isReducible env c then continue
        known := known.push c
        if (env.find? c) matches some (.inductInfo _) then predicates := predicates.push c else functions := functions.push c
  return (predicates, functions)

/-- How derivations of the predicates among some constants can be taken apart, for a goal that says these things. -/
def inversionsOf (env : Environment) (constants : Array Name) (propositions : Array Expr) : Array Inversion := Id.run do
  let mut all := #[]
  for predicate in constants do
    let some (.inductInfo info) := env.find? predicate | continue
    let rules := info.ctors.toArray.filterMap fun rule => (env.find? rule).map (opened ·.type)
    let stands (isOne : Expr → Bool) : Bool := propositions.any fun e => (e.find? isOne).isSome
    if !(rules.any (asksForMore predicate)) then
      let isThere := stands (·.isAppOf predicate)
      all := all.push { text := s!"‹{privateToUserName predicate}{if info.type.isForall then " .." else ""}›", repeats := true, isThere }
      continue
    for made in (rules.flatMap (makersIn env predicate ·.2)).toList.eraseDups do
      let some text := derivationText? (.inductInfo info) made | continue
      let isThere := stands fun part => (makersIn env predicate part).contains made
      all := all.push { text, repeats := !rules.any (goesOn env predicate made), isThere }
  return all

end LeanAgent
