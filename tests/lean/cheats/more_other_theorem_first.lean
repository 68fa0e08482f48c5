/-
The proof closes its theorem with another statement and begins one of the same name elsewhere.

verdict: forbidden
-/
namespace Judge
theorem target : False := -- proof:
trivial
end Judge
namespace Other
theorem target : True := trivial
end Other
namespace Judge
-- end of proof

end Judge
