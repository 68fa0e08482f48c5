open Lean

-- `colGt`, as in Lean's own `intro`: names of tactics are no keywords, and would be taken for further identifiers
macro "intros!" xs:(ppSpace colGt ident)* : tactic => do
  let mut t ← `(tactic| skip)
  for x in xs do
    t ← `(tactic| ($t; intro $(⟨x⟩):ident))
  return t
theorem by_for (p q : Prop) : p → q → p := by
  intros! hp hq
  exact hp

syntax "intros_each" (ppSpace colGt ident)* : tactic
macro_rules
  | `(tactic| intros_each $xs:ident*) => do
    let ts ← xs.mapM fun x => `(tactic| intro $x:ident)
    `(tactic| ($[$ts]*))
theorem by_splice (p q : Prop) : p → q → p := by
  intros_each hp hq
  exact hp

syntax "intros_one_by_one" (ppSpace colGt ident)* : tactic
macro_rules
  | `(tactic| intros_one_by_one) => `(tactic| skip)
  | `(tactic| intros_one_by_one $x $xs*) => `(tactic| (intro $x:ident; intros_one_by_one $xs*))
theorem by_recursion (p q : Prop) : p → q → p := by
  intros_one_by_one hp hq
  exact hp

syntax "chain " sepBy1(tactic, " ; ") : tactic
macro_rules
  | `(tactic| chain $t) => pure t
  | `(tactic| chain $t ; $ts;*) => `(tactic| $t <;> chain $ts;*)
theorem by_chain (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  chain constructor ; assumption

macro "cases_all " xs:ident,+ : tactic => do
  let ts ← xs.getElems.mapM fun x => `(tactic| cases $x:ident)
  ts.foldrM (fun t acc => `(tactic| ($t:tactic <;> $acc:tactic))) (← `(tactic| rfl))
theorem by_cases_all (x y : Bool) : (x && y) = (y && x) := by
  cases_all x, y

macro "first_of " "[" ts:term,* "]" : tactic => do
  let mut t : TSyntax `tactic ← `(tactic| skip)
  for x in ts.getElems do
    t ← `(tactic| first | exact $x | $t:tactic)
  pure t
theorem by_first_of (p : Prop) (hp : p) : p := by
  first_of [hp, trivial]

macro "times " n:num t:tactic : tactic => do
  let mut acc ← `(tactic| skip)
  for _ in [0:n.getNat] do
    acc ← `(tactic| ($acc:tactic; $t:tactic))
  return acc
theorem by_times (p q r : Prop) (hp : p) : q → r → p := by
  times 2 (intro _)
  exact hp

macro "have_all " ts:term,+ : tactic => do
  let ids := (Array.range ts.getElems.size).map fun i => mkIdent (Name.mkSimple s!"h{i}")
  `(tactic| ($[have $ids:ident := $ts];*))
theorem by_have_all (p q : Prop) (hp : p) (hq : q) : q ∧ p := by
  have_all hp, hq
  exact ⟨h1, h0⟩

macro "simp_each " hs:ident,* : tactic => do
  let lemmas ← hs.getElems.mapM fun h => `(Parser.Tactic.simpLemma| $h:ident)
  `(tactic| simp only [$lemmas,*])
theorem by_simp_each (x y : Nat) (h : x = y) (k : y = 3) : x = 3 := by
  simp_each h, k

macro "any_of " ts:tacticSeq,+ : tactic => do
  let alternatives := ts.getElems
  let mut acc ← `(tactic| fail "none")
  for i in [0:alternatives.size] do
    let t := alternatives[alternatives.size - 1 - i]!
    acc ← `(tactic| first | ($t:tacticSeq) | $acc:tactic)
  return acc
theorem by_any_of (p : Prop) (h : p) : p := by
  any_of trivial, exact h
