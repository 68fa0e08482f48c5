/-!
# Infinite streams

A stream is just a function from the natural numbers.  We give the usual
operations, the coinduction principle, and sums and differences.
-/

universe u v w

/-- An infinite stream of elements of `α`. -/
def Strm (α : Type u) := Nat → α

namespace Strm

variable {α : Type u} {β : Type v} {γ : Type w}

def head (s : Strm α) : α := s 0
def tail (s : Strm α) : Strm α := fun n => s (n + 1)
def cons (a : α) (s : Strm α) : Strm α
  | 0 => a
  | n + 1 => s n

infixr:67 " ::: " => Strm.cons

/-- The constant stream. -/
def pure (a : α) : Strm α := fun _ => a

def map (f : α → β) (s : Strm α) : Strm β := fun n => f (s n)

def zipWith (f : α → β → γ) (s : Strm α) (t : Strm β) : Strm γ :=
  fun n => f (s n) (t n)

/-- `a, f a, f (f a), …` -/
def iterate (f : α → α) (a : α) : Strm α
  | 0 => a
  | n + 1 => f (iterate f a n)

def drop (k : Nat) (s : Strm α) : Strm α := fun n => s (n + k)

def take : Nat → Strm α → List α
  | 0, _ => []
  | n + 1, s => s.head :: take n s.tail

/-- Put a finite list in front of a stream. -/
def prepend : List α → Strm α → Strm α
  | [], s => s
  | a :: l, s => a ::: prepend l s

def evens (s : Strm α) : Strm α := fun n => s (2 * n)
def odds (s : Strm α) : Strm α := fun n => s (2 * n + 1)

def interleave (s t : Strm α) : Strm α :=
  fun n => if n % 2 = 0 then s (n / 2) else t (n / 2)

instance [Add α] : Add (Strm α) := ⟨zipWith (· + ·)⟩
instance [Sub α] : Sub (Strm α) := ⟨zipWith (· - ·)⟩

/-- Partial sums, starting with the empty sum. -/
def sums (s : Strm Int) : Strm Int
  | 0 => 0
  | n + 1 => sums s n + s n

/-- Forward differences. -/
def diff (s : Strm Int) : Strm Int := s.tail - s

/-- `R` is a bisimulation: related streams have equal heads and related tails. -/
def IsBisim (R : Strm α → Strm α → Prop) : Prop :=
  ∀ s t, R s t → s.head = t.head ∧ R s.tail t.tail

/-! ## Basic laws -/

theorem ext {s t : Strm α} (h : ∀ n, s n = t n) : s = t := funext h

theorem cons_head_tail (s : Strm α) : s.head ::: s.tail = s := by
  refine ext fun n => ?_
  cases n <;> rfl

theorem cons_injective {a b : α} {s t : Strm α} (h : a ::: s = b ::: t) :
    a = b ∧ s = t := by
  constructor
  · exact congrFun h 0
  · apply ext
    intro n
    exact congrFun h (n + 1)

theorem drop_drop (j k : Nat) (s : Strm α) : drop j (drop k s) = drop (j + k) s := by
  refine ext fun n => ?_
  show s (n + j + k) = s (n + (j + k))
  rw [Nat.add_assoc]

/-! ## Coinduction -/

/-- Streams related by a bisimulation are equal. -/
theorem eq_of_bisim {R : Strm α → Strm α → Prop} (hR : IsBisim R)
    {s t : Strm α} (h : R s t) : s = t := by
  refine ext fun n => ?_
  induction n generalizing s t with
  | zero => exact (hR s t h).1
  | succ n ih => exact ih (hR s t h).2

theorem map_iterate (f : α → α) (a : α) :
    map f (iterate f a) = iterate f (f a) := by
  refine ext fun n => ?_
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg f ih

theorem iterate_unfold (f : α → α) (a : α) :
    iterate f a = a ::: iterate f (f a) := by
  rw [← map_iterate]
  refine ext fun n => ?_
  cases n <;> rfl

/-- `iterate f a` is the only stream `s` with head `a` and `s.tail = map f s`. -/
theorem eq_iterate {f : α → α} {a : α} {s : Strm α}
    (hd : s.head = a) (tl : s.tail = map f s) : s = iterate f a := by
  refine ext fun n => ?_
  induction n with
  | zero => exact hd
  | succ n ih =>
    have h : s (n + 1) = f (s n) := congrFun tl n
    rw [h, ih]
    rfl

/-! ## Finite prefixes -/

theorem length_take (n : Nat) (s : Strm α) : (take n s).length = n := by
  induction n generalizing s with
  | zero => rfl
  | succ n ih => simp [take, ih]

theorem prepend_take_drop (n : Nat) (s : Strm α) :
    prepend (take n s) (drop n s) = s := by
  induction n generalizing s with
  | zero => rfl
  | succ n ih =>
    show s.head ::: prepend (take n s.tail) (drop n s.tail) = s
    rw [ih, cons_head_tail]

/-- Two streams which agree on all finite prefixes are equal. -/
theorem eq_of_take {s t : Strm α} (h : ∀ n, take n s = take n t) : s = t := by
  refine eq_of_bisim (R := fun s t => ∀ n, take n s = take n t) ?_ h
  intro s t hst
  refine ⟨?_, fun n => ?_⟩
  · have h1 := hst 1
    simpa [take] using h1
  · have h1 := hst (n + 1)
    simp only [take, List.cons.injEq] at h1
    exact h1.2

/-! ## Interleaving -/

theorem tail_interleave (s t : Strm α) :
    (interleave s t).tail = interleave t s.tail := by
  refine ext fun n => ?_
  simp only [tail, interleave]
  by_cases h : n % 2 = 0
  · have h1 : ¬ (n + 1) % 2 = 0 := by omega
    have h2 : (n + 1) / 2 = n / 2 := by omega
    rw [if_pos h, if_neg h1, h2]
  · have h1 : (n + 1) % 2 = 0 := by omega
    have h2 : (n + 1) / 2 = n / 2 + 1 := by omega
    rw [if_neg h, if_pos h1, h2]

theorem interleave_evens_odds (s : Strm α) : interleave s.evens s.odds = s := by
  refine ext fun n => ?_
  simp only [interleave, evens, odds]
  split
  · congr 1; omega
  · congr 1; omega

/-! ## Sums and differences -/

theorem sums_add (s t : Strm Int) : sums (s + t) = sums s + sums t := by
  refine ext fun n => ?_
  induction n with
  | zero => rfl
  | succ n ih =>
    show sums (s + t) n + (s n + t n) = (sums s n + s n) + (sums t n + t n)
    rw [ih]
    show (sums s n + sums t n) + (s n + t n) = _
    omega

theorem diff_sums (s : Strm Int) : diff (sums s) = s := by
  refine ext fun n => ?_
  show (sums s n + s n) - sums s n = s n
  omega

/-- Telescoping: summing the differences gives the stream up to its head. -/
theorem sums_diff (s : Strm Int) : sums (diff s) = s - pure s.head := by
  refine ext fun n => ?_
  show sums (diff s) n = s n - s 0
  induction n with
  | zero => show (0 : Int) = s 0 - s 0; omega
  | succ n ih =>
    show sums (diff s) n + (s (n + 1) - s n) = s (n + 1) - s 0
    rw [ih]
    omega

end Strm
