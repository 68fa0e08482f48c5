/-! # A small bank

Money is conserved: after each history of transactions, of which some may fail, the
money in the accounts is what was paid in less what was paid out.
-/

namespace Bank

inductive Err where
  | noAccount (i : Nat)
  | noFunds (i : Nat)

structure State where
  accounts : List Nat
  paidIn : Nat
  paidOut : Nat

inductive Tx where
  | openAccount
  | deposit (i amount : Nat)
  | withdraw (i amount : Nat)
  | transfer (i j amount : Nat)

/-- Add `a` to the account `i`. -/
def credit (l : List Nat) (i a : Nat) : Except Err (List Nat) :=
  match l[i]? with
  | none => .error (.noAccount i)
  | some b => .ok (l.set i (b + a))

/-- Take `a` from the account `i`, if the balance allows it. -/
def debit (l : List Nat) (i a : Nat) : Except Err (List Nat) :=
  match l[i]? with
  | none => .error (.noAccount i)
  | some b => if a ≤ b then .ok (l.set i (b - a)) else .error (.noFunds i)

def total : List Nat → Nat
  | [] => 0
  | b :: l => b + total l

def step (s : State) : Tx → Except Err State
  | .openAccount => return { s with accounts := s.accounts ++ [0] }
  | .deposit i a => do
    let l ← credit s.accounts i a
    return { s with accounts := l, paidIn := s.paidIn + a }
  | .withdraw i a => do
    let l ← debit s.accounts i a
    return { s with accounts := l, paidOut := s.paidOut + a }
  | .transfer i j a => do
    let l ← debit s.accounts i a
    let l' ← credit l j a
    return { s with accounts := l' }

/-- All the transactions in turn, up to the first error. -/
def run (s : State) : List Tx → Except Err State
  | [] => return s
  | t :: ts => do
    let s' ← step s t
    run s' ts

/-- All the transactions in turn; those that fail are dropped. -/
def post (s : State) : List Tx → State
  | [] => s
  | t :: ts => match step s t with
    | .ok s' => post s' ts
    | .error _ => post s ts

/-- The books are balanced. -/
def Balanced (s : State) : Prop := total s.accounts + s.paidOut = s.paidIn

def init : State := ⟨[], 0, 0⟩

theorem bind_ok {α β : Type} {x : Except Err α} {f : α → Except Err β} {b : β} :
    (x >>= f) = .ok b ↔ ∃ a, x = .ok a ∧ f a = .ok b := by
  cases x <;> simp [bind, Except.bind]

theorem total_append (l m : List Nat) : total (l ++ m) = total l + total m := by
  induction l <;> simp_all [total, Nat.add_assoc]

theorem total_set {l : List Nat} {i b : Nat} (h : l[i]? = some b) (c : Nat) :
    total (l.set i c) + b = total l + c := by
  induction l generalizing i with
  | nil => simp at h
  | cons x l ih =>
    cases i with
    | zero => simp at h; simp only [List.set_cons_zero, total]; omega
    | succ i =>
      have := ih (i := i) (by simpa using h)
      simp only [List.set_cons_succ, total]
      omega

theorem credit_ok_iff {l l' : List Nat} {i a : Nat} :
    credit l i a = .ok l' ↔ ∃ b, l[i]? = some b ∧ l' = l.set i (b + a) := by
  unfold credit
  cases l[i]? <;> simp [eq_comm]

theorem debit_ok_iff {l l' : List Nat} {i a : Nat} :
    debit l i a = .ok l' ↔ ∃ b, l[i]? = some b ∧ a ≤ b ∧ l' = l.set i (b - a) := by
  unfold debit
  cases l[i]? with
  | none => simp
  | some b => by_cases h : a ≤ b <;> simp [h, eq_comm]

theorem total_credit {l l' : List Nat} {i a : Nat} (h : credit l i a = .ok l') :
    total l' = total l + a := by
  obtain ⟨b, hb, rfl⟩ := credit_ok_iff.mp h
  have := total_set hb (b + a); omega

theorem total_debit {l l' : List Nat} {i a : Nat} (h : debit l i a = .ok l') :
    total l' + a = total l := by
  obtain ⟨b, hb, hle, rfl⟩ := debit_ok_iff.mp h
  have := total_set hb (b - a); omega

theorem debit_credit {l l' : List Nat} {i a : Nat} (h : credit l i a = .ok l') :
    debit l' i a = .ok l := by
  obtain ⟨b, hb, rfl⟩ := credit_ok_iff.mp h
  obtain ⟨hi, rfl⟩ := List.getElem?_eq_some_iff.mp hb
  refine debit_ok_iff.mpr ⟨l[i] + a, by simp [hi], by omega, ?_⟩
  rw [List.set_set, Nat.add_sub_cancel, List.set_getElem_self]

theorem credit_debit {l l' : List Nat} {i a : Nat} (h : debit l i a = .ok l') :
    credit l' i a = .ok l := by
  obtain ⟨b, hb, hle, rfl⟩ := debit_ok_iff.mp h
  obtain ⟨hi, rfl⟩ := List.getElem?_eq_some_iff.mp hb
  refine credit_ok_iff.mpr ⟨l[i] - a, by simp [hi], ?_⟩
  rw [List.set_set, Nat.sub_add_cancel hle, List.set_getElem_self]

/-- A transfer is undone by the transfer back. -/
theorem transfer_back {s s' : State} {i j a : Nat} (h : step s (.transfer i j a) = .ok s') :
    step s' (.transfer j i a) = .ok s := by
  obtain ⟨l, hl, h⟩ := bind_ok.mp h
  obtain ⟨l', hl', h⟩ := bind_ok.mp h
  cases h
  exact bind_ok.mpr ⟨l, debit_credit hl', bind_ok.mpr ⟨s.accounts, credit_debit hl, rfl⟩⟩

theorem withdraw_overdraft {s : State} {i a b : Nat} (hb : s.accounts[i]? = some b)
    (h : b < a) : step s (.withdraw i a) = .error (.noFunds i) := by
  have : ¬ a ≤ b := by omega
  simp [step, debit, hb, this, bind, Except.bind]

theorem step_balanced {s s' : State} {t : Tx} (hs : Balanced s) (h : step s t = .ok s') :
    Balanced s' := by
  unfold Balanced at *
  cases t with
  | openAccount => cases h; simpa [total_append, total] using hs
  | deposit i a =>
    obtain ⟨l, hl, h⟩ := bind_ok.mp h
    cases h
    have := total_credit hl
    simp only; omega
  | withdraw i a =>
    obtain ⟨l, hl, h⟩ := bind_ok.mp h
    cases h
    have := total_debit hl
    simp only; omega
  | transfer i j a =>
    obtain ⟨l, hl, h⟩ := bind_ok.mp h
    obtain ⟨l', hl', h⟩ := bind_ok.mp h
    cases h
    have := total_debit hl
    have := total_credit hl'
    simp only; omega

theorem run_append (s : State) (ts us : List Tx) :
    run s (ts ++ us) = run s ts >>= fun s' => run s' us := by
  induction ts generalizing s with
  | nil => rfl
  | cons t ts ih => cases h : step s t <;> simp [run, h, bind, Except.bind, ih]

theorem run_balanced {s s' : State} {ts : List Tx} (hs : Balanced s)
    (h : run s ts = .ok s') : Balanced s' := by
  induction ts generalizing s with
  | nil => cases h; exact hs
  | cons t ts ih =>
    obtain ⟨s₁, h₁, h₂⟩ := bind_ok.mp h
    exact ih (step_balanced hs h₁) h₂

/-- Conservation of money. -/
theorem post_balanced (ts : List Tx) {s : State} (hs : Balanced s) : Balanced (post s ts) := by
  induction ts generalizing s with
  | nil => exact hs
  | cons t ts ih =>
    unfold post
    split
    · next h => exact ih (step_balanced hs h)
    · exact ih hs

theorem paidOut_le_paidIn (ts : List Tx) : (post init ts).paidOut ≤ (post init ts).paidIn := by
  have : Balanced (post init ts) := post_balanced ts rfl
  unfold Balanced at this; omega

theorem post_eq_of_run {s s' : State} {ts : List Tx} (h : run s ts = .ok s') :
    post s ts = s' := by
  induction ts generalizing s with
  | nil => cases h; rfl
  | cons t ts ih =>
    obtain ⟨s₁, h₁, h₂⟩ := bind_ok.mp h
    simp only [post, h₁, ih h₂]

end Bank
