"""Make attempts by a policy in Lean, all of them step by step together.

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
from dataclasses import dataclass, field

from lean_agent.errors import ConfigError, LeanError
from lean_agent.lean.server import LeanServer, TacticResult
from lean_agent.lean.source import by_block
from lean_agent.lean.types import GoalState, TheoremSite, Verdict
from lean_agent.policy.base import Completion, SamplingPolicy
from lean_agent.prompts import tactic_from_completion
from lean_agent.rewards import BaseRewardScorer, scored
from lean_agent.rollout.runner import TacticRunner, step_of
from lean_agent.rollout.theorems import ProofTask
from lean_agent.settings import Count, Seconds, checked_class
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

    max_proof_steps: Count = 20
    max_failures: Count = 1
    tactic_timeout_s: Seconds = 10.0
    verify_timeout_s: Seconds = 60.0


Proof = tuple[TheoremSite, str]
"""A theorem's place, and the proof that closes it as it is written there."""


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
        return self.task.site, by_block(self.trajectory().script, self.task.column)

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
        self._lean = lean
        self._runner = TacticRunner(lean, timeout_s=self.config.tactic_timeout_s)
        self.times = self._runner.times
        self._verdicts: dict[Proof, Verdict] = {}

    async def generate_rollout(self, task: ProofTask, *, seed: int | None = None) -> ProofTrajectory:
        """Make a single attempt at a theorem."""
        ((attempt,),) = await self.generate_groups([task], 1, seed=seed)
        return attempt

    async def generate_groups(
        self, tasks: Sequence[ProofTask], attempts: int, *, seed: int | None = None
    ) -> list[TrajectoryGroup]:
        """Make ``attempts`` attempts at each theorem, a group for each in the order of ``tasks``.

        The same seed gives the same attempts, as far as the policy keeps its promise of that.

        Raises:
            PolicyError: the policy could not answer.
        """
        roots = await self._runner.hold(task.site for task in tasks)
        groups = [[_begin(task, roots.get(task.site)) for _ in range(attempts)] for task in tasks]
        everyone = [attempt for group in groups for attempt in group]
        reached: dict[str, GoalState] = {}
        try:
            for number in range(self.config.max_proof_steps):
                going = [attempt for attempt in everyone if attempt.state is not None]
                if not going:
                    break
                # Rounds draw from streams of their own: prompts of two rounds may be the same.
                await self._round(going, reached, None if seed is None else seed + 7919 * number)
                used = {attempt.state.key for attempt in going if attempt.state is not None}
                self._lean.release([reached.pop(unused) for unused in reached.keys() - used])
        finally:
            self._lean.release(list(reached.values()))
            self._runner.let_go(roots)
        await self._judge(everyone)
        return [self._scored(group) for group in groups]

    async def _round(self, going: Sequence[_Attempt], reached: dict[str, GoalState], seed: int | None) -> None:
        """Take one step of every attempt."""
        began = time.monotonic()
        answers = await self._ask([attempt.state.goals[0].text for attempt in going if attempt.state], seed)
        self.times.policy_s += time.monotonic() - began
        tactics = [tactic_from_completion(answer.text) if answer.finished else "" for answer in answers]
        pairs = [(attempt.state, tactic) for attempt, tactic in zip(going, tactics, strict=True) if attempt.state]
        results, seconds = await self._runner.run(pairs)  # attempts share their states, and often their tactics
        reached.update({result.key: result for result in results if isinstance(result, GoalState)})
        for attempt, answer, (state, tactic), result in zip(going, answers, pairs, results, strict=True):
            step = step_of(tactic, state.goals, result, completion=answer, seconds=seconds)
            if step is None:
                logger.warning("Lean could not run a tactic of %s: %s", attempt.task.name, result)
                attempt.outcome, attempt.state = "unknown", None
            else:
                self._advance(attempt, step, result)

    async def _ask(self, goals: Sequence[str], seed: int | None) -> list[Completion]:
        """Get one answer for each goal; a goal that occurs ``n`` times gets ``n`` independent ones."""
        times = Counter(goals)
        answers: dict[str, list[Completion]] = {}
        for count in sorted(set(times.values())):
            alike = [goal for goal, n in times.items() if n == count]
            stream = None if seed is None else seed + 104_729 * count
            drawn = await asyncio.to_thread(self.policy.complete, alike, count, seed=stream)
            answers.update(zip(alike, drawn, strict=True))
        return [answers[goal].pop() if answers[goal] else Completion("", 0.0, 0) for goal in goals]

    def _advance(self, attempt: _Attempt, step: ProofStep, result: TacticResult | None) -> None:
        """Go on after a step, or end the attempt."""
        attempt.steps.append(step)
        if isinstance(result, GoalState):
            attempt.state = result
            if result.is_solved:
                attempt.outcome, attempt.state = "rejected", None  # until the judge has accepted it
        elif sum(not taken.accepted for taken in attempt.steps) >= self.config.max_failures:
            attempt.state = None

    async def _judge(self, everyone: Sequence[_Attempt]) -> None:
        """Have every distinct proof judged in its whole file afresh; one that was judged before keeps its verdict."""
        closed = [attempt for attempt in everyone if attempt.outcome == "rejected"]
        proofs = {attempt.proof: None for attempt in closed if attempt.proof not in self._verdicts}
        began = time.monotonic()
        verdicts = await asyncio.gather(*(self._verdict(site, proof) for site, proof in proofs))
        self._runner.spent_since(began)
        fresh = dict(zip(proofs, verdicts, strict=True))
        final = {proof: verdict for proof, verdict in fresh.items() if verdict and verdict.kind != "timeout"}
        self._verdicts |= final
        for attempt in closed:
            verdict = self._verdicts.get(attempt.proof) or fresh[attempt.proof]
            attempt.verdict = verdict
            if verdict is None or verdict.kind == "timeout":
                attempt.outcome = "unknown"
            elif verdict.accepted:
                attempt.outcome = "proved"

    async def _verdict(self, site: TheoremSite, proof: str) -> Verdict | None:
        timeout_s = self.config.verify_timeout_s
        try:
            return await self._lean.verify_async(site, proof, whole_file=True, timeout_s=timeout_s)
        except LeanError as error:
            logger.warning("A proof of %s could not be judged: %s", site.full_name, error)
            return None

    def _scored(self, attempts: Sequence[_Attempt]) -> TrajectoryGroup:
        group = TrajectoryGroup(attempts[0].task.name, tuple(attempt.trajectory() for attempt in attempts))
        return group if self.scorer is None else scored(self.scorer, group)


def _begin(task: ProofTask, root: GoalState | None) -> _Attempt:
    return _Attempt(task, root, root, outcome="unknown" if root is None else "open")


class BatchRolloutManager:
    """Splits theorems into batches that go through a generator, while one waits for Lean another asks the policy.

    Args:
        generator: makes the attempts.
        theorems_per_batch: theorems whose attempts advance together.
        batches_in_flight: batches under way at a time.
    """

    def __init__(
        self, generator: ProofRolloutGenerator, *, theorems_per_batch: int = 16, batches_in_flight: int = 2
    ) -> None:
        if theorems_per_batch < 1 or batches_in_flight < 1:
            raise ConfigError("theorems_per_batch and batches_in_flight must be at least 1.")
        self.generator = generator
        self._size = theorems_per_batch
        self._in_flight = batches_in_flight

    async def generate(
        self, tasks: Sequence[ProofTask], num_generations: int, *, seed: int | None = None
    ) -> list[TrajectoryGroup]:
        """Make ``num_generations`` attempts at each theorem; groups in the order of ``tasks``.

        With a seed the attempts are the same whichever batch is faster. When one batch fails, the others are given up.
        """
        turns = asyncio.Semaphore(self._in_flight)

        async def batch(at: int) -> list[TrajectoryGroup]:
            async with turns:
                stream = None if seed is None else seed + 1_000_003 * at
                return await self.generator.generate_groups(tasks[at : at + self._size], num_generations, seed=stream)

        try:
            async with asyncio.TaskGroup() as running:
                batches = [running.create_task(batch(at)) for at in range(0, len(tasks), self._size)]
        except ExceptionGroup as failed:  # one batch is enough to say what is wrong
            raise failed.exceptions[0] from failed
        return [group for done in batches for group in done.result()]
