/-
An instance without a name.

instInhabitedFalse_instance_without_a_name: sorry
asks: -
-/
theorem a : True := trivial
instance : Inhabited False := ⟨sorry⟩
