import Order.Lattice

/-!
Orders on compound types: pairs, the lexicographic order of pairs, functions, disjoint sums, one
order on top of another, options with a new least element, and the opposite order.
-/

namespace Order

variable {α β γ : Type}

section Pairs

variable [Pre α] [Pre β] [Pre γ]

/-- Pairs are compared in both components. -/
instance : Pre (α × β) where
  le := fun p q => p.1 ⊑ q.1 ∧ p.2 ⊑ q.2
  refl := fun p => ⟨le_refl p.1, le_refl p.2⟩
  trans := fun _ _ _ h1 h2 => ⟨le_trans h1.1 h2.1, le_trans h1.2 h2.2⟩

theorem pair_le (p q : α × β) : p ⊑ q ↔ p.1 ⊑ q.1 ∧ p.2 ⊑ q.2 := by
  exact Iff.rfl

theorem fst_monotone : Monotone (fun p : α × β => p.1) := by
  intro p q h
  exact h.1

theorem pair_monotone {f : γ → α} {g : γ → β} (hf : Monotone f) (hg : Monotone g) :
    Monotone (fun x => (f x, g x)) := by
  intro x y h
  constructor
  · exact hf x y h
  · exact hg x y h

theorem swap_embedding : Embedding (fun p : α × β => (p.2, p.1)) := by
  sorry

theorem pair_alike (a a' : α) (b b' : β) :
    Alike (a, b) (a', b') ↔ Alike a a' ∧ Alike b b' := by
  constructor
  · intro ⟨⟨h1, h2⟩, ⟨h3, h4⟩⟩
    exact ⟨⟨h1, h3⟩, ⟨h2, h4⟩⟩
  · intro ⟨⟨h1, h3⟩, ⟨h2, h4⟩⟩
    exact ⟨⟨h1, h2⟩, ⟨h3, h4⟩⟩

theorem pair_below (a a' : α) (b b' : β) :
    (a, b) ⊏ (a', b') ↔ (a ⊏ a' ∧ b ⊑ b') ∨ (a ⊑ a' ∧ b ⊏ b') := by
  sorry

theorem map_pair_monotone {f : α → α} {g : β → β} (hf : Monotone f) (hg : Monotone g) :
    Monotone (fun p : α × β => (f p.1, g p.2)) := by
  intro p q ⟨h1, h2⟩
  constructor
  · exact hf _ _ h1
  · exact hg _ _ h2

/-- A map of two arguments is monotone when it is so in each of them. -/
theorem monotone_of_both {f : α × β → γ} (h1 : ∀ b, Monotone (fun a => f (a, b)))
    (h2 : ∀ a, Monotone (fun b => f (a, b))) : Monotone f := by
  intro ⟨a, b⟩ ⟨a', b'⟩ ⟨ha, hb⟩
  have h3 : f (a, b) ⊑ f (a', b) := h1 b a a' ha
  have h4 : f (a', b) ⊑ f (a', b') := h2 a' b b' hb
  exact le_trans h3 h4

theorem monotone_in_first {f : α × β → γ} (h : Monotone f) (b : β) :
    Monotone (fun a => f (a, b)) := by
  intro a a' ha
  apply h
  exact ⟨ha, le_refl b⟩

theorem pair_upper (s : α → Prop) (t : β → Prop) (a : α) (b : β) (h1 : Upper s a)
    (h2 : Upper t b) : Upper (fun p : α × β => s p.1 ∧ t p.2) (a, b) := by
  intro p ⟨hs, ht⟩
  exact ⟨h1 p.1 hs, h2 p.2 ht⟩

theorem pair_sup (s : α → Prop) (t : β → Prop) {x : α} {y : β} (hx : s x) (hy : t y) {a : α}
    {b : β} (h1 : Sup s a) (h2 : Sup t b) : Sup (fun p : α × β => s p.1 ∧ t p.2) (a, b) := by
  sorry

theorem pair_directed {s : α → Prop} {t : β → Prop} (h1 : Directed s) (h2 : Directed t) :
    Directed (fun p : α × β => s p.1 ∧ t p.2) := by
  intro p q ⟨hp, hp'⟩ ⟨hq, hq'⟩
  obtain ⟨a, ha, hpa, hqa⟩ := h1 p.1 q.1 hp hq
  obtain ⟨b, hb, hpb, hqb⟩ := h2 p.2 q.2 hp' hq'
  exact ⟨(a, b), ⟨ha, hb⟩, ⟨hpa, hpb⟩, ⟨hqa, hqb⟩⟩

theorem galois_pair {δ : Type} [Pre δ] {f : α → β} {g : β → α} {k : γ → δ} {l : δ → γ}
    (h1 : Galois f g) (h2 : Galois k l) :
    Galois (fun p : α × γ => (f p.1, k p.2)) (fun q => (g q.1, l q.2)) := by
  sorry

/-- Copying an element is adjoint to taking the meet. -/
theorem galois_copy_meet {δ : Type} [Lattice δ] :
    Galois (fun a : δ => (a, a)) (fun p : δ × δ => Lattice.meet p.1 p.2) := by
  intro a p
  constructor
  · intro ⟨h1, h2⟩
    exact le_meet h1 h2
  · intro h
    exact le_meet_iff.1 h

theorem galois_join_copy {δ : Type} [Lattice δ] :
    Galois (fun p : δ × δ => Lattice.join p.1 p.2) (fun a : δ => (a, a)) := by
  intro p a
  constructor
  · intro h
    exact join_le_iff.1 h
  · intro ⟨h1, h2⟩
    exact join_le h1 h2

end Pairs

section Lexicographic

/-- The first component decides, and the second one where the first ones are equal. -/
def Lex (r : α → α → Prop) (s : β → β → Prop) (p q : α × β) : Prop :=
  r p.1 q.1 ∨ (p.1 = q.1 ∧ s p.2 q.2)

variable {r r' : α → α → Prop} {s s' : β → β → Prop}

theorem lex_first {a a' : α} (h : r a a') (b b' : β) : Lex r s (a, b) (a', b') := by
  left
  exact h

theorem lex_second (a : α) {b b' : β} (h : s b b') : Lex r s (a, b) (a, b') := by
  right
  exact ⟨rfl, h⟩

theorem lex_irrefl (hr : ∀ a, ¬ r a a) (hs : ∀ b, ¬ s b b) (p : α × β) : ¬ Lex r s p p := by
  intro h
  cases h with
  | inl h1 => exact hr p.1 h1
  | inr h1 => exact hs p.2 h1.2

theorem lex_trans (hr : ∀ a b c, r a b → r b c → r a c) (hs : ∀ a b c, s a b → s b c → s a c)
    {p q u : α × β} (h1 : Lex r s p q) (h2 : Lex r s q u) : Lex r s p u := by
  rcases h1 with h1 | ⟨h1, h3⟩
  · rcases h2 with h2 | ⟨h2, _⟩
    · exact Or.inl (hr _ _ _ h1 h2)
    · left
      rw [← h2]
      exact h1
  · rcases h2 with h2 | ⟨h2, h4⟩
    · left
      rw [h1]
      exact h2
    · right
      exact ⟨h1.trans h2, hs _ _ _ h3 h4⟩

theorem lex_asymm (hr : ∀ a b, r a b → ¬ r b a) (hs : ∀ a b, s a b → ¬ s b a) {p q : α × β}
    (h : Lex r s p q) : ¬ Lex r s q p := by
  sorry

theorem lex_trichotomy (hr : ∀ a b, r a b ∨ a = b ∨ r b a) (hs : ∀ a b, s a b ∨ a = b ∨ s b a)
    (p q : α × β) : Lex r s p q ∨ p = q ∨ Lex r s q p := by
  obtain ⟨a, b⟩ := p
  obtain ⟨a', b'⟩ := q
  rcases hr a a' with h | h | h
  · exact Or.inl (Or.inl h)
  · subst h
    rcases hs b b' with h1 | h1 | h1
    · exact Or.inl (Or.inr ⟨rfl, h1⟩)
    · right
      left
      rw [h1]
    · exact Or.inr (Or.inr (Or.inr ⟨rfl, h1⟩))
  · exact Or.inr (Or.inr (Or.inl h))

theorem lex_mono (hr : ∀ a b, r a b → r' a b) (hs : ∀ a b, s a b → s' a b) {p q : α × β}
    (h : Lex r s p q) : Lex r' s' p q := by
  rcases h with h | ⟨h, h1⟩
  · left
    exact hr _ _ h
  · right
    exact ⟨h, hs _ _ h1⟩

theorem lex_map {f : α → γ} {k : γ → γ → Prop} (hf : ∀ a b, r a b → k (f a) (f b)) {p q : α × β}
    (h : Lex r s p q) : Lex k s (f p.1, p.2) (f q.1, q.2) := by
  sorry

theorem lex_total (hr : ∀ a b, r a b ∨ a = b ∨ r b a) (hs : ∀ a b : β, s a b ∨ s b a)
    (p q : α × β) : Lex r s p q ∨ Lex r s q p := by
  sorry

theorem lex_antisymm (hr : ∀ a b, r a b → ¬ r b a) (hs : ∀ a b, s a b → s b a → a = b)
    {p q : α × β} (h1 : Lex r s p q) (h2 : Lex r s q p) : p = q := by
  sorry

theorem lex_not_of_first {a a' : α} (h : r a' a) (h1 : ∀ x y, r x y → ¬ r y x) (b b' : β) :
    ¬ Lex r s (a, b) (a', b') := by
  intro h2
  rcases h2 with h2 | ⟨h2, _⟩
  · exact h1 a' a h h2
  · have h3 : a = a' := h2
    rw [h3] at h
    exact h1 a' a' h h

end Lexicographic

section Functions

/-- Functions are compared at each argument. -/
instance [Pre β] : Pre (α → β) where
  le := fun f g => ∀ x, f x ⊑ g x
  refl := fun f x => le_refl (f x)
  trans := fun _ _ _ h1 h2 x => le_trans (h1 x) (h2 x)

theorem function_le [Pre β] (f g : α → β) : f ⊑ g ↔ Pointwise f g := by
  exact Iff.rfl

theorem apply_monotone [Pre β] (x : α) : Monotone (fun f : α → β => f x) := by
  intro f g h
  exact h x

theorem compose_monotone [Pre β] [Pre γ] {g : β → γ} (hg : Monotone g) :
    Monotone (fun (f : α → β) (x : α) => g (f x)) := by
  intro f f' h x
  exact hg (f x) (f' x) (h x)

theorem precompose_monotone [Pre β] (k : γ → α) :
    Monotone (fun (f : α → β) (x : γ) => f (k x)) := by
  intro f f' h x
  exact h (k x)

theorem function_sup [Pre β] (s : (α → β) → Prop) (u : α → β)
    (h : ∀ x, Sup (fun b => ∃ f, s f ∧ f x = b) (u x)) : Sup s u := by
  sorry

theorem galois_functions [Pre β] [Pre γ] {f : β → γ} {g : γ → β} (h : Galois f g) :
    Galois (fun (k : α → β) x => f (k x)) (fun (l : α → γ) x => g (l x)) := by
  intro k l
  constructor
  · intro h1 x
    exact (h (k x) (l x)).1 (h1 x)
  · intro h1 x
    exact (h (k x) (l x)).2 (h1 x)

theorem const_embedding [Pre β] (a : α) : Embedding (fun (b : β) (_ : α) => b) := by
  sorry

theorem curry_monotone [Pre α] [Pre β] [Pre γ] {f : α × β → γ} (h : Monotone f) :
    Monotone (fun (a : α) (b : β) => f (a, b)) := by
  intro a a' ha b
  apply h
  exact ⟨ha, le_refl b⟩

end Functions

section Sums

variable [Pre α] [Pre β]

/-- The order of a sum; elements of different sides are not comparable. -/
inductive SumLe : α ⊕ β → α ⊕ β → Prop where
  | left {a a' : α} (h : a ⊑ a') : SumLe (.inl a) (.inl a')
  | right {b b' : β} (h : b ⊑ b') : SumLe (.inr b) (.inr b')

/-- The order of a sum in which the whole left side lies below the right one. -/
inductive StackLe : α ⊕ β → α ⊕ β → Prop where
  | left {a a' : α} (h : a ⊑ a') : StackLe (.inl a) (.inl a')
  | right {b b' : β} (h : b ⊑ b') : StackLe (.inr b) (.inr b')
  | across (a : α) (b : β) : StackLe (.inl a) (.inr b)

theorem sumLe_refl (x : α ⊕ β) : SumLe x x := by
  cases x with
  | inl a => exact SumLe.left (le_refl a)
  | inr b => exact SumLe.right (le_refl b)

theorem sumLe_trans {x y z : α ⊕ β} (h1 : SumLe x y) (h2 : SumLe y z) : SumLe x z := by
  cases h1 with
  | left h =>
    cases h2 with
    | left h' => exact SumLe.left (le_trans h h')
  | right h =>
    cases h2 with
    | right h' => exact SumLe.right (le_trans h h')

theorem sumLe_inl (a a' : α) : SumLe (Sum.inl a : α ⊕ β) (.inl a') ↔ a ⊑ a' := by
  constructor
  · intro h
    cases h with
    | left h => exact h
  · intro h
    exact SumLe.left h

theorem not_sumLe_across (a : α) (b : β) : ¬ SumLe (Sum.inl a) (.inr b) := by
  intro h
  cases h

theorem sumLe_stackLe {x y : α ⊕ β} (h : SumLe x y) : StackLe x y := by
  cases h with
  | left h => exact StackLe.left h
  | right h => exact StackLe.right h

theorem stackLe_trans {x y z : α ⊕ β} (h1 : StackLe x y) (h2 : StackLe y z) : StackLe x z := by
  sorry

theorem stackLe_antisymm {α β : Type} [Poset α] [Poset β] {x y : α ⊕ β} (h1 : StackLe x y)
    (h2 : StackLe y x) : x = y := by
  cases h1 with
  | left h =>
    cases h2 with
    | left h' => rw [le_antisymm h h']
  | right h =>
    cases h2 with
    | right h' => rw [le_antisymm h h']
  | across a b => cases h2

theorem stackLe_total {α β : Type} [Total α] [Total β] (x y : α ⊕ β) :
    StackLe x y ∨ StackLe y x := by
  sorry

theorem sumLe_of_both {x y : α ⊕ β} (h : StackLe x y) (h1 : StackLe y x) : SumLe x y := by
  cases h with
  | left h => exact SumLe.left h
  | right h => exact SumLe.right h
  | across a b => cases h1

theorem not_stackLe_left (a a' : α) (b : β) (h : ¬ StackLe (Sum.inl a : α ⊕ β) (.inl a')) :
    ¬ a ⊑ a' ∧ StackLe (Sum.inl a' : α ⊕ β) (.inr b) := by
  constructor
  · intro h1
    apply h
    exact StackLe.left h1
  · exact StackLe.across a' b

end Sums

section Lifted

/-- Options with `none` as a new least element. -/
inductive LiftLe [Pre α] : Option α → Option α → Prop where
  | bottom (x : Option α) : LiftLe none x
  | lift {a b : α} (h : a ⊑ b) : LiftLe (some a) (some b)

variable [Pre α] [Pre β]

theorem liftLe_refl (x : Option α) : LiftLe x x := by
  cases x with
  | none => exact LiftLe.bottom none
  | some a => exact LiftLe.lift (le_refl a)

theorem liftLe_none (x : Option α) : LiftLe x none ↔ x = none := by
  sorry

theorem liftLe_trans {x y z : Option α} (h1 : LiftLe x y) (h2 : LiftLe y z) : LiftLe x z := by
  cases h1 with
  | bottom => exact LiftLe.bottom z
  | lift h =>
    cases h2 with
    | lift h' => exact LiftLe.lift (le_trans h h')

theorem liftLe_some_iff (a b : α) : LiftLe (some a) (some b) ↔ a ⊑ b := by
  constructor
  · intro h
    cases h with
    | lift h => exact h
  · intro h
    exact LiftLe.lift h

theorem liftLe_map {f : α → β} (hf : Monotone f) {x y : Option α} (h : LiftLe x y) :
    LiftLe (x.map f) (y.map f) := by
  cases h with
  | bottom => exact LiftLe.bottom _
  | lift h => exact LiftLe.lift (hf _ _ h)

theorem liftLe_bind {f : α → Option β} (hf : ∀ a b, a ⊑ b → LiftLe (f a) (f b)) {x y : Option α}
    (h : LiftLe x y) : LiftLe (x.bind f) (y.bind f) := by
  sorry

theorem liftLe_cases (x : Option α) (a : α) (h : LiftLe x (some a)) :
    x = none ∨ ∃ b, x = some b ∧ b ⊑ a := by
  cases h with
  | bottom =>
    left
    rfl
  | lift h =>
    right
    exact ⟨_, rfl, h⟩

end Lifted

section Opposite

/-- The elements of `α`, in the opposite order. -/
structure Op (α : Type) where
  to ::
  back : α

instance [Pre α] : Pre (Op α) where
  le := fun a b => b.back ⊑ a.back
  refl := fun a => le_refl a.back
  trans := fun _ _ _ h1 h2 => le_trans h2 h1

variable [Pre α] [Pre β]

theorem op_le (a b : Op α) : a ⊑ b ↔ b.back ⊑ a.back := by
  exact Iff.rfl

theorem op_below (a b : α) : Op.to a ⊏ Op.to b ↔ b ⊏ a := by
  constructor
  · intro ⟨h1, h2⟩
    exact ⟨h1, h2⟩
  · intro ⟨h1, h2⟩
    exact ⟨h1, h2⟩

theorem antitone_iff_op (f : α → β) : Antitone f ↔ Monotone (fun x => Op.to (f x)) := by
  constructor
  · intro h x y hxy
    exact h x y hxy
  · intro h x y hxy
    exact h x y hxy

theorem op_upper (s : α → Prop) (a : α) : Upper (fun x : Op α => s x.back) (Op.to a) ↔ Lower s a := by
  constructor
  · intro h x hx
    exact h (Op.to x) hx
  · intro h x hx
    exact h x.back hx

theorem op_sup (s : α → Prop) (a : α) : Sup (fun x : Op α => s x.back) (Op.to a) ↔ Inf s a := by
  sorry

theorem op_galois {f : α → β} {g : β → α} (h : Galois f g) :
    Galois (fun y : Op β => Op.to (g y.back)) (fun x : Op α => Op.to (f x.back)) := by
  intro y x
  exact (h x.back y.back).symm

theorem polar_iff_galois_op (f : α → β) (g : β → α) :
    Polar f g ↔ Galois (fun x => Op.to (f x)) (fun y : Op β => g y.back) := by
  constructor
  · intro h x y
    exact h x y.back
  · intro h x y
    exact h x (Op.to y)

theorem op_comparable (a b : α) : Comparable (Op.to a) (Op.to b) ↔ Comparable a b := by
  constructor
  · intro h
    cases h with
    | inl h => exact Or.inr h
    | inr h => exact Or.inl h
  · intro h
    cases h with
    | inl h => exact Or.inr h
    | inr h => exact Or.inl h

theorem op_covers (a b : α) (h : Covers a b) : Covers (Op.to b) (Op.to a) := by
  sorry

end Opposite

end Order
