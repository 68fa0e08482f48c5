/-! # A counter and a tree labeller in `StateM`, and a bank in `StateT` over `Except` -/

namespace Monads

/-! ## A counter -/

/-- Return the current number, and step the counter. -/
def fresh : StateM Nat Nat := do
  let n ← get
  set (n + 1)
  return n

/-- Take `k` fresh numbers. -/
def freshList : Nat → StateM Nat (List Nat)
  | 0 => pure []
  | k + 1 => do
    let n ← fresh
    let ns ← freshList k
    return n :: ns

theorem fresh_run (s : Nat) : fresh.run s = (s, s + 1) := rfl

theorem fresh_twice (s : Nat) :
    (do let a ← fresh; let b ← fresh; return a + b : StateM Nat Nat).run s
      = (2 * s + 1, s + 2) := by
  show (s + (s + 1), s + 1 + 1) = _
  congr 1
  omega

theorem freshList_succ (k s : Nat) :
    (freshList (k + 1)).run s
      = (s :: ((freshList k).run (s + 1)).1, ((freshList k).run (s + 1)).2) := rfl

theorem freshList_state (k : Nat) : ∀ s, ((freshList k).run s).2 = s + k := by
  induction k with
  | zero => intro s; rfl
  | succ k ih =>
    intro s
    simp only [freshList_succ, ih]
    omega

theorem freshList_length (k : Nat) : ∀ s, ((freshList k).run s).1.length = k := by
  induction k with
  | zero => intro s; rfl
  | succ k ih => intro s; rw [freshList_succ]; simp [ih]

theorem mem_freshList (k : Nat) : ∀ s n, n ∈ ((freshList k).run s).1 ↔ s ≤ n ∧ n < s + k := by
  induction k with
  | zero => intro s n; exact ⟨fun h => (nomatch h), fun h => by omega⟩
  | succ k ih => intro s n; rw [freshList_succ, List.mem_cons, ih]; omega

/-! ## Labelling the leaves of a tree -/

inductive Tree (α : Type) where
  | leaf (a : α)
  | node (l r : Tree α)

namespace Tree

variable {α β : Type}

def size : Tree α → Nat
  | leaf _ => 1
  | node l r => l.size + r.size

def leaves : Tree α → List α
  | leaf a => [a]
  | node l r => l.leaves ++ r.leaves

def map (f : α → β) : Tree α → Tree β
  | leaf a => leaf (f a)
  | node l r => node (l.map f) (r.map f)

end Tree

def label {α : Type} : Tree α → StateM Nat (Tree (α × Nat))
  | .leaf a => do return .leaf (a, ← fresh)
  | .node l r => do
    let l' ← label l
    let r' ← label r
    return .node l' r'

theorem label_node {α : Type} (l r : Tree α) (s : Nat) :
    (label (.node l r)).run s =
      let p := (label l).run s
      let q := (label r).run p.2
      (.node p.1 q.1, q.2) := rfl

theorem label_state {α : Type} (t : Tree α) : ∀ s, ((label t).run s).2 = s + t.size := by
  induction t with
  | leaf a => intro s; rfl
  | node l r ihl ihr =>
    intro s
    simp only [label_node, ihl, ihr, Tree.size]
    omega

theorem label_fst {α : Type} (t : Tree α) : ∀ s, ((label t).run s).1.map Prod.fst = t := by
  induction t with
  | leaf a => intro s; rfl
  | node l r ihl ihr =>
    intro s; simp only [label_node, Tree.map, ihl, ihr]

theorem label_leaves {α : Type} (t : Tree α) :
    ∀ s, ((label t).run s).1.leaves.map Prod.snd = List.range' s t.size := by
  induction t with
  | leaf a => intro s; rfl
  | node l r ihl ihr =>
    intro s
    rw [label_node]
    simp only [Tree.leaves, Tree.size, List.map_append, ihl, ihr, label_state]
    rw [List.range'_append_1]

/-! ## A bank -/

inductive BankError where
  | insufficient (balance : Nat)
  | zeroAmount

abbrev Bank := StateT Nat (Except BankError)

def deposit (n : Nat) : Bank Unit := do
  if n = 0 then throw .zeroAmount
  modify (· + n)

def withdraw (n : Nat) : Bank Unit := do
  let b ← get
  if b < n then throw (.insufficient b)
  set (b - n)

theorem deposit_pos {n : Nat} (h : n ≠ 0) (b : Nat) : (deposit n).run b = .ok ((), b + n) := by
  simp only [deposit, if_neg h]
  rfl

theorem withdraw_ok {n b : Nat} (h : n ≤ b) : (withdraw n).run b = .ok ((), b - n) := by
  have h' : ¬ b < n := by omega
  simp [withdraw, h']
  rfl

theorem withdraw_fails {n b : Nat} (h : b < n) :
    (withdraw n).run b = .error (.insufficient b) := by
  simp [withdraw, h]
  rfl

theorem withdraw_ok_iff (n b : Nat) : (∃ b', (withdraw n).run b = .ok ((), b')) ↔ n ≤ b := by
  constructor
  · intro ⟨b', h⟩
    apply Nat.le_of_not_lt
    intro hlt
    rw [withdraw_fails hlt] at h
    cases h
  · intro h
    exact ⟨b - n, withdraw_ok h⟩

theorem deposit_withdraw {n : Nat} (h : n ≠ 0) (b : Nat) :
    (do deposit n; withdraw n : Bank Unit).run b = .ok ((), b) := by
  show (deposit n).run b >>= (fun p => (withdraw n).run p.2) = _
  rw [deposit_pos h]
  exact (withdraw_ok (Nat.le_add_left n b)).trans (by rw [Nat.add_sub_cancel])

end Monads
