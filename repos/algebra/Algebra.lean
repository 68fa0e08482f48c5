import Algebra.Semigroup
import Algebra.Group
import Algebra.Subgroup
import Algebra.Hom
import Algebra.Action
import Algebra.Ring
import Algebra.Poly
import Algebra.Boolean
