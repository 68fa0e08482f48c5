import Programs.Imp

/-!
Small steps: a program and a store go over into a program and a store, until nothing is left to do. Both semantics
agree, and a run by fuel computes them.
-/

namespace Programs

namespace Com

/-- One step of a program. -/
inductive Small : Com × Store → Com × Store → Prop where
  | assign (x : Var) (a : Arith) (s : Store) : Small (assign x a, s) (skip, s.set x (a.eval s))
  | seqSkip (d : Com) (s : Store) : Small (seq skip d, s) (d, s)
  | seqStep (c c' d : Com) (s s' : Store) (h : Small (c, s) (c', s')) : Small (seq c d, s) (seq c' d, s')
  | condTrue (b : Cond) (c d : Com) (s : Store) (hb : b.eval s = true) : Small (cond b c d, s) (c, s)
  | condFalse (b : Cond) (c d : Com) (s : Store) (hb : b.eval s = false) : Small (cond b c d, s) (d, s)
  | loop (b : Cond) (c : Com) (s : Store) : Small (loop b c, s) (cond b (seq c (loop b c)) skip, s)

/-- Any number of steps. -/
inductive Many : Com × Store → Com × Store → Prop where
  | refl (x : Com × Store) : Many x x
  | step (x y z : Com × Store) (h : Small x y) (rest : Many y z) : Many x z

/-- Nothing is left to do. -/
def Final (x : Com × Store) : Prop := x.1 = skip

section Steps

theorem many_single {x y : Com × Store} (h : Small x y) : Many x y := by
  exact Many.step x y y h (Many.refl y)

theorem many_trans {x y z : Com × Store} (h1 : Many x y) (h2 : Many y z) : Many x z := by
  induction h1 with
  | refl x => exact h2
  | step x w y h _ ih => exact Many.step x w z h (ih h2)

theorem not_small_skip (s : Store) (x : Com × Store) : ¬ Small (skip, s) x := by
  intro h
  cases h

theorem small_deterministic {x y z : Com × Store} (h1 : Small x y) (h2 : Small x z) : y = z := by
  induction h1 generalizing z with
  | assign x a s =>
    cases h2
    rfl
  | seqSkip d s =>
    cases h2 with
    | seqSkip => rfl
    | seqStep _ _ _ _ _ h => exact absurd h (not_small_skip s _)
  | seqStep c c' d s s' h ih =>
    cases h2 with
    | seqSkip => exact absurd h (not_small_skip s _)
    | seqStep _ c'' _ _ s'' h' =>
      have he := ih h'
      injection he with e1 e2
      rw [e1, e2]
  | condTrue b c d s hb =>
    cases h2 with
    | condTrue => rfl
    | condFalse _ _ _ _ hf =>
      rw [hb] at hf
      cases hf
  | condFalse b c d s hb =>
    cases h2 with
    | condTrue _ _ _ _ ht =>
      rw [hb] at ht
      cases ht
    | condFalse => rfl
  | loop b c s =>
    cases h2
    rfl

/-- What is not done can go on. -/
theorem small_progress (c : Com) (s : Store) : c = skip ∨ ∃ x, Small (c, s) x := by
  induction c with
  | skip => exact Or.inl rfl
  | assign x a => exact Or.inr ⟨_, Small.assign x a s⟩
  | seq c d ihc _ =>
    right
    rcases ihc with h | ⟨⟨c', s'⟩, h⟩
    · rw [h]
      exact ⟨_, Small.seqSkip d s⟩
    · exact ⟨_, Small.seqStep c c' d s s' h⟩
  | cond b c d _ _ =>
    right
    cases hb : b.eval s with
    | true => exact ⟨_, Small.condTrue b c d s hb⟩
    | false => exact ⟨_, Small.condFalse b c d s hb⟩
  | loop b c _ => exact Or.inr ⟨_, Small.loop b c s⟩

theorem final_iff_stuck (c : Com) (s : Store) : Final (c, s) ↔ ¬ ∃ x, Small (c, s) x := by
  constructor
  · rintro h ⟨x, hx⟩
    have hc : c = skip := h
    rw [hc] at hx
    exact not_small_skip s x hx
  · intro h
    rcases small_progress c s with h1 | h1
    · exact h1
    · exact absurd h1 h

theorem many_final_unique {x : Com × Store} {s t : Store} (h1 : Many x (skip, s)) (h2 : Many x (skip, t)) :
    s = t := by
  generalize hy : (skip, s) = y at h1
  induction h1 with
  | refl x =>
    rw [← hy] at h2
    cases h2 with
    | refl => rfl
    | step _ w _ h _ => exact absurd h (not_small_skip s w)
  | step x w y h _ ih =>
    apply ih _ hy
    cases h2 with
    | refl => exact absurd h (not_small_skip t w)
    | step _ w' _ h' rest =>
      rw [small_deterministic h h']
      exact rest

theorem many_seq {c c' : Com} {s s' : Store} (d : Com) (h : Many (c, s) (c', s')) :
    Many (seq c d, s) (seq c' d, s') := by
  generalize hx : (c, s) = x at h
  generalize hy : (c', s') = y at h
  induction h generalizing c s with
  | refl x =>
    rw [← hy] at hx
    injection hx with e1 e2
    rw [e1, e2]
    exact Many.refl _
  | step x w y h _ ih =>
    obtain ⟨c1, s1⟩ := w
    rw [← hx] at h
    apply Many.step _ (seq c1 d, s1) _ (Small.seqStep c c1 d s s1 h)
    exact ih rfl hy

theorem many_seq_skip {c d : Com} {s t : Store} {x : Com × Store} (h1 : Many (c, s) (skip, t))
    (h2 : Many (d, t) x) : Many (seq c d, s) x := by
  apply many_trans (many_seq d h1)
  exact Many.step _ (d, t) _ (Small.seqSkip d t) h2

end Steps

section Agreement

theorem many_of_big {c : Com} {s t : Store} (h : Big c s t) : Many (c, s) (skip, t) := by
  induction h with
  | skip s => exact Many.refl _
  | assign x a s => exact many_single (Small.assign x a s)
  | seq c d s t u _ _ ih1 ih2 => exact many_seq_skip ih1 ih2
  | condTrue b c d s t hb _ ih => exact Many.step _ _ _ (Small.condTrue b c d s hb) ih
  | condFalse b c d s t hb _ ih => exact Many.step _ _ _ (Small.condFalse b c d s hb) ih
  | loopTrue b c s t u hb _ _ ih1 ih2 =>
    apply Many.step _ _ _ (Small.loop b c s)
    apply Many.step _ _ _ (Small.condTrue b _ _ s hb)
    exact many_seq_skip ih1 ih2
  | loopFalse b c s hb =>
    apply Many.step _ _ _ (Small.loop b c s)
    exact many_single (Small.condFalse b _ _ s hb)

/-- A step may be put before a big step. -/
theorem big_of_small {c c' : Com} {s s' t : Store} (h1 : Small (c, s) (c', s')) (h2 : Big c' s' t) :
    Big c s t := by
  generalize hx : (c, s) = x at h1
  generalize hy : (c', s') = y at h1
  induction h1 generalizing c c' s s' t with
  | assign x a s0 =>
    cases hx
    cases hy
    rw [big_skip_iff] at h2
    rw [h2]
    exact Big.assign x a s0
  | seqSkip d s0 =>
    cases hx
    cases hy
    exact Big.seq skip d s0 s0 t (Big.skip s0) h2
  | seqStep c0 c1 d s0 s1 h ih =>
    cases hx
    cases hy
    rw [big_seq_iff] at h2
    obtain ⟨u, h3, h4⟩ := h2
    exact Big.seq c0 d s0 u t (ih h3 rfl rfl) h4
  | condTrue b c0 d s0 hb =>
    cases hx
    cases hy
    exact Big.condTrue b c0 d s0 t hb h2
  | condFalse b c0 d s0 hb =>
    cases hx
    cases hy
    exact Big.condFalse b c0 d s0 t hb h2
  | loop b c0 s0 =>
    cases hx
    cases hy
    exact (loop_unfold b c0 s0 t).mpr h2

theorem big_of_many {c : Com} {s t : Store} (h : Many (c, s) (skip, t)) : Big c s t := by
  generalize hx : (c, s) = x at h
  generalize hy : (skip, t) = y at h
  induction h generalizing c s with
  | refl x =>
    rw [← hy] at hx
    injection hx with e1 e2
    rw [e1, e2]
    exact Big.skip t
  | step x w y h _ ih =>
    obtain ⟨c1, s1⟩ := w
    rw [← hx] at h
    exact big_of_small h (ih rfl hy)

/-- Both semantics say the same. -/
theorem big_iff_many (c : Com) (s t : Store) : Big c s t ↔ Many (c, s) (skip, t) := by
  constructor
  · intro h
    exact many_of_big h
  · intro h
    exact big_of_many h

theorem equiv_iff_many (c d : Com) :
    Equiv c d ↔ ∀ s t, Many (c, s) (skip, t) ↔ Many (d, s) (skip, t) := by
  constructor
  · intro h s t
    rw [← big_iff_many, ← big_iff_many]
    exact h s t
  · intro h s t
    rw [big_iff_many, big_iff_many]
    exact h s t

theorem ends_iff_many_final (c : Com) (s : Store) : Ends c s ↔ ∃ x, Many (c, s) x ∧ Final x := by
  constructor
  · rintro ⟨t, ht⟩
    exact ⟨(skip, t), many_of_big ht, rfl⟩
  · rintro ⟨⟨d, t⟩, h1, h2⟩
    have hd : d = skip := h2
    rw [hd] at h1
    exact ⟨t, big_of_many h1⟩

/-- The step that unfolds an endless loop comes back to the loop. -/
theorem loop_yes_skip_cycles (s : Store) :
    ∃ x, Small (loop .yes skip, s) x ∧ Many x (loop .yes skip, s) := by
  refine ⟨_, Small.loop .yes skip s, ?_⟩
  apply Many.step _ _ _ (Small.condTrue .yes _ _ s rfl)
  exact many_single (Small.seqSkip _ s)

theorem small_writes {c c' : Com} {s s' : Store} (h : Small (c, s) (c', s')) {x : Var} (hx : ¬ x ∈ writes c) :
    s'.get x = s.get x := by
  generalize e1 : (c, s) = y at h
  generalize e2 : (c', s') = z at h
  induction h generalizing c c' s s' with
  | assign y a s0 =>
    cases e1
    cases e2
    rw [writes, List.mem_singleton] at hx
    exact Store.get_set_other s0 _ hx
  | seqSkip d s0 =>
    cases e1
    cases e2
    rfl
  | seqStep c0 c1 d s0 s1 h ih =>
    cases e1
    cases e2
    rw [writes, List.mem_append] at hx
    exact ih (fun h1 => hx (Or.inl h1)) rfl rfl
  | condTrue b c0 d s0 hb =>
    cases e1
    cases e2
    rfl
  | condFalse b c0 d s0 hb =>
    cases e1
    cases e2
    rfl
  | loop b c0 s0 =>
    cases e1
    cases e2
    rfl

end Agreement

section Fuel

/-- Run a program; each turn of a loop costs fuel, as does each level of the program. -/
def run : Nat → Com → Store → Option Store
  | 0, _, _ => none
  | _ + 1, skip, s => some s
  | _ + 1, assign x a, s => some (s.set x (a.eval s))
  | n + 1, seq c d, s =>
    match run n c s with
    | none => none
    | some t => run n d t
  | n + 1, cond b c d, s => if b.eval s = true then run n c s else run n d s
  | n + 1, loop b c, s =>
    if b.eval s = true then
      match run n c s with
      | none => none
      | some t => run n (loop b c) t
    else some s

theorem run_seq_eq_some {n : Nat} {c d : Com} {s u : Store} (h : run (n + 1) (seq c d) s = some u) :
    ∃ t, run n c s = some t ∧ run n d t = some u := by
  rw [run] at h
  cases h1 : run n c s with
  | none =>
    rw [h1] at h
    cases h
  | some t =>
    rw [h1] at h
    exact ⟨t, rfl, h⟩

theorem run_loop_eq_some {n : Nat} {b : Cond} {c : Com} {s u : Store} (hb : b.eval s = true)
    (h : run (n + 1) (loop b c) s = some u) : ∃ t, run n c s = some t ∧ run n (loop b c) t = some u := by
  rw [run, if_pos hb] at h
  cases h1 : run n c s with
  | none =>
    rw [h1] at h
    cases h
  | some t =>
    rw [h1] at h
    exact ⟨t, rfl, h⟩

/-- More fuel does no harm. -/
theorem run_succ {n : Nat} {c : Com} {s t : Store} (h : run n c s = some t) : run (n + 1) c s = some t := by
  induction n generalizing c s t with
  | zero => cases h
  | succ n ih =>
    cases c with
    | skip => exact h
    | assign x a => exact h
    | seq c d =>
      obtain ⟨u, h1, h2⟩ := run_seq_eq_some h
      rw [run, ih h1]
      exact ih h2
    | cond b c d =>
      rw [run] at h
      rw [run]
      by_cases hb : b.eval s = true
      · rw [if_pos hb] at h
        rw [if_pos hb]
        exact ih h
      · rw [if_neg hb] at h
        rw [if_neg hb]
        exact ih h
    | loop b c =>
      by_cases hb : b.eval s = true
      · obtain ⟨u, h1, h2⟩ := run_loop_eq_some hb h
        rw [run, if_pos hb, ih h1]
        exact ih h2
      · rw [run, if_neg hb] at h
        rw [run, if_neg hb]
        exact h

theorem run_mono {m n : Nat} (hmn : m ≤ n) {c : Com} {s t : Store} (h : run m c s = some t) :
    run n c s = some t := by
  obtain ⟨k, hk⟩ := Nat.exists_eq_add_of_le hmn
  rw [hk]
  clear hk hmn
  induction k with
  | zero => exact h
  | succ k ih => exact run_succ ih

theorem big_of_run {n : Nat} {c : Com} {s t : Store} (h : run n c s = some t) : Big c s t := by
  induction n generalizing c s t with
  | zero => cases h
  | succ n ih =>
    cases c with
    | skip =>
      injection h with h
      rw [h]
      exact Big.skip t
    | assign x a =>
      injection h with h
      rw [← h]
      exact Big.assign x a s
    | seq c d =>
      obtain ⟨u, h1, h2⟩ := run_seq_eq_some h
      exact Big.seq c d s u t (ih h1) (ih h2)
    | cond b c d =>
      rw [run] at h
      by_cases hb : b.eval s = true
      · rw [if_pos hb] at h
        exact Big.condTrue b c d s t hb (ih h)
      · rw [if_neg hb] at h
        rw [Bool.not_eq_true] at hb
        exact Big.condFalse b c d s t hb (ih h)
    | loop b c =>
      by_cases hb : b.eval s = true
      · obtain ⟨u, h1, h2⟩ := run_loop_eq_some hb h
        exact Big.loopTrue b c s u t hb (ih h1) (ih h2)
      · rw [run, if_neg hb] at h
        injection h with h
        rw [Bool.not_eq_true] at hb
        rw [← h]
        exact Big.loopFalse b c s hb

theorem run_of_big {c : Com} {s t : Store} (h : Big c s t) : ∃ n, run n c s = some t := by
  induction h with
  | skip s => exact ⟨1, rfl⟩
  | assign x a s => exact ⟨1, rfl⟩
  | seq c d s t u _ _ ih1 ih2 =>
    obtain ⟨m, hm⟩ := ih1
    obtain ⟨n, hn⟩ := ih2
    refine ⟨m + n + 1, ?_⟩
    rw [run, run_mono (Nat.le_add_right m n) hm]
    exact run_mono (Nat.le_add_left n m) hn
  | condTrue b c d s t hb _ ih =>
    obtain ⟨n, hn⟩ := ih
    refine ⟨n + 1, ?_⟩
    rw [run, if_pos hb, hn]
  | condFalse b c d s t hb _ ih =>
    obtain ⟨n, hn⟩ := ih
    refine ⟨n + 1, ?_⟩
    rw [run, hb]
    exact hn
  | loopTrue b c s t u hb _ _ ih1 ih2 =>
    obtain ⟨m, hm⟩ := ih1
    obtain ⟨n, hn⟩ := ih2
    refine ⟨m + n + 1, ?_⟩
    rw [run, if_pos hb, run_mono (Nat.le_add_right m n) hm]
    exact run_mono (Nat.le_add_left n m) hn
  | loopFalse b c s hb =>
    refine ⟨1, ?_⟩
    rw [run, hb]
    rfl

theorem big_iff_run (c : Com) (s t : Store) : Big c s t ↔ ∃ n, run n c s = some t := by
  constructor
  · intro h
    exact run_of_big h
  · rintro ⟨n, hn⟩
    exact big_of_run hn

/-- Two runs that succeed give the same, whatever fuel they had. -/
theorem run_agree {m n : Nat} {c : Com} {s t u : Store} (h1 : run m c s = some t) (h2 : run n c s = some u) :
    t = u := by
  apply big_deterministic (big_of_run h1)
  exact big_of_run h2

theorem not_ends_iff_run_none (c : Com) (s : Store) : ¬ Ends c s ↔ ∀ n, run n c s = none := by
  constructor
  · intro h n
    cases hr : run n c s with
    | none => rfl
    | some t => exact absurd ⟨t, big_of_run hr⟩ h
  · rintro h ⟨t, ht⟩
    obtain ⟨n, hn⟩ := run_of_big ht
    rw [h n] at hn
    cases hn

end Fuel

end Com

end Programs
