/- Hoare logic (partial correctness) for a while language: it is sound and complete. -/

namespace Imp

abbrev State := String → Int

def State.set (s : State) (x : String) (n : Int) : State :=
  fun y => if y = x then n else s y

notation s "[" x " ↦ " n "]" => State.set s x n

/-- Commands; expressions are embedded as functions of the state. -/
inductive Com where
  | skip
  | assign (x : String) (e : State → Int)
  | seq (c d : Com)
  | ite (b : State → Prop) (c d : Com)
  | loop (b : State → Prop) (c : Com)

open Com

infixr:60 " ;; " => Com.seq

inductive Run : Com → State → State → Prop where
  | skip {s} : Run skip s s
  | assign {x e s} : Run (assign x e) s (s[x ↦ e s])
  | seq {c d s t u} : Run c s t → Run d t u → Run (c ;; d) s u
  | iteT {b : State → Prop} {c d s t} : b s → Run c s t → Run (ite b c d) s t
  | iteF {b : State → Prop} {c d s t} : ¬ b s → Run d s t → Run (ite b c d) s t
  | loopT {b : State → Prop} {c s t u} :
      b s → Run c s t → Run (loop b c) t u → Run (loop b c) s u
  | loopF {b : State → Prop} {c s} : ¬ b s → Run (loop b c) s s

abbrev Assn := State → Prop

/-- Semantic validity of a triple. -/
def Valid (P : Assn) (c : Com) (Q : Assn) : Prop :=
  ∀ s t, P s → Run c s t → Q t

/-- The proof system. -/
inductive Triple : Assn → Com → Assn → Prop where
  | skip {P} : Triple P skip P
  | assign {P : Assn} {x e} : Triple (fun s => P (s[x ↦ e s])) (assign x e) P
  | seq {P Q R c d} : Triple P c Q → Triple Q d R → Triple P (c ;; d) R
  | ite {P Q : Assn} {b c d} : Triple (fun s => P s ∧ b s) c Q →
      Triple (fun s => P s ∧ ¬ b s) d Q → Triple P (ite b c d) Q
  | loop {P : Assn} {b c} : Triple (fun s => P s ∧ b s) c P →
      Triple P (loop b c) (fun s => P s ∧ ¬ b s)
  | conseq {P P' Q Q' : Assn} {c} : (∀ s, P s → P' s) → Triple P' c Q' →
      (∀ s, Q' s → Q s) → Triple P c Q

/-- The weakest liberal precondition. -/
def wp (c : Com) (Q : Assn) : Assn := fun s => ∀ t, Run c s t → Q t

/-- The variables that a command may change. -/
def assigned : Com → List String
  | skip => []
  | assign x _ => [x]
  | c ;; d => assigned c ++ assigned d
  | .ite _ c d => assigned c ++ assigned d
  | loop _ c => assigned c

theorem set_other (s : State) {x y : String} (n : Int) (h : y ≠ x) : (s[x ↦ n]) y = s y := by
  simp [State.set, h]

theorem run_seq_iff {c d : Com} {s u : State} :
    Run (c ;; d) s u ↔ ∃ t, Run c s t ∧ Run d t u := by
  constructor
  · rintro (_ | _)
    exact ⟨_, ‹_›, ‹_›⟩
  · rintro ⟨t, h₁, h₂⟩
    exact .seq h₁ h₂

theorem loop_unfold {b : State → Prop} {c : Com} {s t : State} :
    Run (loop b c) s t ↔ Run (ite b (c ;; loop b c) skip) s t := by
  constructor
  · intro h
    cases h with
    | loopT hb h₁ h₂ => exact .iteT hb (.seq h₁ h₂)
    | loopF hb => exact .iteF hb .skip
  · intro h
    cases h with
    | iteT hb h =>
      obtain ⟨u, h₁, h₂⟩ := run_seq_iff.mp h
      exact .loopT hb h₁ h₂
    | iteF hb h => cases h; exact .loopF hb

theorem run_deterministic {c : Com} {s t t' : State} (h : Run c s t) (h' : Run c s t') :
    t = t' := by
  induction h generalizing t' with
  | skip | assign => cases h'; rfl
  | seq _ _ ih₁ ih₂ =>
    cases h' with
    | seq h₁ h₂ => cases ih₁ h₁; exact ih₂ h₂
  | iteT hb _ ih =>
    cases h' <;> first | contradiction | exact ih ‹_›
  | iteF hn _ ih =>
    cases h' <;> first | contradiction | exact ih ‹_›
  | loopT hb _ _ ih₁ ih₂ =>
    cases h' with
    | loopT _ h₁ h₂ => cases ih₁ h₁; exact ih₂ h₂
    | loopF hn => exact absurd hb hn
  | loopF hn =>
    cases h' with
    | loopT hb _ _ => exact absurd hb hn
    | loopF _ => rfl

theorem run_loop_exit {b : State → Prop} {c : Com} {s t : State} (h : Run (loop b c) s t) :
    ¬ b t := by
  generalize hw : loop b c = w at h
  induction h with
  | skip | assign | seq | iteT | iteF => cases hw
  | loopT _ _ _ _ ih => exact ih hw
  | loopF hb => cases hw; exact hb

theorem loop_true_diverges (c : Com) (s t : State) : ¬ Run (loop (fun _ => True) c) s t :=
  fun h => run_loop_exit h trivial

theorem run_unassigned {c : Com} {s t : State} (h : Run c s t) {x : String}
    (hx : x ∉ assigned c) : t x = s x := by
  induction h with
  | skip | loopF => rfl
  | assign => exact set_other _ _ (by simpa [assigned] using hx)
  | seq _ _ ih₁ ih₂ =>
    simp only [assigned, List.mem_append, not_or] at hx
    rw [ih₂ hx.2, ih₁ hx.1]
  | iteT _ _ ih => exact ih fun h => hx (List.mem_append_left _ h)
  | iteF _ _ ih => exact ih fun h => hx (List.mem_append_right _ h)
  | loopT _ _ _ ih₁ ih₂ => rw [ih₂ hx, ih₁ hx]

theorem wp_seq (c d : Com) (Q : Assn) (s : State) :
    wp (c ;; d) Q s ↔ wp c (wp d Q) s := by
  constructor
  · intro h t h₁ u h₂
    exact h u (.seq h₁ h₂)
  · intro h u hu
    obtain ⟨t, h₁, h₂⟩ := run_seq_iff.mp hu
    exact h t h₁ u h₂

theorem wp_loop (b : State → Prop) (c : Com) (Q : Assn) (s : State) :
    wp (loop b c) Q s ↔ (b s → wp c (wp (loop b c) Q) s) ∧ (¬ b s → Q s) := by
  constructor
  · intro h
    exact ⟨fun hb t h₁ u h₂ => h u (.loopT hb h₁ h₂), fun hb => h s (.loopF hb)⟩
  · rintro ⟨h₁, h₂⟩ t ht
    cases ht with
    | loopT hb r₁ r₂ => exact h₁ hb _ r₁ _ r₂
    | loopF hb => exact h₂ hb

theorem valid_iff_wp (P : Assn) (c : Com) (Q : Assn) :
    Valid P c Q ↔ ∀ s, P s → wp c Q s :=
  ⟨fun h s hs t ht => h s t hs ht, fun h s t hs ht => h s hs t ht⟩

theorem valid_loop {P : Assn} {b : State → Prop} {c : Com}
    (h : Valid (fun s => P s ∧ b s) c P) : Valid P (loop b c) (fun s => P s ∧ ¬ b s) := by
  intro s t hs ht
  generalize hw : loop b c = w at ht
  induction ht with
  | skip | assign | seq | iteT | iteF => cases hw
  | loopT hb h₁ _ _ ih => cases hw; exact ih (h _ _ ⟨hs, hb⟩ h₁) rfl
  | loopF hb => cases hw; exact ⟨hs, hb⟩

/-- Soundness of Hoare logic. -/
theorem triple_sound {P : Assn} {c : Com} {Q : Assn} (h : Triple P c Q) : Valid P c Q := by
  induction h with
  | skip | assign => intro s t hs ht; cases ht; exact hs
  | seq _ _ ih₁ ih₂ =>
    intro s u hs hu
    obtain ⟨t, h₁, h₂⟩ := run_seq_iff.mp hu
    exact ih₂ _ _ (ih₁ _ _ hs h₁) h₂
  | ite _ _ ih₁ ih₂ =>
    intro s t hs ht
    cases ht with
    | iteT hb h => exact ih₁ _ _ ⟨hs, hb⟩ h
    | iteF hb h => exact ih₂ _ _ ⟨hs, hb⟩ h
  | loop _ ih => exact valid_loop ih
  | conseq hP _ hQ ih => exact fun s t hs ht => hQ t (ih s t (hP s hs) ht)

/-- The weakest precondition is derivable. -/
theorem triple_wp (c : Com) (Q : Assn) : Triple (wp c Q) c Q := by
  induction c generalizing Q with
  | skip => exact .conseq (fun s h => h s .skip) .skip (fun _ h => h)
  | assign x e => exact .conseq (fun s h => h _ .assign) .assign (fun _ h => h)
  | seq c d ihc ihd =>
    exact .conseq (fun s h => (wp_seq c d Q s).mp h) (.seq (ihc _) (ihd Q)) (fun _ h => h)
  | ite b c d ihc ihd =>
    refine .ite ?_ ?_
    · exact .conseq (fun s h t ht => h.1 t (.iteT h.2 ht)) (ihc Q) (fun _ h => h)
    · exact .conseq (fun s h t ht => h.1 t (.iteF h.2 ht)) (ihd Q) (fun _ h => h)
  | loop b c ih =>
    refine .conseq (fun _ h => h) (.loop (.conseq ?_ (ih _) (fun _ h => h))) ?_
    · exact fun s h => ((wp_loop b c Q s).mp h.1).1 h.2
    · exact fun s h => ((wp_loop b c Q s).mp h.1).2 h.2

/-- Soundness and completeness. -/
theorem triple_iff_valid (P : Assn) (c : Com) (Q : Assn) : Triple P c Q ↔ Valid P c Q :=
  ⟨triple_sound, fun h => .conseq ((valid_iff_wp P c Q).mp h) (triple_wp c Q) (fun _ h => h)⟩

end Imp
