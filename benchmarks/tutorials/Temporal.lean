/-!
# Linear temporal logic

Formulas over atoms `P`, interpreted at a moment of a trace.  A trace is a
function from moments (natural numbers) to states, and a state says which
atoms hold.  Every formula has a negation normal form.
-/

namespace LTL

variable {P : Type}

/-- Formulas; `U` is "until" and `R` its dual "release". -/
inductive Formula (P : Type) where
  | top
  | bot
  | atom (p : P)
  | not (φ : Formula P)
  | and (φ ψ : Formula P)
  | or (φ ψ : Formula P)
  | next (φ : Formula P)
  | U (φ ψ : Formula P)
  | R (φ ψ : Formula P)

abbrev Trace (P : Type) := Nat → P → Prop

/-- `Sat σ i φ`: the formula `φ` holds at moment `i` of the trace `σ`. -/
def Sat (σ : Trace P) (i : Nat) : Formula P → Prop
  | .top => True
  | .bot => False
  | .atom p => σ i p
  | .not φ => ¬ Sat σ i φ
  | .and φ ψ => Sat σ i φ ∧ Sat σ i ψ
  | .or φ ψ => Sat σ i φ ∨ Sat σ i ψ
  | .next φ => Sat σ (i + 1) φ
  | .U φ ψ => ∃ k, i ≤ k ∧ Sat σ k ψ ∧ ∀ j, i ≤ j → j < k → Sat σ j φ
  | .R φ ψ => ∀ k, i ≤ k → Sat σ k ψ ∨ ∃ j, i ≤ j ∧ j < k ∧ Sat σ j φ

notation:40 σ:41 " ⊨[" i "] " φ:41 => Sat σ i φ

def imp (φ ψ : Formula P) : Formula P := .or (.not φ) ψ
/-- Eventually. -/
def F (φ : Formula P) : Formula P := .U .top φ
/-- Always. -/
def G (φ : Formula P) : Formula P := .R .bot φ

/-- The same truth value at each moment of each trace. -/
def Equiv (φ ψ : Formula P) : Prop := ∀ (σ : Trace P) i, (σ ⊨[i] φ) ↔ (σ ⊨[i] ψ)

infix:30 " ≡ₜ " => Equiv

mutual
  /-- Negation normal form. -/
  def nnf : Formula P → Formula P
    | .top => .top
    | .bot => .bot
    | .atom p => .atom p
    | .not φ => neg φ
    | .and φ ψ => .and (nnf φ) (nnf ψ)
    | .or φ ψ => .or (nnf φ) (nnf ψ)
    | .next φ => .next (nnf φ)
    | .U φ ψ => .U (nnf φ) (nnf ψ)
    | .R φ ψ => .R (nnf φ) (nnf ψ)
  /-- Negation normal form of the negation. -/
  def neg : Formula P → Formula P
    | .top => .bot
    | .bot => .top
    | .atom p => .not (.atom p)
    | .not φ => nnf φ
    | .and φ ψ => .or (neg φ) (neg ψ)
    | .or φ ψ => .and (neg φ) (neg ψ)
    | .next φ => .next (neg φ)
    | .U φ ψ => .R (neg φ) (neg ψ)
    | .R φ ψ => .U (neg φ) (neg ψ)
end

/-- Negation is only applied to atoms. -/
def isNNF : Formula P → Bool
  | .top | .bot | .atom _ | .not (.atom _) => true
  | .not _ => false
  | .next φ => isNNF φ
  | .and φ ψ | .or φ ψ | .U φ ψ | .R φ ψ => isNNF φ && isNNF ψ

theorem sat_F (σ : Trace P) (i : Nat) (φ : Formula P) :
    (σ ⊨[i] F φ) ↔ ∃ k, i ≤ k ∧ (σ ⊨[k] φ) := by
  simp [F, Sat]

theorem sat_G (σ : Trace P) (i : Nat) (φ : Formula P) :
    (σ ⊨[i] G φ) ↔ ∀ k, i ≤ k → (σ ⊨[k] φ) := by
  simp [G, Sat]

theorem sat_imp (σ : Trace P) (i : Nat) (φ ψ : Formula P) :
    (σ ⊨[i] imp φ ψ) ↔ ((σ ⊨[i] φ) → (σ ⊨[i] ψ)) := by
  simp only [imp, Sat]; grind

/-! ### Duality -/

theorem not_F (φ : Formula P) : .not (F φ) ≡ₜ G (.not φ) := by
  intro σ i
  rw [sat_G, Sat, sat_F]
  exact ⟨fun h k hk hφ => h ⟨k, hk, hφ⟩, fun h ⟨k, hk, hφ⟩ => h k hk hφ⟩

theorem not_U (φ ψ : Formula P) : .not (.U φ ψ) ≡ₜ .R (.not φ) (.not ψ) := by
  intro σ i
  simp only [Sat]
  constructor
  · intro h k hk
    by_cases hψ : σ ⊨[k] ψ
    · right
      apply Classical.byContradiction
      intro hn
      exact h ⟨k, hk, hψ, fun j hj hjk => Classical.byContradiction fun hφ => hn ⟨j, hj, hjk, hφ⟩⟩
    · exact .inl hψ
  · rintro h ⟨k, hk, hψ, hφ⟩
    rcases h k hk with hn | ⟨j, hj, hjk, hn⟩
    · exact hn hψ
    · exact hn (hφ j hj hjk)

theorem not_R (φ ψ : Formula P) : .not (.R φ ψ) ≡ₜ .U (.not φ) (.not ψ) := by
  intro σ i
  have h := not_congr (not_U (.not φ) (.not ψ) σ i)
  simp only [Sat, Classical.not_not] at h ⊢
  exact h.symm

/-! ### Unfolding -/

theorem U_unfold (φ ψ : Formula P) : .U φ ψ ≡ₜ .or ψ (.and φ (.next (.U φ ψ))) := by
  intro σ i
  simp only [Sat]
  constructor
  · rintro ⟨k, hk, hψ, hφ⟩
    rcases Nat.eq_or_lt_of_le hk with rfl | lt
    · exact .inl hψ
    · exact .inr ⟨hφ i (Nat.le_refl i) lt, k, lt, hψ, fun j hj => hφ j (Nat.le_of_succ_le hj)⟩
  · rintro (hψ | ⟨hi, k, hk, hψ, hφ⟩)
    · exact ⟨i, Nat.le_refl i, hψ, fun j h₁ h₂ => absurd h₁ (Nat.not_le_of_lt h₂)⟩
    · refine ⟨k, Nat.le_of_succ_le hk, hψ, fun j h₁ h₂ => ?_⟩
      rcases Nat.eq_or_lt_of_le h₁ with rfl | lt
      · exact hi
      · exact hφ j lt h₂

theorem G_unfold (φ : Formula P) : G φ ≡ₜ .and φ (.next (G φ)) := by
  intro σ i
  show _ ↔ (σ ⊨[i] φ) ∧ (σ ⊨[i + 1] G φ)
  rw [sat_G, sat_G]
  constructor
  · exact fun h => ⟨h i (Nat.le_refl i), fun k hk => h k (Nat.le_of_succ_le hk)⟩
  · rintro ⟨h₀, h⟩ k hk
    rcases Nat.eq_or_lt_of_le hk with rfl | lt
    · exact h₀
    · exact h k lt

/-! ### Laws of always and eventually -/

theorem G_idem (φ : Formula P) : G (G φ) ≡ₜ G φ := by
  intro σ i
  simp only [sat_G]
  exact ⟨fun h k hk => h k hk k (Nat.le_refl k), fun h k hk l hl => h l (Nat.le_trans hk hl)⟩

/-- What the steps keep holds for ever. -/
theorem G_induction (σ : Trace P) (i : Nat) (φ : Formula P) (h₀ : σ ⊨[i] φ)
    (hs : σ ⊨[i] G (imp φ (.next φ))) : σ ⊨[i] G φ := by
  rw [sat_G] at hs ⊢
  intro k hk
  induction hk with
  | refl => exact h₀
  | step hk ih => exact (sat_imp σ _ φ (.next φ)).1 (hs _ hk) ih

theorem GF_of_FG (σ : Trace P) (i : Nat) (φ : Formula P) (h : σ ⊨[i] F (G φ)) :
    σ ⊨[i] G (F φ) := by
  simp only [sat_F, sat_G] at h ⊢
  obtain ⟨k, _, h⟩ := h
  exact fun l _ => ⟨max k l, Nat.le_max_right k l, h _ (Nat.le_max_left k l)⟩

/-! ### Negation normal form -/

theorem nnf_isNNF (φ : Formula P) : isNNF (nnf φ) = true ∧ isNNF (neg φ) = true := by
  induction φ <;> simp_all [nnf, neg, isNNF]

theorem nnf_neg_correct (φ : Formula P) : (nnf φ ≡ₜ φ) ∧ (neg φ ≡ₜ .not φ) := by
  unfold Equiv
  induction φ with
  | top | bot | atom => simp [nnf, neg, Sat]
  | not φ ih => simp [nnf, neg, Sat, ih] at ih ⊢
  | and φ ψ ih₁ ih₂ | or φ ψ ih₁ ih₂ => simp only [nnf, neg, Sat, ih₁, ih₂]; grind
  | next φ ih => simp_all [nnf, neg, Sat]
  | U φ ψ ih₁ ih₂ =>
    refine ⟨fun σ i => by simp only [nnf, Sat, ih₁.1, ih₂.1], fun σ i => ?_⟩
    rw [not_U φ ψ σ i, neg, Sat, Sat]
    simp only [ih₁.2, ih₂.2]
  | R φ ψ ih₁ ih₂ =>
    refine ⟨fun σ i => by simp only [nnf, Sat, ih₁.1, ih₂.1], fun σ i => ?_⟩
    rw [not_R φ ψ σ i, neg, Sat, Sat]
    simp only [ih₁.2, ih₂.2]

/-- Every formula is equivalent to one in negation normal form. -/
theorem exists_nnf (φ : Formula P) : ∃ ψ, isNNF ψ = true ∧ (ψ ≡ₜ φ) :=
  ⟨nnf φ, (nnf_isNNF φ).1, (nnf_neg_correct φ).1⟩

end LTL
