import Order.Bounds

/-!
Maps between orders: monotone, antitone and strict ones, embeddings, images of sets, iteration,
fixed points, and closure operators.
-/

namespace Order

variable {α β γ : Type}

def Monotone [Pre α] [Pre β] (f : α → β) : Prop := ∀ x y, x ⊑ y → f x ⊑ f y

def Antitone [Pre α] [Pre β] (f : α → β) : Prop := ∀ x y, x ⊑ y → f y ⊑ f x

def Strict [Pre α] [Pre β] (f : α → β) : Prop := ∀ x y, x ⊏ y → f x ⊏ f y

/-- A map that keeps and reflects the order. -/
def Embedding [Pre α] [Pre β] (f : α → β) : Prop := ∀ x y, x ⊑ y ↔ f x ⊑ f y

/-- `f` lies below `g` at each argument. -/
def Pointwise [Pre β] (f g : α → β) : Prop := ∀ x, f x ⊑ g x

def Inflationary [Pre α] (f : α → α) : Prop := ∀ x, x ⊑ f x

/-- The image of a set. -/
def image (f : α → β) (s : α → Prop) : β → Prop := fun y => ∃ x, s x ∧ f x = y

def preimage (f : α → β) (s : β → Prop) : α → Prop := fun x => s (f x)

/-- `f` applied `n` times. -/
def repeated (f : α → α) : Nat → α → α
  | 0, x => x
  | n + 1, x => f (repeated f n x)

/-- A monotone map that only goes up, and at most once. -/
structure Closure [Pre α] (f : α → α) : Prop where
  mono : Monotone f
  up : Inflationary f
  stop : ∀ x, f (f x) ⊑ f x

/-- A point that the map does not raise. -/
def PreFixed [Pre α] (f : α → α) (x : α) : Prop := f x ⊑ x

def PostFixed [Pre α] (f : α → α) (x : α) : Prop := x ⊑ f x

section Maps

variable [Pre α] [Pre β] [Pre γ]

theorem monotone_id : Monotone (fun x : α => x) := by
  intro x y h
  exact h

theorem monotone_const (b : β) : Monotone (fun _ : α => b) := by
  intro x y _
  exact le_refl b

theorem monotone_comp {g : β → γ} {f : α → β} (hg : Monotone g) (hf : Monotone f) :
    Monotone (fun x => g (f x)) := by
  intro x y h
  apply hg
  apply hf
  exact h

theorem antitone_comp {g : β → γ} {f : α → β} (hg : Antitone g) (hf : Antitone f) :
    Monotone (fun x => g (f x)) := by
  intro x y h
  apply hg
  exact hf x y h

theorem antitone_comp_monotone {g : β → γ} {f : α → β} (hg : Antitone g) (hf : Monotone f) :
    Antitone (fun x => g (f x)) := by
  intro x y h
  apply hg
  exact hf x y h

theorem monotone_alike {f : α → β} (hf : Monotone f) {x y : α} (h : Alike x y) :
    Alike (f x) (f y) := by
  constructor
  · exact hf x y h.1
  · exact hf y x h.2

theorem antitone_alike {f : α → β} (hf : Antitone f) {x y : α} (h : Alike x y) :
    Alike (f x) (f y) := by
  constructor
  · exact hf y x h.2
  · exact hf x y h.1

theorem embedding_monotone {f : α → β} (h : Embedding f) : Monotone f := by
  intro x y hxy
  exact (h x y).1 hxy

theorem embedding_strict {f : α → β} (h : Embedding f) : Strict f := by
  intro x y hxy
  constructor
  · exact (h x y).1 hxy.1
  · intro h1
    exact hxy.2 ((h y x).2 h1)

theorem embedding_comp {g : β → γ} {f : α → β} (hg : Embedding g) (hf : Embedding f) :
    Embedding (fun x => g (f x)) := by
  intro x y
  constructor
  · intro h
    exact (hg (f x) (f y)).1 ((hf x y).1 h)
  · intro h
    exact (hf x y).2 ((hg (f x) (f y)).2 h)

theorem embedding_of_comp {g : β → γ} {f : α → β} (hg : Monotone g) (hf : Monotone f)
    (h : Embedding (fun x => g (f x))) : Embedding f := by
  sorry

theorem embedding_of_inverse {f : α → β} {g : β → α} (hf : Monotone f) (hg : Monotone g)
    (h : ∀ x, g (f x) = x) : Embedding f := by
  intro x y
  constructor
  · intro h1
    exact hf x y h1
  · intro h1
    have h2 := hg (f x) (f y) h1
    rw [h x, h y] at h2
    exact h2

theorem strict_comp {g : β → γ} {f : α → β} (hg : Strict g) (hf : Strict f) :
    Strict (fun x => g (f x)) := by
  intro x y h
  exact hg (f x) (f y) (hf x y h)

theorem embedding_comparable {f : α → β} (h : Embedding f) (x y : α) :
    Comparable (f x) (f y) ↔ Comparable x y := by
  sorry

theorem monotone_reflects_strict {f : α → β} (hf : Monotone f) {x y : α} (h : f x ⊏ f y) :
    ¬ y ⊑ x := by
  intro h1
  exact h.2 (hf y x h1)

theorem covers_of_embedding {f : α → β} (h : Embedding f) {x y : α} (h1 : Covers (f x) (f y)) :
    Covers x y := by
  constructor
  · constructor
    · exact (h x y).2 h1.1.1
    · intro h2
      exact h1.1.2 ((h y x).1 h2)
  · intro c hxc hcy
    apply h1.2 (f c)
    · exact embedding_strict h x c hxc
    · exact embedding_strict h c y hcy

end Maps

section Points

variable [Pre β] {f g h : α → β}

theorem pointwise_refl : Pointwise f f := by
  intro x
  exact le_refl (f x)

theorem pointwise_trans (h1 : Pointwise f g) (h2 : Pointwise g h) : Pointwise f h := by
  intro x
  exact le_trans (h1 x) (h2 x)

theorem pointwise_comp_right (k : γ → α) (h1 : Pointwise f g) :
    Pointwise (fun x => f (k x)) (fun x => g (k x)) := by
  intro x
  exact h1 (k x)

theorem pointwise_comp [Pre γ] {k l : β → γ} (hk : Monotone k) (h1 : Pointwise f g)
    (h2 : Pointwise k l) : Pointwise (fun x => k (f x)) (fun x => l (g x)) := by
  sorry

end Points

section Images

variable [Pre α] [Pre β] {f : α → β} {s : α → Prop} {t : β → Prop} {a : α}

theorem upper_image (hf : Monotone f) (h : Upper s a) : Upper (image f s) (f a) := by
  intro y ⟨x, hx, hxy⟩
  rw [← hxy]
  exact hf x a (h x hx)

theorem greatest_image (hf : Monotone f) (h : Greatest s a) : Greatest (image f s) (f a) := by
  sorry

theorem upper_of_image (hf : Embedding f) (h : Upper (image f s) (f a)) : Upper s a := by
  intro x hx
  apply (hf x a).2
  apply h
  exact ⟨x, hx, rfl⟩

theorem sup_image_le {u : β} (hf : Monotone f) (h : Sup s a) (h1 : Sup (image f s) u) :
    u ⊑ f a := by
  apply sup_le h1
  exact upper_image hf h.1

theorem directed_image (hf : Monotone f) (h : Directed s) : Directed (image f s) := by
  sorry

theorem chain_image (hf : Monotone f) (h : IsChain s) : IsChain (image f s) := by
  sorry

theorem down_preimage (hf : Monotone f) (h : Down t) : Down (preimage f t) := by
  intro x y hx hyx
  exact h (f x) (f y) hx (hf y x hyx)

theorem up_preimage_antitone (hf : Antitone f) (h : Down t) : Up (preimage f t) := by
  intro x y hx hxy
  exact h (f x) (f y) hx (hf x y hxy)

theorem monotone_iff_down : Monotone f ↔ ∀ t : β → Prop, Down t → Down (preimage f t) := by
  constructor
  · intro hf t ht
    exact down_preimage hf ht
  · intro h x y hxy
    have h1 := h (under (f y)) (down_under (f y))
    exact h1 y x (le_refl (f y)) hxy

theorem dominated_image {s' : α → Prop} (hf : Monotone f) (h : Dominated s s') :
    Dominated (image f s) (image f s') := by
  intro p ⟨x, hx, hxp⟩
  obtain ⟨y, hy, hxy⟩ := h x hx
  refine ⟨f y, ⟨y, hy, rfl⟩, ?_⟩
  rw [← hxp]
  exact hf x y hxy

omit [Pre α] [Pre β] in
theorem image_comp (g : β → γ) : image g (image f s) = image (fun x => g (f x)) s := by
  funext z
  apply propext
  constructor
  · intro ⟨y, ⟨x, hx, hxy⟩, hyz⟩
    refine ⟨x, hx, ?_⟩
    rw [← hyz, ← hxy]
  · intro ⟨x, hx, hxz⟩
    exact ⟨f x, ⟨x, hx, rfl⟩, hxz⟩

omit [Pre α] [Pre β] in
theorem image_subset_iff : (∀ y, image f s y → t y) ↔ ∀ x, s x → preimage f t x := by
  sorry

end Images

section Repetition

theorem repeated_succ (f : α → α) (n : Nat) (x : α) : repeated f (n + 1) x = f (repeated f n x) := by
  rfl

theorem repeated_shift (f : α → α) (n : Nat) (x : α) :
    repeated f n (f x) = f (repeated f n x) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [repeated_succ, ih, repeated_succ]

theorem repeated_add (f : α → α) (n m : Nat) (x : α) :
    repeated f (n + m) x = repeated f n (repeated f m x) := by
  induction n with
  | zero => rw [Nat.zero_add]; rfl
  | succ n ih => rw [Nat.succ_add, repeated_succ, repeated_succ, ih]

theorem repeated_mul (f : α → α) (n m : Nat) (x : α) :
    repeated f (n * m) x = repeated (repeated f m) n x := by
  sorry

theorem repeated_fixed {f : α → α} {x : α} (h : f x = x) (n : Nat) : repeated f n x = x := by
  induction n with
  | zero => rfl
  | succ n ih => rw [repeated_succ, ih, h]

end Repetition

section Iteration

variable [Pre α] {f g : α → α} {x y : α}

theorem repeated_mono (hf : Monotone f) (n : Nat) : Monotone (repeated f n) := by
  induction n with
  | zero =>
    intro x y h
    exact h
  | succ n ih =>
    intro x y h
    rw [repeated_succ, repeated_succ]
    exact hf _ _ (ih x y h)

theorem repeated_inflationary (h : Inflationary f) (n : Nat) : Inflationary (repeated f n) := by
  induction n with
  | zero =>
    intro x
    exact le_refl x
  | succ n ih =>
    intro x
    exact le_trans (ih x) (h (repeated f n x))

theorem repeated_le_add (h : Inflationary f) (n m : Nat) (x : α) :
    repeated f n x ⊑ repeated f (m + n) x := by
  sorry

theorem repeated_preFixed (hf : Monotone f) (h : PreFixed f x) (n : Nat) : repeated f n x ⊑ x := by
  induction n with
  | zero => exact le_refl x
  | succ n ih =>
    rw [repeated_succ]
    exact le_trans (hf _ _ ih) h

theorem repeated_postFixed (hf : Monotone f) (h : PostFixed f x) (n : Nat) :
    repeated f n x ⊑ repeated f (n + 1) x := by
  sorry

theorem repeated_below_preFixed (hf : Monotone f) (h : PreFixed f y) (h1 : x ⊑ y) (n : Nat) :
    repeated f n x ⊑ y := by
  have h2 : repeated f n x ⊑ repeated f n y := repeated_mono hf n x y h1
  exact le_trans h2 (repeated_preFixed hf h n)

theorem repeated_pointwise (hf : Monotone f) (h : Pointwise f g) (n : Nat) :
    Pointwise (repeated f n) (repeated g n) := by
  sorry

end Iteration

section FixedPoints

variable [Poset α] {f g : α → α} {x : α}

/-- The least point that the map does not raise is a fixed point. -/
theorem least_preFixed_fixed (hf : Monotone f) (h : Least (PreFixed f) x) : f x = x := by
  have h1 : f x ⊑ x := h.1
  have h2 : PreFixed f (f x) := hf (f x) x h1
  apply le_antisymm h1
  exact h.2 (f x) h2

theorem greatest_postFixed_fixed (hf : Monotone f) (h : Greatest (PostFixed f) x) : f x = x := by
  have h1 : x ⊑ f x := h.1
  have h2 : PostFixed f (f x) := hf x (f x) h1
  apply le_antisymm
  · exact h.2 (f x) h2
  · exact h1

theorem least_preFixed_least_fixed (hf : Monotone f) (h : Least (PreFixed f) x) :
    Least (fun y => f y = y) x := by
  constructor
  · exact least_preFixed_fixed hf h
  · intro y hy
    apply h.2
    exact le_of_eq hy

theorem inf_preFixed_preFixed (hf : Monotone f) (h : Inf (PreFixed f) x) : PreFixed f x := by
  apply h.2
  intro y hy
  have h1 : f x ⊑ f y := hf x y (h.1 y hy)
  exact le_trans h1 hy

theorem inf_preFixed_fixed (hf : Monotone f) (h : Inf (PreFixed f) x) : f x = x := by
  sorry

theorem least_preFixed_mono {y : α} (h : Pointwise f g) (hf : Least (PreFixed f) x)
    (hg : Least (PreFixed g) y) : x ⊑ y := by
  apply hf.2
  exact le_trans (h y) hg.1

omit [Poset α] in
theorem commuting_fixed {y : α} (h : ∀ z, f (g z) = g (f z)) (hy : f y = y) : f (g y) = g y := by
  rw [h, hy]

/-- The least point that two steps do not raise is fixed by one step. -/
theorem least_fixed_of_square (hf : Monotone f) (h : Least (PreFixed (fun y => f (f y))) x) :
    f x = x := by
  sorry

theorem fixed_between {y z : α} (hf : Monotone f) (hy : f y = y) (hz : f z = z) (h1 : y ⊑ x)
    (h2 : x ⊑ z) : y ⊑ f x ∧ f x ⊑ z := by
  constructor
  · rw [← hy]
    exact hf y x h1
  · rw [← hz]
    exact hf x z h2

end FixedPoints

section Closures

variable [Poset α] {c d : α → α} {x y : α}

theorem closure_idem (h : Closure c) (x : α) : c (c x) = c x := by
  apply le_antisymm
  · exact h.stop x
  · exact h.up (c x)

theorem closure_id : Closure (fun x : α => x) := by
  constructor
  · exact monotone_id
  · intro x
    exact le_refl x
  · intro x
    exact le_refl x

theorem closure_le_iff (h : Closure c) : c x ⊑ c y ↔ x ⊑ c y := by
  constructor
  · intro h1
    exact le_trans (h.up x) h1
  · intro h1
    rw [← closure_idem h y]
    exact h.mono x (c y) h1

theorem closure_of_le_iff (h : ∀ x y, x ⊑ c y ↔ c x ⊑ c y) : Closure c := by
  sorry

theorem closed_iff (h : Closure c) : c x = x ↔ ∃ y, c y = x := by
  constructor
  · intro h1
    exact ⟨x, h1⟩
  · intro ⟨y, hy⟩
    rw [← hy]
    exact closure_idem h y

theorem closure_least (h : Closure c) (x : α) : Least (fun y => c y = y ∧ x ⊑ y) (c x) := by
  constructor
  · exact ⟨closure_idem h x, h.up x⟩
  · intro y ⟨hy, hxy⟩
    rw [← hy]
    exact h.mono x y hxy

theorem closure_unique (hc : Closure c) (hd : Closure d) (h : ∀ x, c x = x ↔ d x = x) : c = d := by
  sorry

theorem closure_pointwise_comp (hc : Closure c) (hd : Closure d) (h : Pointwise c d) (x : α) :
    d (c x) = d x := by
  apply le_antisymm
  · have h1 : d (c x) ⊑ d (d x) := hd.mono _ _ (h x)
    rw [closure_idem hd] at h1
    exact h1
  · exact hd.mono _ _ (hc.up x)

theorem closure_comp_commute (hc : Closure c) (hd : Closure d) (h : ∀ x, c (d x) = d (c x)) :
    Closure (fun x => c (d x)) := by
  sorry

theorem closure_repeated (h : Closure c) (n : Nat) (x : α) : repeated c (n + 1) x = c x := by
  induction n with
  | zero => rfl
  | succ n ih => rw [repeated_succ, ih, closure_idem h]

theorem closed_inf (h : Closure c) {s : α → Prop} {a : α} (h1 : ∀ x, s x → c x = x) (h2 : Inf s a) :
    c a = a := by
  apply le_antisymm
  · apply h2.2
    intro x hx
    rw [← h1 x hx]
    exact h.mono a x (h2.1 x hx)
  · exact h.up a

end Closures

end Order
