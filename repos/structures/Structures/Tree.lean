import Structures.Tree.Basic
import Structures.Tree.Ops
import Structures.Tree.Mem
