"""How the list of lean-core was drawn, so that it can be drawn again: ``python -m … core_sample OUT.jsonl``.

Owns which theorems of Lean's library qualify and the seed. The list that everybody measures against is the frozen one
beside this module; a newer Lean would give another list, and another benchmark.
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lean_agent.errors import LeanError
from lean_agent.evaluation.benchmarks import folder_of
from lean_agent.evaluation.benchmarks.problem import Problem, project_of, write_problems
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, TheoremSite
from lean_agent.policy.closers.schemes import CLOSING_TACTICS
from lean_agent.progress import ProgressBar
from lean_agent.tracing import lean_project

SEED = 0
SIZE = 1000
FROM_ONE_MODULE = 16
INTERNALS = frozenset(
    {"Internal", "Tactic", "Tactics", "Grind", "GrindInstances", "Omega", "Try", "Meta", "Simproc", "Simprocs"}
    | {"SizeOfLemmas", "LawfulBEqTactics"}
)
"""Parts of names of modules and theorems that serve a tactic or an implementation and are not stated for their own."""
NEEDED = "Init.Tactics"
"""Before this module is imported there is no tactic to prove anything with."""
_TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A theorem of the library. ``skeleton`` is equal for statements that differ in universes and instances only."""

    name: str
    module: str
    skeleton: str
    size: int


@dataclass(frozen=True, slots=True)
class Library:
    """What Lean says of its library: the theorems, and which modules each module imports, however indirectly."""

    candidates: tuple[Candidate, ...]
    below: Mapping[str, frozenset[str]]


def read_library(answer: Mapping[str, Any]) -> Library:
    """Read the library from Lean's answer, in which a module comes after those that it imports."""
    below: dict[str, frozenset[str]] = {}
    candidates = []
    for entry in answer["modules"]:
        imported = entry["imports"]
        below[entry["module"]] = frozenset(imported).union(*(below[module] for module in imported))
        candidates += [Candidate(name, entry["module"], *rest) for name, *rest in entry["theorems"]]
    return Library(tuple(candidates), below)


def qualified(library: Library) -> list[Candidate]:
    """Return theorems worth proving: no internals, no instances, and none that an imported module states too."""
    stated: dict[str, list[Candidate]] = defaultdict(list)
    for theorem in library.candidates:
        stated[theorem.skeleton].append(theorem)
    return [
        theorem
        for theorem in library.candidates
        if NEEDED in library.below[theorem.module]
        and not INTERNALS & {*theorem.module.split("."), *theorem.name.split(".")}
        and not theorem.name.split(".")[-1].startswith("inst")
        and not any(twin.module in library.below[theorem.module] for twin in stated[theorem.skeleton])
    ]


def in_turns(candidates: Sequence[Candidate], seed: int, most: int) -> Iterator[list[Candidate]]:
    """Yield modules in random order, each with at most ``most`` of its theorems, in random order too."""
    modules: dict[str, list[Candidate]] = defaultdict(list)
    for theorem in candidates:
        modules[theorem.module].append(theorem)
    rng = random.Random(seed)
    for module in rng.sample(sorted(modules), len(modules)):
        theorems = sorted(modules[module], key=lambda theorem: theorem.name)
        yield rng.sample(theorems, min(most, len(theorems)))


def one_from_each(by_module: Sequence[Sequence[Problem]], count: int) -> list[Problem]:
    """Return ``count`` problems: the first of every module, then the second, and so on."""
    longest = max(map(len, by_module), default=0)
    turns = [problems[turn] for turn in range(longest) for problems in by_module if turn < len(problems)]
    return turns[:count]


def halves(groups: Sequence[str], seed: int) -> dict[str, str]:
    """``train`` or ``test`` for each folder of modules (``Init.Data.List``), so that both get about as many problems.

    ``groups`` has the module of every problem. Folders come the largest first, each to the smaller half; the seed
    decides between equals.
    """
    counts = Counter(map(folder_of, groups))
    rng = random.Random(seed)
    sizes, chosen = {"train": 0, "test": 0}, {}
    for folder in sorted(rng.sample(sorted(counts), len(counts)), key=lambda folder: -counts[folder]):
        half = min(sizes, key=lambda name: sizes[name])
        chosen[folder] = half
        sizes[half] += counts[folder]
    return chosen


def sample(pool: LeanPool, *, size: int = SIZE, seed: int = SEED) -> list[Problem]:
    """Draw the problems, the easiest first; see ``docs/evaluation.md`` for the rules."""
    library = read_library(_ask(pool, "library"))
    sizes = {theorem.name: theorem.size for theorem in library.candidates}
    turns = list(in_turns(qualified(library), seed, FROM_ONE_MODULE))
    stated = []
    with ProgressBar("Statements", total=len(turns)) as bar:
        for theorems in turns:
            stated.append(_statements(pool, [theorem.name for theorem in theorems]))
            bar.advance()
    problems = one_from_each(stated, size)
    half = halves([problem.group for problem in problems], seed)
    easy = closed_by_one_tactic(pool, problems)
    hard = sorted(sizes[problem.name] for problem in problems if problem.name not in easy)
    median = hard[len(hard) // 2] if hard else 0

    def graded(problem: Problem) -> Problem:
        level = 1.0 if problem.name in easy else 2.0 if sizes[problem.name] < median else 3.0
        return replace(problem, difficulty=level, split=half[folder_of(problem.group)])

    return sorted(map(graded, problems), key=lambda problem: (problem.difficulty, sizes[problem.name], problem.name))


def closed_by_one_tactic(pool: LeanPool, problems: Sequence[Problem]) -> set[str]:
    """Return the names of the problems that one of the common closing tactics proves by itself."""
    repository, paths = project_of("lean-core-sample", problems)
    project = lean_project(repository)
    closed = set()
    with ProgressBar("Closing tactics", total=len(problems)) as bar:
        for problem in problems:
            (state,) = pool.goal_starts([TheoremSite(project, paths[problem], problem.name)])
            if isinstance(state, LeanError):
                raise state
            results = pool.goal_tactics([(state, tactic) for tactic in CLOSING_TACTICS])
            reached = [result for result in results if isinstance(result, GoalState)]
            if any(state.is_solved for state in reached):
                closed.add(problem.name)
            pool.release([state, *reached])
            bar.advance(closed=len(closed))
    return closed


def _statements(pool: LeanPool, names: Sequence[str]) -> list[Problem]:
    """Return the problems that can be stated with what their module imports; the others are left out."""
    answer = _ask(pool, "statement", items=[{"name": name} for name in names])
    return [
        Problem(
            name=item["name"],
            statement=item["statement"],
            imports=tuple(dict.fromkeys(item["imports"])),
            prelude=True,
            group=item["module"],
            type_hash=item["typeHash"],
        )
        for item in answer["items"]
        if "error" not in item
    ]


def _ask(pool: LeanPool, op: str, **fields: Any) -> dict[str, Any]:
    _, answer = pool.loop.run(pool.ask(op, timeout_s=_TIMEOUT_S, **fields))
    return answer


if __name__ == "__main__":
    with LeanPool() as lean:
        write_problems(sample(lean), Path(sys.argv[1]))
