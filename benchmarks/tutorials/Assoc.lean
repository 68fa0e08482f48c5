/-! # Finite maps as association lists

Keys are looked up from the front.  `insert` overwrites the binding in place and
appends the pair at the end if the key is new; `erase` removes the first binding only,
so it needs the invariant that no key is bound twice.
-/

abbrev AList (κ ν : Type) := List (κ × ν)

namespace AList

variable {κ ν : Type}

def keys : AList κ ν → List κ
  | [] => []
  | (k, _) :: m => k :: keys m

/-- The invariant: no key is bound twice. -/
inductive WF : AList κ ν → Prop
  | nil : WF []
  | cons {k : κ} {v : ν} {m : AList κ ν} : k ∉ keys m → WF m → WF ((k, v) :: m)

variable [DecidableEq κ]

def lookup (k : κ) : AList κ ν → Option ν
  | [] => none
  | (k', v) :: m => if k = k' then some v else lookup k m

def insert (k : κ) (v : ν) : AList κ ν → AList κ ν
  | [] => [(k, v)]
  | (k', v') :: m => if k = k' then (k, v) :: m else (k', v') :: insert k v m

def erase (k : κ) : AList κ ν → AList κ ν
  | [] => []
  | (k', v) :: m => if k = k' then m else (k', v) :: erase k m

/-- The union of two maps; `f` combines the values of the common keys. -/
def merge (f : ν → ν → ν) : AList κ ν → AList κ ν → AList κ ν
  | [], m' => m'
  | (k, v) :: m, m' =>
    let w := match lookup k m' with
      | none => v
      | some v' => f v v'
    insert k w (merge f m m')

def ofList : List (κ × ν) → AList κ ν
  | [] => []
  | (k, v) :: l => insert k v (ofList l)

/-! ### Lookup and insert -/

theorem lookup_insert_self (k : κ) (v : ν) (m : AList κ ν) :
    lookup k (insert k v m) = some v := by
  induction m with
  | nil => simp [insert, lookup]
  | cons p m ih =>
    unfold insert
    split
    · simp [lookup]
    · next h => simp [lookup, h, ih]

theorem lookup_insert_ne {j k : κ} (h : j ≠ k) (v : ν) (m : AList κ ν) :
    lookup j (insert k v m) = lookup j m := by
  induction m with
  | nil => simp [insert, lookup, h]
  | cons p m ih =>
    unfold insert
    split
    · next hk => simp [lookup, h, ← hk]
    · simp [lookup, ih]

theorem lookup_insert (j k : κ) (v : ν) (m : AList κ ν) :
    lookup j (insert k v m) = if j = k then some v else lookup j m := by
  split
  · next h => rw [h, lookup_insert_self]
  · next h => exact lookup_insert_ne h v m

theorem insert_insert (k : κ) (v w : ν) (m : AList κ ν) :
    insert k v (insert k w m) = insert k v m := by
  induction m with
  | nil => simp [insert]
  | cons p m ih =>
    by_cases h : k = p.1
    · simp [insert, h]
    · simp [insert, h, ih]

theorem insert_lookup {k : κ} {v : ν} {m : AList κ ν} (h : lookup k m = some v) :
    insert k v m = m := by
  induction m with
  | nil => cases h
  | cons p m ih =>
    obtain ⟨k', v'⟩ := p
    by_cases hk : k = k'
    · simp_all [lookup, insert]
    · simp only [lookup, if_neg hk] at h
      simp [insert, hk, ih h]

theorem lookup_eq_none_iff (k : κ) (m : AList κ ν) : lookup k m = none ↔ k ∉ keys m := by
  induction m with
  | nil => simp [lookup, keys]
  | cons p m ih => by_cases h : k = p.1 <;> simp [lookup, keys, h, ih]

theorem lookup_eq_some_iff {m : AList κ ν} (hm : WF m) (k : κ) (v : ν) :
    lookup k m = some v ↔ (k, v) ∈ m := by
  induction hm with
  | nil => simp [lookup]
  | @cons k' v' m hk _ ih =>
    by_cases h : k = k'
    · subst h
      have : (k, v) ∉ m := by
        rw [← ih, (lookup_eq_none_iff k m).mpr hk]
        exact nofun
      simp [lookup, this, eq_comm]
    · simp [lookup, h, ih]

/-! ### The invariant -/

theorem mem_keys_insert (j k : κ) (v : ν) (m : AList κ ν) :
    j ∈ keys (insert k v m) ↔ j = k ∨ j ∈ keys m := by
  have := lookup_eq_none_iff j (insert k v m)
  rw [lookup_insert] at this
  have := lookup_eq_none_iff j m
  by_cases h : j = k <;> simp_all <;> grind

theorem wf_insert {m : AList κ ν} (hm : WF m) (k : κ) (v : ν) : WF (insert k v m) := by
  induction hm with
  | nil => exact .cons (by simp [keys]) .nil
  | @cons k' v' m hk hm ih =>
    unfold insert
    split
    · next h => exact .cons (h ▸ hk) hm
    · next h => exact .cons (by simp [mem_keys_insert, hk, Ne.symm h]) ih

theorem wf_ofList (l : List (κ × ν)) : WF (ofList l) := by
  induction l with
  | nil => exact .nil
  | cons p l ih => exact wf_insert ih p.1 p.2

/-! ### Erase -/

theorem erase_of_not_mem {k : κ} {m : AList κ ν} (h : k ∉ keys m) : erase k m = m := by
  induction m with
  | nil => rfl
  | cons p m ih => simp_all [keys, erase]

theorem lookup_erase {m : AList κ ν} (hm : WF m) (j k : κ) :
    lookup j (erase k m) = if j = k then none else lookup j m := by
  induction hm with
  | nil => simp [erase, lookup]
  | @cons k' v' m hk _ ih =>
    have := lookup_eq_none_iff k' m
    by_cases h : k = k' <;> by_cases h' : j = k' <;> simp_all [erase, lookup]
    intro h''; exact absurd h''.symm h

theorem wf_erase {m : AList κ ν} (hm : WF m) (k : κ) : WF (erase k m) := by
  induction hm with
  | nil => exact .nil
  | @cons k' v' m hk hm ih =>
    unfold erase
    split
    · exact hm
    · refine .cons ?_ ih
      rw [← lookup_eq_none_iff, lookup_erase hm]
      split
      · rfl
      · exact (lookup_eq_none_iff k' m).mpr hk

theorem erase_insert {k : κ} {m : AList κ ν} (h : k ∉ keys m) (v : ν) :
    erase k (insert k v m) = m := by
  induction m with
  | nil => simp [insert, erase]
  | cons p m ih => simp_all [keys, insert, erase]

theorem lookup_merge (f : ν → ν → ν) (m m' : AList κ ν) (j : κ) :
    lookup j (merge f m m') = match lookup j m, lookup j m' with
      | some v, some v' => some (f v v')
      | some v, none => some v
      | none, r => r := by
  induction m with
  | nil => simp [merge, lookup]
  | cons p m ih =>
    obtain ⟨k, v⟩ := p
    simp only [merge, lookup_insert]
    by_cases h : j = k
    · subst h
      cases hj : lookup j m' <;> simp [lookup]
    · simp only [lookup, if_neg h, ih]

theorem wf_merge (f : ν → ν → ν) (m : AList κ ν) {m' : AList κ ν} (hm' : WF m') :
    WF (merge f m m') := by
  induction m with
  | nil => exact hm'
  | cons p m ih => exact wf_insert ih _ _

theorem merge_comm {f : ν → ν → ν} (hf : ∀ v w, f v w = f w v) (m m' : AList κ ν) (j : κ) :
    lookup j (merge f m m') = lookup j (merge f m' m) := by
  rw [lookup_merge, lookup_merge]
  cases lookup j m <;> cases lookup j m' <;> simp [hf]

end AList
