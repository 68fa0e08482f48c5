import Order.Galois

/-!
Lattices: partial orders in which any two elements have a meet and a join. The laws of the two
operations, distributive and modular lattices, ideals and filters, lattice maps, least elements.
-/

namespace Order

class Lattice (α : Type) extends Poset α where
  meet : α → α → α
  join : α → α → α
  meet_left : ∀ a b : α, meet a b ⊑ a
  meet_right : ∀ a b : α, meet a b ⊑ b
  meet_greatest : ∀ a b c : α, c ⊑ a → c ⊑ b → c ⊑ meet a b
  join_left : ∀ a b : α, a ⊑ join a b
  join_right : ∀ a b : α, b ⊑ join a b
  join_least : ∀ a b c : α, a ⊑ c → b ⊑ c → join a b ⊑ c

infixl:70 " ⊓ " => Lattice.meet

infixl:65 " ⊔ " => Lattice.join

/-- A lattice with a least and a greatest element. -/
class Bounded (α : Type) extends Lattice α where
  bot : α
  top : α
  bot_le : ∀ a : α, bot ⊑ a
  le_top : ∀ a : α, a ⊑ top

open Lattice

variable {α β : Type}

section Meets

variable [Lattice α] {a b c d : α}

theorem le_meet (h1 : c ⊑ a) (h2 : c ⊑ b) : c ⊑ a ⊓ b := by
  exact meet_greatest a b c h1 h2

theorem meet_le_of_left (h : a ⊑ c) : a ⊓ b ⊑ c := by
  exact le_trans (meet_left a b) h

theorem meet_le_of_right (h : b ⊑ c) : a ⊓ b ⊑ c := by
  exact le_trans (meet_right a b) h

theorem le_meet_iff : c ⊑ a ⊓ b ↔ c ⊑ a ∧ c ⊑ b := by
  constructor
  · intro h
    exact ⟨le_trans h (meet_left a b), le_trans h (meet_right a b)⟩
  · intro ⟨h1, h2⟩
    exact le_meet h1 h2

theorem meet_inf (a b : α) : Inf (fun x => x = a ∨ x = b) (a ⊓ b) := by
  constructor
  · intro x hx
    cases hx with
    | inl hx =>
      rw [hx]
      exact meet_left a b
    | inr hx =>
      rw [hx]
      exact meet_right a b
  · intro l hl
    apply le_meet
    · exact hl a (Or.inl rfl)
    · exact hl b (Or.inr rfl)

theorem meet_comm (a b : α) : a ⊓ b = b ⊓ a := by
  apply le_antisymm
  · exact le_meet (meet_right a b) (meet_left a b)
  · exact le_meet (meet_right b a) (meet_left b a)

theorem meet_self (a : α) : a ⊓ a = a := by
  apply le_antisymm
  · exact meet_left a a
  · exact le_meet (le_refl a) (le_refl a)

theorem meet_assoc (a b c : α) : a ⊓ b ⊓ c = a ⊓ (b ⊓ c) := by
  apply le_antisymm
  · apply le_meet
    · exact meet_le_of_left (meet_left a b)
    · apply le_meet
      · exact meet_le_of_left (meet_right a b)
      · exact meet_right (a ⊓ b) c
  · apply le_meet
    · apply le_meet
      · exact meet_left a (b ⊓ c)
      · exact meet_le_of_right (meet_left b c)
    · exact meet_le_of_right (meet_right b c)

theorem meet_eq_left_iff : a ⊓ b = a ↔ a ⊑ b := by
  constructor
  · intro h
    rw [← h]
    exact meet_right a b
  · intro h
    apply le_antisymm
    · exact meet_left a b
    · exact le_meet (le_refl a) h

theorem meet_mono (h1 : a ⊑ b) (h2 : c ⊑ d) : a ⊓ c ⊑ b ⊓ d := by
  apply le_meet
  · exact meet_le_of_left h1
  · exact meet_le_of_right h2

theorem meet_left_comm (a b c : α) : a ⊓ (b ⊓ c) = b ⊓ (a ⊓ c) := by
  rw [← meet_assoc, meet_comm a b, meet_assoc]

theorem meet_meet_self (a b : α) : a ⊓ (a ⊓ b) = a ⊓ b := by
  rw [← meet_assoc, meet_self]

theorem meet_four (a b c d : α) : a ⊓ b ⊓ (c ⊓ d) = a ⊓ c ⊓ (b ⊓ d) := by
  sorry

theorem meet_monotone (a : α) : Monotone (fun x => a ⊓ x) := by
  intro x y h
  exact meet_mono (le_refl a) h

end Meets

section Joins

variable [Lattice α] {a b c d : α}

theorem join_le (h1 : a ⊑ c) (h2 : b ⊑ c) : a ⊔ b ⊑ c := by
  exact join_least a b c h1 h2

theorem le_join_of_left (h : c ⊑ a) : c ⊑ a ⊔ b := by
  exact le_trans h (join_left a b)

theorem le_join_of_right (h : c ⊑ b) : c ⊑ a ⊔ b := by
  exact le_trans h (join_right a b)

theorem join_le_iff : a ⊔ b ⊑ c ↔ a ⊑ c ∧ b ⊑ c := by
  constructor
  · intro h
    constructor
    · exact le_trans (join_left a b) h
    · exact le_trans (join_right a b) h
  · intro h
    exact join_le h.1 h.2

theorem join_sup (a b : α) : Sup (fun x => x = a ∨ x = b) (a ⊔ b) := by
  constructor
  · intro x hx
    rcases hx with hx | hx
    · rw [hx]
      exact join_left a b
    · rw [hx]
      exact join_right a b
  · intro u hu
    exact join_le (hu a (Or.inl rfl)) (hu b (Or.inr rfl))

theorem join_comm (a b : α) : a ⊔ b = b ⊔ a := by
  apply le_antisymm
  · exact join_le (join_right b a) (join_left b a)
  · exact join_le (join_right a b) (join_left a b)

theorem join_self (a : α) : a ⊔ a = a := by
  apply le_antisymm
  · exact join_le (le_refl a) (le_refl a)
  · exact join_left a a

theorem join_assoc (a b c : α) : a ⊔ b ⊔ c = a ⊔ (b ⊔ c) := by
  apply eq_of_forall_above
  intro d
  rw [join_le_iff, join_le_iff, join_le_iff, join_le_iff]
  constructor
  · intro ⟨⟨h1, h2⟩, h3⟩
    exact ⟨h1, h2, h3⟩
  · intro ⟨h1, h2, h3⟩
    exact ⟨⟨h1, h2⟩, h3⟩

theorem join_mono (h1 : a ⊑ b) (h2 : c ⊑ d) : a ⊔ c ⊑ b ⊔ d := by
  apply join_le
  · exact le_join_of_left h1
  · exact le_join_of_right h2

theorem join_eq_right_iff : a ⊔ b = b ↔ a ⊑ b := by
  constructor
  · intro h
    rw [← h]
    exact join_left a b
  · intro h
    apply le_antisymm
    · exact join_le h (le_refl b)
    · exact join_right a b

theorem join_meet_self (a b : α) : a ⊔ a ⊓ b = a := by
  apply le_antisymm
  · exact join_le (le_refl a) (meet_left a b)
  · exact join_left a (a ⊓ b)

theorem meet_join_self (a b : α) : a ⊓ (a ⊔ b) = a := by
  rw [meet_eq_left_iff]
  exact join_left a b

/-- The order can be read off the meet as well as the join. -/
theorem meet_eq_iff_join_eq : a ⊓ b = a ↔ a ⊔ b = b := by
  rw [meet_eq_left_iff]
  constructor
  · intro h
    apply le_antisymm
    · exact join_le h (le_refl b)
    · exact join_right a b
  · intro h
    rw [← h]
    exact join_left a b

theorem join_four (a b c d : α) : (a ⊔ b) ⊔ (c ⊔ d) = (a ⊔ c) ⊔ (b ⊔ d) := by
  sorry

theorem meet_le_join (a b : α) : a ⊓ b ⊑ a ⊔ b := by
  exact le_trans (meet_left a b) (join_left a b)

theorem meet_eq_join_iff : a ⊓ b = a ⊔ b ↔ a = b := by
  sorry

theorem join_upper_iff (s : α → Prop) : Upper s a ∧ Upper s b ↔ Upper s (a ⊓ b) := by
  constructor
  · intro ⟨h1, h2⟩ x hx
    exact le_meet (h1 x hx) (h2 x hx)
  · intro h
    exact ⟨upper_of_le h (meet_left a b), upper_of_le h (meet_right a b)⟩

theorem directed_of_join_closed {s : α → Prop} (h : ∀ x y, s x → s y → s (x ⊔ y)) : Directed s := by
  intro x y hx hy
  exact ⟨x ⊔ y, h x y hx hy, join_left x y, join_right x y⟩

theorem join_closed_of_directed {s : α → Prop} (h : Directed s) (h1 : Down s) :
    ∀ x y, s x → s y → s (x ⊔ y) := by
  sorry

end Joins

section Distributive

variable [Lattice α]

/-- Meets distribute over joins; one half holds in every lattice. -/
def Distributive (α : Type) [Lattice α] : Prop := ∀ a b c : α, a ⊓ (b ⊔ c) ⊑ a ⊓ b ⊔ a ⊓ c

def Modular (α : Type) [Lattice α] : Prop := ∀ a b c : α, a ⊑ c → (a ⊔ b) ⊓ c ⊑ a ⊔ b ⊓ c

theorem join_meet_le (a b c : α) : a ⊓ b ⊔ a ⊓ c ⊑ a ⊓ (b ⊔ c) := by
  apply join_le
  · exact meet_mono (le_refl a) (join_left b c)
  · exact meet_mono (le_refl a) (join_right b c)

theorem join_meet_le_meet_join (a b c : α) : a ⊔ b ⊓ c ⊑ (a ⊔ b) ⊓ (a ⊔ c) := by
  sorry

theorem modular_le {a c : α} (h : a ⊑ c) (b : α) : a ⊔ b ⊓ c ⊑ (a ⊔ b) ⊓ c := by
  apply join_le
  · exact le_meet (join_left a b) h
  · exact meet_mono (join_right a b) (le_refl c)

theorem meet_join_distrib (h : Distributive α) (a b c : α) : a ⊓ (b ⊔ c) = a ⊓ b ⊔ a ⊓ c := by
  apply le_antisymm
  · exact h a b c
  · exact join_meet_le a b c

theorem meet_join_distrib_right (h : Distributive α) (a b c : α) :
    (a ⊔ b) ⊓ c = a ⊓ c ⊔ b ⊓ c := by
  rw [meet_comm, meet_join_distrib h, meet_comm c a, meet_comm c b]

theorem join_meet_distrib (h : Distributive α) (a b c : α) : a ⊔ b ⊓ c = (a ⊔ b) ⊓ (a ⊔ c) := by
  rw [meet_join_distrib h, meet_comm (a ⊔ b) a, meet_join_self, meet_join_distrib_right h,
    ← join_assoc, join_meet_self]

theorem distributive_modular (h : Distributive α) : Modular α := by
  intro a b c hac
  rw [meet_join_distrib_right h]
  apply join_mono
  · exact meet_left a c
  · exact le_refl (b ⊓ c)

/-- In a distributive lattice an element is known by its meet and its join with another. -/
theorem distributive_cancel (h : Distributive α) {a b c : α} (h1 : a ⊓ c = b ⊓ c)
    (h2 : a ⊔ c = b ⊔ c) : a = b := by
  have half : ∀ x y : α, x ⊓ c = y ⊓ c → x ⊔ c = y ⊔ c → x ⊑ y := by
    intro x y e1 e2
    have h3 : x ⊑ y ⊔ c := by
      rw [← e2]
      exact join_left x c
    have h4 : x ⊑ x ⊓ (y ⊔ c) := le_meet (le_refl x) h3
    rw [meet_join_distrib h, e1] at h4
    apply le_trans h4
    exact join_le (meet_right x y) (meet_left y c)
  exact le_antisymm (half a b h1 h2) (half b a h1.symm h2.symm)

theorem modular_cancel (h : Modular α) {a b c : α} (hab : a ⊑ b) (h1 : a ⊓ c = b ⊓ c)
    (h2 : a ⊔ c = b ⊔ c) : a = b := by
  sorry

theorem modular_eq (h : Modular α) {a c : α} (hac : a ⊑ c) (b : α) : (a ⊔ b) ⊓ c = a ⊔ b ⊓ c := by
  apply le_antisymm
  · exact h a b c hac
  · exact modular_le hac b

theorem distributive_of_dual (h : ∀ a b c : α, (a ⊔ b) ⊓ (a ⊔ c) ⊑ a ⊔ b ⊓ c) :
    Distributive α := by
  sorry

theorem median_le (a b c : α) : a ⊓ b ⊔ b ⊓ c ⊔ c ⊓ a ⊑ (a ⊔ b) ⊓ (b ⊔ c) ⊓ (c ⊔ a) := by
  apply join_le
  · apply join_le
    · apply le_meet
      · apply le_meet
        · exact meet_le_of_left (join_left a b)
        · exact meet_le_of_right (join_left b c)
      · exact meet_le_of_left (join_right c a)
    · apply le_meet
      · apply le_meet
        · exact meet_le_of_left (join_right a b)
        · exact meet_le_of_left (join_left b c)
      · exact meet_le_of_right (join_left c a)
  · apply le_meet
    · apply le_meet
      · exact meet_le_of_right (join_left a b)
      · exact meet_le_of_left (join_right b c)
    · exact meet_le_of_left (join_left c a)

end Distributive

section Maps

variable [Lattice α] [Lattice β]

def KeepsMeets (f : α → β) : Prop := ∀ a b, f (a ⊓ b) = f a ⊓ f b

def KeepsJoins (f : α → β) : Prop := ∀ a b, f (a ⊔ b) = f a ⊔ f b

theorem keepsMeets_monotone {f : α → β} (h : KeepsMeets f) : Monotone f := by
  intro a b hab
  rw [← meet_eq_left_iff] at hab ⊢
  rw [← h, hab]

theorem keepsJoins_monotone {f : α → β} (h : KeepsJoins f) : Monotone f := by
  intro a b hab
  rw [← join_eq_right_iff] at hab ⊢
  rw [← h, hab]

theorem monotone_join_le {f : α → β} (h : Monotone f) (a b : α) : f a ⊔ f b ⊑ f (a ⊔ b) := by
  apply join_le
  · exact h a (a ⊔ b) (join_left a b)
  · exact h b (a ⊔ b) (join_right a b)

theorem antitone_join_le {f : α → β} (h : Antitone f) (a b : α) : f (a ⊔ b) ⊑ f a ⊓ f b := by
  apply le_meet
  · exact h a (a ⊔ b) (join_left a b)
  · exact h b (a ⊔ b) (join_right a b)

theorem galois_keepsJoins {f : α → β} {g : β → α} (h : Galois f g) : KeepsJoins f := by
  intro a b
  apply eq_of_forall_above
  intro c
  rw [h (a ⊔ b) c, join_le_iff, join_le_iff, h a c, h b c]

theorem galois_keepsMeets {f : α → β} {g : β → α} (h : Galois f g) : KeepsMeets g := by
  sorry

theorem keepsMeets_embedding {f : α → β} (h : KeepsMeets f) (h1 : ∀ a b, f a = f b → a = b) :
    Embedding f := by
  sorry

theorem distributive_of_embedding {f : α → β} (h1 : KeepsMeets f) (h2 : KeepsJoins f)
    (h3 : Embedding f) (h : Distributive β) : Distributive α := by
  intro a b c
  apply (h3 _ _).2
  rw [h1, h2, h2, h1, h1]
  exact h (f a) (f b) (f c)

theorem modular_of_embedding {f : α → β} (h1 : KeepsMeets f) (h2 : KeepsJoins f)
    (h3 : Embedding f) (h : Modular β) : Modular α := by
  sorry

theorem keepsJoins_comp {γ : Type} [Lattice γ] {g : β → γ} {f : α → β} (hg : KeepsJoins g)
    (hf : KeepsJoins f) : KeepsJoins (fun x => g (f x)) := by
  intro a b
  show g (f (a ⊔ b)) = g (f a) ⊔ g (f b)
  rw [hf, hg]

theorem closure_join {c : α → α} (h : Closure c) (a b : α) : c (c a ⊔ c b) = c (a ⊔ b) := by
  apply le_antisymm
  · rw [closure_le_iff h]
    exact monotone_join_le h.mono a b
  · apply h.mono
    exact join_mono (h.up a) (h.up b)

theorem closure_meet_closed {c : α → α} (h : Closure c) {a b : α} (ha : c a = a) (hb : c b = b) :
    c (a ⊓ b) = a ⊓ b := by
  sorry

end Maps

section BoundedLattices

open Bounded

variable [Bounded α] {a b c : α}

/-- `a` and `b` meet in the least and join in the greatest element. -/
def Complement (a b : α) : Prop := a ⊓ b = bot ∧ a ⊔ b = top

theorem bot_unique (h : ∀ x : α, a ⊑ x) : a = bot := by
  apply le_antisymm
  · exact h bot
  · exact bot_le a

theorem bot_join (a : α) : bot ⊔ a = a := by
  rw [join_eq_right_iff]
  exact bot_le a

theorem top_meet (a : α) : top ⊓ a = a := by
  rw [meet_comm, meet_eq_left_iff]
  exact le_top a

theorem bot_meet (a : α) : bot ⊓ a = bot := by
  rw [meet_eq_left_iff]
  exact bot_le a

theorem join_eq_bot_iff : a ⊔ b = bot ↔ a = bot ∧ b = bot := by
  constructor
  · intro h
    constructor
    · apply le_antisymm
      · rw [← h]
        exact join_left a b
      · exact bot_le a
    · apply le_antisymm
      · rw [← h]
        exact join_right a b
      · exact bot_le b
  · intro ⟨h1, h2⟩
    rw [h1, h2, join_self]

theorem meet_eq_top_iff : a ⊓ b = top ↔ a = top ∧ b = top := by
  sorry

theorem complement_symm (h : Complement a b) : Complement b a := by
  constructor
  · rw [meet_comm]
    exact h.1
  · rw [join_comm]
    exact h.2

theorem complement_bot_top : Complement (bot : α) top := by
  constructor
  · rw [meet_eq_left_iff]
    exact bot_le top
  · exact bot_join top

theorem complement_unique (h : Distributive α) (h1 : Complement a b) (h2 : Complement a c) :
    b = c := by
  have h3 := complement_symm h1
  have h4 := complement_symm h2
  apply distributive_cancel h (c := a)
  · rw [h3.1, h4.1]
  · rw [h3.2, h4.2]

theorem complement_le_iff (h : Distributive α) (h1 : Complement a b) : a ⊓ c = bot ↔ c ⊑ b := by
  constructor
  · intro h2
    have h3 : c ⊑ c ⊓ (a ⊔ b) := by
      rw [h1.2]
      exact le_meet (le_refl c) (le_top c)
    rw [meet_join_distrib h, meet_comm c a, h2, bot_join] at h3
    exact le_trans h3 (meet_right c b)
  · intro h2
    apply le_antisymm
    · rw [← h1.1]
      exact meet_mono (le_refl a) h2
    · exact bot_le (a ⊓ c)

theorem complement_self_trivial (h : Complement a a) (b c : α) : b = c := by
  have h1 : (bot : α) = top := by
    rw [← h.1, ← h.2, meet_self, join_self]
  apply le_antisymm
  · apply le_trans (le_top b)
    rw [← h1]
    exact bot_le c
  · apply le_trans (le_top c)
    rw [← h1]
    exact bot_le b

theorem complement_antitone (h : Distributive α) {a' b' : α} (h1 : Complement a a')
    (h2 : Complement b b') (h3 : a ⊑ b) : b' ⊑ a' := by
  apply (complement_le_iff h h1).1
  apply le_antisymm
  · rw [← h2.1]
    exact meet_mono h3 (le_refl b')
  · exact bot_le (a ⊓ b')

theorem complement_meet (h : Distributive α) {a' b' : α} (h1 : Complement a a')
    (h2 : Complement b b') : Complement (a ⊓ b) (a' ⊔ b') := by
  sorry

end BoundedLattices

end Order
