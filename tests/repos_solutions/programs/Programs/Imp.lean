import Programs.Expr

/-!
A small imperative language and its big-step semantics: determinism, equivalent programs, loops that do not end,
variables that a program reads and writes.
-/

namespace Programs

inductive Com where
  | skip
  | assign (x : Var) (a : Arith)
  | seq (c d : Com)
  | cond (b : Cond) (c d : Com)
  | loop (b : Cond) (c : Com)

namespace Com

/-- `Big c s t`: begun in `s`, the program ends in `t`. -/
inductive Big : Com → Store → Store → Prop where
  | skip (s : Store) : Big skip s s
  | assign (x : Var) (a : Arith) (s : Store) : Big (assign x a) s (s.set x (a.eval s))
  | seq (c d : Com) (s t u : Store) (h1 : Big c s t) (h2 : Big d t u) : Big (seq c d) s u
  | condTrue (b : Cond) (c d : Com) (s t : Store) (hb : b.eval s = true) (h : Big c s t) : Big (cond b c d) s t
  | condFalse (b : Cond) (c d : Com) (s t : Store) (hb : b.eval s = false) (h : Big d s t) : Big (cond b c d) s t
  | loopTrue (b : Cond) (c : Com) (s t u : Store) (hb : b.eval s = true) (h1 : Big c s t)
      (h2 : Big (loop b c) t u) : Big (loop b c) s u
  | loopFalse (b : Cond) (c : Com) (s : Store) (hb : b.eval s = false) : Big (loop b c) s s

/-- The program comes to an end. -/
def Ends (c : Com) (s : Store) : Prop := ∃ t, Big c s t

/-- The same ends from the same beginnings. -/
def Equiv (c d : Com) : Prop := ∀ s t, Big c s t ↔ Big d s t

/-- The variables that a program may set. -/
def writes : Com → List Var
  | skip => []
  | assign x _ => [x]
  | seq c d => writes c ++ writes d
  | cond _ c d => writes c ++ writes d
  | loop _ c => writes c

/-- The variables that a program may read. -/
def reads : Com → List Var
  | skip => []
  | assign _ a => a.vars
  | seq c d => reads c ++ reads d
  | cond b c d => b.vars ++ (reads c ++ reads d)
  | loop b c => b.vars ++ reads c

/-- No loop occurs. -/
def LoopFree : Com → Prop
  | skip => True
  | assign _ _ => True
  | seq c d => LoopFree c ∧ LoopFree d
  | cond _ c d => LoopFree c ∧ LoopFree d
  | loop _ _ => False

/-- Fold constants, and drop branches that are never taken. -/
def optimise : Com → Com
  | skip => skip
  | assign x a => assign x a.fold
  | seq c d => seq (optimise c) (optimise d)
  | cond b c d =>
    match b.fold with
    | .yes => optimise c
    | .no => optimise d
    | b' => cond b' (optimise c) (optimise d)
  | loop b c =>
    match b.fold with
    | .no => skip
    | b' => loop b' (optimise c)

section Inversion

theorem big_skip_iff (s t : Store) : Big skip s t ↔ t = s := by
  constructor
  · intro h
    cases h
    rfl
  · intro h
    rw [h]
    exact Big.skip s

theorem big_assign_iff (x : Var) (a : Arith) (s t : Store) : Big (assign x a) s t ↔ t = s.set x (a.eval s) := by
  constructor
  · intro h
    cases h
    rfl
  · intro h
    rw [h]
    exact Big.assign x a s

theorem big_seq_iff (c d : Com) (s u : Store) : Big (seq c d) s u ↔ ∃ t, Big c s t ∧ Big d t u := by
  constructor
  · intro h
    cases h with
    | seq _ _ _ t _ h1 h2 => exact ⟨t, h1, h2⟩
  · rintro ⟨t, h1, h2⟩
    exact Big.seq c d s t u h1 h2

theorem big_cond_iff (b : Cond) (c d : Com) (s t : Store) :
    Big (cond b c d) s t ↔ (b.eval s = true ∧ Big c s t) ∨ (b.eval s = false ∧ Big d s t) := by
  constructor
  · intro h
    cases h with
    | condTrue _ _ _ _ _ hb h => exact Or.inl ⟨hb, h⟩
    | condFalse _ _ _ _ _ hb h => exact Or.inr ⟨hb, h⟩
  · rintro (⟨hb, h⟩ | ⟨hb, h⟩)
    · exact Big.condTrue b c d s t hb h
    · exact Big.condFalse b c d s t hb h

theorem big_loop_iff (b : Cond) (c : Com) (s u : Store) :
    Big (loop b c) s u ↔
      (b.eval s = true ∧ ∃ t, Big c s t ∧ Big (loop b c) t u) ∨ (b.eval s = false ∧ u = s) := by
  constructor
  · intro h
    cases h with
    | loopTrue _ _ _ t _ hb h1 h2 => exact Or.inl ⟨hb, t, h1, h2⟩
    | loopFalse _ _ _ hb => exact Or.inr ⟨hb, rfl⟩
  · rintro (⟨hb, t, h1, h2⟩ | ⟨hb, h⟩)
    · exact Big.loopTrue b c s t u hb h1 h2
    · rw [h]
      exact Big.loopFalse b c s hb

/-- A program has one end at most. -/
theorem big_deterministic {c : Com} {s t u : Store} (h1 : Big c s t) (h2 : Big c s u) : t = u := by
  induction h1 generalizing u with
  | skip s =>
    rw [big_skip_iff] at h2
    exact h2.symm
  | assign x a s =>
    rw [big_assign_iff] at h2
    exact h2.symm
  | seq c d s t v _ _ ihc ihd =>
    rw [big_seq_iff] at h2
    obtain ⟨t', h3, h4⟩ := h2
    rw [← ihc h3] at h4
    exact ihd h4
  | condTrue b c d s t hb _ ih =>
    rw [big_cond_iff] at h2
    rcases h2 with ⟨_, h⟩ | ⟨hf, _⟩
    · exact ih h
    · rw [hb] at hf
      cases hf
  | condFalse b c d s t hb _ ih =>
    rw [big_cond_iff] at h2
    rcases h2 with ⟨hf, _⟩ | ⟨_, h⟩
    · rw [hb] at hf
      cases hf
    · exact ih h
  | loopTrue b c s t v hb _ _ ihc ihl =>
    rw [big_loop_iff] at h2
    rcases h2 with ⟨_, t', h3, h4⟩ | ⟨hf, _⟩
    · rw [← ihc h3] at h4
      exact ihl h4
    · rw [hb] at hf
      cases hf
  | loopFalse b c s hb =>
    rw [big_loop_iff] at h2
    rcases h2 with ⟨hf, _⟩ | ⟨_, h⟩
    · rw [hb] at hf
      cases hf
    · exact h.symm

/-- After a loop its condition is false. -/
theorem loop_exit {b : Cond} {c : Com} {s t : Store} (h : Big (loop b c) s t) : b.eval t = false := by
  generalize hl : loop b c = l at h
  induction h with
  | skip => cases hl
  | assign => cases hl
  | seq => cases hl
  | condTrue => cases hl
  | condFalse => cases hl
  | loopTrue b' c' s t u _ _ _ _ ih =>
    apply ih
    exact hl
  | loopFalse b' c' s hb =>
    injection hl with h1 h2
    rw [h1]
    exact hb

/-- What each turn of a loop keeps, the loop keeps. -/
theorem loop_invariant {b : Cond} {c : Com} {P : Store → Prop}
    (hs : ∀ s t, P s → b.eval s = true → Big c s t → P t) {s t : Store} (h : Big (loop b c) s t) (hp : P s) :
    P t := by
  generalize hl : loop b c = l at h
  induction h with
  | skip => cases hl
  | assign => cases hl
  | seq => cases hl
  | condTrue => cases hl
  | condFalse => cases hl
  | loopTrue b' c' s t u hb h1 _ _ ih =>
    injection hl with e1 e2
    rw [← e1] at hb
    rw [← e2] at h1
    apply ih (hs s t hp hb h1)
    rw [e1, e2]
  | loopFalse b' c' s _ => exact hp

theorem loop_yes_never {c : Com} {s : Store} : ¬ Ends (loop .yes c) s := by
  rintro ⟨t, h⟩
  have h1 := loop_exit h
  cases h1

/-- A loop with a measure that falls ends, when its body does. -/
theorem loop_ends {b : Cond} {c : Com} {P : Store → Prop} (f : Store → Nat)
    (hs : ∀ s, P s → b.eval s = true → ∃ t, Big c s t ∧ P t ∧ f t < f s) (s : Store) (hp : P s) :
    Ends (loop b c) s := by
  have main : ∀ n s, f s < n → P s → Ends (loop b c) s := by
    intro n
    induction n with
    | zero =>
      intro s h
      omega
    | succ n ih =>
      intro s h hp
      cases hb : b.eval s with
      | false => exact ⟨s, Big.loopFalse b c s hb⟩
      | true =>
        obtain ⟨t, h1, h2, h3⟩ := hs s hp hb
        obtain ⟨u, hu⟩ := ih t (by omega) h2
        exact ⟨u, Big.loopTrue b c s t u hb h1 hu⟩
  exact main (f s + 1) s (Nat.lt_succ_self _) hp

theorem loopFree_ends {c : Com} (h : LoopFree c) (s : Store) : Ends c s := by
  induction c generalizing s with
  | skip => exact ⟨s, Big.skip s⟩
  | assign x a => exact ⟨_, Big.assign x a s⟩
  | seq c d ihc ihd =>
    obtain ⟨t, ht⟩ := ihc h.1 s
    obtain ⟨u, hu⟩ := ihd h.2 t
    exact ⟨u, Big.seq c d s t u ht hu⟩
  | cond b c d ihc ihd =>
    cases hb : b.eval s with
    | true =>
      obtain ⟨t, ht⟩ := ihc h.1 s
      exact ⟨t, Big.condTrue b c d s t hb ht⟩
    | false =>
      obtain ⟨t, ht⟩ := ihd h.2 s
      exact ⟨t, Big.condFalse b c d s t hb ht⟩
  | loop b c _ => exact h.elim

end Inversion

section Equivalence

theorem equiv_refl (c : Com) : Equiv c c := by
  intro s t
  exact Iff.rfl

theorem equiv_symm {c d : Com} (h : Equiv c d) : Equiv d c := by
  intro s t
  exact (h s t).symm

theorem equiv_trans {c d e : Com} (h1 : Equiv c d) (h2 : Equiv d e) : Equiv c e := by
  intro s t
  rw [h1 s t, h2 s t]

theorem seq_skip_left (c : Com) : Equiv (seq skip c) c := by
  intro s t
  rw [big_seq_iff]
  constructor
  · rintro ⟨u, h1, h2⟩
    rw [big_skip_iff] at h1
    rw [h1] at h2
    exact h2
  · intro h
    exact ⟨s, Big.skip s, h⟩

theorem seq_skip_right (c : Com) : Equiv (seq c skip) c := by
  intro s t
  rw [big_seq_iff]
  constructor
  · rintro ⟨u, h1, h2⟩
    rw [big_skip_iff] at h2
    rw [h2]
    exact h1
  · intro h
    exact ⟨t, h, Big.skip t⟩

theorem seq_assoc (c d e : Com) : Equiv (seq (seq c d) e) (seq c (seq d e)) := by
  intro s t
  simp only [big_seq_iff]
  constructor
  · rintro ⟨u, ⟨v, h1, h2⟩, h3⟩
    exact ⟨v, h1, u, h2, h3⟩
  · rintro ⟨v, h1, u, h2, h3⟩
    exact ⟨u, ⟨v, h1, h2⟩, h3⟩

theorem seq_congr {c c' d d' : Com} (hc : Equiv c c') (hd : Equiv d d') : Equiv (seq c d) (seq c' d') := by
  intro s t
  rw [big_seq_iff, big_seq_iff]
  constructor
  · rintro ⟨u, h1, h2⟩
    exact ⟨u, (hc s u).mp h1, (hd u t).mp h2⟩
  · rintro ⟨u, h1, h2⟩
    exact ⟨u, (hc s u).mpr h1, (hd u t).mpr h2⟩

theorem cond_congr {b b' : Cond} (hb : ∀ s, b.eval s = b'.eval s) {c c' d d' : Com} (hc : Equiv c c')
    (hd : Equiv d d') : Equiv (cond b c d) (cond b' c' d') := by
  intro s t
  rw [big_cond_iff, big_cond_iff, hb s, hc s t, hd s t]

theorem cond_same (b : Cond) (c : Com) : Equiv (cond b c c) c := by
  intro s t
  rw [big_cond_iff]
  constructor
  · rintro (⟨_, h⟩ | ⟨_, h⟩)
    · exact h
    · exact h
  · intro h
    cases hb : b.eval s with
    | true => exact Or.inl ⟨rfl, h⟩
    | false => exact Or.inr ⟨rfl, h⟩

theorem cond_neg (b : Cond) (c d : Com) : Equiv (cond (.neg b) c d) (cond b d c) := by
  intro s t
  rw [big_cond_iff, big_cond_iff, Cond.eval_neg_iff]
  have h : (Cond.neg b).eval s = false ↔ b.eval s = true := by
    rw [Cond.eval, Bool.not_eq_false']
  rw [h]
  constructor
  · rintro (h1 | h1)
    · exact Or.inr h1
    · exact Or.inl h1
  · rintro (h1 | h1)
    · exact Or.inr h1
    · exact Or.inl h1

/-- What follows a branch may be drawn into both sides. -/
theorem cond_seq (b : Cond) (c d e : Com) : Equiv (seq (cond b c d) e) (cond b (seq c e) (seq d e)) := by
  intro s t
  rw [big_seq_iff, big_cond_iff, big_seq_iff, big_seq_iff]
  constructor
  · rintro ⟨u, h1, h2⟩
    rw [big_cond_iff] at h1
    rcases h1 with ⟨hb, h1⟩ | ⟨hb, h1⟩
    · exact Or.inl ⟨hb, u, h1, h2⟩
    · exact Or.inr ⟨hb, u, h1, h2⟩
  · rintro (⟨hb, u, h1, h2⟩ | ⟨hb, u, h1, h2⟩)
    · exact ⟨u, Big.condTrue b c d s u hb h1, h2⟩
    · exact ⟨u, Big.condFalse b c d s u hb h1, h2⟩

theorem loop_unfold (b : Cond) (c : Com) : Equiv (loop b c) (cond b (seq c (loop b c)) skip) := by
  intro s t
  rw [big_loop_iff, big_cond_iff, big_seq_iff, big_skip_iff]

theorem loop_congr_body {b : Cond} {c c' : Com} (hc : Equiv c c') : Equiv (loop b c) (loop b c') := by
  have one_way : ∀ (d d' : Com), Equiv d d' → ∀ s t, Big (loop b d) s t → Big (loop b d') s t := by
    intro d d' hd s t h
    generalize hl : loop b d = l at h
    induction h with
    | skip => cases hl
    | assign => cases hl
    | seq => cases hl
    | condTrue => cases hl
    | condFalse => cases hl
    | loopTrue b' e s t u hb h1 _ _ ih =>
      have ih := ih hl
      injection hl with e1 e2
      rw [← e1] at hb
      rw [← e2] at h1
      exact Big.loopTrue b d' s t u hb ((hd s t).mp h1) ih
    | loopFalse b' e s hb =>
      injection hl with e1 e2
      rw [← e1] at hb
      exact Big.loopFalse b d' s hb
  intro s t
  exact ⟨one_way c c' hc s t, one_way c' c (equiv_symm hc) s t⟩

theorem loop_congr_cond {b b' : Cond} (hb : ∀ s, b.eval s = b'.eval s) (c : Com) :
    Equiv (loop b c) (loop b' c) := by
  have one_way : ∀ (p q : Cond), (∀ s, p.eval s = q.eval s) → ∀ s t, Big (loop p c) s t → Big (loop q c) s t := by
    intro p q hpq s t h
    generalize hl : loop p c = l at h
    induction h with
    | skip => cases hl
    | assign => cases hl
    | seq => cases hl
    | condTrue => cases hl
    | condFalse => cases hl
    | loopTrue p' e s t u hp h1 _ _ ih =>
      have ih := ih hl
      injection hl with e1 e2
      rw [← e1, hpq s] at hp
      rw [← e2] at h1
      exact Big.loopTrue q c s t u hp h1 ih
    | loopFalse p' e s hp =>
      injection hl with e1 e2
      rw [← e1, hpq s] at hp
      exact Big.loopFalse q c s hp
  intro s t
  exact ⟨one_way b b' hb s t, one_way b' b (fun s => (hb s).symm) s t⟩

theorem loop_no (c : Com) : Equiv (loop .no c) skip := by
  intro s t
  rw [big_loop_iff, big_skip_iff]
  constructor
  · rintro (⟨h, _⟩ | ⟨_, h⟩)
    · cases h
    · exact h
  · intro h
    exact Or.inr ⟨rfl, h⟩

/-- A second run of the same loop does nothing. -/
theorem loop_twice (b : Cond) (c : Com) : Equiv (seq (loop b c) (loop b c)) (loop b c) := by
  intro s t
  rw [big_seq_iff]
  constructor
  · rintro ⟨u, h1, h2⟩
    have hu := loop_exit h1
    rw [big_loop_iff] at h2
    rcases h2 with ⟨hb, _⟩ | ⟨_, h2⟩
    · rw [hu] at hb
      cases hb
    · rw [h2]
      exact h1
  · intro h
    exact ⟨t, h, Big.loopFalse b c t (loop_exit h)⟩

/-- A loop inside a loop with the same condition is one loop. -/
theorem loop_loop (b : Cond) (c : Com) : Equiv (loop b (loop b c)) (loop b c) := by
  intro s t
  constructor
  · intro h
    rw [big_loop_iff] at h
    rcases h with ⟨_, u, h1, h2⟩ | ⟨hb, h⟩
    · have hu := loop_exit h1
      rw [big_loop_iff] at h2
      rcases h2 with ⟨hb, _⟩ | ⟨_, h2⟩
      · rw [hu] at hb
        cases hb
      · rw [h2]
        exact h1
    · rw [h]
      exact Big.loopFalse b c s hb
  · intro h
    cases hb : b.eval s with
    | true => exact Big.loopTrue b _ s t t hb h (Big.loopFalse b _ t (loop_exit h))
    | false =>
      rw [big_loop_iff] at h
      rcases h with ⟨ht, _⟩ | ⟨_, h⟩
      · rw [hb] at ht
        cases ht
      · rw [h]
        exact Big.loopFalse b _ s hb

theorem assign_self (x : Var) : Equiv (assign x (.var x)) skip := by
  intro s t
  rw [big_assign_iff, big_skip_iff, Arith.eval, Store.set_get]

theorem assign_assign (x : Var) (a b : Arith) :
    Equiv (seq (assign x a) (assign x b)) (assign x (Arith.subst x a b)) := by
  intro s t
  rw [big_seq_iff, big_assign_iff, Arith.eval_subst]
  constructor
  · rintro ⟨u, h1, h2⟩
    rw [big_assign_iff] at h1 h2
    rw [h2, h1, Store.set_set]
  · intro h
    refine ⟨_, Big.assign x a s, ?_⟩
    rw [big_assign_iff, h, Store.set_set]

theorem assign_comm {x y : Var} {a b : Arith} (hxy : x ≠ y) (hx : ¬ x ∈ b.vars) (hy : ¬ y ∈ a.vars) :
    Equiv (seq (assign x a) (assign y b)) (seq (assign y b) (assign x a)) := by
  intro s t
  rw [big_seq_iff, big_seq_iff]
  constructor
  · rintro ⟨u, h1, h2⟩
    rw [big_assign_iff] at h1 h2
    rw [h1, Arith.eval_set_fresh hx, Store.set_comm _ _ _ hxy] at h2
    refine ⟨_, Big.assign y b s, ?_⟩
    rw [big_assign_iff, Arith.eval_set_fresh hy, h2]
  · rintro ⟨u, h1, h2⟩
    rw [big_assign_iff] at h1 h2
    rw [h1, Arith.eval_set_fresh hy, Store.set_comm _ _ _ (Ne.symm hxy)] at h2
    refine ⟨_, Big.assign x a s, ?_⟩
    rw [big_assign_iff, Arith.eval_set_fresh hx, h2]

theorem optimise_equiv (c : Com) : Equiv (optimise c) c := by
  induction c with
  | skip => exact equiv_refl skip
  | assign x a =>
    intro s t
    rw [optimise, big_assign_iff, big_assign_iff, Arith.eval_fold]
  | seq c d ihc ihd => exact seq_congr ihc ihd
  | cond b c d ihc ihd =>
    have hb := fun s => Cond.eval_fold s b
    rw [optimise]
    split
    · rename_i h
      rw [h] at hb
      intro s t
      rw [big_cond_iff, ihc s t, ← hb s]
      constructor
      · intro h1
        exact Or.inl ⟨rfl, h1⟩
      · rintro (⟨_, h1⟩ | ⟨h1, _⟩)
        · exact h1
        · cases h1
    · rename_i h
      rw [h] at hb
      intro s t
      rw [big_cond_iff, ihd s t, ← hb s]
      constructor
      · intro h1
        exact Or.inr ⟨rfl, h1⟩
      · rintro (⟨h1, _⟩ | ⟨_, h1⟩)
        · cases h1
        · exact h1
    · exact cond_congr hb ihc ihd
  | loop b c ih =>
    have hb := fun s => Cond.eval_fold s b
    rw [optimise]
    split
    · rename_i h
      rw [h] at hb
      apply equiv_trans (equiv_symm (loop_no c))
      exact loop_congr_cond hb c
    · apply equiv_trans (loop_congr_body ih)
      exact loop_congr_cond hb c

end Equivalence

section Variables

/-- What a program does not write stays as it is. -/
theorem big_unwritten {c : Com} {s t : Store} (h : Big c s t) {x : Var} (hx : ¬ x ∈ writes c) :
    t.get x = s.get x := by
  induction h with
  | skip s => rfl
  | assign y a s =>
    rw [writes, List.mem_singleton] at hx
    exact Store.get_set_other s _ hx
  | seq c d s t u _ _ ih1 ih2 =>
    rw [writes, List.mem_append] at hx
    rw [ih2 (fun h => hx (Or.inr h)), ih1 (fun h => hx (Or.inl h))]
  | condTrue b c d s t _ _ ih =>
    rw [writes, List.mem_append] at hx
    exact ih (fun h => hx (Or.inl h))
  | condFalse b c d s t _ _ ih =>
    rw [writes, List.mem_append] at hx
    exact ih (fun h => hx (Or.inr h))
  | loopTrue b c s t u _ _ _ ih1 ih2 => rw [ih2 hx, ih1 hx]
  | loopFalse b c s _ => rfl

/-- A condition whose variables the body does not write makes a loop that runs never or for ever. -/
theorem loop_constant_cond {b : Cond} {c : Com} (hd : ∀ x, x ∈ b.vars → ¬ x ∈ writes c) {s t : Store}
    (h : Big (loop b c) s t) : t = s := by
  have hw : Store.AgreeOn b.vars s t := by
    intro x hx
    apply Eq.symm
    apply big_unwritten h
    exact hd x hx
  have he := loop_exit h
  rw [← Cond.eval_agree b hw] at he
  rw [big_loop_iff] at h
  rcases h with ⟨hb, _⟩ | ⟨_, h⟩
  · rw [he] at hb
    cases hb
  · exact h

theorem loopFree_optimise {c : Com} (h : LoopFree c) : LoopFree (optimise c) := by
  induction c with
  | skip => trivial
  | assign x a => trivial
  | seq c d ihc ihd => exact ⟨ihc h.1, ihd h.2⟩
  | cond b c d ihc ihd =>
    rw [optimise]
    split
    · exact ihc h.1
    · exact ihd h.2
    · exact ⟨ihc h.1, ihd h.2⟩
  | loop b c _ => exact h.elim

theorem writes_optimise {c : Com} {x : Var} (h : x ∈ writes (optimise c)) : x ∈ writes c := by
  induction c with
  | skip => exact h
  | assign y a => exact h
  | seq c d ihc ihd =>
    rw [optimise, writes, List.mem_append] at h
    rw [writes, List.mem_append]
    exact h.imp ihc ihd
  | cond b c d ihc ihd =>
    rw [writes, List.mem_append]
    rw [optimise] at h
    split at h
    · exact Or.inl (ihc h)
    · exact Or.inr (ihd h)
    · rw [writes, List.mem_append] at h
      exact h.imp ihc ihd
  | loop b c ih =>
    rw [optimise] at h
    split at h
    · cases h
    · exact ih h

/-- A program keeps the variables of a list when it writes none of them. -/
theorem unwritten_agree {c : Com} {s t : Store} (h : Big c s t) {xs : List Var}
    (hx : ∀ x, x ∈ xs → ¬ x ∈ writes c) : Store.AgreeOn xs s t := by
  intro x hmem
  have h1 := hx x hmem
  rw [big_unwritten h h1]

/-- A condition that a program does not touch may be asked before it. -/
theorem cond_after {b : Cond} {c : Com} (hd : ∀ x, x ∈ b.vars → ¬ x ∈ writes c) (d e : Com) :
    Equiv (seq c (cond b d e)) (cond b (seq c d) (seq c e)) := by
  intro s t
  rw [big_seq_iff, big_cond_iff, big_seq_iff, big_seq_iff]
  constructor
  · rintro ⟨u, h1, h2⟩
    have hb := Cond.eval_agree b (unwritten_agree h1 hd)
    rw [big_cond_iff, ← hb] at h2
    rcases h2 with ⟨h3, h4⟩ | ⟨h3, h4⟩
    · exact Or.inl ⟨h3, u, h1, h4⟩
    · exact Or.inr ⟨h3, u, h1, h4⟩
  · rintro (⟨h3, u, h1, h4⟩ | ⟨h3, u, h1, h4⟩)
    · have hb := Cond.eval_agree b (unwritten_agree h1 hd)
      rw [hb] at h3
      exact ⟨u, h1, Big.condTrue b d e u t h3 h4⟩
    · have hb := Cond.eval_agree b (unwritten_agree h1 hd)
      rw [hb] at h3
      exact ⟨u, h1, Big.condFalse b d e u t h3 h4⟩

end Variables

end Com

end Programs
