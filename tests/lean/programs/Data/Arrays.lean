#eval (#[5, 3, 8, 1].qsort (· < ·)) --> #[1, 3, 5, 8]
#eval #[1, 2, 3, 4][1:3].toArray --> #[2, 3]
#eval #[1, 3, 5, 7].binSearch 5 (· < ·) --> some 5
#eval (#[1, 2, 3].zip #["a", "b", "c"]).map (·.2) --> #["a", "b", "c"]
#eval #[1, 2, 3].foldr (· :: ·) [] --> [1, 2, 3]
#eval (#[1, 2, 3, 4].filter (· % 2 == 0)).toList --> [2, 4]
#eval Array.range 4 |>.map (· ^ 2) |>.foldl (· + ·) 0 --> 14
#eval #["b", "a"].insertionSort (· < ·) --> #["a", "b"]
#eval [3, 1, 2].mergeSort --> [1, 2, 3]
#eval (#[1, 2, 3].any (· > 2), #[1, 2].all (· > 2), #[4].contains 4) --> (true, false, true)
