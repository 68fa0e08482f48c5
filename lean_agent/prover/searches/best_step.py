"""Best-first search over single steps: the likeliest tactic that was not run yet comes next, at whatever state.

Best-first search over states runs all that the policy says of a state at once, and most of that is unlikely. Here every
tactic waits in one queue, in a place of its own: by the log-probability of the whole way to where it would lead,
divided by ``length ** exponent``. So Lean's calls go where the policy puts its probability, as in partial-expansion A*
(Yoshizumi et al. 2000) and in the order of Levin's search (arXiv 1811.10928). Tactics like those that Lean has refused
come later, and names that a goal does not have are mended (:mod:`~lean_agent.prover.refusals`). To ask the policy about
a state stands in the same queue. A policy that draws at random has not said everything: what it has not said of a state
has the probability that is left, and the state is asked about again when that comes first. Of goals that a tactic
leaves apart one is worked on, and the next when it is solved.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from typing_extensions import override

from lean_agent.lean.types import Goal, GoalState, site_of, user_name
from lean_agent.policy.base import Suggestion
from lean_agent.policy.closers.schemes import BY_SIMP, INTRO, tactics_of, with_alternatives
from lean_agent.policy.fillings.openings import fresh_names, opening
from lean_agent.policy.fillings.reading import TOLD
from lean_agent.policy.neighbours.goals import head_and_parts, tokens
from lean_agent.prover.config import TreeSettings
from lean_agent.prover.refusals import (
    TOO_DEEP,
    Refusals,
    SearchRefusals,
    names_written,
    without_computing,
    without_refused,
)
from lean_agent.prover.searches.tree_search import TreeSearch, united
from lean_agent.prover.tree.alternatives import all_tried
from lean_agent.prover.tree.graph import Failure, Node
from lean_agent.prover.tree.priority_queue import PriorityQueue, QueueEntry
from lean_agent.prover.tree.steps import head
from lean_agent.settings import Count, NotNegative, Seconds

LENGTH_EXPONENT = 0.5
"""A model proves most with it; where likely tactics are rare among all, as in a mixture, it has a search dive."""
VALUE_WEIGHT = 0.1
AGAIN = 2.0
"""Nats by which a state moves back each time that it is asked about: what is left to say is spread more thinly."""
_SAME_AFTER_INTRO = frozenset(
    {
        "assumption",
        "contradiction",
        "grind",
        "intros;",
        "omega",
        "simp",
        "simp_all",
        "simp_all!",
        head(BY_SIMP),
        "solve_by_elim",
        "trivial",
    }
)
AT_ONCE = ("rfl", "assumption", "contradiction", "omega", "trivial", "decide", BY_SIMP, "grind")
"""What closes a goal or fails, and is told nothing about it; what takes the least time comes first. In searches for 361
theorems of public projects those but ``simp_all!`` were 1,467 of 8,446 calls, and 2 of them were a step of a proof."""
HIDDEN_INTRO = 0.25
"""The probability of introducing what the target says ``∀`` of by a definition: as a rule a proof begins so."""
BEFORE_NOTATION = 2.0
"""Nats by which a tactic is less likely where nothing says yet what the notation of a goal means: it is tried behind
that, too."""
_NOTHING_TO_INTRODUCE = frozenset({"=", "∧", "∨", "∃", "↔", "False"})
_INTRO_ALONE = re.compile(r"(?:intros?|rintro)(?: [^;<\n]+)?")
_NAMES_INTRODUCED = re.compile(r"r?intros?(?: [\w'₀-₉✝]+)*")
_NOTATION = re.compile(
    rf"(?:obtain ⟨\S+, rfl⟩ := Quot(?:ient)?\.exists_rep .+|have \S+(?:{'|'.join(TOLD)})'* : .+ := .+)"
)
_PLAIN_INTRO = re.compile(r"intro(?: [\w'₀-₉]+)+")
WIDEST = 8
"""So many times as many tactics as at first a policy that does not draw is asked for in the end, where nothing is left
to be tried."""
PATIENCE = 3
BRIEFLY_S = 2.0
"""Of the tactics that work three in a hundred take longer; those that fail take half of a search's time beyond it."""
LEAST_LEFT = 1e-3
"""The probability that is always taken to be left: a state of which all seems said comes last, but it comes."""


@dataclass(frozen=True)
class BestStepSettings(TreeSettings):
    """Settings of best-first search over single steps.

    Attributes:
        tactics_per_round: how many tactics of one theorem run in one round.
        length_exponent: 0 ranks by the plain sum of log-probabilities, 1 by their mean per tactic; by default
            :data:`LENGTH_EXPONENT`, and 0 for an agent's mixture.
        learn_refusals: whether tactics come later, or sooner, by what Lean said in this run to others that were like
            them (:mod:`~lean_agent.prover.refusals`); with ``remember=False`` in this search alone.
        intro_first: whether steps that lose no proof count as certain, and what does the same after them is not tried
            before them: ``intro`` of what the target says ``∀`` or ``→`` of, ``have`` of what notation means that
            instances of the project give, then ``obtain`` of a hypothesis that says ``∃`` or ``∧`` by a definition; by
            default for an agent's mixture.
        mend_names: whether a tactic with names that are not there is tried with names that the goal has, one that Lean
            refuses for a name in a list again without that name, and one that names the theorem itself not at all.
        closers_at_once: whether those of :data:`AT_ONCE` that are proposed at a state are alternatives of one tactic,
            and so of one Lean call.
        value_weight: nats for each step that a value model, if there is one, says a proof has left.
        patience: once so many tactics of a search were stopped at their time limit, the limit is ``briefly_s``.
        briefly_s: seconds, if they are fewer than the limit of a tactic.
    """

    tactics_per_round: Count = 2
    length_exponent: NotNegative | None = None
    learn_refusals: bool = True
    intro_first: bool | None = None
    mend_names: bool = True
    closers_at_once: bool = True
    value_weight: NotNegative = VALUE_WEIGHT
    patience: Count = PATIENCE
    briefly_s: Seconds = BRIEFLY_S


class BestStepSearch(TreeSearch[BestStepSettings]):
    """Expand the best step first; a state is asked about again ``resamples`` times.

    A policy that does not draw would answer the same again: where nothing is left to be tried it is asked for twice as
    many tactics at the states where it gave as many as it was asked for, up to :data:`WIDEST` times as many.
    """

    name = "best_step"
    settings_class = BestStepSettings
    keeps_states = True
    keeps_tactics = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._most_asked = 1 + self.resamples_left
        self.resamples_left = 0  # each state is asked about again when that comes first
        self._cut_off: set[int] = set()  # nodes of which the policy may have had more to say
        self._queue = PriorityQueue(self.graph, in_turn=True)
        self._mass: defaultdict[int, list[float]] = defaultdict(list)  # probabilities of what was proposed, by node
        # with remember=False a theorem is searched for as if it were alone
        learnt = self.context.refusals if self.context.config.remember else Refusals()
        self._refusals = SearchRefusals(learnt if self.settings.learn_refusals else None)
        self._own_names = _names_of(self.graph.root.state)
        self._timeouts = 0

    @override
    def opened(self, node: Node) -> None:
        """Put what the policy has not proposed there yet into the queue."""
        asked = self.times_asked[node.id]
        if asked < self._most_asked:
            left = math.log(max(1 - math.fsum(self._mass[node.id]), LEAST_LEFT)) - AGAIN * asked
            self._queue.put(self._cost(node, left), node)

    @override
    def choose(self, limit: int) -> list[Node]:
        """Return the states to ask about that come before the next tactics of a round."""
        chosen: list[Node] = []
        passed = 0
        entry: QueueEntry | None = None
        while len(chosen) < limit and passed < self.settings.tactics_per_round and (entry := self._next_entry(entry)):
            if entry.tactic is None:
                self._queue.remove(entry)
                chosen.append(self.graph.nodes[entry.node])
            else:
                passed += 1
        if chosen or passed or not self._may_widen:
            return chosen
        self._widen()
        return self.choose(limit)

    @override
    def reword(self, node: Node, suggestions: Sequence[Suggestion]) -> Sequence[Suggestion]:
        if len(suggestions) >= self.config.tactics_per_node * self.width:
            self._cut_off.add(node.id)
        goal = node.state.goals[0]
        if self.settings.intro_first:
            suggestions = _with_free_intro(_with_hidden_intro(suggestions, goal), goal)
            suggestions = _with_free_obtain(suggestions, goal)
        if self.settings.mend_names:
            suggestions = [
                replace(suggestion, tactic=self._refusals.mend(suggestion.tactic, goal))
                for suggestion in suggestions
                if self._own_names.isdisjoint(names_written(suggestion.tactic))
            ]
        if self.settings.intro_first:
            suggestions = _with_notation(suggestions, goal)
        return self._with_closers_at_once(node, suggestions) if self.settings.closers_at_once else suggestions

    def _with_closers_at_once(self, node: Node, suggestions: Sequence[Suggestion]) -> Sequence[Suggestion]:
        """Return the suggestions, those of :data:`AT_ONCE` that are new at a state as one."""
        known = {way for tactic in self.known_tactics(node) for way in all_tried(tactic)}
        closers = [each for each in suggestions if each.tactic in AT_ONCE and each.tactic not in known]
        named = {each.tactic for each in closers}
        together = with_alternatives("", [way for way in AT_ONCE if way in named])
        kept = (each for each in suggestions if each in closers[:1] or each.tactic not in AT_ONCE)
        return [replace(united(closers), tactic=together) if each in closers else each for each in kept]

    @override
    def select(self, answers: Sequence[tuple[Node, Sequence[Suggestion]]]) -> list[tuple[Node, Suggestion]]:
        """Return the next tactics of the queue, up to the first state that is to be asked about before them."""
        for node, suggestions in answers:
            for suggestion in suggestions:
                self._mass[node.id].append(math.exp(suggestion.logprob))
                self._queue.put(self._tactic_cost(node, suggestion), node, suggestion)
            self.opened(node)
        chosen: list[tuple[Node, Suggestion]] = []
        entry = self._next_entry(tactics=True)
        while len(chosen) < self.settings.tactics_per_round and entry and entry.tactic is not None:
            self._queue.remove(entry)
            node = self.graph.nodes[entry.node]
            chosen += [(node, tactic) for tactic in self._worthwhile(node, entry.tactic)]
            entry = self._next_entry(entry, tactics=not self.may_ask)
        return chosen

    def _worthwhile(self, node: Node, tactic: Suggestion) -> list[Suggestion]:
        """Return a tactic of the queue as it is worth a call, if it is."""
        text, goal = tactic.tactic, node.state.goals[0]
        shorter = self._refusals.shorter(text, goal) if self.settings.mend_names else text
        if shorter == text and not self._refusals.is_hopeless(text, goal):
            return [tactic]
        self.drop(node, text)
        return [replace(tactic, tactic=shorter)] if shorter != text and self.keep(node, shorter) else []

    @override
    def may_help(self, node: Node) -> bool:
        return self._queue.may_help(node.id)

    @override
    def failed(self, node: Node, failure: Failure) -> None:
        if failure.proposed_by != "policy":
            return
        self._timeouts += failure.kind == "timeout"
        is_deep = TOO_DEEP in failure.message
        goal = node.state.goals[0]
        is_endless = failure.kind == "timeout" or is_deep  # `first` goes on to its next alternative after neither
        self._refusals.failed(failure.tactic, goal, failure.message, is_endless=is_endless)
        rest = without_computing(failure.tactic) if is_deep else without_refused(failure.tactic, failure.message)
        if self.settings.mend_names and rest is not None and self.keep(node, rest):
            again = Suggestion(rest, failure.logprob, 0)
            self._queue.put(self._tactic_cost(node, again), node, again)

    @override
    def worked(self, node: Node, tactic: str, *, is_news: bool) -> None:
        self._refusals.worked(tactic, node.state.goals[0], is_news=is_news)

    @property
    @override
    def limit_s(self) -> float:
        return math.inf if self._timeouts < self.settings.patience else self.settings.briefly_s

    @property
    def _may_widen(self) -> bool:
        """Whether the policy may have more to say at once."""
        return bool(self._cut_off) and self.all_opened and not self.context.samples and self.width < WIDEST

    def _widen(self) -> None:
        """Have the policy asked for twice as many tactics where it gave as many as it was asked for."""
        self.width *= 2
        cut_off, self._cut_off = self._cut_off, set()
        for node in sorted(cut_off):
            self.times_asked[node] = 0
            self.opened(self.graph.nodes[node])

    def _cost(self, node: Node, logprob: float, value: float | None = None) -> float:
        """Return the cost of a step from ``node`` with that log-probability, and that value if it has its own."""
        exponent = self.settings.length_exponent
        length: float = (node.depth + 1) ** (LENGTH_EXPONENT if exponent is None else exponent)
        rated = node.value if value is None else value
        left = 0.0 if rated is None else self.settings.value_weight * (self.graph.value_beside(node) + rated)
        return -(node.logprob + logprob) / length - left

    def _tactic_cost(self, node: Node, tactic: Suggestion) -> float:
        gain = self._refusals.gain(tactic.tactic, node.state.goals[0])
        return self._cost(node, tactic.logprob + gain, tactic.value)

    def _next_entry(self, after: QueueEntry | None = None, *, tactics: bool = False) -> QueueEntry | None:
        """Return the next entry; a tactic that is penalized since it was put there moves back first."""
        while (entry := self._queue.next(after, tactics=tactics)) and entry.tactic is not None:
            node = self.graph.nodes[entry.node]
            cost = self._tactic_cost(node, entry.tactic)
            if cost <= entry.cost + 1e-9:
                break
            self._queue.remove(entry)
            self._queue.put(cost, node, entry.tactic)
        return entry


def _with_hidden_intro(suggestions: Sequence[Suggestion], goal: Goal) -> Sequence[Suggestion]:
    """Return the suggestions, with one that introduces what the target says ``∀`` of by a definition; without those
    that introduce something where there surely is nothing."""
    if goal.binders:
        names = fresh_names(goal.binders, [variable.name for variable in goal.variables])
        return [Suggestion(f"intro {' '.join(names)}", math.log(HIDDEN_INTRO), 0), *suggestions]
    if head_and_parts(tokens(goal.target))[0] in _NOTHING_TO_INTRODUCE:
        return [each for each in suggestions if not _INTRO_ALONE.fullmatch(each.tactic)]
    return suggestions


def _with_free_intro(suggestions: Sequence[Suggestion], goal: Goal) -> Sequence[Suggestion]:
    """Return the suggestions, the one that introduces all that the target says first with probability 1, without those
    that can wait for it, and without those that introduce the same, or a part of it, by other names: each of their
    states would be searched once more."""
    names = [len(tactic.split()) for tactic in tactics_of(INTRO, goal.text)]
    introduced = (each for each in suggestions if _PLAIN_INTRO.fullmatch(each.tactic))
    likeliest = next((each for each in introduced if len(each.tactic.split()) in names), None)
    if likeliest is None:
        return suggestions
    return [
        replace(each, logprob=0.0) if each is likeliest else each
        for each in suggestions
        if head(each.tactic) not in _SAME_AFTER_INTRO
        and (each is likeliest or not _NAMES_INTRODUCED.fullmatch(each.tactic))
    ]


def _with_free_obtain(suggestions: Sequence[Suggestion], goal: Goal) -> Sequence[Suggestion]:
    """Return the suggestions, one that takes apart a hypothesis that says ``∃`` or ``∧`` by a definition first with
    probability 1, without those that can wait for it; as they are where something is to be introduced first, or a
    metavariable would not see what comes out. What says so itself closing tactics take apart by themselves."""
    if tactics_of(INTRO, goal.text) or goal.binders or "?" in goal.target:
        return suggestions
    opened = _opens(goal)
    if opened is None:
        return suggestions
    waiting = (each for each in suggestions if head(each.tactic) not in _SAME_AFTER_INTRO and each.tactic != opened)
    return [Suggestion(opened, 0.0, 0), *waiting]


def _with_notation(suggestions: Sequence[Suggestion], goal: Goal) -> Sequence[Suggestion]:
    """Return the suggestions, one that says what the notation of the goal means first with probability 1, the others
    later, and those that can wait for it not at all; as they are where something is to be introduced first."""
    meanings = [each.proof for each in goal.consequences if each.kind == "notation"]
    suggestions = [each for each in suggestions if not _NOTATION.fullmatch(each.tactic)]
    if not meanings or tactics_of(INTRO, goal.text):
        return suggestions
    waiting = (each for each in suggestions if head(each.tactic) not in _SAME_AFTER_INTRO)
    later = (replace(each, logprob=each.logprob - BEFORE_NOTATION) for each in waiting)
    return [Suggestion("; ".join(meanings), 0.0, 0), *later]


def _opens(goal: Goal) -> str | None:
    """Return a tactic that takes apart the first such hypothesis; none of which others speak: it would stay."""
    spoken_of = {word for variable in goal.variables for word in tokens(variable.type)}
    names = [variable.name for variable in goal.variables]
    for consequence in goal.consequences:
        is_hypothesis = consequence.proof in names and consequence.proof not in spoken_of
        if is_hypothesis and head_and_parts(tokens(consequence.type))[0] in ("∃", "∧"):
            return f"obtain {opening(consequence.type, names)} := {consequence.proof}"
    return None


def _names_of(root: GoalState) -> frozenset[str]:
    """Return what a tactic could call the theorem that is to be proved: neighbours do, as their own proofs used it."""
    site = site_of(root.origin)
    parts = user_name(site.full_name).split(".") if site is not None else []
    return frozenset(".".join(parts[place:]) for place in range(len(parts)))
