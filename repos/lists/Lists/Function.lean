import Lists.Opt

/-!
Functions: composition, injective, surjective and invertible functions, iteration.
-/

namespace Lists

variable {α β γ δ : Type}

def comp (g : β → γ) (f : α → β) : α → γ := fun x => g (f x)

def Inj (f : α → β) : Prop := ∀ x y, f x = f y → x = y

def Surj (f : α → β) : Prop := ∀ y, ∃ x, f x = y

def Bij (f : α → β) : Prop := Inj f ∧ Surj f

/-- `g` undoes `f`. -/
def LeftInv (g : β → α) (f : α → β) : Prop := ∀ x, g (f x) = x

def Fixed (f : α → α) (x : α) : Prop := f x = x

def Idem (f : α → α) : Prop := ∀ x, f (f x) = f x

def Involutive (f : α → α) : Prop := ∀ x, f (f x) = x

/-- Apply `f` to `x`, `n` times. -/
def iter (f : α → α) : Nat → α → α
  | 0, x => x
  | n + 1, x => f (iter f n x)

section Composition

theorem comp_apply (g : β → γ) (f : α → β) (x : α) : comp g f x = g (f x) := by
  rfl

theorem comp_assoc (h : γ → δ) (g : β → γ) (f : α → β) :
    comp (comp h g) f = comp h (comp g f) := sorry

theorem comp_id (f : α → β) : comp f (fun x => x) = f := by
  rfl

theorem id_comp (f : α → β) : comp (fun x => x) f = f := by
  funext x
  rfl

theorem comp_const (f : α → β) (a : α) : comp f (fun (_ : γ) => a) = fun _ => f a := by
  funext x
  rfl

theorem mapL_comp (g : β → γ) (f : α → β) (xs : List α) :
    mapL (comp g f) xs = mapL g (mapL f xs) := by
  induction xs with
  | nil => rfl
  | cons x xs ih => simp [mapL, comp, ih]

theorem mapO_comp (g : β → γ) (f : α → β) (o : Option α) :
    mapO (comp g f) o = mapO g (mapO f o) := by
  sorry

theorem comp_congr (g : β → γ) (f f' : α → β) (h : ∀ x, f x = f' x) : comp g f = comp g f' := by
  funext x
  simp only [comp]
  rw [h]

end Composition

section Injective

theorem inj_id : Inj (fun (x : α) => x) := by
  intro x y h
  exact h

theorem inj_comp (g : β → γ) (f : α → β) (h1 : Inj g) (h2 : Inj f) : Inj (comp g f) := by
  intro x y h
  apply h2
  apply h1
  exact h

theorem inj_of_comp (g : β → γ) (f : α → β) (h : Inj (comp g f)) : Inj f := by
  intro x y h1
  apply h
  simp only [comp]
  rw [h1]

theorem inj_succ : Inj (fun (n : Nat) => n + 1) := by
  intro n m h
  injection h

theorem inj_add (k : Nat) : Inj (fun (n : Nat) => n + k) := by
  intro n m h
  simp at h
  exact h

theorem inj_double : Inj (fun (n : Nat) => 2 * n) := by
  intro n m h
  simp only at h
  omega

theorem inj_triple_succ : Inj (fun (n : Nat) => 3 * n + 1) := by
  sorry

theorem inj_not : Inj not := by
  intro x y h
  cases x <;> cases y <;> simp_all

theorem inj_some : Inj (fun (a : α) => some a) := by
  intro x y h
  injection h

theorem inj_cons (a : α) : Inj (fun (xs : List α) => a :: xs) := by
  intro xs ys h
  injection h

theorem inj_singleton : Inj (fun (a : α) => [a]) := by
  sorry

theorem inj_pair_left (b : β) : Inj (fun (a : α) => (a, b)) := by
  intro x y h
  injection h

theorem inj_rev : Inj (fun (xs : List α) => rev xs) := by
  intro xs ys h
  exact rev_inj xs ys h

theorem inj_of_leftInv (g : β → α) (f : α → β) (h : LeftInv g f) : Inj f := by
  intro x y h1
  rw [← h x, h1, h y]

theorem inj_mapO (f : α → β) (h : Inj f) : Inj (mapO f) := by
  intro o1 o2 h1
  cases o1 with
  | none =>
    cases o2 with
    | none => rfl
    | some b => contradiction
  | some a =>
    cases o2 with
    | none => contradiction
    | some b =>
      injection h1 with h2
      rw [h a b h2]

theorem inj_mapL (f : α → β) (h : Inj f) : Inj (mapL f) := by
  sorry

theorem not_inj_const (a : α) (b : β) (c : β) (h : b ≠ c) : ¬ Inj (fun (_ : β) => a) := by
  intro h1
  apply h
  exact h1 b c rfl

end Injective

section Surjective

theorem surj_id : Surj (fun (x : α) => x) := by
  intro y
  exact ⟨y, rfl⟩

theorem surj_comp (g : β → γ) (f : α → β) (h1 : Surj g) (h2 : Surj f) : Surj (comp g f) := by
  intro z
  obtain ⟨y, hy⟩ := h1 z
  obtain ⟨x, hx⟩ := h2 y
  refine ⟨x, ?_⟩
  simp only [comp]
  rw [hx, hy]

theorem surj_of_comp (g : β → γ) (f : α → β) (h : Surj (comp g f)) : Surj g := by
  intro z
  obtain ⟨x, hx⟩ := h z
  exact ⟨f x, hx⟩

theorem surj_fst (b : β) : Surj (fun (y : α × β) => y.1) := by
  intro a
  exact ⟨(a, b), rfl⟩

theorem surj_snd (a : α) : Surj (fun (y : α × β) => y.2) := sorry

theorem surj_not : Surj not := by
  intro y
  refine ⟨!y, ?_⟩
  simp

theorem surj_pred : Surj (fun (n : Nat) => n - 1) := by
  intro n
  refine ⟨n + 1, ?_⟩
  simp

theorem surj_rev : Surj (fun (xs : List α) => rev xs) := by
  intro ys
  refine ⟨rev ys, ?_⟩
  exact rev_rev ys

theorem surj_len : Surj (fun (xs : List Nat) => len xs) := by
  intro n
  refine ⟨rep 0 n, ?_⟩
  exact len_rep 0 n

theorem surj_sumL : Surj sumL := by
  sorry

theorem surj_first : Surj (fun (xs : List α) => first xs) := by
  intro o
  refine ⟨toL o, ?_⟩
  cases o with
  | none => rfl
  | some a => rfl

theorem surj_of_leftInv (g : β → α) (f : α → β) (h : LeftInv g f) : Surj g := by
  sorry

theorem not_surj_succ : ¬ Surj (fun (n : Nat) => n + 1) := by
  intro h
  obtain ⟨n, hn⟩ := h 0
  simp at hn

theorem not_surj_double : ¬ Surj (fun (n : Nat) => 2 * n) := by
  intro h
  obtain ⟨n, hn⟩ := h 1
  simp only at hn
  omega

theorem not_surj_add_two : ¬ Surj (fun (n : Nat) => n + 2) := by
  sorry

theorem bij_id : Bij (fun (x : α) => x) := by
  constructor
  · intro x y h
    exact h
  · intro y
    exact ⟨y, rfl⟩

theorem bij_comp (g : β → γ) (f : α → β) (h1 : Bij g) (h2 : Bij f) : Bij (comp g f) := by
  constructor
  · exact inj_comp g f h1.1 h2.1
  · exact surj_comp g f h1.2 h2.2

theorem bij_rev : Bij (fun (xs : List α) => rev xs) := by
  sorry

theorem bij_not : Bij not := by
  constructor
  · exact inj_not
  · sorry

end Surjective

section Involution

theorem leftInv_id : LeftInv (fun (x : α) => x) (fun x => x) := by
  intro x
  rfl

theorem leftInv_comp (f : α → β) (g : β → α) (f' : β → γ) (g' : γ → β) (h1 : LeftInv g f)
    (h2 : LeftInv g' f') : LeftInv (comp g g') (comp f' f) := by
  intro x
  simp only [comp]
  rw [h2, h1]

theorem leftInv_succ : LeftInv (fun (n : Nat) => n - 1) (fun n => n + 1) := by
  intro n
  simp

theorem leftInv_mapL (g : β → α) (f : α → β) (h : LeftInv g f) : LeftInv (mapL g) (mapL f) := by
  intro xs
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [mapL]
    rw [ih, h]

theorem leftInv_mapO (g : β → α) (f : α → β) (h : LeftInv g f) : LeftInv (mapO g) (mapO f) := by
  sorry

theorem involutive_not : Involutive not := by
  intro x
  cases x with
  | true => rfl
  | false => rfl

theorem involutive_rev : Involutive (fun (xs : List α) => rev xs) := by
  intro xs
  exact rev_rev xs

theorem involutive_inj (f : α → α) (h : Involutive f) : Inj f := by
  intro x y h1
  rw [← h x, h1, h y]

theorem involutive_surj (f : α → α) (h : Involutive f) : Surj f := by
  sorry

theorem involutive_mapL (f : α → α) (h : Involutive f) : Involutive (mapL f) := by
  intro xs
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [mapL]
    rw [ih, h]

theorem idem_id : Idem (fun (x : α) => x) := by
  intro x
  rfl

theorem idem_const (a : α) : Idem (fun (_ : α) => a) := sorry

theorem idem_keep (p : α → Bool) : Idem (fun xs => keep p xs) := by
  intro xs
  exact keep_keep p xs

theorem idem_fixed (f : α → α) (h : Idem f) (x : α) : Fixed f (f x) := by
  exact h x

theorem idem_inj_fixed (f : α → α) (h : Idem f) (h1 : Inj f) (x : α) : Fixed f x := by
  apply h1
  exact h x

theorem idem_surj_fixed (f : α → α) (h : Idem f) (h1 : Surj f) (y : α) : Fixed f y := by
  sorry

theorem fixed_comp (f g : α → α) (x : α) (h1 : Fixed f x) (h2 : Fixed g x) :
    Fixed (comp f g) x := by
  unfold Fixed comp
  rw [h2, h1]

theorem iter_succ (f : α → α) (n : Nat) (x : α) : iter f (n + 1) x = f (iter f n x) := by
  rfl

theorem iter_comm (f : α → α) (n : Nat) (x : α) : iter f n (f x) = f (iter f n x) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [iter]
    rw [ih]

theorem iter_add (f : α → α) (n m : Nat) (x : α) : iter f (n + m) x = iter f n (iter f m x) := by
  induction n with
  | zero => simp [iter]
  | succ n ih =>
    rw [Nat.succ_add]
    simp only [iter]
    rw [ih]

theorem iter_id (n : Nat) (x : α) : iter (fun y => y) n x = x := by
  induction n with
  | zero => rfl
  | succ n ih => simp [iter, ih]

theorem iter_fixed (f : α → α) (n : Nat) (x : α) (h : Fixed f x) : Fixed (iter f n) x := by
  sorry

theorem iter_succ_nat (n m : Nat) : iter (fun k => k + 1) n m = m + n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [iter]
    omega

theorem iter_add_two (n m : Nat) : iter (fun k => k + 2) n m = m + 2 * n := by
  sorry

theorem iter_cons (a : α) (n : Nat) : iter (fun xs => a :: xs) n [] = rep a n := by
  sorry

theorem iter_inj (f : α → α) (n : Nat) (h : Inj f) : Inj (iter f n) := by
  induction n with
  | zero =>
    intro x y h1
    exact h1
  | succ n ih =>
    intro x y h1
    apply ih
    apply h
    exact h1

end Involution

end Lists
