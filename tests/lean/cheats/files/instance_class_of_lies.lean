/-
A class holds a lie, an instance of it a hole.

instEvil: sorry
target: sorry
-/
class Evil where
  lie : False
instance instEvil : Evil := ⟨sorry⟩
theorem target : False := Evil.lie
