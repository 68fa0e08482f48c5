import Std.Data.Iterators

#eval [1, 2, 3].iter.map (· * 10) |>.toList --> [10, 20, 30]
#eval [1, 2, 3, 4].iter.filter (· % 2 == 0) |>.toArray --> #[2, 4]
def folded : Nat := Id.run do
  let mut s := 0
  for x in [1, 2, 3].iter do
    s := s + x
  return s
#eval folded --> 6
