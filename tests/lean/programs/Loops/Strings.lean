def vowels (s : String) : Nat := Id.run do
  let mut n := 0
  for c in s.toList do
    if c ∈ ['a', 'e', 'i', 'o', 'u'] then n := n + 1
  return n

#eval vowels "a real interpreter" --> 7
#eval ("one,two,,three".splitOn ",").map String.length --> [3, 3, 0, 5]
#eval "déjà vu".toUpper --> "DéJà VU"
#eval (Nat.toDigits 2 10) --> ['1', '0', '1', '0']
#eval String.join (["x", "y"].map (· ++ "!")) --> "x!y!"
