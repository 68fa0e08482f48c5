import Structures.Data.Pair
import Structures.Data.Color
import Structures.Data.Vec
import Structures.Data.Seq
