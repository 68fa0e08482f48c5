/-! # Run-length encoding

A text is a list of characters, its encoding an array of runs. -/

namespace Rle

structure Run where
  char : Char
  count : Nat
  deriving DecidableEq, Repr

def Run.expand (r : Run) : List Char := List.replicate r.count r.char

/-- Put one character before a list of runs. -/
def addChar (c : Char) : List Run → List Run
  | [] => [⟨c, 1⟩]
  | r :: rs => if c = r.char then ⟨c, r.count + 1⟩ :: rs else ⟨c, 1⟩ :: r :: rs

def encode : List Char → List Run
  | [] => []
  | c :: s => addChar c (encode s)

def decode (rs : List Run) : List Char := rs.flatMap Run.expand

def encodeString (s : String) : Array Run := (encode s.toList).toArray

def decodeArray (rs : Array Run) : String := String.ofList (decode rs.toList)

/-- No run is empty, and neighbours have different characters. -/
inductive Normal : List Run → Prop where
  | nil : Normal []
  | single {r} : r.count ≠ 0 → Normal [r]
  | cons {r q rs} : r.count ≠ 0 → r.char ≠ q.char → Normal (q :: rs) → Normal (r :: q :: rs)

/-- The number of characters that the runs stand for. -/
def total (rs : List Run) : Nat := (rs.map Run.count).sum

theorem encode_example : encode ['a', 'a', 'b', 'a'] = [⟨'a', 2⟩, ⟨'b', 1⟩, ⟨'a', 1⟩] := by
  decide

theorem length_expand (r : Run) : r.expand.length = r.count :=
  List.length_replicate

theorem length_decode (rs : List Run) : (decode rs).length = total rs := by
  induction rs with
  | nil => rfl
  | cons r rs ih =>
    simp only [decode, total, List.flatMap_cons, List.length_append, length_expand,
      List.map_cons, List.sum_cons] at ih ⊢
    rw [ih]

theorem exists_addChar (c : Char) (rs : List Run) : ∃ n qs, addChar c rs = ⟨c, n⟩ :: qs := by
  cases rs with
  | nil => exact ⟨1, [], rfl⟩
  | cons r rs =>
    rw [addChar]
    split <;> exact ⟨_, _, rfl⟩

theorem decode_addChar (c : Char) (rs : List Run) : decode (addChar c rs) = c :: decode rs := by
  cases rs with
  | nil => rfl
  | cons r rs =>
    rw [addChar]
    split
    · next h => simp [decode, Run.expand, h, List.replicate_succ]
    · rfl

theorem decode_encode (s : List Char) : decode (encode s) = s := by
  induction s with
  | nil => rfl
  | cons c s ih => rw [encode, decode_addChar, ih]

theorem encode_injective {s t : List Char} (h : encode s = encode t) : s = t := by
  rw [← decode_encode s, h, decode_encode]

theorem decodeArray_encodeString (s : String) : decodeArray (encodeString s) = s := by
  simp [decodeArray, encodeString, decode_encode]

theorem total_encode (s : List Char) : total (encode s) = s.length := by
  rw [← length_decode, decode_encode]

theorem length_addChar_le (c : Char) (rs : List Run) : (addChar c rs).length ≤ rs.length + 1 := by
  cases rs with
  | nil => exact Nat.le_refl _
  | cons r rs =>
    rw [addChar]
    split <;> simp

theorem length_encode_le (s : List Char) : (encode s).length ≤ s.length := by
  induction s with
  | nil => exact Nat.le_refl _
  | cons c s ih => exact Nat.le_trans (length_addChar_le c _) (Nat.succ_le_succ ih)

theorem size_encodeString_le (s : String) : (encodeString s).size ≤ s.length := by
  rw [encodeString, List.size_toArray, ← String.length_toList]
  exact length_encode_le s.toList

/-! ## Normal forms -/

theorem normal_addChar (c : Char) {rs : List Run} (h : Normal rs) : Normal (addChar c rs) := by
  cases h with
  | nil => exact .single (Nat.succ_ne_zero 0)
  | single _ =>
    rw [addChar]
    split
    · exact .single (Nat.succ_ne_zero _)
    · next hc => exact .cons (Nat.succ_ne_zero 0) hc (.single ‹_›)
  | cons h₁ h₂ h₃ =>
    rw [addChar]
    split
    · next hc => exact .cons (Nat.succ_ne_zero _) (by rw [hc]; exact h₂) h₃
    · next hc => exact .cons (Nat.succ_ne_zero 0) hc (.cons h₁ h₂ h₃)

theorem normal_encode (s : List Char) : Normal (encode s) := by
  induction s with
  | nil => exact .nil
  | cons c s ih => exact normal_addChar c ih

/-- Encoding a run before a text that begins otherwise. -/
theorem encode_replicate_append (c : Char) (n : Nat) {s : List Char} (h : s.head? ≠ some c) :
    encode (List.replicate (n + 1) c ++ s) = ⟨c, n + 1⟩ :: encode s := by
  induction n with
  | zero =>
    cases s with
    | nil => rfl
    | cons d s =>
      have hd : c ≠ d := fun e => h (congrArg some e.symm)
      show addChar c (addChar d (encode s)) = _ :: addChar d (encode s)
      obtain ⟨k, qs, hk⟩ := exists_addChar d (encode s)
      rw [hk, addChar, if_neg hd]
  | succ n ih =>
    rw [List.replicate_succ, List.cons_append, encode, ih]
    simp [addChar]

theorem encode_decode {rs : List Run} (h : Normal rs) : encode (decode rs) = rs := by
  induction h with
  | nil => rfl
  | @single r hr =>
    obtain ⟨c, _ | n⟩ := r
    · exact absurd rfl hr
    · exact encode_replicate_append c n (s := []) nofun
  | @cons r q rs hr hne hq ih =>
    obtain ⟨c, _ | n⟩ := r
    · exact absurd rfl hr
    · obtain ⟨d, _ | m⟩ := q
      · cases hq <;> contradiction
      · rw [show decode (⟨c, n + 1⟩ :: ⟨d, m + 1⟩ :: rs)
          = List.replicate (n + 1) c ++ decode (⟨d, m + 1⟩ :: rs) from rfl,
          encode_replicate_append c n, ih]
        intro he
        exact hne (Option.some.inj he).symm

theorem normal_iff {rs : List Run} : Normal rs ↔ ∃ s, encode s = rs :=
  ⟨fun h => ⟨decode rs, encode_decode h⟩, fun ⟨s, hs⟩ => hs ▸ normal_encode s⟩

end Rle
