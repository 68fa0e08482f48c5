"""Learn within a run which tactics Lean refuses, and mend names that a goal does not have.

Of what a small model proposes most fails: it speaks of hypotheses that the goal does not have and of definitions of
other files, simplifies where nothing is to be simplified, and tries a closing tactic that has failed one step before.
:class:`Refusals` learns from every answer of Lean, over all searches of a run, how likely a tactic is to work, by a
logistic regression over a few features of its text and its goal. A tactic is compared with its kind (its first word,
and whether ``<;>`` follows): how likely that is, the policy has said. Nothing is left out for it, tactics only change
places in the queue.
:meth:`SearchRefusals.mend` puts names of the goal in the place of names that can be of no use there. Owns this reading
of tactics' texts, which knows no more of Lean's grammar than its binders.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lean_agent.lean.types import Goal
from lean_agent.policy.closers.schemes import alternatives, with_alternatives
from lean_agent.prover.tree.alternatives import OF_ALL, all_tried, alone
from lean_agent.prover.tree.steps import head
from lean_agent.prover.tree.twins import rename_tactic

UNKNOWN_NAME_PENALTY = 3.0
"""Nats by which a tactic with a name that is not there is taken for less likely where nothing is learnt."""
LEAST, MOST = -4.0, 1.0
"""Nats by which a tactic can be taken for less likely, or more, than the policy says."""

_RATE = 0.5
_UNKNOWN, _STRANGE = "unknown", "strange"
_AT_FIRST = {_UNKNOWN: -4.0, _STRANGE: -4.0}
"""Weights before anything is learnt: as good as :data:`UNKNOWN_NAME_PENALTY`."""

_NAME = re.compile(r"[A-Za-z_α-κμ-ωΓ-ΩΔ][\w'!?₀-₉]*(?:\.[A-Za-z_][\w'!?₀-₉]*)*")
_BINDERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:intro|intros|rintro|rename_i|ext|funext)\b[^;<]*",
        r"(?:\bfun\b|λ|∃|∀)[^=,↦]*(?:=>|,|↦)",
        r"\bobtain\b[^:]*:=",
        r"\bwith\b[^;]*",
        r"\b(?:have|let|suffices|set|by_cases|generalize|induction|cases)\s+[\w'₀-₉]+\s*:",
        r"\|[^=]*=>",
    )
)
_LIKE_A_HYPOTHESIS = re.compile(r"[a-z]{1,2}[\d₀-₉']*|ih\w*|h\w{1,2}")
"""``h``, ``h₁``, ``hp``, ``ih``, ``x'``: what hypotheses are called; words of tactics (``at``, ``rw``) are left out."""
_PROOFS = "hi"
"""With these letters the names of proofs begin, other hypotheses are values."""
_WORDS = frozenset({"at", "by", "do", "if", "in", "rw"})
_FIRST_WORDS = re.compile(r"(?:<;>|[;\n·]|\bby\b)\s*(\w+)")
"""What stands first in each of several tactics is no name: ``omega`` of ``simp [f]; omega``."""
_LIST = re.compile(r"\[[^\[\]]*\]")
_REFUSED_NAME = re.compile(r"^Unknown (?:identifier|constant) `([^`]+)`")
_REFUSED_ENTRY = re.compile(
    r"^(?:Invalid argument: Variable|redundant parameter|failed to generate equation theorems for"
    r"|Unknown (?:identifier|constant)) `([^`]+)`"
)
"""How Lean names what it does not take of a list (``simp [f, x]``), for which it refuses the whole tactic."""
_WITHOUT_PATTERN = re.compile(r"^`@\[grind[^\]]*\] theorem ([^`]+)` failed to find patterns")
_GENERALIZED = re.compile(r"^Unnecessary `generalizing` argument: Variable `([^`]+)` is generalized automatically")
_RESTS_ON = re.compile(r"^the proof rests on (.+), which is open$")
_SIMPLIFIES = re.compile(r"\b((?:simp|simp_all)!?(?: only)?) \[(?!-)")
_SIMPLIFIES_PLAINLY = re.compile(r"\b(simp|simp_all)(!?)(?![\w!]| only| \[)")
_END_OF_NAMES = re.compile(r"\s*(?:<;>|;|\n|\bwith\b|$)")
_GRIND_LIST = re.compile(r"\bgrind \[([^\[\]]*)\]")
_NAMESPACES = frozenset(
    {"Array", "Bool", "Except", "Fin", "Int", "List", "Nat", "Option", "Prod", "Std", "String", "Sum"}
)
"""So theorems of Lean's own library are called."""
SHORT_LISTS = (2, 10), (2, 3)
"""So many definitions, and so many others, are left in the lists of tactics after others have taken all their time: the
first ones; and so many where that was not enough. What is of Lean's own library stays."""
ENDLESS = 2
"""After so many tactics with alternatives that have taken all their time, others of a search begin with short lists,
and after as many more with the shortest."""
_LOOPS = "simp_all!"
"""With the project's own lemmas it may never end, and takes the time of all that would be tried after it."""
TOO_DEEP = "maximum recursion depth has been reached"
"""So Lean says of a tactic that went round and round."""
_COMPUTING = frozenset({"rfl", "trivial", "decide"})
"""Where one of these goes too deep, ``first`` does not go on to its next alternative."""
_NOT_INDUCTIVE = re.compile(r"^Tactic `(\w+)` failed: major premise type is not an inductive type")
_NO_INDUCTION = re.compile(r"^The `induction` tactic does not support the type")
"""So Lean says of nested and mutual types, on which ``cases`` does work."""
_TAKEN_APART = re.compile(r"(induction|cases)\s+([\w'₀-₉]+)")
_SIGNS = ("→", "↔", "∨", "∧", "=", "≠", "≤", "<", "≥", ">", "∣", "∈")
"""Of a proposition the first of these that stands in it is what it says."""

_NO_DEFINITIONS = frozenset({"fun", "true", "false", "some", "none", "then", "else", "let", "match", "with", "only"})
_UNFOLDING = frozenset({"simp", "simp_all", "unfold"})


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of a tactic at a goal.

    Attributes:
        kind: with what it is compared.
        values: how much each counts, the kind among them.
    """

    kind: str
    values: Mapping[str, float]


@lru_cache(maxsize=100_000)
def names_used(tactic: str) -> frozenset[str]:
    """Return the names in a tactic that it does not bind itself, and their first components (``h`` of ``h.1``)."""
    bound: set[str] = set()
    rest = tactic
    for binder in _BINDERS:
        for match in binder.finditer(rest):
            bound.update(_NAME.findall(match.group()))
        rest = binder.sub(" ", rest)
    return frozenset(part for name in _NAME.findall(rest) for part in (name, name.split(".")[0])) - bound - _WORDS


def names_written(tactic: str) -> frozenset[str]:
    """Return the names in a tactic as they are written."""
    return frozenset(_NAME.findall(tactic))


@lru_cache(maxsize=20_000)
def _says(proposition: str) -> str:
    """Return what a proposition, or a type, says first: a quantifier, a connective, a relation, or its first word."""
    if proposition[:1] in ("∀", "∃", "¬"):
        return proposition[0]
    return next((sign for sign in _SIGNS if f" {sign} " in proposition), proposition.split(" ", 1)[0])


@lru_cache(maxsize=20_000)
def _words_of(goal: Goal) -> frozenset[str]:
    """Return the names that a goal speaks of."""
    texts = [goal.target, *(variable.type for variable in goal.variables)]
    return frozenset(name for text in texts for name in _NAME.findall(text))


class Refusals:
    """What the searches of one run have learnt: weights of features, learnt online (AdaGrad, Duchi et al. 2011)."""

    def __init__(self) -> None:
        self._weights: defaultdict[str, float] = defaultdict(float, _AT_FIRST)
        self._squares: defaultdict[str, float] = defaultdict(float)
        self._worked: Counter[str] = Counter()
        self._tried: Counter[str] = Counter()

    def gain(self, features: Features) -> float:
        """Return by how many nats such a tactic is likelier to work than others of its kind."""
        return min(MOST, max(LEAST, math.log(self.probability(features)) - math.log(self._usual(features.kind))))

    def learn(self, features: Features, *, worked: bool) -> None:
        """Take in what Lean said to a tactic."""
        error = worked - self.probability(features)
        for feature, value in features.values.items():
            self._squares[feature] += (error * value) ** 2
            if self._squares[feature] > 0:  # it was certain, up to rounding, and there is nothing to learn
                self._weights[feature] += _RATE * error * value / math.sqrt(self._squares[feature])
        self._worked[features.kind] += worked
        self._tried[features.kind] += 1

    def probability(self, features: Features) -> float:
        """Return how likely such a tactic is to work, above 0."""
        logit = math.fsum(self._weights[feature] * value for feature, value in features.values.items())
        return 1 / (1 + math.exp(min(700.0, -logit)))

    def _usual(self, kind: str) -> float:
        return (self._worked[kind] + 1) / (self._tried[kind] + 2)


class SearchRefusals:
    """What one search has met, and what it adds to what its run has learnt.

    Args:
        run: learns from this search, too; ``None`` for nothing but names that are not there, which cost
            :data:`UNKNOWN_NAME_PENALTY`.
    """

    def __init__(self, run: Refusals | None) -> None:
        self._run = run
        self._unknown: set[str] = set()
        self._no_inductive: set[str] = set()
        self._no_induction: set[tuple[str, str]] = set()
        self._simp_loops = False
        self._endless = 0
        self._failed: Counter[str] = Counter()
        self._failed_at: Counter[tuple[str, str]] = Counter()

    def gain(self, tactic: str, goal: Goal) -> float:
        """Return by how many nats the tactic is likelier to work at that goal than the policy says."""
        if self._run is None:
            return -UNKNOWN_NAME_PENALTY if any(self._names_not_there(tactic, _strange(tactic, goal), goal)) else 0.0
        return self._run.gain(self._features(tactic, goal))

    def worked(self, tactic: str, goal: Goal, *, is_news: bool) -> None:
        """Take in that a tactic worked; ``is_news``: it led to what was not known before."""
        if self._run is not None:
            self._run.learn(self._features(tactic, goal), worked=is_news)

    def failed(self, tactic: str, goal: Goal, message: str, *, is_endless: bool = False) -> None:
        """Take in why Lean refused a tactic; ``is_endless``: its time was over, or it went too deep."""
        self._simp_loops = self._simp_loops or (is_endless and _may_be_simp(tactic, message))
        self._endless += is_endless and TOO_DEEP not in message and bool(alternatives(tactic)[1])
        if self._run is not None:
            self._run.learn(self._features(tactic, goal), worked=False)
        self._unknown.update(_REFUSED_NAME.findall(message))
        if (match := _NOT_INDUCTIVE.match(message)) and match[1] == head(tactic):
            self._no_inductive.update(kind for _, kind in _taken_apart(tactic, goal))
        if _NO_INDUCTION.match(message):
            self._no_induction.update(_taken_apart(tactic, goal))
        self._failed[tactic] += 1
        self._failed_at[goal.text, _kind_of(tactic)] += 1

    def is_hopeless(self, tactic: str, goal: Goal) -> bool:
        """Return whether a tactic begins with an induction, or with cases, on a value of a type that Lean has said is
        none to take apart (``def Renaming := Nat → Nat``)."""
        if not (self._no_inductive or self._no_induction):
            return False
        return any(
            kind in self._no_inductive or (word, kind) in self._no_induction
            for word, kind in _taken_apart(tactic, goal)
        )

    def shorter(self, tactic: str, goal: Goal) -> str:
        """Return a tactic without what would take all its time: ``simp_all!`` where it has not come to an end in this
        search; after :data:`ENDLESS` with alternatives that have not, that and long lists for ``grind``, too."""
        is_slow = self._endless >= ENDLESS
        if is_slow:
            lists = SHORT_LISTS[: self._endless // ENDLESS][-1]
            tactic = _with_short_lists(tactic, goal, lists) or tactic
        return without_simp(tactic) or tactic if is_slow or self._simp_loops else tactic

    def mend(self, tactic: str, goal: Goal) -> str:
        """Return the tactic with names of the goal in the place of names that can be of no use: hypotheses that are not
        there, definitions that Lean has called unknown, or that ``simp`` and ``unfold`` would find nowhere.

        What is called like a proof (``h₁``, ``ih``) becomes the last hypothesis that nothing else speaks of; what is
        called like a value the last that something speaks of, of the same letter if there is one; a definition the
        first one of the target that the tactic does not name yet. Where there is none, the name stays.
        """
        used = set(names_used(tactic))
        strange = _strange(tactic, goal)
        tactics = _first_words(tactic)
        names: dict[str, str] = {}
        for name in dict.fromkeys(_NAME.findall(tactic)):
            if name not in strange or name in tactics:
                continue
            if _is_missing(name, tactic, goal):
                candidates = _hypotheses_like(name, goal)
            elif name in self._unknown or (head(tactic) in _UNFOLDING and _is_absent(name, goal)):
                candidates = _definitions(goal)
            else:
                continue
            candidate = next((candidate for candidate in candidates if candidate not in used), None)
            if candidate is not None:
                names[name] = candidate
                used.add(candidate)
        return rename_tactic(tactic, names) if names else tactic

    def _names_not_there(self, tactic: str, strange: Iterable[str], goal: Goal) -> Iterator[str]:
        """Yield in which ways names that are no hypotheses are not there: Lean has said so, or they look like some."""
        if not self._unknown.isdisjoint(strange):
            yield _UNKNOWN
        if any(_is_missing(name, tactic, goal) for name in strange):
            yield _STRANGE

    def _features(self, tactic: str, goal: Goal) -> Features:
        kind = _kind_of(tactic)
        strange = _strange(tactic, goal) - _first_words(tactic)
        # Each once, however many names of a list have it, and all names together like one: they would outweigh all
        # others, so that a single long list that has failed would put behind everything what has names of it.
        of_names = dict.fromkeys((f"name {name}" for name in strange), 1 / max(len(strange), 1))
        return Features(kind, dict.fromkeys(self._of_tactic(tactic, kind, strange, goal), 1.0) | of_names)

    def _of_tactic(self, tactic: str, kind: str, strange: Collection[str], goal: Goal) -> Iterator[str]:
        yield kind
        yield f"{kind} at {_says(goal.target)}"
        yield f"text {tactic}"
        yield from self._names_not_there(tactic, strange, goal)
        for variable in goal.variables:
            if variable.name in names_used(tactic):
                yield f"{kind} with {_says(variable.type)}"
        for name in strange:
            if "." not in name:
                yield f"{kind} present" if name in _words_of(goal) else f"{kind} absent"
        if failed := self._failed[tactic]:
            yield f"{kind} failed {min(failed, 3)} times"
        if failed := self._failed_at[goal.text, kind]:
            yield f"{kind} failed {min(failed, 3)} times here"


def _may_be_simp(tactic: str, message: str) -> bool:
    """Return whether a tactic that did not end, or went too deep, may have done so by ``simp_all!``, as far as its
    alternatives tell."""
    ways = all_tried(tactic)
    return _LOOPS in map(alone, ways) and not (TOO_DEEP in message and _COMPUTING.intersection(ways))


def _kind_of(tactic: str) -> str:
    """Return the first word of a tactic, or of its first alternative, and whether something is to be done with all that
    it leaves: ``induction h`` works at nearly every goal, and ``induction h <;> …``, which has to close all cases, at
    few."""
    first = head(all_tried(tactic)[0])
    return f"{first}{OF_ALL}" if OF_ALL in tactic else first


def without_refused(tactic: str, message: str) -> str | None:
    """Return a tactic without the entry of its lists, the variable after ``generalizing``, or the open theorems that
    simplify by attribute, for which it was refused, the message says; ``None`` where that is not why, or nothing would
    be left of a list."""
    if match := _GENERALIZED.match(message):
        return _without_generalizing(tactic, match[1])
    if match := _RESTS_ON.match(message):
        return _without_simp_lemmas(tactic, match[1].split(", "))
    if match := _WITHOUT_PATTERN.match(message):
        called = match[1]
        shorter = _LIST.sub(lambda names: _without_called(names.group(), called), tactic)
        return None if shorter == tactic or "[]" in shorter else shorter
    match = _REFUSED_ENTRY.match(message)
    if match is None:
        return None
    scope = f"{match[1].rpartition('.')[0]}." if message.startswith("Unknown") and "." in match[1] else None
    rest = _LIST.sub(lambda names: _without(names.group(), match[1], scope), tactic)
    return None if rest == tactic or "[]" in rest else rest


def without_simp(tactic: str) -> str | None:
    """Return ``t <;> first | a | b`` without the alternatives that simplify; ``None`` where there are none, or no
    others."""
    return _with_those(tactic, lambda way: _LOOPS not in way)


def without_computing(tactic: str) -> str | None:
    """Return ``first | rfl | … | grind`` without the alternatives that compute; ``None`` where there are none, or no
    others."""
    before, _ = alternatives(tactic)
    return None if before else _with_those(tactic, lambda way: way not in _COMPUTING)


def _with_those(tactic: str, is_kept: Callable[[str], bool]) -> str | None:
    """Return a tactic with some of its alternatives; ``None`` where that would be all of them, or none."""
    before, ways = alternatives(tactic)
    left = [way for way in ways if is_kept(way)]
    return None if not left or len(left) == len(ways) else with_alternatives(before, left)


def _with_short_lists(tactic: str, goal: Goal, lists: tuple[int, int]) -> str | None:
    """Return a tactic with alternatives with the first names in its lists for ``grind``, definitions and others up to
    so many; ``None`` where there are no more, or it has none."""
    if not alternatives(tactic)[1]:
        return None
    shorter = _GRIND_LIST.sub(
        lambda match: f"grind [{', '.join(_first_names(match[1].split(', '), goal, lists))}]", tactic
    )
    return None if shorter == tactic else shorter


def _first_names(entries: Sequence[str], goal: Goal, lists: tuple[int, int]) -> list[str]:
    """Return the entries of the first definitions of the goal, and of the first others; those of Lean's own library are
    few, and chosen by what the goal's functions are, where others are chosen by words."""
    names = dict.fromkeys(entry.lstrip("=_→ ") for entry in entries)
    definitions, others = lists
    of_library = {name for name in names if name.partition(".")[0] in _NAMESPACES and name not in goal.definitions}
    kept = {*[name for name in names if name in goal.definitions][:definitions]}
    kept |= {*[name for name in names if name not in goal.definitions and name not in of_library][:others]}
    kept |= of_library
    return [entry for entry in entries if entry.lstrip("=_→ ") in kept]


def _without_simp_lemmas(tactic: str, names: Sequence[str]) -> str | None:
    left_out = ", ".join(f"-{name}" for name in names)
    shorter = _SIMPLIFIES.sub(rf"\1 [{left_out}, ", _SIMPLIFIES_PLAINLY.sub(rf"\1\2 [{left_out}]", tactic))
    return None if shorter == tactic or left_out in tactic else shorter


def _without_generalizing(tactic: str, name: str) -> str | None:
    head, generalizing, rest = tactic.partition(" generalizing ")
    end = _END_OF_NAMES.search(rest)
    place = end.start() if end else len(rest)
    names = rest[:place].split()
    kept = " ".join(other for other in names if other != name)
    return None if name not in names else f"{head}{generalizing if kept else ''}{kept}{rest[place:]}"


def _without_called(names: str, name: str) -> str:
    """Return a list without what may be called so where namespaces are open."""
    entries = names[1:-1].split(", ")
    left = [entry for entry in entries if not f".{entry.lstrip('←→-=_ ')}".endswith(f".{name}")]
    return names if len(left) == len(entries) else f"[{', '.join(left)}]"


def _without(names: str, name: str, scope: str | None) -> str:
    """Return a list without a name, and without others of its namespace where that is given: where ``Exp.step`` is not
    known, ``Exp.eval`` of the same file is not, as a rule, and each would cost a call."""
    if name not in names:
        return names
    called = {entry.strip(): entry.lstrip("←→-=_ ") for entry in names[1:-1].split(",")}
    left = [entry for entry, of in called.items() if of != name and not (scope and of.startswith(scope))]
    return f"[{', '.join(left)}]"


def _taken_apart(tactic: str, goal: Goal) -> set[tuple[str, str]]:
    """Return ``induction`` or ``cases`` with the first word of the type of what a tactic takes apart so at first."""
    match = _TAKEN_APART.match(tactic)
    return {
        (match[1], variable.type.split(None, 1)[0])
        for variable in goal.variables
        if match and variable.name == match[2]
    }


def _is_missing(name: str, tactic: str, goal: Goal) -> bool:
    """Return whether a name that is no hypothesis is called like one. A definition of the project may be (``up``), and
    so may what ``simp`` and ``grind`` are given in a list, where a hypothesis that is no proof has no business."""
    if not _LIKE_A_HYPOTHESIS.fullmatch(name):
        return False
    if _is_definition(name, goal):
        return False
    return name[0] in _PROOFS or name not in _names_in_lists(tactic)


@lru_cache(maxsize=100_000)
def _names_in_lists(tactic: str) -> frozenset[str]:
    """Return the names in the lists of a tactic (``simp [f, h]``)."""
    return frozenset(name for names in _LIST.findall(tactic) for name in _NAME.findall(names))


def _definitions(goal: Goal) -> list[str]:
    """Return the words of a goal's target that look like definitions of its file, in their order."""
    variables = {variable.name for variable in goal.variables}
    words = dict.fromkeys(word for word in _NAME.findall(goal.target) if len(word) > 2 and word[0].islower())
    return [word for word in words if word.partition(".")[0] not in variables | _NO_DEFINITIONS]


def _is_absent(name: str, goal: Goal) -> bool:
    """Return whether a name is called like a definition, and the goal does not speak of it."""
    is_named = name in _words_of(goal) | _NO_DEFINITIONS or _is_definition(name, goal)
    return name.isalnum() and name[0].islower() and len(name) > 2 and not is_named


def _is_definition(name: str, goal: Goal) -> bool:
    """Return whether Lean says that the goal names such a definition of the project, behind notations and in the bodies
    of others, too."""
    return any(name == each.rpartition(".")[2] for each in (*goal.definitions, *goal.unfoldings))


def _hypotheses_like(name: str, goal: Goal) -> list[str]:
    """Return the hypotheses that may be meant by a name that is none, the likeliest first."""
    is_proof = name[0] in _PROOFS
    likely = [
        variable.name
        for variable in reversed(goal.variables)
        if not variable.is_inaccessible and (variable.name in _words_of(goal)) is not is_proof
    ]
    return sorted(likely, key=lambda other: other[0] != name[0])


def _first_words(tactic: str) -> set[str]:
    """Return what stands first in each of several tactics, alternatives included."""
    _, ways = alternatives(tactic)
    of_ways = (name[0] for way in ways if (name := _NAME.match(way.lstrip("("))))
    return {head(tactic), *_FIRST_WORDS.findall(tactic), *of_ways}


def _strange(tactic: str, goal: Goal) -> frozenset[str]:
    """Return the names in a tactic that are no hypotheses of the goal."""
    return names_used(tactic).difference(variable.name for variable in goal.variables)
