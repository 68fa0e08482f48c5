import Structures.Data
import Structures.Num
import Structures.Tree
import Structures.Expr
import Structures.Algebra
