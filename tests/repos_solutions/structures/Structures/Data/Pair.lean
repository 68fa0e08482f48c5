/-!
A pair of values, as a structure.
-/

namespace Structures

structure Pair (α β : Type) where
  fst : α
  snd : β

namespace Pair

variable {α β γ δ : Type}

def swap (x : Pair α β) : Pair β α := ⟨x.snd, x.fst⟩

def map (f : α → γ) (g : β → δ) (x : Pair α β) : Pair γ δ := ⟨f x.fst, g x.snd⟩

def diag (a : α) : Pair α α := ⟨a, a⟩

def assoc (x : Pair (Pair α β) γ) : Pair α (Pair β γ) := ⟨x.fst.fst, ⟨x.fst.snd, x.snd⟩⟩

def assocInv (x : Pair α (Pair β γ)) : Pair (Pair α β) γ := ⟨⟨x.fst, x.snd.fst⟩, x.snd.snd⟩

def Both (p : α → Prop) (q : β → Prop) (x : Pair α β) : Prop := p x.fst ∧ q x.snd

theorem eq_of_parts (x y : Pair α β) (h1 : x.fst = y.fst) (h2 : x.snd = y.snd) : x = y := by
  cases x
  cases y
  simp_all

theorem fst_eq (x y : Pair α β) (h : x = y) : x.fst = y.fst := by
  subst h
  rfl

theorem snd_eq (x y : Pair α β) (h : x = y) : x.snd = y.snd := by
  rw [h]

theorem mk_inj_left (a b : α) (c d : β) (h : Pair.mk a c = Pair.mk b d) : a = b := by
  injection h

theorem mk_inj_right (a b : α) (c d : β) (h : Pair.mk a c = Pair.mk b d) : c = d := by
  injection h

theorem swap_swap (x : Pair α β) : swap (swap x) = x := by
  cases x with
  | mk a b => rfl

theorem swap_fst (x : Pair α β) : (swap x).fst = x.snd := by
  rfl

theorem swap_snd (x : Pair α β) : (swap x).snd = x.fst := by
  rfl

theorem swap_diag (a : α) : swap (diag a) = diag a := by
  rfl

theorem swap_inj (x y : Pair α β) (h : swap x = swap y) : x = y := by
  rw [← swap_swap x, h, swap_swap]

theorem map_parts_id (x : Pair α β) : map (fun a => a) (fun b => b) x = x := by
  cases x with
  | mk a b => rfl

theorem map_swap (f : α → γ) (g : β → δ) (x : Pair α β) : swap (map f g x) = map g f (swap x) := by
  cases x with
  | mk a b => rfl

theorem map_diag (f : α → γ) (a : α) : map f f (diag a) = diag (f a) := by
  rfl

theorem assoc_assocInv (x : Pair α (Pair β γ)) : assoc (assocInv x) = x := by
  cases x with
  | mk a y =>
    cases y with
    | mk b c => rfl

theorem assocInv_assoc (x : Pair (Pair α β) γ) : assocInv (assoc x) = x := by
  cases x with
  | mk y c =>
    cases y with
    | mk a b => rfl

theorem exists_fst (a : α) (b : β) : ∃ x : Pair α β, x.fst = a := by
  exact ⟨⟨a, b⟩, rfl⟩

theorem exists_swap (x : Pair α β) : ∃ y : Pair β α, swap y = x := by
  exists swap x

theorem exists_parts (x : Pair α β) : ∃ a b, x = ⟨a, b⟩ := by
  cases x with
  | mk a b => exact ⟨a, b, rfl⟩

theorem both_swap (p : α → Prop) (q : β → Prop) (x : Pair α β) (h : Both p q x) :
    Both q p (swap x) := by
  constructor
  · exact h.2
  · exact h.1

theorem both_mono (p p' : α → Prop) (q : β → Prop) (h : ∀ a, p a → p' a) (x : Pair α β)
    (h1 : Both p q x) : Both p' q x := by
  constructor
  · apply h
    exact h1.1
  · exact h1.2

theorem both_mono_right (p : α → Prop) (q q' : β → Prop) (h : ∀ b, q b → q' b) (x : Pair α β)
    (h1 : Both p q x) : Both p q' x := by
  constructor
  · exact h1.1
  · apply h
    exact h1.2

theorem both_diag (p : α → Prop) (a : α) (h : p a) : Both p p (diag a) := by
  constructor
  · exact h
  · exact h

theorem both_of_forall (p : α → Prop) (q : β → Prop) (h1 : ∀ a, p a) (h2 : ∀ b, q b)
    (x : Pair α β) : Both p q x := by
  constructor
  · exact h1 x.fst
  · exact h2 x.snd

end Pair

end Structures
