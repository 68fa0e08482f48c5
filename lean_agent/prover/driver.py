"""Many searches at a time, with one policy and one Lean server.

The theorems stand in two lanes. In every step the policy answers what one lane asks while Lean runs what the other lane
has proposed, then they change places. A lane's questions go to the policy in one call and its tactics to Lean in one
batch. What is asked when depends on the answers alone, never on which process was faster: so a run with a policy whose
answers depend on the goal alone gives the same results on any number of processes, as long as no limit of time is met.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice

from lean_agent.errors import LeanError
from lean_agent.lean.server import LeanServer, TacticResult
from lean_agent.lean.types import GoalState, Origin
from lean_agent.policy.base import Policy, Suggestion
from lean_agent.prover.config import SearchBudget, SearchConfig, SearchResult
from lean_agent.prover.memory import ProvedGoals
from lean_agent.prover.meter import Meter
from lean_agent.prover.priorities import ValueModel
from lean_agent.prover.questions import answer
from lean_agent.prover.registry import make_search
from lean_agent.prover.search import Outcome, Question, Search, Step, Trial
from lean_agent.prover.steps import separable
from lean_agent.prover.tree_search import SearchContext

Ended = Callable[[int, Search], None]
Spent = Callable[[SearchResult], None]


@dataclass(slots=True)
class _Lane:
    """Searches that move together; ``trials`` are what each of them waits for."""

    searches: dict[int, Search] = field(default_factory=dict)
    trials: dict[int, list[Trial]] = field(default_factory=dict)


class Driver:
    """Runs searches for many theorems; one object for one run.

    Args:
        server: runs the tactics; stays open.
        policy: is asked for tactics.
        config: how to search.
        wording: how a goal is put to the policy, given the index of its theorem; by default as Lean prints it.
        value: guesses how likely states are to be proved.
        memory: goals that are proved already, if the run is to know some; takes in what is proved.
        on_end: told of each search as it ends, of those that are abandoned too, while its states still live.
        on_round: told after each round what all searches of the run together have spent so far.
        meter: told who was at work, and when.
        clock: seconds.
    """

    def __init__(
        self,
        server: LeanServer,
        policy: Policy,
        config: SearchConfig | None = None,
        *,
        wording: Callable[[int, str], str] | None = None,
        value: ValueModel | None = None,
        memory: ProvedGoals | None = None,
        on_end: Ended | None = None,
        on_round: Spent | None = None,
        meter: Meter | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server = server
        self._policy = policy
        self._config = config or SearchConfig()
        self._wording = wording or (lambda _, goal: goal)
        self._value = value
        self._on_end = on_end
        self._on_round = on_round
        self._meter = meter or Meter()
        self._clock = clock
        self._context = SearchContext(
            self._config, policy.samples, memory if memory is not None else ProvedGoals(), valued=value is not None
        )
        self._lanes = [_Lane() for _ in range(min(2, self._config.parallel_theorems))]
        self._spent = SearchResult("failed")  # by the searches that have ended

    def run(self, origins: Sequence[Origin]) -> Iterator[tuple[int, SearchResult]]:
        """Search for proofs of all ``origins``; yields (index of the origin, result) as each search ends.

        At most ``config.parallel_theorems`` are under way at a time. All states are released when their search ends or
        is abandoned.
        """
        waiting = iter(enumerate(origins))
        began = self._clock()
        thinker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="policy")
        turn = 0
        idle = 0
        try:
            while idle < len(self._lanes):
                asking, running = self._lanes[turn], self._lanes[1 - turn if len(self._lanes) > 1 else turn]
                ended = self._step(thinker, asking, running, waiting)
                if self._on_round is not None:
                    self._on_round(self._spent_so_far())
                yield from ended
                busy = ended or asking.searches or running.searches
                idle = 0 if busy else idle + 1
                turn = (turn + 1) % len(self._lanes)
        finally:
            self._abandon()
            thinker.shutdown(wait=False, cancel_futures=True)
            self._meter.ran(began, self._clock())

    def _step(
        self,
        thinker: ThreadPoolExecutor,
        asking: _Lane,
        running: _Lane,
        waiting: Iterator[tuple[int, Origin]],
    ) -> list[tuple[int, SearchResult]]:
        """The policy answers one lane while Lean runs what the other has proposed."""
        began = self._clock()
        taking_part = [*asking.searches.values(), *(running.searches.values() if running is not asking else ())]
        questions = {index: one.ask() for index, one in asking.searches.items()} if running is not asking else {}
        thought = self._think(thinker, questions)
        self._run_trials(running)
        self._charge(taking_part, began)
        ended = self._finish(running) + self._fill(running, waiting)
        began = self._clock()
        if running is asking:
            questions = {index: one.ask() for index, one in asking.searches.items()}
            thought = self._think(thinker, questions)
        self._propose(asking, questions, thought)
        self._charge([*asking.searches.values()], began)
        return ended + self._finish(running)

    def _charge(self, searches: Sequence[Search], began: float) -> None:
        """Divide the time since ``began`` evenly among those that it was spent on."""
        share = (self._clock() - began) / max(1, len(searches))
        for one in searches:
            one.seconds += share

    # -- the policy

    def _think(
        self, thinker: ThreadPoolExecutor, questions: dict[int, list[Question]]
    ) -> Future[list[tuple[list[Suggestion], int]]] | None:
        asked = [
            replace(question, goal=self._wording(index, question.goal))
            for index, mine in questions.items()
            for question in mine
        ]
        return thinker.submit(self._answer, asked) if asked else None

    def _answer(self, questions: Sequence[Question]) -> list[tuple[list[Suggestion], int]]:
        began = self._clock()
        try:
            return answer(self._policy, questions, self._config.tactics_per_node)
        finally:
            self._meter.add("policy", began, self._clock())

    def _propose(
        self,
        lane: _Lane,
        questions: dict[int, list[Question]],
        thought: Future[list[tuple[list[Suggestion], int]]] | None,
    ) -> None:
        answers = iter(thought.result() if thought else ())
        for index, mine in questions.items():
            ours = list(islice(answers, len(mine)))
            lane.trials[index] = lane.searches[index].propose(
                [suggestions for suggestions, _ in ours], sum(tokens for _, tokens in ours)
            )

    # -- Lean

    def _run_trials(self, lane: _Lane) -> None:
        """Run what the lane has proposed."""
        trials, lane.trials = lane.trials, {}
        if not trials:
            return
        began = self._clock()
        left = max(0.1, *(lane.searches[i].seconds_left for i in trials))
        outcomes = iter(self._outcomes([trial for mine in trials.values() for trial in mine], left))
        self._meter.add("lean", began, self._clock())
        superfluous: list[GoalState] = []
        for index, mine in trials.items():
            superfluous += lane.searches[index].absorb(list(islice(outcomes, len(mine))))
        if superfluous:
            self._server.release(superfluous)
        self._judge_values([lane.searches[index] for index in trials])

    def _outcomes(self, trials: Sequence[Trial], left: float) -> list[Outcome]:
        results = self._results(trials, left)
        found: list[Outcome] = [_whole(result) for result in results]
        several = {
            index: replace(result, groups=separable(result.groups))
            for index, (trial, result) in enumerate(zip(trials, results, strict=True))
            if trial.apart and isinstance(result, GoalState) and len(separable(result.groups)) > 1
        }
        if several:
            for (index, state), parts in zip(
                several.items(), self._server.goal_splits(list(several.values())), strict=True
            ):
                found[index] = parts if isinstance(parts, LeanError) else Step(state, tuple(parts))
        return found

    def _results(self, trials: Sequence[Trial], left: float) -> list[TacticResult]:
        """What comes of single tactics, in one batch, and of proofs, in another with more time for each; neither with
        more than the ``left`` seconds."""
        results: dict[int, TacticResult] = {}
        for proofs in (False, True):
            some = [index for index, trial in enumerate(trials) if (trial.tactics > 1) is proofs]
            if some:
                limit = min(left, self._config.tactic_timeout_s * max(trials[index].tactics for index in some))
                pairs = [(trials[index].state, trials[index].tactic) for index in some]
                results.update(zip(some, self._server.goal_tactics(pairs, timeout_s=limit), strict=True))
        return [results[index] for index in range(len(trials))]

    def _fill(self, lane: _Lane, waiting: Iterator[tuple[int, Origin]]) -> list[tuple[int, SearchResult]]:
        """Start as many theorems as there is room for; returns those that are over at once."""
        room = -(-self._config.parallel_theorems // len(self._lanes)) - len(lane.searches)
        started = list(islice(waiting, max(0, room)))
        if not started:
            return []
        if self._is_spent():
            return [(index, SearchResult("budget")) for index, _ in started]
        began = self._clock()
        roots = self._server.goal_starts([origin for _, origin in started])
        self._meter.add("lean", began, self._clock())
        errors: dict[int, LeanError] = {}
        searches: dict[int, Search] = {}
        for (index, _), root in zip(started, roots, strict=True):
            if isinstance(root, LeanError):
                errors[index] = root
            else:
                searches[index] = make_search(self._config.search, root, self._context)
        lane.searches |= searches
        self._judge_values([*searches.values()])
        share = (self._clock() - began) / len(started)
        for one in searches.values():
            one.seconds += share
        return [
            (index, SearchResult("error", lean_calls=1, seconds=share, message=str(error)))
            for index, error in errors.items()
        ]

    def _judge_values(self, searches: Sequence[Search]) -> None:
        if self._value is None:
            return
        nodes = [node for one in searches for node in one.unvalued()]
        if nodes:
            began = self._clock()
            for node, value in zip(nodes, self._value.values([node.state.text for node in nodes]), strict=True):
                node.value = value
            self._meter.add("policy", began, self._clock())

    # -- the end

    def _finish(self, lane: _Lane) -> list[tuple[int, SearchResult]]:
        """The searches of a lane that are over, and wait for nothing."""
        if self._is_spent():
            for one in lane.searches.values():
                one.stop()
        over = [index for index, one in lane.searches.items() if index not in lane.trials and one.is_over]
        return [(index, self._end(lane, index)) for index in over]

    def _end(self, lane: _Lane, index: int) -> SearchResult:
        one = lane.searches[index]
        if self._on_end is not None:
            self._on_end(index, one)
        result = one.result()
        del lane.searches[index]
        self._spent = _sum(self._spent, result)
        self._server.release(one.live_states())
        return result

    def _is_spent(self) -> bool:
        """Whether the budget of the whole run is used up."""
        total = self._config.total
        if total is None:
            return False
        return _reached(self._spent_so_far(), total)

    def _spent_so_far(self) -> SearchResult:
        """By the searches that have ended and those under way."""
        spent = self._spent
        for lane in self._lanes:
            for one in lane.searches.values():
                spent = _sum(spent, one.spent)
        return spent

    def _abandon(self) -> None:
        for lane in self._lanes:
            for index, one in lane.searches.items():
                if self._on_end is not None:
                    self._on_end(index, one)
                self._server.release(one.live_states())
            lane.searches.clear()


def _whole(result: TacticResult) -> Outcome:
    if isinstance(result, LeanError):
        return result
    return Step(result, () if result.is_solved else (result,))


def _sum(a: SearchResult, b: SearchResult) -> SearchResult:
    return SearchResult(
        "failed",
        expansions=a.expansions + b.expansions,
        lean_calls=a.lean_calls + b.lean_calls,
        tokens=a.tokens + b.tokens,
        seconds=a.seconds + b.seconds,
    )


def _reached(spent: SearchResult, budget: SearchBudget) -> bool:
    return (
        spent.expansions >= budget.expansions
        or spent.lean_calls >= budget.lean_calls
        or spent.seconds >= budget.seconds
        or (budget.tokens is not None and spent.tokens >= budget.tokens)
    )
