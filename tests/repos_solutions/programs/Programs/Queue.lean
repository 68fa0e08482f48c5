/-!
Queues made of two lists, with the invariant that makes their head cheap, against the list that they stand for;
a stack with a history, and a window of the last values.
-/

namespace Programs

variable {α β : Type}

/-- The front, and the back turned around. -/
structure Queue (α : Type) where
  front : List α
  back : List α

namespace Queue

/-- The list that a queue stands for, the oldest value first. -/
def toList (q : Queue α) : List α := q.front ++ q.back.reverse

/-- A queue with an empty front is empty. -/
def Good (q : Queue α) : Prop := q.front = [] → q.back = []

def empty : Queue α := ⟨[], []⟩

/-- Turn the back around when the front is used up. -/
def balance (q : Queue α) : Queue α :=
  match q.front with
  | [] => ⟨q.back.reverse, []⟩
  | _ :: _ => q

def enqueue (q : Queue α) (a : α) : Queue α := balance ⟨q.front, a :: q.back⟩

def dequeue (q : Queue α) : Queue α := balance ⟨q.front.tail, q.back⟩

def head? (q : Queue α) : Option α := q.front.head?

def ofList (xs : List α) : Queue α := ⟨xs, []⟩

def size (q : Queue α) : Nat := q.front.length + q.back.length

def map (f : α → β) (q : Queue α) : Queue β := ⟨q.front.map f, q.back.map f⟩

/-- Put in the values of a list, one after another. -/
def enqueueAll (q : Queue α) : List α → Queue α
  | [] => q
  | a :: as => enqueueAll (enqueue q a) as

/-- Take out `n` values. -/
def dequeueN (q : Queue α) : Nat → Queue α
  | 0 => q
  | n + 1 => dequeueN (dequeue q) n

section Meaning

theorem toList_balance (q : Queue α) : (balance q).toList = q.toList := by
  obtain ⟨f, b⟩ := q
  cases f with
  | nil =>
    unfold balance toList
    simp only [List.reverse_nil, List.append_nil, List.nil_append]
  | cons a f => rfl

theorem good_balance (q : Queue α) : Good (balance q) := by
  obtain ⟨f, b⟩ := q
  cases f with
  | nil =>
    intro _
    rfl
  | cons a f =>
    intro h
    cases h

theorem balance_good {q : Queue α} (h : Good q) : balance q = q := by
  obtain ⟨f, b⟩ := q
  cases f with
  | nil =>
    have hb : b = [] := h rfl
    rw [hb]
    rfl
  | cons a f => rfl

theorem toList_enqueue (q : Queue α) (a : α) : (enqueue q a).toList = q.toList ++ [a] := by
  unfold enqueue
  rw [toList_balance]
  unfold toList
  rw [List.reverse_cons, List.append_assoc]

theorem good_enqueue (q : Queue α) (a : α) : Good (enqueue q a) := by
  unfold enqueue
  exact good_balance _

theorem toList_dequeue {q : Queue α} (h : Good q) : (dequeue q).toList = q.toList.tail := by
  unfold dequeue
  rw [toList_balance]
  obtain ⟨f, b⟩ := q
  cases f with
  | nil =>
    have hb : b = [] := h rfl
    rw [hb]
    rfl
  | cons a f => rfl

theorem good_dequeue (q : Queue α) : Good (dequeue q) := by
  unfold dequeue
  exact good_balance _

theorem head?_eq {q : Queue α} (h : Good q) : q.head? = q.toList.head? := by
  obtain ⟨f, b⟩ := q
  cases f with
  | nil =>
    have hb : b = [] := h rfl
    rw [hb]
    rfl
  | cons a f => rfl

theorem toList_eq_nil_iff (q : Queue α) : q.toList = [] ↔ q.front = [] ∧ q.back = [] := by
  unfold toList
  rw [List.append_eq_nil_iff, List.reverse_eq_nil_iff]

theorem front_eq_nil_iff {q : Queue α} (h : Good q) : q.front = [] ↔ q.toList = [] := by
  rw [toList_eq_nil_iff]
  constructor
  · intro hf
    exact ⟨hf, h hf⟩
  · intro hq
    exact hq.1

theorem size_eq (q : Queue α) : q.size = q.toList.length := by
  unfold size toList
  rw [List.length_append, List.length_reverse]

theorem size_enqueue (q : Queue α) (a : α) : (enqueue q a).size = q.size + 1 := by
  rw [size_eq, toList_enqueue, List.length_append, List.length_singleton, size_eq]

theorem size_dequeue {q : Queue α} (h : Good q) : (dequeue q).size = q.size - 1 := by
  rw [size_eq, toList_dequeue h, List.length_tail, size_eq]

theorem head?_enqueue_of_empty {q : Queue α} (h : q.toList = []) (a : α) : (enqueue q a).head? = some a := by
  rw [head?_eq (good_enqueue q a), toList_enqueue, h]
  rfl

theorem head?_enqueue {q : Queue α} (hq : Good q) {b : α} (h : q.head? = some b) (a : α) :
    (enqueue q a).head? = some b := by
  rw [head?_eq hq] at h
  rw [head?_eq (good_enqueue q a), toList_enqueue]
  cases hl : q.toList with
  | nil =>
    rw [hl] at h
    cases h
  | cons c cs =>
    rw [hl] at h
    exact h

/-- Putting in and taking out can change places when there is something to take. -/
theorem dequeue_enqueue {q : Queue α} (hq : Good q) (h : q.toList ≠ []) (a : α) :
    (dequeue (enqueue q a)).toList = (enqueue (dequeue q) a).toList := by
  rw [toList_dequeue (good_enqueue q a), toList_enqueue, toList_enqueue, toList_dequeue hq]
  cases hl : q.toList with
  | nil => exact absurd hl h
  | cons c cs => rfl

theorem toList_map (f : α → β) (q : Queue α) : (map f q).toList = q.toList.map f := by
  unfold map toList
  rw [List.map_append, List.map_reverse]

theorem good_map {f : α → β} {q : Queue α} (h : Good q) : Good (map f q) := by
  intro hf
  have h1 : q.front = [] := List.map_eq_nil_iff.mp hf
  show q.back.map f = []
  rw [h h1, List.map_nil]

theorem map_enqueue (f : α → β) (q : Queue α) (a : α) : map f (enqueue q a) = enqueue (map f q) (f a) := by
  obtain ⟨fr, b⟩ := q
  cases fr with
  | nil =>
    unfold enqueue balance map
    simp only [List.map_nil, List.map_cons, List.map_reverse]
  | cons x fr => rfl

end Meaning

section Many

theorem toList_enqueueAll (q : Queue α) (as : List α) : (enqueueAll q as).toList = q.toList ++ as := by
  induction as generalizing q with
  | nil => rw [enqueueAll, List.append_nil]
  | cons a as ih => rw [enqueueAll, ih, toList_enqueue, List.append_assoc, List.singleton_append]

theorem good_enqueueAll {q : Queue α} (h : Good q) (as : List α) : Good (enqueueAll q as) := by
  induction as generalizing q with
  | nil => exact h
  | cons a as ih =>
    apply ih
    exact good_enqueue q a

theorem enqueueAll_append (q : Queue α) (as bs : List α) :
    enqueueAll q (as ++ bs) = enqueueAll (enqueueAll q as) bs := by
  induction as generalizing q with
  | nil => rfl
  | cons a as ih => exact ih (enqueue q a)

theorem toList_dequeueN {q : Queue α} (h : Good q) (n : Nat) : (dequeueN q n).toList = q.toList.drop n := by
  induction n generalizing q with
  | zero => rfl
  | succ n ih => rw [dequeueN, ih (good_dequeue q), toList_dequeue h, List.drop_tail]

theorem dequeueN_add (q : Queue α) (m n : Nat) : dequeueN q (m + n) = dequeueN (dequeueN q m) n := by
  induction m generalizing q with
  | zero => rw [Nat.zero_add, dequeueN]
  | succ m ih =>
    rw [Nat.succ_add, dequeueN, dequeueN]
    exact ih (dequeue q)

/-- What goes in first comes out first. -/
theorem fifo {q : Queue α} (h : Good q) (as : List α) : (dequeueN (enqueueAll q as) q.size).toList = as := by
  rw [toList_dequeueN (good_enqueueAll h as), toList_enqueueAll, size_eq]
  exact List.drop_left

/-- The queue is rebuilt from its list. -/
theorem toList_rebuild (q : Queue α) : (enqueueAll empty q.toList).toList = q.toList := by
  rw [toList_enqueueAll]
  rfl

theorem ofList_good (xs : List α) : Good (ofList xs) := by
  intro _
  rfl

theorem toList_ofList (xs : List α) : (ofList xs).toList = xs := by
  unfold ofList toList
  rw [List.reverse_nil, List.append_nil]

/-- Representations of one list show the same head after the same operations. -/
theorem head?_congr {p q : Queue α} (hp : Good p) (hq : Good q) (h : p.toList = q.toList) (as : List α) (n : Nat)
    (hn : Good (dequeueN (enqueueAll p as) n)) (hm : Good (dequeueN (enqueueAll q as) n)) :
    (dequeueN (enqueueAll p as) n).head? = (dequeueN (enqueueAll q as) n).head? := by
  rw [head?_eq hn, head?_eq hm]
  rw [toList_dequeueN (good_enqueueAll hp as), toList_dequeueN (good_enqueueAll hq as)]
  rw [toList_enqueueAll, toList_enqueueAll, h]

end Many

end Queue

/-- A text with a cursor: what is before it, the nearest first, and what is after it. -/
structure Cursor (α : Type) where
  before : List α
  after : List α

namespace Cursor

def text (c : Cursor α) : List α := c.before.reverse ++ c.after

def left (c : Cursor α) : Cursor α :=
  match c.before with
  | [] => c
  | a :: as => ⟨as, a :: c.after⟩

def right (c : Cursor α) : Cursor α :=
  match c.after with
  | [] => c
  | a :: as => ⟨a :: c.before, as⟩

def insert (c : Cursor α) (a : α) : Cursor α := ⟨a :: c.before, c.after⟩

/-- Remove what stands before the cursor. -/
def backspace (c : Cursor α) : Cursor α := ⟨c.before.tail, c.after⟩

def place (c : Cursor α) : Nat := c.before.length

/-- Go to the beginning. -/
def home (c : Cursor α) : Cursor α := ⟨[], c.text⟩

theorem text_left (c : Cursor α) : (left c).text = c.text := by
  obtain ⟨b, a⟩ := c
  cases b with
  | nil => rfl
  | cons x b =>
    unfold left text
    simp only [List.reverse_cons, List.append_assoc, List.singleton_append]

theorem text_right (c : Cursor α) : (right c).text = c.text := by
  obtain ⟨b, a⟩ := c
  cases a with
  | nil => rfl
  | cons x a =>
    unfold right text
    simp only [List.reverse_cons, List.append_assoc, List.singleton_append]

theorem right_left {c : Cursor α} (h : c.before ≠ []) : right (left c) = c := by
  obtain ⟨b, a⟩ := c
  cases b with
  | nil => exact absurd rfl h
  | cons x b => rfl

theorem left_right {c : Cursor α} (h : c.after ≠ []) : left (right c) = c := by
  obtain ⟨b, a⟩ := c
  cases a with
  | nil => exact absurd rfl h
  | cons x a => rfl

theorem backspace_insert (c : Cursor α) (a : α) : backspace (insert c a) = c := by
  rfl

theorem place_left (c : Cursor α) : (left c).place = c.place - 1 := by
  obtain ⟨b, a⟩ := c
  cases b with
  | nil => rfl
  | cons x b =>
    show b.length = (x :: b).length - 1
    rw [List.length_cons, Nat.add_sub_cancel]

theorem place_le (c : Cursor α) : c.place ≤ c.text.length := by
  unfold place text
  rw [List.length_append, List.length_reverse]
  omega

theorem text_insert (c : Cursor α) (a : α) :
    (insert c a).text = c.text.take c.place ++ a :: c.text.drop c.place := by
  have hl : c.place = c.before.reverse.length := by
    rw [List.length_reverse]
    rfl
  unfold insert text
  rw [hl, List.take_left, List.drop_left, List.reverse_cons, List.append_assoc, List.singleton_append]

theorem eq_of_text_place {c d : Cursor α} (ht : c.text = d.text) (hp : c.place = d.place) : c = d := by
  obtain ⟨b, a⟩ := c
  obtain ⟨b', a'⟩ := d
  unfold text at ht
  unfold place at hp
  simp only at ht hp
  obtain ⟨h1, h2⟩ := List.append_inj ht (by rw [List.length_reverse, List.length_reverse, hp])
  have h3 := congrArg List.reverse h1
  rw [List.reverse_reverse, List.reverse_reverse] at h3
  rw [h3, h2]

/-- `n` steps to the left. -/
def leftN (c : Cursor α) : Nat → Cursor α
  | 0 => c
  | n + 1 => leftN (left c) n

theorem text_leftN (c : Cursor α) (n : Nat) : (leftN c n).text = c.text := by
  induction n generalizing c with
  | zero => rfl
  | succ n ih => rw [leftN, ih, text_left]

theorem place_leftN (c : Cursor α) (n : Nat) : (leftN c n).place = c.place - n := by
  induction n generalizing c with
  | zero => rfl
  | succ n ih =>
    rw [leftN, ih, place_left]
    omega

theorem leftN_place (c : Cursor α) : leftN c c.place = home c := by
  apply eq_of_text_place
  · rw [text_leftN]
    rfl
  · rw [place_leftN, Nat.sub_self]
    rfl

theorem leftN_add (c : Cursor α) (m n : Nat) : leftN c (m + n) = leftN (leftN c m) n := by
  apply eq_of_text_place
  · rw [text_leftN, text_leftN, text_leftN]
  · rw [place_leftN, place_leftN, place_leftN]
    omega

end Cursor

end Programs
