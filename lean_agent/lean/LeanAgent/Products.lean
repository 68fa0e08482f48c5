/-
Comparisons of numbers multiplied by terms, as Mathlib's `nlinarith` begins: behind them what is to be shown of products is linear
in these, and `grind` decides it. What is multiplied are a goal's hypotheses and the negation of its target, by terms of the goal; of
powers it is said that they are positive and grow, of integers that their squares are not negative.
-/
import LeanAgent.Consequences
open Lean Meta

namespace LeanAgent.Products

/-- How a tactic calls the negation of the target. -/
def negation : String := "negation"

/-- So many comparisons, and so many terms, are looked at. -/
def mostCompared : Nat := 8

/-- So many products are made at a goal. -/
def mostProducts : Nat := 12

/-- A product of terms, by their numbers, in order; none of them is 1. -/
abbrev Monomial := Array Nat

inductive Comparing where
  | le | lt | eq
  deriving BEq

/-- A proof that compares two numbers, as a tactic can write it. -/
structure Compared where
  text : String
  how : Comparing
  left : Expr
  right : Expr
  isInt : Bool

/-- Terms that are no sums, products or powers, and how a tactic writes each. -/
structure Factor where
  term : Expr
  text : String
  isInt : Bool

/-- What may be said beside the hypotheses, with the products that it speaks of; a product is of use only beside others of the same. -/
structure Candidate where
  text : String
  monomials : Array Monomial
  isCertain : Bool := false
  deriving Inhabited

abbrev ProductM := StateRefT (Array Factor) MetaM

def numberType? (type : Expr) : MetaM (Option Bool) := do
  match ← whnfR type with
  | .const ``Nat _ => return some false
  | .const ``Int _ => return some true
  | _ => return none

/-- A term in brackets, unless it is one word. -/
def bracketed (e : Expr) : MetaM (Option String) := do
  let text := toString (← ppExpr e)
  if !canBeWritten text then return none
  return some (inBrackets text)

/-- The number of a factor; nothing of one that a tactic cannot write, or that comes after too many. -/
def factor? (e : Expr) (isInt : Bool) : ProductM (Option Nat) := do
  let known ← get
  if let some place := known.findIdx? (·.term == e) then return some place
  if known.size ≥ mostCompared then return none
  let some text ← bracketed e | return none
  set (known.push { term := e, text, isInt })
  return some known.size

def multiplied (left right : Array Monomial) : Array Monomial :=
  (left.flatMap fun a => right.map fun b => (a ++ b).qsort (· < ·)).toList.eraseDups.toArray

def joined (left right : Array Monomial) : Array Monomial :=
  (left ++ right).toList.eraseDups.toArray

def literal? (e : Expr) : Option Nat :=
  match e.getAppFnArgs with
  | (``OfNat.ofNat, #[_, n, _]) => n.rawNatLit?
  | _ => e.rawNatLit?

/-- The products that a term is a sum of, whatever they are multiplied by. -/
partial def monomialsOf? (e : Expr) (isInt : Bool) : ProductM (Option (Array Monomial)) := do
  let e := e.consumeMData
  let both (combine : Array Monomial → Array Monomial → Array Monomial) (a b : Expr) : ProductM (Option (Array Monomial)) := do
    let some left ← monomialsOf? a isInt | return none
    let some right ← monomialsOf? b isInt | return none
    return if left.size * right.size > 40 then none else some (combine left right)
  let single : ProductM (Option (Array Monomial)) := return (← factor? e isInt).map fun place => #[#[place]]
  if (literal? e).isSome then return some #[#[]]
  match e.getAppFnArgs with
  | (``HAdd.hAdd, #[_, _, _, _, a, b]) => both joined a b
  | (``HSub.hSub, #[_, _, _, _, a, b]) => if isInt then both joined a b else single
  | (``Neg.neg, #[_, _, a]) => monomialsOf? a isInt
  | (``HMul.hMul, #[_, _, _, _, a, b]) => both multiplied a b
  | (``HPow.hPow, #[_, _, _, _, base, exponent]) =>
    match literal? exponent, exponent.getAppFnArgs with
    | some 0, _ => return some #[#[]]
    | some n, _ =>
      if (literal? base).isSome then return some #[#[]]
      if n > 4 then return ← single
      let some one ← monomialsOf? base isInt | return none
      return if one.size > 3 then none else some <| (List.range (n - 1)).foldl (fun all _ => multiplied all one) one
    | _, (``HAdd.hAdd, #[_, _, _, _, m, n]) =>
      let power (exponent : Expr) : ProductM Expr := mkAppM ``HPow.hPow #[base, exponent]
      both multiplied (← power m) (← power n)
    | _, _ => single
  | _ => single

/-- What a proposition compares; a negated comparison is the opposite one. -/
partial def comparison? (type : Expr) (text : String) : MetaM (Option Compared) := do
  let type := type.consumeMData
  let make (how : Comparing) (numbers left right : Expr) : MetaM (Option Compared) := do
    return (← numberType? numbers).map ({ text, how, left, right, isInt := · })
  match type.getAppFnArgs with
  | (``LE.le, #[numbers, _, a, b]) => make .le numbers a b
  | (``GE.ge, #[numbers, _, a, b]) => make .le numbers b a
  | (``LT.lt, #[numbers, _, a, b]) => make .lt numbers a b
  | (``GT.gt, #[numbers, _, a, b]) => make .lt numbers b a
  | (``Eq, #[numbers, a, b]) => make .eq numbers a b
  | (``Not, #[inner]) =>
    if inner.isAppOf ``Not then return none
    let some c ← comparison? inner text | return none
    let type := if c.isInt then "Int" else "Nat"
    match c.how with
    | .le => return some { c with text := s!"({type}.not_le.mp {text})", how := .lt, left := c.right, right := c.left }
    | .lt => return some { c with text := s!"({type}.not_lt.mp {text})", how := .le, left := c.right, right := c.left }
    | .eq => return none
  | _ => return none

/-- `a ≤ b` for `a ≤ b`, `a + 1 ≤ b` for `a < b`. -/
def Compared.asLe (c : Compared) : String :=
  match c.how with
  | .lt => s!"({if c.isInt then "Int" else "Nat"}.add_one_le_of_lt {c.text})"
  | _ => c.text

/-- `a ≤ b` for `a < b`, too. -/
def Compared.weakly (c : Compared) : String :=
  match c.how with
  | .lt => s!"({if c.isInt then "Int" else "Nat"}.le_of_lt {c.text})"
  | _ => c.text

/-- The products in both sides; in `a < b` 1 is one of them. -/
def Compared.monomials? (c : Compared) : ProductM (Option (Array Monomial)) := do
  let some left ← monomialsOf? c.left c.isInt | return none
  let some right ← monomialsOf? c.right c.isInt | return none
  return some <| joined (joined left right) (if c.how == .lt then #[#[]] else #[])

/-- Whether a term is known not to be negative, as its form or a comparison with such a term says. -/
partial def isNonNegative (comparisons : Array Compared) (e : Expr) (isInt : Bool) (steps : Nat := 3) : Bool :=
  !isInt || (literal? e).isSome || (match e.getAppFnArgs with
    | (``Nat.cast, _) => true
    | (``HPow.hPow, #[_, _, _, _, base, _]) => (literal? base).isSome
    | _ => false) || steps > 0 && comparisons.any fun c =>
      c.isInt && c.right == e && c.how != .eq && c.left != e && isNonNegative comparisons c.left true (steps - 1)

/-- A comparison times a factor that is not negative. -/
def Compared.times (c : Compared) (factor : Factor) : String :=
  match c.how, c.isInt with
  | .eq, _ => s!"congrArg ({factor.text} * ·) {c.text}"
  | _, false => s!"Nat.mul_le_mul_left {factor.text} {c.asLe}"
  | _, true => s!"Int.mul_le_mul_of_nonneg_left {c.asLe} (by omega : 0 ≤ {factor.text})"

/-- Of two factors of a product the second is 0, or the product is not smaller than the first. -/
def sizes (left right : Factor) : String :=
  if left.isInt then
    let times := s!"fun h => Int.mul_le_mul_of_nonneg_left (Int.add_one_le_of_lt h) (by omega : 0 ≤ {left.text})"
    s!"(Int.lt_trichotomy {right.text} 0).imp ({times}) (Or.imp_right {times})"
  else s!"(Nat.eq_zero_or_pos {right.text}).imp_right fun h => Nat.mul_le_mul_left {left.text} (Nat.add_one_le_of_lt h)"

/-- The square of an integer is not negative. -/
def squareOf (text : String) : String :=
  s!"((Int.le_total 0 {text}).elim (fun h => Int.mul_nonneg h h) fun h => Int.mul_nonneg_of_nonpos_of_nonpos h h : 0 ≤ {text} * {text})"

/-- Powers are positive, and grow with their exponent and their base, as far as comparisons speak of these. -/
def ofPowers (comparisons : Array (Compared × Array Monomial)) : ProductM (Array Candidate) := do
  let mut made : Array Candidate := #[]
  for (factor, place) in (← get).zipIdx do
    let (``HPow.hPow, #[_, _, _, _, base, exponent]) := factor.term.getAppFnArgs | continue
    let some baseText ← bracketed base | continue
    if (literal? base).isSome then
      let type := if factor.isInt then "Int" else "Nat"
      made := made.push { text := s!"({type}.pow_pos (by decide) : 0 < {factor.text})", monomials := #[#[], #[place]], isCertain := true }
    let exponent? := (← get).findIdx? (·.term == exponent)
    for (c, monomials) in comparisons do
      if c.isInt || factor.isInt || c.how == .eq then continue
      if (literal? base).isSome && exponent?.any (monomials.contains #[·]) then
        made := made.push { text := s!"(Nat.pow_le_pow_right (by decide) {c.asLe} : {baseText} ^ _ ≤ _)", monomials := #[], isCertain := true }
      if (literal? base).isNone && (c.left == base || c.right == base) then
        let some exponentText ← bracketed exponent | continue
        made := made.push { text := s!"Nat.pow_le_pow_left {c.weakly} {exponentText}", monomials := #[], isCertain := true }
  return made.foldl (fun all one => if all.any (·.text == one.text) then all else all.push one) #[]

/-- Without those that speak of a product of which nothing else does, until there are no such. -/
partial def withCompany (known : Array (Array Monomial)) (candidates : Array Candidate) : Array Candidate :=
  let count (m : Monomial) : Nat := (known ++ candidates.map (·.monomials)).countP (·.contains m)
  let left := candidates.filter fun c => c.isCertain || c.monomials.all fun m => m.size < 2 || count m > 1
  if left.size == candidates.size then left else withCompany known left

/-- Whether a proposition compares numbers, or is made of such by `∧`, `∨`, `¬` and `↔`. -/
partial def isOfNumbers (e : Expr) : MetaM Bool := do
  match e.consumeMData.getAppFnArgs with
  | (``False, _) => return true
  | (``Not, #[inner]) => isOfNumbers inner
  | (``Ne, #[numbers, _, _]) => return (← numberType? numbers).isSome
  | (``And, #[a, b]) | (``Or, #[a, b]) | (``Iff, #[a, b]) => isOfNumbers a <&&> isOfNumbers b
  | _ => return (← comparison? e "").isSome

/-- Proofs of what is of use at a goal whose numbers are multiplied, each as a tactic can write it, with up to `most` comparisons
times a term: those first that speak of products that the goal speaks of. -/
def ofGoal (goal : MVarId) (most : Nat) : MetaM (Array String) := goal.withContext do
  unless ← isOfNumbers (← instantiateMVars (← goal.getType)) do return #[]
  let named := (← hypotheses).filter (·.text != "by assumption")
  let mut comparisons : Array Compared ← named.filterMapM fun fact => comparison? fact.type fact.text
  let target ← instantiateMVars (← goal.getType)
  if let some c ← comparison? (mkNot target) negation then comparisons := comparisons.push c
  comparisons := comparisons.extract (comparisons.size - mostCompared) comparisons.size
  let act : ProductM (Array String) := do
    let mut known : Array (Array Monomial) := #[]
    let mut usable : Array (Compared × Array Monomial) := #[]
    for c in comparisons do
      let some monomials ← c.monomials? | continue
      known := known.push monomials
      usable := usable.push (c, monomials)
    let factors ← get
    let isPower (f : Factor) : Bool := f.term.isAppOf ``HPow.hPow
    unless known.any (·.any (·.size > 1)) || factors.any isPower do return #[]
    let mut candidates : Array Candidate ← ofPowers usable
    for (c, monomials) in usable do
      if c.how == .eq then
        for m in monomials do
          let #[i, j] := m | continue
          for (left, right) in if i == j then [] else [(i, j), (j, i)] do
            let some (first, second) := return (← factors[left]?, ← factors[right]?) | continue
            if isNonNegative comparisons first.term first.isInt && first.isInt == c.isInt && !isPower second then
              candidates := candidates.push { text := sizes first second, monomials := #[#[right], #[left], m], isCertain := true }
      for (factor, place) in factors.zipIdx do
        if factor.isInt == c.isInt && (c.how == .eq || isNonNegative comparisons factor.term factor.isInt) then
          candidates := candidates.push { text := c.times factor, monomials := multiplied monomials #[#[place]] }
    let integers := usable.filter fun (c, _) => c.isInt && c.how != .eq
    for ((c, monomials), place) in integers.zipIdx do
      for (d, others) in integers.extract (place + 1) integers.size do
        candidates := candidates.push {
          text := s!"Int.mul_nonneg (Int.sub_nonneg_of_le {c.asLe}) (Int.sub_nonneg_of_le {d.asLe})", monomials := multiplied monomials others }
    for (x, i) in factors.zipIdx do
      if !x.isInt then continue
      candidates := candidates.push { text := squareOf x.text, monomials := #[#[i, i]] }
      for (y, j) in factors.zipIdx do
        if y.isInt && i < j then
          candidates := candidates.push { text := squareOf s!"({x.text} - {y.text})", monomials := #[#[i, i], #[i, j], #[j, j]] }
    let kept := withCompany known candidates
    let isKnown (m : Monomial) : Bool := m.size > 1 && known.any (·.contains m)
    let rank (c : Candidate) : Nat := 100 + 10 * (c.monomials.countP (!isKnown ·)) - c.monomials.countP isKnown
    let (certain, others) := kept.partition (·.isCertain)
    return (certain ++ (fewestFirst (others.map fun c => (rank c, c))).extract 0 most).map (·.text)
  let (texts, _) ← act.run #[]
  return texts

end LeanAgent.Products
