"""Many searches at a time, with one policy and one Lean server.

The theorems stand in two lanes, which take turns: what Lean has found for a lane is taken in, the policy answers what
its searches ask next, and their tactics go to Lean in one batch. Nobody waits for it until the lane's next turn:
Lean works on one lane's while the policy answers the other's, and on both where the policy is the faster, so that a
process that is done with its part of one batch goes on with the other. What is asked when depends on the answers alone,
never on which process was faster: so a run with a policy whose answers depend on the goal alone gives the same results
on any number of processes, as long as no limit of time is met.

A server of many processes (:attr:`~lean_agent.lean.server.LeanServer.in_order` is false) would stand idle while a lane
waits for the slowest tactic of its batch: there each theorem has a lane of its own, and all lanes whose answers are
there move on together. Which question comes with which others then depends on what was faster.
"""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeVar

from lean_agent.errors import LeanError, PolicyError, TacticFailure
from lean_agent.lean.server import LeanServer, TacticResult
from lean_agent.lean.types import GoalState, Origin, TheoremSite, site_of, user_name
from lean_agent.policy.base import Policy, Suggestion
from lean_agent.prompts import without_help
from lean_agent.prover.config import Cost, SearchConfig, SearchResult
from lean_agent.prover.garbage import fewer_collections
from lean_agent.prover.policy_batching import answer
from lean_agent.prover.preparation import Preparation
from lean_agent.prover.searches.base import (
    Question,
    Search,
    SearchContext,
    Success,
    Trial,
    TrialResult,
    make_search,
)
from lean_agent.prover.timing import WorkTimer
from lean_agent.prover.tree.drafts import Begun, Draft
from lean_agent.prover.tree.priorities import RatesTactics, ValueModel
from lean_agent.prover.tree.proof_cache import ProvedGoals
from lean_agent.prover.tree.steps import separable

Ended = Callable[[int, Search], None]
Turn = Callable[[Mapping[int, Search]], None]
Spent = Callable[[Cost], None]
T = TypeVar("T")

_LANES = 2
PROBE = "⊢ True"
"""A goal that a value model has to rate before a run begins."""
_LEAST_S = 0.01  # of a tactic, when the time of its theorem has just run out


@dataclass(frozen=True, slots=True)
class OpenTheorems:
    """What a run may make of theorems that are left open, each asked for by its full name and the index of the theorem
    that needs it, in its proof or its statement.

    Attributes:
        may_use: whether it may rest on the open one, where its origin allows that at all
            (:attr:`~lean_agent.lean.types.TheoremSite.may_use_open`).
        searched_as: the index of the origin whose search may prove the open one, if there is such: a theorem whose
            statement rests on that waits for it.
    """

    may_use: Callable[[int, str], bool] = lambda _, __: False
    searched_as: Callable[[int, str], int | None] = lambda _, __: None


@dataclass(slots=True)
class _Lane:
    """Searches that move together, and what Lean has been asked for them.

    Attributes:
        searches: by the index of their theorem.
        trials: what each of them waits for; ``results`` will come of them, in order.
        starting: theorems whose first states will be ``roots``, in order, beside those of proofs that are begun.
    """

    searches: dict[int, Search] = field(default_factory=dict)
    trials: dict[int, list[Trial]] = field(default_factory=dict)
    results: Future[list[TrialResult]] | None = None
    starting: list[int] = field(default_factory=list)
    roots: Future[tuple[list[GoalState | LeanError], dict[int, Begun]]] | None = None

    @property
    def is_empty(self) -> bool:
        return not self.searches and not self.starting

    @property
    def is_ready(self) -> bool:
        """Whether Lean has answered all that it was asked for it."""
        return (self.results is None or self.results.done()) and (self.roots is None or self.roots.done())


class _Waiting:
    """Origins whose searches have not begun, with those that some of them wait for."""

    def __init__(self, origins: Sequence[Origin], after: Sequence[Collection[int]] | None) -> None:
        self._origins = origins
        self._after = {index: set(others) for index, others in enumerate(after or ()) if others}
        self._dependents: defaultdict[int, list[int]] = defaultdict(list)
        for index, others in self._after.items():
            for other in others:
                self._dependents[other].append(index)
        self._left = dict.fromkeys(range(len(origins)))
        self._ended: set[int] = set()

    @property
    def is_ready(self) -> bool:
        """Whether a search can begin."""
        return next(self._ready(), None) is not None

    def put_back(self, index: int, after: Collection[int]) -> bool:
        """Let an origin that was taken wait for others; returns whether any of these has not ended yet."""
        others = {other for other in after if other not in self._ended}
        if others:
            self._left[index] = None
            self._after[index] = others
            for other in others:
                self._dependents[other].append(index)
        return bool(others)

    def ended(self, indices: Iterable[int]) -> None:
        """Take note of searches that have ended."""
        for index in indices:
            self._ended.add(index)
            for dependent in self._dependents.pop(index, ()):
                self._after[dependent].discard(index)

    def take(self, most: int) -> list[tuple[int, Origin]]:
        """Return the first origins that wait for nothing more, with their indices."""
        ready = list(islice(self._ready(), most))
        for index in ready:
            del self._left[index]
        return [(index, self._origins[index]) for index in ready]

    def _ready(self) -> Iterator[int]:
        return (index for index in self._left if not self._after.get(index))


class Driver:
    """Runs searches for many theorems; one object for one run.

    Args:
        server: runs the tactics; stays open.
        policy: is asked for tactics.
        config: how to search.
        wording: how a question's goal is put to the policy, given the index of its theorem; by default as Lean prints
            it.
        value: guesses how likely states are to be proved.
        open_theorems: which theorems that are left open proofs may rest on; by default on none.
        preparation: asks Lean about the first states of theorems before their searches begin, and about each state.
        memory: goals that are proved already, if the run is to know some; takes in what is proved.
        on_end: told of each search as it ends, of those that are abandoned too, while its states still live.
        on_round: told after each turn what all searches of the run together have spent so far.
        timer: told who was at work, and when.
        clock: seconds.
    """

    def __init__(
        self,
        server: LeanServer,
        policy: Policy,
        config: SearchConfig | None = None,
        *,
        wording: Callable[[int, Question], str] | None = None,
        value: ValueModel | None = None,
        open_theorems: OpenTheorems | None = None,
        preparation: Preparation | None = None,
        memory: ProvedGoals | None = None,
        on_end: Ended | None = None,
        on_round: Spent | None = None,
        timer: WorkTimer | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server = server
        self._policy = policy
        self._config = config or SearchConfig()
        self._wording = wording or (lambda _, question: question.goal)
        self._value = value
        self._open_theorems = open_theorems or OpenTheorems()
        self._preparation = preparation
        self._on_end = on_end
        self._on_round = on_round
        self._timer = timer or WorkTimer()
        self._clock = clock
        self._context = SearchContext(
            self._config, policy.samples, memory if memory is not None else ProvedGoals(), valued=value is not None
        )
        parallel = self._config.parallel_theorems
        self._lanes = [_Lane() for _ in range(min(_LANES, parallel) if server.in_order else parallel)]
        self._answered = threading.Event()
        self._spent = Cost()  # by the searches that have ended
        self._charged = 0.0  # the time up to which searches have been charged
        self._share = 0.0  # the seconds charged so far to a theorem that was under way all the time
        self._since: dict[int, float] = {}  # that share when each theorem under way began
        self._assumed: dict[int, Collection[str]] = {}  # open theorems that a search may rest on for its statement
        self._drafts: Mapping[int, Draft] = {}

    def run(
        self,
        origins: Sequence[Origin],
        after: Sequence[Collection[int]] | None = None,
        *,
        drafts: Mapping[int, Draft] | None = None,
        on_turn: Turn | None = None,
    ) -> Iterator[tuple[int, SearchResult]]:
        """Search for proofs of all ``origins``; yields (index of the origin, result) as each search ends.

        At most ``config.parallel_theorems`` are under way at a time. All states are released when their search ends or
        is abandoned.

        Args:
            after: for each origin the indices of others whose searches end before its own begins, without a circle; by
                default none.
            drafts: by the indices of origins, proofs of these that their authors have begun.
            on_turn: told after each turn of the searches under way, to look at them.

        Raises:
            PolicyError: the value model cannot rate a goal; said before anything is asked of Lean.
        """
        if self._value is not None and origins:
            _checked(*self._value.values([PROBE]))
        waiting = _Waiting(origins, after)
        self._drafts = drafts or {}
        began = self._charged = self._clock()
        thinker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="policy")
        idle = 0
        try:
            with fewer_collections():
                while idle < len(self._lanes):
                    lanes = self._next(waiting)
                    self._server.loop.advance(self._under_way())
                    ended = [entry for lane in lanes for entry in self._take_in(lane, waiting)]
                    yield from ended
                    self._propose(lanes, thinker)
                    for lane in lanes:
                        self._send(lane)
                    if self._on_round is not None:
                        self._on_round(self._cost())
                    if on_turn is not None:
                        on_turn({index: search for lane in self._lanes for index, search in lane.searches.items()})
                    idle = 0 if ended or not all(lane.is_empty for lane in self._lanes) else idle + 1
        finally:
            self._server.loop.cancel(self._under_way())
            self._abandon()
            thinker.shutdown(wait=False, cancel_futures=True)
            self._timer.ran(began, self._clock())

    def _next(self, waiting: _Waiting) -> list[_Lane]:
        """Return whose turn it is: the lane that had it longest ago, or those whose answers are there."""
        if self._server.in_order:
            self._lanes.append(self._lanes.pop(0))
            return self._lanes[-1:]
        while True:
            self._answered.clear()
            can_begin = waiting.is_ready
            ready = [lane for lane in self._lanes if lane.is_ready and (can_begin or not lane.is_empty)]
            under_way = self._under_way()
            if ready or not under_way:
                return ready
            self._server.loop.advance(under_way)
            self._server.loop.wait(self._answered)

    def _asked(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Have Lean work on something, and wait for nothing."""
        future = self._server.loop.submit(work)
        future.add_done_callback(lambda _: self._answered.set())
        return future

    def _take_in(self, lane: _Lane, waiting: _Waiting) -> list[tuple[int, SearchResult]]:
        """Take in what Lean has found for a lane, and have new theorems started in the place of those that ended."""
        self._absorb(lane)
        ended = self._started(lane, waiting)
        self._charge(lane)
        ended += self._finish(lane)
        waiting.ended(index for index, _ in ended)
        return ended + self._fill(lane, waiting)

    def _under_way(self) -> list[Future[Any]]:
        """Return what Lean has been asked and nobody has taken in."""
        return [future for lane in self._lanes for future in (lane.results, lane.roots) if future is not None]

    def _charge(self, *lanes: _Lane) -> None:
        """Divide the time since the last charge evenly among all theorems under way, and tell the searches of lanes
        what they have been charged."""
        now = self._clock()
        self._share += (now - self._charged) / max(1, len(self._since))
        self._charged = now
        self._tell(lanes)

    def _tell(self, lanes: Iterable[_Lane]) -> None:
        """Tell the searches of lanes what they have been charged."""
        for lane in lanes:
            for index, search in lane.searches.items():
                search.seconds = self._share - self._since[index]

    # -- the policy

    def _propose(self, lanes: Sequence[_Lane], thinker: ThreadPoolExecutor) -> None:
        """Have the searches of lanes ask the policy, and propose tactics by what it says."""
        of_lane = {index: lane for lane in lanes for index in lane.searches}
        questions = {index: lane.searches[index].ask() for index, lane in of_lane.items()}
        asked = [
            replace(question, goal=self._wording(index, question))
            for index, of_search in questions.items()
            for question in of_search
        ]
        thought = thinker.submit(self._answer, asked) if asked else None
        self._server.loop.advance(self._under_way())
        answers = iter(thought.result() if thought else ())
        for index, of_search in questions.items():
            theirs = list(islice(answers, len(of_search)))
            lane = of_lane[index]
            lane.trials[index] = lane.searches[index].propose(
                [suggestions for suggestions, _ in theirs], sum(tokens for _, tokens in theirs)
            )
        self._charge(*lanes)

    def _answer(self, questions: Sequence[Question]) -> list[tuple[list[Suggestion], int]]:
        began = self._clock()
        try:
            answers = answer(self._policy, questions, self._config.tactics_per_node)
            return [
                (self._rated(question, suggestions), tokens)
                for question, (suggestions, tokens) in zip(questions, answers, strict=True)
            ]
        finally:
            self._timer.add("policy", began, self._clock())

    def _rated(self, question: Question, suggestions: list[Suggestion]) -> list[Suggestion]:
        """Return the suggestions with the values of a model that rates tactics."""
        if not isinstance(self._value, RatesTactics) or question.whole_proof:
            return suggestions
        goal = without_help(question.goal)
        values = self._value.step_values([(goal, suggestion.tactic) for suggestion in suggestions])
        return [
            replace(suggestion, value=_checked(value)) for suggestion, value in zip(suggestions, values, strict=True)
        ]

    # -- Lean

    def _send(self, lane: _Lane) -> None:
        """Hand what a lane has proposed to Lean."""
        if lane.trials:
            left = max(0.1, *(lane.searches[i].seconds_left for i in lane.trials))
            trials = [(index, trial) for index, of_search in lane.trials.items() for trial in of_search]
            lane.results = self._asked(self._results(trials, left))

    def _absorb(self, lane: _Lane) -> None:
        """Take in what has come of a lane's tactics."""
        if lane.results is None:
            return
        results = iter(lane.results.result())
        trials, lane.trials, lane.results = lane.trials, {}, None
        superfluous: list[GoalState] = []
        for index, of_search in trials.items():
            theirs: list[TrialResult] = []
            for result in islice(results, len(of_search)):
                if not isinstance(result, LeanError) and (failure := self._refused(index, result.state)):
                    superfluous.append(result.state)
                    theirs.append(failure)
                else:
                    theirs.append(result)
            superfluous += lane.searches[index].absorb(theirs)
        if superfluous:
            self._server.release(superfluous)
        self._judge_values([lane.searches[index] for index in trials])

    def _refused(self, index: int, state: GoalState) -> TacticFailure | None:
        """Return why a proof does not count, if it rests on open theorems that it may not use."""
        assumed = self._assumed.get(index, ())
        others = [
            name for name in state.open_lemmas if name not in assumed and not self._open_theorems.may_use(index, name)
        ]
        if not others:
            return None
        return TacticFailure(
            state.script[-1], "sorry", f"the proof rests on {', '.join(map(user_name, others))}, which is open"
        )

    async def _results(self, asked: Sequence[tuple[int, Trial]], left: float) -> list[TrialResult]:
        """Run tactics, have Lean take apart the goals that they leave, and say more of these."""
        began = self._clock()
        trials = [trial for _, trial in asked]
        try:
            states = await self._states(trials, left)
            results: list[TrialResult] = [_whole(state) for state in states]
            several = {
                index: replace(state, groups=separable(state.groups))
                for index, (trial, state) in enumerate(zip(trials, states, strict=True))
                if trial.apart and isinstance(state, GoalState) and len(separable(state.groups)) > 1
            }
            if several:
                splits = await self._server.goal_splits_async(list(several.values()))
                for (index, state), parts in zip(several.items(), splits, strict=True):
                    results[index] = parts if isinstance(parts, LeanError) else Success(state, tuple(parts))
            return await self._prepared([index for index, _ in asked], results)
        finally:
            self._timer.add("lean", began, self._clock())

    async def _prepared(self, indices: Sequence[int], results: list[TrialResult]) -> list[TrialResult]:
        """Return results with what Lean says of the states to prove."""
        opened = [
            (index, state)
            for index, result in zip(indices, results, strict=True)
            if isinstance(result, Success)
            for state in result.parts
        ]
        if self._preparation is None or not opened:
            return results
        parts = iter(await self._preparation.open(opened))
        return [
            replace(result, parts=tuple(islice(parts, len(result.parts)))) if isinstance(result, Success) else result
            for result in results
        ]

    async def _states(self, trials: Sequence[Trial], left: float) -> list[TacticResult]:
        """Run tactics of one limit in one batch, proofs with more time for each in another; none with more than the
        ``left`` seconds."""
        states: dict[int, TacticResult] = {}
        full = self._config.tactic_timeout_s
        limits = [
            full * max(each.tactics for each in trials) if trial.tactics > 1 else min(full, trial.limit_s)
            for trial in trials
        ]
        for limit in sorted(set(limits)):
            indices = [index for index, of_trial in enumerate(limits) if of_trial == limit]
            pairs = [(trials[index].state, trials[index].tactic) for index in indices]
            answers = await self._server.goal_tactics_async(pairs, timeout_s=min(max(left, _LEAST_S), limit))
            states.update(zip(indices, answers, strict=True))
        return [states[index] for index in range(len(trials))]

    # -- starts

    def _fill(self, lane: _Lane, waiting: _Waiting) -> list[tuple[int, SearchResult]]:
        """Have Lean start as many theorems as there is room for; returns those for which nothing is left to spend."""
        room = -(-self._config.parallel_theorems // len(self._lanes)) - len(lane.searches)
        theorems = waiting.take(max(0, room))
        if not theorems:
            return []
        if self._is_spent():
            waiting.ended(index for index, _ in theorems)
            return [(index, SearchResult("budget")) for index, _ in theorems]
        lane.starting = [index for index, _ in theorems]
        self._since |= dict.fromkeys(lane.starting, self._share)
        lane.roots = self._asked(self._roots(theorems))
        return []

    async def _roots(
        self, theorems: Sequence[tuple[int, Origin]]
    ) -> tuple[list[GoalState | LeanError], dict[int, Begun]]:
        began = self._clock()
        try:
            roots = await self._server.goal_starts_async([origin for _, origin in theorems])
            if self._preparation is not None:
                started = [
                    (i, root) for (i, _), root in zip(theorems, roots, strict=True) if isinstance(root, GoalState)
                ]
                prepared = iter(await self._preparation.start(started))
                roots = [next(prepared) if isinstance(root, GoalState) else root for root in roots]
            begins = {index: root for (index, _), root in zip(theorems, roots, strict=True)}
            return roots, await self._begun([each for each in theorems if isinstance(begins[each[0]], GoalState)])
        finally:
            self._timer.add("lean", began, self._clock())

    async def _begun(self, theorems: Sequence[tuple[int, Origin]]) -> dict[int, Begun]:
        """Return the proofs of theorems that are begun, with the states at their holes; none of which a hole is no goal
        by itself."""
        sites = {
            index: self._drafts[index].sites(origin)
            for index, origin in theorems
            if index in self._drafts and isinstance(origin, TheoremSite)
        }
        if not sites:
            return {}
        starts = await self._server.goal_starts_async([site for of_theorem in sites.values() for site in of_theorem])
        holes = iter(await self._first_goals(starts))
        by_theorem = {index: list(islice(holes, len(of_theorem))) for index, of_theorem in sites.items()}
        whole: dict[int, list[GoalState]] = {}
        for index, of_theorem in by_theorem.items():
            states = [state for state in of_theorem if state is not None]
            if len(states) == len(of_theorem):
                whole[index] = states
            else:
                await self._server.release_async(states)
        if self._preparation is not None:
            opened = iter(
                await self._preparation.open([(index, state) for index, states in whole.items() for state in states])
            )
            whole = {index: list(islice(opened, len(states))) for index, states in whole.items()}
        return {index: Begun(self._drafts[index], tuple(states)) for index, states in whole.items()}

    async def _first_goals(self, starts: Sequence[GoalState | LeanError]) -> list[GoalState | None]:
        """Return for each state the one of its first goal alone; ``None`` where that hangs together with others."""
        several = [
            state
            for state in starts
            if isinstance(state, GoalState) and len(state.goals) > 1 and state.groups and state.groups[0] == (0,)
        ]
        splits = dict(zip(map(id, several), await self._server.goal_splits_async(several), strict=True))
        firsts: list[GoalState | None] = []
        unneeded: list[GoalState] = []
        for state in starts:
            parts = splits.get(id(state))
            if isinstance(state, LeanError):
                firsts.append(None)
            elif isinstance(parts, list):
                firsts.append(parts[0])
                unneeded += [state, *parts[1:]]
            elif len(state.goals) == 1:
                firsts.append(state)
            else:
                firsts.append(None)
                unneeded.append(state)
        await self._server.release_async(unneeded)
        return firsts

    def _started(self, lane: _Lane, waiting: _Waiting) -> list[tuple[int, SearchResult]]:
        """Make searches of the theorems that Lean has started; returns those that it could not start, and those of
        which no proof can be accepted. What rests on theorems that may yet be proved waits for these."""
        if lane.roots is None:
            return []
        roots, begun = lane.roots.result()
        self._charge()
        starting, lane.starting, lane.roots = lane.starting, [], None
        ended: list[tuple[int, SearchResult]] = []
        made: list[Search] = []
        for index, root in zip(starting, roots, strict=True):
            seconds = self._share - self._since[index]
            if isinstance(root, LeanError):
                del self._since[index]
                cost = Cost(lean_calls=1, seconds=seconds)
                ended.append((index, SearchResult("error", cost=cost, message=str(root))))
                continue
            if below := [name for name in root.unfinished if not self._open_theorems.may_use(index, name)]:
                waits = waiting.put_back(index, self._searches_of(index, below))
                if not waits and self._context.config.settings.assume_open and set(below) <= set(root.assumed):
                    self._assumed[index] = frozenset(below)
                else:
                    del self._since[index]
                    self._server.release([root, *(begun[index].states if index in begun else ())])
                    if not waits:
                        words = _unfinished_words(root, below)
                        ended.append((index, SearchResult("unfinished", cost=Cost(seconds=seconds), message=words)))
                    continue
            search = lane.searches[index] = make_search(root, replace(self._context, begun=begun.get(index)))
            search.seconds = seconds
            made.append(search)
        self._judge_values(made)
        return ended

    def _searches_of(self, index: int, names: Sequence[str]) -> list[int]:
        """Return the origins whose searches may prove open theorems; none where one of these is searched by none."""
        searches = [self._open_theorems.searched_as(index, name) for name in names]
        return [] if None in searches else [other for other in searches if other not in (None, index)]

    def _judge_values(self, searches: Sequence[Search]) -> None:
        if self._value is None:
            return
        nodes = [node for search in searches for node in search.unvalued()]
        if nodes:
            began = self._clock()
            for node, value in zip(nodes, self._value.values([node.state.text for node in nodes]), strict=True):
                node.value = _checked(value)
            self._timer.add("policy", began, self._clock())

    # -- the end

    def _finish(self, lane: _Lane) -> list[tuple[int, SearchResult]]:
        """End the searches of a lane that are over; they wait for nothing now."""
        if self._is_spent():
            for search in lane.searches.values():
                search.stop()
        over = [index for index, search in lane.searches.items() if search.is_over]
        return [(index, self._end(lane, index)) for index in over]

    def _end(self, lane: _Lane, index: int) -> SearchResult:
        search = lane.searches[index]
        if self._on_end is not None:
            self._on_end(index, search)
        result = search.result()
        del lane.searches[index], self._since[index]
        self._spent += result.cost
        self._server.release(search.live_states())
        return result

    def _is_spent(self) -> bool:
        """Return whether the budget of the whole run is used up."""
        total = self._config.total
        return total is not None and total.is_reached(self._cost())

    def _cost(self) -> Cost:
        """Return what the searches that have ended and those under way have cost."""
        self._tell(self._lanes)
        return sum((search.cost for lane in self._lanes for search in lane.searches.values()), self._spent)

    def _abandon(self) -> None:
        for lane in self._lanes:
            for index, search in lane.searches.items():
                if self._on_end is not None:
                    self._on_end(index, search)
                self._server.release(search.live_states())
            lane.searches.clear()


def _checked(value: float) -> float:
    """Return a value that a model gave.

    Raises:
        PolicyError: it is no number, so that nothing can be ranked by it.
    """
    if math.isnan(value):
        raise PolicyError("The value model answers with NaN, by which nothing can be ranked: search without it.")
    return value


def _unfinished_words(root: GoalState, below: Sequence[str]) -> str:
    """Say what a statement rests on that is left as ``sorry``, by its author or by Lean after an error."""
    site = site_of(root.origin)
    others = [name for name in below if site is None or name != site.full_name]
    if not others:
        return "its statement has a sorry in it"
    names = ", ".join(f"`{user_name(name)}`" for name in others)
    which = "is left as sorry, or has an error" if len(others) == 1 else "are left as sorry, or have an error"
    return f"its statement rests on {names}, which {which}"


def _whole(result: TacticResult) -> TrialResult:
    if isinstance(result, LeanError):
        return result
    return Success(result, () if result.is_solved else (result,))
