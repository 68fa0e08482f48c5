import Algebra.Ring

/-!
Boolean algebras by Huntington's axioms: the usual laws, the order, symmetric difference (which
makes a ring of them), filters and homomorphisms.
-/

namespace Algebra

/-- A Boolean algebra: two operations that commute, with units, that distribute over each other,
and complements. Associativity and absorption are proved. -/
class BoolAlg (β : Type) where
  join : β → β → β
  meet : β → β → β
  compl : β → β
  bot : β
  top : β
  join_comm : ∀ a b, join a b = join b a
  meet_comm : ∀ a b, meet a b = meet b a
  join_bot : ∀ a, join a bot = a
  meet_top : ∀ a, meet a top = a
  join_meet : ∀ a b c, join a (meet b c) = meet (join a b) (join a c)
  meet_join : ∀ a b c, meet a (join b c) = join (meet a b) (meet a c)
  join_compl : ∀ a, join a (compl a) = top
  meet_compl : ∀ a, meet a (compl a) = bot

infixl:65 " ⋎ " => BoolAlg.join
infixl:70 " ⋏ " => BoolAlg.meet
postfix:max "ᶜ" => BoolAlg.compl
notation "⊥ᵇ" => BoolAlg.bot
notation "⊤ᵇ" => BoolAlg.top

namespace BoolAlg

variable {β : Type} [BoolAlg β]

section Laws

theorem join_self (a : β) : a ⋎ a = a := by
  rw [← meet_top (a ⋎ a), ← join_compl a, ← join_meet, meet_compl, join_bot]

theorem meet_self (a : β) : a ⋏ a = a := by
  rw [← join_bot (a ⋏ a), ← meet_compl a, ← meet_join, join_compl, meet_top]

theorem join_top (a : β) : a ⋎ ⊤ᵇ = ⊤ᵇ := by
  rw [← join_compl a]
  calc a ⋎ (a ⋎ aᶜ) = (a ⋎ (a ⋎ aᶜ)) ⋏ ⊤ᵇ := (meet_top _).symm
    _ = (a ⋎ (a ⋎ aᶜ)) ⋏ (a ⋎ aᶜ) := by rw [← join_compl a]
    _ = a ⋎ (a ⋎ aᶜ) ⋏ aᶜ := by rw [← join_meet]
    _ = a ⋎ aᶜ := by rw [join_compl, meet_comm, meet_top, join_compl]

theorem meet_bot (a : β) : a ⋏ ⊥ᵇ = ⊥ᵇ := by
  rw [← meet_compl a]
  calc a ⋏ (a ⋏ aᶜ) = a ⋏ (a ⋏ aᶜ) ⋎ ⊥ᵇ := (join_bot _).symm
    _ = a ⋏ (a ⋏ aᶜ) ⋎ a ⋏ aᶜ := by rw [← meet_compl a]
    _ = a ⋏ (a ⋏ aᶜ ⋎ aᶜ) := by rw [← meet_join]
    _ = a ⋏ aᶜ := by rw [meet_compl, join_comm, join_bot, meet_compl]

theorem bot_join (a : β) : ⊥ᵇ ⋎ a = a := by
  rw [join_comm, join_bot]

theorem top_meet (a : β) : ⊤ᵇ ⋏ a = a := by
  rw [meet_comm, meet_top]

theorem absorb_join (a b : β) : a ⋎ a ⋏ b = a := by
  calc a ⋎ a ⋏ b = a ⋏ ⊤ᵇ ⋎ a ⋏ b := by rw [meet_top]
    _ = a ⋏ (⊤ᵇ ⋎ b) := (meet_join _ _ _).symm
    _ = a := by rw [join_comm, join_top, meet_top]

theorem absorb_meet (a b : β) : a ⋏ (a ⋎ b) = a := by
  calc a ⋏ (a ⋎ b) = (a ⋎ ⊥ᵇ) ⋏ (a ⋎ b) := by rw [join_bot]
    _ = a ⋎ ⊥ᵇ ⋏ b := (join_meet _ _ _).symm
    _ = a := by rw [meet_comm, meet_bot, join_bot]

/-- Two elements are equal if they have the same joins with `c` and with its complement. -/
theorem eq_of_joins (a b c : β) (h1 : a ⋎ c = b ⋎ c) (h2 : a ⋎ cᶜ = b ⋎ cᶜ) : a = b := by
  have key : ∀ x : β, (x ⋎ c) ⋏ (x ⋎ cᶜ) = x := by
    intro x
    rw [← join_meet, meet_compl, join_bot]
  rw [← key a, h1, h2, key]

theorem eq_of_meets (a b c : β) (h1 : a ⋏ c = b ⋏ c) (h2 : a ⋏ cᶜ = b ⋏ cᶜ) : a = b := by
  have key : ∀ x : β, x ⋏ c ⋎ x ⋏ cᶜ = x := by
    intro x
    rw [← meet_join, join_compl, meet_top]
  rw [← key a, h1, h2, key]

theorem join_assoc_self (a b c : β) : a ⋎ (a ⋎ b ⋎ c) = a ⋎ (a ⋎ (b ⋎ c)) := by
  have h : ∀ x y : β, a ⋎ (a ⋎ x) = a ⋎ x → a ⋏ (a ⋎ x ⋎ y) = a := by
    intro x y _
    rw [meet_join, absorb_meet, absorb_join]
  have h1 : ∀ x : β, a ⋏ x = a → a ⋎ x = x := by
    intro x hx
    rw [← hx, join_comm, meet_comm, absorb_join]
  have h2 : ∀ x : β, a ⋎ (a ⋎ x) = a ⋎ x := by
    intro x
    exact h1 _ (absorb_meet a x)
  rw [h2, h1 _ (h b c (h2 b))]
  apply eq_of_joins _ _ a
  · rw [join_comm, h1 _ (h b c (h2 b)), join_comm (a ⋎ (b ⋎ c)), h2]
    apply eq_of_meets _ _ a
    · rw [meet_comm, h b c (h2 b), meet_comm, absorb_meet]
    · rw [meet_comm, meet_join, meet_join, meet_comm _ a, meet_compl, bot_join,
        meet_comm (a ⋎ (b ⋎ c)), meet_join, meet_comm _ a, meet_compl, bot_join, meet_join]
  · apply eq_of_meets _ _ a
    · rw [meet_comm, meet_join, h b c (h2 b), absorb_join, meet_comm, meet_join, absorb_meet,
        absorb_join]
    · rw [meet_comm, join_comm, absorb_meet, meet_comm, join_comm, absorb_meet]

theorem join_assoc (a b c : β) : a ⋎ b ⋎ c = a ⋎ (b ⋎ c) := by
  have up : ∀ x : β, a ⋏ x = a → a ⋎ x = x := by
    intro x hx
    rw [← hx, join_comm, meet_comm, absorb_join]
  have h1 : a ⋏ (a ⋎ b ⋎ c) = a := by
    rw [meet_join, absorb_meet, absorb_join]
  have h := join_assoc_self a b c
  rw [up _ h1, up _ (absorb_meet a (b ⋎ c))] at h
  exact h

/-- The complement is unique. -/
theorem compl_unique (a b : β) (h1 : a ⋎ b = ⊤ᵇ) (h2 : a ⋏ b = ⊥ᵇ) : b = aᶜ := by
  calc b = b ⋏ (a ⋎ aᶜ) := by rw [join_compl, meet_top]
    _ = b ⋏ aᶜ := by rw [meet_join, meet_comm b a, h2, bot_join]
    _ = aᶜ ⋏ (a ⋎ b) := by rw [meet_join, meet_comm aᶜ a, meet_compl, bot_join, meet_comm]
    _ = aᶜ := by rw [h1, meet_top]

theorem compl_compl (a : β) : aᶜᶜ = a := by
  symm
  apply compl_unique
  · rw [join_comm, join_compl]
  · rw [meet_comm, meet_compl]

theorem compl_bot : (⊥ᵇ : β)ᶜ = ⊤ᵇ := by
  symm
  apply compl_unique
  · exact bot_join _
  · exact meet_top _

theorem compl_inj (a b : β) (h : aᶜ = bᶜ) : a = b := by
  rw [← compl_compl a, h, compl_compl]

theorem meet_compl_meet (a b : β) : a ⋏ (aᶜ ⋏ b) = ⊥ᵇ := by
  calc a ⋏ (aᶜ ⋏ b) = a ⋏ aᶜ ⋎ a ⋏ (aᶜ ⋏ b) := by rw [meet_compl, bot_join]
    _ = a ⋏ (aᶜ ⋎ aᶜ ⋏ b) := (meet_join _ _ _).symm
    _ = ⊥ᵇ := by rw [absorb_join, meet_compl]

theorem compl_join (a b : β) : (a ⋎ b)ᶜ = aᶜ ⋏ bᶜ := by
  symm
  apply compl_unique
  · rw [join_meet, join_assoc a b bᶜ, join_compl, join_top, meet_top, join_comm a b, join_assoc,
      join_compl, join_top]
  · rw [meet_comm, meet_join, meet_comm _ a, meet_compl_meet, bot_join, meet_comm aᶜ bᶜ,
      meet_comm _ b, meet_compl_meet]

theorem compl_meet (a b : β) : (a ⋏ b)ᶜ = aᶜ ⋎ bᶜ := by
  apply compl_inj
  rw [compl_compl, compl_join, compl_compl, compl_compl]

theorem meet_assoc (a b c : β) : a ⋏ b ⋏ c = a ⋏ (b ⋏ c) := by
  have h : ∀ x y : β, x ⋏ y = (xᶜ ⋎ yᶜ)ᶜ := by
    intro x y
    rw [compl_join, compl_compl, compl_compl]
  rw [h (a ⋏ b), h a b, compl_compl, join_assoc, h a, h b c, compl_compl]

instance : Std.Associative (α := β) join := ⟨join_assoc⟩

instance : Std.Commutative (α := β) join := ⟨join_comm⟩

instance : Std.Associative (α := β) meet := ⟨meet_assoc⟩

instance : Std.Commutative (α := β) meet := ⟨meet_comm⟩

theorem join_compl_meet (a b : β) : a ⋎ aᶜ ⋏ b = a ⋎ b := by
  rw [join_meet, join_compl, top_meet]

theorem consensus (a b c : β) : a ⋏ b ⋎ aᶜ ⋏ c ⋎ b ⋏ c = a ⋏ b ⋎ aᶜ ⋏ c := by
  have h : b ⋏ c = a ⋏ b ⋏ c ⋎ aᶜ ⋏ c ⋏ b := by
    calc b ⋏ c = b ⋏ c ⋏ (a ⋎ aᶜ) := by rw [join_compl, meet_top]
      _ = b ⋏ c ⋏ a ⋎ b ⋏ c ⋏ aᶜ := meet_join _ _ _
      _ = a ⋏ b ⋏ c ⋎ aᶜ ⋏ c ⋏ b := by
        rw [meet_comm _ a, ← meet_assoc, meet_comm _ aᶜ, meet_comm b c, ← meet_assoc]
  rw [h, join_assoc, ← join_assoc (aᶜ ⋏ c), join_comm (aᶜ ⋏ c), join_assoc (a ⋏ b ⋏ c),
    absorb_join, ← join_assoc, absorb_join]

end Laws

section Order

/-- `a` lies below `b`. -/
def Below (a b : β) : Prop := a ⋏ b = a

theorem below_refl (a : β) : Below a a := by
  exact meet_self a

theorem below_trans (a b c : β) (h1 : Below a b) (h2 : Below b c) : Below a c := by
  unfold Below at *
  rw [← h1, meet_assoc, h2]

theorem below_antisymm (a b : β) (h1 : Below a b) (h2 : Below b a) : a = b := by
  unfold Below at *
  rw [← h1, meet_comm, h2]

theorem below_iff_join (a b : β) : Below a b ↔ a ⋎ b = b := by
  unfold Below
  constructor
  · intro h
    rw [← h, join_comm, meet_comm, absorb_join]
  · intro h
    rw [← h, absorb_meet]

theorem meet_below (a b : β) : Below (a ⋏ b) a := by
  unfold Below
  rw [meet_comm, ← meet_assoc, meet_self]

theorem below_join (a b : β) : Below a (a ⋎ b) := by
  exact absorb_meet a b

theorem below_meet_iff (a b c : β) : Below a (b ⋏ c) ↔ Below a b ∧ Below a c := by
  constructor
  · intro h
    constructor
    · exact below_trans a _ b h (meet_below b c)
    · rw [meet_comm] at h
      exact below_trans a _ c h (meet_below c b)
  · rintro ⟨h1, h2⟩
    unfold Below at *
    rw [← meet_assoc, h1, h2]

theorem join_below_iff (a b c : β) : Below (a ⋎ b) c ↔ Below a c ∧ Below b c := by
  constructor
  · intro h
    constructor
    · exact below_trans a _ c (below_join a b) h
    · rw [join_comm] at h
      exact below_trans b _ c (below_join b a) h
  · rintro ⟨h1, h2⟩
    unfold Below at *
    rw [meet_comm, meet_join, meet_comm c a, h1, meet_comm c b, h2]

theorem below_compl_iff (a b : β) : Below a bᶜ ↔ a ⋏ b = ⊥ᵇ := by
  unfold Below
  constructor
  · intro h
    rw [← h, meet_assoc, meet_comm bᶜ, meet_compl, meet_bot]
  · intro h
    calc a ⋏ bᶜ = a ⋏ b ⋎ a ⋏ bᶜ := by rw [h, bot_join]
      _ = a := by rw [← meet_join, join_compl, meet_top]

theorem compl_antitone (a b : β) (h : Below a b) : Below bᶜ aᶜ := by
  rw [below_compl_iff, meet_comm]
  rw [← compl_compl b, below_compl_iff] at h
  exact h

theorem below_iff_compl_join (a b : β) : Below a b ↔ aᶜ ⋎ b = ⊤ᵇ := by
  rw [below_iff_join]
  constructor
  · intro h
    rw [← h, ← join_assoc, join_comm aᶜ a, join_compl, join_comm, join_top]
  · intro h
    calc a ⋎ b = (b ⋎ a) ⋏ (b ⋎ aᶜ) := by rw [join_comm b aᶜ, h, meet_top, join_comm]
      _ = b := by rw [← join_meet, meet_compl, join_bot]

/-- Moving an element to the other side. -/
theorem residuation (a b c : β) : Below (a ⋏ b) c ↔ Below a (bᶜ ⋎ c) := by
  have h : ∀ x y : β, Below x y ↔ x ⋏ yᶜ = ⊥ᵇ := by
    intro x y
    have h1 := below_compl_iff x yᶜ
    rw [compl_compl] at h1
    exact h1
  rw [h, h, compl_join, compl_compl, meet_assoc]

theorem below_meet_mono (a b c d : β) (h1 : Below a b) (h2 : Below c d) :
    Below (a ⋏ c) (b ⋏ d) := by
  rw [below_meet_iff]
  constructor
  · exact below_trans _ a b (meet_below a c) h1
  · rw [meet_comm]
    exact below_trans _ c d (meet_below c a) h2

theorem modular (a b c : β) (h : Below a c) : a ⋎ b ⋏ c = (a ⋎ b) ⋏ c := by
  rw [below_iff_join] at h
  rw [join_meet, h]

end Order

section Difference

/-- Symmetric difference. -/
def xor (a b : β) : β := a ⋏ bᶜ ⋎ aᶜ ⋏ b

theorem xor_comm (a b : β) : xor a b = xor b a := by
  unfold xor
  rw [join_comm, meet_comm aᶜ, meet_comm a]

theorem xor_self (a : β) : xor a a = ⊥ᵇ := by
  unfold xor
  rw [meet_comm aᶜ, meet_compl, join_bot]

theorem bot_xor (a : β) : xor ⊥ᵇ a = a := by
  have h : (⊥ᵇ : β)ᶜ = ⊤ᵇ := by
    symm
    apply compl_unique
    · exact bot_join _
    · exact meet_top _
  unfold xor
  rw [h, top_meet, meet_comm, meet_bot, bot_join]

theorem xor_top (a : β) : xor a ⊤ᵇ = aᶜ := by
  have h : (⊤ᵇ : β)ᶜ = ⊥ᵇ := by
    symm
    apply compl_unique
    · exact join_bot _
    · exact meet_bot _
  unfold xor
  rw [h, meet_bot, meet_top, bot_join]

theorem xor_eq (a b : β) : xor a b = (a ⋎ b) ⋏ (a ⋏ b)ᶜ := by
  have h : (a ⋏ b)ᶜ = aᶜ ⋎ bᶜ := by
    apply compl_inj
    rw [compl_compl, compl_join, compl_compl, compl_compl]
  unfold xor
  rw [h, meet_join, meet_comm (a ⋎ b) aᶜ, meet_join aᶜ, meet_comm aᶜ a, meet_compl, bot_join,
    meet_comm (a ⋎ b) bᶜ, meet_join bᶜ, meet_comm bᶜ b, meet_compl, join_bot, meet_comm bᶜ a,
    join_comm]

theorem xor_eq_bot_iff (a b : β) : xor a b = ⊥ᵇ ↔ a = b := by
  constructor
  · intro h
    unfold xor at h
    have h1 : a ⋏ bᶜ = ⊥ᵇ := by
      rw [← absorb_meet (a ⋏ bᶜ) (aᶜ ⋏ b), h, meet_bot]
    have h2 : aᶜ ⋏ b = ⊥ᵇ := by
      rw [← absorb_meet (aᶜ ⋏ b) (a ⋏ bᶜ), join_comm, h, meet_bot]
    apply below_antisymm
    · rw [← compl_compl b, below_compl_iff]
      exact h1
    · rw [← compl_compl a, below_compl_iff, meet_comm]
      exact h2
  · intro h
    rw [h]
    unfold xor
    rw [meet_comm bᶜ, meet_compl, join_bot]

theorem compl_xor (a b : β) : (xor a b)ᶜ = a ⋏ b ⋎ aᶜ ⋏ bᶜ := by
  rw [xor_eq, ← compl_compl (a ⋏ b ⋎ aᶜ ⋏ bᶜ), compl_join (a ⋏ b), ← compl_join a b, compl_compl,
    meet_comm]

theorem meet_xor (a b c : β) : a ⋏ xor b c = xor (a ⋏ b) (a ⋏ c) := by
  have h : ∀ x y : β, (x ⋏ y)ᶜ = xᶜ ⋎ yᶜ := by
    intro x y
    apply compl_inj
    rw [compl_compl, compl_join, compl_compl, compl_compl]
  have h1 : ∀ x y : β, a ⋏ x ⋏ (a ⋏ y)ᶜ = a ⋏ (x ⋏ yᶜ) := by
    intro x y
    rw [h, meet_join, meet_comm (a ⋏ x) aᶜ, ← meet_assoc, meet_comm aᶜ a, meet_compl,
      meet_comm ⊥ᵇ, meet_bot, bot_join, meet_assoc]
  unfold xor
  rw [h1, meet_comm (a ⋏ b)ᶜ, h1, meet_join, meet_comm bᶜ]

theorem xor_compl_left (a b : β) : xor aᶜ b = (xor a b)ᶜ := by
  rw [compl_xor]
  unfold xor
  rw [compl_compl, join_comm]

theorem xor_assoc (a b c : β) : xor (xor a b) c = xor a (xor b c) := by
  have h : ∀ x y z : β, xor (xor x y) z =
      x ⋏ yᶜ ⋏ zᶜ ⋎ xᶜ ⋏ y ⋏ zᶜ ⋎ (x ⋏ y ⋏ z ⋎ xᶜ ⋏ yᶜ ⋏ z) := by
    intro x y z
    rw [xor, compl_xor, xor, meet_comm, meet_join, meet_comm _ z, meet_join, meet_comm zᶜ,
      meet_comm zᶜ, meet_comm z, meet_comm z]
  calc xor (xor a b) c
      = a ⋏ bᶜ ⋏ cᶜ ⋎ aᶜ ⋏ b ⋏ cᶜ ⋎ (a ⋏ b ⋏ c ⋎ aᶜ ⋏ bᶜ ⋏ c) := h a b c
    _ = b ⋏ cᶜ ⋏ aᶜ ⋎ bᶜ ⋏ c ⋏ aᶜ ⋎ (b ⋏ c ⋏ a ⋎ bᶜ ⋏ cᶜ ⋏ a) := by ac_rfl
    _ = xor (xor b c) a := (h b c a).symm
    _ = xor a (xor b c) := xor_comm _ _

theorem xor_cancel (a b c : β) (h : xor a b = xor a c) : b = c := by
  rw [← bot_xor b, ← xor_self a, xor_assoc, h, ← xor_assoc, xor_self, bot_xor]

theorem xor_xor_self (a b : β) : xor a (xor a b) = b := by
  rw [← xor_assoc, xor_self, bot_xor]

/-- With symmetric difference and meet a Boolean algebra is a ring. -/
@[reducible] def toRing (β : Type) [BoolAlg β] : Ring β where
  add := xor
  zero := ⊥ᵇ
  neg := fun a => a
  mul := meet
  one := ⊤ᵇ
  add_assoc := xor_assoc
  add_comm := xor_comm
  zero_add := bot_xor
  neg_add := xor_self
  mul_assoc := meet_assoc
  one_mul := top_meet
  mul_one := meet_top
  mul_add := meet_xor
  add_mul := by
    intro a b c
    rw [meet_comm, meet_xor, meet_comm c a, meet_comm c b]

end Difference

section Filters

/-- Closed upwards and under meets, with the top. -/
structure IsFilter (F : β → Prop) : Prop where
  top_mem : F ⊤ᵇ
  meet_mem : ∀ a b, F a → F b → F (a ⋏ b)
  up : ∀ a b, F a → Below a b → F b

/-- A filter that decides every element. -/
structure IsUltra (F : β → Prop) : Prop extends IsFilter F where
  proper : ¬ F ⊥ᵇ
  decides : ∀ a, F a ∨ F aᶜ

theorem filter_meet_iff (F : β → Prop) (hF : IsFilter F) (a b : β) :
    F (a ⋏ b) ↔ F a ∧ F b := by
  constructor
  · intro h
    constructor
    · exact hF.up _ a h (meet_below a b)
    · rw [meet_comm] at h
      exact hF.up _ b h (meet_below b a)
  · rintro ⟨h1, h2⟩
    exact hF.meet_mem a b h1 h2

theorem principal_filter (a : β) : IsFilter (Below a) := by
  refine ⟨meet_top a, ?_, ?_⟩
  · intro b c hb hc
    rw [below_meet_iff]
    exact ⟨hb, hc⟩
  · intro b c hb hbc
    exact below_trans a b c hb hbc

theorem filter_inter (F G : β → Prop) (hF : IsFilter F) (hG : IsFilter G) :
    IsFilter (fun a => F a ∧ G a) := by
  refine ⟨⟨hF.top_mem, hG.top_mem⟩, ?_, ?_⟩
  · rintro a b ⟨h1, h2⟩ ⟨h3, h4⟩
    exact ⟨hF.meet_mem a b h1 h3, hG.meet_mem a b h2 h4⟩
  · rintro a b ⟨h1, h2⟩ h
    exact ⟨hF.up a b h1 h, hG.up a b h2 h⟩

theorem filter_modus_ponens (F : β → Prop) (hF : IsFilter F) (a b : β) (h1 : F a)
    (h2 : F (aᶜ ⋎ b)) : F b := by
  have h3 := hF.meet_mem _ _ h1 h2
  rw [meet_join, meet_compl, bot_join, meet_comm] at h3
  exact hF.up _ b h3 (meet_below b a)

theorem ultra_compl (F : β → Prop) (hF : IsUltra F) (a : β) : F aᶜ ↔ ¬ F a := by
  constructor
  · intro h1 h2
    apply hF.proper
    rw [← meet_compl a]
    exact hF.meet_mem a _ h2 h1
  · intro h
    rcases hF.decides a with h1 | h1
    · contradiction
    · exact h1

theorem ultra_join (F : β → Prop) (hF : IsUltra F) (a b : β) : F (a ⋎ b) ↔ F a ∨ F b := by
  constructor
  · intro h
    rcases hF.decides a with h1 | h1
    · left
      exact h1
    · right
      have h2 := hF.meet_mem _ _ h1 h
      rw [meet_join, meet_comm aᶜ a, meet_compl, bot_join, meet_comm] at h2
      exact hF.up _ b h2 (meet_below b aᶜ)
  · rintro (h | h)
    · exact hF.up a _ h (below_join a b)
    · rw [join_comm]
      exact hF.up b _ h (below_join b a)

theorem ultra_maximal (F G : β → Prop) (hF : IsUltra F) (hG : IsFilter G) (hp : ¬ G ⊥ᵇ)
    (h : ∀ a, F a → G a) (a : β) (ha : G a) : F a := by
  rcases hF.decides a with h1 | h1
  · exact h1
  · have h2 := hG.meet_mem _ _ ha (h _ h1)
    rw [meet_compl] at h2
    contradiction

end Filters

end BoolAlg

end Algebra
