/-
Lattices as algebras, the order they define, and closure operators on them.
-/

class Lat (α : Type) where
  meet : α → α → α
  join : α → α → α
  meet_comm : ∀ a b, meet a b = meet b a
  join_comm : ∀ a b, join a b = join b a
  meet_assoc : ∀ a b c, meet (meet a b) c = meet a (meet b c)
  join_assoc : ∀ a b c, join (join a b) c = join a (join b c)
  meet_join_self : ∀ a b, meet a (join a b) = a
  join_meet_self : ∀ a b, join a (meet a b) = a

infixl:70 " ⊓ " => Lat.meet
infixl:65 " ⊔ " => Lat.join

namespace Lat

variable {α β : Type} [Lat α] [Lat β]

instance : LE α where
  le a b := a ⊓ b = a

theorem le_def {a b : α} : a ≤ b ↔ a ⊓ b = a := Iff.rfl

theorem meet_idem (a : α) : a ⊓ a = a := by
  have h := meet_join_self a (a ⊓ a)
  rwa [join_meet_self] at h

theorem le_iff_join {a b : α} : a ≤ b ↔ a ⊔ b = b := by
  constructor
  · intro h
    rw [← le_def.mp h, meet_comm, join_comm, join_meet_self]
  · intro h
    rw [le_def, ← h, meet_join_self]

theorem le_refl (a : α) : a ≤ a := meet_idem a

theorem le_antisymm {a b : α} (h : a ≤ b) (h' : b ≤ a) : a = b := by
  rw [← le_def.mp h, meet_comm, le_def.mp h']

theorem le_trans {a b c : α} (h : a ≤ b) (h' : b ≤ c) : a ≤ c := by
  rw [le_def, ← le_def.mp h, meet_assoc, le_def.mp h']

theorem meet_le_left (a b : α) : a ⊓ b ≤ a := by
  rw [le_def, meet_comm, ← meet_assoc, meet_idem]

theorem le_meet_iff {a b c : α} : c ≤ a ⊓ b ↔ c ≤ a ∧ c ≤ b := by
  constructor
  · intro h
    refine ⟨le_trans h (meet_le_left a b), le_trans h ?_⟩
    rw [meet_comm]
    exact meet_le_left b a
  · rintro ⟨ha, hb⟩
    rw [le_def, ← meet_assoc, le_def.mp ha, le_def.mp hb]

theorem join_le_iff {a b c : α} : a ⊔ b ≤ c ↔ a ≤ c ∧ b ≤ c := by
  have left (x y : α) : x ≤ x ⊔ y := meet_join_self x y
  constructor
  · intro h
    exact ⟨le_trans (left a b) h, le_trans (join_comm b a ▸ left b a) h⟩
  · rintro ⟨ha, hb⟩
    rw [le_iff_join, join_assoc, le_iff_join.mp hb, le_iff_join.mp ha]

theorem meet_mono {a b c d : α} (h : a ≤ b) (h' : c ≤ d) : a ⊓ c ≤ b ⊓ d := by
  have := le_meet_iff.mp (le_refl (a ⊓ c))
  exact le_meet_iff.mpr ⟨le_trans this.1 h, le_trans this.2 h'⟩

/-- One half of the distributive law holds in each lattice. -/
theorem distrib_le (a b c : α) : (a ⊓ b) ⊔ (a ⊓ c) ≤ a ⊓ (b ⊔ c) := by
  have h := join_le_iff.mp (le_refl (b ⊔ c))
  exact join_le_iff.mpr ⟨meet_mono (le_refl a) h.1, meet_mono (le_refl a) h.2⟩

/-- If meets distribute over joins, then joins distribute over meets. -/
theorem distrib_dual (dist : ∀ a b c : α, a ⊓ (b ⊔ c) = (a ⊓ b) ⊔ (a ⊓ c)) (a b c : α) :
    a ⊔ (b ⊓ c) = (a ⊔ b) ⊓ (a ⊔ c) := by
  have h₁ : (a ⊔ b) ⊓ a = a := by rw [meet_comm, meet_join_self]
  have h₂ : (a ⊔ b) ⊓ c = (a ⊓ c) ⊔ (b ⊓ c) := by
    rw [meet_comm, dist, meet_comm c a, meet_comm c b]
  rw [dist, h₁, h₂, ← join_assoc, join_meet_self]

/-- In a distributive lattice an element has at most one complement. -/
theorem cancel (dist : ∀ a b c : α, a ⊓ (b ⊔ c) = (a ⊓ b) ⊔ (a ⊓ c)) {a b c : α}
    (hm : a ⊓ b = a ⊓ c) (hj : a ⊔ b = a ⊔ c) : b = c := by
  have key (x y : α) (hm : a ⊓ x = a ⊓ y) (hj : a ⊔ x = a ⊔ y) : x ≤ y := by
    have : x ⊓ (a ⊔ y) = x := by rw [← hj, join_comm, meet_join_self]
    rw [dist, meet_comm x a, hm] at this
    rw [← this]
    refine join_le_iff.mpr ⟨?_, ?_⟩
    · exact (le_meet_iff.mp (le_refl (a ⊓ y))).2
    · exact (le_meet_iff.mp (le_refl (x ⊓ y))).2
  exact le_antisymm (key b c hm hj) (key c b hm.symm hj.symm)

def Monotone (f : α → β) : Prop := ∀ {a b : α}, a ≤ b → f a ≤ f b

/-! ## Closure operators -/

structure Closure (α : Type) [Lat α] where
  cl : α → α
  mono : Monotone cl
  extensive : ∀ a, a ≤ cl a
  idem : ∀ a, cl (cl a) = cl a

namespace Closure

instance : CoeFun (Closure α) (fun _ => α → α) := ⟨Closure.cl⟩

def Closed (c : Closure α) (a : α) : Prop := c a = a

/-- The closure of `a` is the least closed element above `a`. -/
theorem cl_le_iff (c : Closure α) {a b : α} (hb : c.Closed b) : c a ≤ b ↔ a ≤ b := by
  constructor
  · exact le_trans (c.extensive a)
  · intro h
    rw [← show c b = b from hb]
    exact c.mono h

theorem closed_meet (c : Closure α) {a b : α} (ha : c.Closed a) (hb : c.Closed b) :
    c.Closed (a ⊓ b) := by
  have h := le_meet_iff.mp (le_refl (a ⊓ b))
  refine le_antisymm (le_meet_iff.mpr ?_) (c.extensive _)
  exact ⟨(c.cl_le_iff ha).mpr h.1, (c.cl_le_iff hb).mpr h.2⟩

theorem cl_join_cl (c : Closure α) (a b : α) : c (c a ⊔ c b) = c (a ⊔ b) := by
  have h := join_le_iff.mp (le_refl (a ⊔ b))
  apply le_antisymm
  · rw [c.cl_le_iff (c.idem _), join_le_iff]
    exact ⟨c.mono h.1, c.mono h.2⟩
  · apply c.mono
    rw [join_le_iff]
    have h' := join_le_iff.mp (le_refl (c a ⊔ c b))
    exact ⟨le_trans (c.extensive a) h'.1, le_trans (c.extensive b) h'.2⟩

/-- A closure operator is determined by its closed elements. -/
theorem ext_of_closed (c d : Closure α) (h : ∀ a, c.Closed a ↔ d.Closed a) (a : α) :
    c a = d a := by
  apply le_antisymm
  · exact (c.cl_le_iff ((h _).mpr (d.idem a))).mpr (d.extensive a)
  · exact (d.cl_le_iff ((h _).mp (c.idem a))).mpr (c.extensive a)

end Closure

/-- A Galois connection between two lattices. -/
def Galois (l : α → β) (u : β → α) : Prop := ∀ a b, l a ≤ b ↔ a ≤ u b

theorem galois_closure {l : α → β} {u : β → α} (h : Galois l u) :
    ∃ c : Closure α, ∀ a, c a = u (l a) := by
  have ext a : a ≤ u (l a) := (h a _).mp (le_refl _)
  have red b : l (u b) ≤ b := (h _ b).mpr (le_refl _)
  have lm : Monotone l := fun {a b} hab => (h a _).mpr (le_trans hab (ext b))
  have um : Monotone u := fun {a b} hab => (h _ b).mp (le_trans (red a) hab)
  exact ⟨⟨fun a => u (l a), fun hab => um (lm hab), ext,
    fun a => le_antisymm (um (red _)) (ext _)⟩, fun _ => rfl⟩

end Lat
