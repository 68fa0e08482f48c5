/-
Calls of the library's functions, one a line: every function whose arguments can be made up from its type, with three
choices of arguments. `line` numbers the choice; type parameters are `Nat` and `String`, monads are `Id`.
-/
import Lean
import Std
open Lean Meta

namespace Sweep

/-- Three values of a type, as text, or none where none is known. -/
partial def values (type : Expr) : MetaM (Option (Array String)) := do
  let type ← whnfR type
  let wrapped (all : Array String) : Option (Array String) := some (all.map fun v => s!"({v} : {typeText type})")
  let some head := type.getAppFn.constName? | return (← functionValues type)
  let arguments := type.getAppArgs
  let inner (i : Nat) : MetaM (Option (Array String)) := do
    let some a := arguments[i]? | return none
    values a
  match head with
  | ``Nat => return some #["3", "0", "300"]
  | ``Int => return some #["(-3 : Int)", "(0 : Int)", "(300 : Int)"]
  | ``Bool => return some #["true", "false", "true"]
  | ``Char => return some #["'a'", "' '", "'é'"]
  | ``String => return some #["\"ab\"", "\"\"", "\"añ b,c\""]
  | ``UInt8 | ``UInt16 | ``UInt32 | ``UInt64 | ``USize => return wrapped #["3", "0", "200"]
  | ``Int8 | ``Int16 | ``Int32 | ``Int64 | ``ISize => return wrapped #["3", "0", "-100"]
  | ``Float | ``Float32 => return wrapped #["1.5", "0", "-2.25"]
  | ``Unit | ``PUnit => return some #["()", "()", "()"]
  | ``Ordering => return some #["Ordering.lt", "Ordering.eq", "Ordering.gt"]
  | ``ByteArray => return some #["(ByteArray.mk #[97, 2, 200])", "(ByteArray.mk #[])", "(ByteArray.mk #[97, 98])"]
  | ``FloatArray => return some #["(FloatArray.mk #[1.5, 0])", "(FloatArray.mk #[])", "(FloatArray.mk #[2])"]
  | ``Name => return some #["`a.b", "Lean.Name.anonymous", "`a"]
  | ``String.Pos.Raw => return some #["(String.Pos.Raw.mk 1)", "(String.Pos.Raw.mk 0)", "(String.Pos.Raw.mk 3)"]
  | ``Substring.Raw => return some #["\"abc\".toRawSubstring", "\"\".toRawSubstring", "(\"añ b,c\".toRawSubstring.drop 1)"]
  | ``String.Slice => return some #["\"abc\".toSlice", "\"\".toSlice", "(\"añ b,c\".toSlice.drop 1)"]
  | ``Fin =>
    let some n := arguments[0]!.rawNatLit? <|> arguments[0]!.nat? | return none
    return if n < 3 then none else wrapped #["1", "0", "2"]
  | ``BitVec => return wrapped #["3", "0", "200"]
  | ``List => return (← inner 0).map fun v => #[s!"[{v[0]!}, {v[2]!}]", s!"([] : {typeText type})", s!"[{v[2]!}, {v[0]!}, {v[1]!}]"]
  | ``Array => return (← inner 0).map fun v => #[s!"#[{v[0]!}, {v[2]!}]", s!"(#[] : {typeText type})", s!"#[{v[2]!}, {v[0]!}, {v[1]!}]"]
  | ``Subarray => return (← inner 0).map fun v => #[s!"#[{v[0]!}, {v[2]!}].toSubarray", s!"(#[] : Array {typeText arguments[0]!}).toSubarray", s!"(#[{v[2]!}, {v[0]!}, {v[1]!}].toSubarray 1 2)"]
  | ``Option => return (← inner 0).map fun v => #[s!"(some {v[0]!})", s!"(none : {typeText type})", s!"(some {v[2]!})"]
  | ``Prod =>
    let some a ← inner 0 | return none
    let some b ← inner 1 | return none
    return some <| #[0, 1, 2].map fun i => s!"({a[i]!}, {b[i]!})"
  | ``Sum | ``Except =>
    let some a ← inner 0 | return none
    let some b ← inner 1 | return none
    let (left, right) := if head == ``Sum then ("Sum.inl", "Sum.inr") else ("Except.error", "Except.ok")
    return wrapped #[s!"{right} {b[0]!}", s!"{left} {a[1]!}", s!"{right} {b[2]!}"]
  | ``Id => inner 0
  | ``Thunk => return (← inner 0).map fun v => v.map fun x => s!"(Thunk.mk fun _ => {x})"
  | _ => return none
where
  typeText (type : Expr) : String := s!"({text type})"
  text (type : Expr) : String :=
    let arguments := (type.getAppArgs.map text).toList
    match type with
    | .lit (.natVal n) => toString n
    | _ => match type.nat?, type.getAppFn.constName? with
      | some n, _ => toString n
      | _, some c => " ".intercalate (s!"@{c}" :: arguments.map fun a => s!"({a})")
      | _, _ => "_"
  functionValues (type : Expr) : MetaM (Option (Array String)) := do
    let .forallE _ domain range _ := type | return none
    if range.hasLooseBVars then return none
    if (← isProp domain) then return none
    let range ← whnfR range
    if range.isSort then return none
    if range == domain then return some #["(fun x => x)", "(fun x => x)", "(fun x => x)"]
    return (← values range).map fun all => all.map fun v => s!"(fun _ => {v})"

/-- A call of a function with the `choice`-th values, as text; none where an argument cannot be made up. -/
partial def call? (name : Name) (type : Expr) (choice : Nat) : MetaM (Option String) := do
  go type (s!"@{name}") #[mkConst ``Nat, mkConst ``String, mkConst ``Char, mkConst ``Bool]
where
  go (type : Expr) (text : String) (parameters : Array Expr) : MetaM (Option String) := do
    match ← whnfCore type with
    | .forallE n domain body info =>
      let domain ← instantiateMVars domain
      if domain.isSort then
        if domain.isProp then return none
        let parameter := parameters[0]?.getD (mkConst ``Nat)
        go (body.instantiate1 parameter) s!"{text} {parameter.constName!}" (parameters.extract 1 parameters.size)
      else if let .forallE _ (.sort _) (.sort _) _ := domain then
        go (body.instantiate1 (mkConst ``Id [.zero])) s!"{text} Id" parameters
      else if info.isInstImplicit then
        let some inst ← (try synthInstance? domain catch _ => pure none) | return none
        go (body.instantiate1 inst) s!"{text} inferInstance" parameters
      else if (← (try isProp domain catch _ => pure false)) then
        go (body.instantiate1 (← mkSorry domain true)) s!"{text} (by first | decide | omega | simp)" parameters
      else
        let domain ← whnfR domain
        if domain.isConstOf ``Nat then
          let value := if info.isExplicit then [3, 0, 300][choice]! else 8
          go (body.instantiate1 (mkRawNatLit value)) s!"{text} {value}" parameters
        else
          let _ := n
          let some all ← values domain | return none
          go (body.instantiate1 (← mkSorry domain true)) s!"{text} {all[choice]!}" parameters
    | result =>
      let result ← instantiateMVars result
      if result.isSort || (← (try isProp result catch _ => pure true)) then return none
      return some text

def isCallable (env : Environment) (name : Name) (info : ConstantInfo) : Bool :=
  !name.isInternal && !isPrivateName name && !name.hasMacroScopes && !isNoncomputable env name && !info.isUnsafe
    && !(name.components.any fun c => c.toString.startsWith "inst" || c.toString.contains '«')
    && !isCasesOnRecursor env name && !isRecCore env name && !isNoConfusion env name
    && (match info with | .defnInfo _ | .opaqueInfo _ | .axiomInfo _ => true | _ => false)   -- a body that is not exported makes an axiom

/-- The calls of all functions whose module begins with one of `roots`, as lines `name TAB call`. -/
def calls (roots : List Name) (choice : Nat) : MetaM (Array String) := do
  let env ← getEnv
  let mut lines := #[]
  for (name, info) in env.constants.map₁.toList do
    let some index := env.getModuleIdxFor? name | continue
    let module := env.header.moduleNames[index.toNat]!
    unless roots.any (·.isPrefixOf module) && isCallable env name info do continue
    let type := info.type.instantiateLevelParams info.levelParams (info.levelParams.map fun _ => .zero)
    let text ← try withCurrHeartbeats (call? name type choice) catch _ => pure none
    if let some text := text then lines := lines.push s!"{name}\t{text}"
  return lines.qsort (· < ·)

end Sweep
