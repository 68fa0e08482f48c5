"""Seconds and memory of a trace, beside their marks.

python benchmarks/tracing.py                        # overhead and width
python benchmarks/tracing.py overhead [--runs 3]    # tracing against plain elaboration, repos/, one process
python benchmarks/tracing.py overhead --one-core    # the same, without a core for what is recorded
python benchmarks/tracing.py check                  # `trace check` against the trace, one process
python benchmarks/tracing.py verify                 # how often `verify` of a results folder opens a file
python benchmarks/tracing.py width                  # two processes against one, a generated repository
python benchmarks/tracing.py large                  # 500 files, 10,000 theorems: some ten minutes
python benchmarks/tracing.py batteries              # 174 files, a third of them metaprograms
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import psutil
from marks import Mark, show
from shapes.repositories import SHAPES
from typing_extensions import override

from lean_agent.database import DynamicDatabase
from lean_agent.evaluation.benchmarks import spread
from lean_agent.evaluation.evaluate import evaluate
from lean_agent.evaluation.results import ATTEMPTS, keep_repositories, recheck
from lean_agent.lean.embedded.install import install
from lean_agent.lean.pool import LeanPool, PoolLimits
from lean_agent.lean.process.process import LeanProcess
from lean_agent.prover.config import SearchBudget
from lean_agent.prover.provers import ScriptedProver
from lean_agent.tracing import (
    TracedRepository,
    lean_project,
    local_repository,
    read_import_graph,
    trace_repository,
)
from lean_agent.tracing.check import TraceCheck, check_files

PARTS = ("overhead", "check", "verify", "width", "large", "batteries")
REPOS = Path(__file__).parent.parent / "repos"


async def ask(process: LeanProcess, op: str, *, timeout_s: float = 900, **fields: Any) -> dict[str, Any]:
    """Return Lean's answer; an error ends the benchmark, since its time would be that of nothing."""
    answer = await process.request(op, timeout_s=timeout_s, **fields)
    if "error" in answer:
        raise SystemExit(f"{op} {fields.get('file')}: {answer['error']}")
    return answer


async def measure(
    process: LeanProcess, repository: Path, build: Path, run: int, beside: bool
) -> tuple[float, float, int]:
    """(seconds to elaborate, seconds to trace, theorems) of a repository's files, in import order.

    File by file in turn, in one process, so that a noisy machine disturbs both alike.
    """
    project = lean_project(local_repository(repository))
    plain = traced = 0.0
    theorems = 0
    mounts = [["/build-bench", str(build)]]
    for file in (source.path for source in read_import_graph(project.root).files):
        text = (project.root / file).read_text(encoding="utf-8")
        module = file.removesuffix(".lean").split("/")
        fields: dict[str, Any] = {"module": module, "text": text, "path": ["/build-bench"]}
        compiled = Path(file).with_suffix(".olean")
        # the imports of the file are read once and kept: neither measurement pays for them
        await ask(process, "open", mounts=mounts, file=f"warm-{run}-{file}", **fields)
        await ask(process, "forget", timeout_s=60, file=f"warm-{run}-{file}")
        began = time.perf_counter()
        await ask(process, "open", mounts=mounts, file=f"plain-{run}-{file}", **fields)
        plain += time.perf_counter() - began
        await ask(process, "forget", timeout_s=60, file=f"plain-{run}-{file}")
        began = time.perf_counter()
        answer = await ask(
            process,
            "trace",
            mounts=mounts,
            file=f"trace-{run}-{file}",
            olean=f"/out/{compiled}",
            beside=beside,
            **fields,
        )
        (build / compiled).parent.mkdir(parents=True, exist_ok=True)
        (build / compiled).write_bytes(base64.b64decode(answer["compiled"]))
        traced += time.perf_counter() - began
        theorems += len(answer["theorems"])
    return plain, traced, theorems


async def overhead(runs: int, beside: bool, names: Sequence[str]) -> None:
    """Trace and elaborate repositories of repos/, by default all; ``beside``: what is recorded is printed on another
    core."""
    where = await asyncio.to_thread(install)
    totals = [0.0, 0.0]
    for repository in chosen(names):
        for run in range(runs):
            with tempfile.TemporaryDirectory() as build:
                process = await LeanProcess.start(where)
                try:
                    plain, traced, theorems = await measure(process, repository, Path(build), run, beside)
                finally:
                    await process.kill()
            totals = [totals[0] + plain, totals[1] + traced]
            print(
                f"{repository.name}: {theorems} theorems, elaborated in {plain:.2f} s, traced in {traced:.2f} s: "
                f"{traced / plain:.2f} times",
                flush=True,
            )
    plain, traced = totals
    print(f"all: elaborated in {plain:.2f} s, traced in {traced:.2f} s")
    cores, bound = ("a second core", 1.10) if beside else ("one core", 1.25)
    show(Mark(f"tracing against plain elaboration, one process, {cores}", traced / plain, bound, "times"))


def chosen(names: Sequence[str]) -> list[Path]:
    """Return the folders of repos/ of these names, or all, by name."""
    return sorted(path for path in REPOS.iterdir() if path.is_dir() and (not names or path.name in names))


def processor_s(pool: LeanPool) -> float:
    """Return the processor's seconds of a pool's processes and of this one so far."""
    times = [psutil.Process(pid).cpu_times() for pid in pool.pids()]
    return time.process_time() + sum(of_process.user + of_process.system for of_process in times)


def check(names: Sequence[str]) -> None:
    """Compare `trace check` with the trace, a process for each; by the processor's time, for others are at work."""
    tracing = checking = 0.0
    for path in chosen(names):
        repository = local_repository(path)
        with tempfile.TemporaryDirectory() as folder, DynamicDatabase(Path(folder, "db")) as database:
            try:
                with LeanPool(1) as pool:
                    began = time.process_time()
                    trace_repository(repository, pool, database=database, progress=False)
                    traced_s = processor_s(pool) - began
                account = TraceCheck()
                with LeanPool(1) as pool:
                    began = time.process_time()
                    for of_file in check_files(
                        lean_project(repository), database.files(repository), pool, on_batch=lambda _: None
                    ):
                        account.add(of_file)
                    checked_s = processor_s(pool) - began
            finally:
                shutil.rmtree(lean_project(repository).build, ignore_errors=True)
        print(
            f"{path.name}: traced in {traced_s:.1f} s of the processor, {account.steps:,} steps checked in "
            f"{checked_s:.1f} s, {len(account.missed)} missed",
            flush=True,
        )
        tracing, checking = tracing + traced_s, checking + checked_s
    show(Mark("`trace check` against the trace, one process", checking / tracing, 1.0, "times"))


class Counting(LeanProcess):
    """A process that counts which files are opened in it and its like, to prove in them, and which are compiled."""

    opened: ClassVar[Counter[str]] = Counter()
    compiled: ClassVar[Counter[str]] = Counter()

    @override
    async def request(self, op: str, *, timeout_s: float, **fields: Any) -> dict[str, Any]:
        counts = {"open": self.opened, "judge_file": self.opened, "trace": self.compiled}.get(op)
        if counts is not None:
            counts[fields["file"].partition("@")[0]] += 1
        return await super().request(op, timeout_s=timeout_s, **fields)


def verify(names: Sequence[str], theorems: int = 24) -> None:
    """Count how often the files of a results folder are opened when all its proofs are verified."""
    with tempfile.TemporaryDirectory() as folder, DynamicDatabase(Path(folder, "db")) as database:
        results = Path(folder, "results")
        with LeanPool(1) as pool:
            for path in chosen(names):
                trace_repository(local_repository(path), pool, database=database, progress=False)
            tried = spread(database.sorry_theorems(), theorems)
            keep_repositories(results, tried)
            budget = SearchBudget(expansions=8, lean_calls=16)
            evaluate([ScriptedProver(pool)], tried, budget, results_path=results / ATTEMPTS)
        with LeanPool(1, process=Counting) as pool:
            verdicts = [proof.verdict.kind for proof in recheck(results, pool, progress=False)]
    print(f"{len(verdicts)} proofs, {dict(Counter(verdicts))}; opened: {dict(Counting.opened)}")
    print(f"compiled, since others import them: {dict(Counting.compiled)}")
    show(Mark("times that `verify` of results opens a file, most", max(Counting.opened.values()), 1))


def trace_generated(
    shape: str, files: int, theorems: int, workers: int, limits: PoolLimits | None = None
) -> TracedRepository:
    """Trace a generated repository from nothing into a database of its own, the start of Lean included."""
    with tempfile.TemporaryDirectory() as folder:
        SHAPES[shape](Path(folder, shape), files, theorems, 0)
        repository = local_repository(Path(folder, shape))
        try:
            with LeanPool(workers, limits=limits) as pool, DynamicDatabase(Path(folder, "db")) as database:
                traced = trace_repository(repository, pool, database=database)
        finally:
            shutil.rmtree(lean_project(repository).build, ignore_errors=True)
    theorems = sum(file.theorems for file in traced.summaries)
    errors = sum(file.errors for file in traced.summaries)
    busy = sum(file.seconds for file in traced.summaries) / (workers * traced.seconds)
    print(
        f"{shape}, {workers} processes: {theorems:,} theorems in {len(traced.summaries)} files, {errors} errors, "
        f"{len(traced.skipped)} files not traced, {traced.seconds:.1f} s, processes at work {busy:.0%} of them, "
        f"at most {traced.python_mb:,} MB in Python, {traced.lean_mb:,} MB in Lean",
        flush=True,
    )
    for file in traced.summaries:
        if file.first_error is not None:
            print(f"  {file.path}:{file.first_error.start.line}: {file.first_error.text.splitlines()[0][:150]}")
    return traced


def width() -> None:
    """Compare one process with two on a repository in which many files are ready at any time.

    Large enough that the start of the processes, which each pays for itself, weighs little. A process that is alone
    uses a second core for what it records, so the one is measured with a single core too.
    """
    single, double = (trace_generated("wide", 143, 2860, workers).seconds for workers in (1, 2))
    single_core = trace_generated("wide", 143, 2860, 1, PoolLimits(cores=1)).seconds
    print(f"two processes against one: {single / double:.2f} times")
    ratio = single_core / double
    show(Mark("two processes against one that records between its commands", ratio, 1.7, "times", "at least"))


def large() -> None:
    """Measure the memory of a large trace."""
    traced = trace_generated("wide", 499, 10_000, 2)
    show(Mark("memory of Python while 10,000 theorems are traced", traced.python_mb, 1500, "MB"))


def batteries() -> None:
    """Trace a library of metaprograms, and say how far embedded Lean comes."""
    trace_generated("batteries", 174, 2000, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--runs", type=int, default=1, help="of overhead")
    parser.add_argument("--repositories", nargs="+", default=[], help="of repos/, by name; not of width and later")
    parser.add_argument("--one-core", action="store_true", help="of overhead: what is recorded waits its turn")
    args = parser.parse_args()
    for what in args.what or ("overhead", "width"):
        if what == "overhead":
            asyncio.run(overhead(args.runs, not args.one_core, args.repositories))
        elif what in ("check", "verify"):
            {"check": check, "verify": verify}[what](args.repositories)
        else:
            {"width": width, "large": large, "batteries": batteries}[what]()


if __name__ == "__main__":
    main()
