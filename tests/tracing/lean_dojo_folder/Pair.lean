import Pair.Swap
