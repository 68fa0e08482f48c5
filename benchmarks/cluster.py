"""A cluster, simulated: how much of its Lean processes searches and rollouts keep at work, and what the driver costs.

python benchmarks/cluster.py                      # 10,000 theorems, 8 members of 8 processes
python benchmarks/cluster.py --theorems 500       # a short one
python benchmarks/cluster.py --members 64         # as on 64 nodes
python benchmarks/cluster.py --only rate ray      # some of: search, rollout, rate, ray

Searches and rollouts run over the pool for Ray clusters, whose members are stand-ins in this process: what a tactic
does and how long it takes is drawn from its state and its text, heavy-tailed from 1 ms to 20 s, on a clock of their own
that computing costs nothing. So the shares of idle time are those of scheduling alone, and the same on any machine.
Members are killed as it goes, and others take their places after a while. ``rate`` measures what the driver computes
for a tactic, with members that answer at once; ``ray`` the same over a real Ray of this machine, pickling included.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import hashlib
import math
import os
import pstats
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

from marks import Mark, show
from shapes.virtual_time import VirtualLoop

from lean_agent.errors import LeanError, TacticFailure
from lean_agent.lean.cluster.ray_pool import RayPool
from lean_agent.lean.types import Goal, GoalState, LeanProject, Origin, TheoremSite, Verdict
from lean_agent.policy.mock import MockInferenceClient, MockPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.driver import Driver
from lean_agent.rollout.generator import BatchRolloutManager, ProofRolloutGenerator, RolloutConfig
from lean_agent.rollout.theorems import ProofTask

WORKERS = 8
MEDIAN_S, SPREAD, LEAST_S, MOST_S = 0.03, 1.8, 0.001, 20.0
"""Of the seconds of a tactic: a log-normal distribution, cut. Their mean is 0.15 s, one in a hundred takes 2 s."""
START_S = 0.005
MEMBER_S = 5.0
"""Seconds until another member is up in the place of one that was killed."""
KILL_EVERY_S = 20.0
WORKS, SOLVES = 0.35, 0.03
TACTICS = tuple(f"tactic {number}" for number in range(8))
CALLS = 20
SETTLED = 0.95
"""The end of a run, when the last theorems leave processes idle, is not counted: from this share of theorems on."""
BUSY, RATE = 0.85, 5_000
PROJECT = LeanProject(Path("cluster"), Path("build"))


def drawn(*words: str) -> float:
    """Return a number in (0, 1) that depends on the words alone."""
    digest = hashlib.blake2b("\0".join(words).encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2**64


def seconds_of(key: str, tactic: str) -> float:
    """Return how long a tactic takes at a state."""
    normal = NormalDist().inv_cdf(drawn("seconds", key, tactic))
    return min(MOST_S, max(LEAST_S, MEDIAN_S * math.exp(SPREAD * normal)))


def first_state(origin: Origin) -> GoalState:
    """Return the state that a proof starts with."""
    assert isinstance(origin, TheoremSite)
    return state_of(origin, (), origin.full_name, origin.full_name)


def state_of(origin: Origin, script: tuple[str, ...], key: str, root: str, solved: bool = False) -> GoalState:
    """Return a state with one goal, or none."""
    goals = () if solved else (Goal(f"{key}.0", key, text=f"⊢ {key}", key=key),)
    return GoalState(origin, script, goals, key, root, groups=tuple((n,) for n in range(len(goals))))


def outcome(state: GoalState, tactic: str) -> GoalState | LeanError:
    """Return what a tactic does."""
    luck = drawn("outcome", state.key, tactic)
    if luck > WORKS:
        return TacticFailure(tactic, "error", "it does not work here")
    key = hashlib.blake2b(f"{state.key}\0{tactic}".encode(), digest_size=8).hexdigest()
    return state_of(state.origin, (*state.script, tactic), key, state.root, luck < SOLVES)


@dataclass
class Account:
    """What the members have done.

    Attributes:
        tactics: that were run to their end.
        busy_s: processes' seconds on them; ``lost_s`` on what was killed under way, ``again_s`` on states made again.
        kills: members that were killed.
        seats: (time, members up) at each change.
    """

    tactics: int = 0
    busy_s: float = 0.0
    lost_s: float = 0.0
    again_s: float = 0.0
    kills: int = 0
    seats: list[tuple[float, int]] = field(default_factory=list)

    def up(self, now: float, change: int) -> None:
        """Note that a member came or went."""
        self.seats.append((now, (self.seats[-1][1] if self.seats else 0) + change))

    def capacity_s(self, now: float) -> float:
        """Return the seconds that processes have been up, all together."""
        ends = [at for at, _ in self.seats[1:]] + [now]
        return WORKERS * sum(count * (end - at) for (at, count), end in zip(self.seats, ends, strict=True))


class SimulatedMember:
    """Stands for a Ray actor with a pool of Lean processes, in this process and on a clock of its own."""

    def __init__(self, ray: SimulatedRay) -> None:
        self._ray = ray
        self._states: set[str] = set()
        self._free = asyncio.Semaphore(WORKERS)
        self._under_way: set[asyncio.Task[Any]] = set()
        self.is_up = self.is_dead = False
        self.ready = SimpleNamespace(remote=self._ready)
        self.call = SimpleNamespace(remote=self._call)
        self.release = SimpleNamespace(remote=self._release)

    def die(self) -> None:
        """Lose whatever it has and does."""
        self.is_dead = True
        for task in self._under_way:
            task.cancel()
        if self.is_up:
            self._ray.account.up(self._ray.now(), -1)

    async def _ready(self) -> str:
        await asyncio.sleep(0 if self._ray.now() == 0 else MEMBER_S)
        self.is_up = True
        self._ray.account.up(self._ray.now(), 1)
        return "simulated"

    async def _call(self, method: str, *arguments: Any, **options: Any) -> Any:
        work = asyncio.ensure_future(getattr(self, method)(*arguments))
        self._under_way.add(work)
        try:
            self._check()
            return await work
        except asyncio.CancelledError:
            self._check()
            raise
        finally:
            self._under_way.discard(work)

    async def _release(self, states: Sequence[GoalState]) -> None:
        self._check()
        self._states.difference_update(state.key for state in states)

    def _check(self) -> None:
        from ray.exceptions import RayActorError

        if self.is_dead:
            raise RayActorError

    async def goal_starts(self, origins: Sequence[Origin]) -> list[GoalState]:
        """Start proofs."""
        states = [first_state(origin) for origin in origins]
        await self._at_work(START_S * len(states))
        self._states.update(state.key for state in states)
        return states

    async def goal_tactics(self, pairs: Sequence[tuple[GoalState, str]]) -> list[GoalState | LeanError]:
        """Run tactics, as many at a time as there are processes."""
        if self._ray.is_instant:
            self._ray.account.tactics += len(pairs)
            return [outcome(*pair) for pair in pairs]
        return list(await asyncio.gather(*(self._tactic(state, tactic) for state, tactic in pairs)))

    async def verify(self, site: TheoremSite, proof: str) -> Verdict:
        """Accept a proof."""
        await self._at_work(seconds_of(site.full_name, proof))
        return Verdict("accepted", "")

    async def _tactic(self, state: GoalState, tactic: str) -> GoalState | LeanError:
        async with self._free:
            if state.key not in self._states:  # made again, step by step
                again = START_S + sum(seconds_of(state.root, step) for step in state.script)
                await asyncio.sleep(again)
                self._ray.account.again_s += again
                self._states.add(state.key)
            await self._timed(seconds_of(state.key, tactic))
        result = outcome(state, tactic)
        self._ray.account.tactics += 1
        if isinstance(result, GoalState):
            self._states.add(result.key)
        return result

    async def _at_work(self, seconds: float) -> None:
        if not self._ray.is_instant:
            async with self._free:
                await self._timed(seconds)

    async def _timed(self, seconds: float) -> None:
        began = self._ray.now()
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            self._ray.account.lost_s += self._ray.now() - began
            raise
        self._ray.account.busy_s += seconds


class SimulatedRay:
    """Stands for the module ``ray``: its actors are :class:`SimulatedMember`.

    Args:
        is_instant: every answer is there at once.
    """

    def __init__(self, loop: VirtualLoop, is_instant: bool = False) -> None:
        self.account = Account()
        self.is_instant = is_instant
        self.members: list[SimulatedMember] = []
        self._loop = loop

    def now(self) -> float:
        """Return the seconds on the clock of the cluster."""
        return self._loop.clock.now

    def remote(self, _: type) -> Any:
        """Return what makes actors."""
        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=self._member))

    def _member(self, *_: object) -> SimulatedMember:
        self.members.append(SimulatedMember(self))
        return self.members[-1]

    def kill(self, member: SimulatedMember) -> None:
        """End an actor."""
        member.die()

    async def kill_now_and_then(self, seed: int = 0) -> None:
        """Kill a member every so often, for ever."""
        rng = random.Random(seed)
        while True:
            await asyncio.sleep(KILL_EVERY_S)
            alive = [member for member in self.members if member.is_up and not member.is_dead]
            if len(alive) > 1:
                rng.choice(alive).die()
                self.account.kills += 1


class PoolInOrder(RayPool):
    """A pool whose answers are taken in the order in which they were asked for, as those of a single machine."""

    in_order = True


@contextmanager
def cluster(
    members: int, *, is_instant: bool = False, kills: bool = True, in_order: bool = False
) -> Iterator[tuple[RayPool, SimulatedRay]]:
    """Yield a pool over simulated members."""
    loop = VirtualLoop()
    ray = SimulatedRay(loop, is_instant)
    with (PoolInOrder if in_order else RayPool)(WORKERS, members=members, ray=ray, loop=loop) as pool:
        if kills:
            loop.submit(ray.kill_now_and_then())
        yield pool, ray


@dataclass
class Settled:
    """Takes the share of time at work when most theorems have ended."""

    ray: SimulatedRay
    total: int
    ended: int = 0
    share: float = 0.0

    def one_more(self) -> None:
        """Note that a theorem has ended."""
        self.ended += 1
        if self.ended <= SETTLED * self.total:
            self.share = self.ray.account.busy_s / max(1e-9, self.ray.account.capacity_s(self.ray.now()))


def sites(theorems: int) -> list[TheoremSite]:
    """Return theorems, forty in a file."""
    return [TheoremSite(PROJECT, f"File{number // 40}.lean", f"t{number}") for number in range(theorems)]


def search_config(parallel: int) -> SearchConfig:
    """Return searches of a fixed number of tactics."""
    budget = SearchBudget(expansions=CALLS, lean_calls=CALLS, seconds=1e9)
    return SearchConfig(
        budget=budget, parallel_theorems=parallel, tactic_timeout_s=2 * MOST_S, remember=False, resamples=0
    )


def search(theorems: int, members: int, parallel: int, in_order: bool) -> None:
    """Search with and without kills, and compare what comes out."""
    results = []
    for kills in (False, True):
        with cluster(members, kills=kills, in_order=in_order) as (pool, ray):
            settled = Settled(ray, theorems)
            driver = Driver(pool, MockPolicy({}, default=TACTICS), search_config(parallel), clock=ray.now)
            proved = {}
            for index, result in driver.run(sites(theorems)):
                settled.one_more()
                proved[index] = (result.status, result.script)
            results.append(proved)
        name = "search with members killed" if kills else "search"
        report(name, ray, settled)
        show(Mark(f"{name}: share of processes' time at work", settled.share, BUSY, "", "at least"))
    differing = sum(results[0][index] != results[1][index] for index in range(theorems))
    show(Mark("search: theorems that end otherwise when members are killed", differing, 0))


def report(name: str, ray: SimulatedRay, settled: Settled) -> None:
    """Print what became of the processes' time."""
    account, capacity = ray.account, ray.account.capacity_s(ray.now())
    print(
        f"{name}: {account.tactics:,} tactics in {ray.now():,.0f} s of the cluster, of {capacity:,.0f} s of processes "
        f"{account.busy_s / capacity:.1%} at work ({settled.share:.1%} up to {SETTLED:.0%} of theorems), "
        f"{account.again_s / capacity:.1%} on states made again, {account.lost_s / capacity:.1%} lost to "
        f"{account.kills} kills",
        flush=True,
    )


def rollout(theorems: int, members: int, parallel: int) -> None:
    """Make attempts at theorems, with kills."""
    tasks = [ProofTask(site.full_name, site) for site in sites(theorems)]
    attempts = 8
    with cluster(members) as (pool, ray):
        settled = Settled(ray, theorems)
        config = RolloutConfig(max_proof_steps=8, max_failures=3, tactic_timeout_s=2 * MOST_S)
        generator = ProofRolloutGenerator(pool, MockInferenceClient(default=TACTICS), config=config)

        async def one_batch(at: int, turns: asyncio.Semaphore) -> None:
            async with turns:
                await BatchRolloutManager(generator).generate(tasks[at : at + 1], attempts, seed=at)
                settled.one_more()

        async def everything() -> None:
            turns = asyncio.Semaphore(parallel)
            await asyncio.gather(*(one_batch(at, turns) for at in range(len(tasks))))

        pool.loop.submit(everything()).result()
    report("rollout with members killed", ray, settled)
    show(Mark("rollout with members killed: share of processes' time at work", settled.share, BUSY, "", "at least"))


def rate(theorems: int, members: int, parallel: int, profile: bool) -> None:
    """Measure what the driver computes for each tactic."""
    profiler = cProfile.Profile()
    with cluster(members, is_instant=True, kills=False) as (pool, ray):
        driver = Driver(pool, MockPolicy({}, default=TACTICS), search_config(parallel), clock=ray.now)
        run: Callable[[], list[Any]] = lambda: list(driver.run(sites(theorems)))  # noqa: E731
        began = time.process_time()
        profiler.runcall(run) if profile else run()
        taken = time.process_time() - began
    if profile:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    began = time.process_time()
    state = first_state(sites(1)[0])
    for number in range(10_000):
        outcome(state, f"tactic {number}")
    theirs = (time.process_time() - began) / 10_000
    each = taken / ray.account.tactics - theirs
    print(f"driver: {1e6 * each:.0f} µs of the processor for each of {ray.account.tactics:,} tactics")
    show(Mark("tactics that the driver serves in a second of the processor", 1 / each, RATE, "", "at least"))


class InstantMember:
    """A member over real Ray that answers at once."""

    def __init__(self, *_: object) -> None:
        self._states: set[str] = set()

    async def ready(self) -> str:
        """Return which Lean it stands for."""
        return "simulated"

    async def call(self, method: str, items: Sequence[Any], **_: Any) -> Any:
        """Answer."""
        if method == "goal_starts":
            return [first_state(origin) for origin in items]
        return [outcome(*pair) for pair in items]

    async def release(self, states: Sequence[GoalState]) -> None:
        """Forget nothing: nothing is held."""


def over_ray(theorems: int, members: int, parallel: int) -> None:
    """Measure what the driver costs over a real Ray, with members that answer at once."""
    import ray

    ray.init(num_cpus=members, log_to_driver=False, include_dashboard=False, configure_logging=False)
    try:
        stand_in = SimpleNamespace(
            remote=lambda _: ray.remote(InstantMember),
            kill=ray.kill,
            cluster_resources=ray.cluster_resources,
        )
        with RayPool(1, members=members, ray=stand_in) as pool:
            driver = Driver(pool, MockPolicy({}, default=TACTICS), search_config(parallel))
            began, worked = time.perf_counter(), time.process_time()
            calls = sum(result.lean_calls for _, result in driver.run(sites(theorems)))
            wall, cpu = time.perf_counter() - began, time.process_time() - worked
    finally:
        ray.shutdown()
    print(
        f"over Ray: {calls:,} tactics in {wall:.1f} s, {1e6 * cpu / calls:.0f} µs of the processor for each in the "
        f"driver's process; load {os.getloadavg()[0]:.1f}"
    )
    show(Mark("tactics over Ray in a second of the driver's processor", calls / cpu, RATE, "", "at least"))


PARTS = ("search", "rollout", "rate", "ray")


def main() -> None:
    """Run the parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--theorems", type=int, default=10_000)
    parser.add_argument("--members", type=int, default=8, help=f"of {WORKERS} processes each")
    parser.add_argument("--parallel", type=int, help="theorems at a time; by default four for each process")
    parser.add_argument("--in-order", action="store_true", help="of search: wait for the slowest of a batch")
    parser.add_argument("--profile", action="store_true", help="of rate: print where the time goes")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    options = parser.parse_args()
    if find_spec("ray") is None:
        raise SystemExit("The pool for clusters needs Ray: pip install -c constraints.txt -e '.[ray]'")
    sizes = (options.theorems, options.members, options.parallel or 4 * WORKERS * options.members)
    for part in options.only:
        if part == "rate":
            rate(*sizes, options.profile)
        elif part == "search":
            search(*sizes, options.in_order)
        else:
            {"rollout": rollout, "ray": over_ray}[part](*sizes)


if __name__ == "__main__":
    main()
