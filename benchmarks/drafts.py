"""What a proof that its author has begun is worth: theorems proved from the statement on, and from an outline.

    python benchmarks/drafts.py --output FOLDER --files Sums Queue        # files of benchmarks/tutorials/

Of each theorem whose proof has blocks (the arms of an ``induction``, what stands behind ``·``, ``by`` or a ``have``)
the outermost ones are replaced by ``sorry``, as an author leaves a proof that is not done. The other theorems keep
their proofs, so that both arms may use the same lemmas. Arms: ``statement`` has nothing but the statement, and
``outline`` that and the outline, within the same budget of Lean calls. A file that FOLDER has results of is not run
again.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from marks import Mark, show
from rich.console import Console
from rich.table import Table
from tutorials import FILES, LAKEFILE

from lean_agent.agent.run_folder import RunFolder
from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase
from lean_agent.files import write_atomically
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TracedFile, TracedTactic, TracedTheorem
from lean_agent.prover.config import SearchBudget, SearchConfig

ARMS = ("statement", "outline")
MORE = 1.25
"""Mark: so many times as many theorems from outlines as from statements."""
_BEFORE_A_BLOCK = re.compile(rb"(?:=>|\xc2\xb7|\bby)\s*$")

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Outline:
    """A theorem of a file: its place, its text without a proof, and with the outline of one."""

    place: Range
    statement: bytes
    outline: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out for one file in one arm."""

    name: str
    theorems: tuple[str, ...]
    proved: tuple[str, ...]
    lean_calls: int


def outermost(tactics: Sequence[TracedTactic]) -> list[Range]:
    """Return the ranges that are in no other one."""
    kept: list[Range] = []
    for start, end in sorted({(each.start, each.end) for each in tactics}, key=lambda range_: (range_[0], -range_[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def blocks(theorem: TracedTheorem, data: bytes) -> Iterator[Range]:
    """Yield the outermost blocks of tactics inside the tactics that a proof is made of."""
    for start, end in outermost(theorem.tactics):
        inside = outermost(
            [
                each
                for each in theorem.tactics
                if start <= each.start and (each.start, each.end) != (start, end) and each.end <= end
            ]
        )
        group: list[Range] = []
        for range_ in inside:
            if group and data[group[-1][1] : range_[0]].strip() not in (b"", b";"):
                yield group[0][0], group[-1][1]
                group = []
            group.append(range_)
        if group:
            yield group[0][0], group[-1][1]


def outlined(theorem: TracedTheorem, data: bytes) -> bytes | None:
    """Return the text of a theorem with its blocks replaced, or nothing where it has none."""
    text, cut = data[theorem.start : theorem.end], 0
    for start, end in reversed([*blocks(theorem, data)]):
        line = data[:start].rsplit(b"\n", 1)[-1]
        if not line.strip() or _BEFORE_A_BLOCK.search(line):
            text = text[: start - theorem.start] + b"sorry" + text[end - theorem.start :]
            cut += 1
    return text if cut else None


def opened(theorem: TracedTheorem) -> bytes:
    """Return the text of a theorem without a proof."""
    return f"{theorem.statement.strip().removesuffix(':=').rstrip()} := by\n  sorry".encode()


def replaced(data: bytes, texts: dict[Range, bytes]) -> str:
    """Return a file's text with others in some places."""
    for (start, end), text in sorted(texts.items(), reverse=True):
        data = data[:start] + text + data[end:]
    return data.decode()


def traced(lean: LeanPool, folder: Path, name: str, text: str) -> TracedFile:
    """Trace a text as the only file of a project."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lakefile.toml").write_text(LAKEFILE.format(name=name), encoding="utf-8")
    (folder / "lean-toolchain").write_text("leanprover/lean4:v4.28.0\n", encoding="utf-8")
    (folder / f"{name}.lean").write_text(text, encoding="utf-8")
    return lean.trace_file(LeanProject(folder, folder / "build"), f"{name}.lean")


def outlines(lean: LeanPool, file: Path, folder: Path) -> tuple[bytes, dict[str, Outline]]:
    """Return a file's text, and the theorems with an outline that Lean takes."""
    data = file.read_bytes()
    whole = traced(lean, folder, file.stem, data.decode())
    cut = {
        theorem.full_name: Outline((theorem.start, theorem.end), opened(theorem), text)
        for theorem in whole.theorems
        if not theorem.has_sorry and not theorem.is_example and (text := outlined(theorem, data))
    }
    begun = traced(lean, folder, file.stem, replaced(data, {each.place: each.outline for each in cut.values()}))
    taken = {theorem.full_name for theorem in begun.theorems if theorem.has_sorry}
    return data, {name: each for name, each in cut.items() if name in taken}


def prove(lean: LeanPool, file: Path, folder: Path, arm: str, calls: int) -> Outcome:
    """Prove the theorems that have an outline, from that or from their statements."""
    data, cut = outlines(lean, file, folder / "outlines")
    texts = {each.place: each.statement if arm == "statement" else each.outline for each in cut.values()}
    traced(lean, folder / "project", file.stem, replaced(data, texts))
    with DynamicDatabase(folder / "database.sqlite") as database:
        agent = ScriptedAgent(lean=lean, database=database, run=RunFolder(folder))
        agent.setup_local_repository(folder / "project")
        budget = SearchBudget(expansions=1000, lean_calls=calls, seconds=600.0)
        results = agent.prove(config=SearchConfig(budget=budget), save_trees=True) if cut else []
    proved = tuple(sorted(result.theorem.full_name for result in results if result.proved))
    return Outcome(file.stem, tuple(sorted(cut)), proved, sum(result.search.lean_calls for result in results))


def table_of(outcomes: dict[str, list[Outcome]]) -> Table:
    """Return a row for each file, and the sums."""
    table = Table("file", "theorems", *(f"proved: {arm}" for arm in ARMS), *(f"Lean calls: {arm}" for arm in ARMS))
    names = [outcome.name for outcome in outcomes[ARMS[0]]]
    for name, wanted in [*((name, {name}) for name in names), ("all", set(names))]:
        group = {arm: [each for each in outcomes[arm] if each.name in wanted] for arm in ARMS}
        sums = [sum(len(each.theorems) for each in group[ARMS[0]])]
        sums += [sum(len(each.proved) for each in group[arm]) for arm in ARMS]
        sums += [sum(each.lean_calls for each in group[arm]) for arm in ARMS]
        table.add_row(name, *map(str, sums))
    return table


def main() -> None:
    """Prove, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="a folder for projects, searches and results")
    parser.add_argument("--files", nargs="+", help="names of files; by default all that have proofs")
    parser.add_argument("--lean-calls", type=int, default=64, help="budget for each theorem")
    options = parser.parse_args()
    files = {file.stem: file for file in sorted(FILES.glob("*.lean"))}
    unknown = [name for name in options.files or () if name not in files]
    if unknown:
        parser.error(f"no such file: {', '.join(unknown)}; there are {', '.join(files)}")
    outcomes: dict[str, list[Outcome]] = {arm: [] for arm in ARMS}
    with LeanPool(workers=1) as lean:
        for name in options.files or files:
            for arm in ARMS:
                kept = options.output / name / arm / f"outcome_{options.lean_calls}.json"
                if not kept.is_file():
                    outcome = prove(lean, files[name], kept.parent, arm, options.lean_calls)
                    write_atomically(kept, json.dumps(asdict(outcome), indent=2).encode())
                outcomes[arm].append(Outcome(**json.loads(kept.read_text(encoding="utf-8"))))
    Console().print(table_of(outcomes))
    statement, outline = (sum(len(outcome.proved) for outcome in outcomes[arm]) for arm in ARMS)
    times = outline / max(1, statement)
    show(Mark("begun proofs: theorems proved, against the statement alone", times, MORE, "times", "at least"))


if __name__ == "__main__":
    main()
