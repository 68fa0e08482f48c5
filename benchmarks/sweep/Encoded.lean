/-
The value of a call as a list of numbers, so that the kernel can be asked whether it computes the same.
-/
import Lean
import Std

namespace Sweep

class Encoded (α : Type) where
  code : α → List Int

export Encoded (code)

instance : Encoded Nat := ⟨fun n => [n]⟩
instance : Encoded Int := ⟨fun n => [n]⟩
instance : Encoded Bool := ⟨fun b => [if b then 1 else 0]⟩
instance : Encoded Char := ⟨fun c => [c.toNat]⟩
instance : Encoded Unit := ⟨fun _ => []⟩
instance [Encoded α] : Encoded (List α) := ⟨fun l => (l.length : Int) :: l.flatMap code⟩
instance [Encoded α] : Encoded (Array α) := ⟨fun a => code a.toList⟩
instance : Encoded String := ⟨fun s => code s.toList⟩
instance [Encoded α] : Encoded (Option α) := ⟨fun | none => [0] | some a => 1 :: code a⟩
instance [Encoded α] [Encoded β] : Encoded (α × β) := ⟨fun p => code p.1 ++ code p.2⟩
instance [Encoded α] [Encoded β] : Encoded (α ⊕ β) := ⟨fun | .inl a => 0 :: code a | .inr b => 1 :: code b⟩
instance [Encoded α] [Encoded β] : Encoded (Except α β) := ⟨fun | .error a => 0 :: code a | .ok b => 1 :: code b⟩
instance [Encoded α] : Encoded (Id α) := ⟨fun a => code (α := α) a⟩
instance : Encoded Ordering := ⟨fun | .lt => [-1] | .eq => [0] | .gt => [1]⟩
instance : Encoded (Fin n) := ⟨fun i => [i.val]⟩
instance : Encoded (BitVec n) := ⟨fun b => [b.toNat]⟩
instance : Encoded UInt8 := ⟨fun n => [n.toNat]⟩
instance : Encoded UInt16 := ⟨fun n => [n.toNat]⟩
instance : Encoded UInt32 := ⟨fun n => [n.toNat]⟩
instance : Encoded UInt64 := ⟨fun n => [n.toNat]⟩
instance : Encoded USize := ⟨fun n => [n.toNat]⟩
instance : Encoded Int8 := ⟨fun n => [n.toInt]⟩
instance : Encoded Int16 := ⟨fun n => [n.toInt]⟩
instance : Encoded Int32 := ⟨fun n => [n.toInt]⟩
instance : Encoded Int64 := ⟨fun n => [n.toInt]⟩
instance : Encoded ISize := ⟨fun n => [n.toInt]⟩
instance : Encoded Float := ⟨fun x => [x.toBits.toNat]⟩
instance : Encoded Float32 := ⟨fun x => [x.toBits.toNat]⟩
instance : Encoded ByteArray := ⟨fun b => code b.data⟩
instance : Encoded FloatArray := ⟨fun b => code b.data⟩
instance : Encoded String.Pos.Raw := ⟨fun p => [p.byteIdx]⟩
instance : Encoded Substring.Raw := ⟨fun s => [s.startPos.byteIdx, s.stopPos.byteIdx]⟩
instance : Encoded String.Slice := ⟨fun s => code s.copy⟩
instance : Encoded Lean.Name := ⟨fun n => code n.toString⟩
instance [Encoded α] : Encoded (Subarray α) := ⟨fun a => code a.toArray⟩
instance [Encoded α] : Encoded (Thunk α) := ⟨fun a => code a.get⟩
instance {p : α → Prop} [Encoded α] : Encoded (Subtype p) := ⟨fun a => code a.val⟩
instance [Encoded α] : Encoded (Vector α n) := ⟨fun v => code v.toArray⟩
instance : Encoded Std.Format := ⟨fun f => code f.pretty⟩
instance : Encoded Rat := ⟨fun q => [q.num, q.den]⟩
instance {p : Prop} : Encoded (Decidable p) := ⟨fun | .isTrue _ => [1] | .isFalse _ => [0]⟩

end Sweep
