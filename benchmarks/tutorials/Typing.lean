/-!
# The simply typed lambda calculus with booleans

Church style.  Variables are de Bruijn indices and a context is a list of
types, the innermost binder first.  Evaluation is call by value on closed
terms, so the terms we substitute are closed and need no shifting.
-/

namespace STLC

inductive Ty where
  | bool
  | arrow (dom cod : Ty)
  deriving DecidableEq, Repr

infixr:60 " ⇒ " => Ty.arrow

inductive Tm where
  | var (i : Nat)
  | lam (A : Ty) (body : Tm)
  | app (f a : Tm)
  | lit (b : Bool)
  | ite (c t e : Tm)
  deriving Repr

abbrev Ctx := List Ty

/-- The declarative typing relation. -/
inductive HasType : Ctx → Tm → Ty → Prop where
  | var {Γ i A} : Γ[i]? = some A → HasType Γ (.var i) A
  | lam {Γ A B b} : HasType (A :: Γ) b B → HasType Γ (.lam A b) (A ⇒ B)
  | app {Γ A B f a} : HasType Γ f (A ⇒ B) → HasType Γ a A → HasType Γ (.app f a) B
  | lit {Γ b} : HasType Γ (.lit b) .bool
  | ite {Γ A c t e} : HasType Γ c .bool → HasType Γ t A → HasType Γ e A →
      HasType Γ (.ite c t e) A

notation:40 Γ:41 " ⊢ " t:41 " ∶ " A:41 => HasType Γ t A

/-- The type checker. -/
def infer : Ctx → Tm → Option Ty
  | Γ, .var i => Γ[i]?
  | Γ, .lam A b => (infer (A :: Γ) b).map (A ⇒ ·)
  | Γ, .app f a =>
    match infer Γ f, infer Γ a with
    | some (.arrow A B), some A' => if A = A' then some B else none
    | _, _ => none
  | _, .lit _ => some .bool
  | Γ, .ite c t e =>
    match infer Γ c, infer Γ t, infer Γ e with
    | some .bool, some A, some A' => if A = A' then some A else none
    | _, _, _ => none

/-- Replace the variable `k` by the closed term `v`. -/
def subst (k : Nat) (v : Tm) : Tm → Tm
  | .var i => if i = k then v else .var i
  | .lam A b => .lam A (subst (k + 1) v b)
  | .app f a => .app (subst k v f) (subst k v a)
  | .lit b => .lit b
  | .ite c t e => .ite (subst k v c) (subst k v t) (subst k v e)

inductive Value : Tm → Prop where
  | lam {A b} : Value (.lam A b)
  | lit {b} : Value (.lit b)

inductive Step : Tm → Tm → Prop where
  | beta {A b v} : Value v → Step (.app (.lam A b) v) (subst 0 v b)
  | appL {f f' a} : Step f f' → Step (.app f a) (.app f' a)
  | appR {f a a'} : Value f → Step a a' → Step (.app f a) (.app f a')
  | iteB {b t e} : Step (.ite (.lit b) t e) (if b then t else e)
  | iteC {c c' t e} : Step c c' → Step (.ite c t e) (.ite c' t e)

inductive Steps : Tm → Tm → Prop where
  | refl {t} : Steps t t
  | head {t u w} : Step t u → Steps u w → Steps t w

/-! ## The checker is sound and complete -/

theorem infer_sound {Γ t A} (h : infer Γ t = some A) : Γ ⊢ t ∶ A := by
  fun_induction infer Γ t generalizing A with
  | case1 => exact .var h
  | case2 Γ B b ih =>
    obtain ⟨C, hC, rfl⟩ := Option.map_eq_some_iff.1 h
    exact .lam (ih hC)
  | case3 Γ f a X Y hf ha ihf iha => cases h; exact .app (ihf ‹_›) (iha ‹_›)
  | case6 => cases h; exact .lit
  | case7 => cases h; exact .ite (by grind) (by grind) (by grind)
  | _ => cases h

theorem infer_complete {Γ t A} (h : Γ ⊢ t ∶ A) : infer Γ t = some A := by
  induction h <;> simp_all [infer]

theorem infer_iff {Γ t A} : infer Γ t = some A ↔ (Γ ⊢ t ∶ A) :=
  ⟨infer_sound, infer_complete⟩

theorem type_unique {Γ t A B} (h₁ : Γ ⊢ t ∶ A) (h₂ : Γ ⊢ t ∶ B) : A = B :=
  Option.some.inj ((infer_complete h₁).symm.trans (infer_complete h₂))

/-! ## Weakening and substitution -/

theorem weaken {Γ t A} (h : Γ ⊢ t ∶ A) (Δ : Ctx) : (Γ ++ Δ) ⊢ t ∶ A := by
  induction h with
  | var h =>
    refine .var ?_
    rw [List.getElem?_append_left (List.getElem?_eq_some_iff.1 h).1, h]
  | lam _ ih => exact .lam ih
  | app _ _ ihf iha => exact .app ihf iha
  | lit => exact .lit
  | ite _ _ _ ihc iht ihe => exact .ite ihc iht ihe

theorem subst_typing {v A} (hv : [] ⊢ v ∶ A) {t} {Γ : Ctx} {B} (h : (Γ ++ [A]) ⊢ t ∶ B) :
    Γ ⊢ subst Γ.length v t ∶ B := by
  induction t generalizing Γ B with
  | var i =>
    cases h with
    | var h =>
      unfold subst
      split
      · next e => subst e; simp at h; subst h; exact weaken hv Γ
      · exact .var (by grind)
  | lam C b ih => cases h with | lam h => exact .lam (ih (Γ := C :: Γ) h)
  | app f a ihf iha => cases h with | app hf ha => exact .app (ihf hf) (iha ha)
  | lit b => cases h; exact .lit
  | ite c t e ihc iht ihe =>
    cases h with | ite hc ht he => exact .ite (ihc hc) (iht ht) (ihe he)

/-! ## Safety -/

theorem Steps.trans {t u w} (h₁ : Steps t u) (h₂ : Steps u w) : Steps t w := by
  induction h₁ with
  | refl => exact h₂
  | head s _ ih => exact .head s (ih h₂)

theorem canonical_bool {v} (hv : Value v) (h : [] ⊢ v ∶ .bool) : ∃ b, v = .lit b := by
  cases hv <;> cases h
  exact ⟨_, rfl⟩

theorem canonical_arrow {v A B} (hv : Value v) (h : [] ⊢ v ∶ A ⇒ B) : ∃ b, v = .lam A b := by
  cases hv <;> cases h
  exact ⟨_, rfl⟩

theorem value_no_step {v t} (hv : Value v) : ¬ Step v t := by
  intro h
  cases hv <;> cases h

theorem step_deterministic {t u w} (h₁ : Step t u) (h₂ : Step t w) : u = w := by
  induction h₁ generalizing w with
  | beta hv => cases h₂ with
    | beta => rfl
    | appL h => cases h
    | appR _ h => exact absurd h (value_no_step hv)
  | appL h ih => cases h₂ with
    | beta => cases h
    | appL h' => rw [ih h']
    | appR hv _ => exact absurd h (value_no_step hv)
  | appR hf h ih => cases h₂ with
    | beta hv => exact absurd h (value_no_step hv)
    | appL h' => exact absurd h' (value_no_step hf)
    | appR _ h' => rw [ih h']
  | iteB => cases h₂ with | iteB => rfl | iteC h => cases h
  | iteC h ih => cases h₂ with | iteB => cases h | iteC h' => rw [ih h']

theorem preservation {t t' A} (s : Step t t') (h : [] ⊢ t ∶ A) : [] ⊢ t' ∶ A := by
  induction s generalizing A with
  | beta _ => cases h with | app hf ha => cases hf with | lam hb => exact subst_typing ha hb
  | appL _ ih => cases h with | app hf ha => exact .app (ih hf) ha
  | appR _ _ ih => cases h with | app hf ha => exact .app hf (ih ha)
  | @iteB b _ _ => cases h with | ite _ ht he => cases b <;> assumption
  | iteC _ ih => cases h with | ite hc ht he => exact .ite (ih hc) ht he

theorem progress {t A} (h : [] ⊢ t ∶ A) : Value t ∨ ∃ t', Step t t' := by
  induction t generalizing A with
  | var i => cases h with | var h => simp at h
  | lam _ _ _ => exact .inl .lam
  | lit _ => exact .inl .lit
  | app f a ihf iha =>
    cases h with | app hf ha
    rcases ihf hf with vf | ⟨f', sf⟩
    · obtain ⟨b, rfl⟩ := canonical_arrow vf hf
      rcases iha ha with va | ⟨a', sa⟩
      · exact .inr ⟨_, .beta va⟩
      · exact .inr ⟨_, .appR vf sa⟩
    · exact .inr ⟨_, .appL sf⟩
  | ite c t e ihc _ _ =>
    cases h with | ite hc _ _
    rcases ihc hc with vc | ⟨c', sc⟩
    · obtain ⟨b, rfl⟩ := canonical_bool vc hc
      exact .inr ⟨_, .iteB⟩
    · exact .inr ⟨_, .iteC sc⟩

theorem type_safety {t u A} (h : infer [] t = some A) (s : Steps t u) :
    infer [] u = some A ∧ (Value u ∨ ∃ w, Step u w) := by
  induction s with
  | refl => exact ⟨h, progress (infer_sound h)⟩
  | head s _ ih => exact ih (infer_complete (preservation s (infer_sound h)))

end STLC
