import Structures.Algebra.Monoid
import Structures.Algebra.Group
import Structures.Algebra.Hom
