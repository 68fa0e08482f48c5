/-
Laws that nobody has stated, where a proof needs a lemma: `double x = plus x x` needs `plus x (succ y) = succ (plus x y)`, which no tactic
finds. They are equations about a goal's functions that hold for all values that are tried (`Exploration.lean`), each proved by an
induction behind those before it.
-/
import LeanAgent.Exploration
open Lean Meta Elab
open LeanAgent.Exploration

namespace LeanAgent.Laws

/-- What asks for laws: no tactic of Lean's, but answered like `exact?`, with what stands in its place. -/
def request : String := "laws?"

/-- So many laws are told, of so many equations that are tried. -/
def most : Nat := 12
def mostTried : Nat := 60

/-- So many times a proof of a law is tried: again behind laws that were proved after it. -/
def mostTries : Nat := 2

/-- So many thousand heartbeats one proof of a law may take: a second, as a rule. -/
def heartbeatsOfProof : Nat := 15000

/-- A law that may be, as a tactic can have it. -/
structure Candidate where
  statement : String
  variables : Array String
  recursions : Array String        -- variables that recursive functions take apart
  calls : Array String             -- functions of variables alone, of several

/-- How often the function that a term begins with stands in another one. -/
partial def occurrences (e other : Expr) : Nat :=
  other.getAppArgs.foldl (fun count arg => count + occurrences e arg) (if other.getAppFn == e.getAppFn then 1 else 0)

/-- Whether the function that a term begins with stands in another one, where that does not begin. -/
def goesThrough (e other : Expr) : Bool := other.getAppArgs.any (occurrences e · > 0)

/-- The variables in a term that recursive functions take apart. -/
partial def recursionsIn (e : Expr) (known : Array Expr := #[]) : MetaM (Array Expr) := do
  let args := e.getAppArgs
  let place? ← match e.getAppFn with
    | .const c _ => getStructuralRecArgPos? c
    | _ => pure none
  let known := match place?.bind (args[·]?) with
    | some x => if x.isFVar && !known.contains x then known.push x else known
    | none => known
  args.foldlM (fun known arg => recursionsIn arg known) known

/-- Whether a constructor makes a term. -/
def isMade (signature : Signature) (e : Expr) : Bool :=
  signature.symbols.any fun symbol => symbol.isConstructor && symbol.function.getAppFn == e.getAppFn

/-- An equation in the direction in which it is of use: to what constructors make, or to where a function has gone through another one. -/
def oriented (signature : Signature) (first second : Expr) : Expr × Expr :=
  let isBuilt (e : Expr) : Bool := e.isApp && isMade signature e
  let isOfMore := second.getAppArgs.any fun arg => arg.isApp && !isBuilt arg && signature.sizeOf arg > 1
  let isDistributed := second.getAppFn != first.getAppFn && isOfMore && goesThrough second first
    && (!goesThrough first second || occurrences second first > 1)
  if !isBuilt second && (isBuilt first || isDistributed) then (second, first) else (first, second)

/-- Smaller equations first; of one size those that are like definitions, then the most general, from which others follow. -/
def rank (signature : Signature) (left right : Expr) : Nat :=
  100 * signature.sizeOf left - (if right.isFVar || isMade signature right then 10 else 0) - (collectFVars {} left).fvarIds.size

/-- A law that may be, if a tactic can say it. -/
def candidate? (signature : Signature) (left right : Expr) : MetaM (Option Candidate) := do
  let used := (signature.variables.map (·.1)).filter fun x => left.containsFVar x.fvarId! || right.containsFVar x.fvarId!
  let statement := toString (← ppExpr (← mkForallFVars used (← mkEq left right)))
  unless canBeWritten statement do return none
  let named (x : Expr) : MetaM String := return toString (← x.fvarId!.getUserName)
  let recursions ← recursionsIn right (← recursionsIn left)
  let lctx ← getLCtx
  let calls ← (recursiveCalls (← getEnv) left).filterMapM fun call => callText? lctx call
  return some {
    statement, variables := ← used.mapM named, recursions := ← recursions.mapM named
    calls := calls.filter fun call => (call.splitOn " ").length > 2 }

/-- Laws of a goal's functions that may be, none that holds by definition; and the project's functions among these. -/
def candidates (goal : MVarId) (deadline : Nat) : MetaM (Array Candidate × Array String) := withSignature goal fun signature => do
  let env ← getEnv
  let now ← IO.monoMsNow
  let names := signature.symbols.filterMap fun symbol => symbol.function.getAppFn.constName?.filter (isComputed env)
  let equations := (← signature.equations (now + (deadline - now) / 3)).map fun (first, second) => oriented signature first second
  let mut made := #[]
  for (left, right) in inOrderOf (fun (equation : Expr × Expr) => rank signature equation.1 equation.2) equations do
    Core.checkInterrupted
    if made.size ≥ mostTried || (← IO.monoMsNow) > now + (deadline - now) / 2 then break
    unless (left.getUsedConstants ++ right.getUsedConstants).any names.contains do continue
    if ← withNewMCtxDepth <| isDefEq left right then continue
    unless ← signature.holds left right do continue
    if let some law ← candidate? signature left right then made := made.push law
  return (made, ← names.mapM fun c => nameText c)

/-- The ways to prove a law that are tried: an induction on each variable that functions take apart, the others generalized, or by the
cases of a function that takes several apart. -/
def Candidate.scripts (law : Candidate) (definitions : String) : Array String :=
  let introduced := s!"intro {" ".intercalate law.variables.toList};"
  let byInduction := law.recursions.flatMap fun x =>
    let ending := generalizingText (law.variables.filter (· != x))
    #["simp_all", "grind"].map fun closer => s!"{introduced} induction {x}{ending} <;> {closer} [{definitions}]"
  byInduction ++ (law.calls.extract 0 1).map fun call => s!"{introduced} fun_induction {call} <;> grind [{definitions}]"

/-- The state in which laws of the first goal's functions are known, and the tactics that have them, one on each line. -/
def known (s : ProofState) (deadline : Nat) (cancel? : Option IO.CancelToken) : IO (Except Failure (ProofState × String)) := do
  let some goal := s.goals.head? | return .error ⟨"no_goals", "no goals"⟩
  let wide (c : Core.Context) : Core.Context := { c with options := c.options.set `format.width (100000 : Nat) }
  match ← s.run cancel? (withTheReader Core.Context wide (candidates goal deadline)) with
  | .error e => return .error (← failureOf s.context e)
  | .ok ((found, functions), _) =>
    let definitions := functions.toList
    let options := maxHeartbeats.set s.context.options heartbeatsOfProof
    let mut state := { s with context := { s.context with options } }
    let mut laws : Array (String × String) := #[]
    let mut left := found.toList.map (·, 0)
    let mut failed := []
    repeat
      let (law, tries) :: rest := left | break
      left := rest
      if laws.size ≥ most || (← IO.monoMsNow) > deadline then break
      let names := ", ".intercalate (definitions ++ laws.toList.map (·.1))
      let follows := s!"intro {" ".intercalate law.variables.toList}; simp [{names}]"
      if let .ok _ ← runTactic state s!"have : {law.statement} := by {follows}" cancel? then continue
      match ← proved? definitions state law s!"law_{laws.size + 1}" with
      | some (next, name, text) =>
        state := next
        laws := laws.push (name, text)
        left := failed.reverse ++ left                         -- what has failed may follow now
        failed := []
      | none => if tries + 1 < mostTries then failed := (law, tries + 1) :: failed
    if laws.isEmpty then return .error ⟨"error", "no laws: no equation about the goal's functions was found that could be proved"⟩
    return .ok ({ state with context := s.context }, "\n".intercalate (laws.map (·.2)).toList)
where
  proved? (definitions : List String) (state : ProofState) (law : Candidate) (name : String) : IO (Option (ProofState × String × String)) := do
    for script in law.scripts (", ".intercalate definitions) do
      if (← IO.monoMsNow) > deadline then return none
      let text := s!"have {name} : {law.statement} := by {script}"
      if let .ok (next, _) ← runTactic state text cancel? then return some (next, name, text)
    return none

end LeanAgent.Laws
