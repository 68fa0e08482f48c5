/-
A private theorem with a hole has the name of the honest one.

target: sorry
asks: -
-/
namespace N
private theorem target : False := sorry
end N
theorem target : True := trivial
