"""Figures of the Lean server: start, size, latency, throughput. Prints them beside their marks.

    python benchmarks/lean_server.py [--theorems 240] [--runs 3] [--against COMMIT-OR-FOLDER]

The throughput is that of 8 candidates at states that lie five tactics deep: through goal states one by one, in one
batch over all processes (each of them at a third of the states, where nothing was tried before), and by elaborating
each whole script afresh from the state before its theorem. With `--against`, another checkout's server does the first
two as well: this one and that one by turns, each time in a process of its own with Lean processes of its own. The
server as it was before it spoke Pantograph is commit bdb9c6a.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
from marks import Mark, show

from lean_agent.errors import LeanError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite

STEPS = (
    "have k1 : a + 1 < c := by omega",
    "have k2 : b + 1 < d := by omega",
    "have k3 : c + 1 < e := by omega",
    "have k5 : a + 3 < e := by omega",
    "constructor",
)
CANDIDATES = (
    "skip",
    "omega",
    "simp",
    "exact k5",
    "rfl",
    "exact Nat.succ_lt_succ k5",
    "apply Nat.succ_lt_succ",
    "nonsense",
)


def statement(i: int) -> str:
    return (
        f"theorem t{i} (a b c d e : Nat) (h : a < b) (h2 : b < c) (h3 : c < d) (h4 : d < e) :\n"
        f"    a + 4 < e + 1 ∧ (True ∨ a = {i}) := by\n  sorry\n"
    )


def write_project(folder: Path, theorems: int) -> LeanProject:
    (folder / "Bench.lean").write_text("\n".join(statement(i) for i in range(theorems)), encoding="utf-8")
    return LeanProject(root=folder, build=folder / "build")


def start_figures(runs: int) -> tuple[list[float], int]:
    """Measure the seconds from nothing to a first goal state, and resident MB then."""
    seconds, resident = [], 0
    for _ in range(runs):
        began = time.perf_counter()
        with LeanPool(1) as pool:
            pool.goal_start("1 + 1 = 2")
            seconds.append(time.perf_counter() - began)
            resident = sum(psutil.Process(pid).memory_info().rss for pid in pool.pids()) >> 20
    return seconds, resident


def further_mb() -> int:
    """Return the MB that a second process adds: its own memory, without the program file that both share."""
    with LeanPool(1) as first, LeanPool(1) as second:
        for pool in (first, second):
            pool.goal_start("1 + 1 = 2")
        return sum(psutil.Process(pid).memory_full_info().uss for pid in second.pids()) >> 20


def median_ms(pool: LeanPool, state: GoalState, tactic: str, repeats: int = 300) -> tuple[float, float]:
    """Measure the milliseconds of a tactic through the Python API, and how many are not Lean's own work."""
    taken, ours = [], []
    for _ in range(repeats):
        began, busy = time.perf_counter(), pool.busy_s
        made = pool.goal_tactic(state, tactic)
        taken.append((time.perf_counter() - began) * 1000)
        ours.append(taken[-1] - (pool.busy_s - busy) * 1000)
        if len(taken) % 50 == 0:
            pool.release([made])
    return statistics.median(taken), statistics.median(ours)


def batch_ms(states: int = 64, rounds: int = 8) -> float:
    """Measure the milliseconds of a tactic in a batch that are not Lean's own work, of one process; the median."""
    with LeanPool(1) as pool:
        roots = solid(pool.goal_starts([f"{number} + 1 = {number + 1}" for number in range(states)]))
        ours = []
        for _ in range(rounds):
            began, busy = time.perf_counter(), pool.busy_s
            made = pool.goal_tactics([(root, "skip") for root in roots])
            ours.append((time.perf_counter() - began - (pool.busy_s - busy)) * 1000 / states)
            pool.release(solid(made))
        return statistics.median(ours)


def solid(results: Sequence[GoalState | LeanError]) -> list[GoalState]:
    """Return the states; raise when one of them is a failure."""
    states = [result for result in results if isinstance(result, GoalState)]
    assert len(states) == len(results), next(r for r in results if not isinstance(r, GoalState))
    return states


def deep_states(pool: LeanPool, project: LeanProject, theorems: int) -> list[GoalState]:
    states = solid(pool.goal_starts(sites(project, theorems)))
    for step in STEPS:
        states = solid(pool.goal_tactics([(state, step) for state in states]))
    return states


def sites(project: LeanProject, theorems: int) -> list[TheoremSite]:
    return [TheoremSite(project, "Bench.lean", f"t{i}") for i in range(theorems)]


def throughput(pool: LeanPool, states: Sequence[GoalState]) -> tuple[float, float]:
    """Measure tactics a second one by one, and in a batch, at states where nothing was tried before. Runs on every
    server that has had this interface."""
    first, alone, together = ([(s, tactic) for s in states[at::3] for tactic in CANDIDATES] for at in range(3))
    pool.goal_tactics(first)  # first-use costs of both ways stay out of the comparison
    began = time.perf_counter()
    for pair in alone:
        pool.goal_tactics([pair])
    single = len(alone) / (time.perf_counter() - began)
    began = time.perf_counter()
    pool.goal_tactics(together)
    return single, len(together) / (time.perf_counter() - began)


def fresh_scripts(pool: LeanPool, project: LeanProject, theorems: int) -> float:
    """Measure whole scripts a second, each elaborated afresh."""
    script = "by\n" + "".join(f"  {step}\n" for step in STEPS)
    pool.verify(sites(project, 1)[0], script + "  skip")
    began = time.perf_counter()
    for site in sites(project, theorems):
        for tactic in CANDIDATES:
            pool.verify(site, script + f"  {tactic}")
    return theorems * len(CANDIDATES) / (time.perf_counter() - began)


@contextmanager
def checkout(which: str) -> Iterator[Path]:
    """Yield the folder of another checkout: that one, or a commit's for as long as it is needed."""
    if Path(which).is_dir():
        yield Path(which).absolute()
        return
    here = Path(__file__).parent.parent
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "checkout"
        git = ["git", "-C", str(here), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(other), which], check=True)
        try:
            yield other
        finally:
            subprocess.run([*git, "remove", "--force", str(other)], check=True)


def compare(which: str, runs: int, theorems: int, workers: int) -> None:
    """Measure the throughput of this server and of another checkout's, by turns."""
    here = Path(__file__).parent.parent
    with checkout(which) as other:
        command = [sys.executable, __file__, "--only-throughput", f"--theorems={theorems}", f"--workers={workers}"]
        measured: dict[Path, list[tuple[float, float]]] = {here: [], other: []}
        for _ in range(runs):
            for folder, figures in measured.items():
                environment = {**os.environ, "PYTHONPATH": str(folder)}
                done = subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.PIPE, check=True)
                figures.append(tuple(json.loads(done.stdout.splitlines()[-1])))
    for which_form, at in (("one by one", 0), (f"in a batch over {workers} processes", 1)):
        ours, theirs = (statistics.median(figure[at] for figure in figures) for figures in measured.values())
        print(f"tactics a second, {which_form}: {ours:.0f}; at {which}: {theirs:.0f}")
        show(Mark(f"tactics a second, {which_form}, against the other checkout", ours / theirs, 2, "times", "at least"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--theorems", type=int, default=240)
    parser.add_argument("--runs", type=int, default=3, help="how often a process is started")
    parser.add_argument("--workers", type=int, default=2, help="Lean processes that a batch is shared by")
    parser.add_argument("--against", metavar="COMMIT-OR-FOLDER", help="compare the throughput with another checkout's")
    parser.add_argument("--only-throughput", action="store_true", help="print tactics a second as JSON, and end")
    args = parser.parse_args()
    if args.theorems < 12:
        parser.error("--theorems: 12 at least, or there is too little to measure")

    if args.only_throughput:
        with tempfile.TemporaryDirectory() as folder, LeanPool(args.workers) as pool:
            project = write_project(Path(folder), args.theorems)
            print(json.dumps(throughput(pool, deep_states(pool, project, args.theorems))))
        return
    if args.against:
        return compare(args.against, args.runs, args.theorems, args.workers)

    seconds, resident = start_figures(args.runs)
    show(
        Mark("start to first goal state", statistics.median(seconds), 0.6, "s"),
        Mark("resident after the start", resident, 800, "MB"),
        Mark("a further process", further_mb(), 300, "MB"),
    )

    with tempfile.TemporaryDirectory() as folder, LeanPool(args.workers) as pool:
        project = write_project(Path(folder), args.theorems)
        states = deep_states(pool, project, args.theorems)
        through, ours = median_ms(pool, states[0], "skip")
        show(
            Mark("`skip` through the Python API, median", through, 2, "ms"),
            Mark("of `skip` not Lean's own work, median", ours, 0.5, "ms"),
        )
        single, batch = throughput(pool, states)
        fresh = fresh_scripts(pool, project, max(1, args.theorems // 12))

    print(f"tactics a second, one by one: {single:.0f}")
    print(f"tactics a second, in a batch over {args.workers} processes: {batch:.0f}")
    show(
        Mark("of `skip` in a batch not Lean's own work, for a tactic", batch_ms(), 0.25, "ms"),
        Mark("tactics a second, a batch against one by one", batch / single, 1.5, "times", "at least"),
    )
    print(f"whole scripts a second, each elaborated afresh: {fresh:.1f}")
    show(Mark("goal states against fresh scripts, both one by one", single / fresh, 6, "times", "at least"))


if __name__ == "__main__":
    main()
