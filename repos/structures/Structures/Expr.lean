import Structures.Expr.Basic
import Structures.Expr.Opt
