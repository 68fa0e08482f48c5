/-!
# Crash recovery with a write-ahead log

The log of a small transactional store lists writes and commits.  After a crash
the store is rebuilt by replaying the writes of committed transactions.  We show
that recovery is atomic, durable, and may itself crash and be started again.
The last part is about the undo log of a single transaction.
-/

abbrev Key := Nat
abbrev Txn := Nat

/-- The contents of the store. -/
def Store := Key → Int

namespace Store

def set (s : Store) (k : Key) (v : Int) : Store := fun j => if j = k then v else s j

theorem set_same (s : Store) (k : Key) (v : Int) : s.set k v k = v := if_pos rfl

theorem set_other (s : Store) {j k : Key} (v : Int) (h : j ≠ k) : s.set k v j = s j :=
  if_neg h

theorem set_self (s : Store) (k : Key) : s.set k (s k) = s := by
  funext j
  unfold set
  split <;> simp_all

theorem set_set (s : Store) (k : Key) (v w : Int) : (s.set k v).set k w = s.set k w := by
  funext j
  unfold set
  split <;> rfl

end Store

inductive Record where
  | write (t : Txn) (k : Key) (v : Int)
  | commit (t : Txn)
deriving DecidableEq

abbrev Log := List Record

namespace Log

open Record

/-- Replay the writes of the transactions selected by `p`. -/
def replay (p : Txn → Bool) : Log → Store → Store
  | [], s => s
  | write t k v :: l, s => replay p l (if p t then s.set k v else s)
  | commit _ :: l, s => replay p l s

/-- The value of the last selected write to `k`, if there is one. -/
def last? (p : Txn → Bool) (k : Key) : Log → Option Int
  | [] => none
  | write t j v :: l =>
    match last? p k l with
    | some w => some w
    | none => if p t && j == k then some v else none
  | commit _ :: l => last? p k l

def committed (l : Log) (t : Txn) : Bool := l.contains (commit t)

def recover (l : Log) (s : Store) : Store := replay (committed l) l s

/-- `t` writes somewhere in `l`. -/
def Writes (l : Log) (t : Txn) : Prop := ∃ k v, write t k v ∈ l

/-! ## Replaying -/

theorem replay_append (p : Txn → Bool) (l m : Log) (s : Store) :
    replay p (l ++ m) s = replay p m (replay p l s) := by
  induction l generalizing s with
  | nil => rfl
  | cons r l ih => cases r <;> exact ih _

theorem replay_congr {p q : Txn → Bool} {l : Log} (h : ∀ t, Writes l t → p t = q t)
    (s : Store) : replay p l s = replay q l s := by
  induction l generalizing s with
  | nil => rfl
  | cons r l ih =>
    have h' : ∀ t, Writes l t → p t = q t := fun t ⟨k, v, hm⟩ => h t ⟨k, v, .tail _ hm⟩
    cases r with
    | commit t => exact ih h' s
    | write t k v =>
      simp only [replay]
      rw [h t ⟨k, v, .head _⟩]
      exact ih h' _

theorem replay_nobody (l : Log) (s : Store) : replay (fun _ => false) l s = s := by
  induction l with
  | nil => rfl
  | cons r l ih => cases r <;> simpa [replay] using ih

/-- What replaying does to a single key. -/
theorem replay_apply (p : Txn → Bool) (l : Log) (s : Store) (k : Key) :
    replay p l s k = (last? p k l).getD (s k) := by
  induction l generalizing s with
  | nil => rfl
  | cons r l ih =>
    cases r with
    | commit t => exact ih s
    | write t j v =>
      rw [replay, ih, last?]
      cases last? p k l with
      | some w => rfl
      | none =>
        by_cases hp : p t <;> by_cases hj : j = k
        · subst hj
          simp [hp, Store.set_same]
        · simp [hp, hj, Store.set_other _ _ (Ne.symm hj)]
        all_goals simp [hp]

theorem last?_append (p : Txn → Bool) (k : Key) (l m : Log) :
    last? p k (l ++ m) = (last? p k m).or (last? p k l) := by
  induction l with
  | nil => simp [last?]
  | cons r l ih =>
    cases r with
    | commit t => exact ih
    | write t j v =>
      simp only [List.cons_append, last?, ih]
      cases last? p k m <;> rfl

/-! ## Recovery -/

theorem committed_append (l m : Log) (t : Txn) :
    committed (l ++ m) t = (committed l t || committed m t) := by
  simp [committed]

/-- Recovery may crash after any prefix of the log and be started again. -/
theorem replay_restart (p : Txn → Bool) (l m : Log) (s : Store) :
    replay p (l ++ m) (replay p l s) = replay p (l ++ m) s := by
  funext k
  simp only [replay_apply, last?_append]
  cases last? p k m <;> cases last? p k l <;> rfl

theorem recover_idempotent (l : Log) (s : Store) : recover l (recover l s) = recover l s := by
  have h := replay_restart (committed l) l [] s
  rwa [List.append_nil] at h

/-- Atomicity: a tail of the log in which nobody commits has no effect, if it
only has writes of transactions which had not committed before. -/
theorem recover_uncommitted {l m : Log} (hc : ∀ t, committed m t = false)
    (hw : ∀ t, Writes m t → committed l t = false) (s : Store) :
    recover (l ++ m) s = recover l s := by
  have hp : committed (l ++ m) = committed l := by
    funext t
    rw [committed_append, hc, Bool.or_false]
  unfold recover
  rw [hp, replay_append, replay_congr (q := fun _ => false) hw, replay_nobody]

theorem last?_eq_none {p : Txn → Bool} {k : Key} {l : Log}
    (h : ∀ t v, p t → ¬ write t k v ∈ l) : last? p k l = none := by
  induction l with
  | nil => rfl
  | cons r l ih =>
    have ih := ih fun t v ht hm => h t v ht (.tail _ hm)
    cases r with
    | commit t => exact ih
    | write t j v =>
      simp only [last?, ih]
      refine if_neg fun e => ?_
      simp only [Bool.and_eq_true, beq_iff_eq] at e
      exact h t v e.1 (e.2 ▸ .head _)

/-- Durability: a write of a committed transaction survives, unless a committed
transaction writes to the same key later. -/
theorem recover_durable {l m : Log} {t : Txn} {k : Key} {v : Int}
    (ht : committed (l ++ write t k v :: m) t)
    (hm : ∀ u w, committed (l ++ write t k v :: m) u → ¬ write u k w ∈ m) (s : Store) :
    recover (l ++ write t k v :: m) s k = v := by
  rw [recover, replay_apply, last?_append, last?, last?_eq_none hm]
  simp [ht]

end Log

namespace Undo
/-- Do the writes, and keep the old values, last write first. -/
def exec : List (Key × Int) → Store → List (Key × Int) → Store × List (Key × Int)
  | [], s, u => (s, u)
  | (k, v) :: ws, s, u => exec ws (s.set k v) ((k, s k) :: u)

def rollback : List (Key × Int) → Store → Store
  | [], s => s
  | (k, v) :: u, s => rollback u (s.set k v)

theorem rollback_exec_acc (ws u : List (Key × Int)) (s : Store) :
    rollback (exec ws s u).2 (exec ws s u).1 = rollback u s := by
  induction ws generalizing s u with
  | nil => rfl
  | cons w ws ih => rw [exec, ih, rollback, Store.set_set, Store.set_self]

/-- Rolling back an aborted transaction restores the store. -/
theorem rollback_exec (ws : List (Key × Int)) (s : Store) :
    rollback (exec ws s []).2 (exec ws s []).1 = s :=
  rollback_exec_acc ws [] s

end Undo
