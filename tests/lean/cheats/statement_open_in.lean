/-
A namespace is opened inside the proof where `trivial` proves something else.

verdict: error
-/
namespace Mine
theorem trivial : True := True.intro
end Mine

theorem target : False := -- proof:
by open Mine in exact trivial
-- end of proof
