import Arithmetic.Functions
import Arithmetic.Sums
import Arithmetic.Order
import Arithmetic.Divides
import Arithmetic.Integers
