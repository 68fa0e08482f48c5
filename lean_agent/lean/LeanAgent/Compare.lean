/-
Two files against each other: does the solution prove what the challenge states? Both as plain data, in a process that has run
no program of either. Statements are compared as expressions, with everything that they are made of.
-/
import LeanAgent.JudgeFile
open Lean

namespace LeanAgent

structure Comparison where
  challenge : Environment
  solution : Environment
  holes : List Name                    -- definitions that the challenge may leave open

/-- Why a constant that statements are made of is not the same in both, if so. -/
def Comparison.difference? (c : Comparison) (n : Name) : Option String :=
  match constant? c.challenge n, constant? c.solution n with
  | none, _ => some s!"the challenge has no `{n}`"
  | _, none => some s!"the solution has no `{n}`"
  | some asked, some given =>
    let isOpen := c.holes.contains n && (asked.value? (allowOpaque := true)).any fun v => v.getUsedConstants.contains ``sorryAx
    if asked.levelParams != given.levelParams then some s!"`{n}` has other universes in the solution"
    else if asked.type != given.type then some s!"`{n}` has another type in the solution"
    else if isOpen then (if given matches .defnInfo _ then none else some s!"`{n}` is no definition in the solution")
    else if isSame given (some asked) then none
    else some s!"`{n}` is defined in another way in the solution"

/-- What a constant is made of; of a theorem, what it states. -/
def Comparison.parts (c : Comparison) (n : Name) : Array Name :=
  match constant? c.challenge n with
  | some (.thmInfo v) => v.type.getUsedConstants
  | some (.inductInfo i) => i.type.getUsedConstants ++ i.ctors.toArray ++ i.all.toArray
  | some (.ctorInfo v) => v.type.getUsedConstants.push v.induct
  | some (.recInfo v) => v.type.getUsedConstants ++ v.all.toArray
  | some info => if c.holes.contains n then info.type.getUsedConstants else usedBy info
  | none => #[]

/-- The first difference in a constant and all that it is made of outside Lean's own library. -/
def Comparison.compare (c : Comparison) (n : Name) : Option String :=
  let below := constantsBelow #[n] fun m => (false, if ofLibrary c.challenge m then #[] else c.parts m)
  below.findSome? fun (m, _) => if ofLibrary c.challenge m && ofLibrary c.solution m then none else c.difference? m

/-- Which axioms a constant of the solution rests on that are not permitted. -/
def Comparison.unpermitted? (c : Comparison) (permitted : List Name) (n : Name) : Option String :=
  let extra := (axiomsOf c.solution #[n]).filter fun a => !permitted.contains a
  if extra.isEmpty then none else some s!"`{n}` rests on {", ".intercalate (extra.toList.map (s!"`{shownName ·}`"))}"

/-- Compare what is asked with what is given: for each name why it is not the same, or nothing. -/
def compareExports (imported : Imported) (challenge solution : Json) (theorems definitions permitted : List Name) : IO (Array (Name × Option String)) := do
  let act : ExceptT String IO (Array (Name × Option String)) := do
    let (_, asked) ← readExport imported challenge
    let (_, given) ← readExport imported solution
    let c : Comparison := { challenge := asked, solution := given, holes := definitions }
    let compared (kind : ConstantInfo → Bool) (word : String) (n : Name) : Name × Option String :=
      match constant? asked n, constant? given n with
      | some a, some b =>
        if !kind a then (n, some s!"`{n}` is no {word} in the challenge")
        else if !kind b then (n, some s!"`{n}` is no {word} in the solution")
        else (n, c.compare n <|> c.unpermitted? permitted n)
      | _, _ => (n, c.difference? n)
    return (theorems.map (compared (· matches .thmInfo _) "theorem") ++ definitions.map (compared (· matches .defnInfo _) "definition")).toArray
  match ← act.run with
  | .ok compared => return compared
  | .error e => return ((theorems ++ definitions).map fun n => (n, some s!"it could not be compared: {e}")).toArray

end LeanAgent
