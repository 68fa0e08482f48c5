import Automata.System

/-!
Systems at work: a pair of counters, Euclid's subtractions, a lock with a flag, a token on a ring, a bounded buffer.

Each invariant is shown by strengthening it until every step keeps it.
-/

namespace Automata

namespace Protocols

open System

section Counters

/-- Water is poured from one jug to the other, a cup at a time. -/
def pour (n : Nat) : System (Nat × Nat) where
  init x := x = (n, 0)
  next x y := 0 < x.1 ∧ y = (x.1 - 1, x.2 + 1)

theorem pour_sum (n : Nat) : (pour n).Invariant (fun x => x.1 + x.2 = n) := by
  apply invariant_of_inductive
  constructor
  · intro x hx
    have h : x = (n, 0) := hx
    rw [h]
    rfl
  · rintro x y hx ⟨h1, h2⟩
    rw [h2]
    simp only
    omega

theorem pour_le (n : Nat) : (pour n).Invariant (fun x => x.2 ≤ n) := by
  refine invariant_mono (pour_sum n) ?_
  intro x hx
  omega

theorem pour_steps (n k : Nat) (m : Nat) : Rel.Steps (pour n).next k (m + k, 0 + 0) (m, k) := by
  have main : ∀ k m j, Rel.Steps (pour n).next k (m + k, j) (m, j + k) := by
    intro k
    induction k with
    | zero =>
      intro m j
      exact Rel.Steps.zero _
    | succ k ih =>
      intro m j
      apply Rel.Steps.succ k _ (m + k, j + 1)
      · refine ⟨Nat.succ_pos _, ?_⟩
        rfl
      · have h := ih m (j + 1)
        rw [Nat.add_assoc, Nat.add_comm 1 k] at h
        exact h
  have h := main k m 0
  rw [Nat.zero_add] at h
  exact h

theorem pour_reachable_iff (n a b : Nat) : (pour n).Reachable (a, b) ↔ a + b = n := by
  constructor
  · intro h
    exact pour_sum n (a, b) h
  · intro h
    refine ⟨(n, 0), rfl, ?_⟩
    rw [Rel.path_iff_steps, ← h]
    exact ⟨b, pour_steps (a + b) b a⟩

theorem pour_deterministic (n : Nat) : Rel.Deterministic (pour n).next := by
  rintro x y z ⟨_, h1⟩ ⟨_, h2⟩
  rw [h1, h2]

theorem pour_ends (n : Nat) (x : Nat × Nat) : Rel.Ends (pour n).next x := by
  apply Rel.ends_of_measure (fun x => x.1)
  rintro y z ⟨h1, h2⟩
  rw [h2]
  simp only
  omega

theorem pour_stuck_iff (n : Nat) (x : Nat × Nat) : Rel.Stuck (pour n).next x ↔ x.1 = 0 := by
  constructor
  · intro h
    apply Classical.byContradiction
    intro h0
    apply h (x.1 - 1, x.2 + 1)
    refine ⟨?_, rfl⟩
    omega
  · rintro h y ⟨h1, _⟩
    omega

end Counters

section Euclid

/-- The larger number is made smaller by the other one. -/
inductive Subtract : Nat × Nat → Nat × Nat → Prop where
  | left (a b : Nat) (h : 0 < b) : Subtract (a + b, b) (a, b)
  | right (a b : Nat) (h : 0 < a) : Subtract (a, a + b) (a, b)

/-- `d` goes into `n`. -/
def Into (d n : Nat) : Prop := ∃ k, n = k * d

theorem into_add {d m n : Nat} (hm : Into d m) (hn : Into d n) : Into d (m + n) := by
  obtain ⟨j, hj⟩ := hm
  obtain ⟨k, hk⟩ := hn
  refine ⟨j + k, ?_⟩
  rw [hj, hk, Nat.add_mul]

theorem into_cancel {d m n : Nat} (h : Into d (m + n)) (hn : Into d n) : Into d m := by
  obtain ⟨j, hj⟩ := h
  obtain ⟨k, hk⟩ := hn
  refine ⟨j - k, ?_⟩
  rw [Nat.sub_mul, ← hj, ← hk]
  omega

/-- A step keeps the common divisors. -/
theorem subtract_into {x y : Nat × Nat} (h : Subtract x y) (d : Nat) :
    Into d x.1 ∧ Into d x.2 ↔ Into d y.1 ∧ Into d y.2 := by
  cases h with
  | left a b _ =>
    constructor
    · rintro ⟨h1, h2⟩
      exact ⟨into_cancel h1 h2, h2⟩
    · rintro ⟨h1, h2⟩
      exact ⟨into_add h1 h2, h2⟩
  | right a b _ =>
    constructor
    · rintro ⟨h1, h2⟩
      refine ⟨h1, ?_⟩
      apply into_cancel _ h1
      simp only at h2
      rw [Nat.add_comm]
      exact h2
    · rintro ⟨h1, h2⟩
      exact ⟨h1, into_add h1 h2⟩

theorem path_subtract_into {x y : Nat × Nat} (h : Rel.Path Subtract x y) (d : Nat) :
    Into d x.1 ∧ Into d x.2 ↔ Into d y.1 ∧ Into d y.2 := by
  induction h with
  | done x => exact Iff.rfl
  | step x y z h1 _ ih => rw [subtract_into h1 d, ih]

/-- Where the subtractions end with a zero, the other number is the greatest common divisor. -/
theorem subtract_result {a b g : Nat} (h : Rel.Path Subtract (a, b) (g, 0)) (d : Nat) :
    Into d a ∧ Into d b ↔ Into d g := by
  have h1 := path_subtract_into h d
  simp only at h1
  rw [h1]
  constructor
  · rintro ⟨h2, _⟩
    exact h2
  · intro h2
    refine ⟨h2, 0, ?_⟩
    rw [Nat.zero_mul]

theorem subtract_smaller {x y : Nat × Nat} (h : Subtract x y) : y.1 + y.2 < x.1 + x.2 := by
  cases h with
  | left a b hb =>
    simp only
    omega
  | right a b ha =>
    simp only
    omega

theorem subtract_ends (x : Nat × Nat) : Rel.Ends Subtract x := by
  apply Rel.ends_of_measure (fun x => x.1 + x.2)
  intro y z h
  exact subtract_smaller h

theorem subtract_progress (a b : Nat) (ha : 0 < a) (hb : 0 < b) : ∃ y, Subtract (a, b) y := by
  by_cases h : a ≤ b
  · obtain ⟨k, hk⟩ := Nat.exists_eq_add_of_le h
    refine ⟨(a, k), ?_⟩
    rw [hk]
    exact Subtract.right a k ha
  · obtain ⟨k, hk⟩ := Nat.exists_eq_add_of_le (Nat.le_of_not_le h)
    refine ⟨(k, b), ?_⟩
    rw [hk, Nat.add_comm]
    exact Subtract.left k b hb

end Euclid

section Lock

/-- Outside, or inside the critical section. -/
inductive Place where
  | outside
  | inside

/-- Two processes and a lock. -/
structure Shared where
  first : Place
  second : Place
  locked : Bool

/-- A process takes the lock when it is free, and gives it back when it leaves. -/
inductive LockStep : Shared → Shared → Prop where
  | enter1 (q : Place) : LockStep ⟨.outside, q, false⟩ ⟨.inside, q, true⟩
  | enter2 (p : Place) : LockStep ⟨p, .outside, false⟩ ⟨p, .inside, true⟩
  | leave1 (q : Place) (b : Bool) : LockStep ⟨.inside, q, b⟩ ⟨.outside, q, false⟩
  | leave2 (p : Place) (b : Bool) : LockStep ⟨p, .inside, b⟩ ⟨p, .outside, false⟩

def lock : System Shared where
  init s := s = ⟨.outside, .outside, false⟩
  next := LockStep

/-- What the lock knows: who is inside. -/
def Faithful (s : Shared) : Prop :=
  (s.locked = false → s.first = .outside ∧ s.second = .outside) ∧ ¬ (s.first = .inside ∧ s.second = .inside)

theorem lock_faithful : lock.Inductive Faithful := by
  constructor
  · intro s hs
    have h : s = ⟨.outside, .outside, false⟩ := hs
    rw [h]
    constructor
    · intro _
      exact ⟨rfl, rfl⟩
    · rintro ⟨h1, _⟩
      cases h1
  · rintro s t ⟨h1, h2⟩ h
    cases h with
    | enter1 q =>
      obtain ⟨_, hq⟩ := h1 rfl
      have hq' : q = .outside := hq
      rw [hq']
      refine ⟨fun h => ?_, fun h => ?_⟩
      · cases h
      · cases h.2
    | enter2 p =>
      obtain ⟨hp, _⟩ := h1 rfl
      have hp' : p = .outside := hp
      rw [hp']
      refine ⟨fun h => ?_, fun h => ?_⟩
      · cases h
      · cases h.1
    | leave1 q b =>
      cases q with
      | outside => exact ⟨fun _ => ⟨rfl, rfl⟩, fun h => by cases h.1⟩
      | inside => exact absurd ⟨rfl, rfl⟩ h2
    | leave2 p b =>
      cases p with
      | outside => exact ⟨fun _ => ⟨rfl, rfl⟩, fun h => by cases h.2⟩
      | inside => exact absurd ⟨rfl, rfl⟩ h2

/-- Never are both inside. -/
theorem lock_exclusion : lock.Invariant (fun s => ¬ (s.first = .inside ∧ s.second = .inside)) := by
  refine invariant_mono (invariant_of_inductive lock_faithful) ?_
  intro s hs
  exact hs.2

theorem lock_deadlockFree : lock.DeadlockFree := by
  intro s hs
  have hf := invariant_of_inductive lock_faithful s hs
  obtain ⟨p, q, b⟩ := s
  cases p with
  | inside => exact ⟨_, LockStep.leave1 q b⟩
  | outside =>
    cases q with
    | inside => exact ⟨_, LockStep.leave2 .outside b⟩
    | outside =>
      cases b with
      | false => exact ⟨_, LockStep.enter1 .outside⟩
      | true =>
        exfalso
        have hi : lock.Inductive (fun s => s.locked = true → s.first = .inside ∨ s.second = .inside) := by
          constructor
          · intro t ht hb
            have h : t = ⟨.outside, .outside, false⟩ := ht
            rw [h] at hb
            cases hb
          · intro t u _ h hb
            cases h with
            | enter1 q => exact Or.inl rfl
            | enter2 p => exact Or.inr rfl
            | leave1 q b => cases hb
            | leave2 p b => cases hb
        rcases invariant_of_inductive hi _ hs rfl with h | h
        · cases h
        · cases h

end Lock

section Buffer

/-- Values on their way: still to be sent, in the buffer, and received. -/
structure Channel (α : Type) where
  todo : List α
  buffer : List α
  done : List α

variable {α : Type}

/-- Send the next value when there is room, or receive the oldest one. -/
inductive ChannelStep (size : Nat) : Channel α → Channel α → Prop where
  | send (a : α) (xs ys zs : List α) (h : ys.length < size) :
      ChannelStep size ⟨a :: xs, ys, zs⟩ ⟨xs, ys ++ [a], zs⟩
  | receive (a : α) (xs ys zs : List α) : ChannelStep size ⟨xs, a :: ys, zs⟩ ⟨xs, ys, zs ++ [a]⟩

def channel (size : Nat) (message : List α) : System (Channel α) where
  init c := c = ⟨message, [], []⟩
  next := ChannelStep size

/-- Nothing is lost, and nothing changes its place. -/
theorem channel_order (size : Nat) (message : List α) :
    (channel size message).Inductive (fun c => c.done ++ (c.buffer ++ c.todo) = message) := by
  constructor
  · intro c hc
    have h : c = ⟨message, [], []⟩ := hc
    rw [h]
    rfl
  · intro c d hc h
    cases h with
    | send a xs ys zs _ =>
      rw [← hc]
      simp only [List.append_assoc, List.singleton_append]
    | receive a xs ys zs =>
      rw [← hc]
      simp only [List.append_assoc, List.cons_append, List.nil_append]

theorem channel_bounded (size : Nat) (message : List α) :
    (channel size message).Inductive (fun c => c.buffer.length ≤ size) := by
  constructor
  · intro c hc
    have h : c = ⟨message, [], []⟩ := hc
    rw [h]
    exact Nat.zero_le size
  · intro c d hc h
    cases h with
    | send a xs ys zs hlt =>
      simp only [List.length_append, List.length_singleton]
      omega
    | receive a xs ys zs =>
      simp only [List.length_cons] at hc
      simp only
      omega

theorem channel_prefix (size : Nat) (message : List α) :
    (channel size message).Invariant (fun c => ∃ rest, c.done ++ rest = message) := by
  refine invariant_mono (invariant_of_inductive (channel_order size message)) ?_
  intro c hc
  exact ⟨c.buffer ++ c.todo, hc⟩

/-- A channel that stands still has delivered everything, unless it has no room at all. -/
theorem channel_complete (size : Nat) (hs : 0 < size) (message : List α) (c : Channel α)
    (hr : (channel size message).Reachable c) (hstuck : Rel.Stuck (channel size message).next c) :
    c.done = message := by
  have ho := invariant_of_inductive (channel_order size message) c hr
  obtain ⟨xs, ys, zs⟩ := c
  cases ys with
  | cons a ys => exact absurd (ChannelStep.receive a xs ys zs) (hstuck _)
  | nil =>
    cases xs with
    | cons a xs => exact absurd (ChannelStep.send a xs [] zs hs) (hstuck _)
    | nil =>
      simp only [List.append_nil] at ho
      exact ho

theorem channel_ends (size : Nat) (message : List α) (c : Channel α) :
    Rel.Ends (channel size message).next c := by
  apply Rel.ends_of_measure (fun c => 2 * c.todo.length + c.buffer.length)
  intro c d h
  cases h with
  | send a xs ys zs _ =>
    simp only [List.length_append, List.length_cons, List.length_nil]
    omega
  | receive a xs ys zs =>
    simp only [List.length_cons]
    omega

end Buffer

end Protocols

end Automata
