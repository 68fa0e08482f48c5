"""Attempts by a policy in Lean, all of them step by step together.

In each round every attempt that is still going asks for one tactic: one call of the policy serves all, and one batch of
tactics goes to Lean. What was closed is judged in its whole file afresh before it counts. What comes out depends on the
policy's answers alone, not on which process was faster.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lean_agent.errors import ConfigError, FailureKind, LeanError, TacticFailure
from lean_agent.lean.server import LeanServer, TacticResult
from lean_agent.lean.text import by_block
from lean_agent.lean.types import GoalState, TheoremSite, Verdict
from lean_agent.policy.base import Completion, SamplingPolicy
from lean_agent.prompts import tactic_from_completion
from lean_agent.rewards import BaseRewardScorer, scored
from lean_agent.rollout.theorems import ProofTask
from lean_agent.settings import checked_class
from lean_agent.trajectory import Outcome, ProofStep, ProofTrajectory, TrajectoryGroup

logger = logging.getLogger(__name__)


@checked_class
@dataclass(frozen=True, slots=True)
class RolloutConfig:
    """How attempts are made.

    Attributes:
        max_proof_steps: tactics of one attempt, refused ones included.
        max_failures: an attempt ends with so many refused tactics; 1 ends it with the first.
        tactic_timeout_s: wall-clock seconds of one tactic.
        verify_timeout_s: wall-clock seconds of judging one proof.
    """

    max_proof_steps: int = 20
    max_failures: int = 1
    tactic_timeout_s: float = 10.0
    verify_timeout_s: float = 60.0

    def __post_init__(self) -> None:
        if self.max_proof_steps < 1 or self.max_failures < 1:
            raise ConfigError("max_proof_steps and max_failures must be at least 1.")
        if self.tactic_timeout_s <= 0 or self.verify_timeout_s <= 0:
            raise ConfigError("tactic_timeout_s and verify_timeout_s must be above 0.")


@dataclass(slots=True)
class RolloutTimes:
    """What was spent since the start: wall-clock seconds by what was waited for, and tactics.

    Attributes:
        lean_calls: tactics that Lean ran; one that several attempts try at the same state is run once.
    """

    policy_s: float = 0.0
    lean_s: float = 0.0
    lean_calls: int = 0


Proof = tuple[TheoremSite, tuple[str, ...]]
"""A theorem's place and the tactics that close it."""


@dataclass(slots=True, eq=False)
class _Attempt:
    """An attempt under way. ``state`` is ``None`` once it has ended."""

    task: ProofTask
    first: GoalState | None
    state: GoalState | None
    steps: list[ProofStep] = field(default_factory=list)
    outcome: Outcome = "open"
    verdict: Verdict | None = None

    @property
    def proof(self) -> Proof:
        return self.task.site, self.trajectory().script

    def trajectory(self) -> ProofTrajectory:
        start = self.first.goals if self.first else ()
        return ProofTrajectory(
            self.task.name,
            self.task.site,
            start,
            tuple(self.steps),
            self.outcome,
            self.verdict,
            difficulty=self.task.difficulty,
        )


class ProofRolloutGenerator:
    """Makes attempts at theorems.

    Args:
        lean: runs tactics and judges proofs; stays open.
        policy: proposes tactics.
        scorer: gives every attempt its reward; ``None`` leaves them without.
        config: how attempts are made.

    Attributes:
        times: what was spent so far.
    """

    def __init__(
        self,
        lean: LeanServer,
        policy: SamplingPolicy,
        *,
        scorer: BaseRewardScorer | None = None,
        config: RolloutConfig | None = None,
    ) -> None:
        self.policy = policy
        self.config = config or RolloutConfig()
        self.scorer = scorer
        self.times = RolloutTimes()
        self._lean = lean
        self._verdicts: dict[Proof, Verdict] = {}

    async def generate_rollout(self, task: ProofTask, *, seed: int | None = None) -> ProofTrajectory:
        """A single attempt at a theorem."""
        ((attempt,),) = await self.generate_groups([task], 1, seed=seed)
        return attempt

    async def generate_groups(
        self, tasks: Sequence[ProofTask], attempts: int, *, seed: int | None = None
    ) -> list[TrajectoryGroup]:
        """``attempts`` attempts at each theorem, a group for each in the order of ``tasks``.

        The same seed gives the same attempts, as far as the policy keeps its promise of that.

        Raises:
            PolicyError: the policy could not answer.
        """
        began = time.monotonic()
        roots = await self._lean.goal_starts_async([task.site for task in tasks])
        self.times.lean_s += time.monotonic() - began
        groups = [[_begin(task, root) for _ in range(attempts)] for task, root in zip(tasks, roots, strict=True)]
        everyone = [attempt for group in groups for attempt in group]
        living = {root.key: root for root in roots if isinstance(root, GoalState)}
        try:
            for number in range(self.config.max_proof_steps):
                going = [attempt for attempt in everyone if attempt.state is not None]
                if not going:
                    break
                # Rounds draw from streams of their own: prompts of two rounds may be the same.
                await self._round(going, living, None if seed is None else seed + 7919 * number)
                self._release_unused(everyone, living)
        finally:
            self._lean.release(list(living.values()))
        await self._judge(everyone)
        return [self._scored(group) for group in groups]

    async def _round(self, going: Sequence[_Attempt], living: dict[str, GoalState], seed: int | None) -> None:
        """One tactic for every attempt."""
        began = time.monotonic()
        answers = await self._ask([attempt.state.goals[0].text for attempt in going if attempt.state], seed)
        self.times.policy_s += time.monotonic() - began
        tactics = [tactic_from_completion(answer.text) if answer.finished else "" for answer in answers]
        asked = [(attempt.state, tactic) for attempt, tactic in zip(going, tactics, strict=True) if attempt.state]
        # Attempts share their states, and often their tactics.
        pairs = {(state.key, tactic): (state, tactic) for state, tactic in asked if tactic}
        began = time.monotonic()
        results = await self._run(list(pairs.values()))
        seconds = time.monotonic() - began
        self.times.lean_s += seconds
        self.times.lean_calls += len(pairs)
        found = dict(zip(pairs, results, strict=True))
        living.update({result.key: result for result in results if isinstance(result, GoalState)})
        for attempt, answer, (state, tactic) in zip(going, answers, asked, strict=True):
            self._advance(attempt, answer, tactic, found.get((state.key, tactic)), seconds / max(len(pairs), 1))

    async def _ask(self, goals: Sequence[str], seed: int | None) -> list[Completion]:
        """One answer for each goal; a goal that occurs ``n`` times gets ``n`` independent ones."""
        times = Counter(goals)
        answers: dict[str, list[Completion]] = {}
        for count in sorted(set(times.values())):
            alike = [goal for goal, n in times.items() if n == count]
            drawn = await asyncio.to_thread(
                self.policy.complete, alike, count, seed=None if seed is None else seed + 104_729 * count
            )
            answers.update(zip(alike, drawn, strict=True))
        return [answers[goal].pop() if answers[goal] else Completion("", 0.0, 0) for goal in goals]

    async def _run(self, pairs: Sequence[tuple[GoalState, str]]) -> Sequence[TacticResult]:
        try:
            return await self._lean.goal_tactics_async(pairs, timeout_s=self.config.tactic_timeout_s)
        except LeanError as error:
            return [error] * len(pairs)

    def _advance(
        self, attempt: _Attempt, answer: Completion, tactic: str, result: TacticResult | None, seconds: float
    ) -> None:
        """What Lean's answer means for an attempt; ``None`` for an answer that held no tactic."""
        assert attempt.state is not None, "it asked, so it was going"
        step = ProofStep(tactic, attempt.state.goals, completion=answer, seconds=seconds)
        if isinstance(result, GoalState):
            attempt.steps.append(replace(step, after=result.goals))
            attempt.state = result
            if result.is_solved:
                attempt.outcome, attempt.state = "rejected", None  # until the judge has accepted it
        elif isinstance(result, TacticFailure) or result is None:
            kind: FailureKind = result.kind if result else "parse"
            words = result.message if result else "the answer holds no finished tactic"
            attempt.steps.append(replace(step, failure=kind, message=words))
            if sum(not s.accepted for s in attempt.steps) >= self.config.max_failures:
                attempt.state = None
        else:
            logger.warning("Lean could not run a tactic of %s: %s", attempt.task.name, result)
            attempt.outcome, attempt.state = "unknown", None

    def _release_unused(self, everyone: Sequence[_Attempt], living: dict[str, GoalState]) -> None:
        used = {attempt.state.key for attempt in everyone if attempt.state is not None}
        self._lean.release([living.pop(unused) for unused in living.keys() - used])

    async def _judge(self, everyone: Sequence[_Attempt]) -> None:
        """Have every distinct proof judged in its whole file afresh; one that was judged before keeps its verdict."""
        closed = [attempt for attempt in everyone if attempt.outcome == "rejected"]
        proofs = {attempt.proof: None for attempt in closed if attempt.proof not in self._verdicts}
        began = time.monotonic()
        verdicts = await asyncio.gather(*(self._verdict(site, script) for site, script in proofs))
        self.times.lean_s += time.monotonic() - began
        found = dict(zip(proofs, verdicts, strict=True))
        self._verdicts |= {proof: one for proof, one in found.items() if one is not None and one.kind != "timeout"}
        for attempt in closed:
            verdict = self._verdicts.get(attempt.proof) or found[attempt.proof]
            attempt.verdict = verdict
            if verdict is None or verdict.kind == "timeout":
                attempt.outcome = "unknown"
            elif verdict.accepted:
                attempt.outcome = "proved"

    async def _verdict(self, site: TheoremSite, script: Sequence[str]) -> Verdict | None:
        try:
            return await self._lean.verify_async(
                site, by_block(script), whole_file=True, timeout_s=self.config.verify_timeout_s
            )
        except LeanError as error:
            logger.warning("A proof of %s could not be judged: %s", site.full_name, error)
            return None

    def _scored(self, attempts: Sequence[_Attempt]) -> TrajectoryGroup:
        group = TrajectoryGroup(attempts[0].task.name, tuple(attempt.trajectory() for attempt in attempts))
        return group if self.scorer is None else scored(self.scorer, group)


def _begin(task: ProofTask, root: GoalState | LeanError) -> _Attempt:
    if isinstance(root, GoalState):
        return _Attempt(task, root, root)
    logger.warning("No attempt at %s can start: %s", task.name, root)
    return _Attempt(task, None, None, outcome="unknown")
