import Order.Descent

/-!
The lesser and the greater of two elements of a total order, clamping, the least element of a
list, the best element by a key, and total orders of our own: levels and versions.
-/

namespace Order

variable {α β : Type}

section TwoElements

variable [Total α] [∀ a b : α, Decidable (a ⊑ b)] {a b c d : α}

def lesser (a b : α) : α := if a ⊑ b then a else b

def greater (a b : α) : α := if a ⊑ b then b else a

theorem lesser_of_le (h : a ⊑ b) : lesser a b = a := by
  unfold lesser
  rw [if_pos h]

theorem lesser_of_ge (h : b ⊑ a) : lesser a b = b := by
  unfold lesser
  by_cases h1 : a ⊑ b
  · rw [if_pos h1]
    exact le_antisymm h1 h
  · rw [if_neg h1]

theorem greater_of_le (h : a ⊑ b) : greater a b = b := by
  unfold greater
  rw [if_pos h]

theorem greater_of_ge (h : b ⊑ a) : greater a b = a := by
  unfold greater
  by_cases h1 : a ⊑ b
  · rw [if_pos h1]
    exact le_antisymm h h1
  · rw [if_neg h1]

theorem lesser_cases (a b : α) : lesser a b = a ∨ lesser a b = b := by
  unfold lesser
  split
  · left
    rfl
  · right
    rfl

theorem lesser_le_left (a b : α) : lesser a b ⊑ a := by
  cases le_total a b with
  | inl h =>
    rw [lesser_of_le h]
    exact le_refl a
  | inr h =>
    rw [lesser_of_ge h]
    exact h

theorem lesser_le_right (a b : α) : lesser a b ⊑ b := by
  cases le_total a b with
  | inl h =>
    rw [lesser_of_le h]
    exact h
  | inr h =>
    rw [lesser_of_ge h]
    exact le_refl b

theorem left_le_greater (a b : α) : a ⊑ greater a b := by
  cases le_total a b with
  | inl h =>
    rw [greater_of_le h]
    exact h
  | inr h =>
    rw [greater_of_ge h]
    exact le_refl a

theorem right_le_greater (a b : α) : b ⊑ greater a b := by
  cases le_total a b with
  | inl h =>
    rw [greater_of_le h]
    exact le_refl b
  | inr h =>
    rw [greater_of_ge h]
    exact h

theorem le_lesser_iff : c ⊑ lesser a b ↔ c ⊑ a ∧ c ⊑ b := by
  constructor
  · intro h
    exact ⟨le_trans h (lesser_le_left a b), le_trans h (lesser_le_right a b)⟩
  · intro ⟨h1, h2⟩
    cases lesser_cases a b with
    | inl h => rw [h]; exact h1
    | inr h => rw [h]; exact h2

theorem greater_le_iff : greater a b ⊑ c ↔ a ⊑ c ∧ b ⊑ c := by
  constructor
  · intro h
    constructor
    · exact le_trans (left_le_greater a b) h
    · exact le_trans (right_le_greater a b) h
  · intro ⟨h1, h2⟩
    unfold greater
    split
    · exact h2
    · exact h1

/-- A total order whose order can be decided is a lattice. -/
instance totalLattice : Lattice α where
  meet := lesser
  join := greater
  meet_left := lesser_le_left
  meet_right := lesser_le_right
  meet_greatest := fun _ _ _ h1 h2 => le_lesser_iff.2 ⟨h1, h2⟩
  join_left := left_le_greater
  join_right := right_le_greater
  join_least := fun _ _ _ h1 h2 => greater_le_iff.2 ⟨h1, h2⟩

theorem lesser_comm (a b : α) : lesser a b = lesser b a := by
  exact meet_comm a b

theorem greater_assoc (a b c : α) : greater (greater a b) c = greater a (greater b c) := by
  exact join_assoc a b c

theorem lesser_le_iff : lesser a b ⊑ c ↔ a ⊑ c ∨ b ⊑ c := by
  sorry

theorem le_greater_iff : c ⊑ greater a b ↔ c ⊑ a ∨ c ⊑ b := by
  constructor
  · intro h
    cases le_total a b with
    | inl h1 =>
      rw [greater_of_le h1] at h
      exact Or.inr h
    | inr h1 =>
      rw [greater_of_ge h1] at h
      exact Or.inl h
  · intro h
    cases h with
    | inl h1 => exact le_trans h1 (left_le_greater a b)
    | inr h1 => exact le_trans h1 (right_le_greater a b)

/-- Total orders are distributive lattices. -/
theorem total_distributive : Distributive α := by
  intro a b c
  show lesser a (greater b c) ⊑ greater (lesser a b) (lesser a c)
  cases le_total b c with
  | inl h =>
    rw [greater_of_le h]
    exact right_le_greater _ _
  | inr h =>
    rw [greater_of_ge h]
    exact left_le_greater _ _

theorem lesser_greater_distrib (a b c : α) :
    greater a (lesser b c) = lesser (greater a b) (greater a c) := by
  exact join_meet_distrib total_distributive a b c

theorem lesser_map [Total β] [∀ a b : β, Decidable (a ⊑ b)] {f : α → β} (h : Monotone f) (a b : α) :
    f (lesser a b) = lesser (f a) (f b) := by
  cases le_total a b with
  | inl h1 => rw [lesser_of_le h1, lesser_of_le (h a b h1)]
  | inr h1 => rw [lesser_of_ge h1, lesser_of_ge (h b a h1)]

theorem lesser_antitone_map [Total β] [∀ a b : β, Decidable (a ⊑ b)] {f : α → β} (h : Antitone f)
    (a b : α) : f (lesser a b) = greater (f a) (f b) := by
  cases le_total a b with
  | inl h1 => rw [lesser_of_le h1, greater_of_ge (h a b h1)]
  | inr h1 => rw [lesser_of_ge h1, greater_of_le (h b a h1)]

theorem lesser_below_iff : c ⊏ lesser a b ↔ c ⊏ a ∧ c ⊏ b := by
  sorry

theorem lesser_greater_eq (a b : α) :
    (lesser a b = a ∧ greater a b = b) ∨ (lesser a b = b ∧ greater a b = a) := by
  cases le_total a b with
  | inl h =>
    left
    exact ⟨lesser_of_le h, greater_of_le h⟩
  | inr h =>
    right
    exact ⟨lesser_of_ge h, greater_of_ge h⟩

theorem lesser_eq_greater (h : lesser a b = greater a b) : a = b := by
  sorry

end TwoElements

section Clamping

variable [Total α] [∀ a b : α, Decidable (a ⊑ b)] {a b c l u : α}

/-- The element of the interval from `l` to `u` that is nearest to `a`. -/
def clamp (l u a : α) : α := greater l (lesser u a)

theorem clamp_ge (l u a : α) : l ⊑ clamp l u a := by
  exact left_le_greater l (lesser u a)

theorem clamp_le (h : l ⊑ u) (a : α) : clamp l u a ⊑ u := by
  apply greater_le_iff.2
  exact ⟨h, lesser_le_left u a⟩

theorem clamp_inside (h1 : l ⊑ a) (h2 : a ⊑ u) : clamp l u a = a := by
  unfold clamp
  rw [lesser_of_ge h2, greater_of_le h1]

theorem clamp_idem (h : l ⊑ u) (a : α) : clamp l u (clamp l u a) = clamp l u a := by
  sorry

theorem clamp_monotone (l u : α) : Monotone (clamp l u) := by
  intro a b h
  unfold clamp
  apply greater_le_iff.2
  constructor
  · exact left_le_greater l (lesser u b)
  · apply le_trans _ (right_le_greater l (lesser u b))
    apply le_lesser_iff.2
    exact ⟨lesser_le_left u a, le_trans (lesser_le_right u a) h⟩

theorem clamp_below (h : a ⊑ l) : clamp l u a = l := by
  unfold clamp
  apply greater_of_ge
  exact le_trans (lesser_le_right u a) h

theorem clamp_swap (h : l ⊑ u) (a : α) : clamp l u a = lesser u (greater l a) := by
  sorry

theorem clamp_cases (l u a : α) : clamp l u a = l ∨ clamp l u a = u ∨ clamp l u a = a := by
  unfold clamp
  rcases lesser_greater_eq l (lesser u a) with ⟨_, h⟩ | ⟨_, h⟩
  · rw [h]
    right
    exact lesser_cases u a
  · left
    exact h

theorem clamp_eq_self_iff (h : l ⊑ u) : clamp l u a = a ↔ l ⊑ a ∧ a ⊑ u := by
  sorry

/-- The middle one of three. -/
def median (a b c : α) : α := greater (lesser a b) (lesser (greater a b) c)

theorem median_self (a b : α) : median a a b = a := by
  unfold median
  have h1 : lesser a a = a := meet_self a
  have h2 : greater a a = a := join_self a
  rw [h1, h2]
  exact join_meet_self a b

theorem median_clamp (h : a ⊑ b) (c : α) : median a b c = clamp a b c := by
  unfold median clamp
  rw [lesser_of_le h, greater_of_le h]

theorem median_swap (a b c : α) : median a b c = median b a c := by
  have h1 : lesser a b = lesser b a := lesser_comm a b
  have h2 : greater a b = greater b a := join_comm a b
  unfold median
  rw [h1, h2]

theorem median_between (h1 : a ⊑ b) (h2 : b ⊑ c) : median a c b = b ∧ median b c a = b := by
  sorry

end Clamping

section Lists

variable [Total α] [∀ a b : α, Decidable (a ⊑ b)] {a b : α}

/-- The least one of `a` and the elements of a list. -/
def leastOf (a : α) : List α → α
  | [] => a
  | x :: xs => lesser x (leastOf a xs)

theorem leastOf_le_start (a : α) (xs : List α) : leastOf a xs ⊑ a := by
  induction xs with
  | nil => exact le_refl a
  | cons x xs ih => exact le_trans (lesser_le_right x (leastOf a xs)) ih

theorem leastOf_le_mem (a : α) (xs : List α) (x : α) (h : x ∈ xs) : leastOf a xs ⊑ x := by
  induction h with
  | head ys => exact lesser_le_left x (leastOf a ys)
  | tail y _ ih => exact le_trans (lesser_le_right y _) ih

theorem leastOf_mem (a : α) (xs : List α) : leastOf a xs = a ∨ leastOf a xs ∈ xs := by
  induction xs with
  | nil =>
    left
    rfl
  | cons x xs ih =>
    cases lesser_cases x (leastOf a xs) with
    | inl h =>
      right
      show lesser x (leastOf a xs) ∈ x :: xs
      rw [h]
      exact List.Mem.head xs
    | inr h =>
      show lesser x (leastOf a xs) = a ∨ lesser x (leastOf a xs) ∈ x :: xs
      rw [h]
      cases ih with
      | inl h1 => exact Or.inl h1
      | inr h1 => exact Or.inr (List.Mem.tail x h1)

theorem le_leastOf_iff (a b : α) (xs : List α) : b ⊑ leastOf a xs ↔ b ⊑ a ∧ ∀ x ∈ xs, b ⊑ x := by
  constructor
  · intro h
    constructor
    · exact le_trans h (leastOf_le_start a xs)
    · intro x hx
      exact le_trans h (leastOf_le_mem a xs x hx)
  · intro ⟨h1, h2⟩
    cases leastOf_mem a xs with
    | inl h => rw [h]; exact h1
    | inr h => exact h2 _ h

theorem leastOf_least (a : α) (xs : List α) : Least (fun x => x = a ∨ x ∈ xs) (leastOf a xs) := by
  constructor
  · exact leastOf_mem a xs
  · intro x hx
    cases hx with
    | inl hx => rw [hx]; exact leastOf_le_start a xs
    | inr hx => exact leastOf_le_mem a xs x hx

theorem leastOf_append (a : α) (xs ys : List α) :
    leastOf a (xs ++ ys) = leastOf (leastOf a ys) xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    show lesser x (leastOf a (xs ++ ys)) = lesser x (leastOf (leastOf a ys) xs)
    rw [ih]

theorem leastOf_subset (a : α) (xs ys : List α) (h : ∀ x ∈ xs, x ∈ ys) :
    leastOf a ys ⊑ leastOf a xs := by
  apply (le_leastOf_iff a _ xs).2
  constructor
  · exact leastOf_le_start a ys
  · intro x hx
    exact leastOf_le_mem a ys x (h x hx)

theorem leastOf_start (a b : α) (xs : List α) :
    leastOf (lesser a b) xs = lesser a (leastOf b xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    show lesser x (leastOf (lesser a b) xs) = lesser a (lesser x (leastOf b xs))
    rw [ih]
    exact meet_left_comm x a (leastOf b xs)

theorem leastOf_reverse (a : α) (xs : List α) : leastOf a xs.reverse = leastOf a xs := by
  sorry

theorem leastOf_map [Total β] [∀ a b : β, Decidable (a ⊑ b)] {f : α → β} (h : Monotone f) (a : α)
    (xs : List α) : leastOf (f a) (xs.map f) = f (leastOf a xs) := by
  sorry

theorem leastOf_same_elements (a b : α) (xs ys : List α)
    (h : ∀ x, x ∈ a :: xs ↔ x ∈ b :: ys) : leastOf a xs = leastOf b ys := by
  sorry

/-- The element of a list, or `a`, whose key is the least; the first one of several. -/
def best (key : β → α) (b : β) : List β → β
  | [] => b
  | x :: xs => if key x ⊑ key (best key b xs) then x else best key b xs

theorem best_key (key : β → α) (b : β) (xs : List β) :
    key (best key b xs) = leastOf (key b) (xs.map key) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    show key (if key x ⊑ key (best key b xs) then x else best key b xs) =
      lesser (key x) (leastOf (key b) (xs.map key))
    rw [← ih]
    unfold lesser
    split
    · rfl
    · rfl

theorem best_mem (key : β → α) (b : β) (xs : List β) : best key b xs = b ∨ best key b xs ∈ xs := by
  induction xs with
  | nil => exact Or.inl rfl
  | cons x xs ih =>
    unfold best
    split
    · right
      exact List.Mem.head xs
    · cases ih with
      | inl h => exact Or.inl h
      | inr h => exact Or.inr (List.Mem.tail x h)

theorem best_le (key : β → α) (b : β) (xs : List β) (x : β) (h : x ∈ xs) :
    key (best key b xs) ⊑ key x := by
  sorry

theorem best_constant (key : β → α) (b : β) (xs : List β) (h : ∀ x ∈ xs, key b ⊏ key x) :
    best key b xs = b := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    have h1 : best key b xs = b := by
      apply ih
      intro y hy
      exact h y (List.Mem.tail x hy)
    have h2 := h x (List.Mem.head xs)
    unfold best
    rw [h1, if_neg h2.2]

end Lists

section Levels

/-- Three levels, in the order in which they are written. -/
inductive Level where
  | low
  | mid
  | high
  deriving DecidableEq

namespace Level

def rank : Level → Nat
  | low => 0
  | mid => 1
  | high => 2

theorem rank_inj (a b : Level) (h : rank a = rank b) : a = b := by
  cases a <;> cases b <;> first | rfl | cases h

instance : Total Level where
  le := fun a b => rank a ≤ rank b
  refl := fun a => Nat.le_refl (rank a)
  trans := fun _ _ _ h1 h2 => Nat.le_trans h1 h2
  antisymm := fun a b h1 h2 => rank_inj a b (Nat.le_antisymm h1 h2)
  total := fun a b => Nat.le_total (rank a) (rank b)

instance (a b : Level) : Decidable (a ⊑ b) := inferInstanceAs (Decidable (rank a ≤ rank b))

theorem le_rank (a b : Level) : a ⊑ b ↔ rank a ≤ rank b := by
  exact Iff.rfl

theorem low_le (a : Level) : low ⊑ a := by
  rw [le_rank]
  exact Nat.zero_le (rank a)

theorem le_high (a : Level) : a ⊑ high := by
  cases a with
  | low => exact low_le high
  | mid => decide
  | high => exact le_refl high

/-- The level above, if there is one. -/
def raise : Level → Level
  | low => mid
  | mid => high
  | high => high

theorem raise_inflationary : Inflationary raise := by
  intro a
  cases a <;> decide

theorem raise_monotone : Monotone raise := by
  intro a b h
  cases a <;> cases b <;> first | decide | exact absurd h (by decide)

theorem raise_reaches_high (a : Level) (n : Nat) : repeated raise (n + 2) a = high := by
  sorry

theorem rank_embedding : Embedding rank := by
  intro a b
  rw [nat_le]
  exact Iff.rfl

theorem level_founded : Founded (Below : Level → Level → Prop) := by
  sorry

/-- Turns the levels round. -/
def mirror : Level → Level
  | low => high
  | mid => mid
  | high => low

theorem mirror_mirror (a : Level) : mirror (mirror a) = a := by
  cases a <;> rfl

theorem mirror_antitone : Antitone mirror := by
  intro a b h
  cases a <;> cases b <;> first | decide | exact absurd h (by decide)

theorem mirror_lesser (a b : Level) : mirror (lesser a b) = greater (mirror a) (mirror b) := by
  sorry

theorem monotone_level {f : Level → α} [Pre α] (h1 : f low ⊑ f mid) (h2 : f mid ⊑ f high) :
    Monotone f := by
  intro a b h
  cases a with
  | low =>
    cases b with
    | low => exact le_refl _
    | mid => exact h1
    | high => exact le_trans h1 h2
  | mid =>
    cases b with
    | low => exact absurd h (by decide)
    | mid => exact le_refl _
    | high => exact h2
  | high =>
    cases b with
    | low => exact absurd h (by decide)
    | mid => exact absurd h (by decide)
    | high => exact le_refl _

end Level

end Levels

section Versions

/-- A version has a major and a minor number; the major one counts first. -/
structure Version where
  major : Nat
  minor : Nat

namespace Version

def Older (v w : Version) : Prop := v.major < w.major ∨ (v.major = w.major ∧ v.minor < w.minor)

def nextMinor (v : Version) : Version := ⟨v.major, v.minor + 1⟩

def nextMajor (v : Version) : Version := ⟨v.major + 1, 0⟩

theorem older_irrefl (v : Version) : ¬ Older v v := by
  intro h
  rcases h with h | ⟨_, h⟩
  · exact Nat.lt_irrefl _ h
  · exact Nat.lt_irrefl _ h

theorem older_trans {u v w : Version} (h1 : Older u v) (h2 : Older v w) : Older u w := by
  unfold Older at h1 h2 ⊢
  omega

theorem older_trichotomy (v w : Version) : Older v w ∨ v = w ∨ Older w v := by
  sorry

theorem older_nextMinor (v : Version) : Older v (nextMinor v) := by
  right
  constructor
  · rfl
  · exact Nat.lt_succ_self v.minor

theorem nextMinor_older_nextMajor (v : Version) : Older (nextMinor v) (nextMajor v) := by
  left
  show v.major < v.major + 1
  omega

theorem no_version_between {v w : Version} (h : Older v w) : ¬ Older w (nextMinor v) := by
  sorry

theorem older_founded : Founded Older := by
  have h := founded_two_measures Version.major Version.minor
  exact h

theorem older_minors (v : Version) (n : Nat) : Older v (repeated nextMinor (n + 1) v) := by
  sorry

theorem minors_older_major (v : Version) (n : Nat) : Older (repeated nextMinor n v) (nextMajor v) := by
  have h : (repeated nextMinor n v).major = v.major := by
    induction n with
    | zero => rfl
    | succ n ih =>
      rw [repeated_succ]
      exact ih
  left
  rw [h]
  exact Nat.lt_succ_self v.major

theorem oldest (v : Version) : ¬ Older v ⟨0, 0⟩ := by
  intro h
  rcases h with h | ⟨_, h⟩
  · exact Nat.not_lt_zero _ h
  · exact Nat.not_lt_zero _ h

end Version

end Versions

end Order
