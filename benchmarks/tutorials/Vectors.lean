/-! # Vectors of a given length, functions on `Fin n`, and lists in a subtype -/

inductive Vec (α : Type) : Nat → Type where
  | nil : Vec α 0
  | cons {n : Nat} (a : α) (v : Vec α n) : Vec α (n + 1)

namespace Vec

variable {α β γ : Type} {n m : Nat}

infixr:67 " ::ᵥ " => Vec.cons

def head : Vec α (n + 1) → α
  | a ::ᵥ _ => a

def tail : Vec α (n + 1) → Vec α n
  | _ ::ᵥ v => v

def get : {n : Nat} → Vec α n → Fin n → α
  | _ + 1, a ::ᵥ _, ⟨0, _⟩ => a
  | _ + 1, _ ::ᵥ v, ⟨i + 1, h⟩ => v.get ⟨i, Nat.lt_of_succ_lt_succ h⟩

instance : CoeFun (Vec α n) (fun _ => Fin n → α) := ⟨get⟩

def ofFn : {n : Nat} → (Fin n → α) → Vec α n
  | 0, _ => nil
  | _ + 1, f => f 0 ::ᵥ ofFn (fun i => f i.succ)

def map (f : α → β) : {n : Nat} → Vec α n → Vec β n
  | _, nil => nil
  | _, a ::ᵥ v => f a ::ᵥ v.map f

def zipWith (f : α → β → γ) : {n : Nat} → Vec α n → Vec β n → Vec γ n
  | _, nil, nil => nil
  | _, a ::ᵥ v, b ::ᵥ w => f a b ::ᵥ zipWith f v w

def snoc : {n : Nat} → Vec α n → α → Vec α (n + 1)
  | _, nil, b => b ::ᵥ nil
  | _, a ::ᵥ v, b => a ::ᵥ v.snoc b

def toList : {n : Nat} → Vec α n → List α
  | _, nil => []
  | _, a ::ᵥ v => a :: v.toList

instance : CoeOut (Vec α n) (List α) := ⟨toList⟩

theorem eq_nil (v : Vec α 0) : v = nil := by
  cases v
  rfl

theorem exists_cons (v : Vec α (n + 1)) : ∃ a w, v = a ::ᵥ w := by
  cases v with
  | cons a w => exact ⟨a, w, rfl⟩

theorem cons_head_tail (v : Vec α (n + 1)) : v.head ::ᵥ v.tail = v := by
  obtain ⟨a, w, rfl⟩ := exists_cons v
  rfl

theorem cons_inj {a b : α} {v w : Vec α n} : a ::ᵥ v = b ::ᵥ w ↔ a = b ∧ v = w := by
  constructor
  · intro h
    cases h
    exact ⟨rfl, rfl⟩
  · rintro ⟨rfl, rfl⟩
    rfl

/-! ## Components -/

theorem ext {v w : Vec α n} (h : ∀ i, v i = w i) : v = w := by
  induction v with
  | nil => exact (eq_nil w).symm
  | cons a v ih =>
    obtain ⟨b, w, rfl⟩ := exists_cons w
    exact cons_inj.mpr ⟨h 0, ih fun i => h i.succ⟩

theorem get_ofFn (f : Fin n → α) (i : Fin n) : ofFn f i = f i := by
  induction n with
  | zero => exact i.elim0
  | succ n ih =>
    cases i using Fin.cases with
    | zero => rfl
    | succ i => exact ih (fun i => f i.succ) i

theorem ofFn_get (v : Vec α n) : ofFn (fun i => v i) = v :=
  ext fun i => get_ofFn _ i

theorem ofFn_injective {f g : Fin n → α} (h : ofFn f = ofFn g) : f = g := by
  funext i
  rw [← get_ofFn f, h, get_ofFn]

theorem get_map (f : α → β) (v : Vec α n) (i : Fin n) : v.map f i = f (v i) := by
  induction v with
  | nil => exact i.elim0
  | cons a v ih =>
    cases i using Fin.cases with
    | zero => rfl
    | succ i => exact ih i

theorem map_map (g : β → γ) (f : α → β) (v : Vec α n) : (v.map f).map g = v.map (g ∘ f) := by
  apply ext
  intro i
  simp [get_map]

theorem zipWith_comm {f : α → α → β} (hf : ∀ a b, f a b = f b a) (v w : Vec α n) :
    zipWith f v w = zipWith f w v := by
  induction v with
  | nil => cases w; rfl
  | cons a v ih =>
    obtain ⟨b, w, rfl⟩ := exists_cons w
    exact cons_inj.mpr ⟨hf a b, ih w⟩

theorem snoc_last (v : Vec α n) (a : α) : v.snoc a (Fin.last n) = a := by
  induction v with
  | nil => rfl
  | cons b v ih => exact ih

/-! ## Lists -/

theorem length_toList (v : Vec α n) : (v : List α).length = n := by
  induction v with
  | nil => rfl
  | cons a v ih => exact congrArg (· + 1) ih

theorem toList_injective {v w : Vec α n} (h : (v : List α) = w) : v = w := by
  induction v with
  | nil => exact (eq_nil w).symm
  | cons a v ih =>
    obtain ⟨b, w, rfl⟩ := exists_cons w
    obtain ⟨hab, hvw⟩ := List.cons.inj h
    exact cons_inj.mpr ⟨hab, ih hvw⟩

theorem snoc_toList (v : Vec α n) (a : α) : (v.snoc a : List α) = ↑v ++ [a] := by
  induction v with
  | nil => rfl
  | cons b v ih => exact congrArg (b :: ·) ih

abbrev ListOf (α : Type) (n : Nat) := {l : List α // l.length = n}

theorem exists_toList (l : ListOf α n) : ∃ v : Vec α n, (v : List α) = l := by
  obtain ⟨l, rfl⟩ := l
  induction l with
  | nil => exact ⟨nil, rfl⟩
  | cons a l ih =>
    obtain ⟨v, hv⟩ := ih
    exact ⟨a ::ᵥ v, congrArg (a :: ·) hv⟩

def toListOf (v : Vec α n) : ListOf α n := ⟨v, length_toList v⟩

theorem toListOf_bijective :
    (∀ v w : Vec α n, v.toListOf = w.toListOf → v = w) ∧
      ∀ l : ListOf α n, ∃ v : Vec α n, v.toListOf = l := by
  constructor
  · intro v w h
    exact toList_injective (congrArg Subtype.val h)
  · intro l
    obtain ⟨v, hv⟩ := exists_toList l
    exact ⟨v, Subtype.ext hv⟩

end Vec
