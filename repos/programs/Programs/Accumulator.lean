/-!
Accumulators against direct recursion: functions that carry their result along, and what they compute.
-/

namespace Programs

namespace Accumulator

section Numbers

/-- The factorial, by recursion. -/
def fact : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * fact n

/-- The factorial, with an accumulator. -/
def factLoop : Nat → Nat → Nat
  | 0, acc => acc
  | n + 1, acc => factLoop n ((n + 1) * acc)

/-- Fibonacci's numbers, by recursion. -/
def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)

/-- Fibonacci's numbers, by a pair that moves on. -/
def fibLoop : Nat → Nat → Nat → Nat
  | 0, a, _ => a
  | n + 1, a, b => fibLoop n b (a + b)

/-- The sum of `f 0`, …, `f (n - 1)`. -/
def total (f : Nat → Nat) : Nat → Nat
  | 0 => 0
  | n + 1 => total f n + f n

/-- The same from below, with an accumulator: `f i` is next, and `n` are to come. -/
def totalLoop (f : Nat → Nat) : Nat → Nat → Nat → Nat
  | 0, _, acc => acc
  | n + 1, i, acc => totalLoop f n (i + 1) (acc + f i)

/-- `f` applied `n` times, outside. -/
def iter {α : Type} (f : α → α) : Nat → α → α
  | 0, a => a
  | n + 1, a => f (iter f n a)

/-- `f` applied `n` times, inside. -/
def iterLoop {α : Type} (f : α → α) : Nat → α → α
  | 0, a => a
  | n + 1, a => iterLoop f n (f a)

theorem factLoop_eq (n acc : Nat) : factLoop n acc = fact n * acc := by
  induction n generalizing acc with
  | zero => rw [factLoop, fact, Nat.one_mul]
  | succ n ih => rw [factLoop, ih, fact, ← Nat.mul_assoc, Nat.mul_comm (fact n)]

theorem factLoop_one (n : Nat) : factLoop n 1 = fact n := by
  rw [factLoop_eq, Nat.mul_one]

theorem fact_pos (n : Nat) : 0 < fact n := by
  induction n with
  | zero => exact Nat.one_pos
  | succ n ih =>
    rw [fact]
    exact Nat.mul_pos (Nat.succ_pos n) ih

theorem fact_le_succ (n : Nat) : fact n ≤ fact (n + 1) := by
  rw [fact]
  exact Nat.le_mul_of_pos_left (fact n) (Nat.succ_pos n)

theorem fact_mono {m n : Nat} (h : m ≤ n) : fact m ≤ fact n := by
  sorry

theorem le_fact (n : Nat) : n ≤ fact n := by
  cases n with
  | zero => exact Nat.zero_le _
  | succ n =>
    rw [fact]
    exact Nat.le_mul_of_pos_right (n + 1) (fact_pos n)

theorem fibLoop_eq (n k : Nat) : fibLoop n (fib k) (fib (k + 1)) = fib (k + n) := by
  induction n generalizing k with
  | zero => rfl
  | succ n ih =>
    have h := ih (k + 1)
    rw [fibLoop]
    have hf : fib (k + 1 + 1) = fib k + fib (k + 1) := rfl
    rw [← hf, h]
    congr 1
    omega

theorem fibLoop_zero_one (n : Nat) : fibLoop n 0 1 = fib n := by
  have h := fibLoop_eq n 0
  rw [Nat.zero_add n] at h
  exact h

theorem fibLoop_add (n a b c d : Nat) : fibLoop n (a + c) (b + d) = fibLoop n a b + fibLoop n c d := by
  sorry

theorem fib_pos (n : Nat) : 0 < fib (n + 1) := by
  induction n with
  | zero => exact Nat.one_pos
  | succ n ih =>
    rw [fib]
    omega

theorem fib_le_succ (n : Nat) : fib n ≤ fib (n + 1) := by
  cases n with
  | zero => exact Nat.zero_le _
  | succ n =>
    rw [fib]
    omega

theorem fib_add (m n : Nat) : fib (m + n + 1) = fib m * fib n + fib (m + 1) * fib (n + 1) := by
  sorry

theorem total_fib (n : Nat) : total fib n + 1 = fib (n + 1) := by
  sorry

theorem total_congr {f g : Nat → Nat} (n : Nat) (h : ∀ i, i < n → f i = g i) : total f n = total g n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [total, total, h n (Nat.lt_succ_self n), ih]
    intro i hi
    apply h
    omega

theorem total_add (f g : Nat → Nat) (n : Nat) : total (fun i => f i + g i) n = total f n + total g n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [total, total, total, ih]
    omega

theorem total_scale (k : Nat) (f : Nat → Nat) (n : Nat) : total (fun i => k * f i) n = k * total f n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [total, total, ih, Nat.mul_add]

theorem total_shift (f : Nat → Nat) (n : Nat) : total f (n + 1) = f 0 + total (fun i => f (i + 1)) n := by
  induction n with
  | zero =>
    rw [total, total, total]
    omega
  | succ n ih =>
    rw [total, ih, total]
    omega

theorem totalLoop_eq (f : Nat → Nat) (n i acc : Nat) :
    totalLoop f n i acc = acc + total (fun j => f (i + j)) n := by
  induction n generalizing i acc with
  | zero => rfl
  | succ n ih =>
    rw [totalLoop, ih, total_shift, Nat.add_zero, Nat.add_assoc]
    congr 2
    apply total_congr
    intro j _
    congr 1
    omega

theorem totalLoop_zero (f : Nat → Nat) (n : Nat) : totalLoop f n 0 0 = total f n := by
  sorry

theorem total_odd (n : Nat) : total (fun i => 2 * i + 1) n = n * n := by
  sorry

theorem total_reverse (f : Nat → Nat) (n : Nat) : total (fun i => f (n - 1 - i)) n = total f n := by
  sorry

theorem total_le {f g : Nat → Nat} (n : Nat) (h : ∀ i, i < n → f i ≤ g i) : total f n ≤ total g n := by
  sorry

theorem iter_inside {α : Type} (f : α → α) (n : Nat) (a : α) : iter f n (f a) = f (iter f n a) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [iter, ih, iter]

theorem iterLoop_eq {α : Type} (f : α → α) (n : Nat) (a : α) : iterLoop f n a = iter f n a := by
  induction n generalizing a with
  | zero => rfl
  | succ n ih => rw [iterLoop, ih, iter_inside, iter]

theorem iter_add {α : Type} (f : α → α) (m n : Nat) (a : α) : iter f (m + n) a = iter f m (iter f n a) := by
  induction m with
  | zero => rw [Nat.zero_add, iter]
  | succ m ih => rw [Nat.succ_add, iter, iter, ih]

theorem iter_mul {α : Type} (f : α → α) (m n : Nat) (a : α) : iter f (m * n) a = iter (iter f m) n a := by
  sorry

theorem iter_commute {α : Type} {f g : α → α} (h : ∀ a, f (g a) = g (f a)) (n : Nat) (a : α) :
    iter f n (g a) = g (iter f n a) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [iter, ih, h, iter]

theorem iter_invariant {α : Type} {f : α → α} {P : α → Prop} (h : ∀ a, P a → P (f a)) (n : Nat) (a : α)
    (ha : P a) : P (iter f n a) := by
  induction n with
  | zero => exact ha
  | succ n ih =>
    apply h
    exact ih

theorem iter_injective {α : Type} {f : α → α} (hf : ∀ a b, f a = f b → a = b) (n : Nat) (a b : α)
    (h : iter f n a = iter f n b) : a = b := by
  sorry

/-- A point that comes back after `m` and after `n` steps comes back after `m + n`. -/
theorem iter_return_add {α : Type} {f : α → α} {a : α} {m n : Nat} (hm : iter f m a = a) (hn : iter f n a = a) :
    iter f (m + n) a = a := by
  rw [iter_add, hn, hm]

theorem iter_pair_fib (n : Nat) : iter (fun p : Nat × Nat => (p.2, p.1 + p.2)) n (0, 1) = (fib n, fib (n + 1)) := by
  sorry

end Numbers

section Lists

variable {α β : Type}

/-- Put the elements of the first list, turned around, before the second. -/
def revOnto : List α → List α → List α
  | [], acc => acc
  | x :: xs, acc => revOnto xs (x :: acc)

/-- The length with an accumulator. -/
def lengthLoop : List α → Nat → Nat
  | [], acc => acc
  | _ :: xs, acc => lengthLoop xs (acc + 1)

/-- Fold from the left. -/
def foldLeft (f : β → α → β) : β → List α → β
  | b, [] => b
  | b, x :: xs => foldLeft f (f b x) xs

/-- Fold from the right. -/
def foldRight (f : α → β → β) (b : β) : List α → β
  | [] => b
  | x :: xs => f x (foldRight f b xs)

/-- The value of a list of digits, the lowest first. -/
def value (base : Nat) : List Nat → Nat
  | [] => 0
  | d :: ds => d + base * value base ds

/-- Horner's rule: the digits come highest first. -/
def horner (base : Nat) : List Nat → Nat → Nat
  | [], acc => acc
  | d :: ds, acc => horner base ds (base * acc + d)

theorem revOnto_eq (xs acc : List α) : revOnto xs acc = xs.reverse ++ acc := by
  induction xs generalizing acc with
  | nil => rfl
  | cons x xs ih => rw [revOnto, ih, List.reverse_cons, List.append_assoc, List.singleton_append]

theorem revOnto_revOnto (xs ys zs : List α) : revOnto (revOnto xs ys) zs = revOnto ys (xs ++ zs) := by
  sorry

theorem revOnto_append (xs ys acc : List α) : revOnto (xs ++ ys) acc = revOnto ys (revOnto xs acc) := by
  induction xs generalizing acc with
  | nil => rfl
  | cons x xs ih => exact ih (x :: acc)

theorem length_revOnto (xs acc : List α) : (revOnto xs acc).length = xs.length + acc.length := by
  rw [revOnto_eq, List.length_append, List.length_reverse]

theorem lengthLoop_eq (xs : List α) (acc : Nat) : lengthLoop xs acc = acc + xs.length := by
  induction xs generalizing acc with
  | nil => rfl
  | cons x xs ih =>
    rw [lengthLoop, ih, List.length_cons]
    omega

theorem foldLeft_append (f : β → α → β) (b : β) (xs ys : List α) :
    foldLeft f b (xs ++ ys) = foldLeft f (foldLeft f b xs) ys := by
  induction xs generalizing b with
  | nil => rfl
  | cons x xs ih => exact ih (f b x)

theorem foldRight_append (f : α → β → β) (b : β) (xs ys : List α) :
    foldRight f b (xs ++ ys) = foldRight f (foldRight f b ys) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [List.cons_append, foldRight, foldRight, ih]

/-- A fold from the left is one from the right over the reversed list. -/
theorem foldLeft_eq_foldRight_reverse (f : β → α → β) (b : β) (xs : List α) :
    foldLeft f b xs = foldRight (fun x c => f c x) b xs.reverse := by
  sorry

/-- For an associative function with a unit both folds agree. -/
theorem foldLeft_eq_foldRight {f : α → α → α} {e : α} (ha : ∀ a b c, f (f a b) c = f a (f b c))
    (hl : ∀ a, f e a = a) (hr : ∀ a, f a e = a) (xs : List α) : foldLeft f e xs = foldRight f e xs := by
  sorry

theorem foldRight_fusion {γ : Type} (h : β → γ) (f : α → β → β) (g : α → γ → γ) (b : β)
    (hf : ∀ x c, h (f x c) = g x (h c)) (xs : List α) : h (foldRight f b xs) = foldRight g (h b) xs := by
  sorry

theorem foldLeft_map {γ : Type} (f : β → α → β) (g : γ → α) (b : β) (xs : List γ) :
    foldLeft f b (xs.map g) = foldLeft (fun c x => f c (g x)) b xs := by
  induction xs generalizing b with
  | nil => rfl
  | cons x xs ih =>
    rw [List.map_cons, foldLeft, foldLeft]
    exact ih (f b (g x))

theorem foldLeft_invariant {f : β → α → β} {P : β → Prop} {xs : List α} (h : ∀ b x, x ∈ xs → P b → P (f b x))
    (b : β) (hb : P b) : P (foldLeft f b xs) := by
  sorry

theorem foldLeft_cons_eq (xs acc : List α) : foldLeft (fun ys x => x :: ys) acc xs = revOnto xs acc := by
  induction xs generalizing acc with
  | nil => rfl
  | cons x xs ih =>
    rw [foldLeft, ih]
    rfl

theorem foldRight_cons_append (xs ys : List α) : foldRight (fun x zs => x :: zs) ys xs = xs ++ ys := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [foldRight, ih]
    rfl

theorem value_append (base : Nat) (ds es : List Nat) :
    value base (ds ++ es) = value base ds + base ^ ds.length * value base es := by
  induction ds with
  | nil => rw [List.nil_append, value, List.length_nil, Nat.pow_zero, Nat.one_mul, Nat.zero_add]
  | cons d ds ih =>
    rw [List.cons_append, value, ih, value, List.length_cons, Nat.pow_succ, Nat.mul_add]
    rw [Nat.mul_comm (base ^ ds.length) base, Nat.mul_assoc, Nat.add_assoc]

theorem horner_eq (base : Nat) (ds : List Nat) (acc : Nat) :
    horner base ds acc = value base ds.reverse + base ^ ds.length * acc := by
  induction ds generalizing acc with
  | nil => rw [horner, List.reverse_nil, value, List.length_nil, Nat.pow_zero, Nat.one_mul, Nat.zero_add]
  | cons d ds ih =>
    rw [horner, ih, List.reverse_cons, value_append, value, value, List.length_reverse, List.length_cons]
    rw [Nat.pow_succ, Nat.mul_zero, Nat.add_zero, Nat.mul_add, Nat.mul_assoc]
    omega

theorem horner_zero (base : Nat) (ds : List Nat) : horner base ds.reverse 0 = value base ds := by
  rw [horner_eq, List.reverse_reverse, Nat.mul_zero, Nat.add_zero]

theorem value_lt (base : Nat) (ds : List Nat) (h : ∀ d, d ∈ ds → d < base) : value base ds < base ^ ds.length := by
  sorry

/-- Numbers of equally many digits are equal only when their digits are. -/
theorem value_injective {base : Nat} {ds es : List Nat} (hd : ∀ d, d ∈ ds → d < base) (he : ∀ e, e ∈ es → e < base)
    (hl : ds.length = es.length) (h : value base ds = value base es) : ds = es := by
  sorry

end Lists

end Accumulator

end Programs
