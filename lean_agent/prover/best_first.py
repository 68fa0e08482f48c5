"""Best-first proof search, many theorems at a time.

Owns the order in which states are expanded and the budget. Asks a policy for tactics and a Lean server for what they
do; judges nothing: a ``proved`` search is a claim that :mod:`lean_agent.prover.provers` still has verified.

A state's priority is the cumulative log-probability of its script, divided by ``length ** exponent``
(BFS-Prover, arXiv 2502.03438, eq. 1). Searches advance in rounds: each picks its best open states, one policy call
serves all of them, and one batch of tactics goes to Lean. So results depend on the policy's answers alone, not on
which process was faster.
"""

from __future__ import annotations

import heapq
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from lean_agent.errors import ConfigError, LeanError
from lean_agent.lean.server import LeanServer, TacticResult
from lean_agent.lean.types import GoalState, TheoremSite
from lean_agent.policy.base import Policy, Suggestion
from lean_agent.prover.tree import Node, SearchTree

SearchStatus = Literal["proved", "failed", "budget", "error"]


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """What one theorem may cost. The first limit that is reached ends its search.

    Attributes:
        expansions: states for which the policy is asked.
        lean_calls: the first state and every tactic run count one each.
        seconds: the search's share of wall time, checked before each round; a round's time is divided evenly among the
            searches that take part in it.
    """

    expansions: int = 64
    lean_calls: int = 512
    seconds: float = 120.0

    def __post_init__(self) -> None:
        if self.expansions < 1 or self.lean_calls < 1 or self.seconds <= 0:
            raise ConfigError(
                f"A search budget needs at least one expansion, one Lean call and some time, not {self.expansions} "
                f"expansions, {self.lean_calls} calls and {self.seconds} s."
            )


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How to search.

    Attributes:
        budget: per theorem.
        tactics_per_node: how many tactics the policy is asked for at each state.
        nodes_per_round: how many states of one theorem are expanded in one round.
        length_exponent: 0 ranks by the plain sum of log-probabilities, 1 by their mean per tactic.
        tactic_timeout_s: wall-clock limit of a single tactic.
        resamples: how often the states that were expanded are expanded once more when none is left open and the budget
            is not spent, with a policy that draws at random: its next answers are others. States that are likely come
            first, as ever; a tactic that was tried at a state is not tried there again.
        parallel_theorems: how many theorems are searched in the same rounds.
    """

    budget: SearchBudget = SearchBudget()
    tactics_per_node: int = 8
    nodes_per_round: int = 4
    length_exponent: float = 0.5
    tactic_timeout_s: float = 10.0
    resamples: int = 8
    parallel_theorems: int = 16

    def __post_init__(self) -> None:
        if min(self.tactics_per_node, self.nodes_per_round, self.parallel_theorems) < 1:
            raise ConfigError("tactics_per_node, nodes_per_round and parallel_theorems are at least 1.")
        if self.resamples < 0:
            raise ConfigError(f"resamples is 0 or more, not {self.resamples}.")
        if self.length_exponent < 0 or self.tactic_timeout_s <= 0:
            raise ConfigError("length_exponent is not negative, and tactic_timeout_s is more than 0.")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How a search ended.

    Attributes:
        status: ``proved``: a state without goals was reached; ``failed``: no open state is left; ``budget``: a limit
            was reached; ``error``: the search could not start.
        script: the tactics of the proof that was found, empty otherwise.
        states: distinct states seen.
        failures: tactics that failed.
        tokens: tokens that the policy generated for this theorem's states.
        seconds: as in :class:`SearchBudget`, so that the seconds of many searches sum up to wall time.
        message: for ``error``, what went wrong.
    """

    status: SearchStatus
    script: tuple[str, ...] = ()
    states: int = 0
    expansions: int = 0
    lean_calls: int = 0
    failures: int = 0
    tokens: int = 0
    seconds: float = 0.0
    message: str = ""


class BestFirstSearch:
    """The search for one theorem, as a machine that is driven from outside.

    Until :attr:`is_over`, a round is :meth:`select` -> the policy's suggestions -> :meth:`propose` -> Lean's answers
    -> :meth:`absorb`. ``resamples`` is as in :class:`SearchConfig`.
    """

    def __init__(self, root: GoalState, config: SearchConfig, *, resamples: int = 0) -> None:
        self.tree = SearchTree(root)
        self.seconds = 0.0
        self._config = config
        self._queue: list[tuple[float, int, float]] = []
        self._proof: Node | None = self.tree.root if root.is_solved else None
        self._expansions = self._failures = self._tokens = 0
        self._lean_calls = 1
        self._was_cut = False
        self._round: list[Node] = []
        self._asked: list[tuple[Node, str, float]] = []
        self._resamples_left = resamples
        self._keeps_states = resamples > 0
        self._again: set[int] = set()  # expanded states that are in the queue once more
        self._tried: defaultdict[int, set[str]] = defaultdict(set)
        self._push(self.tree.root)

    @property
    def seconds_left(self) -> float:
        """What is left of the budget's seconds."""
        return self._config.budget.seconds - self.seconds

    @property
    def is_over(self) -> bool:
        """A proof was found, a limit was reached, or nothing is left to expand."""
        budget = self._config.budget
        spent = self._lean_calls >= budget.lean_calls or self._expansions >= budget.expansions or self.seconds_left <= 0
        return self._proof is not None or spent or not (self._has_open() or self._resamples_left)

    def select(self) -> list[Node]:
        """The states to expand next, the best first."""
        limit = min(self._config.nodes_per_round, self._config.budget.expansions - self._expansions)
        if not self._has_open() and self._resamples_left:
            self._resamples_left -= 1
            self._again = {node.id for node in self.tree.nodes}
            for node in self.tree.nodes:
                self._push(node)
        while len(self._round) < limit and self._has_open():
            node = self.tree.nodes[heapq.heappop(self._queue)[1]]
            self.tree.begin(node)
            self._again.discard(node.id)
            self._round.append(node)
        self._expansions += len(self._round)
        return self._round

    def propose(self, suggestions: Sequence[Sequence[Suggestion]], tokens: int) -> list[tuple[GoalState, str]]:
        """The tactics to run, in the order of the states and likeliest first, no more than the budget has left.

        ``tokens`` is what the suggestions cost.
        """
        self._tokens += tokens
        self._asked = [
            (node, suggestion.tactic, suggestion.logprob)
            for node, tactics in zip(self._round, suggestions, strict=True)
            for suggestion in tactics
            if suggestion.tactic not in self._tried[node.id]
        ]
        left = self._config.budget.lean_calls - self._lean_calls
        self._was_cut = len(self._asked) > left
        del self._asked[left:]
        self._lean_calls += len(self._asked)
        for node, tactic, _ in self._asked:
            self._tried[node.id].add(tactic)
        return [(node.state, tactic) for node, tactic, _ in self._asked]

    def absorb(self, results: Sequence[TacticResult]) -> list[GoalState]:
        """Take in Lean's answers to :meth:`propose`, in order; returns the states that are needed no more."""
        superfluous = [] if self._keeps_states else [node.state for node in self._round]
        for (node, tactic, logprob), result in zip(self._asked, results, strict=True):
            if isinstance(result, LeanError):
                self._failures += 1
                continue
            arrival = self.tree.reach(node, tactic, logprob, result)
            if arrival.superfluous is not None:
                superfluous.append(arrival.superfluous)
            if arrival.node.status == "solved":
                self._proof = self._proof or arrival.node
            elif arrival.improved:
                self._push(arrival.node)
        for node in self._round:
            self.tree.close(node)
        self._round = []
        return superfluous

    def live_states(self) -> list[GoalState]:
        """The states that Lean still keeps for this search."""
        if self._keeps_states:
            return [node.state for node in self.tree.nodes]
        kept = [node.state for node in self.tree.nodes if node.status in ("open", "solved")]
        return kept + [node.state for node in self._round]

    def result(self) -> SearchResult:
        """What has come out; final once :attr:`is_over`."""
        unfinished = self._has_open() or self._resamples_left or self._was_cut
        status: SearchStatus = "proved" if self._proof else "budget" if unfinished else "failed"
        return SearchResult(
            status=status,
            script=self._proof.state.script if self._proof else (),
            states=len(self.tree.nodes),
            expansions=self._expansions,
            lean_calls=self._lean_calls,
            failures=self._failures,
            tokens=self._tokens,
            seconds=self.seconds,
        )

    def _push(self, node: Node) -> None:
        score = node.logprob / max(node.depth, 1) ** self._config.length_exponent
        heapq.heappush(self._queue, (-score, node.id, node.logprob))

    def _has_open(self) -> bool:
        """Whether an open state is left; drops entries of states that were expanded or have found a likelier way."""
        while self._queue:
            _, node_id, logprob = self._queue[0]
            node = self.tree.nodes[node_id]
            if (node.status == "open" or node_id in self._again) and node.logprob == logprob:
                return True
            heapq.heappop(self._queue)
        return False


def search(
    server: LeanServer,
    policy: Policy,
    origins: Sequence[TheoremSite | str],
    config: SearchConfig | None = None,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[tuple[int, SearchResult]]:
    """Search for proofs of all ``origins``; yields (index of the origin, result) as each search ends.

    At most ``config.parallel_theorems`` are under way at a time. States are released as soon as nothing can grow from
    them, and all of them when the search ends or is abandoned.
    """
    config = config or SearchConfig()
    resamples = config.resamples if policy.samples else 0
    waiting = list(enumerate(origins))[::-1]
    active: dict[int, BestFirstSearch] = {}
    try:
        while waiting or active:
            for index in [index for index, one in active.items() if one.is_over]:
                ended = active.pop(index)
                server.release(ended.live_states())
                yield index, ended.result()
            yield from _start(server, waiting, active, config, resamples)
            if running := [one for one in active.values() if not one.is_over]:
                _advance(server, policy, running, config, clock)
    finally:
        for abandoned in active.values():
            server.release(abandoned.live_states())


def _start(
    server: LeanServer,
    waiting: list[tuple[int, TheoremSite | str]],
    active: dict[int, BestFirstSearch],
    config: SearchConfig,
    resamples: int,
) -> list[tuple[int, SearchResult]]:
    """Fill up ``active`` from the end of ``waiting``; returns the results of those that cannot start."""
    count = min(len(waiting), config.parallel_theorems - len(active))
    started = [waiting.pop() for _ in range(count)]
    roots = server.goal_starts([origin for _, origin in started]) if started else []
    errors = []
    for (index, _), root in zip(started, roots, strict=True):
        if isinstance(root, LeanError):
            errors.append((index, SearchResult("error", lean_calls=1, message=str(root))))
        else:
            active[index] = BestFirstSearch(root, config, resamples=resamples)
    return errors


def _advance(
    server: LeanServer,
    policy: Policy,
    searches: Sequence[BestFirstSearch],
    config: SearchConfig,
    clock: Callable[[], float],
) -> None:
    """One round for every search: one policy call, one batch of tactics."""
    began = clock()
    selected = [(one, one.select()) for one in searches]
    goals = [node.state.goals[0].text for _, nodes in selected for node in nodes]
    suggestions, tokens = _suggest(policy, goals, config.tactics_per_node)
    proposed = []
    for one, nodes in selected:
        ours = slice(0, len(nodes))
        proposed.append((one, one.propose(suggestions[ours], sum(tokens[ours]))))
        del suggestions[ours], tokens[ours]
    longest = max(one.seconds_left for one, _ in proposed)
    pairs = [pair for _, batch in proposed for pair in batch]
    results = iter(server.goal_tactics(pairs, timeout_s=min(config.tactic_timeout_s, longest)))
    for one, batch in proposed:
        server.release(one.absorb([next(results) for _ in batch]))
    share = (clock() - began) / len(proposed)
    for one, _ in proposed:
        one.seconds += share


def _suggest(policy: Policy, goals: Sequence[str], k: int) -> tuple[list[list[Suggestion]], list[int]]:
    """The suggestions for each goal, and what they cost in tokens.

    A policy that counts what it generates has candidates in its count that were repeated or cut off; the batch's total
    is shared evenly among the goals.
    """
    before = getattr(policy, "tokens_generated", None)
    suggestions = list(policy.suggest(goals, k))
    if before is None:
        return suggestions, [sum(one.tokens for one in tactics) for tactics in suggestions]
    each, rest = divmod(policy.tokens_generated - before, len(goals))  # type: ignore[attr-defined]  # has it: see above
    return suggestions, [each + (index < rest) for index in range(len(goals))]
