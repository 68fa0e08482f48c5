/-! A package that MiniMathlib needs. -/

theorem MiniBatteries.and_swap {p q : Prop} (h : p ∧ q) : q ∧ p := by
  exact ⟨h.2, h.1⟩
