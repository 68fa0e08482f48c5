import Logic.Quantifiers

/-!
Binary relations on a type, as functions into `Prop`.
-/

namespace Logic

/-- A relation on one type. -/
def Rel (α : Type) := α → α → Prop

namespace Rel

variable {α : Type}

def Refl (r : Rel α) : Prop := ∀ x, r x x

def Irrefl (r : Rel α) : Prop := ∀ x, ¬ r x x

def Symm (r : Rel α) : Prop := ∀ x y, r x y → r y x

def Asymm (r : Rel α) : Prop := ∀ x y, r x y → ¬ r y x

def Trans (r : Rel α) : Prop := ∀ x y z, r x y → r y z → r x z

def Serial (r : Rel α) : Prop := ∀ x, ∃ y, r x y

/-- The relation read from right to left. -/
def inv (r : Rel α) : Rel α := fun x y => r y x

def inter (r s : Rel α) : Rel α := fun x y => r x y ∧ s x y

def union (r s : Rel α) : Rel α := fun x y => r x y ∨ s x y

def comp (r s : Rel α) : Rel α := fun x z => ∃ y, r x y ∧ s y z

def Sub (r s : Rel α) : Prop := ∀ x y, r x y → s x y

variable (r s t : Rel α)

theorem inv_refl (h : Refl r) : Refl (inv r) := by
  intro x
  exact h x

theorem inv_irrefl (h : Irrefl r) : Irrefl (inv r) := by
  intro x h1
  exact h x h1

theorem inv_symm (h : Symm r) : Symm (inv r) := by
  intro x y h1
  exact h y x h1

theorem inv_asymm (h : Asymm r) : Asymm (inv r) := by
  sorry

theorem inv_trans (h : Trans r) : Trans (inv r) := by
  intro x y z h1 h2
  exact h z y x h2 h1

theorem inv_inv : inv (inv r) = r := by
  rfl

theorem inter_refl (h1 : Refl r) (h2 : Refl s) : Refl (inter r s) := by
  intro x
  constructor
  · exact h1 x
  · exact h2 x

theorem inter_symm (h1 : Symm r) (h2 : Symm s) : Symm (inter r s) := by
  intro x y h
  constructor
  · exact h1 x y h.1
  · exact h2 x y h.2

theorem inter_trans (h1 : Trans r) (h2 : Trans s) : Trans (inter r s) := by
  sorry

theorem inter_irrefl (h1 : Irrefl r) : Irrefl (inter r s) := by
  intro x h
  exact h1 x h.1

theorem union_refl (h1 : Refl r) : Refl (union r s) := by
  intro x
  left
  exact h1 x

theorem union_refl_right (h1 : Refl s) : Refl (union r s) := sorry

theorem union_symm (h1 : Symm r) (h2 : Symm s) : Symm (union r s) := by
  intro x y h
  cases h with
  | inl h3 =>
    left
    exact h1 x y h3
  | inr h3 =>
    right
    exact h2 x y h3

theorem union_irrefl (h1 : Irrefl r) (h2 : Irrefl s) : Irrefl (union r s) := by
  intro x h
  cases h with
  | inl h3 => exact h1 x h3
  | inr h3 => exact h2 x h3

theorem comp_refl (h1 : Refl r) (h2 : Refl s) : Refl (comp r s) := by
  intro x
  exists x
  constructor
  · exact h1 x
  · exact h2 x

theorem comp_serial (h1 : Serial r) (h2 : Serial s) : Serial (comp r s) := by
  intro x
  obtain ⟨y, hy⟩ := h1 x
  obtain ⟨z, hz⟩ := h2 y
  exact ⟨z, y, hy, hz⟩

theorem sub_refl : Sub r r := by
  intro x y h
  exact h

theorem sub_trans (h1 : Sub r s) (h2 : Sub s t) : Sub r t := by
  intro x y h
  apply h2
  apply h1
  exact h

theorem sub_inv (h : Sub r s) : Sub (inv r) (inv s) := by
  sorry

theorem inter_sub_left : Sub (inter r s) r := by
  intro x y h
  exact h.1

theorem inter_sub_right : Sub (inter r s) s := sorry

theorem sub_inter (h1 : Sub t r) (h2 : Sub t s) : Sub t (inter r s) := by
  intro x y h
  constructor
  · exact h1 x y h
  · exact h2 x y h

theorem sub_union_left : Sub r (union r s) := by
  intro x y h
  left
  exact h

theorem sub_union_right : Sub s (union r s) := by
  intro x y h
  right
  exact h

theorem union_sub (h1 : Sub r t) (h2 : Sub s t) : Sub (union r s) t := by
  sorry

theorem sub_refl_mono (h : Sub r s) (h1 : Refl r) : Refl s := by
  intro x
  apply h
  exact h1 x

theorem sub_irrefl_mono (h : Sub r s) (h1 : Irrefl s) : Irrefl r := by
  sorry

theorem sub_serial_mono (h : Sub r s) (h1 : Serial r) : Serial s := by
  intro x
  obtain ⟨y, hy⟩ := h1 x
  exists y
  exact h x y hy

theorem comp_mono (u : Rel α) (h1 : Sub r t) (h2 : Sub s u) : Sub (comp r s) (comp t u) := by
  intro x z h
  obtain ⟨y, h3, h4⟩ := h
  exists y
  constructor
  · exact h1 x y h3
  · exact h2 y z h4

theorem comp_assoc_sub : Sub (comp (comp r s) t) (comp r (comp s t)) := by
  intro x w h
  obtain ⟨z, h1, h2⟩ := h
  obtain ⟨y, h3, h4⟩ := h1
  exact ⟨y, h3, z, h4, h2⟩

theorem comp_inv_sub : Sub (inv (comp r s)) (comp (inv s) (inv r)) := by
  intro x z h
  obtain ⟨y, h1, h2⟩ := h
  exact ⟨y, h2, h1⟩

theorem trans_comp_sub (h : Trans r) : Sub (comp r r) r := by
  intro x z h1
  obtain ⟨y, h2, h3⟩ := h1
  exact h x y z h2 h3

theorem comp_sub_trans (h : Sub (comp r r) r) : Trans r := by
  intro x y z h1 h2
  apply h
  exact ⟨y, h1, h2⟩

theorem asymm_irrefl (h : Asymm r) : Irrefl r := by
  intro x h1
  exact h x x h1 h1

theorem irrefl_trans_asymm (h1 : Irrefl r) (h2 : Trans r) : Asymm r := by
  sorry

theorem refl_serial (h : Refl r) : Serial r := by
  intro x
  exists x
  exact h x

theorem symm_trans_serial_refl (h1 : Symm r) (h2 : Trans r) (h3 : Serial r) : Refl r := by
  intro x
  obtain ⟨y, hy⟩ := h3 x
  apply h2 x y x
  · exact hy
  · exact h1 x y hy

theorem symm_sub_inv (h : Symm r) : Sub r (inv r) := by
  intro x y h1
  exact h x y h1

theorem symm_inv_sub (h : Symm r) : Sub (inv r) r := by
  intro x y h1
  exact h y x h1

end Rel

end Logic
