import MiniMathlib.Tactic.Alias
import MiniMathlib.Tactic.Lemma
import MiniMathlib.Tactic.Projections
import MiniMathlib.Tactic.Additive
