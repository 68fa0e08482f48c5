import Trees.Fold

/-!
Paths in a binary tree, and zippers: a tree with one place in it, from where one can move.
-/

namespace Trees.Bin

/-- A step down. -/
inductive Dir where
  | left : Dir
  | right : Dir

/-- The subtree at the end of a path, if the path stays inside. -/
def follow {α : Type} : List Dir → Bin α → Option (Bin α)
  | [], t => some t
  | _ :: _, tip => none
  | Dir.left :: p, bin l _ _ => follow p l
  | Dir.right :: p, bin _ _ r => follow p r

/-- Put `s` in the place that a path leads to. -/
def replace {α : Type} (s : Bin α) : List Dir → Bin α → Bin α
  | [], _ => s
  | _ :: _, tip => tip
  | Dir.left :: p, bin l a r => bin (replace s p l) a r
  | Dir.right :: p, bin l a r => bin l a (replace s p r)

/-- The other side. -/
def Dir.opposite : Dir → Dir
  | left => right
  | right => left

/-- What is around a place, from the place up to the root. -/
inductive Around (α : Type) where
  | root : Around α
  | inLeft (a : α) (r : Bin α) (c : Around α) : Around α
  | inRight (l : Bin α) (a : α) (c : Around α) : Around α

/-- A tree with a place in it. -/
structure Zipper (α : Type) where
  focus : Bin α
  around : Around α

namespace Around

variable {α β : Type}

/-- Fill the place. -/
def plug (t : Bin α) : Around α → Bin α
  | root => t
  | inLeft a r c => plug (bin t a r) c
  | inRight l a c => plug (bin l a t) c

/-- One context inside another. -/
def compose : Around α → Around α → Around α
  | root, d => d
  | inLeft a r c, d => inLeft a r (compose c d)
  | inRight l a c, d => inRight l a (compose c d)

/-- The way from the place up to the root, as steps. -/
def steps : Around α → List Dir
  | root => []
  | inLeft _ _ c => Dir.left :: steps c
  | inRight _ _ c => Dir.right :: steps c

def weight : Around α → Nat
  | root => 0
  | inLeft _ r c => r.weight + 1 + weight c
  | inRight l _ c => l.weight + 1 + weight c

/-- The values to the left of the place. -/
def before : Around α → List α
  | root => []
  | inLeft _ _ c => before c
  | inRight l a c => before c ++ l.inorder ++ [a]

/-- The values to the right of the place. -/
def after : Around α → List α
  | root => []
  | inLeft a r c => a :: r.inorder ++ after c
  | inRight _ _ c => after c

def map (f : α → β) : Around α → Around β
  | root => root
  | inLeft a r c => inLeft (f a) (fmap f r) (map f c)
  | inRight l a c => inRight (fmap f l) (f a) (map f c)

end Around

namespace Zipper

variable {α β : Type}

/-- The whole tree. -/
def whole (z : Zipper α) : Bin α := z.around.plug z.focus

def start (t : Bin α) : Zipper α := ⟨t, Around.root⟩

def down : Dir → Zipper α → Option (Zipper α)
  | _, ⟨tip, _⟩ => none
  | Dir.left, ⟨bin l a r, c⟩ => some ⟨l, Around.inLeft a r c⟩
  | Dir.right, ⟨bin l a r, c⟩ => some ⟨r, Around.inRight l a c⟩

def up : Zipper α → Option (Zipper α)
  | ⟨_, Around.root⟩ => none
  | ⟨t, Around.inLeft a r c⟩ => some ⟨bin t a r, c⟩
  | ⟨t, Around.inRight l a c⟩ => some ⟨bin l a t, c⟩

/-- Change the tree in the focus. -/
def modify (f : Bin α → Bin α) (z : Zipper α) : Zipper α := ⟨f z.focus, z.around⟩

/-- Go down a path. -/
def travel : List Dir → Zipper α → Option (Zipper α)
  | [], z => some z
  | d :: p, z => match down d z with
    | none => none
    | some w => travel p w

end Zipper

section Paths

variable {α β : Type}

theorem follow_append (p q : List Dir) (t s : Bin α) (h : follow p t = some s) :
    follow (p ++ q) t = follow q s := by
  induction p generalizing t with
  | nil =>
    simp only [follow, Option.some.injEq] at h
    rw [h]
    rfl
  | cons d p ih =>
    cases t with
    | tip => contradiction
    | bin l a r =>
      cases d with
      | left => exact ih l h
      | right => exact ih r h

theorem follow_replace (p : List Dir) (t s u : Bin α) (h : follow p t = some u) :
    follow p (replace s p t) = some s := by
  induction p generalizing t with
  | nil => rfl
  | cons d p ih =>
    cases t with
    | tip => contradiction
    | bin l a r =>
      cases d with
      | left => exact ih l h
      | right => exact ih r h

theorem replace_follow (p : List Dir) (t s : Bin α) (h : follow p t = some s) :
    replace s p t = t := by
  sorry

theorem replace_replace (p : List Dir) (t s u : Bin α) :
    replace s p (replace u p t) = replace s p t := by
  induction p generalizing t with
  | nil => rfl
  | cons d p ih =>
    cases t with
    | tip => rfl
    | bin l a r =>
      cases d with
      | left =>
        simp only [replace]
        rw [ih l]
      | right =>
        simp only [replace]
        rw [ih r]

theorem replace_of_none (p : List Dir) (t s : Bin α) (h : follow p t = none) :
    replace s p t = t := by
  induction p generalizing t with
  | nil => contradiction
  | cons d p ih =>
    cases t with
    | tip => rfl
    | bin l a r =>
      cases d with
      | left =>
        simp only [replace]
        rw [ih l h]
      | right =>
        simp only [replace]
        rw [ih r h]

theorem replace_append (p q : List Dir) (t s u : Bin α) (h : follow p t = some u) :
    replace s (p ++ q) t = replace (replace s q u) p t := by
  induction p generalizing t with
  | nil =>
    simp only [follow, Option.some.injEq] at h
    rw [h]
    rfl
  | cons d p ih =>
    cases t with
    | tip => contradiction
    | bin l a r =>
      cases d with
      | left =>
        simp only [List.cons_append, replace]
        rw [ih l h]
      | right =>
        simp only [List.cons_append, replace]
        rw [ih r h]

theorem weight_follow (p : List Dir) (t s : Bin α) (h : follow p t = some s) :
    p.length + weight s ≤ weight t := by
  induction p generalizing t with
  | nil =>
    simp only [follow, Option.some.injEq] at h
    rw [h, List.length_nil, Nat.zero_add]
    exact Nat.le_refl _
  | cons d p ih =>
    cases t with
    | tip => contradiction
    | bin l a r =>
      rw [List.length_cons]
      simp only [weight]
      cases d with
      | left =>
        have h1 := ih l h
        omega
      | right =>
        have h1 := ih r h
        omega

theorem length_path_le (p : List Dir) (t s : Bin α) (h : follow p t = some s) :
    p.length + shallow s ≤ height t := by
  sorry

theorem follow_flip (p : List Dir) (t s : Bin α) (h : follow p t = some s) :
    follow (p.map Dir.opposite) (flip t) = some (flip s) := by
  induction p generalizing t with
  | nil =>
    simp only [follow, Option.some.injEq] at h
    rw [h]
    rfl
  | cons d p ih =>
    cases t with
    | tip => contradiction
    | bin l a r =>
      cases d with
      | left => exact ih l h
      | right => exact ih r h

theorem follow_fmap (f : α → β) (p : List Dir) (t s : Bin α) (h : follow p t = some s) :
    follow p (fmap f t) = some (fmap f s) := by
  induction p generalizing t with
  | nil =>
    simp only [follow, Option.some.injEq] at h
    rw [h]
    rfl
  | cons d p ih =>
    cases t with
    | tip => contradiction
    | bin l a r =>
      cases d with
      | left => exact ih l h
      | right => exact ih r h

theorem every_follow (q : α → Prop) (p : List Dir) (t s : Bin α) (h : follow p t = some s)
    (ht : Every q t) : Every q s := by
  sorry

theorem every_replace (q : α → Prop) (p : List Dir) (t s : Bin α) (ht : Every q t)
    (hs : Every q s) : Every q (replace s p t) := by
  induction p generalizing t with
  | nil => exact hs
  | cons d p ih =>
    cases t with
    | tip => exact True.intro
    | bin l a r =>
      obtain ⟨h1, h2, h3⟩ := ht
      cases d with
      | left => exact ⟨ih l h1, h2, h3⟩
      | right => exact ⟨h1, h2, ih r h3⟩

theorem exists_path (a : α) (t : Bin α) (h : a ∈ inorder t) :
    ∃ p l r, follow p t = some (bin l a r) := by
  induction t with
  | tip => contradiction
  | bin l b r ihl ihr =>
    simp only [inorder] at h
    rcases List.mem_append.mp h with h1 | h1
    · obtain ⟨p, x, y, hp⟩ := ihl h1
      exact ⟨Dir.left :: p, x, y, hp⟩
    · rcases List.mem_cons.mp h1 with h2 | h2
      · rw [h2]
        exact ⟨[], l, r, rfl⟩
      · obtain ⟨p, x, y, hp⟩ := ihr h2
        exact ⟨Dir.right :: p, x, y, hp⟩

end Paths

section Contexts

open Around

variable {α β : Type}

theorem plug_compose (t : Bin α) (c d : Around α) :
    (c.compose d).plug t = d.plug (c.plug t) := by
  induction c generalizing t with
  | root => rfl
  | inLeft a r c ih =>
    simp only [compose, plug]
    rw [ih]
  | inRight l a c ih =>
    simp only [compose, plug]
    rw [ih]

theorem compose_root (c : Around α) : c.compose root = c := by
  induction c with
  | root => rfl
  | inLeft a r c ih =>
    simp only [compose]
    rw [ih]
  | inRight l a c ih =>
    simp only [compose]
    rw [ih]

theorem compose_assoc (c d e : Around α) :
    (c.compose d).compose e = c.compose (d.compose e) := by
  induction c with
  | root => rfl
  | inLeft a r c ih =>
    simp only [compose]
    rw [ih]
  | inRight l a c ih =>
    simp only [compose]
    rw [ih]

theorem weight_plug (t : Bin α) (c : Around α) :
    (c.plug t).weight = t.weight + c.weight := by
  induction c generalizing t with
  | root => rfl
  | inLeft a r c ih =>
    simp only [plug, Around.weight]
    rw [ih]
    simp only [Bin.weight]
    omega
  | inRight l a c ih =>
    simp only [plug, Around.weight]
    rw [ih]
    simp only [Bin.weight]
    omega

theorem weight_compose (c d : Around α) : (c.compose d).weight = c.weight + d.weight := by
  sorry
theorem inorder_plug (t : Bin α) (c : Around α) :
    (c.plug t).inorder = c.before ++ t.inorder ++ c.after := by
  sorry
theorem plug_inj (t s : Bin α) (c : Around α) (h : c.plug t = c.plug s) : t = s := by
  sorry

theorem steps_compose (c d : Around α) : (c.compose d).steps = c.steps ++ d.steps := by
  induction c with
  | root => rfl
  | inLeft a r c ih =>
    simp only [compose, steps]
    rw [ih, List.cons_append]
  | inRight l a c ih =>
    simp only [compose, steps]
    rw [ih, List.cons_append]

theorem follow_plug (t : Bin α) (c : Around α) : follow c.steps.reverse (c.plug t) = some t := by
  induction c generalizing t with
  | root => rfl
  | inLeft a r c ih =>
    simp only [steps, plug, List.reverse_cons]
    rw [follow_append _ _ _ _ (ih (bin t a r))]
    rfl
  | inRight l a c ih =>
    simp only [steps, plug, List.reverse_cons]
    rw [follow_append _ _ _ _ (ih (bin l a t))]
    rfl

/-- A path that stays inside splits the tree into a context and a subtree. -/
theorem exists_context (p : List Dir) (t s : Bin α) (h : follow p t = some s) :
    ∃ c : Around α, c.plug s = t ∧ c.steps = p.reverse := by
  induction p generalizing t with
  | nil =>
    simp only [follow, Option.some.injEq] at h
    rw [h]
    exact ⟨root, rfl, rfl⟩
  | cons d p ih =>
    cases t with
    | tip => contradiction
    | bin l a r =>
      cases d with
      | left =>
        obtain ⟨c, h1, h2⟩ := ih l h
        refine ⟨c.compose (inLeft a r root), ?_, ?_⟩
        · rw [plug_compose, h1]
          rfl
        · rw [steps_compose, h2, List.reverse_cons]
          rfl
      | right =>
        obtain ⟨c, h1, h2⟩ := ih r h
        refine ⟨c.compose (inRight l a root), ?_, ?_⟩
        · rw [plug_compose, h1]
          rfl
        · rw [steps_compose, h2, List.reverse_cons]
          rfl

theorem fmap_plug (f : α → β) (t : Bin α) (c : Around α) :
    fmap f (c.plug t) = (c.map f).plug (fmap f t) := by
  induction c generalizing t with
  | root => rfl
  | inLeft a r c ih =>
    simp only [plug, Around.map]
    rw [ih]
    rfl
  | inRight l a c ih =>
    simp only [plug, Around.map]
    rw [ih]
    rfl

theorem replace_plug (t s : Bin α) (c : Around α) :
    replace s c.steps.reverse (c.plug t) = c.plug s := by
  sorry

end Contexts

section Moving

open Zipper

variable {α β : Type}

theorem whole_start (t : Bin α) : (start t).whole = t := by
  rfl

theorem whole_down (d : Dir) (z w : Zipper α) (h : down d z = some w) : w.whole = z.whole := by
  obtain ⟨t, c⟩ := z
  cases t with
  | tip =>
    cases d with
    | left => contradiction
    | right => contradiction
  | bin l a r =>
    cases d with
    | left =>
      simp only [down, Option.some.injEq] at h
      rw [← h]
      rfl
    | right =>
      simp only [down, Option.some.injEq] at h
      rw [← h]
      rfl

theorem up_down (d : Dir) (z w : Zipper α) (h : down d z = some w) : up w = some z := by
  obtain ⟨t, c⟩ := z
  cases t with
  | tip =>
    cases d with
    | left => contradiction
    | right => contradiction
  | bin l a r =>
    cases d with
    | left =>
      simp only [down, Option.some.injEq] at h
      rw [← h]
      rfl
    | right =>
      simp only [down, Option.some.injEq] at h
      rw [← h]
      rfl

theorem whole_up (z w : Zipper α) (h : up z = some w) : w.whole = z.whole := by
  sorry

theorem down_up (z w : Zipper α) (h : up z = some w) : ∃ d, down d w = some z := by
  obtain ⟨t, c⟩ := z
  cases c with
  | root => contradiction
  | inLeft a r c =>
    simp only [up, Option.some.injEq] at h
    rw [← h]
    exact ⟨Dir.left, rfl⟩
  | inRight l a c =>
    simp only [up, Option.some.injEq] at h
    rw [← h]
    exact ⟨Dir.right, rfl⟩

theorem whole_travel (p : List Dir) (z w : Zipper α) (h : travel p z = some w) :
    w.whole = z.whole := by
  sorry

theorem focus_travel (p : List Dir) (z w : Zipper α) (h : travel p z = some w) :
    follow p z.focus = some w.focus := by
  induction p generalizing z with
  | nil =>
    simp only [travel, Option.some.injEq] at h
    rw [h]
    rfl
  | cons d p ih =>
    simp only [travel] at h
    split at h
    · contradiction
    · rename_i v hv
      have h1 := ih v h
      obtain ⟨t, c⟩ := z
      cases t with
      | tip =>
        cases d with
        | left => contradiction
        | right => contradiction
      | bin l a r =>
        cases d with
        | left =>
          simp only [down, Option.some.injEq] at hv
          rw [← hv] at h1
          exact h1
        | right =>
          simp only [down, Option.some.injEq] at hv
          rw [← hv] at h1
          exact h1

theorem travel_append (p q : List Dir) (z w : Zipper α) (h : travel p z = some w) :
    travel (p ++ q) z = travel q w := by
  induction p generalizing z with
  | nil =>
    simp only [travel, Option.some.injEq] at h
    rw [h]
    rfl
  | cons d p ih =>
    simp only [travel] at h
    simp only [List.cons_append, travel]
    split at h
    · contradiction
    · exact ih _ h

theorem modify_modify (f g : Bin α → Bin α) (z : Zipper α) :
    modify f (modify g z) = modify (fun t => f (g t)) z := by
  rfl

theorem whole_modify_inj (f : Bin α → Bin α) (z : Zipper α) (h : (modify f z).whole = z.whole) :
    f z.focus = z.focus := by
  sorry

theorem weight_whole (z : Zipper α) : z.whole.weight = z.focus.weight + z.around.weight := by
  exact weight_plug _ _

theorem weight_modify (f : Bin α → Bin α) (z : Zipper α)
    (h : (f z.focus).weight = z.focus.weight) : (modify f z).whole.weight = z.whole.weight := by
  rw [weight_whole, weight_whole]
  simp only [Zipper.modify]
  rw [h]

end Moving

end Trees.Bin
