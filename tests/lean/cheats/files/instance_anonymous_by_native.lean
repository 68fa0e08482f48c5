/-
An instance without a name, by the compiler's word.

axiom
asks: -
-/
theorem a : True := trivial
instance : Inhabited (PLift (10 < 20)) := ⟨⟨by native_decide⟩⟩
