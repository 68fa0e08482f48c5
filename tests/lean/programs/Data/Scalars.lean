#eval [1, 2, 300].map Nat.toUInt8 --> [1, 2, 44]
#eval "abc".toList.map Char.toNat --> [97, 98, 99]
#eval ([1, 2, 3] : List UInt8).map UInt8.toNat --> [1, 2, 3]
#eval ([4.0, 9.0] : List Float).map Float.sqrt --> [2.000000, 3.000000]
#eval (5 : UInt64) - 6 --> 18446744073709551615
#eval "ab".toUTF8.toList.map UInt8.toNat --> [97, 98]
#eval (#[3, 1, 2] : Array USize).qsort (· < ·) --> #[1, 2, 3]
#eval (#[3.5, 1.5] : Array Float).foldl (· + ·) 0 --> 5.000000
def shifted (b : ByteArray) : ByteArray := Id.run do
  let mut out := ByteArray.empty
  for x in b do
    out := out.push (x + 1)
  return out
#eval (shifted "HAL".toUTF8).toList.map (Char.ofNat ·.toNat) --> ['I', 'B', 'M']
#eval (2 : Int) - 5 --> -3
#eval (10#8 : BitVec 8) + 250#8 --> 0x04#8
