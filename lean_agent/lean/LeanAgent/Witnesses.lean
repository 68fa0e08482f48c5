/-
Numbers that exist by an equation: `∃ k, a * b = 2 * k + 1` is solved for `k`, with what hypotheses that say `∃` give, by polynomials.
And what such a definition means where it is about one number: `∃ k, n = 2 * k + 1` is `n % 2 = 1`, of which `grind` and `omega` know
more.
-/
import LeanAgent.Products
open Lean Meta

namespace LeanAgent.Witnesses

/-- So many hypotheses are opened, -/
def mostOpened : Nat := 3

/-- and a polynomial has so many terms. -/
def mostTerms : Nat := 40

/-- A product of atoms, by their numbers, in order. -/
abbrev Monomial := Array Nat

/-- A sum of products, each once, with integers other than 0. -/
abbrev Polynomial := Array (Monomial × Int)

def Polynomial.add (p q : Polynomial) : Polynomial :=
  q.foldl (init := p) fun p (m, c) =>
    match p.findIdx? (·.1 == m) with
    | some i =>
      let sum := p[i]!.2 + c
      if sum == 0 then p.eraseIdxIfInBounds i else p.set! i (m, sum)
    | none => if c == 0 then p else p.push (m, c)

def Polynomial.times (p : Polynomial) (m : Monomial) (c : Int) : Polynomial := p.map fun (n, d) => ((n ++ m).qsort (· < ·), d * c)

def Polynomial.mul (p q : Polynomial) : Polynomial := q.foldl (init := #[]) fun sum (m, c) => sum.add (p.times m c)

def Polynomial.neg (p : Polynomial) : Polynomial := p.map fun (m, c) => (m, -c)

def Polynomial.of (n : Int) : Polynomial := if n == 0 then #[] else #[(#[], n)]

def Polynomial.pow (p : Polynomial) : Nat → Polynomial
  | 0 => .of 1
  | n + 1 => (p.pow n).mul p

/-- With a polynomial in the place of an atom. -/
def Polynomial.substituted (p : Polynomial) (atom : Nat) (value : Polynomial) : Polynomial :=
  p.foldl (init := #[]) fun sum (m, c) => sum.add <| (value.pow (m.count atom)).times (m.filter (· != atom)) c

/-- Longer products first, then by their atoms. -/
def Monomial.isBefore (m n : Monomial) : Bool := if m.size == n.size then m.toList < n.toList else m.size > n.size

def Polynomial.leading? (p : Polynomial) : Option (Monomial × Int) := (p.qsort fun a b => a.1.isBefore b.1)[0]?

/-- What is left of a product without the atoms of another, if it has all of them. -/
def Monomial.without? (m n : Monomial) : Option Monomial :=
  n.foldl (init := some m) fun left? atom => left?.bind fun left => (left.idxOf? atom).map left.eraseIdxIfInBounds

/-- The polynomial that a second one has to be multiplied by to be the first, if there is one. -/
def Polynomial.divided? (p q : Polynomial) : Option Polynomial := Id.run do
  let some (first, divisor) := q.leading? | return none
  let mut left := p
  let mut result := #[]
  for _ in [0:mostTerms] do
    let some (m, c) := left.leading? | return some result
    let some rest := m.without? first | return none
    unless c % divisor == 0 do return none
    let term := (rest, c / divisor)
    result := Polynomial.add result #[term]
    left := left.add (q.times rest (-(c / divisor)))
  return none

abbrev AtomsM := StateRefT (Array Expr) MetaM

def atom (e : Expr) : AtomsM Polynomial := do
  if let some place := (← get).findIdx? (· == e) then return #[(#[place], 1)]
  modify (·.push e)
  return #[(#[(← get).size - 1], 1)]

/-- A term of numbers as a polynomial. Of natural numbers a difference is an atom. -/
partial def polynomial (e : Expr) (isInt : Bool) : AtomsM Polynomial := do
  let e := e.consumeMData
  if let some n := Products.literal? e then return .of n
  match e.getAppFnArgs with
  | (``HAdd.hAdd, #[_, _, _, _, a, b]) => return (← polynomial a isInt).add (← polynomial b isInt)
  | (``HMul.hMul, #[_, _, _, _, a, b]) =>
    let (p, q) := (← polynomial a isInt, ← polynomial b isInt)
    if p.size * q.size > mostTerms then atom e else return p.mul q
  | (``HSub.hSub, #[_, _, _, _, a, b]) => if isInt then return (← polynomial a isInt).add (← polynomial b isInt).neg else atom e
  | (``Neg.neg, #[_, _, a]) => return (← polynomial a isInt).neg
  | (``HPow.hPow, #[_, _, _, _, base, exponent]) =>
    match Products.literal? exponent with
    | some n =>
      let p ← polynomial base isInt
      if n > 4 || (p.pow n).size > mostTerms then atom e else return p.pow n
    | none => atom e
  | (``Nat.succ, #[a]) => return (← polynomial a isInt).add (.of 1)
  | _ => atom e

/-- An equation of numbers as a polynomial that is 0, and whether the numbers are integers. -/
def equation? (type : Expr) : AtomsM (Option (Polynomial × Bool)) := do
  let (``Eq, #[numbers, a, b]) := type.consumeMData.getAppFnArgs | return none
  let some isInt ← Products.numberType? numbers | return none
  return some ((← polynomial a isInt).add (← polynomial b isInt).neg, isInt)

/-- What a proposition says by its definitions, if that is `∃`; `a ∣ b` of numbers is that `b = a * c` for some `c`. -/
def existence? (type : Expr) : MetaM (Option Expr) := do
  let type := (← instantiateMVars type).consumeMData
  if let (``Dvd.dvd, #[numbers, _, a, b]) := type.getAppFnArgs then
    if (← Products.numberType? numbers).isNone then return none
    return some <| ← withLocalDeclD `c numbers fun c => do mkAppM ``Exists #[← mkLambdaFVars #[c] (← mkEq b (← mkAppM ``HMul.hMul #[a, c]))]
  let some said ← opened? type | return none
  return if said.isAppOfArity ``Exists 2 then some said else none

/-- A hypothesis that is opened: a pattern for it, and equations of what it names. -/
structure Opening where
  text : String
  equations : Array Expr

/-- A name that no variable has, as a tactic can write it. -/
def freshName (name : Name) : MetaM Name := return (← getLCtx).getUnusedName (if name.hasMacroScopes then `k else name)

/-- Open what a proposition says of `∃` and `∧`. -/
partial def withOpened (type : Expr) (k : String → Array Expr → MetaM α) : MetaM α := do
  match type.consumeMData.getAppFnArgs with
  | (``Exists, #[domain, body]) =>
    let name := match body with
      | .lam name _ _ _ => name
      | _ => `k
    withLocalDeclD (← freshName name) domain fun x => do
      withOpened (body.beta #[x]) fun pattern equations => do
        k s!"⟨{(← x.fvarId!.getUserName)}, {pattern}⟩" equations
  | (``And, #[a, b]) => withOpened a fun left first => withOpened b fun right second => k s!"⟨{left}, {right}⟩" (first ++ second)
  | _ =>
    withLocalDeclD (← freshName `h) type fun x => do k (toString (← x.fvarId!.getUserName)) #[type]

/-- Open the hypotheses that say `∃` of numbers. -/
partial def withHypotheses (facts : List (String × Expr)) (texts : Array String) (equations : Array Expr) (k : Array String → Array Expr → MetaM α) : MetaM α := do
  match facts with
  | [] => k texts equations
  | (name, said) :: facts =>
    withOpened said fun pattern more => withHypotheses facts (texts.push s!"obtain {pattern} := {name}") (equations ++ more) k

/-- A variable that an equation says what it is, and that: one that stands by itself, and nowhere else in it. -/
def solvable? (p : Polynomial) (atoms : Array Expr) (isKept : Expr → Bool) : Option (Nat × Polynomial) := do
  let found ← p.find? fun (m, c) =>
    m.size == 1 && (c == 1 || c == -1) && (atoms[m[0]!]?.any fun e => e.isFVar && !isKept e) && p.all fun (n, _) => n == m || !n.contains m[0]!
  let rest := p.filter (·.1 != found.1)
  return (found.1[0]!, if found.2 == 1 then Polynomial.neg rest else rest)

def textOf (atoms : Array Expr) (m : Monomial) (c : Nat) : MetaM (Option String) := do
  let mut factors := if c == 1 && !m.isEmpty then #[] else #[toString c]
  for place in m do
    let some e := atoms[place]? | return none
    let some text ← Products.bracketed e | return none
    factors := factors.push text
  return some (" * ".intercalate factors.toList)

/-- A polynomial as a term; of natural numbers what is taken away comes last. -/
def Polynomial.text? (p : Polynomial) (atoms : Array Expr) (isInt : Bool) : MetaM (Option String) := do
  let ordered := p.qsort fun a b => a.1.isBefore b.1
  let mut sums := #[]
  for isPositive in [true, false] do
    let mut terms := #[]
    for (m, c) in ordered do
      if (c > 0) != isPositive then continue
      let some text ← textOf atoms m c.natAbs | return none
      terms := terms.push text
    sums := sums.push (" + ".intercalate terms.toList)
  match sums with
  | #["", ""] => return some "0"
  | #[positive, ""] => return some positive
  | #["", negative] => return if isInt then some s!"-{inBrackets negative}" else none
  | #[positive, negative] => return some s!"{positive} - {inBrackets negative}"
  | _ => return none

/-- `c * k + r` for the polynomial of an equation that is linear in an atom. -/
def linear? (p : Polynomial) (k : Nat) : Option (Polynomial × Polynomial) := do
  let (of, rest) := p.partition fun (m, _) => m.contains k
  guard <| !of.isEmpty && of.all fun (m, _) => m.count k == 1
  return (of.map fun (m, c) => (m.filter (· != k), c), rest)

/-- What solves the equation of a goal for the number that is said to exist, behind what opens hypotheses: a tactic. -/
def ofGoal (goal : MVarId) : MetaM (Array String) := goal.withContext do
  let target ← instantiateMVars (← goal.getType)
  let some said ← existence? target | return #[]
  let (``Exists, #[numbers, body]) := said.getAppFnArgs | return #[]
  if (← Products.numberType? numbers).isNone then return #[]
  let named := (← hypotheses).filter (·.text != "by assumption")
  let openings ← named.filterMapM fun fact => return (← existence? fact.type).map (fact.text, ·)
  let given := named.map (·.type)
  let before := (← getLCtx).getFVarIds
  withHypotheses (openings.extract 0 mostOpened).toList #[] #[] fun texts equations => do
    let opened := (← getLCtx).getFVarIds.filter (!before.contains ·)
    withLocalDeclD (← freshName `k) numbers fun k => do
      let act : AtomsM (Array String) := do
        let some (equation, isInt) ← equation? ((body.beta #[k]).consumeMData) | return #[]
        let mut known : Array Polynomial := #[]
        for type in equations ++ given do
          if let some (p, ofInts) ← equation? type then
            if ofInts == isInt then known := known.push p
        let place := (← get).idxOf? k
        let some place := place | return #[]
        let some (c, r) := linear? equation place | return #[]
        let atoms ← get
        let isKept (e : Expr) : Bool := e == k || opened.contains e.fvarId!
        let ofC := c.foldl (fun all (m, _) => all ++ m) #[]
        let mut (c, r, left) := (c, r, known.toList)
        for _ in [0:known.size] do
          let p :: rest := left | break
          left := rest
          if let some (v, value) := solvable? p atoms fun e => isKept e || (atoms.idxOf? e).any ofC.contains then
            if value.size ≤ mostTerms then
              c := c.substituted v value
              r := r.substituted v value
              left := left.map (·.substituted v value)
        let some quotient := r.neg.divided? c | return ← divided c r atoms isInt
        let some text ← quotient.text? atoms isInt | return #[]
        let closer := if isInt || quotient.all (·.2 > 0) then "grind" else "first | grind [Nat.mul_sub] | (simp only [Nat.mul_sub]; omega)"
        return #["; ".intercalate (texts.push s!"exact ⟨{text}, by {closer}⟩").toList]
      return (← act.run #[]).1
where
  /-- The quotient by a number, with a remainder. -/
  divided (c r : Polynomial) (atoms : Array Expr) (isInt : Bool) : MetaM (Array String) := do
    let #[(#[], n)] := c | return #[]
    let p : Polynomial := if n < 0 then r else r.neg
    let divided := p.filter fun (m, _) => !m.isEmpty
    let some text ← Polynomial.text? divided atoms isInt | return #[]
    return if divided.isEmpty || n.natAbs < 2 then #[] else #[s!"exact ⟨{inBrackets text} / {n.natAbs}, by omega⟩"]

/-- What a predicate of one number means that says that it is a multiple of a number, and a remainder. -/
def meaning? (function : Expr) : MetaM (Option Told) := do
  let .forallE name numbers body _ := ← whnfCore (← inferType function) | return none
  unless body.isProp do return none
  let some isInt ← Products.numberType? numbers | return none
  withLocalDeclD ((← getLCtx).getUnusedName name.eraseMacroScopes) numbers fun x => do
    let left := mkApp function x
    let some unfolded ← unfoldDefinition? left | return none
    let (``Exists, #[domain, body]) := unfolded.headBeta.consumeMData.getAppFnArgs | return none
    unless ← isDefEq domain numbers do return none
    withLocalDeclD `k numbers fun k => do
      let act : AtomsM (Option (Polynomial × Polynomial)) := do
        let some (equation, _) ← equation? (body.beta #[k]) | return none
        let some place := (← get).idxOf? k | return none
        let some own := (← get).idxOf? x | return none
        let some (c, r) := linear? equation place | return none
        let some (unit, rest) := linear? r own | return none
        let #[(#[], sign)] := unit | return none
        unless sign == 1 || sign == -1 do return none
        return some (c, if sign == 1 then Polynomial.neg rest else rest)
      let (some (#[(#[], n)], remainder), _) ← act.run #[] | return none
      let remainder : Int ← match remainder with
        | #[] => pure 0
        | #[(#[], r)] => pure r
        | _ => return none
      let n := n.natAbs
      if n < 2 || (!isInt && (remainder < 0 || remainder ≥ n)) then return none
      let number (i : Nat) : MetaM Expr := mkNumeral numbers i
      let says ← mkEq (← mkAppM ``HMod.hMod #[x, ← number n]) (← number (remainder % n).toNat)
      let statement ← mkForallFVars #[x] (← mkAppM ``Iff #[left, says])
      let proof := s!"fun x => ⟨fun ⟨k, h⟩ => by omega, fun h => ⟨x / {n}, by omega⟩⟩"
      return some { word := wordOf (headOf function), ending := byOtherTerm, statement, proof }

end LeanAgent.Witnesses
