import Automata.Regex.Basic
import Automata.Regex.Derivative
import Automata.Regex.Rewrite
