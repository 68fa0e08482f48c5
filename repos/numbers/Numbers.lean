import Numbers.Measures
import Numbers.Euclid
