"""Traced files of a large library, made without Lean: the same for the same number, each by itself.

The shape is that of LeanDojo Benchmark 4: for each file 24 theorems, 52 tactics and 34 declarations that can be
premises; a share of statements says nearly what another says. Words are drawn by Zipf's law, and a file imports files
of lower numbers, near ones and far ones, so that late files see most of the library.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate

from lean_agent.lean.types import (
    Position,
    Premise,
    TracedDeclaration,
    TracedFile,
    TracedTactic,
    TracedTheorem,
)

THEOREMS, TACTICS, OTHERS = 24, 52, 10
"""Of each file: theorems, tactics in all their proofs, and declarations that are no theorems."""
WITH_TACTICS = 11
"""Theorems of a file that are proved by tactics; the others by terms."""
NEAR = 0.04
"""The share of statements that are an earlier one of their file with a single word changed."""
AREA = 25
"""Files of one namespace."""
_SYLLABLES = ("add", "mul", "map", "comm", "left", "right", "zero", "one", "sup", "inf", "norm", "fin", "set", "mem",
              "range", "sum", "prod", "lim", "cont", "deriv", "meas", "ker", "span", "deg", "root", "card")  # fmt: skip
_TYPES = ("Nat", "Int", "Real", "Set α", "Finset α", "List β", "α", "β", "Polynomial R", "Matrix n n R")
_RELATIONS = ("=", "≤", "<", "∈", "↔", "≠", "∣")
_HEADS = ("rw", "simp only", "exact", "apply", "refine", "linarith", "have h :=")


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Return constants of the library, and their cumulated weights: the n-th weighs 1/n."""
    rng = random.Random(7)
    names = {
        f"{rng.choice(_SYLLABLES).title()}.{rng.choice(_SYLLABLES)}_{rng.choice(_SYLLABLES)}" for _ in range(9_000)
    }
    ordered = sorted(names)
    rng.shuffle(ordered)
    return ordered, list(accumulate(1 / rank for rank in range(1, len(ordered) + 1)))


def theorem_name(file: int, number: int) -> str:
    """Return the full name of a theorem, which says nothing of its statement but is unique."""
    rng = random.Random(f"{file} {number}")
    return f"Area{file // AREA}.{'_'.join(rng.sample(_SYLLABLES, 3))}_{file}_{number}"


def path_of(file: int) -> str:
    """Return the path of a file."""
    return f"Library/Area{file // AREA}/File{file}.lean"


def module_of(file: int) -> str:
    """Return the module of a file."""
    return path_of(file).removesuffix(".lean").replace("/", ".")


def imported_by(file: int) -> list[int]:
    """Return the files that a file imports: two near ones and a far one."""
    rng = random.Random(f"imports {file}")
    near = [file - rng.randint(1, AREA) for _ in range(2)]
    return sorted({other for other in (*near, rng.randrange(file) if file else -1) if other >= 0})


def traced_file(file: int) -> TracedFile:
    """Make one traced file."""
    rng = random.Random(file)
    theorems: list[TracedTheorem] = []
    declarations: list[TracedDeclaration] = []
    statements: list[tuple[str, str]] = []
    lengths = _parts(rng, TACTICS, WITH_TACTICS)
    at = 200
    for number in range(THEOREMS):
        binders, target = _near(rng, statements) if statements and rng.random() < NEAR else _statement(rng)
        statements.append((binders, target))
        name = theorem_name(file, number)
        steps = lengths[number] if number < WITH_TACTICS else 0
        tactics = tuple(_tactics(rng, file, (binders, target), steps, at + 150))
        size = 150 + 60 * steps
        start, end = Position(10 + 12 * number, 0), Position(20 + 12 * number, 8)
        statement = f"theorem {name.rpartition('.')[2]} {binders} :\n    {target}"
        proof = "by\n" + "".join(f"  {tactic.tactic}\n" for tactic in tactics) if tactics else f":= {_word(rng)} _ _"
        printed = f"∀ {binders}, {target}"
        digest = hashlib.blake2b(printed.encode(), digest_size=8).hexdigest()
        theorems.append(
            TracedTheorem(
                name, statement, proof, "tactic" if tactics else "term", False, printed, digest, at, at + size, start,
                end, tactics, () if tactics else tuple(_premises(rng, file, at, 2)),
            )
        )  # fmt: skip
        declarations.append(TracedDeclaration(name, "theorem", f"{statement} :=\n{proof}", at, at + size, start, end))
        at += size + 2
    for number in range(OTHERS):
        line = 20 + 12 * THEOREMS + 4 * number
        stated = f"def {_word(rng)}_{file}_{number} (x y : {rng.choice(_TYPES)}) : {rng.choice(_TYPES)}"
        code = f"{stated} :=\n  {_term(rng, 9)}"
        declarations.append(
            TracedDeclaration(
                f"Area{file // AREA}.def_{file}_{number}", "definition", code, at, at + 80, Position(line, 0),
                Position(line + 1, 9),
            )
        )  # fmt: skip
        at += 82
    imports = tuple(["Init", *map(module_of, imported_by(file))])
    return TracedFile(
        path_of(file),
        module_of(file),
        imports,
        tuple(theorems),
        tuple(declarations),
        (),
        1.0,
        0.1,
        lean_version="4.28.0",
    )


def goals(count: int, files: int) -> Iterator[tuple[str, int]]:
    """Yield goals as Lean prints them, with the number of the file that they stand in, spread over the last half."""
    rng = random.Random(11)
    for _ in range(count):
        binders, target = _statement(rng)
        yield _state(binders, target), rng.randrange(files // 2, files)


def _tactics(rng: random.Random, file: int, statement: tuple[str, str], steps: int, at: int) -> Iterator[TracedTactic]:
    binders, target = statement
    for step in range(steps):
        premises = list(_premises(rng, file, at, rng.choice((0, 1, 1, 2))))
        text = f"{rng.choice(_HEADS)} [{', '.join(premise.full_name for premise in premises) or _word(rng)}]"
        after = f"{_term(rng, 5)} {rng.choice(_RELATIONS)} {_term(rng, 4)}"
        last = step == steps - 1
        yield TracedTactic(
            text, text, at, at + len(text.encode()), _state(binders, target),
            "no goals" if last else _state(binders, after), 1, 0 if last else 1, tuple(_placed(premises, text, at)),
        )  # fmt: skip
        target, at = after, at + 60


def _placed(premises: Sequence[Premise], text: str, at: int) -> Iterator[Premise]:
    for premise in premises:
        start = at + len(text[: text.index(premise.full_name)].encode())
        yield Premise(premise.full_name, premise.module, start, start + len(premise.full_name.encode()))


def _premises(rng: random.Random, file: int, at: int, count: int) -> Iterator[Premise]:
    """Yield theorems of earlier files, and now and then one of Lean's own."""
    for _ in range(count):
        if file == 0 or rng.random() < 0.2:
            yield Premise(f"Nat.{rng.choice(_SYLLABLES)}_{rng.choice(_SYLLABLES)}", "Init.Data.Nat.Basic", at, at + 1)
        else:
            other = int(file * rng.random() ** 2)
            yield Premise(theorem_name(other, rng.randrange(THEOREMS)), module_of(other), at, at + 1)


def _statement(rng: random.Random) -> tuple[str, str]:
    names = rng.sample("abcdfghkmnpqrstuvwxyz", rng.randint(2, 5))
    binders = " ".join(f"({name} : {rng.choice(_TYPES)})" for name in names)
    hypotheses = "".join(
        f" (h{number} : {_term(rng, 2)} {rng.choice(_RELATIONS)} {rng.choice(names)})"
        for number in range(rng.randint(0, 3))
    )
    target = (
        f"{_term(rng, rng.randint(2, 6))} {rng.choice(names)} {rng.choice(_RELATIONS)} {_term(rng, rng.randint(1, 4))}"
    )
    return binders + hypotheses, target


def _near(rng: random.Random, statements: Sequence[tuple[str, str]]) -> tuple[str, str]:
    binders, target = rng.choice(statements)
    return binders, f"{target} + {rng.randint(0, 9)}"


def _state(binders: str, target: str) -> str:
    return "\n".join([*(part.strip("()") for part in binders.split(") (")), f"⊢ {target}"])


def _term(rng: random.Random, size: int) -> str:
    return " ".join(_word(rng) if place % 2 == 0 else f"({_word(rng)} x{place})" for place in range(size))


def _word(rng: random.Random) -> str:
    names, weights = vocabulary()
    return rng.choices(names, cum_weights=weights)[0]


def _parts(rng: random.Random, total: int, parts: int) -> list[int]:
    """Return positive numbers with this sum."""
    cuts = sorted(rng.sample(range(1, total), parts - 1))
    return [end - start for start, end in zip([0, *cuts], [*cuts, total], strict=True)]
