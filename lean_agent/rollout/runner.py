"""Run tactics in Lean for whatever is to be scored: single ones and whole attempts.

Owns the states that are held in Lean meanwhile, what was spent there, and how Lean's answer becomes a step of an
attempt. Knows neither models nor rewards.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from lean_agent.errors import LeanError, TacticFailure
from lean_agent.lean.server import LeanServer, TacticResult
from lean_agent.lean.types import Goal, GoalState, TheoremSite
from lean_agent.trajectory import ProofStep

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(slots=True)
class RolloutTimes:
    """What was spent since the start: wall-clock seconds by what was waited for, and tactics.

    Attributes:
        lean_calls: tactics that Lean ran; one that several attempts try at the same state is run once.
    """

    policy_s: float = 0.0
    lean_s: float = 0.0
    lean_calls: int = 0


class TacticRunner:
    """Runs tactics in batches, each distinct pair of a state and a tactic once.

    Args:
        lean: runs the tactics; stays open.
        timeout_s: wall-clock seconds for one tactic.
        max_states: states at theorems that are kept between batches; the one used longest ago is released first.

    Attributes:
        times: what was spent so far.
    """

    def __init__(self, lean: LeanServer, *, timeout_s: float, max_states: int = 0) -> None:
        self.lean = lean
        self.times = RolloutTimes()
        self._timeout_s = timeout_s
        self._max_states = max_states
        self._states: OrderedDict[TheoremSite, GoalState] = OrderedDict()
        self._holders: Counter[TheoremSite] = Counter()

    async def hold(self, sites: Iterable[TheoremSite]) -> dict[TheoremSite, GoalState]:
        """Return the state at each site, which stays in Lean until :meth:`let_go`.

        Sites whose state cannot be restored are left out, with a warning.

        Raises:
            LeanError: Lean is not there at all.
        """
        distinct = dict.fromkeys(sites)
        missing = [site for site in distinct if site not in self._states]
        began = time.monotonic()
        results = await self.lean.goal_starts_async(missing) if missing else []
        self.spent_since(began)
        for site, result in zip(missing, results, strict=True):
            if isinstance(result, GoalState):
                held = self._states.setdefault(site, result)
                if held.key != result.key:  # another batch has asked for it meanwhile
                    self.lean.release([result])
            else:
                place = site.file_path if site.position is None else f"byte {site.position} of {site.file_path}"
                logger.warning("No attempt at %s in %s can start: %s", site.full_name, place, result)
        states = {site: self._states[site] for site in distinct if site in self._states}
        self._holders.update(list(states))
        for site in states:
            self._states.move_to_end(site)
        return states

    def let_go(self, sites: Iterable[TheoremSite]) -> None:
        """Release the states at sites that were held, as far as there are more than are to be kept."""
        self._holders -= Counter(list(sites))
        idle = [site for site in self._states if self._holders[site] <= 0]
        surplus = idle[: max(0, len(self._states) - self._max_states)]
        self.lean.release([self._states.pop(site) for site in surplus])

    async def run(self, pairs: Sequence[tuple[GoalState, str]]) -> tuple[list[TacticResult | None], float]:
        """Run tactics, and return Lean's answers in their order, with the mean seconds of one that was run.

        The answer to an empty tactic is ``None``. States that come of the others are the caller's to release.
        """
        distinct = {(state.key, tactic): (state, tactic) for state, tactic in pairs if tactic.strip()}
        results: Sequence[TacticResult]
        began = time.monotonic()
        try:
            results = await self.lean.goal_tactics_async(list(distinct.values()), timeout_s=self._timeout_s)
        except LeanError as error:
            results = [error] * len(distinct)
        seconds = self.spent_since(began)
        self.times.lean_calls += len(distinct)
        by_pair = dict(zip(distinct, results, strict=True))
        answers = [by_pair.get((state.key, tactic)) for state, tactic in pairs]
        return answers, seconds / max(len(distinct), 1)

    def close(self) -> None:
        """Release the states that are kept in Lean. The server stays open."""
        self.lean.release(list(self._states.values()))
        self._states.clear()

    def spent_since(self, began: float) -> float:
        """Count the seconds since ``began``, of the monotonic clock, as waiting for Lean; return them."""
        seconds = time.monotonic() - began
        self.times.lean_s += seconds
        return seconds


def step_of(tactic: str, before: tuple[Goal, ...], result: TacticResult | None, **model: Any) -> ProofStep | None:
    """Make a step of an attempt of Lean's answer to a tactic; ``None`` where Lean could not answer.

    Args:
        before: goals before the tactic.
        result: as :meth:`TacticRunner.run` gives it: ``None`` for an answer of the model that holds no tactic.
        model: ``completion`` and ``seconds`` of the step.
    """
    if result is None:
        return ProofStep(tactic, before, failure="parse", message="the answer holds no finished tactic", **model)
    if isinstance(result, GoalState):
        return ProofStep(tactic, before, result.goals, **model)
    if isinstance(result, TacticFailure):
        return ProofStep(tactic, before, failure=result.kind, message=result.message, **model)
    return None


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` to its end, also for a caller that is in an event loop, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
