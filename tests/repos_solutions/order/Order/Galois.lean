import Order.Monotone

/-!
Galois connections: pairs of maps between orders where one side of `f x ⊑ y ↔ x ⊑ g y` may be
exchanged for the other. Bounds that they keep, the closure they make, composition, examples.
-/

namespace Order

variable {α β γ : Type}

/-- `f` is the lower adjoint of `g`, and `g` the upper adjoint of `f`. -/
def Galois [Pre α] [Pre β] (f : α → β) (g : β → α) : Prop := ∀ x y, f x ⊑ y ↔ x ⊑ g y

/-- A Galois connection that turns the order round on both sides. -/
def Polar [Pre α] [Pre β] (f : α → β) (g : β → α) : Prop := ∀ x y, y ⊑ f x ↔ x ⊑ g y

section Basics

variable [Pre α] [Pre β] [Pre γ] {f : α → β} {g : β → α} {x : α} {y : β}

theorem galois_unit (h : Galois f g) (x : α) : x ⊑ g (f x) := by
  apply (h x (f x)).1
  exact le_refl (f x)

theorem galois_counit (h : Galois f g) (y : β) : f (g y) ⊑ y := by
  apply (h (g y) y).2
  exact le_refl (g y)

theorem galois_lower_mono (h : Galois f g) : Monotone f := by
  intro a b hab
  apply (h a (f b)).2
  exact le_trans hab (galois_unit h b)

theorem galois_upper_mono (h : Galois f g) : Monotone g := by
  intro a b hab
  apply (h (g a) b).1
  exact le_trans (galois_counit h a) hab

theorem galois_of_unit_counit (hf : Monotone f) (hg : Monotone g) (h1 : ∀ x, x ⊑ g (f x))
    (h2 : ∀ y, f (g y) ⊑ y) : Galois f g := by
  intro x y
  constructor
  · intro h
    exact le_trans (h1 x) (hg (f x) y h)
  · intro h
    exact le_trans (hf x (g y) h) (h2 y)

theorem galois_id : Galois (fun x : α => x) (fun x => x) := by
  intro x y
  exact Iff.rfl

theorem galois_comp {f' : β → γ} {g' : γ → β} (h1 : Galois f g) (h2 : Galois f' g') :
    Galois (fun x => f' (f x)) (fun z => g (g' z)) := by
  intro x z
  constructor
  · intro h
    exact (h1 x (g' z)).1 ((h2 (f x) z).1 h)
  · intro h
    exact (h2 (f x) z).2 ((h1 x (g' z)).2 h)

theorem galois_round_lower (h : Galois f g) (x : α) : Alike (f (g (f x))) (f x) := by
  constructor
  · exact galois_counit h (f x)
  · exact galois_lower_mono h _ _ (galois_unit h x)

theorem galois_round_upper (h : Galois f g) (y : β) : Alike (g (f (g y))) (g y) := by
  constructor
  · exact galois_upper_mono h _ _ (galois_counit h y)
  · exact galois_unit h (g y)

theorem galois_closure (h : Galois f g) : Closure (fun x => g (f x)) := by
  constructor
  · exact monotone_comp (galois_upper_mono h) (galois_lower_mono h)
  · intro x
    exact galois_unit h x
  · intro x
    exact (galois_round_upper h (f x)).1

theorem galois_lower_alike {g' : β → α} (h1 : Galois f g) (h2 : Galois f g') (y : β) :
    Alike (g y) (g' y) := by
  constructor
  · apply (h2 (g y) y).1
    exact galois_counit h1 y
  · apply (h1 (g' y) y).1
    exact galois_counit h2 y

theorem galois_upper_alike {f' : α → β} (h1 : Galois f g) (h2 : Galois f' g) (x : α) :
    Alike (f x) (f' x) := by
  constructor
  · apply (h1 x (f' x)).2
    exact galois_unit h2 x
  · apply (h2 x (f x)).2
    exact galois_unit h1 x

theorem galois_pointwise {f' : α → β} {g' : β → α} (h1 : Galois f g) (h2 : Galois f' g')
    (h : Pointwise f f') : Pointwise g' g := by
  intro y
  apply (h1 (g' y) y).1
  calc f (g' y) ⊑ f' (g' y) := h (g' y)
    _ ⊑ y := galois_counit h2 y

theorem galois_pointwise_upper {f' : α → β} {g' : β → α} (h1 : Galois f g) (h2 : Galois f' g')
    (h : Pointwise g' g) : Pointwise f f' := by
  intro x
  apply (h1 x (f' x)).2
  exact le_trans (galois_unit h2 x) (h (f' x))

theorem galois_embedding_lower (h : Galois f g) (h1 : ∀ x, g (f x) = x) : Embedding f := by
  exact embedding_of_inverse (galois_lower_mono h) (galois_upper_mono h) h1

theorem galois_embedding_of_reflects (h : Galois f g) (h1 : Embedding f) (x : α) :
    Alike (g (f x)) x := by
  constructor
  · apply (h1 (g (f x)) x).2
    exact galois_counit h (f x)
  · exact galois_unit h x

theorem galois_reflects_iff (h : Galois f g) : Embedding f ↔ ∀ x, g (f x) ⊑ x := by
  constructor
  · intro h1 x
    exact (galois_embedding_of_reflects h h1 x).1
  · intro h1 x y
    constructor
    · exact galois_lower_mono h x y
    · intro h2
      have h3 : x ⊑ g (f y) := (h x (f y)).1 h2
      exact le_trans h3 (h1 y)

theorem galois_preFixed {k : α → α} {l : α → α} (h : Galois k l) (x : α) :
    PreFixed k x ↔ PostFixed l x := by
  constructor
  · intro h1
    exact (h x x).1 h1
  · intro h1
    exact (h x x).2 h1

end Basics

section Bounds

variable [Pre α] [Pre β] {f : α → β} {g : β → α}

theorem galois_upper_image (h : Galois f g) (s : α → Prop) (y : β) :
    Upper (image f s) y ↔ Upper s (g y) := by
  constructor
  · intro h1 x hx
    apply (h x y).1
    exact h1 (f x) ⟨x, hx, rfl⟩
  · intro h1 z ⟨x, hx, hxz⟩
    rw [← hxz]
    exact (h x y).2 (h1 x hx)

/-- A lower adjoint keeps suprema. -/
theorem galois_sup (h : Galois f g) {s : α → Prop} {a : α} (h1 : Sup s a) :
    Sup (image f s) (f a) := by
  constructor
  · exact upper_image (galois_lower_mono h) h1.1
  · intro y hy
    apply (h a y).2
    apply h1.2
    exact (galois_upper_image h s y).1 hy

theorem galois_lower_image (h : Galois f g) (t : β → Prop) (x : α) :
    Lower (image g t) x ↔ Lower t (f x) := by
  constructor
  · intro h1 y hy
    apply (h x y).2
    exact h1 (g y) ⟨y, hy, rfl⟩
  · intro h1 z ⟨y, hy, hyz⟩
    rw [← hyz]
    exact (h x y).1 (h1 y hy)

theorem galois_inf (h : Galois f g) {t : β → Prop} {b : β} (h1 : Inf t b) : Inf (image g t) (g b) := by
  constructor
  · intro z ⟨y, hy, hyz⟩
    rw [← hyz]
    exact galois_upper_mono h b y (h1.1 y hy)
  · intro x hx
    apply (h x b).1
    apply h1.2
    exact (galois_lower_image h t x).1 hx

theorem galois_greatest (h : Galois f g) (y : β) : Greatest (fun x => f x ⊑ y) (g y) := by
  constructor
  · exact galois_counit h y
  · intro x hx
    exact (h x y).1 hx

theorem galois_least (h : Galois f g) (x : α) : Least (fun y => x ⊑ g y) (f x) := by
  constructor
  · exact galois_unit h x
  · intro y hy
    exact (h x y).2 hy

/-- A monotone map with a greatest solution of `f x ⊑ y` for each `y` has an upper adjoint. -/
theorem galois_of_greatest (hf : Monotone f) (h : ∀ y, Greatest (fun x => f x ⊑ y) (g y)) :
    Galois f g := by
  intro x y
  constructor
  · intro h1
    exact (h y).2 x h1
  · intro h1
    have h2 : f (g y) ⊑ y := (h y).1
    exact le_trans (hf x (g y) h1) h2

theorem galois_of_least (hg : Monotone g) (h : ∀ x, Least (fun y => x ⊑ g y) (f x)) :
    Galois f g := by
  intro x y
  constructor
  · intro h1
    have h2 : x ⊑ g (f x) := (h x).1
    exact le_trans h2 (hg (f x) y h1)
  · intro h1
    exact (h x).2 y h1

theorem galois_down (h : Galois f g) {t : β → Prop} (ht : Down t) (x : α) :
    preimage f t x ↔ lowerSet (image g t) x := by
  constructor
  · intro h1
    exact ⟨g (f x), ⟨f x, h1, rfl⟩, galois_unit h x⟩
  · intro ⟨z, ⟨y, hy, hyz⟩, hxz⟩
    apply ht y (f x) hy
    apply (h x y).2
    rw [hyz]
    exact hxz

end Bounds

section Partial

variable [Poset α] [Poset β] {f : α → β} {g : β → α}

theorem galois_round_eq (h : Galois f g) (x : α) : f (g (f x)) = f x := by
  apply alike_eq
  exact galois_round_lower h x

theorem galois_round_eq_upper (h : Galois f g) (y : β) : g (f (g y)) = g y := by
  apply alike_eq
  exact galois_round_upper h y

theorem galois_upper_unique {g' : β → α} (h1 : Galois f g) (h2 : Galois f g') : g = g' := by
  funext y
  apply alike_eq
  exact galois_lower_alike h1 h2 y

theorem galois_closed_iff (h : Galois f g) (x : α) : g (f x) = x ↔ ∃ y, x = g y := by
  constructor
  · intro h1
    exact ⟨f x, h1.symm⟩
  · intro ⟨y, hy⟩
    rw [hy]
    exact galois_round_eq_upper h y

theorem galois_open_iff (h : Galois f g) (y : β) : f (g y) = y ↔ ∃ x, f x = y := by
  constructor
  · intro h1
    exact ⟨g y, h1⟩
  · intro ⟨x, hx⟩
    rw [← hx]
    exact galois_round_eq h x

theorem galois_inj_iff (h : Galois f g) : (∀ x x', f x = f x' → x = x') ↔ ∀ x, g (f x) = x := by
  constructor
  · intro h1 x
    apply h1
    exact galois_round_eq h x
  · intro h1 x x' h2
    rw [← h1 x, h2, h1 x']

theorem galois_surj_iff (h : Galois f g) : (∀ y, ∃ x, f x = y) ↔ ∀ y, f (g y) = y := by
  constructor
  · intro h1 y
    exact (galois_open_iff h y).2 (h1 y)
  · intro h1 y
    exact ⟨g y, h1 y⟩

theorem galois_surj_upper_inj (h : Galois f g) (h1 : ∀ y, ∃ x, f x = y) {y z : β}
    (h2 : g y = g z) : y = z := by
  have h3 := (galois_surj_iff h).1 h1
  rw [← h3 y, h2, h3 z]

theorem galois_self_adjoint {k : α → α} (h : Galois k k) (h1 : ∀ x, x ⊑ k x) (x : α) : k x = x := by
  apply le_antisymm
  · exact (h x x).2 (h1 x)
  · exact h1 x

/-- Maps that are inverse to each other and monotone are adjoint in both ways. -/
theorem galois_of_inverses (hf : Monotone f) (hg : Monotone g) (h1 : ∀ x, g (f x) = x)
    (h2 : ∀ y, f (g y) = y) : Galois f g ∧ Galois g f := by
  constructor
  · apply galois_of_unit_counit hf hg
    · intro x
      exact le_of_eq (h1 x).symm
    · intro y
      exact le_of_eq (h2 y)
  · apply galois_of_unit_counit hg hf
    · intro y
      exact le_of_eq (h2 y).symm
    · intro x
      exact le_of_eq (h1 x)

theorem galois_both (h1 : Galois f g) (h2 : Galois g f) (x : α) : g (f x) = x := by
  apply le_antisymm
  · exact galois_counit h2 x
  · exact galois_unit h1 x

theorem galois_fixed_least {k : β → β} {b : β} (h : Galois f g) (hk : Monotone k)
    (h1 : Least (PreFixed k) b) (h2 : ∀ y, f (g (k y)) = k y) : f (g b) = b := by
  have h3 : k b = b := least_preFixed_fixed hk h1
  have h4 := h2 b
  rw [h3] at h4
  exact (galois_open_iff h b).2 ⟨g b, h4⟩

end Partial

section Polarity

variable [Pre α] [Pre β] {f : α → β} {g : β → α}

theorem polar_symm (h : Polar f g) : Polar g f := by
  intro y x
  exact (h x y).symm

theorem polar_unit (h : Polar f g) (x : α) : x ⊑ g (f x) := by
  apply (h x (f x)).1
  exact le_refl (f x)

theorem polar_antitone (h : Polar f g) : Antitone f := by
  intro a b hab
  apply (h a (f b)).2
  exact le_trans hab (polar_unit h b)

theorem polar_antitone_upper (h : Polar f g) : Antitone g := by
  exact polar_antitone (polar_symm h)

theorem polar_of_units (hf : Antitone f) (hg : Antitone g) (h1 : ∀ x, x ⊑ g (f x))
    (h2 : ∀ y, y ⊑ f (g y)) : Polar f g := by
  intro x y
  constructor
  · intro h
    exact le_trans (h1 x) (hg y (f x) h)
  · intro h
    exact le_trans (h2 y) (hf x (g y) h)

theorem polar_closure (h : Polar f g) : Closure (fun x => g (f x)) := by
  have h1 := polar_antitone h
  have h2 := polar_antitone (polar_symm h)
  constructor
  · exact antitone_comp h2 h1
  · intro x
    exact polar_unit h x
  · intro x
    apply h2
    exact polar_unit (polar_symm h) (f x)

theorem polar_round (h : Polar f g) (x : α) : Alike (f (g (f x))) (f x) := by
  constructor
  · apply polar_antitone h
    exact polar_unit h x
  · exact polar_unit (polar_symm h) (f x)

end Polarity

section Examples

/-- The natural numbers with their usual order. -/
instance : Total Nat where
  le := fun a b => a ≤ b
  refl := Nat.le_refl
  trans := fun _ _ _ => Nat.le_trans
  antisymm := fun _ _ => Nat.le_antisymm
  total := Nat.le_total

theorem nat_le (a b : Nat) : a ⊑ b ↔ a ≤ b := by
  exact Iff.rfl

theorem nat_below (a b : Nat) : a ⊏ b ↔ a < b := by
  constructor
  · intro ⟨_, h2⟩
    exact Nat.lt_of_not_le h2
  · intro h
    exact ⟨Nat.le_of_lt h, Nat.not_le_of_lt h⟩

theorem nat_covers (a b : Nat) : Covers a b ↔ b = a + 1 := by
  constructor
  · intro ⟨h1, h2⟩
    have h3 : a < b := (nat_below a b).1 h1
    by_cases h4 : b = a + 1
    · exact h4
    · have h5 : a + 1 < b := by omega
      have h6 := h2 (a + 1) ((nat_below _ _).2 (by omega)) ((nat_below _ _).2 h5)
      exact h6.elim
  · intro h
    constructor
    · rw [nat_below]
      omega
    · intro c h1 h2
      rw [nat_below] at h1 h2
      omega

theorem galois_add_sub (k : Nat) : Galois (fun n : Nat => n - k) (fun n => n + k) := by
  intro x y
  simp only [nat_le]
  omega

theorem galois_double_half : Galois (fun n : Nat => 2 * n) (fun n => n / 2) := by
  intro x y
  simp only [nat_le]
  omega

theorem galois_mul_div (k : Nat) (hk : 0 < k) : Galois (fun n : Nat => n * k) (fun n => n / k) := by
  intro x y
  rw [nat_le, nat_le]
  exact (Nat.le_div_iff_mul_le hk).symm

theorem not_galois_succ : ¬ ∃ g : Nat → Nat, Galois (fun n : Nat => n + 1) g := by
  intro ⟨g, h⟩
  have h1 := galois_counit h 0
  rw [nat_le] at h1
  omega

theorem closure_round_up : Closure (fun n : Nat => 2 * ((n + 1) / 2)) := by
  constructor
  · intro x y h
    simp only [nat_le] at h ⊢
    omega
  · intro x
    simp only [nat_le]
    omega
  · intro x
    simp only [nat_le]
    omega

end Examples

end Order
