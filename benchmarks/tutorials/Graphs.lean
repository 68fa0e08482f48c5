/-!
# Directed graphs given by a list of edges

Walks of a given length, reachability, reversal of a graph, a search by
bounded depth, and acyclicity by a topological rank.
-/

structure Graph (V : Type) where
  edges : List (V × V)

namespace Graph

variable {V : Type}

def Adj (G : Graph V) (u v : V) : Prop := (u, v) ∈ G.edges

/-- `G.Walk n u v`: there is a walk with `n` edges from `u` to `v`. -/
inductive Walk (G : Graph V) : Nat → V → V → Prop
  | nil (u : V) : Walk G 0 u u
  | cons {n : Nat} {u v w : V} : G.Adj u v → Walk G n v w → Walk G (n + 1) u w

def Reach (G : Graph V) (u v : V) : Prop := ∃ n, G.Walk n u v

/-- Every edge turned round. -/
def reverse (G : Graph V) : Graph V := ⟨G.edges.map fun e => (e.2, e.1)⟩

def union (G H : Graph V) : Graph V := ⟨G.edges ++ H.edges⟩

/-- No walk with at least one edge comes back to its start. -/
def Acyclic (G : Graph V) : Prop := ∀ n u, ¬ G.Walk (n + 1) u u

/-- A set of vertices that no edge leaves. -/
def Closed (G : Graph V) (S : V → Prop) : Prop := ∀ u v, S u → G.Adj u v → S v

def succs [DecidableEq V] (G : Graph V) (u : V) : List V :=
  (G.edges.filter (fun e => e.1 = u)).map Prod.snd

/-- Is there a walk with at most `fuel` edges? -/
def search [DecidableEq V] (G : Graph V) : Nat → V → V → Bool
  | 0, u, v => u == v
  | fuel + 1, u, v => u == v || (G.succs u).any (fun w => G.search fuel w v)

theorem mem_succs [DecidableEq V] (G : Graph V) (u v : V) :
    v ∈ G.succs u ↔ G.Adj u v := by
  simp [succs, Adj]

theorem adj_reverse (G : Graph V) (u v : V) : G.reverse.Adj u v ↔ G.Adj v u := by
  simp only [Adj, reverse, List.mem_map]
  constructor
  · rintro ⟨⟨a, b⟩, h, e⟩; cases e; exact h
  · exact fun h => ⟨(v, u), h, rfl⟩

theorem reverse_reverse (G : Graph V) : G.reverse.reverse = G := by
  cases G with
  | mk es => simp [reverse, Function.comp_def]

theorem Walk.zero_iff (G : Graph V) (u v : V) : G.Walk 0 u v ↔ u = v := by
  constructor
  · intro h; cases h; rfl
  · rintro rfl; exact .nil u

theorem Walk.append {G : Graph V} {m n : Nat} {u v w : V}
    (p : G.Walk m u v) (q : G.Walk n v w) : G.Walk (m + n) u w := by
  induction p with
  | nil => simpa using q
  | cons e _ ih =>
    rw [Nat.add_right_comm]
    exact .cons e (ih q)

theorem Walk.snoc {G : Graph V} {n : Nat} {u v w : V}
    (p : G.Walk n u v) (e : G.Adj v w) : G.Walk (n + 1) u w :=
  p.append (.cons e (.nil w))

theorem Walk.split {G : Graph V} {m n : Nat} {u w : V} (p : G.Walk (m + n) u w) :
    ∃ v, G.Walk m u v ∧ G.Walk n v w := by
  induction m generalizing u with
  | zero => exact ⟨u, .nil u, by simpa using p⟩
  | succ m ih =>
    rw [Nat.add_right_comm] at p
    cases p with
    | cons e p =>
      obtain ⟨v, p₁, p₂⟩ := ih p
      exact ⟨v, .cons e p₁, p₂⟩

theorem Walk.reverse {G : Graph V} {n : Nat} {u v : V} (p : G.Walk n u v) :
    G.reverse.Walk n v u := by
  induction p with
  | nil u => exact .nil u
  | cons e _ ih => exact ih.snoc ((adj_reverse G _ _).2 e)

theorem Walk.mono {G H : Graph V} (sub : ∀ e, e ∈ G.edges → e ∈ H.edges) {n : Nat} {u v : V}
    (p : G.Walk n u v) : H.Walk n u v := by
  induction p with
  | nil u => exact .nil u
  | cons e _ ih => exact .cons (sub _ e) ih

theorem reach_trans {G : Graph V} {u v w : V} (h₁ : G.Reach u v) (h₂ : G.Reach v w) :
    G.Reach u w := by
  obtain ⟨m, p⟩ := h₁
  obtain ⟨n, q⟩ := h₂
  exact ⟨m + n, p.append q⟩

theorem reach_reverse (G : Graph V) (u v : V) : G.reverse.Reach u v ↔ G.Reach v u := by
  constructor
  · rintro ⟨n, p⟩
    have q := p.reverse
    rw [reverse_reverse] at q
    exact ⟨n, q⟩
  · rintro ⟨n, p⟩
    exact ⟨n, p.reverse⟩

/-- Reachability is the least closed set that has the start. -/
theorem reach_iff_closed (G : Graph V) (u v : V) :
    G.Reach u v ↔ ∀ S : V → Prop, S u → G.Closed S → S v := by
  constructor
  · rintro ⟨n, p⟩ S hu hS
    induction p with
    | nil => exact hu
    | cons e _ ih => exact ih (hS _ _ hu e)
  · intro h
    refine h (G.Reach u) ⟨0, .nil u⟩ ?_
    rintro x y ⟨n, p⟩ e
    exact ⟨n + 1, p.snoc e⟩

theorem search_iff [DecidableEq V] (G : Graph V) (fuel : Nat) (u v : V) :
    G.search fuel u v = true ↔ ∃ n, n ≤ fuel ∧ G.Walk n u v := by
  induction fuel generalizing u with
  | zero =>
    simp only [search, beq_iff_eq]
    constructor
    · rintro rfl; exact ⟨0, Nat.le_refl 0, .nil u⟩
    · rintro ⟨n, hn, p⟩
      cases Nat.le_zero.1 hn
      exact (Walk.zero_iff G u v).1 p
  | succ fuel ih =>
    simp only [search, Bool.or_eq_true, beq_iff_eq, List.any_eq_true, mem_succs, ih]
    constructor
    · rintro (rfl | ⟨w, e, n, hn, p⟩)
      · exact ⟨0, Nat.zero_le _, .nil u⟩
      · exact ⟨n + 1, Nat.succ_le_succ hn, .cons e p⟩
    · rintro ⟨n, hn, p⟩
      cases p with
      | nil => exact .inl rfl
      | cons e p => exact .inr ⟨_, e, _, Nat.le_of_succ_le_succ hn, p⟩

theorem search_mono [DecidableEq V] (G : Graph V) {k l : Nat} (h : k ≤ l) {u v : V}
    (hs : G.search k u v = true) : G.search l u v = true := by
  obtain ⟨n, hn, p⟩ := (search_iff G k u v).1 hs
  exact (search_iff G l u v).2 ⟨n, Nat.le_trans hn h, p⟩

/-! ### Acyclic graphs -/

theorem acyclic_of_subgraph {G H : Graph V} (sub : ∀ e, e ∈ G.edges → e ∈ H.edges)
    (h : H.Acyclic) : G.Acyclic :=
  fun n u p => h n u (p.mono sub)

theorem acyclic_iff_antisymm (G : Graph V) :
    G.Acyclic ↔ (∀ u, ¬ G.Adj u u) ∧ ∀ u v, G.Reach u v → G.Reach v u → u = v := by
  constructor
  · intro h
    refine ⟨fun u e => h 0 u (.cons e (.nil u)), ?_⟩
    rintro u v ⟨m, p⟩ ⟨n, q⟩
    cases p with
    | nil => rfl
    | cons e p =>
      have c := (Walk.cons e p).append q
      rw [Nat.add_right_comm] at c
      exact absurd c (h _ u)
  · rintro ⟨irr, anti⟩ n u p
    cases p with
    | cons e p =>
      have : u = _ := anti _ _ ⟨1, .cons e (.nil _)⟩ ⟨_, p⟩
      subst this
      exact irr _ e

theorem Walk.rank_le {G : Graph V} {rank : V → Nat} (hr : ∀ u v, G.Adj u v → rank u < rank v)
    {n : Nat} {u v : V} (p : G.Walk n u v) : rank u + n ≤ rank v := by
  induction p with
  | nil => exact Nat.le_refl _
  | cons e _ ih => have := hr _ _ e; omega

/-- A graph with a topological numbering has no cycle. -/
theorem acyclic_of_rank {G : Graph V} (rank : V → Nat)
    (hr : ∀ u v, G.Adj u v → rank u < rank v) : G.Acyclic := by
  intro n u p
  have := p.rank_le hr
  omega

end Graph
