class Shape (α : Type) where
  area : α → Nat
  describe (a : α) : String := s!"area {area a}"

structure Square where side : Nat
structure Box where (w h : Nat)
instance : Shape Square := ⟨fun s => s.side ^ 2, fun s => s!"square {s.side}"⟩
instance : Shape Box where area b := b.w * b.h

#eval Shape.describe (Square.mk 3) --> "square 3"
#eval Shape.describe (Box.mk 2 5) --> "area 10"

instance : Coe Square Box := ⟨fun s => ⟨s.side, s.side⟩⟩
def wide (b : Box) : Nat := b.w
#eval wide (Square.mk 4 : Square) --> 4
instance : Add Square := ⟨fun a b => ⟨a.side + b.side⟩⟩
instance : ToString Square := ⟨fun s => s!"[{s.side}]"⟩
#eval toString (Square.mk 1 + Square.mk 2) --> "[3]"
