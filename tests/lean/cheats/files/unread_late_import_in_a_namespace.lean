/-
An import ends the file inside a namespace.

told: what follows was not read
asks: N.target
-/
namespace N
theorem a : True := trivial
import Init
theorem target : False := sorry
end N
