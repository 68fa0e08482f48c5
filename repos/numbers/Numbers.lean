import Numbers.Measures
import Numbers.Euclid
import Numbers.Primes
import Numbers.Sums
