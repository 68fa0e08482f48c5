/-!
# Combinatory logic

Terms over `S`, `K` and variables, weak reduction, the Church–Rosser theorem by
parallel reduction (Takahashi's method), and bracket abstraction.
-/

inductive Term where
  | S | K
  | var (x : Nat)
  | app (f a : Term)
deriving DecidableEq, Repr

namespace Term
infixl:80 " ⬝ " => Term.app

/-- The identity combinator. -/
def I : Term := S ⬝ K ⬝ K

/-- One step of weak reduction, anywhere in a term. -/
inductive Step : Term → Term → Prop
  | k (x y) : Step (K ⬝ x ⬝ y) x
  | s (x y z) : Step (S ⬝ x ⬝ y ⬝ z) (x ⬝ z ⬝ (y ⬝ z))
  | left {f g} (a) : Step f g → Step (f ⬝ a) (g ⬝ a)
  | right (f) {a b} : Step a b → Step (f ⬝ a) (f ⬝ b)

inductive Steps : Term → Term → Prop
  | refl (t) : Steps t t
  | head {t u v} : Step t u → Steps u v → Steps t v

infix:50 " ⟶ " => Step
infix:50 " ↠ " => Steps

/-- Parallel reduction: contract any set of redexes at once. -/
inductive Par : Term → Term → Prop
  | refl (t) : Par t t
  | app {f g a b} : Par f g → Par a b → Par (f ⬝ a) (g ⬝ b)
  | k {x x'} (y) : Par x x' → Par (K ⬝ x ⬝ y) x'
  | s {x x' y y' z z'} : Par x x' → Par y y' → Par z z' →
      Par (S ⬝ x ⬝ y ⬝ z) (x' ⬝ z' ⬝ (y' ⬝ z'))

/-- The complete development: contract all redexes at once. -/
def dev : Term → Term
  | K ⬝ x ⬝ _ => dev x
  | S ⬝ x ⬝ y ⬝ z => dev x ⬝ dev z ⬝ (dev y ⬝ dev z)
  | f ⬝ a => dev f ⬝ dev a
  | t => t

def Normal (t : Term) : Prop := ∀ u, ¬ t ⟶ u
def subst (x : Nat) (u : Term) : Term → Term
  | var y => if y = x then u else var y
  | f ⬝ a => subst x u f ⬝ subst x u a
  | t => t

/-- Bracket abstraction `[x] t`. -/
def abs (x : Nat) : Term → Term
  | var y => if y = x then I else K ⬝ var y
  | f ⬝ a => S ⬝ abs x f ⬝ abs x a
  | t => K ⬝ t

def Occurs (x : Nat) : Term → Prop
  | var y => y = x
  | f ⬝ a => Occurs x f ∨ Occurs x a
  | _ => False

theorem Steps.trans {t u v : Term} (h₁ : t ↠ u) (h₂ : u ↠ v) : t ↠ v := by
  induction h₁ with
  | refl => exact h₂
  | head h _ ih => exact .head h (ih h₂)

theorem Steps.app {f g a b : Term} (hf : f ↠ g) (ha : a ↠ b) : f ⬝ a ↠ g ⬝ b := by
  induction hf with
  | refl f =>
    induction ha with
    | refl => exact .refl _
    | head h _ ih => exact .head (.right f h) ih
  | head h _ ih => exact .head (.left _ h) ih

theorem I_steps (x : Term) : I ⬝ x ↠ x :=
  .head (.s K K x) (.head (.k x _) (.refl x))

/-- Every term has a fixed point. -/
theorem exists_fixed_point (f : Term) : ∃ t, t ↠ f ⬝ t := by
  let w := S ⬝ (K ⬝ f) ⬝ (S ⬝ I ⬝ I)
  refine ⟨w ⬝ w, .head (.s _ _ _) (.app (.head (.k f w) (.refl f)) ?_)⟩
  exact .head (.s I I w) ((I_steps w).app (I_steps w))

/-! ## Parallel reduction -/

theorem Step.par {t u : Term} (h : t ⟶ u) : Par t u := by
  induction h with
  | k x y => exact .k y (.refl x)
  | s x y z => exact .s (.refl x) (.refl y) (.refl z)
  | left a _ ih => exact .app ih (.refl a)
  | right f _ ih => exact .app (.refl f) ih

theorem Par.steps {t u : Term} (h : Par t u) : t ↠ u := by
  induction h with
  | refl t => exact .refl t
  | app _ _ ih₁ ih₂ => exact ih₁.app ih₂
  | k y _ ih => exact .head (.k _ y) ih
  | s _ _ _ ih₁ ih₂ ih₃ => exact .head (.s _ _ _) ((ih₁.app ih₃).app (ih₂.app ih₃))

theorem Par.inv_K₁ {x u : Term} (h : Par (K ⬝ x) u) : ∃ x', u = K ⬝ x' ∧ Par x x' := by
  cases h with
  | refl => exact ⟨x, rfl, .refl x⟩
  | app hK hx =>
    cases hK; exact ⟨_, rfl, hx⟩

theorem Par.inv_S₂ {x y u : Term} (h : Par (S ⬝ x ⬝ y) u) :
    ∃ x' y', u = S ⬝ x' ⬝ y' ∧ Par x x' ∧ Par y y' := by
  cases h with
  | refl => exact ⟨x, y, rfl, .refl x, .refl y⟩
  | app hf hy =>
    cases hf with
    | refl => exact ⟨x, _, rfl, .refl x, hy⟩
    | app hS hx =>
      cases hS; exact ⟨_, _, rfl, hx, hy⟩

theorem par_dev_self (t : Term) : Par t (dev t) := by
  fun_induction dev t with
  | case1 x y ih => exact .k y ih
  | case2 x y z ih₁ ih₂ ih₃ => exact .s ih₁ ih₃ ih₂
  | case3 f a _ _ ih₁ ih₂ => exact .app ih₁ ih₂
  | case4 t => exact .refl t

/-- The triangle property. -/
theorem Par.dev {t u : Term} (h : Par t u) : Par u (dev t) := by
  induction h with
  | refl t => exact par_dev_self t
  | k y _ ih => exact ih
  | s _ _ _ ih₁ ih₂ ih₃ => exact .app (.app ih₁ ih₃) (.app ih₂ ih₃)
  | @app f g a b hf _ ih₁ ih₂ =>
    unfold Term.dev
    split
    · rename_i e; cases e
      obtain ⟨x', rfl, -⟩ := hf.inv_K₁
      obtain ⟨x'', e, hx⟩ := Par.inv_K₁ (x := x') (u := K ⬝ Term.dev _) ih₁
      cases e
      exact .k b hx
    · rename_i e; cases e
      obtain ⟨x', y', rfl, -, -⟩ := hf.inv_S₂
      obtain ⟨x'', y'', e, hx, hy⟩ :=
        Par.inv_S₂ (x := x') (y := y') (u := S ⬝ Term.dev _ ⬝ Term.dev _) ih₁
      cases e
      exact .s hx hy ih₂
    · rename_i e; cases e
      exact .app ih₁ ih₂
    · rename_i hne; exact (hne f a rfl).elim

theorem diamond {t u v : Term} (h₁ : Par t u) (h₂ : Par t v) :
    ∃ w, Par u w ∧ Par v w :=
  ⟨dev t, h₁.dev, h₂.dev⟩

theorem strip {t u v : Term} (h₁ : Par t u) (h₂ : t ↠ v) : ∃ w, u ↠ w ∧ Par v w := by
  induction h₂ generalizing u with
  | refl => exact ⟨u, .refl u, h₁⟩
  | head h _ ih =>
    obtain ⟨w, hu, hw⟩ := diamond h₁ h.par
    obtain ⟨w', h₃, h₄⟩ := ih hw
    exact ⟨w', hu.steps.trans h₃, h₄⟩

theorem church_rosser {t u v : Term} (h₁ : t ↠ u) (h₂ : t ↠ v) :
    ∃ w, u ↠ w ∧ v ↠ w := by
  induction h₁ generalizing v with
  | refl => exact ⟨v, h₂, .refl v⟩
  | head h _ ih =>
    obtain ⟨w, h₃, h₄⟩ := strip h.par h₂
    obtain ⟨w', h₅, h₆⟩ := ih h₃
    exact ⟨w', h₅, h₄.steps.trans h₆⟩

theorem normal_unique {t u v : Term} (h₁ : t ↠ u) (h₂ : t ↠ v) (hu : Normal u)
    (hv : Normal v) : u = v := by
  obtain ⟨w, hw, hw'⟩ := church_rosser h₁ h₂
  cases hw with
  | head h => exact (hu _ h).elim
  | refl =>
    cases hw' with
    | head h => exact (hv _ h).elim
    | refl => rfl

/-! ## Bracket abstraction -/

theorem abs_beta (x : Nat) (t u : Term) : abs x t ⬝ u ↠ subst x u t := by
  induction t with
  | S => exact .head (.k S u) (.refl S)
  | K => exact .head (.k K u) (.refl K)
  | var y =>
    by_cases h : y = x
    · simpa [abs, subst, h] using I_steps u
    · simpa [abs, subst, h] using Steps.head (.k (var y) u) (.refl _)
  | app f a ih₁ ih₂ => exact .head (.s _ _ u) (ih₁.app ih₂)

theorem not_occurs_abs (x : Nat) (t : Term) : ¬ Occurs x (abs x t) := by
  induction t with
  | S | K => simp [abs, Occurs]
  | var y => by_cases h : y = x <;> simp [abs, Occurs, I, h]
  | app f a ih₁ ih₂ => simp [abs, Occurs, ih₁, ih₂]

end Term
