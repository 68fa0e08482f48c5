import Numbers.Measures
import Numbers.Euclid
import Numbers.Primes
import Numbers.Sums
import Numbers.Congruence
import Numbers.Fibonacci
import Numbers.Binomial
import Numbers.Digits
