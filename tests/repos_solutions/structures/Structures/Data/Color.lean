/-!
Small enumerations and functions on them.
-/

namespace Structures

inductive Color where
  | red
  | green
  | blue
  deriving DecidableEq

inductive Switch where
  | on
  | off

inductive Dir where
  | north
  | east
  | south
  | west

namespace Color

def next : Color → Color
  | red => green
  | green => blue
  | blue => red

def prev : Color → Color
  | red => blue
  | green => red
  | blue => green

def flip : Color → Color
  | red => blue
  | green => green
  | blue => red

def code : Color → Nat
  | red => 0
  | green => 1
  | blue => 2

theorem next_prev (c : Color) : next (prev c) = c := by
  cases c with
  | red => rfl
  | green => rfl
  | blue => rfl

theorem prev_next (c : Color) : prev (next c) = c := by
  cases c <;> rfl

theorem next_next (c : Color) : next (next c) = prev c := by
  cases c with
  | red => rfl
  | green => rfl
  | blue => rfl

theorem prev_prev (c : Color) : prev (prev c) = next c := by
  cases c with
  | red => rfl
  | green => rfl
  | blue => rfl

theorem next_three (c : Color) : next (next (next c)) = c := by
  cases c <;> rfl

theorem flip_twice (c : Color) : flip (flip c) = c := by
  cases c <;> rfl

theorem flip_next (c : Color) : flip (next c) = prev (flip c) := by
  cases c <;> rfl

theorem next_ne (c : Color) : next c ≠ c := by
  cases c <;> simp [next]

theorem prev_ne (c : Color) : prev c ≠ c := by
  cases c <;> simp [prev]

theorem next_inj (c d : Color) (h : next c = next d) : c = d := by
  rw [← prev_next c, h, prev_next]

theorem code_lt (c : Color) : code c < 3 := by
  cases c <;> decide

theorem code_inj (c d : Color) (h : code c = code d) : c = d := by
  cases c <;> cases d <;> simp_all [code]

theorem next_surj (c : Color) : ∃ d, next d = c := by
  exists prev c
  cases c <;> rfl

theorem flip_surj (c : Color) : ∃ d, flip d = c := by
  exists flip c
  cases c <;> rfl

theorem color_cases (c : Color) : c = red ∨ c = green ∨ c = blue := by
  cases c with
  | red =>
    left
    rfl
  | green =>
    right
    left
    rfl
  | blue =>
    right
    right
    rfl

theorem exists_fixed_flip : ∃ c, flip c = c := by
  exact ⟨green, rfl⟩

theorem not_red (c : Color) (h : c ≠ red) : c = green ∨ c = blue := by
  cases c with
  | red => contradiction
  | green =>
    left
    rfl
  | blue =>
    right
    rfl

theorem not_blue (c : Color) (h : c ≠ blue) : c = red ∨ c = green := by
  cases c with
  | red =>
    left
    rfl
  | green =>
    right
    rfl
  | blue => contradiction

theorem red_ne_blue : red ≠ blue := by
  decide

theorem green_ne_blue : green ≠ blue := by
  decide

theorem forall_color (p : Color → Prop) (h1 : p red) (h2 : p green) (h3 : p blue) :
    ∀ c, p c := by
  intro c
  cases c with
  | red => exact h1
  | green => exact h2
  | blue => exact h3

end Color

namespace Switch

def toggle : Switch → Switch
  | on => off
  | off => on

def both : Switch → Switch → Switch
  | on, on => on
  | _, _ => off

def either : Switch → Switch → Switch
  | off, off => off
  | _, _ => on

theorem toggle_toggle (s : Switch) : toggle (toggle s) = s := by
  cases s with
  | on => rfl
  | off => rfl

theorem both_comm (s t : Switch) : both s t = both t s := by
  cases s with
  | on =>
    cases t with
    | on => rfl
    | off => rfl
  | off =>
    cases t with
    | on => rfl
    | off => rfl

theorem either_comm (s t : Switch) : either s t = either t s := by
  cases s with
  | on =>
    cases t with
    | on => rfl
    | off => rfl
  | off =>
    cases t with
    | on => rfl
    | off => rfl

theorem both_assoc (s t u : Switch) : both (both s t) u = both s (both t u) := by
  cases s <;> cases t <;> cases u <;> rfl

theorem either_assoc (s t u : Switch) : either (either s t) u = either s (either t u) := by
  cases s <;> cases t <;> cases u <;> rfl

theorem both_self (s : Switch) : both s s = s := by
  cases s <;> rfl

theorem either_self (s : Switch) : either s s = s := by
  cases s <;> rfl

theorem toggle_both (s t : Switch) : toggle (both s t) = either (toggle s) (toggle t) := by
  cases s <;> cases t <;> rfl

theorem toggle_either (s t : Switch) : toggle (either s t) = both (toggle s) (toggle t) := by
  cases s <;> cases t <;> rfl

theorem both_either (s t u : Switch) : both s (either t u) = either (both s t) (both s u) := by
  cases s <;> cases t <;> cases u <;> rfl

end Switch

namespace Dir

def right : Dir → Dir
  | north => east
  | east => south
  | south => west
  | west => north

def back : Dir → Dir
  | north => south
  | east => west
  | south => north
  | west => east

def left : Dir → Dir
  | north => west
  | west => south
  | south => east
  | east => north

theorem right_right (d : Dir) : right (right d) = back d := by
  cases d with
  | north => rfl
  | east => rfl
  | south => rfl
  | west => rfl

theorem left_left (d : Dir) : left (left d) = back d := by
  cases d with
  | north => rfl
  | east => rfl
  | south => rfl
  | west => rfl

theorem left_right (d : Dir) : left (right d) = d := by
  cases d <;> rfl

theorem right_left (d : Dir) : right (left d) = d := by
  cases d <;> rfl

theorem back_back (d : Dir) : back (back d) = d := by
  cases d <;> rfl

theorem back_right (d : Dir) : back (right d) = left d := by
  cases d <;> rfl

theorem right_inj (d e : Dir) (h : right d = right e) : d = e := by
  rw [← left_right d, h, left_right]

theorem right_surj (d : Dir) : ∃ e, right e = d := by
  exists left d
  exact right_left d

end Dir

end Structures
