import Algebra.Group

/-!
Subgroups as predicates: intersections, centralizers, conjugates, normal subgroups, cosets, and
the subgroup that a set generates.
-/

namespace Algebra

open Semigroup Group

/-- A predicate that is closed under the operations of a group. -/
structure IsSubgroup {α : Type} [Group α] (H : α → Prop) : Prop where
  one_mem : H ε
  mul_mem : ∀ a b, H a → H b → H (a ∘' b)
  inv_mem : ∀ a, H a → H aⁱ

/-- A subgroup that conjugation does not leave. -/
structure IsNormal {α : Type} [Group α] (N : α → Prop) : Prop extends IsSubgroup N where
  conj_mem : ∀ g a, N a → N (conj g a)

namespace Subgroup

variable {α : Type} [Group α]

/-- What commutes with all elements of `S`. -/
def centralizer (S : α → Prop) (a : α) : Prop := ∀ s, S s → Commutes a s

/-- What commutes with everything. -/
def center (a : α) : Prop := ∀ b : α, Commutes a b

/-- What conjugation takes `H` to itself. -/
def normalizer (H : α → Prop) (g : α) : Prop := ∀ a, H a ↔ H (conj g a)

/-- The conjugate of a predicate. -/
def conjugate (g : α) (H : α → Prop) (a : α) : Prop := H (conj gⁱ a)

/-- Products of an element of `H` and one of `K`. -/
def setProduct (H K : α → Prop) (a : α) : Prop := ∃ h k, H h ∧ K k ∧ a = h ∘' k

/-- `a` and `b` lie in the same left coset of `H`. -/
def SameCoset (H : α → Prop) (a b : α) : Prop := H (aⁱ ∘' b)

/-- The least subgroup that contains `S`. -/
inductive Generated (S : α → Prop) : α → Prop where
  | basic (a : α) (h : S a) : Generated S a
  | one : Generated S ε
  | mul (a b : α) (ha : Generated S a) (hb : Generated S b) : Generated S (a ∘' b)
  | inv (a : α) (ha : Generated S a) : Generated S aⁱ

section Basics

/-- One test is enough: closed under `a b⁻¹`, and not empty. -/
theorem of_div (H : α → Prop) (a : α) (ha : H a) (h : ∀ a b, H a → H b → H (a ∘' bⁱ)) :
    IsSubgroup H := by
  have h1 : H ε := by
    have h2 := h a a ha ha
    rw [mul_inv] at h2
    exact h2
  have h2 : ∀ b, H b → H bⁱ := by
    intro b hb
    have h3 := h ε b h1 hb
    rw [one_mul] at h3
    exact h3
  refine ⟨h1, ?_, h2⟩
  intro b c hb hc
  have h3 := h b cⁱ hb (h2 c hc)
  rw [inv_inv] at h3
  exact h3

theorem inv_mem_iff (H : α → Prop) (hH : IsSubgroup H) (a : α) : H aⁱ ↔ H a := by
  constructor
  · intro h
    have h1 := hH.inv_mem _ h
    rw [inv_inv] at h1
    exact h1
  · exact hH.inv_mem a

theorem mul_mem_iff_right (H : α → Prop) (hH : IsSubgroup H) (a b : α) (ha : H a) :
    H (a ∘' b) ↔ H b := by
  constructor
  · intro h
    have h1 := hH.mul_mem _ _ (hH.inv_mem a ha) h
    rw [inv_mul_cancel_left] at h1
    exact h1
  · exact hH.mul_mem a b ha

theorem mul_mem_iff_left (H : α → Prop) (hH : IsSubgroup H) (a b : α) (hb : H b) :
    H (a ∘' b) ↔ H a := by
  constructor
  · intro h
    have h1 := hH.mul_mem _ _ h (hH.inv_mem b hb)
    rw [mul_inv_cancel_right] at h1
    exact h1
  · intro ha
    exact hH.mul_mem a b ha hb

theorem npow_mem (H : α → Prop) (hH : IsSubgroup H) (a : α) (n : Nat) (ha : H a) :
    H (npow a n) := by
  induction n with
  | zero => exact hH.one_mem
  | succ n ih => exact hH.mul_mem _ _ ih ha

theorem zpow_mem (H : α → Prop) (hH : IsSubgroup H) (a : α) (n : Int) (ha : H a) :
    H (zpow a n) := by
  sorry

theorem trivial_subgroup : IsSubgroup (fun a : α => a = ε) := by
  refine ⟨rfl, ?_, ?_⟩
  · intro a b ha hb
    rw [ha, hb, one_mul]
  · intro a ha
    rw [ha, inv_one]

theorem inter_subgroup (H K : α → Prop) (hH : IsSubgroup H) (hK : IsSubgroup K) :
    IsSubgroup (fun a => H a ∧ K a) := by
  refine ⟨⟨hH.one_mem, hK.one_mem⟩, ?_, ?_⟩
  · rintro a b ⟨ha1, ha2⟩ ⟨hb1, hb2⟩
    exact ⟨hH.mul_mem a b ha1 hb1, hK.mul_mem a b ha2 hb2⟩
  · rintro a ⟨h1, h2⟩
    exact ⟨hH.inv_mem a h1, hK.inv_mem a h2⟩

theorem inter_all_subgroup {ι : Type} (H : ι → α → Prop) (h : ∀ i, IsSubgroup (H i)) :
    IsSubgroup (fun a => ∀ i, H i a) := by
  refine ⟨?_, ?_, ?_⟩
  · intro i
    exact (h i).one_mem
  · intro a b ha hb i
    exact (h i).mul_mem a b (ha i) (hb i)
  · intro a ha i
    exact (h i).inv_mem a (ha i)

/-- A union of two subgroups is no subgroup, unless one contains the other. -/
theorem union_subgroup (H K : α → Prop) (hH : IsSubgroup H) (hK : IsSubgroup K)
    (h : IsSubgroup (fun a => H a ∨ K a)) (a b : α) (ha : H a) (hb : K b) : K a ∨ H b := by
  rcases h.mul_mem a b (Or.inl ha) (Or.inr hb) with h1 | h1
  · right
    exact (mul_mem_iff_right H hH a b ha).mp h1
  · left
    have h2 := hK.mul_mem _ _ h1 (hK.inv_mem b hb)
    rw [mul_inv_cancel_right] at h2
    exact h2

end Basics

section Centralizers

theorem centralizer_subgroup (S : α → Prop) : IsSubgroup (centralizer S) := by
  refine ⟨?_, ?_, ?_⟩
  · intro s _
    unfold Commutes
    rw [one_mul, mul_one]
  · intro a b ha hb s hs
    have h1 := ha s hs
    have h2 := hb s hs
    unfold Commutes at *
    rw [assoc, h2, ← assoc, h1, assoc]
  · intro a ha s hs
    rw [← commutes_iff_inv]
    exact ha s hs

theorem centralizer_antitone (S T : α → Prop) (h : ∀ a, S a → T a) (a : α)
    (ha : centralizer T a) : centralizer S a := by
  intro s hs
  exact ha s (h s hs)

theorem subset_centralizer_centralizer (S : α → Prop) (a : α) (ha : S a) :
    centralizer (centralizer S) a := by
  intro b hb
  have h := hb a ha
  unfold Commutes at *
  rw [h]

theorem centralizer_three (S : α → Prop) (a : α) :
    centralizer (centralizer (centralizer S)) a ↔ centralizer S a := by
  sorry

theorem center_normal : IsNormal (center : α → Prop) := by
  have h := centralizer_subgroup (fun _ : α => True)
  refine ⟨⟨?_, ?_, ?_⟩, ?_⟩
  · intro b
    exact h.one_mem b True.intro
  · intro a b ha hb c
    exact h.mul_mem a b (fun s _ => ha s) (fun s _ => hb s) c True.intro
  · intro a ha c
    exact h.inv_mem a (fun s _ => ha s) c True.intro
  · intro g a ha
    have h1 : conj g a = a := by
      rw [conj_eq_self_iff]
      exact (ha g).symm
    rw [h1]
    exact ha

theorem center_of_conj (a : α) (h : ∀ g, conj g a = a) : center a := by
  intro b
  have h1 := h b
  rw [conj_eq_self_iff] at h1
  unfold Commutes at *
  rw [h1]

theorem normalizer_subgroup (H : α → Prop) : IsSubgroup (normalizer H) := by
  refine ⟨?_, ?_, ?_⟩
  · intro a
    rw [conj_one]
  · intro g h hg hh a
    rw [← conj_conj, ← hg, ← hh]
  · intro g hg a
    rw [hg (conj gⁱ a), conj_conj, mul_inv, conj_one]

theorem subgroup_normalizes (H : α → Prop) (hH : IsSubgroup H) (g : α) (hg : H g) :
    normalizer H g := by
  sorry

end Centralizers

section Conjugates

theorem conjugate_subgroup (g : α) (H : α → Prop) (hH : IsSubgroup H) :
    IsSubgroup (conjugate g H) := by
  unfold conjugate
  refine ⟨?_, ?_, ?_⟩
  · unfold conj
    rw [mul_one, mul_inv]
    exact hH.one_mem
  · intro a b ha hb
    rw [conj_mul]
    exact hH.mul_mem _ _ ha hb
  · intro a ha
    rw [conj_inv]
    exact hH.inv_mem _ ha

theorem conjugate_conjugate (g h a : α) (H : α → Prop) :
    conjugate g (conjugate h H) a ↔ conjugate (g ∘' h) H a := by
  sorry

theorem conj_mem_conjugate (g a : α) (H : α → Prop) : conjugate g H (conj g a) ↔ H a := by
  unfold conjugate
  rw [conj_conj, inv_mul, conj_one]

theorem normal_of_mul_comm (N : α → Prop) (hN : IsSubgroup N)
    (h : ∀ a b, N (a ∘' b) → N (b ∘' a)) : IsNormal N := by
  refine ⟨hN, ?_⟩
  intro g a ha
  unfold conj
  apply h
  rw [inv_mul_cancel_left]
  exact ha

theorem mul_comm_of_normal (N : α → Prop) (hN : IsNormal N) (a b : α) (h : N (a ∘' b)) :
    N (b ∘' a) := by
  sorry

theorem conjugate_normal (g a : α) (N : α → Prop) (hN : IsNormal N) :
    conjugate g N a ↔ N a := by
  constructor
  · intro h
    have h1 := hN.conj_mem g _ h
    rw [conj_conj, mul_inv, conj_one] at h1
    exact h1
  · intro h
    exact hN.conj_mem gⁱ a h

theorem inter_normal (M N : α → Prop) (hM : IsNormal M) (hN : IsNormal N) :
    IsNormal (fun a => M a ∧ N a) := by
  refine ⟨inter_subgroup M N hM.toIsSubgroup hN.toIsSubgroup, ?_⟩
  rintro g a ⟨h1, h2⟩
  exact ⟨hM.conj_mem g a h1, hN.conj_mem g a h2⟩

/-- The commutator of elements of two normal subgroups lies in both. -/
theorem commutator_mem_inter (M N : α → Prop) (hM : IsNormal M) (hN : IsNormal N) (a b : α)
    (ha : M a) (hb : N b) : M (commutator a b) ∧ N (commutator a b) := by
  constructor
  · have h1 := hM.conj_mem b _ (hM.inv_mem a ha)
    have h2 := hM.mul_mem _ _ ha h1
    unfold conj at h2
    rw [← assoc, ← assoc] at h2
    exact h2
  · have h1 := hN.conj_mem a _ hb
    exact hN.mul_mem _ _ h1 (hN.inv_mem b hb)

theorem commutes_of_disjoint_normal (M N : α → Prop) (hM : IsNormal M) (hN : IsNormal N)
    (h : ∀ c, M c → N c → c = ε) (a b : α) (ha : M a) (hb : N b) : Commutes a b := by
  sorry

theorem setProduct_normal (H N : α → Prop) (hH : IsSubgroup H) (hN : IsNormal N) :
    IsSubgroup (setProduct H N) := by
  refine ⟨?_, ?_, ?_⟩
  · exact ⟨ε, ε, hH.one_mem, hN.one_mem, (one_mul ε).symm⟩
  · rintro a b ⟨h, n, hh, hn, ha⟩ ⟨k, m, hk, hm, hb⟩
    refine ⟨h ∘' k, conj kⁱ n ∘' m, hH.mul_mem _ _ hh hk,
      hN.mul_mem _ _ (hN.conj_mem kⁱ n hn) hm, ?_⟩
    rw [ha, hb]
    unfold conj
    rw [inv_inv]
    simp only [assoc]
    rw [mul_inv_cancel_left]
  · rintro a ⟨h, n, hh, hn, ha⟩
    refine ⟨hⁱ, conj h nⁱ, hH.inv_mem h hh, hN.conj_mem h _ (hN.inv_mem n hn), ?_⟩
    rw [ha, inv_of_mul]
    unfold conj
    rw [assoc h, inv_mul_cancel_left]

theorem setProduct_comm (H K : α → Prop) (hH : IsSubgroup H) (hK : IsSubgroup K)
    (h : IsSubgroup (setProduct H K)) (a : α) : setProduct H K a ↔ setProduct K H a := by
  constructor
  · intro ha
    obtain ⟨x, y, hx, hy, h1⟩ := h.inv_mem a ha
    refine ⟨yⁱ, xⁱ, hK.inv_mem y hy, hH.inv_mem x hx, ?_⟩
    rw [← inv_of_mul, ← h1, inv_inv]
  · rintro ⟨k, x, hk, hx, ha⟩
    rw [ha]
    apply h.mul_mem
    · exact ⟨ε, k, hH.one_mem, hk, (one_mul k).symm⟩
    · exact ⟨x, ε, hx, hK.one_mem, (mul_one x).symm⟩

end Conjugates

section Cosets

theorem sameCoset_refl (H : α → Prop) (hH : IsSubgroup H) (a : α) : SameCoset H a a := by
  unfold SameCoset
  rw [inv_mul]
  exact hH.one_mem

theorem sameCoset_symm (H : α → Prop) (hH : IsSubgroup H) (a b : α) (h : SameCoset H a b) :
    SameCoset H b a := by
  unfold SameCoset at *
  have h1 := hH.inv_mem _ h
  rw [inv_of_mul, inv_inv] at h1
  exact h1

theorem sameCoset_trans (H : α → Prop) (hH : IsSubgroup H) (a b c : α)
    (h1 : SameCoset H a b) (h2 : SameCoset H b c) : SameCoset H a c := by
  unfold SameCoset at *
  have h3 := hH.mul_mem _ _ h1 h2
  rw [assoc, mul_inv_cancel_left] at h3
  exact h3

theorem sameCoset_iff (H : α → Prop) (a b : α) :
    SameCoset H a b ↔ ∃ h, H h ∧ b = a ∘' h := by
  unfold SameCoset
  constructor
  · intro h
    exact ⟨_, h, (mul_inv_cancel_left a b).symm⟩
  · rintro ⟨h, hh, h1⟩
    rw [h1, inv_mul_cancel_left]
    exact hh

theorem sameCoset_mul_left (H : α → Prop) (g a b : α) :
    SameCoset H (g ∘' a) (g ∘' b) ↔ SameCoset H a b := by
  unfold SameCoset
  rw [inv_of_mul, assoc, inv_mul_cancel_left]

theorem sameCoset_mul_right (N : α → Prop) (hN : IsNormal N) (g a b : α)
    (h : SameCoset N a b) : SameCoset N (a ∘' g) (b ∘' g) := by
  sorry
theorem sameCoset_inv (N : α → Prop) (hN : IsNormal N) (a b : α) (h : SameCoset N a b) :
    SameCoset N aⁱ bⁱ := by
  sorry

theorem coset_of_mem (H : α → Prop) (a : α) : SameCoset H ε a ↔ H a := by
  unfold SameCoset
  rw [inv_one, one_mul]

end Cosets

section Generation

theorem generated_subgroup (S : α → Prop) : IsSubgroup (Generated S) := by
  refine ⟨Generated.one, ?_, ?_⟩
  · intro a b ha hb
    exact Generated.mul a b ha hb
  · intro a ha
    exact Generated.inv a ha

theorem generated_least (S H : α → Prop) (hH : IsSubgroup H) (h : ∀ a, S a → H a) (a : α)
    (ha : Generated S a) : H a := by
  induction ha with
  | basic a hs => exact h a hs
  | one => exact hH.one_mem
  | mul a b _ _ iha ihb => exact hH.mul_mem a b iha ihb
  | inv a _ iha => exact hH.inv_mem a iha

theorem generated_mono (S T : α → Prop) (h : ∀ a, S a → T a) (a : α) (ha : Generated S a) :
    Generated T a := by
  apply generated_least S (Generated T) (generated_subgroup T) _ a ha
  intro b hb
  exact Generated.basic b (h b hb)

theorem generated_idem (S : α → Prop) (a : α) : Generated (Generated S) a ↔ Generated S a := by
  sorry
theorem generated_commutes (S : α → Prop) (h : ∀ a b, S a → S b → Commutes a b) (a b : α)
    (ha : Generated S a) (hb : Generated S b) : Commutes a b := by
  sorry

theorem generated_single (a b : α) (h : Generated (fun x => x = a) b) : ∃ n, b = zpow a n := by
  induction h with
  | basic b hb => exact ⟨1, by rw [hb]; exact (npow_one a).symm⟩
  | one => exact ⟨0, rfl⟩
  | mul b c _ _ ihb ihc =>
    obtain ⟨m, hm⟩ := ihb
    obtain ⟨n, hn⟩ := ihc
    refine ⟨m + n, ?_⟩
    rw [zpow_add, hm, hn]
  | inv b _ ihb =>
    obtain ⟨m, hm⟩ := ihb
    refine ⟨-m, ?_⟩
    rw [zpow_neg, hm]

theorem generated_conj (S : α → Prop) (h : ∀ g a, S a → S (conj g a)) :
    IsNormal (Generated S) := by
  sorry

end Generation

end Subgroup

end Algebra
