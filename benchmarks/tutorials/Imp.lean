/-! # A small imperative language: big-step semantics, and an interpreter with fuel -/

namespace Imp

abbrev State := String → Nat

def State.update (s : State) (x : String) (n : Nat) : State := fun y => if y = x then n else s y

notation s "[" x " ↦ " n "]" => State.update s x n

inductive AExp where
  | num (n : Nat)
  | var (x : String)
  | sub (a b : AExp)

def AExp.eval (s : State) : AExp → Nat
  | num n => n
  | var x => s x
  | sub a b => a.eval s - b.eval s

/-- Commands; a condition is true when it is not zero. -/
inductive Com where
  | skip | assign (x : String) (a : AExp) | seq (c d : Com)
  | ite (a : AExp) (c d : Com)
  | loop (a : AExp) (c : Com)

infixr:60 " ;; " => Com.seq

inductive BigStep : Com → State → State → Prop where
  | skip {s} : BigStep .skip s s
  | assign {x a s} : BigStep (.assign x a) s (s[x ↦ a.eval s])
  | seq {c d s t u} : BigStep c s t → BigStep d t u → BigStep (c ;; d) s u
  | iteTrue {a c d s t} : a.eval s ≠ 0 → BigStep c s t → BigStep (.ite a c d) s t
  | iteFalse {a c d s t} : a.eval s = 0 → BigStep d s t → BigStep (.ite a c d) s t
  | loopTrue {a c s t u} :
    a.eval s ≠ 0 → BigStep c s t → BigStep (.loop a c) t u → BigStep (.loop a c) s u
  | loopFalse {a c s} : a.eval s = 0 → BigStep (.loop a c) s s

notation:45 s:46 " =[" c "]=> " t:46 => BigStep c s t

def Equiv (c d : Com) : Prop := ∀ s t, (s =[c]=> t) ↔ (s =[d]=> t)

infix:50 " ≃ " => Equiv

theorem update_same (s : State) (x : String) (n : Nat) : (s[x ↦ n]) x = n := if_pos rfl

theorem update_shadow (s : State) (x : String) (m n : Nat) : s[x ↦ m][x ↦ n] = s[x ↦ n] := by
  funext y; unfold State.update; split <;> rfl

theorem update_self (s : State) (x : String) : s[x ↦ s x] = s := by
  funext y; unfold State.update; split <;> simp [*]

theorem skip_seq (c : Com) : .skip ;; c ≃ c :=
  fun _ _ => ⟨fun (.seq .skip h) => h, fun h => .seq .skip h⟩

theorem loop_unfold (a : AExp) (c : Com) : .loop a c ≃ .ite a (c ;; .loop a c) .skip := by
  intro s t
  constructor
  · exact fun
    | .loopTrue ha h k => .iteTrue ha (.seq h k)
    | .loopFalse ha => .iteFalse ha .skip
  · exact fun | .iteTrue ha (.seq h k) => .loopTrue ha h k | .iteFalse ha .skip => .loopFalse ha

theorem loop_exit {a : AExp} {c : Com} {s t : State} (h : s =[.loop a c]=> t) :
    a.eval t = 0 := by
  generalize hw : Com.loop a c = w at h
  induction h with
  | loopTrue _ _ _ _ ih => exact ih hw
  | loopFalse ha => cases hw; exact ha
  | _ => cases hw

theorem diverges (c : Com) (s : State) : ¬ ∃ t, s =[.loop (.num 1) c]=> t :=
  fun ⟨_, h⟩ => absurd (loop_exit h) (Nat.succ_ne_zero 0)

theorem deterministic {c : Com} {s t u : State} (h : s =[c]=> t) (k : s =[c]=> u) : t = u := by
  induction h generalizing u with
  | skip => cases k; rfl
  | assign => cases k; rfl
  | seq _ _ ih₁ ih₂ => cases k with | seq k₁ k₂ => cases ih₁ k₁; exact ih₂ k₂
  | iteTrue _ _ ih | iteFalse _ _ ih => cases k <;> first | contradiction | exact ih ‹_›
  | loopTrue ha _ _ ih₁ ih₂ => cases k with
    | loopTrue _ k₁ k₂ => cases ih₁ k₁; exact ih₂ k₂
    | loopFalse hb => exact absurd hb ha
  | loopFalse ha => cases k <;> first | contradiction | rfl

def countdown (x : String) : Com := .loop (.var x) (.assign x (.sub (.var x) (.num 1)))

theorem countdown_spec (x : String) (s : State) : s =[countdown x]=> s[x ↦ 0] := by
  generalize hn : s x = n
  induction n generalizing s with
  | zero =>
    rw [← hn, update_self]; exact .loopFalse hn
  | succ n ih =>
    have h := ih (s[x ↦ n]) (update_same s x n)
    rw [update_shadow] at h
    have hx : AExp.eval s (.sub (.var x) (.num 1)) = n := by simp [AExp.eval, hn]
    refine .loopTrue (t := s[x ↦ n]) (by simp [AExp.eval, hn]) ?_ h
    rw [← hx]; exact .assign

def run : Nat → Com → State → Option State
  | 0, _, _ => none
  | _ + 1, .skip, s => some s
  | _ + 1, .assign x a, s => some (s[x ↦ a.eval s])
  | n + 1, .seq c d, s => (run n c s).bind (run n d)
  | n + 1, .ite a c d, s => if a.eval s = 0 then run n d s else run n c s
  | n + 1, .loop a c, s => if a.eval s = 0 then some s else run n (c ;; .loop a c) s

theorem run_le {m n : Nat} (hmn : m ≤ n) {c : Com} {s t : State} (h : run m c s = some t) :
    run n c s = some t := by
  induction m generalizing n c s t with
  | zero => cases h
  | succ m ih =>
    obtain ⟨n, rfl⟩ : ∃ k, n = k + 1 := ⟨n - 1, by omega⟩
    have hmn : m ≤ n := by omega
    cases c with
    | skip | assign => exact h
    | seq c d =>
      obtain ⟨u, h₁, h₂⟩ := Option.bind_eq_some_iff.mp h
      exact Option.bind_eq_some_iff.mpr ⟨u, ih hmn h₁, ih hmn h₂⟩
    | ite | loop =>
      rw [run] at h ⊢
      split at h <;> simp only [*, if_true, if_false] <;> first | exact h | exact ih hmn h

theorem run_seq {m n : Nat} {c d : Com} {s t u : State} (hm : run m c s = some t)
    (hn : run n d t = some u) : run (max m n + 1) (c ;; d) s = some u :=
  Option.bind_eq_some_iff.mpr
    ⟨t, run_le (Nat.le_max_left ..) hm, run_le (Nat.le_max_right ..) hn⟩

theorem run_sound {n : Nat} {c : Com} {s t : State} (h : run n c s = some t) : s =[c]=> t := by
  induction n generalizing c s t with
  | zero => cases h
  | succ n ih =>
    cases c with
    | skip | assign => cases h; constructor
    | seq c d =>
      obtain ⟨u, h₁, h₂⟩ := Option.bind_eq_some_iff.mp h
      exact .seq (ih h₁) (ih h₂)
    | ite a c d =>
      rw [run] at h; split at h
      · exact .iteFalse ‹_› (ih h)
      · exact .iteTrue ‹_› (ih h)
    | loop a c =>
      rw [run] at h; split at h
      · cases h; exact .loopFalse ‹_›
      · cases ih h with | seq h₁ h₂ => exact .loopTrue ‹_› h₁ h₂

theorem run_complete {c : Com} {s t : State} (h : s =[c]=> t) : ∃ n, run n c s = some t := by
  induction h with
  | skip | assign => exact ⟨1, rfl⟩
  | seq _ _ ih₁ ih₂ => exact ih₁.elim fun _ hm => ih₂.elim fun _ hn => ⟨_, run_seq hm hn⟩
  | iteTrue ha _ ih => exact ih.elim fun n hn => ⟨n + 1, by rw [run, if_neg ha, hn]⟩
  | iteFalse ha _ ih => exact ih.elim fun n hn => ⟨n + 1, by rw [run, if_pos ha, hn]⟩
  | loopTrue ha _ _ ih₁ ih₂ =>
    exact ih₁.elim fun _ hm => ih₂.elim fun _ hn => ⟨_ + 1, by rw [run, if_neg ha, run_seq hm hn]⟩
  | loopFalse ha => exact ⟨1, by rw [run, if_pos ha]⟩

theorem run_iff {c : Com} {s t : State} : (∃ n, run n c s = some t) ↔ s =[c]=> t :=
  ⟨fun ⟨_, h⟩ => run_sound h, run_complete⟩

end Imp
