import Programs.SmallStep

/-!
Hoare triples, of partial and of total correctness: the rules are sound, weakest preconditions complete them, and small
programs are verified with them.
-/

namespace Programs

/-- A statement about stores. -/
abbrev Claim := Store → Prop

namespace Hoare

open Com

/-- If `P` holds before and the program ends, `Q` holds after. -/
def Triple (P : Claim) (c : Com) (Q : Claim) : Prop := ∀ s t, P s → Big c s t → Q t

/-- If `P` holds before, the program ends, with `Q`. -/
def Total (P : Claim) (c : Com) (Q : Claim) : Prop := ∀ s, P s → ∃ t, Big c s t ∧ Q t

/-- What has to hold before for `Q` to hold after. -/
def wp (c : Com) (Q : Claim) : Claim := fun s => ∀ t, Big c s t → Q t

/-- The states that the program can end in. -/
def sp (P : Claim) (c : Com) : Claim := fun t => ∃ s, P s ∧ Big c s t

/-- The rules as a calculus. -/
inductive Provable : Claim → Com → Claim → Prop where
  | skip (P : Claim) : Provable P skip P
  | assign (x : Var) (a : Arith) (Q : Claim) : Provable (fun s => Q (s.set x (a.eval s))) (assign x a) Q
  | seq (P Q R : Claim) (c d : Com) (h1 : Provable P c Q) (h2 : Provable Q d R) : Provable P (seq c d) R
  | cond (P Q : Claim) (b : Cond) (c d : Com) (h1 : Provable (fun s => P s ∧ b.eval s = true) c Q)
      (h2 : Provable (fun s => P s ∧ b.eval s = false) d Q) : Provable P (cond b c d) Q
  | loop (P : Claim) (b : Cond) (c : Com) (h : Provable (fun s => P s ∧ b.eval s = true) c P) :
      Provable P (loop b c) (fun s => P s ∧ b.eval s = false)
  | weaken (P P' Q Q' : Claim) (c : Com) (hp : ∀ s, P s → P' s) (h : Provable P' c Q') (hq : ∀ s, Q' s → Q s) :
      Provable P c Q

section Rules

theorem triple_skip (P : Claim) : Triple P skip P := by
  intro s t hp h
  rw [big_skip_iff] at h
  rw [h]
  exact hp

theorem triple_assign (x : Var) (a : Arith) (Q : Claim) :
    Triple (fun s => Q (s.set x (a.eval s))) (assign x a) Q := by
  intro s t hp h
  rw [big_assign_iff] at h
  rw [h]
  exact hp

theorem triple_seq {P Q R : Claim} {c d : Com} (h1 : Triple P c Q) (h2 : Triple Q d R) :
    Triple P (seq c d) R := by
  intro s t hp h
  rw [big_seq_iff] at h
  obtain ⟨u, hc, hd⟩ := h
  exact h2 u t (h1 s u hp hc) hd

theorem triple_cond {P Q : Claim} {b : Cond} {c d : Com} (h1 : Triple (fun s => P s ∧ b.eval s = true) c Q)
    (h2 : Triple (fun s => P s ∧ b.eval s = false) d Q) : Triple P (cond b c d) Q := by
  intro s t hp h
  rw [big_cond_iff] at h
  rcases h with ⟨hb, h⟩ | ⟨hb, h⟩
  · exact h1 s t ⟨hp, hb⟩ h
  · exact h2 s t ⟨hp, hb⟩ h

theorem triple_loop {P : Claim} {b : Cond} {c : Com} (h : Triple (fun s => P s ∧ b.eval s = true) c P) :
    Triple P (loop b c) (fun s => P s ∧ b.eval s = false) := by
  intro s t hp hl
  constructor
  · apply loop_invariant _ hl hp
    intro u v hu hb hc
    exact h u v ⟨hu, hb⟩ hc
  · exact loop_exit hl

theorem triple_weaken {P P' Q Q' : Claim} {c : Com} (hp : ∀ s, P s → P' s) (h : Triple P' c Q')
    (hq : ∀ s, Q' s → Q s) : Triple P c Q := by
  intro s t hs hc
  apply hq
  exact h s t (hp s hs) hc

theorem triple_and {P Q Q' : Claim} {c : Com} (h1 : Triple P c Q) (h2 : Triple P c Q') :
    Triple P c (fun s => Q s ∧ Q' s) := by
  intro s t hp h
  exact ⟨h1 s t hp h, h2 s t hp h⟩

theorem triple_or {P P' Q : Claim} {c : Com} (h1 : Triple P c Q) (h2 : Triple P' c Q) :
    Triple (fun s => P s ∨ P' s) c Q := by
  rintro s t (hp | hp) h
  · exact h1 s t hp h
  · exact h2 s t hp h

theorem triple_exists {ι : Type} {P : ι → Claim} {Q : Claim} {c : Com} (h : ∀ i, Triple (P i) c Q) :
    Triple (fun s => ∃ i, P i s) c Q := by
  rintro s t ⟨i, hi⟩ hc
  exact h i s t hi hc

/-- What the program does not write may be carried along. -/
theorem triple_frame {P Q R : Claim} {c : Com} {xs : List Var} (h : Triple P c Q)
    (hR : ∀ s t, Store.AgreeOn xs s t → R s → R t) (hx : ∀ x, x ∈ xs → ¬ x ∈ writes c) :
    Triple (fun s => P s ∧ R s) c (fun s => Q s ∧ R s) := by
  rintro s t ⟨hp, hr⟩ hc
  constructor
  · exact h s t hp hc
  · apply hR s t _ hr
    exact unwritten_agree hc hx

theorem triple_equiv {P Q : Claim} {c d : Com} (he : Equiv c d) (h : Triple P c Q) : Triple P d Q := by
  intro s t hp hd
  apply h s t hp
  exact (he s t).mpr hd

theorem triple_never {P Q : Claim} (c : Com) : Triple P (loop .yes c) Q := by
  intro s t _ h
  exact absurd ⟨t, h⟩ loop_yes_never

/-- A triple is a statement about small steps, too. -/
theorem triple_iff_many (P Q : Claim) (c : Com) :
    Triple P c Q ↔ ∀ s t, P s → Many (c, s) (skip, t) → Q t := by
  constructor
  · intro h s t hp hm
    exact h s t hp (big_of_many hm)
  · intro h s t hp hb
    exact h s t hp (many_of_big hb)

/-- Programs are equivalent when they have the same triples. -/
theorem equiv_iff_triples (c d : Com) : Equiv c d ↔ ∀ P Q, Triple P c Q ↔ Triple P d Q := by
  constructor
  · intro h P Q
    constructor
    · intro ht
      exact triple_equiv h ht
    · intro ht
      exact triple_equiv (equiv_symm h) ht
  · intro h s t
    have h1 := h (fun u => u = s) (fun u => Big d s u)
    have h2 := h (fun u => u = s) (fun u => Big c s u)
    constructor
    · intro hc
      apply h1.mpr _ s t rfl hc
      intro u v hu hd
      rw [hu] at hd
      exact hd
    · intro hd
      apply h2.mp _ s t rfl hd
      intro u v hu hc
      rw [hu] at hc
      exact hc

end Rules

section Weakest

theorem triple_iff_wp (P Q : Claim) (c : Com) : Triple P c Q ↔ ∀ s, P s → wp c Q s := by
  constructor
  · intro h s hp t hc
    exact h s t hp hc
  · intro h s t hp hc
    exact h s hp t hc

theorem triple_iff_sp (P Q : Claim) (c : Com) : Triple P c Q ↔ ∀ t, sp P c t → Q t := by
  constructor
  · rintro h t ⟨s, hp, hc⟩
    exact h s t hp hc
  · intro h s t hp hc
    exact h t ⟨s, hp, hc⟩

theorem wp_seq (c d : Com) (Q : Claim) : wp (seq c d) Q = wp c (wp d Q) := by
  funext s
  apply propext
  constructor
  · intro h t hc u hd
    apply h
    exact Big.seq c d s t u hc hd
  · intro h u hcd
    rw [big_seq_iff] at hcd
    obtain ⟨t, hc, hd⟩ := hcd
    exact h t hc u hd

theorem wp_assign (x : Var) (a : Arith) (Q : Claim) : wp (assign x a) Q = fun s => Q (s.set x (a.eval s)) := by
  funext s
  apply propext
  constructor
  · intro h
    apply h
    exact Big.assign x a s
  · intro h t ht
    rw [big_assign_iff] at ht
    rw [ht]
    exact h

theorem wp_cond (b : Cond) (c d : Com) (Q : Claim) :
    wp (cond b c d) Q = fun s => if b.eval s = true then wp c Q s else wp d Q s := by
  funext s
  apply propext
  by_cases hb : b.eval s = true
  · simp only [hb, if_true]
    constructor
    · intro h t hc
      apply h
      exact Big.condTrue b c d s t hb hc
    · intro h t hc
      rw [big_cond_iff] at hc
      rcases hc with ⟨_, hc⟩ | ⟨hf, _⟩
      · exact h t hc
      · rw [hb] at hf
        cases hf
  · rw [if_neg hb]
    have hf : b.eval s = false := by
      rw [← Bool.not_eq_true]
      exact hb
    constructor
    · intro h t hd
      apply h
      exact Big.condFalse b c d s t hf hd
    · intro h t hd
      rw [big_cond_iff] at hd
      rcases hd with ⟨ht, _⟩ | ⟨_, hd⟩
      · exact absurd ht hb
      · exact h t hd

theorem wp_and (c : Com) (Q R : Claim) : wp c (fun s => Q s ∧ R s) = fun s => wp c Q s ∧ wp c R s := by
  funext s
  apply propext
  constructor
  · intro h
    constructor
    · intro t hc
      exact (h t hc).1
    · intro t hc
      exact (h t hc).2
  · rintro ⟨h1, h2⟩ t hc
    exact ⟨h1 t hc, h2 t hc⟩

theorem wp_mono {c : Com} {Q R : Claim} (h : ∀ s, Q s → R s) (s : Store) (hw : wp c Q s) : wp c R s := by
  intro t hc
  apply h
  exact hw t hc

/-- Because programs are deterministic, a program that ends makes one of two claims or the other true. -/
theorem wp_or_of_ends {c : Com} {s : Store} (he : Ends c s) {Q R : Claim} (h : wp c (fun t => Q t ∨ R t) s) :
    wp c Q s ∨ wp c R s := by
  obtain ⟨t, ht⟩ := he
  rcases h t ht with hq | hr
  · left
    intro u hu
    rw [big_deterministic hu ht]
    exact hq
  · right
    intro u hu
    rw [big_deterministic hu ht]
    exact hr

theorem wp_loop (b : Cond) (c : Com) (Q : Claim) (s : Store) :
    wp (loop b c) Q s ↔ if b.eval s = true then wp c (wp (loop b c) Q) s else Q s := by
  by_cases hb : b.eval s = true
  · rw [if_pos hb]
    constructor
    · intro h t hc u hl
      apply h
      exact Big.loopTrue b c s t u hb hc hl
    · intro h u hl
      rw [big_loop_iff] at hl
      rcases hl with ⟨_, t, hc, hl⟩ | ⟨hf, _⟩
      · exact h t hc u hl
      · rw [hb] at hf
        cases hf
  · rw [if_neg hb]
    have hf : b.eval s = false := by
      rw [← Bool.not_eq_true]
      exact hb
    constructor
    · intro h
      apply h
      exact Big.loopFalse b c s hf
    · intro h u hl
      rw [big_loop_iff] at hl
      rcases hl with ⟨ht, _⟩ | ⟨_, hu⟩
      · exact absurd ht hb
      · rw [hu]
        exact h

end Weakest

section Calculus

theorem provable_sound {P Q : Claim} {c : Com} (h : Provable P c Q) : Triple P c Q := by
  induction h with
  | skip P => exact triple_skip P
  | assign x a Q => exact triple_assign x a Q
  | seq P Q R c d _ _ ih1 ih2 => exact triple_seq ih1 ih2
  | cond P Q b c d _ _ ih1 ih2 => exact triple_cond ih1 ih2
  | loop P b c _ ih => exact triple_loop ih
  | weaken P P' Q Q' c hp _ hq ih => exact triple_weaken hp ih hq

theorem provable_wp (c : Com) (Q : Claim) : Provable (wp c Q) c Q := by
  induction c generalizing Q with
  | skip =>
    apply Provable.weaken _ Q Q Q skip _ (Provable.skip Q)
    · intro s h
      exact h
    · intro s h
      exact h s (Big.skip s)
  | assign x a =>
    rw [wp_assign]
    exact Provable.assign x a Q
  | seq c d ihc ihd =>
    rw [wp_seq]
    exact Provable.seq _ (wp d Q) Q c d (ihc (wp d Q)) (ihd Q)
  | cond b c d ihc ihd =>
    rw [wp_cond]
    apply Provable.cond
    · apply Provable.weaken _ (wp c Q) Q Q c _ (ihc Q) (fun s h => h)
      rintro s ⟨h, hb⟩
      rw [if_pos hb] at h
      exact h
    · apply Provable.weaken _ (wp d Q) Q Q d _ (ihd Q) (fun s h => h)
      rintro s ⟨h, hb⟩
      rw [if_neg (by rw [hb]; exact Bool.false_ne_true)] at h
      exact h
  | loop b c ih =>
    have hbody : Provable (fun s => wp (loop b c) Q s ∧ b.eval s = true) c (wp (loop b c) Q) := by
      apply Provable.weaken _ (wp c (wp (loop b c) Q)) _ _ c _ (ih _) (fun s h => h)
      rintro s ⟨h, hb⟩
      rw [wp_loop, if_pos hb] at h
      exact h
    apply Provable.weaken _ _ Q _ _ (fun s h => h) (Provable.loop _ b c hbody)
    rintro s ⟨h, hb⟩
    exact h s (Big.loopFalse b c s hb)

/-- The calculus proves every triple that holds. -/
theorem provable_complete {P Q : Claim} {c : Com} (h : Triple P c Q) : Provable P c Q := by
  apply Provable.weaken P (wp c Q) Q Q c _ (provable_wp c Q)
  · intro s hs
    exact hs
  · intro s hp
    rw [triple_iff_wp] at h
    exact h s hp

theorem provable_iff (P Q : Claim) (c : Com) : Provable P c Q ↔ Triple P c Q := by
  constructor
  · intro h
    exact provable_sound h
  · intro h
    exact provable_complete h

theorem provable_never (P Q : Claim) (c : Com) : Provable P (loop .yes c) Q := by
  apply provable_complete
  exact triple_never c

end Calculus

section TotalCorrectness

theorem total_iff (P Q : Claim) (c : Com) : Total P c Q ↔ Triple P c Q ∧ ∀ s, P s → Ends c s := by
  constructor
  · intro h
    constructor
    · intro s t hp hc
      obtain ⟨u, hu, hq⟩ := h s hp
      rw [big_deterministic hc hu]
      exact hq
    · intro s hp
      obtain ⟨t, ht, _⟩ := h s hp
      exact ⟨t, ht⟩
  · rintro ⟨h1, h2⟩ s hp
    obtain ⟨t, ht⟩ := h2 s hp
    exact ⟨t, ht, h1 s t hp ht⟩

theorem total_seq {P Q R : Claim} {c d : Com} (h1 : Total P c Q) (h2 : Total Q d R) : Total P (seq c d) R := by
  intro s hp
  obtain ⟨t, hc, hq⟩ := h1 s hp
  obtain ⟨u, hd, hr⟩ := h2 t hq
  exact ⟨u, Big.seq c d s t u hc hd, hr⟩

theorem total_assign (x : Var) (a : Arith) (Q : Claim) :
    Total (fun s => Q (s.set x (a.eval s))) (assign x a) Q := by
  intro s hp
  exact ⟨_, Big.assign x a s, hp⟩

theorem total_weaken {P P' Q Q' : Claim} {c : Com} (hp : ∀ s, P s → P' s) (h : Total P' c Q')
    (hq : ∀ s, Q' s → Q s) : Total P c Q := by
  intro s hs
  obtain ⟨t, hc, ht⟩ := h s (hp s hs)
  exact ⟨t, hc, hq t ht⟩

/-- The rule for loops: a claim that is kept and a number that falls. -/
theorem total_loop {P : Claim} {b : Cond} {c : Com} (f : Store → Nat)
    (h : ∀ n, Total (fun s => P s ∧ b.eval s = true ∧ f s = n) c (fun s => P s ∧ f s < n)) :
    Total P (loop b c) (fun s => P s ∧ b.eval s = false) := by
  rw [total_iff]
  constructor
  · apply triple_loop
    rintro s t ⟨hp, hb⟩ hc
    obtain ⟨u, hu, hq, _⟩ := h (f s) s ⟨hp, hb, rfl⟩
    rw [big_deterministic hc hu]
    exact hq
  · intro s hp
    apply loop_ends f _ s hp
    intro u hu hb
    obtain ⟨v, hv, hq, hlt⟩ := h (f u) u ⟨hu, hb, rfl⟩
    exact ⟨v, hv, hq, hlt⟩

theorem not_total_never (P Q : Claim) (c : Com) (s : Store) (hp : P s) : ¬ Total P (loop .yes c) Q := by
  intro h
  obtain ⟨t, ht, _⟩ := h s hp
  exact loop_yes_never ⟨t, ht⟩

theorem total_loopFree {P Q : Claim} {c : Com} (hc : LoopFree c) (h : Triple P c Q) : Total P c Q := by
  rw [total_iff]
  refine ⟨h, ?_⟩
  intro s _
  exact loopFree_ends hc s

end TotalCorrectness

section Examples

/-- Exchange two variables by a third one. -/
def exchange (x y z : Var) : Com := seq (assign z (.var x)) (seq (assign x (.var y)) (assign y (.var z)))

theorem exchange_correct {x y z : Var} (hx : z ≠ x) (hy : z ≠ y) (m n : Nat) :
    Triple (fun s => s.get x = m ∧ s.get y = n) (exchange x y z) (fun s => s.get x = n ∧ s.get y = m) := by
  rintro s t ⟨h1, h2⟩ h
  unfold exchange at h
  rw [big_seq_iff] at h
  obtain ⟨u, hu, h⟩ := h
  rw [big_seq_iff] at h
  obtain ⟨v, hv, h⟩ := h
  rw [big_assign_iff, Arith.eval] at hu hv h
  have huy : u.get y = n := by
    rw [hu, Store.get_set_other _ _ (Ne.symm hy)]
    exact h2
  have huz : u.get z = m := by
    rw [hu, Store.get_set_same]
    exact h1
  have hvz : v.get z = m := by
    rw [hv, Store.get_set_other _ _ hx]
    exact huz
  constructor
  · by_cases hxy : x = y
    · rw [h, hxy, Store.get_set_same, hvz, ← h1, ← h2, hxy]
    · rw [h, Store.get_set_other _ _ hxy, hv, Store.get_set_same]
      exact huy
  · rw [h, Store.get_set_same]
    exact hvz

/-- Add `x` to `y` by single steps: `while 0 < x do x := x - 1; y := y + 1`. -/
def addLoop (x y : Var) : Com :=
  loop (.less (.const 0) (.var x))
    (seq (assign x (.minus (.var x) (.const 1))) (assign y (.plus (.var y) (.const 1))))

theorem addLoop_correct {x y : Var} (hxy : x ≠ y) (n : Nat) :
    Total (fun s => s.get x + s.get y = n) (addLoop x y) (fun s => s.get x = 0 ∧ s.get y = n) := by
  have hl : Total (fun s => s.get x + s.get y = n) (addLoop x y)
      (fun s => s.get x + s.get y = n ∧ Cond.eval s (.less (.const 0) (.var x)) = false) := by
    apply total_loop (fun s => s.get x)
    rintro k s ⟨hs, hb, hk⟩
    rw [Cond.eval_less_iff, Arith.eval, Arith.eval] at hb
    refine ⟨_, Big.seq _ _ _ _ _ (Big.assign x _ s) (Big.assign y _ _), ?_, ?_⟩
    · rw [Store.get_set_other _ _ hxy, Store.get_set_same, Store.get_set_same]
      simp only [Arith.eval]
      rw [Store.get_set_other _ _ (Ne.symm hxy)]
      omega
    · rw [Store.get_set_other _ _ hxy, Store.get_set_same]
      simp only [Arith.eval]
      omega
  apply total_weaken _ hl
  · rintro s ⟨hs, hb⟩
    rw [Cond.eval_less_false_iff, Arith.eval, Arith.eval] at hb
    omega
  · intro s hs
    exact hs

/-- Put the larger of two values into a third variable. -/
def larger (x y z : Var) : Com := cond (.less (.var x) (.var y)) (assign z (.var y)) (assign z (.var x))

theorem larger_correct {x y z : Var} (hx : x ≠ z) (hy : y ≠ z) :
    Total (fun _ => True) (larger x y z) (fun s => s.get z = max (s.get x) (s.get y)) := by
  intro s _
  cases hb : Cond.eval s (.less (.var x) (.var y)) with
  | true =>
    refine ⟨_, Big.condTrue _ _ _ _ _ hb (Big.assign z _ s), ?_⟩
    rw [Cond.eval_less_iff, Arith.eval, Arith.eval] at hb
    show (s.set z _).get z = max ((s.set z _).get x) ((s.set z _).get y)
    rw [Store.get_set_same, Store.get_set_other _ _ hx, Store.get_set_other _ _ hy, Arith.eval]
    omega
  | false =>
    refine ⟨_, Big.condFalse _ _ _ _ _ hb (Big.assign z _ s), ?_⟩
    rw [Cond.eval_less_false_iff, Arith.eval, Arith.eval] at hb
    show (s.set z _).get z = max ((s.set z _).get x) ((s.set z _).get y)
    rw [Store.get_set_same, Store.get_set_other _ _ hx, Store.get_set_other _ _ hy, Arith.eval]
    omega

end Examples

end Hoare

end Programs
