import Structures.Data.Pair

/-!
Vectors of the plane with integer coordinates, with notation for their operations.
-/

namespace Structures

structure Vec where
  x : Int
  y : Int

namespace Vec

def zero : Vec := ⟨0, 0⟩

def plus (u v : Vec) : Vec := ⟨u.x + v.x, u.y + v.y⟩

def neg (u : Vec) : Vec := ⟨-u.x, -u.y⟩

def scale (k : Int) (u : Vec) : Vec := ⟨k * u.x, k * u.y⟩

def dot (u v : Vec) : Int := u.x * v.x + u.y * v.y

/-- A quarter turn. -/
def turn (u : Vec) : Vec := ⟨-u.y, u.x⟩

def toPair (u : Vec) : Pair Int Int := ⟨u.x, u.y⟩

infixl:65 " ⊹ " => plus
infixl:70 " ⬝ " => dot
infixr:72 " ⊙ " => scale

theorem ext_parts (u v : Vec) (h1 : u.x = v.x) (h2 : u.y = v.y) : u = v := by
  cases u
  cases v
  simp_all

theorem plus_comm (u v : Vec) : u ⊹ v = v ⊹ u := by
  apply ext_parts
  · exact Int.add_comm u.x v.x
  · exact Int.add_comm u.y v.y

theorem plus_assoc (u v w : Vec) : u ⊹ v ⊹ w = u ⊹ (v ⊹ w) := by
  apply ext_parts
  · exact Int.add_assoc u.x v.x w.x
  · exact Int.add_assoc u.y v.y w.y

theorem plus_zero (u : Vec) : u ⊹ zero = u := by
  apply ext_parts
  · exact Int.add_zero u.x
  · exact Int.add_zero u.y

theorem zero_plus (u : Vec) : zero ⊹ u = u := by
  apply ext_parts
  · exact Int.zero_add u.x
  · exact Int.zero_add u.y

theorem plus_neg (u : Vec) : u ⊹ neg u = zero := by
  apply ext_parts
  · exact Int.add_right_neg u.x
  · exact Int.add_right_neg u.y

theorem neg_plus (u : Vec) : neg u ⊹ u = zero := by
  apply ext_parts
  · exact Int.add_left_neg u.x
  · exact Int.add_left_neg u.y

theorem neg_neg (u : Vec) : neg (neg u) = u := by
  simp [neg]

theorem neg_zero : neg zero = zero := by
  rfl

theorem neg_of_plus (u v : Vec) : neg (u ⊹ v) = neg u ⊹ neg v := by
  simp only [neg, plus]
  rw [Int.neg_add, Int.neg_add]

theorem plus_left_cancel (u v w : Vec) (h : u ⊹ v = u ⊹ w) : v = w := by
  simp only [plus] at h
  injection h with h1 h2
  apply ext_parts
  · omega
  · omega

theorem plus_right_cancel (u v w : Vec) (h : v ⊹ u = w ⊹ u) : v = w := by
  simp only [plus] at h
  injection h with h1 h2
  apply ext_parts
  · omega
  · omega

theorem one_scale (u : Vec) : 1 ⊙ u = u := by
  simp [scale]

theorem zero_scale (u : Vec) : 0 ⊙ u = zero := by
  simp [scale, zero]

theorem scale_zero (k : Int) : k ⊙ zero = zero := by
  simp [scale, zero]

theorem scale_plus (k : Int) (u v : Vec) : k ⊙ (u ⊹ v) = k ⊙ u ⊹ k ⊙ v := by
  simp only [scale, plus]
  rw [Int.mul_add, Int.mul_add]

theorem add_scale (k m : Int) (u : Vec) : (k + m) ⊙ u = k ⊙ u ⊹ m ⊙ u := by
  simp only [scale, plus]
  rw [Int.add_mul, Int.add_mul]

theorem scale_scale (k m : Int) (u : Vec) : k ⊙ m ⊙ u = (k * m) ⊙ u := by
  simp only [scale]
  rw [Int.mul_assoc, Int.mul_assoc]

theorem two_scale (u : Vec) : 2 ⊙ u = u ⊹ u := by
  simp only [scale, plus]
  rw [Int.two_mul, Int.two_mul]

theorem scale_neg (k : Int) (u : Vec) : k ⊙ neg u = neg (k ⊙ u) := by
  simp only [scale, neg]
  rw [Int.mul_neg, Int.mul_neg]

theorem dot_comm (u v : Vec) : u ⬝ v = v ⬝ u := by
  simp only [dot]
  rw [Int.mul_comm u.x, Int.mul_comm u.y]

theorem dot_zero (u : Vec) : u ⬝ zero = 0 := by
  simp [dot, zero]

theorem zero_dot (u : Vec) : zero ⬝ u = 0 := by
  simp [dot, zero]

theorem dot_plus (u v w : Vec) : u ⬝ (v ⊹ w) = u ⬝ v + u ⬝ w := by
  simp only [dot, plus]
  rw [Int.mul_add, Int.mul_add]
  omega

theorem dot_turn (u : Vec) : u ⬝ turn u = 0 := by
  simp only [dot, turn]
  rw [Int.mul_neg, Int.mul_comm u.y]
  omega

theorem turn_turn (u : Vec) : turn (turn u) = neg u := by
  rfl

theorem turn_four (u : Vec) : turn (turn (turn (turn u))) = u := by
  simp [turn]

theorem turn_plus (u v : Vec) : turn (u ⊹ v) = turn u ⊹ turn v := by
  simp only [turn, plus]
  rw [Int.neg_add]

theorem turn_neg (u : Vec) : turn (neg u) = neg (turn u) := by
  rfl

theorem exists_neg (u : Vec) : ∃ v, v ⊹ u = zero := by
  exists neg u
  exact neg_plus u

theorem exists_half (u : Vec) : ∃ v, v = u ⊹ u := by
  exists u ⊹ u

theorem exists_sub (u v : Vec) : ∃ w, u ⊹ w = v := by
  exists ⟨v.x - u.x, v.y - u.y⟩
  apply ext_parts
  · simp only [plus]
    omega
  · simp only [plus]
    omega

theorem toPair_inj (u v : Vec) (h : toPair u = toPair v) : u = v := by
  injection h with h1 h2
  apply ext_parts
  · exact h1
  · exact h2

theorem toPair_turn (u : Vec) : (toPair (turn u)).snd = (toPair u).fst := by
  rfl

end Vec

end Structures
