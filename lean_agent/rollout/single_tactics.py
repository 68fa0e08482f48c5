"""Make a reward function for tactics of any scorer: Lean runs each in the exact state that its prompt was written from.

Owns how a single tactic becomes an attempt of one step at the main goal, and which goals are known to have a proof.
Knows no model; the server's answers are the only judge.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from lean_agent.errors import ConfigError, LeanError
from lean_agent.lean.server import LeanServer, TacticResult
from lean_agent.lean.types import Goal, GoalState, LeanProject, TheoremSite
from lean_agent.policy.base import Completion
from lean_agent.prompts import main_goal
from lean_agent.rewards.base import BaseRewardScorer
from lean_agent.rewards.verified import Level, VerifiedScorer, level_of
from lean_agent.rollout.runner import TacticRunner, step_of, wait_for
from lean_agent.rollout.schemes import SchemeFiller, TheoremKey
from lean_agent.trajectory import ProofTrajectory, identity

logger = logging.getLogger(__name__)

Projects = Mapping[tuple[str, str], LeanProject]
"""(url, commit) of a repository -> its project on disk."""


class KnownProofs:
    """What the finished proofs of theorems go on to prove.

    A tactic that does not close its goal may still be right, and what it leaves says so where a finished proof of the
    same theorem comes by the same goals later on. So a step like `intro h` or `induction n` earns what closing the goal
    earns, and one that changes the goal for the change's sake earns nothing. Only goals further down the proof count: a
    tactic that leads back, or nowhere, is on no proof.

    Args:
        steps: of finished proofs: the theorem, the byte at which the step begins, the state before it as printed.
    """

    def __init__(self, steps: Iterable[tuple[TheoremKey, int, str]]) -> None:
        self._last: dict[TheoremKey, dict[str, int]] = defaultdict(dict)
        for theorem, position, state in steps:
            here, goal = self._last[theorem], untagged(main_goal(state))
            here[goal] = max(position, here.get(goal, position))

    def prove(self, theorem: TheoremKey, position: int, goals: Sequence[Goal]) -> bool:
        """Return whether the theorem's proof closes each of these goals, and begins to do so behind ``position``.

        A goal that speaks of a metavariable is known by no text.
        """
        here = self._last.get(theorem, {})
        return all("?" not in goal.text and here.get(untagged(goal.text), -1) > position for goal in goals)


@dataclass(slots=True)
class RewardStatistics:
    """What was scored so far: completions for each level, and wall-clock seconds spent waiting for Lean."""

    levels: Counter[Level] = field(default_factory=Counter)
    lean_s: float = 0.0


class VerifiedTacticReward:
    """A reward function that runs each completion in Lean, all of them in one batch.

    A tactic is scored as an attempt at the main goal: it proves it when it closes it and opens nothing, or opens only
    what is known to have a proof (:attr:`known`). A completion that Lean could not judge (its process is gone for good,
    its state cannot be restored) is NaN: not known is not the same as worth nothing.

    Args:
        server: runs the tactics.
        projects: where each repository lies, by url and commit.
        scorer: what an attempt is worth; by default by the levels of
            :class:`~lean_agent.rewards.verified.VerifiedScorer`.
        timeout_s: wall-clock seconds for one tactic; one that takes longer is an error.
        max_states: states kept in Lean between batches; the one used longest ago is released first.

    Attributes:
        statistics: counts and seconds since the start.
        known: what traced proofs go on to prove; nothing is known at first.
        schemes: fills in what a model writes as schemes; by default every tactic is run as it is.
    """

    __name__ = "verified_tactic_reward"

    def __init__(
        self,
        server: LeanServer,
        projects: Projects,
        *,
        scorer: BaseRewardScorer | None = None,
        timeout_s: float = 10.0,
        max_states: int = 512,
    ) -> None:
        self._projects = projects
        self._scorer = scorer or VerifiedScorer()
        self._runner = TacticRunner(server, timeout_s=timeout_s, max_states=max_states)
        self.schemes: SchemeFiller | None = None
        self.statistics = RewardStatistics()
        self.known = KnownProofs(())

    def __call__(
        self,
        completions: Sequence[str],
        *,
        url: Sequence[str],
        commit: Sequence[str],
        file_path: Sequence[str],
        full_name: Sequence[str],
        position: Sequence[int],
        answers: Sequence[Completion] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **_: Any,
    ) -> torch.Tensor:
        """Return rewards ``[B]``, float32, NaN where Lean could not judge.

        Args:
            completions: tactics ``[B]``.
            url, commit, file_path, full_name, position: where each tactic's state came from ``[B]``, as in the rows of
                :class:`lean_agent.trainer.data.dataset.GRPODataset`.
            answers: the completions as the model wrote them, for scorers of their length or form.
            log_metric: takes a name and a number; given by TRL.
        """
        theorems = list(zip(url, commit, file_path, full_name, strict=True))
        sites = [self._site(*theorem, at) for theorem, at in zip(theorems, position, strict=True)]
        before = self._runner.times.lean_s
        attempts = wait_for(self._attempts(list(zip(theorems, sites, completions, strict=True))))
        seconds = self._runner.times.lean_s - before
        closed = sum(attempt.is_proved for attempt in attempts)
        attempts = list(map(self._completed, attempts, theorems, position))
        if answers is not None:
            attempts = [_answered(attempt, answer) for attempt, answer in zip(attempts, answers, strict=True)]
        levels = [level_of(attempt) for attempt in attempts]
        self.statistics.levels.update(levels)
        self.statistics.lean_s += seconds
        if log_metric is not None:
            log_metric("lean_s", seconds)
            for level in ("solved", "progress", "unchanged", "error", "forbidden", "unscorable"):
                log_metric(f"verified/{level}", levels.count(level) / len(levels))
            log_metric("verified/on_known_proof", (levels.count("solved") - closed) / len(levels))
        return torch.tensor([self._value(attempt) for attempt in attempts], dtype=torch.float32)

    def close(self) -> None:
        """Release the states that are kept in Lean. The server stays open."""
        self._runner.close()

    def _value(self, attempt: ProofTrajectory) -> float:
        return float("nan") if attempt.outcome == "unknown" else self._scorer.score(attempt, single_tactic=True)[0]

    def _completed(self, attempt: ProofTrajectory, theorem: TheoremKey, position: int) -> ProofTrajectory:
        """Return the attempt with the rest of its proof, where that is known."""
        known = level_of(attempt) == "progress" and self.known.prove(theorem, position, attempt.end)
        return replace(attempt, outcome="proved") if known else attempt

    def _site(self, url: str, commit: str, file_path: str, full_name: str, position: int) -> TheoremSite:
        """Return the place that a row of the dataset came from, or refuse one of which nothing could ever be scored."""
        project = self._projects.get((url, commit))
        if project is None:
            raise ConfigError(
                f"The verified reward was given no project for {url} at commit {commit}, from which {full_name} comes. "
                "Add it to `projects`, or train on repositories that are set up."
            )
        return TheoremSite(project, file_path, full_name, position)

    async def _attempts(self, asked: Sequence[tuple[TheoremKey, TheoremSite, str]]) -> list[ProofTrajectory]:
        """Make an attempt of one step of each (theorem, site, tactic)."""
        try:
            states = await self._runner.hold(site for _, site, _ in asked)
        except LeanError as error:
            logger.warning("No tactic of this batch can be judged: %s", error)
            return [ProofTrajectory(site.full_name, site, (), outcome="unknown") for _, site, _ in asked]
        started = [(theorem, states[site], tactic) for theorem, site, tactic in asked if site in states]
        tactics = [tactic for _, _, tactic in started]
        if self.schemes is not None:
            tactics = await self.schemes.filled(self._runner.lean, started)
        results, _ = await self._runner.run([(s, tactic) for (_, s, _), tactic in zip(started, tactics, strict=True)])
        reached = {result.key: result for result in results if isinstance(result, GoalState)}
        self._runner.lean.release(list(reached.values()))
        self._runner.let_go(states)
        answers = zip(tactics, results, strict=True)
        attempts = []
        for _, site, _ in asked:
            if site in states:
                tactic, result = next(answers)
                attempts.append(attempt_at_main_goal(site, tactic, states[site], result))
            else:
                attempts.append(ProofTrajectory(site.full_name, site, (), outcome="unknown"))
        return attempts


def attempt_at_main_goal(
    site: TheoremSite, tactic: str, state: GoalState, result: TacticResult | None
) -> ProofTrajectory:
    """Make an attempt of one step at the main goal of what a tactic did; the goals beside it are left out."""
    before = state.goals[:1]
    step = step_of(tactic, before, result)
    if step is None:
        logger.warning("Lean could not judge a tactic: %s", result)
        return ProofTrajectory(site.full_name, site, before, outcome="unknown")
    if not isinstance(result, GoalState):
        return ProofTrajectory(site.full_name, site, before, (step,))
    after = _from_main_goal(state, result)
    return ProofTrajectory(site.full_name, site, before, (replace(step, after=after),), "open" if after else "proved")


def _from_main_goal(before: GoalState, after: GoalState) -> tuple[Goal, ...]:
    """Return the goals that came of the main one: as many as there are beyond the others, which may be closed as well.

    Wherever a tactic moves the other goals, they are none of these, unless they were changed too; and the main goal is
    one of these as long as it is there, also when another was closed in its place.
    """
    main, *beside = [identity(goal) for goal in before.goals] or [""]
    others = Counter(beside)
    new: list[Goal] = []
    old: list[Goal] = []
    for goal in after.goals:
        (old if others[identity(goal)] > 0 else new).append(goal)
        others[identity(goal)] -= 1
    new.sort(key=lambda goal: identity(goal) != main)  # the main goal first, if it is left
    is_left = any(identity(goal) == main for goal in new)
    return tuple([*new, *old][: max(int(is_left), len(after.goals) - len(before.goals) + 1)])


def _answered(attempt: ProofTrajectory, answer: Completion) -> ProofTrajectory:
    """Return the attempt of one step with the answer that its tactic was read from."""
    return replace(attempt, steps=tuple(replace(step, completion=answer) for step in attempt.steps))


def untagged(goal: str) -> str:
    """Return a printed goal without its tag, which two tactics seldom give alike."""
    first, newline, rest = goal.partition("\n")
    return rest if newline and first.startswith("case ") else goal
