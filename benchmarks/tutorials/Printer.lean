/-!
# Arithmetic in Polish notation

`+ 1 * 20 3` stands for `1 + 20 * 3`.  Expressions are printed as lists of
characters; to read them we cut the list into tokens and parse the tokens.
-/

namespace Polish

inductive Exp where
  | num (n : Nat)
  | add (a b : Exp)
  | mul (a b : Exp)
  deriving DecidableEq, Repr

inductive Tok where
  | num (n : Nat)
  | add | mul
  deriving DecidableEq, Repr

/-! ### Printing -/

def digitChar (d : Nat) : Char := Char.ofNat (d + 48)

/-- The decimal digits of a number. -/
def digits (n : Nat) : List Char :=
  if n < 10 then [digitChar n] else digits (n / 10) ++ [digitChar (n % 10)]

def Tok.print : Tok → List Char
  | .num n => digits n
  | .add => ['+']
  | .mul => ['*']

def printToks : List Tok → List Char
  | [] => []
  | t :: ts => t.print ++ ' ' :: printToks ts

def Exp.toToks : Exp → List Tok
  | .num n => [.num n]
  | .add a b => .add :: (a.toToks ++ b.toToks)
  | .mul a b => .mul :: (a.toToks ++ b.toToks)

def Exp.print (e : Exp) : List Char := printToks e.toToks

def Exp.depth : Exp → Nat
  | .num _ => 1
  | .add a b | .mul a b => max a.depth b.depth + 1

/-! ### Reading -/

def digitVal (c : Char) : Option Nat :=
  if '0' ≤ c ∧ c ≤ '9' then some (c.toNat - 48) else none

def symbol : Char → Option (List Tok)
  | ' ' => some []
  | '+' => some [.add]
  | '*' => some [.mul]
  | _ => none

def flush : Option Nat → List Tok
  | none => []
  | some n => [.num n]

/-- The tokenizer; `acc` is the number that is being read. -/
def lex (acc : Option Nat) : List Char → Option (List Tok)
  | [] => some (flush acc)
  | c :: cs =>
    match digitVal c with
    | some d => lex (some (acc.getD 0 * 10 + d)) cs
    | none => do
      let s ← symbol c
      let ts ← lex none cs
      return flush acc ++ s ++ ts

/-- The parser takes one expression and gives back the tokens after it. -/
def parse : Nat → List Tok → Option (Exp × List Tok)
  | 0, _ | _, [] => none
  | _ + 1, .num n :: ts => some (.num n, ts)
  | k + 1, .add :: ts => do
    let (a, ts) ← parse k ts
    let (b, ts) ← parse k ts
    return (.add a b, ts)
  | k + 1, .mul :: ts => do
    let (a, ts) ← parse k ts
    let (b, ts) ← parse k ts
    return (.mul a b, ts)

def read (cs : List Char) : Option Exp := do
  let ts ← lex none cs
  match parse ts.length ts with
  | some (e, []) => some e
  | _ => none

/-! ### The tokenizer undoes the printing of tokens -/

theorem digitVal_digitChar {d : Nat} (h : d < 10) : digitVal (digitChar d) = some d := by
  revert d
  decide

theorem lex_digits (n : Nat) : ∀ cs, lex none (digits n ++ cs) = lex (some n) cs := by
  fun_induction digits n with
  | case1 n h => intro cs; simp [lex, digitVal_digitChar h]
  | case2 n h ih =>
    intro cs
    have hm : n % 10 < 10 := Nat.mod_lt _ (by decide)
    rw [List.append_assoc, ih]
    simp only [List.cons_append, List.nil_append, lex, digitVal_digitChar hm, Option.getD_some]
    rw [Nat.div_add_mod' n 10]

theorem lex_space (acc : Option Nat) (cs : List Char) :
    lex acc (' ' :: cs) = (lex none cs).map (flush acc ++ ·) := by
  have h : digitVal ' ' = none := by decide
  simp only [lex, h, symbol]
  cases lex none cs <;> simp

theorem lex_tok (t : Tok) (cs : List Char) :
    lex none (t.print ++ ' ' :: cs) = (lex none cs).map (t :: ·) := by
  have h : digitVal '+' = none ∧ digitVal '*' = none ∧ digitVal ' ' = none := by decide
  cases t with
  | num n => rw [Tok.print, lex_digits, lex_space]; rfl
  | _ =>
    simp only [Tok.print, List.cons_append, List.nil_append, lex, h, symbol]
    cases lex none cs <;> rfl

theorem lex_printToks (ts : List Tok) : lex none (printToks ts) = some ts := by
  induction ts with
  | nil => rfl
  | cons t ts ih => rw [printToks, lex_tok, ih]; rfl

theorem printToks_injective {ts us : List Tok} (h : printToks ts = printToks us) : ts = us := by
  have := congrArg (lex none) h
  simpa [lex_printToks] using this

/-! ### The parser undoes the flattening of expressions -/

theorem parse_toToks (e : Exp) : ∀ k rest, e.depth ≤ k →
    parse k (e.toToks ++ rest) = some (e, rest) := by
  induction e with
  | num n => intro k rest h; cases k with | zero => cases h | succ k => rfl
  | add a b iha ihb | mul a b iha ihb =>
    intro k rest h
    cases k with
    | zero => cases h
    | succ k =>
      simp only [Exp.depth] at h
      simp [Exp.toToks, parse, iha k (b.toToks ++ rest) (by omega), ihb k rest (by omega)]

theorem parse_sound (k : Nat) : ∀ ts e rest, parse k ts = some (e, rest) →
    ts = e.toToks ++ rest := by
  induction k with
  | zero => intro ts e rest h; simp [parse] at h
  | succ k ih =>
    intro ts e rest h
    match ts with
    | [] => simp [parse] at h
    | .num n :: ts => simp [parse] at h; obtain ⟨rfl, rfl⟩ := h; rfl
    | .add :: ts | .mul :: ts =>
      simp [parse, Option.bind_eq_some_iff] at h
      obtain ⟨a, us, h, b, h', rfl⟩ := h
      rw [ih _ _ _ h, ih _ _ _ h']; simp [Exp.toToks]

theorem depth_le_length (e : Exp) : e.depth ≤ e.toToks.length := by
  induction e <;> simp only [Exp.depth, Exp.toToks, List.length_cons, List.length_append,
    List.length_nil] <;> omega

/-- No expression is a proper prefix of another. -/
theorem toToks_prefix_free {a b : Exp} {r s : List Tok} (h : a.toToks ++ r = b.toToks ++ s) :
    a = b ∧ r = s := by
  have ha := parse_toToks a (max a.depth b.depth) r (Nat.le_max_left _ _)
  have hb := parse_toToks b (max a.depth b.depth) s (Nat.le_max_right _ _)
  rw [h, hb] at ha
  simpa [eq_comm] using ha

/-! ### Round trip -/

theorem read_print (e : Exp) : read e.print = some e := by
  have h := parse_toToks e e.toToks.length [] (depth_le_length e)
  rw [List.append_nil] at h
  simp [read, Exp.print, lex_printToks, h]

theorem print_injective {a b : Exp} (h : a.print = b.print) : a = b := by
  have := congrArg read h
  simpa [read_print] using this

theorem read_sound {cs : List Char} {e : Exp} (h : read cs = some e) :
    lex none cs = some e.toToks := by
  unfold read at h
  obtain ⟨ts, hts, h⟩ := Option.bind_eq_some_iff.1 h
  split at h
  · next a hp =>
    cases h
    rw [hts, parse_sound _ _ _ _ hp, List.append_nil]
  · cases h

theorem read_space (cs : List Char) : read (' ' :: cs) = read cs := by
  unfold read
  rw [lex_space]
  cases lex none cs <;> simp [flush]

end Polish
