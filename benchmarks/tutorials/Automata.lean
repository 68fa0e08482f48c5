/-
  Finite automata.

  Deterministic automata have a `Bool` for each state that says if it accepts;
  nondeterministic ones have relations.  A language is a predicate on words.
-/

universe u v w

/-- A deterministic automaton with alphabet `α` and states `σ`. -/
structure DFA (α : Type u) (σ : Type v) where
  start : σ
  step : σ → α → σ
  final : σ → Bool

/-- A nondeterministic automaton, without silent moves. -/
structure NFA (α : Type u) (σ : Type v) where
  start : σ → Prop
  step : σ → α → σ → Prop
  final : σ → Prop

namespace DFA

variable {α : Type u} {σ : Type v} {τ : Type w}

def run (M : DFA α σ) (q : σ) : List α → σ
  | [] => q
  | a :: x => M.run (M.step q a) x

def accepts (M : DFA α σ) (x : List α) : Bool := M.final (M.run M.start x)

def compl (M : DFA α σ) : DFA α σ := { M with final := fun q => !M.final q }

/-- The product automaton; `op` says how the two answers are put together. -/
def prod (op : Bool → Bool → Bool) (M : DFA α σ) (N : DFA α τ) : DFA α (σ × τ) where
  start := (M.start, N.start)
  step q a := (M.step q.1 a, N.step q.2 a)
  final q := op (M.final q.1) (N.final q.2)

def inter (M : DFA α σ) (N : DFA α τ) := prod and M N
def union (M : DFA α σ) (N : DFA α τ) := prod or M N

/-- States that can be reached from the start. -/
inductive Reachable (M : DFA α σ) : σ → Prop
  | start : Reachable M M.start
  | step {q : σ} (a : α) : Reachable M q → Reachable M (M.step q a)

theorem run_append (M : DFA α σ) (q : σ) (x y : List α) :
    M.run q (x ++ y) = M.run (M.run q x) y := by
  induction x generalizing q with
  | nil => rfl
  | cons a x ih => exact ih (M.step q a)

theorem compl_run (M : DFA α σ) (q : σ) (x : List α) : M.compl.run q x = M.run q x := by
  induction x generalizing q with
  | nil => rfl
  | cons a x ih => exact ih _

theorem compl_accepts (M : DFA α σ) (x : List α) : M.compl.accepts x = !M.accepts x := by
  unfold accepts
  rw [compl_run]
  rfl

theorem prod_run (op) (M : DFA α σ) (N : DFA α τ) (p : σ) (q : τ) (x : List α) :
    (prod op M N).run (p, q) x = (M.run p x, N.run q x) := by
  induction x generalizing p q with
  | nil => rfl
  | cons a x ih => exact ih _ _

theorem inter_accepts (M : DFA α σ) (N : DFA α τ) (x : List α) :
    (inter M N).accepts x = (M.accepts x && N.accepts x) := by
  show (prod and M N).final ((prod and M N).run (M.start, N.start) x) = _
  rw [prod_run]
  rfl

/-- De Morgan's law for automata. -/
theorem union_accepts_deMorgan (M : DFA α σ) (N : DFA α τ) (x : List α) :
    (union M N).accepts x = (inter M.compl N.compl).compl.accepts x := by
  rw [compl_accepts, inter_accepts, compl_accepts, compl_accepts]
  show (prod or M N).final ((prod or M N).run (M.start, N.start) x) = _
  rw [prod_run]
  simp [prod, accepts]

theorem reachable_iff (M : DFA α σ) (q : σ) : M.Reachable q ↔ ∃ x, M.run M.start x = q := by
  constructor
  · intro h
    induction h with
    | start => exact ⟨[], rfl⟩
    | step a _ ih =>
      obtain ⟨x, rfl⟩ := ih
      exact ⟨x ++ [a], run_append M _ x [a]⟩
  · rintro ⟨x, rfl⟩
    suffices h : ∀ q, M.Reachable q → M.Reachable (M.run q x) from h _ .start
    induction x with
    | nil => exact fun _ h => h
    | cons a x ih => exact fun _ h => ih _ (.step a h)

/-- The language is empty when no reachable state accepts. -/
theorem empty_iff (M : DFA α σ) :
    (∀ x, M.accepts x = false) ↔ ∀ q, M.Reachable q → M.final q = false := by
  constructor
  · intro h q hq
    obtain ⟨x, rfl⟩ := (M.reachable_iff q).1 hq
    exact h x
  · exact fun h x => h _ ((M.reachable_iff _).2 ⟨x, rfl⟩)

/-- A word that loops at a state can be pumped. -/
theorem pump (M : DFA α σ) (x y z : List α) (h : M.run M.start (x ++ y) = M.run M.start x)
    (n : Nat) : M.accepts (x ++ (List.replicate n y).flatten ++ z) = M.accepts (x ++ z) := by
  have loop : M.run M.start (x ++ (List.replicate n y).flatten) = M.run M.start x := by
    induction n with
    | zero => simp
    | succ n ih =>
      rw [run_append] at h ih ⊢
      rw [List.replicate_succ, List.flatten_cons, run_append, h, ih]
  unfold accepts
  rw [run_append, loop, ← run_append]

end DFA

namespace NFA

variable {α : Type u} {σ : Type v}

/-- `Path p x q`: the automaton can go from `p` to `q` reading `x`. -/
inductive Path (M : NFA α σ) : σ → List α → σ → Prop
  | nil (q : σ) : Path M q [] q
  | cons {p q r : σ} {a : α} {x : List α} : M.step p a q → Path M q x r → Path M p (a :: x) r

def Accepts (M : NFA α σ) (x : List α) : Prop := ∃ p q, M.start p ∧ M.Path p x q ∧ M.final q

/-- Read the words backwards. -/
def reverse (M : NFA α σ) : NFA α σ := ⟨M.final, fun p a q => M.step q a p, M.start⟩

def ofDFA (M : DFA α σ) : NFA α σ :=
  ⟨fun q => q = M.start, fun p a q => M.step p a = q, fun q => M.final q = true⟩

/-- The states reachable from the set `S` reading `x`: the subset construction. -/
def runSet (M : NFA α σ) (S : σ → Prop) : List α → σ → Prop
  | [] => S
  | a :: x => M.runSet (fun q => ∃ p, S p ∧ M.step p a q) x

theorem Path.append {M : NFA α σ} {p q r : σ} {x y : List α} (h₁ : M.Path p x q)
    (h₂ : M.Path q y r) : M.Path p (x ++ y) r := by
  induction h₁ with
  | nil => exact h₂
  | cons s _ ih => exact .cons s (ih h₂)

theorem Path.reverse {M : NFA α σ} {p q : σ} {x : List α} (h : M.Path p x q) :
    M.reverse.Path q x.reverse p := by
  induction h with
  | nil q => exact .nil q
  | cons s _ ih =>
    rw [List.reverse_cons]
    exact ih.append (.cons s (.nil _))

theorem reverse_accepts (M : NFA α σ) (x : List α) :
    M.reverse.Accepts x.reverse ↔ M.Accepts x := by
  constructor
  · rintro ⟨p, q, hp, h, hq⟩
    exact ⟨q, p, hq, by simpa using h.reverse, hp⟩
  · rintro ⟨p, q, hp, h, hq⟩
    exact ⟨q, p, hq, h.reverse, hp⟩

theorem ofDFA_path (M : DFA α σ) (p q : σ) (x : List α) :
    (ofDFA M).Path p x q ↔ M.run p x = q := by
  constructor
  · intro h
    induction h with
    | nil => rfl
    | cons s _ ih => cases s; exact ih
  · rintro rfl
    induction x generalizing p with
    | nil => exact .nil p
    | cons a x ih => exact .cons rfl (ih _)

theorem runSet_iff (M : NFA α σ) (S : σ → Prop) (x : List α) (q : σ) :
    M.runSet S x q ↔ ∃ p, S p ∧ M.Path p x q := by
  induction x generalizing S with
  | nil => exact ⟨fun h => ⟨q, h, .nil q⟩, fun ⟨_, hp, h⟩ => by cases h; exact hp⟩
  | cons a x ih =>
    rw [runSet, ih]
    constructor
    · rintro ⟨r, ⟨p, hp, s⟩, h⟩
      exact ⟨p, hp, .cons s h⟩
    · rintro ⟨p, hp, h⟩
      cases h with
      | cons s h => exact ⟨_, ⟨p, hp, s⟩, h⟩

/-- The subset construction accepts the same words. -/
theorem subset_correct (M : NFA α σ) (x : List α) :
    M.Accepts x ↔ ∃ q, M.runSet M.start x q ∧ M.final q := by
  simp only [runSet_iff, Accepts]
  constructor
  · rintro ⟨p, q, hp, h, hq⟩; exact ⟨q, ⟨p, hp, h⟩, hq⟩
  · rintro ⟨q, ⟨p, hp, h⟩, hq⟩; exact ⟨p, q, hp, h, hq⟩

end NFA
