"""The driver sends Lean on its way and goes on: what runs at the same time, and what is left when it is cut off."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from shapes.virtual_time import VirtualLoop

from lean_agent.errors import LeanError, LeanRequestError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.server import LoopServer, TacticResult
from lean_agent.lean.types import GoalState, Origin
from lean_agent.policy.base import Suggestion
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchConfig, SearchResult
from lean_agent.prover.driver import Driver, OpenTheorems

SWAP = "∀ (p q : Prop), p ∧ q → q ∧ p"
TACTICS = ["intro p q h", "constructor", "exact h.2", "exact h.1"]
TWO_LANES = SearchConfig(parallel_theorems=2, remember=False)
PATIENCE_S = 20.0


class Beside(LoopServer):
    """A server that answers several callers at a time, with the mock's answers.

    Attributes:
        met: set once two callers were here at the same time.
    """

    workers = 2
    version = "none"

    def __init__(self) -> None:
        super().__init__("server")
        self.inner = MockLeanServer()
        self.inside = 0
        self.met = asyncio.Event()

    async def _shut_down(self) -> None:
        await asyncio.gather(*self.loop.cancel_work(), return_exceptions=True)

    async def goal_splits_async(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        return self.inner.goal_splits(states)

    async def release_async(self, states: Sequence[GoalState]) -> None:
        self.inner.release(states)

    @property
    def live_states(self) -> int:
        return self.inner.live_states

    async def goal_starts_async(
        self, origins: Sequence[Origin], *, timeout_s: float | None = None
    ) -> list[GoalState | LeanError]:
        return self.inner.goal_starts(origins)

    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        self.inside += 1
        if self.inside == 2:
            self.met.set()
        try:
            await asyncio.wait_for(self.met.wait(), PATIENCE_S)
            return self.inner.goal_tactics(pairs)
        finally:
            self.inside -= 1


def test_lean_works_on_the_tactics_of_both_lanes_at_a_time() -> None:
    with Beside() as server:
        found = dict(Driver(server, MockPolicy({}, default=TACTICS), TWO_LANES).run([SWAP, SWAP]))
    plain = dict(Driver(MockLeanServer(), MockPolicy({}, default=TACTICS), TWO_LANES).run([SWAP, SWAP]))
    assert server.met.is_set()
    assert [one.script for one in found.values()] == [one.script for one in plain.values()]
    assert {one.status for one in found.values()} == {"proved"}
    assert (server.inside, server.inner.live_states) == (0, 0)


class Interrupted(MockPolicy):
    """Ctrl-C while it answers for the second time."""

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        if self.calls:
            raise KeyboardInterrupt
        return super().suggest(goals, k)


def test_an_interrupt_waits_for_nothing_that_lean_still_does() -> None:
    with Beside() as server:  # nobody will come and meet the first caller
        driver = Driver(server, Interrupted({}, default=TACTICS), TWO_LANES)
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            list(driver.run([SWAP, SWAP]))
        assert time.monotonic() - began < PATIENCE_S / 2
    assert (server.inside, server.inner.live_states) == (0, 0)


class Closed(Beside):
    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        raise LeanRequestError("this Lean pool is closed")


class PlainlyClosed(MockLeanServer):
    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        raise LeanRequestError("this Lean pool is closed")


@pytest.mark.parametrize("make", [Closed, PlainlyClosed])
def test_what_goes_wrong_with_lean_is_told(make: type[Closed | PlainlyClosed]) -> None:
    with make() as server:
        with pytest.raises(LeanRequestError, match="closed"):
            list(Driver(server, MockPolicy({}, default=TACTICS), TWO_LANES).run([SWAP, SWAP]))
        assert server.live_states == 0


def test_a_search_begins_when_those_that_it_waits_for_have_ended() -> None:
    """The third of four waits for the last, the first for the third; whatever ends first is told first."""
    after = [{2}, set(), {3}, set()]
    with MockLeanServer() as server:
        driver = Driver(server, MockPolicy({}, default=TACTICS), SearchConfig(parallel_theorems=8, remember=False))
        order = [index for index, _ in driver.run([SWAP] * 4, after)]
    assert sorted(order) == [0, 1, 2, 3]
    assert order.index(3) < order.index(2) < order.index(0)


@pytest.mark.parametrize("proves", [True, False])
def test_what_a_statement_rests_on_is_waited_for(proves: bool) -> None:
    """The first states something by the third, which is searched later, the second by what nobody searches."""
    below = {f"True → {SWAP}": "third", f"False → {SWAP}": "other"}
    origins = [*below, SWAP]

    class Stated(MockLeanServer):
        def goal_start(self, origin: Any, **options: Any) -> GoalState:
            state = super().goal_start(origin, **options)
            return replace(state, unfinished=(below[origin],)) if origin in below else state

    ended: dict[int, SearchResult] = {}
    with Stated() as server:
        driver = Driver(
            server,
            MockPolicy({}, default=[*(TACTICS if proves else ()), "intro h"]),
            SearchConfig(parallel_theorems=8, remember=False),
            open_theorems=OpenTheorems(
                may_use=lambda _, name: name == "third" and 2 in ended and ended[2].status == "proved",
                searched_as=lambda _, name: {"third": 2}.get(name),
            ),
        )
        for index, result in driver.run(origins):
            ended[index] = result
        assert server.live_states == 0
    assert [*ended] == [1, 2, 0]
    assert [ended[1].status, ended[2].status == "proved"] == ["unfinished", proves]
    assert ended[0].status == ("proved" if proves else "unfinished")
    assert ended[0].message == (
        "" if proves else "its statement rests on `third`, which is left as sorry, or has an error"
    )


@pytest.mark.parametrize("usable", [(), ("first",), ("first", "second")])
def test_a_proof_counts_where_all_the_open_theorems_it_rests_on_may_be_used(usable: tuple[str, ...]) -> None:
    class OnOpen(MockLeanServer):
        """Says of each finished proof that it rests on two open theorems."""

        def goal_tactics(self, pairs: Sequence[tuple[GoalState, str]], **options: Any) -> list[TacticResult]:
            return [
                replace(result, open_lemmas=("first", "second"))
                if isinstance(result, GoalState) and result.is_solved
                else result
                for result in super().goal_tactics(pairs, **options)
            ]

    with OnOpen() as server:
        driver = Driver(
            server,
            MockPolicy({}, default=TACTICS),
            SearchConfig(remember=False),
            open_theorems=OpenTheorems(may_use=lambda index, name: name in usable),
        )
        ((_, result),) = driver.run([SWAP])
        assert server.live_states == 0
    assert (result.status == "proved") is (len(usable) == 2)


class Slow(Beside):
    """A server of many processes, on a clock of its own, where one tactic of one theorem takes very long."""

    in_order = False
    workers = 64

    def __init__(self, late: str) -> None:
        LoopServer.__init__(self, "server", VirtualLoop())
        self.inner = MockLeanServer()
        self.late = late
        self.ended: list[tuple[float, str]] = []

    @property
    def now(self) -> float:
        assert isinstance(self.loop, VirtualLoop)
        return self.loop.clock.now

    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        await asyncio.sleep(100.0 if pairs[0][0].origin == self.late else 1.0)
        return self.inner.goal_tactics(pairs)


def test_over_many_processes_nobody_waits_for_the_slowest() -> None:
    origins = [f"∀ (p q : Prop), {'p → ' * number}p ∧ q → q ∧ p" for number in range(6)]
    tactics = ["intro p q h", "intro h", "constructor", "exact h.2", "exact h.1"]
    config = SearchConfig(parallel_theorems=3, remember=False)
    with Slow(late=origins[0]) as server:
        ended = {}
        for index, result in Driver(server, MockPolicy({}, default=tactics), config).run(
            origins, [(), *[()] * 4, (1,)]
        ):
            ended[index] = (server.now, result.status, result.script)
        assert server.live_states == 0
    plain = dict(Driver(MockLeanServer(), MockPolicy({}, default=tactics), config).run(origins))
    assert {index: (status, script) for index, (_, status, script) in ended.items()} == {
        index: (result.status, result.script) for index, result in plain.items()
    }
    rounds = ended[1][0]  # a second each
    assert all(at <= 6 * rounds + 6 for index, (at, *_) in ended.items() if index)
    assert ended[0][0] >= 100.0
    assert ended[5][0] > ended[1][0], "it waits for the one that it depends on"
