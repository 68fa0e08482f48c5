"""Lean repositories of a given size and import graph, the same for the same seed.

``wide`` is a library of plain mathematics: files in a few layers, each importing some of the layers below and using
their theorems. ``batteries`` has the shape of a well-known library: 174 files, a good part of which import ``Lean`` or
``Std`` and define syntax, macros, elaborated tactics, simprocs and attributes that files above them use.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

Shape = Callable[[Path, int, int, int], None]

PROOFS = (
    "theorem {name} (a b c : Nat) (h : a + {k} ≤ b) : a + c + {k} ≤ b + c := by\n"
    "  have step : a + {k} + c ≤ b + c := Nat.add_le_add_right h c\n"
    "  omega\n",
    "theorem {name} (p q r : Prop) (h : p ∧ (q ∨ r)) : (p ∧ q) ∨ (p ∧ r) := by\n"
    "  obtain ⟨hp, hq | hr⟩ := h\n"
    "  · left\n    exact ⟨hp, hq⟩\n"
    "  · right\n    exact ⟨hp, hr⟩\n",
    "theorem {name} (n : Nat) : {f} n + {k} = n + {f} 0 + {k} := by\n"
    "  induction n with\n  | zero => simp\n  | succ n ih =>\n    unfold {f} at *\n    omega\n",
    "theorem {name} (xs ys : List Nat) : (xs ++ ys).length + {k} = ys.length + xs.length + {k} := by\n"
    "  rw [List.length_append, Nat.add_comm xs.length]\n",
    "theorem {name} (xs : List Nat) : (xs.map (· + {k})).length = xs.length := by\n"
    "  induction xs with\n  | nil => rfl\n  | cons x xs ih => simp\n",
    "theorem {name} (a b : Nat) (h : a = b) : {f} a + {k} = {f} b + {k} := by\n  subst h\n  rfl\n",
    "theorem {name} (s : Bool) : (s && !s || (s || {k} != {k}) && s) = s := by\n  cases s\n  all_goals simp\n",
)
"""Proofs of different kinds; ``{f}`` is the file's own function, ``{k}`` a number."""

USE = "theorem {name} (a b c : Nat) (h : a + {k} ≤ b) : a + c + {k} ≤ b + c := by\n  apply {lemma}\n  exact h\n"


def wide(folder: Path, files: int, theorems: int, seed: int = 0) -> None:
    """Write ``files`` files with ``theorems`` theorems in all; the longest chain of imports has eight files."""
    choose = random.Random(seed)
    layers = 8
    names = [f"F{number:04}" for number in range(files)]
    per_file = _shares(theorems, files)
    for number, name in enumerate(names):
        # the first eighth imports nothing; a file of layer k imports two or three of the layers below
        below = names[: (number * layers // files) * files // layers]
        imports = choose.sample(below, min(len(below), choose.randint(2, 3)))
        text = "".join(f"import Wide.{other}\n" for other in imports)
        text += f"\nnamespace Wide.{name}\n\ndef f (n : Nat) : Nat := n + {choose.randint(1, 9)}\n\n"
        text += "\n".join(_plain(name, imports, index, choose) for index in range(per_file[number]))
        _write(folder / "Wide" / f"{name}.lean", text + f"\nend Wide.{name}\n")
    _write(folder / "Wide.lean", "".join(f"import Wide.{name}\n" for name in names))
    _write(folder / "lakefile.toml", 'name = "wide"\n[[lean_lib]]\nname = "Wide"\n')


def batteries(folder: Path, files: int = 174, theorems: int = 2000, seed: int = 0) -> None:
    """Write a library of which every third file is a metaprogram over ``Lean``, used by the files above it."""
    choose = random.Random(seed)
    names = [f"M{number:03}" for number in range(files - 1)]
    metas = names[: files // 3]
    plain = names[files // 3 :]
    per_file = _shares(theorems, len(plain))
    for number, name in enumerate(metas):
        below = choose.sample(metas[:number], min(number, choose.randint(0, 2)))
        imports = ["import Lean\n", *(f"import Shape.{other}\n" for other in below)]
        _write(folder / "Shape" / f"{name}.lean", "".join(imports) + _meta(name, number))
    for number, name in enumerate(plain):
        uses = choose.sample(metas, 2)
        below = choose.sample(plain[: number * 3 // 4], min(number * 3 // 4, 2))
        imports = [f"import Shape.{other}\n" for other in (*uses, *below)]
        if number % 3 == 0:
            imports.insert(0, choose.choice(["import Std.Data.HashMap\n", "import Std.Tactic.BVDecide\n"]))
        text = "".join(imports) + f"\nnamespace Shape.{name}\n\ndef f (n : Nat) : Nat := n + 1\n\n"
        text += "\n".join(_plain(name, below, index, choose, "Shape") for index in range(per_file[number]))
        text += "".join(_meta_use(other, index) for index, other in enumerate(uses))
        _write(folder / "Shape" / f"{name}.lean", text + f"\nend Shape.{name}\n")
    _write(folder / "Shape.lean", "".join(f"import Shape.{name}\n" for name in names))
    _write(folder / "lakefile.toml", 'name = "shape"\n[[lean_lib]]\nname = "Shape"\n')


SHAPES: dict[str, Shape] = {"wide": wide, "batteries": batteries}


def _shares(total: int, parts: int) -> list[int]:
    return [total // parts + (index < total % parts) for index in range(parts)]


def _plain(file: str, imports: Sequence[str], index: int, choose: random.Random, library: str = "Wide") -> str:
    """Return a theorem. The first of a file can be used by others; some of these use the first of an import."""
    if index == 0:
        return PROOFS[0].format(name="first", k=7)
    if imports and index % 5 == 1:
        return USE.format(name=f"t{index}", k=7, lemma=f"{library}.{choose.choice(imports)}.first")
    return choose.choice(PROOFS).format(name=f"t{index}", k=choose.randint(1, 99), f="f")


def _meta(name: str, number: int) -> str:
    """Return a file of metaprograms: a notation, a macro tactic, an elaborated tactic, a simproc, an attribute."""
    word = name.lower()
    return f"""
open Lean Meta Elab Tactic

namespace Shape.{name}

/-- A notation. -/
scoped infixl:65 " ⊕{word} " => fun (a b : Nat) => a + b + {number}

/-- A tactic made of others. -/
macro "close_{word}" : tactic => `(tactic| first | rfl | omega | simp_all)

/-- A macro over a list. -/
syntax "all_{word} " "[" term,* "]" : term
macro_rules
  | `(all_{word} []) => `(True)
  | `(all_{word} [$x]) => `($x)
  | `(all_{word} [$x, $xs,*]) => `($x ∧ all_{word} [$xs,*])

/-- A tactic in `TacticM`. -/
elab "find_{word}" : tactic => withMainContext do
  let goal ← getMainGoal
  for decl in ← getLCtx do
    unless decl.isImplementationDetail do
      if ← isDefEq decl.type (← goal.getType) then
        goal.assign decl.toExpr
        return
  throwError "nothing fits"

def count_{word} (xs : Array Nat) : Nat := Id.run do
  let mut n := 0
  for x in xs do
    if x % 2 == 0 then n := n + x
  return n

/-- A simplification procedure. -/
def scaled_{word} (n : Nat) : Nat := {number} * n

simproc reduce_{word} (scaled_{word} _) := fun e => do
  let_expr scaled_{word} n ← e | return .continue
  let some n ← Nat.fromExpr? n | return .continue
  let value := mkNatLit ({number} * n)
  return .done {{ expr := value, proof? := some (mkApp2 (mkConst ``Eq.refl [1]) (mkConst ``Nat) value) }}

/-- An attribute, for the files above. -/
register_simp_attr set_{word}

theorem first (a b c : Nat) (h : a + 7 ≤ b) : a + c + 7 ≤ b + c := by
  close_{word}

end Shape.{name}
"""


def _meta_use(other: str, index: int) -> str:
    """Return theorems that need the syntax and the tactics of an imported file."""
    word = other.lower()
    doubled = f"Shape.{other}.scaled_{word} 2 = Shape.{other}.scaled_{word} 1 + Shape.{other}.scaled_{word} 1"
    return (
        f"\ntheorem by_macro{index} (a b : Nat) (h : a = b) : a + 1 = b + 1 := by\n  close_{word}\n"
        f"\ntheorem by_elab{index} (p q : Prop) (_hq : q) (hp : p) : p := by\n  find_{word}\n"
        f"\ntheorem by_list{index} : all_{word} [True, True, 1 = 1] := by\n  refine ⟨trivial, trivial, rfl⟩\n"
        f"\n@[set_{word}] theorem by_simproc{index} : {doubled} := by\n  simp\n"
        f"\ntheorem by_attribute{index} : {doubled} := by\n"
        f"  simp only [set_{word}]\n"
    )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
