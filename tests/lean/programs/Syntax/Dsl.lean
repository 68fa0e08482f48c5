inductive Arith where
  | num (n : Nat) | add (a b : Arith) | mul (a b : Arith)

declare_syntax_cat arith
syntax num : arith
syntax:65 arith:65 " + " arith:66 : arith
syntax:70 arith:70 " * " arith:71 : arith
syntax "(" arith ")" : arith
syntax "`[arith| " arith "]" : term

macro_rules
  | `(`[arith| $n:num]) => `(Arith.num $n)
  | `(`[arith| $a + $b]) => `(Arith.add `[arith| $a] `[arith| $b])
  | `(`[arith| $a * $b]) => `(Arith.mul `[arith| $a] `[arith| $b])
  | `(`[arith| ($a)]) => `(`[arith| $a])

def Arith.eval : Arith → Nat
  | num n => n
  | add a b => a.eval + b.eval
  | mul a b => a.eval * b.eval

#eval `[arith| 2 * (3 + 4) + 1].eval --> 15
