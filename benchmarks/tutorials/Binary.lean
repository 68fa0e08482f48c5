/- Binary numerals.
  `Pos` are the positive numbers, the last digit being the outermost constructor:
    one   is 1
    p~0   is 2p
    p~1   is 2p + 1
  `Bin` adds a zero.  There are no leading zeros, by construction, and so every
  natural number has exactly one numeral.
-/

inductive Pos where
  | one : Pos
  | bit0 : Pos → Pos
  | bit1 : Pos → Pos
  deriving DecidableEq, Repr

namespace Pos

local postfix:max "~0" => Pos.bit0
local postfix:max "~1" => Pos.bit1

/-- The value of a positive numeral. -/
def val : Pos → Nat
  | one => 1
  | p~0 => 2 * p.val
  | p~1 => 2 * p.val + 1

def succ : Pos → Pos
  | one => one~0
  | p~0 => p~1
  | p~1 => p.succ~0

/-- `addc c p q` adds with a carry. -/
def addc : Bool → Pos → Pos → Pos
  | false, one, q => q.succ
  | true, one, one => one~1
  | true, one, q~0 => q.succ~0
  | true, one, q~1 => q.succ~1
  | false, p, one => p.succ
  | true, p~0, one => p.succ~0
  | true, p~1, one => p.succ~1
  | false, p~0, q~0 => (addc false p q)~0
  | false, p~0, q~1 => (addc false p q)~1
  | false, p~1, q~0 => (addc false p q)~1
  | false, p~1, q~1 => (addc true p q)~0
  | true, p~0, q~0 => (addc false p q)~1
  | true, p~0, q~1 => (addc true p q)~0
  | true, p~1, q~0 => (addc true p q)~0
  | true, p~1, q~1 => (addc true p q)~1

instance : Add Pos := ⟨addc false⟩

/-- Comparison; `r` is the verdict on the less significant digits already seen. -/
def cmpWith (r : Ordering) : Pos → Pos → Ordering
  | one, one => r
  | one, _ => .lt
  | _, one => .gt
  | p~0, q~0 => cmpWith r p q
  | p~1, q~1 => cmpWith r p q
  | p~0, q~1 => cmpWith .lt p q
  | p~1, q~0 => cmpWith .gt p q

def cmp : Pos → Pos → Ordering := cmpWith .eq

/-- Number of binary digits. -/
def size : Pos → Nat
  | one => 1
  | p~0 => p.size + 1
  | p~1 => p.size + 1

theorem val_pos (p : Pos) : 0 < p.val := by
  induction p with
  | one => decide
  | bit0 p ih | bit1 p ih => simp only [val]; omega

theorem val_succ (p : Pos) : p.succ.val = p.val + 1 := by
  induction p with
  | one | bit0 p _ => rfl
  | bit1 p ih => simp only [succ, val, ih]; omega

theorem val_inj {p q : Pos} (h : p.val = q.val) : p = q := by
  induction p generalizing q with
  | one =>
    cases q with
    | one => rfl
    | bit0 q => simp only [val] at h; omega
    | bit1 q => have := q.val_pos; simp only [val] at h; omega
  | bit0 p ih =>
    cases q with
    | one | bit1 q => simp only [val] at h; omega
    | bit0 q => simp only [val] at h; rw [ih (by omega : p.val = q.val)]
  | bit1 p ih =>
    cases q with
    | one => have := p.val_pos; simp only [val] at h; omega
    | bit0 q => simp only [val] at h; omega
    | bit1 q => simp only [val] at h; rw [ih (by omega : p.val = q.val)]

theorem val_addc (c : Bool) (p q : Pos) :
    (addc c p q).val = p.val + q.val + c.toNat := by
  fun_induction addc c p q <;> simp_all [val, val_succ] <;> omega

theorem val_add (p q : Pos) : (p + q).val = p.val + q.val := val_addc false p q

theorem add_comm (p q : Pos) : p + q = q + p := by
  apply val_inj; rw [val_add, val_add, Nat.add_comm]

theorem add_assoc (p q r : Pos) : p + q + r = p + (q + r) := by
  apply val_inj; simp only [val_add, Nat.add_assoc]

theorem succ_add (p q : Pos) : p.succ + q = (p + q).succ := by
  apply val_inj
  simp only [val_add, val_succ]; omega

theorem add_self (p : Pos) : p + p = p~0 := by
  apply val_inj
  simp only [val_add, val]; omega

/-- The comparison is correct, whatever the verdict so far. -/
theorem cmpWith_eq (r : Ordering) (p q : Pos) : cmpWith r p q =
    if p.val < q.val then .lt else if q.val < p.val then .gt else r := by
  fun_induction cmpWith r p q with
  | case1 => simp
  | case2 r q hq =>
    cases q with
    | one => exact absurd rfl hq
    | bit0 q | bit1 q => have := q.val_pos; simp only [val]; grind
  | case3 p r hp =>
    cases p with
    | one => exact absurd rfl hp
    | bit0 p | bit1 p => have := p.val_pos; simp only [val]; grind
  | case4 | case5 | case6 | case7 => simp_all only [val]; grind

theorem cmp_eq_iff (p q : Pos) : cmp p q = .eq ↔ p = q := by
  rw [cmp, cmpWith_eq]
  constructor
  · intro h
    apply val_inj
    grind
  · rintro rfl
    simp

theorem cmp_swap (p q : Pos) : (cmp p q).swap = cmp q p := by
  simp only [cmp, cmpWith_eq]
  grind [Ordering.swap]

theorem val_lt_two_pow_size (p : Pos) : p.val < 2 ^ p.size := by
  induction p with
  | one => decide
  | bit0 p ih | bit1 p ih => simp only [size, val, Nat.pow_succ]; omega

theorem two_pow_size_le (p : Pos) : 2 ^ p.size ≤ 2 * p.val := by
  induction p with
  | one => decide
  | bit0 p ih | bit1 p ih => simp only [size, val, Nat.pow_succ]; omega

end Pos

/-- Binary numerals with zero. -/
inductive Bin where
  | zero : Bin
  | pos : Pos → Bin
  deriving DecidableEq, Repr

namespace Bin

def val : Bin → Nat
  | zero => 0
  | pos p => p.val

def succ : Bin → Bin
  | zero => pos .one
  | pos p => pos p.succ

def ofNat : Nat → Bin
  | 0 => zero
  | n + 1 => (ofNat n).succ

theorem val_succ (b : Bin) : b.succ.val = b.val + 1 := by
  cases b with
  | zero => rfl
  | pos p => exact p.val_succ

theorem val_ofNat (n : Nat) : (ofNat n).val = n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [ofNat, val_succ, ih]

theorem val_inj {a b : Bin} (h : a.val = b.val) : a = b := by
  cases a with
  | zero => cases b with
    | zero => rfl
    | pos q => exact absurd h (Nat.ne_of_lt q.val_pos)
  | pos p => cases b with
    | zero => exact absurd h.symm (Nat.ne_of_lt p.val_pos)
    | pos q => rw [Pos.val_inj h]

/-- Every natural number has a unique numeral. -/
theorem ofNat_val (b : Bin) : ofNat b.val = b := val_inj (val_ofNat b.val)

end Bin
