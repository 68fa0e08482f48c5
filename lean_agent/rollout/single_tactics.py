"""Any scorer as a reward function for tactics: Lean runs each in the exact state that its prompt was written from.

Owns the states that are kept between batches and how a single tactic becomes an attempt of one step at the main goal.
Knows no model; the server's answers are the only judge.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from lean_agent.errors import ConfigError, LeanError, TacticFailure
from lean_agent.lean.server import LeanServer, TacticResult
from lean_agent.lean.types import Goal, GoalState, LeanProject, TheoremSite
from lean_agent.policy.base import Completion
from lean_agent.rewards.base import BaseRewardScorer
from lean_agent.rewards.verified import Level, VerifiedScorer, level_of
from lean_agent.rollout.known_proofs import KnownProofs, Theorem
from lean_agent.trajectory import ProofStep, ProofTrajectory, identity

logger = logging.getLogger(__name__)

Projects = Mapping[tuple[str, str], LeanProject]
"""(url, commit) of a repository -> its project on disk."""


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
        self._server = server
        self._projects = projects
        self._scorer = scorer or VerifiedScorer()
        self._timeout_s = timeout_s
        self._max_states = max_states
        self._states: OrderedDict[TheoremSite, GoalState] = OrderedDict()
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
        """Rewards ``[B]``, float32, NaN where Lean could not judge.

        Args:
            completions: tactics ``[B]``.
            url, commit, file_path, full_name, position: where each tactic's state came from ``[B]``, as in the rows of
                :class:`lean_agent.trainer.data.dataset.GRPODataset`.
            answers: the completions as the model wrote them, for scorers of their length or form.
            log_metric: takes a name and a number; given by TRL.
        """
        theorems = list(zip(url, commit, file_path, full_name, strict=True))
        sites = [self._site(*theorem, at) for theorem, at in zip(theorems, position, strict=True)]
        started = time.monotonic()
        attempts = self._judge(list(zip(sites, completions, strict=True)))
        seconds = time.monotonic() - started
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
        self._server.release(list(self._states.values()))
        self._states.clear()

    def _value(self, attempt: ProofTrajectory) -> float:
        return float("nan") if attempt.outcome == "unknown" else self._scorer.score(attempt, single_tactic=True)[0]

    def _completed(self, attempt: ProofTrajectory, theorem: Theorem, position: int) -> ProofTrajectory:
        """The attempt with the rest of its proof, where that is known."""
        known = level_of(attempt) == "progress" and self.known.prove(theorem, position, attempt.end)
        return replace(attempt, outcome="proved") if known else attempt

    def _site(self, url: str, commit: str, file_path: str, full_name: str, position: int) -> TheoremSite:
        """The place that a row of the dataset came from.

        Raises:
            ConfigError: the row's repository is not among the projects, so nothing of it could ever be scored.
        """
        project = self._projects.get((url, commit))
        if project is None:
            raise ConfigError(
                f"The verified reward was given no project for {url} at commit {commit}, from which {full_name} comes. "
                "Add it to `projects`, or train on repositories that are set up."
            )
        return TheoremSite(project, file_path, full_name, position)

    def _judge(self, pairs: Sequence[tuple[TheoremSite, str]]) -> list[ProofTrajectory]:
        """An attempt of one step for each (site, tactic); a pair that occurs twice runs once."""
        states = self._start({site: None for site, _ in pairs})
        runs = [(site, tactic) for site, tactic in dict.fromkeys(pairs) if tactic.strip() and site in states]
        results: Sequence[TacticResult]
        try:
            results = self._server.goal_tactics(
                [(states[site], tactic) for site, tactic in runs], timeout_s=self._timeout_s
            )
        except LeanError as error:
            results = [error] * len(runs)
        outcome = {
            (site, tactic): attempt_at_main_goal(site, tactic, states[site], result)
            for (site, tactic), result in zip(runs, results, strict=True)
        }
        self._server.release([result for result in results if isinstance(result, GoalState)])
        self._shrink()
        # What did not run is an empty answer, or a state that could not be restored.
        return [outcome.get((site, tactic)) or _not_run(site, tactic, states.get(site)) for site, tactic in pairs]

    def _start(self, sites: Mapping[TheoremSite, None]) -> dict[TheoremSite, GoalState]:
        """The state at each site, from the cache or from Lean; sites that Lean cannot restore are left out."""
        missing = [site for site in sites if site not in self._states]
        results: Sequence[GoalState | LeanError]
        try:
            results = self._server.goal_starts(missing)
        except LeanError as error:
            results = [error] * len(missing)
        for site, result in zip(missing, results, strict=True):
            if isinstance(result, GoalState):
                self._states[site] = result
            else:
                logger.warning(
                    "The state of %s at byte %s of %s: %s", site.full_name, site.position, site.file_path, result
                )
        for site in sites:
            if site in self._states:
                self._states.move_to_end(site)
        return {site: self._states[site] for site in sites if site in self._states}

    def _shrink(self) -> None:
        """Release the states used longest ago until the cache is within its bound."""
        surplus = max(0, len(self._states) - self._max_states)
        self._server.release([self._states.popitem(last=False)[1] for _ in range(surplus)])


def attempt_at_main_goal(site: TheoremSite, tactic: str, state: GoalState, result: TacticResult) -> ProofTrajectory:
    """What a single tactic did, as an attempt of one step at the main goal; the goals beside it are left out."""
    before = state.goals[:1]
    if isinstance(result, TacticFailure):
        step = ProofStep(tactic, before, failure=result.kind, message=result.message)
        return ProofTrajectory(site.full_name, site, before, (step,))
    if isinstance(result, LeanError):
        logger.warning("Lean could not judge a tactic: %s", result)
        return ProofTrajectory(site.full_name, site, before, outcome="unknown")
    after = _from_main_goal(state, result)
    step = ProofStep(tactic, before, after)
    return ProofTrajectory(site.full_name, site, before, (step,), "open" if after else "proved")


def _from_main_goal(before: GoalState, after: GoalState) -> tuple[Goal, ...]:
    """The goals that came of the main one: as many as there are beyond the others, which may have been closed as well.

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


def _not_run(site: TheoremSite, tactic: str, state: GoalState | None) -> ProofTrajectory:
    if state is None:
        return ProofTrajectory(site.full_name, site, (), outcome="unknown")
    step = ProofStep(tactic, state.goals[:1], failure="parse", message="the answer holds no tactic")
    return ProofTrajectory(site.full_name, site, state.goals[:1], (step,))
