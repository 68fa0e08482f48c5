"""A long day of a Lean pool: mixed tactics, some of them diverging, crashing their process or answering with megabytes.

    python benchmarks/soak.py [--tactics 20000] [--workers 2]

Every request must get exactly one answer, the right one or a named error (a starved machine may stop good tactics at
the time limit; these are counted apart), and the processes must not grow: their resident size stays within 20 % of what
it was after the first tenth. Ends with 1 when a mark is missed.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from marks import Mark, show

from lean_agent.errors import LeanProcessDied, TacticFailure
from lean_agent.lean.pool import LeanPool, PoolLimits
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite

GROWTH = 1.2  # resident size at the end, as a multiple of that after the first tenth
BATCH = 40

SOURCE = """import Lean.Elab.Tactic
open Lean Elab Tactic
/-- Ends the process, as a bug of Lean's own would. -/
elab "crash_now" : tactic => do IO.Process.exit 9
partial def spin (n : Nat) : Nat := if n == 0 then n else spin (n + 1)
/-- Listens to no time limit. -/
elab "never_ends" : tactic => do if spin 1 == 0 then throwError "it ended"
partial def wait : TacticM Unit := do Core.checkInterrupted; wait
/-- Listens to its time limit. -/
elab "diverges" : tactic => wait
def loud : Nat → String → String
  | 0, text => text
  | n + 1, text => loud n (text ++ text)
/-- Four megabytes of a message. -/
elab "says_much" : tactic => throwError (loud 18 "0123456789abcdef")
theorem soak (a b c : Nat) (h : a < b) (h2 : b < c) : a + 1 < c + 1 ∧ (True ∨ a = c) := by
  sorry
"""


@dataclass(frozen=True)
class Kind:
    """A tactic, how it must end, and how often it comes (parts of a million).

    ``ends``: ``goals`` with that number of goals left, ``failure`` of that kind or in ``megabytes`` of words, ``died``.
    """

    tactic: str
    ends: tuple[str, int | str]
    weight: int


KINDS = (
    Kind("skip", ("goals", 1), 200_000),
    Kind("constructor", ("goals", 2), 150_000),
    Kind("exact ⟨by omega, Or.inl trivial⟩", ("goals", 0), 150_000),
    Kind("refine ⟨?_, Or.inl ?_⟩", ("goals", 2), 100_000),
    Kind("have k : a < c := by omega", ("goals", 1), 99_000),
    Kind("nonsense", ("failure", "parse"), 100_000),
    Kind("exact h", ("failure", "error"), 100_000),
    Kind("sorry", ("failure", "sorry"), 80_000),
    Kind("says_much", ("failure", "megabytes"), 20_000),
    Kind("diverges", ("failure", "timeout"), 500),
    Kind("never_ends", ("failure", "timeout"), 250),
    Kind("crash_now", ("failure", "crashed"), 400),
)


@dataclass
class Account:
    """What came of a soak.

    Attributes:
        asked: requests.
        wrong: answers that were neither right nor a named error that is due.
        late: good tactics that the time limit stopped: a named error, and the machine's doing.
        ended: requests by tactic.
        started: processes.
        early_mb, late_mb: mean resident size after the first tenth and at the end.
        largest_mb: the largest resident size of any process, as seen after each batch.
    """

    asked: int = 0
    wrong: list[str] = field(default_factory=list)
    late: int = 0
    ended: collections.Counter[str] = field(default_factory=collections.Counter)
    started: int = 0
    seconds: float = 0.0
    early_mb: float = 0.0
    late_mb: float = 0.0
    largest_mb: float = 0.0

    @property
    def growth(self) -> float:
        """Resident size at the end over the size after the first tenth."""
        return self.late_mb / self.early_mb


def ending(result: TacticResult) -> tuple[str, int | str]:
    """Classify how a tactic ended, in the words of :class:`Kind`."""
    if isinstance(result, GoalState):
        return ("goals", len(result.goals))
    if isinstance(result, TacticFailure):
        return ("failure", "megabytes" if len(result.message) == 2**22 else result.kind)
    if isinstance(result, LeanProcessDied):
        return ("died", "")
    return ("unnamed", f"{type(result).__name__}: {str(result)[:200]}")


def drawn(count: int, kinds: Sequence[Kind], rng: random.Random) -> Iterator[list[Kind]]:
    """``count`` tactics in batches."""
    for at in range(0, count, BATCH):
        yield rng.choices(kinds, [kind.weight for kind in kinds], k=min(BATCH, count - at))


def resident_mb(pool: LeanPool) -> list[float]:
    """Return the resident size of each of the pool's processes."""
    return [psutil.Process(pid).memory_info().rss / 2**20 for pid in pool.pids()]


def write_project(folder: Path) -> list[TheoremSite]:
    """Write the same theorem into as many files as a pool may have processes: each file has its own."""
    project = LeanProject(root=folder, build=folder / "build")
    names = [f"Soak{i}.lean" for i in range(4)]
    for name in names:
        (folder / name).write_text(SOURCE, encoding="utf-8")
    return [TheoremSite(project, name, "soak") for name in names]


def soak(
    pool: LeanPool,
    sites: Sequence[TheoremSite],
    count: int,
    *,
    kinds: Sequence[Kind] = KINDS,
    seed: int = 0,
    talk: bool = False,
) -> Account:
    """Run ``count`` tactics of ``kinds`` and compare each ending with the one that is due."""
    account = Account()
    began = time.perf_counter()
    early: list[float] = []
    late: list[float] = []
    pids: set[int] = set()
    for batch in drawn(count, kinds, random.Random(seed)):
        states = pool.goal_starts(sites)
        pairs = []
        for i, kind in enumerate(batch):
            state = states[i % len(states)]
            assert isinstance(state, GoalState), state
            pairs.append((state, kind.tactic + " " * i))  # no two are the same: those would be run once
        results = pool.goal_tactics(pairs)
        if len(results) != len(batch):
            account.wrong.append(f"{len(results)} answers to {len(batch)} requests")
        for kind, result in zip(batch, results, strict=False):
            outcome = ending(result)
            account.ended[kind.tactic] += 1
            if outcome == ("failure", "timeout") != kind.ends:
                account.late += 1
            elif outcome != kind.ends:
                account.wrong.append(f"`{kind.tactic}`: {outcome} in place of {kind.ends}")
        pool.release([s for s in (*states, *results) if isinstance(s, GoalState)])
        account.asked += len(batch)
        pids.update(pool.pids())
        sizes = resident_mb(pool)
        mean = sum(sizes) / len(sizes)
        account.largest_mb = max(account.largest_mb, *sizes)
        if account.asked >= count / 20:
            (early if account.asked <= count / 10 else late).append(mean)
        if talk and account.asked % 1000 == 0:
            rate = account.asked / (time.perf_counter() - began)
            print(f"{account.asked:6d}  {mean:5.0f} MB  {rate:4.0f}/s  {len(pids)} processes", flush=True)
    account.seconds = time.perf_counter() - began
    account.started = len(pids)
    account.early_mb = sum(early) / len(early)
    account.late_mb = sum(late[-len(early) :]) / len(late[-len(early) :])
    return account


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tactics", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    limits = PoolLimits(tactic_timeout_s=2.0)
    with tempfile.TemporaryDirectory() as folder, LeanPool(args.workers, limits=limits) as pool:
        account = soak(pool, write_project(Path(folder)), args.tactics, seed=args.seed, talk=True)
    for tactic, number in account.ended.most_common():
        print(f"{number:6d}  {tactic}")
    print(f"{account.asked} tactics in {account.seconds:.0f} s: {account.asked / account.seconds:.0f} a second")
    print(f"processes started: {account.started}, for {args.workers} places")
    print(f"resident: {account.early_mb:.0f} MB after the first tenth, {account.late_mb:.0f} MB at the end")
    print(f"the largest process: {account.largest_mb:.0f} MB")
    show(Mark("growth of the processes since the first tenth", account.growth, GROWTH, "times"))
    print(f"good tactics stopped at {limits.tactic_timeout_s:.0f} s: {account.late}")
    show(Mark("wrong or missing answers", len(account.wrong), 0))
    print(*account.wrong[:20], sep="\n")
    return 0 if not account.wrong and account.growth <= GROWTH else 1


if __name__ == "__main__":
    sys.exit(main())
