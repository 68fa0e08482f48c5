import Structures.Num.Basic
import Structures.Num.Order
