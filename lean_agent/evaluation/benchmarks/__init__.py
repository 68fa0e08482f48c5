"""Benchmarks by name: open theorems of a traced repository, and what is known of each.

A new one is a function that loads it, and a line of :mod:`lean_agent.registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from lean_agent import registry
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks.problem import Problem as Problem
from lean_agent.evaluation.benchmarks.problem import project_of
from lean_agent.lean.server import LeanServer
from lean_agent.prover.proofs.result import TheoremKey, theorem_key
from lean_agent.registry import Registry
from lean_agent.tracing import Repository, trace_repository

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a benchmark knows of one theorem.

    Attributes:
        difficulty: greater is harder; where nobody has said, the length of the statement in characters.
        group: what a report sums up by: a repository, a folder of modules.
        split: ``train`` or ``test``, or empty.
    """

    difficulty: float
    group: str
    split: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A theorem of a benchmark that cannot be measured, or a file (``path:line``) with all of its theorems, and why."""

    name: str
    reason: str
    is_file: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Open theorems to be proved.

    Attributes:
        name: stands in reports.
        theorems: in the benchmark's own order, which is by difficulty where it has one.
        facts: for every theorem, by its key.
        left_out: what could not be used, such as a file that needs a package that is not here.
        needs: a package that such files import as a rule, or empty.
    """

    name: str
    theorems: tuple[StoredTheorem, ...]
    facts: Mapping[TheoremKey, Facts]
    left_out: tuple[LeftOut, ...] = ()
    needs: str = ""

    def choose(self, count: int | None = None, split: str = "") -> Benchmark:
        """Return the theorems of one split, or of all, and of those ``count``, evenly spread.

        Raises:
            ConfigError: the benchmark has no such split.
        """
        splits = [self.facts[theorem_key(theorem)].split for theorem in self.theorems]
        return replace(self, theorems=tuple(spread(of_split(self.name, self.theorems, splits, split), count)))


def of_split(name: str, all_of: Sequence[T], splits: Sequence[str], wanted: str) -> list[T]:
    """Return the items of a benchmark in the split ``wanted``, or all where none is; ``splits`` names each one's.

    Raises:
        ConfigError: the benchmark ``name`` has no such split.
    """
    kept = [item for item, split in zip(all_of, splits, strict=True) if not wanted or split == wanted]
    if not kept and all_of:
        known = sorted({*splits} - {""})
        raise ConfigError(f"{name} has no split {wanted!r}; it has {', '.join(known) or 'none'}.")
    return kept


def spread(all_of: Sequence[T], count: int | None) -> list[T]:
    """Return ``count`` of them, evenly spaced; all when there are no more or no count is given."""
    count = len(all_of) if count is None else min(count, len(all_of))
    return [all_of[index * len(all_of) // count] for index in range(count)]


@dataclass(frozen=True, slots=True)
class Request:
    """What a benchmark is loaded from.

    Attributes:
        source: a folder, a file or an address, for benchmarks that are somebody's files.
        lean: traces what is not in ``database``.
        count, split: which theorems are wanted, as for :meth:`Benchmark.choose`. Where the benchmark states them one by
            one, no others are traced.
    """

    lean: LeanServer
    database: DynamicDatabase
    source: str | None = None
    progress: bool = field(default=True, compare=False)
    count: int | None = None
    split: str = ""

    def path(self, what: str) -> Path:
        """Return the source as a path that exists.

        Raises:
            ConfigError: none was given, or nothing is there.
        """
        if self.source is None or not Path(self.source).expanduser().exists():
            given = f"; there is nothing at {self.source}" if self.source else ""
            raise ConfigError(f"This benchmark is read from {what}: name it{given}.")
        return Path(self.source).expanduser()


Loader = Callable[[Request], Benchmark]

BENCHMARKS: Registry[Loader] = registry.BENCHMARKS


def load_benchmark(name: str, request: Request) -> Benchmark:
    """Load the theorems that are wanted of the benchmark of that name, or of the loader at ``module:function``.

    Raises:
        ConfigError: there is none, it holds no theorem that Lean can start, it has no such split, or its source is
            missing or unreadable.
    """
    benchmark = BENCHMARKS.find(name)(request)
    if not isinstance(benchmark, Benchmark):
        raise ConfigError(f"{name!r} loaded a {type(benchmark).__name__}; it has to return a Benchmark.")
    if not benchmark.theorems:
        left_out, needs = benchmark.left_out, benchmark.needs
        why = f" {len(left_out)} were left out, the first: {left_out[0]}." if left_out else ""
        if needs:
            why += f" These files need {needs}, which embedded Lean has not: run them where it is."
        raise ConfigError(f"{benchmark.name} has no open theorem that this Lean can start.{why}")
    return benchmark.choose(request.count, request.split)


def from_repository(
    name: str, repository: Repository, request: Request, *, needs: str = "", only: Collection[str] | None = None
) -> Benchmark:
    """Return the open theorems of a repository, easiest first by the length of what they state.

    Args:
        only: the files to trace; by default all.
    """
    traced = trace_repository(repository, request.lean, database=request.database, only=only, progress=request.progress)
    theorems = request.database.sorry_theorems([repository])
    facts = {
        theorem_key(theorem): Facts(float(len(theorem.theorem.statement)), repository.name) for theorem in theorems
    }
    ordered = sorted(theorems, key=lambda theorem: facts[theorem_key(theorem)].difficulty)
    left_out = tuple(LeftOut(f"{file.path}:{file.line}", file.reason, is_file=True) for file in traced.skipped)
    return Benchmark(name, tuple(ordered), facts, left_out, needs)


def from_problems(name: str, problems: Sequence[Problem], request: Request, *, needs: str = "") -> Benchmark:
    """Return the problems that are wanted, as a benchmark, in their order; only their files are traced.

    One that Lean does not understand, or understands as another statement than its ``type_hash`` says, is left out.
    """
    wanted = spread(of_split(name, problems, [problem.split for problem in problems], request.split), request.count)
    repository, all_paths = project_of(name, problems)
    paths = {problem: all_paths[problem] for problem in wanted}
    loaded = from_repository(name, repository, request, only=paths.values())
    stand_open: dict[str, list[StoredTheorem]] = {}
    for stored in loaded.theorems:
        stand_open.setdefault(stored.file_path, []).append(stored)
    not_traced = {missing.name.rpartition(":")[0]: missing.reason for missing in loaded.left_out}
    left_out: list[LeftOut] = []
    theorems: list[StoredTheorem] = []
    facts: dict[TheoremKey, Facts] = {}
    for problem, path in paths.items():
        theorem = _stated(problem, stand_open.get(path, ()))
        if theorem is None:
            left_out.append(LeftOut(problem.name, not_traced.get(path, "Lean does not accept the statement")))
        elif problem.type_hash and theorem.theorem.type_hash != problem.type_hash:
            left_out.append(LeftOut(problem.name, "this Lean reads it as another statement"))
        else:
            key = theorem_key(theorem)
            known = loaded.facts[key]
            difficulty = known.difficulty if problem.difficulty is None else problem.difficulty
            facts[key] = Facts(difficulty, folder_of(problem.group) or name, problem.split)
            theorems.append(theorem)
    return Benchmark(name, tuple(theorems), facts, tuple(left_out), needs)


def _stated(problem: Problem, theorems: Sequence[StoredTheorem]) -> StoredTheorem | None:
    """Return the problem itself among the open theorems of its file: the last, unless that is of its context."""
    last = max(theorems, key=lambda theorem: theorem.theorem.start, default=None)
    return last if last is not None and last.theorem.end > problem.statement_start else None


def folder_of(module: str) -> str:
    """Return ``Init.Data.List`` of ``Init.Data.List.Nat.Perm``: a report has a line for each, so there may be few."""
    return ".".join(module.split(".")[:3])
