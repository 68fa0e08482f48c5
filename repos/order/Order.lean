import Order.Basic
import Order.Bounds
import Order.Monotone
import Order.Galois
import Order.Lattice
import Order.Product
import Order.Descent
import Order.MinMax
