/-! Pairs, and a letter beyond ASCII: ∀. -/
namespace Pair

/-- A name of our own for the pair. -/
theorem both {p q : Prop} (hp : p) (hq : q) : p ∧ q := ⟨hp, hq⟩

def double (n : Nat) : Nat := n + n

end Pair
