/-
A proof as plain data: everything that a theorem rests on, down to Lean's own library, written out constant by constant;
and, in another process that has run no program of its project, read and given to the kernel again.

Rows of names, levels and expressions, each of which speaks of earlier rows by their numbers. Reading checks shapes alone:
the kernel judges the rest.
-/
import LeanAgent.Verify
open Lean Meta Elab

namespace LeanAgent

-- ## Writing

structure Export where
  names : Std.HashMap Name Nat := {}
  levels : Std.HashMap Level Nat := {}
  exprs : Std.HashMap Expr Nat := {}
  nameRows : Array Json := #[]
  levelRows : Array Json := #[]
  exprRows : Array Json := #[]
  constants : Array Json := #[]
  done : NameSet := {}

abbrev ExportM := StateM Export

def row (kind : String) (fields : List Json) : Json := .arr (Json.str kind :: fields).toArray

/-- Number 0 is the anonymous name. -/
partial def writeName (n : Name) : ExportM Nat := do
  if n.isAnonymous then return 0
  if let some i := (← get).names[n]? then return i
  let fields ← match n with
    | .str p s => pure [(← writeName p : Json), Json.str s]
    | .num p i => pure [(← writeName p : Json), (i : Json)]
    | .anonymous => pure []
  modifyGet fun s => let i := s.nameRows.size + 1; (i, { s with names := s.names.insert n i, nameRows := s.nameRows.push (.arr fields.toArray) })

def writeNames (names : List Name) : ExportM Json := return .arr ((← names.toArray.mapM writeName).map fun (i : Nat) => (i : Json))

partial def writeLevel (l : Level) : ExportM Nat := do
  if let some i := (← get).levels[l]? then return i
  let r ← match l with
    | .zero | .mvar _ => pure (row "0" [])
    | .succ l => pure (row "s" [← writeLevel l])
    | .max a b => pure (row "m" [← writeLevel a, ← writeLevel b])
    | .imax a b => pure (row "i" [← writeLevel a, ← writeLevel b])
    | .param n => pure (row "p" [← writeName n])
  modifyGet fun s => let i := s.levelRows.size; (i, { s with levels := s.levels.insert l i, levelRows := s.levelRows.push r })

/-- Write an expression, its parts before it. A loop: a statement of some thousand nested terms would fill the stack. -/
partial def writeExpr (e : Expr) : ExportM Nat := modifyGet fun x =>
  let x := go [e] x
  (x.exprs.getD e.consumeMData x.exprRows.size, x)        -- no row of that number: no reader would take it
where
  go (todo : List Expr) (x : Export) : Export :=
    match todo with
    | [] => x
    | e :: rest =>
      let e := e.consumeMData
      if x.exprs.contains e then go rest x else
      match (parts e).filter fun part => !x.exprs.contains part.consumeMData with
      | [] => go rest ((write e).run x).2
      | missing => go (missing ++ e :: rest) x
  parts (e : Expr) : List Expr :=
    match e with
    | .app f a => [f, a]
    | .lam _ t b _ | .forallE _ t b _ => [t, b]
    | .letE _ t v b _ => [t, v, b]
    | .proj _ _ e => [e]
    | _ => []
  /-- The row of an expression whose parts have theirs. -/
  write (e : Expr) : ExportM Unit := do
    let at' (part : Expr) : ExportM Json := return (← get).exprs.getD part.consumeMData (← get).exprRows.size
    let r ← match e with
      | .bvar i => pure (row "b" [i])
      | .sort l => pure (row "s" [← writeLevel l])
      | .const n ls => pure (row "c" [← writeName n, .arr ((← ls.toArray.mapM writeLevel).map fun (i : Nat) => (i : Json))])
      | .app f a => pure (row "a" [← at' f, ← at' a])
      | .lam n t b info => pure (row "l" [← writeName n, ← at' t, ← at' b, binder info])
      | .forallE n t b info => pure (row "p" [← writeName n, ← at' t, ← at' b, binder info])
      | .letE n t v b nondep => pure (row "t" [← writeName n, ← at' t, ← at' v, ← at' b, .bool nondep])
      | .lit (.natVal n) => pure (row "n" [.str (toString n)])
      | .lit (.strVal s) => pure (row "x" [.str s])
      | .proj n i e => pure (row "j" [← writeName n, i, ← at' e])
      | _ => pure (row "?" [])             -- a metavariable: no reader takes it
    modify fun s => { s with exprs := s.exprs.insert e s.exprRows.size, exprRows := s.exprRows.push r }
  binder : BinderInfo → Json
    | .default => (0 : Nat) | .implicit => (1 : Nat) | .strictImplicit => (2 : Nat) | .instImplicit => (3 : Nat)

partial def writeConstant (env : Environment) (n : Name) : ExportM Unit := do
  if (← get).done.contains n || ofLibrary env n then return
  modify fun s => { s with done := s.done.insert n }
  match env.find? n with
  | none | some (.quotInfo _) => return
  | some (.ctorInfo c) => writeConstant env c.induct
  | some (.recInfo r) => r.all.forM (writeConstant env)
  | some (.inductInfo i) => writeInductive i
  | some (.thmInfo v) => plain "theorem" v.toConstantVal (some v.value) []
  | some (.opaqueInfo v) => plain "opaque" v.toConstantVal (some v.value) [("unsafe", .bool v.isUnsafe)]
  | some (.axiomInfo v) => plain "axiom" v.toConstantVal none [("unsafe", .bool v.isUnsafe)]
  | some (.defnInfo v) =>
    let height : Int := match v.hints with | .opaque => -2 | .abbrev => -1 | .regular h => h.toNat
    plain "definition" v.toConstantVal (some v.value) [("height", height), ("unsafe", .bool (v.safety != .safe))]
where
  used (e : Expr) : ExportM Unit := e.getUsedConstants.forM (writeConstant env)
  put (j : Json) : ExportM Unit := modify fun s => { s with constants := s.constants.push j }
  plain (kind : String) (c : ConstantVal) (value? : Option Expr) (more : List (String × Json)) : ExportM Unit := do
    used c.type
    if let some value := value? then used value
    let value ← match value? with
      | some value => pure [("value", (← writeExpr value : Json))]
      | none => pure ([] : List (String × Json))
    put <| Json.mkObj ([("kind", Json.str kind), ("name", ← writeName c.name), ("levels", ← writeNames c.levelParams), ("type", ← writeExpr c.type)] ++ value ++ more)
  writeInductive (i : InductiveVal) : ExportM Unit := do
    modify fun s => { s with done := i.all.foldl (·.insert ·) s.done }
    let types := i.all.filterMap fun n => match env.find? n with | some (.inductInfo t) => some t | _ => none
    let constructors (t : InductiveVal) := t.ctors.filterMap fun n => match env.find? n with | some (.ctorInfo c) => some c | _ => none
    for t in types do
      used t.type
      for c in constructors t do used c.type
    let rows ← types.mapM fun t => do
      let rows ← (constructors t).mapM fun c => return Json.mkObj [("name", ← writeName c.name), ("type", ← writeExpr c.type)]
      return Json.mkObj [("name", ← writeName t.name), ("type", ← writeExpr t.type), ("constructors", .arr rows.toArray)]
    put <| Json.mkObj [("kind", "inductive"), ("levels", ← writeNames i.levelParams), ("parameters", i.numParams), ("types", .arr rows.toArray), ("unsafe", .bool i.isUnsafe)]

def exportRows (env : Environment) (x : Export) : Json :=
  let library := env.header.moduleNames.filter isCore
  Json.mkObj [("imports", .arr (library.map fun n => (toString n : Json))), ("names", .arr x.nameRows), ("levels", .arr x.levelRows),
    ("exprs", .arr x.exprRows), ("constants", .arr x.constants)]

/-- A theorem with all that it rests on outside Lean's own library. -/
def exportTheorem (env : Environment) (name : Name) : Json :=
  let (_, x) := (writeConstant env name).run {}
  exportRows env x

-- ## Reading

structure Rows where
  names : Array Name := #[.anonymous]
  levels : Array Level := #[]
  exprs : Array Expr := #[]

abbrev Read := Except String

def Rows.at {α : Type} (rows : Array α) (j : Json) : Read α := do
  let i ← j.getNat?
  match rows[i]? with
  | some a => return a
  | none => throw s!"no row {i}"

def fields (j : Json) : Read (Array Json) := j.getArr?

def readNames (r : Rows) (j : Json) : Read (List Name) := do (← fields j).toList.mapM (Rows.at r.names)

def readName (r : Rows) (j : Json) : Read Rows := do
  match ← fields j with
  | #[p, .str s] => return { r with names := r.names.push (.str (← Rows.at r.names p) s) }
  | #[p, i] => return { r with names := r.names.push (.num (← Rows.at r.names p) (← i.getNat?)) }
  | _ => throw "a name of another shape"

def readLevel (r : Rows) (j : Json) : Read Rows := do
  let l : Level ← match ← fields j with
    | #[.str "0"] => pure .zero
    | #[.str "s", l] => pure (.succ (← Rows.at r.levels l))
    | #[.str "m", a, b] => pure (.max (← Rows.at r.levels a) (← Rows.at r.levels b))
    | #[.str "i", a, b] => pure (.imax (← Rows.at r.levels a) (← Rows.at r.levels b))
    | #[.str "p", n] => pure (.param (← Rows.at r.names n))
    | _ => throw "a level of another shape"
  return { r with levels := r.levels.push l }

def readExpr (r : Rows) (j : Json) : Read Rows := do
  let expr := Rows.at r.exprs
  let e : Expr ← match ← fields j with
    | #[.str "b", i] => pure (.bvar (← i.getNat?))
    | #[.str "s", l] => pure (.sort (← Rows.at r.levels l))
    | #[.str "c", n, ls] => pure (.const (← Rows.at r.names n) (← (← fields ls).toList.mapM (Rows.at r.levels)))
    | #[.str "a", f, a] => pure (.app (← expr f) (← expr a))
    | #[.str "l", n, t, b, i] => pure (.lam (← Rows.at r.names n) (← expr t) (← expr b) (← binder i))
    | #[.str "p", n, t, b, i] => pure (.forallE (← Rows.at r.names n) (← expr t) (← expr b) (← binder i))
    | #[.str "t", n, t, v, b, nondep] => pure (.letE (← Rows.at r.names n) (← expr t) (← expr v) (← expr b) (← nondep.getBool?))
    | #[.str "n", .str n] => match n.toNat? with
      | some n => pure (.lit (.natVal n))
      | none => throw "a number of another shape"
    | #[.str "x", .str s] => pure (.lit (.strVal s))
    | #[.str "j", n, i, e] => pure (.proj (← Rows.at r.names n) (← i.getNat?) (← expr e))
    | _ => throw "an expression of another shape"
  return { r with exprs := r.exprs.push e }
where
  binder (j : Json) : Read BinderInfo := return match ← j.getNat? with
    | 1 => .implicit | 2 => .strictImplicit | 3 => .instImplicit | _ => .default

def readDeclaration (r : Rows) (j : Json) : Read Declaration := do
  if (← j.getObjValAs? Bool "unsafe" <|> pure false) then throw "an unsafe or partial definition"
  let kind ← j.getObjValAs? String "kind"
  let levelParams ← readNames r (← j.getObjVal? "levels")
  if kind == "inductive" then
    let types ← (← fields (← j.getObjVal? "types")).toList.mapM fun t => do
      let ctors ← (← fields (← t.getObjVal? "constructors")).toList.mapM fun c => do
        return ({ name := ← name c, type := ← type c } : Constructor)
      return ({ name := ← name t, type := ← type t, ctors } : InductiveType)
    return .inductDecl levelParams (← j.getObjValAs? Nat "parameters") types false
  let constant : ConstantVal := { name := ← name j, levelParams, type := ← type j }
  if kind == "axiom" then return .axiomDecl { constant with isUnsafe := false }
  let value ← Rows.at r.exprs (← j.getObjVal? "value")
  match kind with
  | "theorem" => return .thmDecl { constant with value }
  | "opaque" => return .opaqueDecl { constant with value, isUnsafe := false, all := [constant.name] }
  | "definition" =>
    let hints : ReducibilityHints := match ← j.getObjValAs? Int "height" with
      | -2 => .opaque
      | -1 => .abbrev
      | h => .regular h.toNat.toUInt32
    return .defnDecl { constant with value, hints, safety := .safe }
  | _ => throw "a declaration of another shape"
where
  name (j : Json) : Read Name := do Rows.at r.names (← j.getObjVal? "name")
  type (j : Json) : Read Expr := do Rows.at r.exprs (← j.getObjVal? "type")

def rowsOf (j : Json) (field : String) : Read (Array Json) := do fields (← j.getObjVal? field)

/-- Have the kernel accept what was exported, from Lean's own library up. -/
def readExport (imported : Imported) (j : Json) : ExceptT String IO (Rows × Environment) := do
  let modules ← (← rowsOf j "imports").mapM fun m => return (← m.getStr?).toName
  unless modules.all isCore do throw "it imports what is not Lean's own"
  let mut r : Rows := {}
  for n in ← rowsOf j "names" do r ← readName r n
  for l in ← rowsOf j "levels" do r ← readLevel r l
  for e in ← rowsOf j "exprs" do r ← readExpr r e
  let mut env ← importOnce imported (modules.map fun m => { module := m })
  for c in ← rowsOf j "constants" do
    match addChecked env 0 (← readDeclaration r c) none with
    | .ok next => env := next
    | .error e => throw s!"the kernel refuses a constant: {← (e.toMessageData {}).toString}"
  return (r, env)

/-- What is said of a constant that was exported and accepted, and its statement as this process prints it, empty where it cannot: in a project that
runs programs nobody else is to be believed about it. -/
def judgeExported (env : Environment) (info : ConstantInfo) (allowed : List Name) : IO (Judgement × String) := do
  let axioms := axiomsOf env #[info.name]
  let extra := axioms.filter fun a => !(standardAxioms.contains a || allowed.contains a)
  let statement := (← printType? env info.type).getD ""
  if extra.isEmpty then return ({ kind := "accepted", reason := "", axioms }, statement)
  return ({ kind := if extra.contains ``sorryAx then "sorry" else "axiom", reason := s!"the proof rests on {extra.toList}", axioms }, statement)

def refusal (why : String) : Judgement × String :=
  ({ kind := "kernel", reason := s!"a second process refuses the proof: {why}" }, "")

/-- Judge an exported theorem. -/
def checkExport (imported : Imported) (j : Json) (name : Name) (allowed : List Name) : IO (Judgement × String) := do
  let act : ExceptT String IO (Judgement × String) := do
    let (_, env) ← readExport imported j
    let some (.thmInfo info) := env.find? name | throw s!"there is no theorem `{name}`"
    judgeExported env (.thmInfo info) (allowed ++ axiomsOfStatement env info.type {})
  match ← act.run with
  | .ok judged => return judged
  | .error e => return refusal e

/-- Judge all constants that an export is about (`roots`), in their order. -/
def checkRoots (imported : Imported) (j : Json) (allowed : List Name) : IO (Array (Name × Judgement × String)) := do
  let roots := (j.getObjVal? "roots" >>= Json.getArr?).toOption.getD #[]
  let act : ExceptT String IO (Array (Name × Judgement × String)) := do
    let (r, env) ← readExport imported j
    roots.mapM fun root => do
      let name ← Rows.at r.names root
      let some info := env.find? name | throw s!"there is no `{name}`"
      return (name, ← judgeExported env info allowed)
  match ← act.run with
  | .ok judged => return judged
  | .error e => return roots.map fun _ => (.anonymous, refusal e)

end LeanAgent
