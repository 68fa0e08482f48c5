"""How many theorems of small projects are proved when nothing but their statements is there, without a model.

    python benchmarks/tutorials.py --output FOLDER                      # all 43 files of benchmarks/tutorials/
    python benchmarks/tutorials.py --output FOLDER --files Sums Queue   # these

Each file is a project by itself, of the kind that tutorials and courses have, with its own definitions and proofs, and
was written before anything was tried on it; ``Induction`` has fifty theorems after the literature, without proofs, that
need lemmas which nobody has stated. Theorems are opened (``by sorry``), traced into an empty database, and proved
within a budget of Lean calls. Files that tactics were made by are counted apart. A file that FOLDER has results of is
not run again.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from marks import Mark, show
from rich.console import Console
from rich.table import Table

from lean_agent.agent.run_folder import RunFolder
from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase
from lean_agent.files import write_atomically
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TracedFile
from lean_agent.prover.config import SearchBudget, SearchConfig

FILES = Path(__file__).with_suffix("")
LOOKED_AT = frozenset(
    {"Automata", "Brackets", "Bst", "Categories", "Compiler", "Descent", "Divides", "Euclid", "Games", "Imp"}
    | {"Induction", "Maps", "Matrices", "Monads", "Printer", "Regex", "Relations", "Streams", "Sums", "Topology"}
    | {"Vectors", "Zpairs"}
)
"""Files whose failed searches were read while tactics were made."""
PROVED, PROVED_UNSEEN = 0.75, 0.75
"""Marks: shares of all theorems, and of those in files that nobody looked at."""
LAKEFILE = 'name = "{name}"\ndefaultTargets = ["{name}"]\n\n[[lean_lib]]\nname = "{name}"\n'


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out for one file: how many theorems it has, how many were proved, and what that cost."""

    name: str
    theorems: int
    proved: tuple[str, ...]
    lean_calls: int
    seconds: float


def opened(text: str, traced: TracedFile) -> str:
    """Return a file's text with ``sorry`` in the place of the proof of every theorem."""
    data = text.encode()
    for theorem in sorted(traced.theorems, key=lambda theorem: theorem.start, reverse=True):
        statement = theorem.statement.strip().removesuffix(":=").rstrip()
        data = data[: theorem.start] + f"{statement} := by\n  sorry".encode() + data[theorem.end :]
    return data.decode()


def open_project(lean: LeanPool, file: Path, folder: Path) -> Path:
    """Write the project of a file with its theorems open, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    text = file.read_text(encoding="utf-8")
    (folder / "lakefile.toml").write_text(LAKEFILE.format(name=file.stem), encoding="utf-8")
    (folder / "lean-toolchain").write_text("leanprover/lean4:v4.28.0\n", encoding="utf-8")
    (folder / file.name).write_text(text, encoding="utf-8")
    traced = lean.trace_file(LeanProject(folder, folder / "build"), file.name)
    left = sum(theorem.has_sorry for theorem in traced.theorems)
    is_open = left == len(traced.theorems)
    if traced.errors or not (is_open or left == 0):
        raise SystemExit(f"{file} has to compile, with all its proofs, or without any: {traced.errors}")
    (folder / file.name).write_text(text if is_open else opened(text, traced), encoding="utf-8")
    return folder


def prove(lean: LeanPool, file: Path, folder: Path, calls: int) -> Outcome:
    """Open a file's theorems, and prove those that can be proved."""
    project = open_project(lean, file, folder / "project")
    budget = SearchBudget(expansions=1000, lean_calls=calls, seconds=600.0)
    with DynamicDatabase(folder / "database.sqlite") as database:
        agent = ScriptedAgent(lean=lean, database=database, run=RunFolder(folder))
        agent.setup_local_repository(project)
        theorems = len(agent.open_theorems())
        results = agent.prove(config=SearchConfig(budget=budget), save_trees=True)
    return Outcome(
        file.stem,
        theorems,
        tuple(sorted(result.theorem.full_name for result in results if result.proved)),
        sum(result.search.lean_calls for result in results),
        sum(result.seconds for result in results),
    )


def table_of(outcomes: list[Outcome]) -> Table:
    """Return a row for each file, and the sums."""
    table = Table("file", "theorems", "proved", "Lean calls", "minutes", title="Small projects")
    groups = [(outcome.name, [outcome]) for outcome in outcomes]
    groups.append(("all", outcomes))
    groups.append(("not looked at", [outcome for outcome in outcomes if outcome.name not in LOOKED_AT]))
    for name, group in groups:
        proved = sum(len(outcome.proved) for outcome in group)
        sums = (sum(outcome.theorems for outcome in group), proved, sum(outcome.lean_calls for outcome in group))
        table.add_row(name, *map(str, sums), f"{sum(outcome.seconds for outcome in group) / 60:.1f}")
    return table


def main() -> None:
    """Prove, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="a folder for projects, searches and results")
    parser.add_argument("--files", nargs="+", help="names of files; by default all")
    parser.add_argument("--lean-calls", type=int, default=64, help="budget for each theorem")
    parser.add_argument("--workers", type=int, default=1, help="Lean processes")
    options = parser.parse_args()
    files = {file.stem: file for file in sorted(FILES.glob("*.lean"))}
    unknown = [name for name in options.files or () if name not in files]
    if unknown:
        parser.error(f"no such file: {', '.join(unknown)}; there are {', '.join(files)}")
    outcomes = []
    with LeanPool(workers=options.workers) as lean:
        for name in options.files or files:
            kept = options.output / name / f"outcome_{options.lean_calls}.json"
            if not kept.is_file():
                outcome = prove(lean, files[name], kept.parent, options.lean_calls)
                write_atomically(kept, json.dumps(asdict(outcome), indent=2).encode())
            outcomes.append(Outcome(**json.loads(kept.read_text(encoding="utf-8"))))
    Console().print(table_of(outcomes))
    if not options.files and options.lean_calls == 64:
        unseen = [outcome for outcome in outcomes if outcome.name not in LOOKED_AT]
        for what, group, mark in (("theorems", outcomes, PROVED), ("theorems of other files", unseen, PROVED_UNSEEN)):
            share = sum(len(outcome.proved) for outcome in group) / sum(outcome.theorems for outcome in group)
            show(Mark(f"small projects: {what} proved", share, mark, "of 1", "at least"))


if __name__ == "__main__":
    main()
