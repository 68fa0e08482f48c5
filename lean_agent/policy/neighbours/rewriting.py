"""Carry a tactic over from the goal where it worked to a similar one: names are replaced, the rest stays.

Local names are replaced by those whose types are most alike; constants that the other goal does not have by those that
stand in the same places; names of lemmas along with the constants that they are made of.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lean_agent.policy.neighbours.binders import binders
from lean_agent.policy.neighbours.goals import ParsedGoal, bound_variables, conclusion, tokens

_NAME = re.compile(r"[^\W\d][\w.'!?✝]*")
_TERM_HEADS = ("exact ", "apply ", "refine ")
_LISTED = re.compile(r"(simp only|simp_all|simp|unfold|rw|grind) \[([^\[\]]*)\]( at [^\s\[\]]+)?")

SECOND_BEST = 0.3
"""The fit of a tactic in which one name was replaced by the second or third best."""
LEAST_FIT = 0.05
HOLES = 0.5
"""The fit of a term whose arguments Lean has to find."""
SAME_CONCLUSION = 0.5
"""From that likeness on of a hypothesis's conclusion and the target, the one is taken to prove the other."""
CHOICES = 3
"""Local names that are tried in the place of one."""
SAME_NAME = 0.15
"""How much better a local name fits one that is called alike."""
SAME_PLACE = 0.1
"""The least overlap of the places of two constants that are exchanged."""


def carried_over(
    tactic: str, source: ParsedGoal, goal: ParsedGoal, known: Collection[str] = ()
) -> Iterator[tuple[str, float]]:
    """Yield ``tactic``, which worked at ``source``, in the names of ``goal``, with how well the names fit, in (0, 1].

    Args:
        known: names of declarations; that of a lemma is made over only into one of these.

    Yields:
        The best way, with constants exchanged and without, then ways with one local name replaced by another; nothing
        where the tactic speaks of hypotheses and ``goal`` has none.
    """
    pieces = binders(tactic).pieces
    used = dict.fromkeys(piece for piece in pieces[1::2] if piece in source.types)
    is_term = tactic.startswith(_TERM_HEADS)
    goes_to_target = pieces[3] if is_term and len(pieces) > 3 and pieces[2] == " " else ""
    choices = {name: _choices(name, source, goal, concludes=name == goes_to_target) for name in used}
    if not all(choices.values()):
        return
    names: dict[str, str] = {}
    fits: dict[str, float] = {}
    for name in sorted(used, key=lambda name: -choices[name][0][0]):
        free = [choice for choice in choices[name] if choice[1] not in names.values()]
        score, names[name] = (free or choices[name])[0]
        fits[name] = min(1.0, max(score, LEAST_FIT))
    fit = math.prod(fits.values())
    best = _written(pieces, names)
    if any(name in best and name not in goal.constants for name in source.constants):
        exchanged = _with_constants(best, constant_exchange(source, goal), known)
        if exchanged != best:
            yield exchanged, fit
    yield best, fit
    for name in used:
        for score, other in choices[name]:
            if other != names[name]:
                swapped = {key: names[name] if value == other else value for key, value in names.items()}
                way = _written(pieces, {**swapped, name: other})
                yield way, fit / fits[name] * SECOND_BEST * min(1.0, max(score, LEAST_FIT))
    if is_term:
        yield from _with_holes(pieces, source, names, fits)


def _written(pieces: Sequence[str], names: Mapping[str, str]) -> str:
    """Return text and names by turns as one text, names replaced."""
    return "".join(names.get(piece, piece) if place % 2 else piece for place, piece in enumerate(pieces))


def _with_holes(
    pieces: Sequence[str], source: ParsedGoal, names: Mapping[str, str], fits: Mapping[str, float]
) -> Iterator[tuple[str, float]]:
    """Yield the term with its arguments left to Lean: values to unification, proofs to ``assumption``."""
    written = list(pieces)
    left: dict[str, float] = {}
    for place in range(1, len(pieces), 2):
        name, before, after = pieces[place], pieces[place - 1], pieces[place + 1]
        if name not in names:
            continue
        is_argument = place > 3 or before != " "
        if is_argument and before.endswith((" ", "⟨", "(")) and not after.startswith("."):
            written[place] = "_" if name in source.spoken else "‹_›"
        else:
            left[name] = fits[name]
            written[place] = names[name]
    if "".join(written) != _written(pieces, names):
        yield "".join(written), HOLES * math.prod(left.values())


def _choices(name: str, source: ParsedGoal, goal: ParsedGoal, *, concludes: bool) -> list[tuple[float, str]]:
    """Return the local names of ``goal`` that fit best in the place of ``name``, with how well; later ones first.

    Args:
        concludes: the tactic uses what ``name`` says to prove the target.
    """
    kind = source.kinds[name]
    concludes = concludes and _likeness(conclusion(source.types[name]), tuple(tokens(source.target))) > SAME_CONCLUSION
    target = tuple(tokens(goal.target))
    scored = []
    for place, (other, other_kind) in enumerate(goal.kinds.items()):
        if "✝" in other or _sort_of(other, goal) != _sort_of(name, source):
            continue
        score = _likeness(kind, other_kind) + SAME_NAME * (name == other)
        if concludes:
            score = (score + _likeness(conclusion(goal.types[other]), target)) / 2
        scored.append((score, place, other))
    return [(score, other) for score, _, other in sorted(scored, reverse=True)[:CHOICES]]


def _sort_of(name: str, goal: ParsedGoal) -> str:
    """Return whether a local name is one of a type, a value or a proof, as far as the goal's text tells."""
    first = next(iter(goal.kinds[name]), "")
    return "type" if first in ("Type", "Sort", "Prop") else "value" if name in goal.spoken else "proof"


def _likeness(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    """Return how much two types are alike: 1 where they are the same, else below."""
    if first == second:
        return 1.0
    shared = sum(min(first.count(word), second.count(word)) for word in set(first))
    return 0.9 * shared / max(len(first), len(second), 1)


def constant_exchange(source: ParsedGoal, goal: ParsedGoal) -> dict[str, str]:
    """Return which constants of ``goal`` stand where ``source`` has others that ``goal`` lacks, the surest first."""
    gone = [name for name in source.constants if name not in goal.constants]
    new = [name for name in goal.constants if name not in source.constants]
    nowhere: frozenset[tuple[str, str]] = frozenset()
    pairs = []
    for old in gone:
        places = source.contexts.get(old, nowhere)
        for other in new:
            both = goal.contexts.get(other, nowhere)
            overlap = len(places & both) / len(places | both) if places and both else 0.0
            if overlap >= SAME_PLACE:
                pairs.append((overlap, old, other))
    exchange: dict[str, str] = {}
    for _, old, other in sorted(pairs, reverse=True):
        if old not in exchange and other not in exchange.values():
            exchange[old] = other
    return exchange


def _with_constants(tactic: str, exchange: Mapping[str, str], known: Collection[str]) -> str:
    """Return the tactic with constants exchanged, and lemmas whose names are made of these where there are such."""
    if not exchange:
        return tactic

    def replaced(match: re.Match[str]) -> str:
        name = match[0]
        swapped = ".".join(exchange.get(part, part) for part in name.split("."))
        if swapped != name:
            return swapped
        for old, new in exchange.items():
            if old in name and name.replace(old, new) in known:
                return name.replace(old, new)
        return name

    return _NAME.sub(replaced, tactic)


@dataclass(slots=True)
class ListedNames:
    """Which names tactics such as ``simp [f, g]`` were given, so that they can be given those of another goal.

    Attributes:
        counts: how often a head (``simp``) was given a name.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, tactic: str) -> None:
        """Take in a tactic that worked."""
        self.counts.update(_listed(tactic))

    def discard(self, tactic: str) -> None:
        """Forget a tactic that was taken in."""
        self.counts.subtract(_listed(tactic))

    def filled(self, votes: Mapping[str, float], goal: ParsedGoal) -> Iterator[tuple[str, float]]:
        """Yield for each head among the tactics of ``votes``, and each hypothesis that it is used at, a tactic that
        names all that stands there of what the head was ever given, with the votes of that head; where tactics with the
        head name hypotheses, induction hypotheses too.
        """
        shares: defaultdict[tuple[str, str, bool], float] = defaultdict(float)
        for tactic, vote in votes.items():
            if match := _LISTED.fullmatch(tactic):
                is_local = any(name.strip() in goal.types for name in match[2].split(","))
                shares[match[1], match[3] or "", is_local] += vote
        for (head, at, is_local), vote in shares.items():
            place = goal.types.get(at.removeprefix(" at "), goal.target)
            names = [name for name in goal.constants_of(place) if self.counts[head, name]]
            if names:
                local = [name for name in goal.types if name.startswith("ih") and "✝" not in name] if is_local else []
                yield f"{head} [{', '.join(dict.fromkeys([*names, *local]))}]{at}", vote


def _listed(tactic: str) -> Iterator[tuple[str, str]]:
    """Yield the head of a tactic with each name that it was given, of a dotted one with its last part, too."""
    if match := _LISTED.fullmatch(tactic):
        for name in {name.strip().removeprefix("← ") for name in match[2].split(",")}:
            yield from ((match[1], part) for part in {name, name.rpartition(".")[2]})


def proved_by_hypotheses(goal: ParsedGoal) -> Iterator[str]:
    """Yield the tactics that use a hypothesis which concludes the target, some values put in for its variables."""
    target = tokens(goal.target)
    for name, kind in goal.types.items():
        concluded = conclusion(kind)
        variables = bound_variables(kind)
        if "✝" in name or len(concluded) != len(target):
            continue
        if all(word in (wanted, *variables) for word, wanted in zip(concluded, target, strict=True)):
            yield f"exact {name}" if len(concluded) == len(tokens(kind)) else f"apply {name}"
