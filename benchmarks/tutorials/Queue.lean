/-! # Queues as two lists, and a bounded buffer on top of them

The functions are specified through `toList`, the elements in the order in which they leave. -/

universe u v

/-- `front` is in order, `back` is reversed; `front` is empty only when the queue is. -/
structure Queue (α : Type u) where
  front : List α
  back : List α
  inv : front = [] → back = []

namespace Queue

variable {α : Type u} {β : Type v}

def toList (q : Queue α) : List α := q.front ++ q.back.reverse

/-- Put the invariant in order. -/
def make : List α → List α → Queue α
  | [], b => ⟨b.reverse, [], fun _ => rfl⟩
  | a :: f, b => ⟨a :: f, b, nofun⟩

def empty : Queue α := ⟨[], [], fun _ => rfl⟩

instance : EmptyCollection (Queue α) := ⟨empty⟩

def push (q : Queue α) (a : α) : Queue α := make q.front (a :: q.back)

infixl:65 " ◁ " => Queue.push

def pop? (q : Queue α) : Option (α × Queue α) :=
  match q.front with
  | [] => none
  | a :: f => some (a, make f q.back)

def peek? (q : Queue α) : Option α := q.front.head?

def size (q : Queue α) : Nat := q.front.length + q.back.length

def map (f : α → β) (q : Queue α) : Queue β :=
  ⟨q.front.map f, q.back.map f, fun h => by rw [q.inv (List.map_eq_nil_iff.mp h), List.map_nil]⟩

def pushAll (q : Queue α) (as : List α) : Queue α := as.foldl push q

instance : Membership α (Queue α) := ⟨fun q a => a ∈ q.front ∨ a ∈ q.back⟩

/-- Two queues with the same elements in the same order. -/
instance : HasEquiv (Queue α) := ⟨fun q r => q.toList = r.toList⟩

theorem toList_empty : (∅ : Queue α).toList = [] := rfl

theorem toList_make (f b : List α) : (make f b).toList = f ++ b.reverse := by
  cases f with
  | nil => exact List.append_nil _
  | cons a f => rfl

theorem toList_push (q : Queue α) (a : α) : (q ◁ a).toList = q.toList ++ [a] := by
  rw [push, toList_make, List.reverse_cons, ← List.append_assoc]
  rfl

theorem size_eq_length (q : Queue α) : q.size = q.toList.length := by
  simp [size, toList]

theorem size_push (q : Queue α) (a : α) : (q ◁ a).size = q.size + 1 := by
  simp [size_eq_length, toList_push]

theorem mem_toList {q : Queue α} {a : α} : a ∈ q ↔ a ∈ q.toList := by
  show a ∈ q.front ∨ a ∈ q.back ↔ _
  simp [toList]

theorem mem_push {q : Queue α} {a b : α} : b ∈ q ◁ a ↔ b ∈ q ∨ b = a := by
  rw [mem_toList, mem_toList, toList_push, List.mem_append, List.mem_singleton]

theorem toList_map (f : α → β) (q : Queue α) : (q.map f).toList = q.toList.map f := by
  simp [toList, map]

theorem map_push (f : α → β) (q : Queue α) (a : α) : (q ◁ a).map f ≈ q.map f ◁ f a := by
  show Queue.toList _ = Queue.toList _
  simp [toList_map, toList_push]

theorem toList_pushAll (q : Queue α) (as : List α) : (q.pushAll as).toList = q.toList ++ as := by
  induction as generalizing q with
  | nil => exact (List.append_nil _).symm
  | cons a as ih =>
    show ((q ◁ a).pushAll as).toList = _
    rw [ih, toList_push, List.append_assoc]
    rfl

theorem peek?_eq (q : Queue α) : q.peek? = q.toList.head? := by
  unfold peek? toList
  cases h : q.front with
  | nil => simp [q.inv h]
  | cons a f => rfl

theorem pop?_eq_none {q : Queue α} : q.pop? = none ↔ q.toList = [] := by
  unfold pop? toList
  cases h : q.front with
  | nil => simp [q.inv h]
  | cons a f => simp

theorem toList_of_pop? {q r : Queue α} {a : α} (h : q.pop? = some (a, r)) :
    q.toList = a :: r.toList := by
  unfold pop? at h
  split at h
  · cases h
  · next b f hf =>
    cases h
    rw [toList_make, toList, hf]
    rfl

theorem pop?_push_empty (a : α) : ∃ r, (∅ ◁ a).pop? = some (a, r) ∧ r.toList = [] :=
  ⟨_, rfl, rfl⟩

theorem push_congr {q r : Queue α} (h : q ≈ r) (a : α) : q ◁ a ≈ r ◁ a := by
  show Queue.toList _ = Queue.toList _
  rw [toList_push, toList_push, show q.toList = r.toList from h]

theorem pop?_congr {q r : Queue α} (h : q ≈ r) {a : α} {q' : Queue α}
    (hq : q.pop? = some (a, q')) : ∃ r', r.pop? = some (a, r') ∧ q' ≈ r' := by
  have hr : r.toList = a :: q'.toList := by
    rw [← toList_of_pop? hq]
    exact h.symm
  cases hp : r.pop? with
  | none => rw [pop?_eq_none.mp hp] at hr; cases hr
  | some p =>
    obtain ⟨b, r'⟩ := p
    rw [toList_of_pop? hp] at hr
    obtain ⟨rfl, ht⟩ := List.cons.inj hr
    exact ⟨r', rfl, ht.symm⟩

end Queue

/-- A queue that never holds more than `cap` elements. -/
structure Buffer (α : Type u) (cap : Nat) where
  queue : Queue α
  bound : queue.size ≤ cap

namespace Buffer

variable {α : Type u} {cap : Nat}

def put? (b : Buffer α cap) (a : α) : Option (Buffer α cap) :=
  if h : b.queue.size < cap then some ⟨b.queue ◁ a, by rw [Queue.size_push]; exact h⟩ else none

theorem put?_eq_none {b : Buffer α cap} {a : α} : b.put? a = none ↔ b.queue.size = cap := by
  have := b.bound
  unfold put?
  split <;> simp <;> omega

theorem toList_put? {b c : Buffer α cap} {a : α} (h : b.put? a = some c) :
    c.queue.toList = b.queue.toList ++ [a] := by
  unfold put? at h
  split at h
  · cases h; exact Queue.toList_push _ _
  · cases h

end Buffer
