"""Which premises tactics can use, and how ``grind`` takes them, by Lean's own word.

``grind [a, b, c]`` fails as a whole where one of them has no pattern: ``or_comm`` of propositions, say, or
``n = 0 ∨ ∃ m, n = m + 1``. In a textbook that is nearly half of the theorems. And of ``m + succ k = succ (m + k)`` it
takes ``succ`` for the pattern unless it is told that this is an equation (``grind [= add_succ]``), while of others it
finds more without. So Lean is asked of each premise once: schemes name an equation in both ways, and leave out what it
refuses. Lists also fail as a whole by a premise about a class of which the goal has no instance (``Ring`` where there
is but a group), so Lean is asked of these at each theorem.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from lean_agent.errors import LeanError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState
from lean_agent.policy.fillings.conclusions import makes_witnesses
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.policy.retrieval.chosen import is_bound
from lean_agent.policy.retrieval.corpus import (
    ROOT,
    WAYS_FOR_GRIND,
    Document,
    ForGrind,
    Place,
    PremiseCorpus,
    WayForGrind,
)

_FORWARD, _AMBIGUOUS = "forward", "ambiguous"
_CAN_BE, _HAS = "class", "instance"
_IS_TYPE = re.compile(r"(?:Type|Sort)\b")
_CAPITALIZED = re.compile(r"(?<![\w.])[A-Z][\w.'!?]*")
_UNIVERSES = ("Type", "Sort", "Prop")
MOST_TYPES = 6
"""An instance of a class is looked for at so many types of a goal."""
MOST = 64
"""Premises that are asked of at the start of one theorem: those that are likeliest to be shown."""
LONGEST_CHECK_S = 60.0
"""All of them take a second or two, and several times that on a machine with other work. Nobody asks twice: what is not
known then is not known in the whole run."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What Lean is asked at the start of a theorem, in one tactic.

    Attributes:
        numbers, lemmas: premises of the corpus and theorems of the library: how ``grind`` takes them.
        classes, types: whether there is an instance of each class for one of the types.
    """

    place: Place
    numbers: tuple[int, ...]
    lemmas: tuple[Document, ...]
    classes: tuple[str, ...]
    types: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.numbers or self.lemmas or self.classes)

    def question(self, corpus: PremiseCorpus) -> str:
        """Return the tactic; what holds is a hypothesis after it, and by its name."""
        premises = [*(corpus.documents[number] for number in self.numbers), *self.lemmas]
        return "\n".join([*_lines(premises), *_lines_of_classes(self.classes, self.types)])


class PatternChecks:
    """Asks Lean of premises, and tells the corpus.

    Args:
        server: runs the tactics.
        shown: what the policy is shown beside goals; its corpus keeps what Lean has said.
    """

    def __init__(self, server: LeanServer, shown: PromptHelp) -> None:
        self._server = server
        self._shown = shown

    async def check(self, starts: Sequence[tuple[Place, GoalState]]) -> None:
        """Ask of the premises that theorems may be shown and that nobody has asked of yet, with one tactic for each
        theorem. Where Lean gives no answer, nothing is left out."""
        await self._choose_lemmas(starts)
        corpus, chosen = self._shown.corpus, self._shown.chosen
        waiting: list[tuple[GoalState, _Asked]] = []
        for place, state in starts:
            asked = self._asked(place, state)
            corpus.set_for_grind(asked.numbers, [ForGrind()] * len(asked.numbers))  # so that the next one does not ask
            chosen.set_for_grind(asked.lemmas, [ForGrind()] * len(asked.lemmas))
            if asked:
                waiting.append((state, asked))
        if not waiting:
            return
        tactics = [(state, asked.question(corpus)) for state, asked in waiting]
        results = await self._server.goal_tactics_async(tactics, timeout_s=LONGEST_CHECK_S)
        for (_, asked), result in zip(waiting, results, strict=True):
            if isinstance(result, GoalState) and result.goals:
                known = {variable.name for variable in result.goals[0].variables}
                kinds = [_said(index, known) for index in range(len(asked.numbers) + len(asked.lemmas))]
                corpus.set_for_grind(asked.numbers, kinds[: len(asked.numbers)])
                chosen.set_for_grind(asked.lemmas, kinds[len(asked.numbers) :])
                self._shown.without[asked.place] = frozenset(
                    name for index, name in enumerate(asked.classes) if _is_absent(index, known)
                )
                await self._server.release_async([result])

    def _asked(self, place: Place, state: GoalState) -> _Asked:
        """Return what is asked of at the start of a theorem."""
        shown, types = self._shown, _types(state)
        likely = shown.likely(state.text, place, MOST)
        classes = shown.classes(likely) if types and place not in shown.without else []
        numbers = shown.unchecked([*likely, *shown.own(place), *shown.about(place)], _definitions(state), place)
        return _Asked(place, tuple(numbers), tuple(shown.chosen.unchecked(place)), tuple(classes), tuple(types))

    async def _choose_lemmas(self, starts: Sequence[tuple[Place, GoalState]]) -> None:
        """Let Lean choose theorems of its library and of the project for theorems that are new, where such are
        shown."""
        known, settings = self._shown.chosen, self._shown.settings
        new = {place: state for place, state in starts if state.goals and not known.knows(place)}
        if new and (settings.library or settings.laws or settings.own):
            chosen = await self._server.goal_lemmas_async(
                list(new.values()), most=settings.library, laws=settings.laws, own=settings.own
            )
            for place, lemmas in zip(new, chosen, strict=True):
                known.set(place, () if isinstance(lemmas, LeanError) else lemmas)


def _definitions(state: GoalState) -> list[str]:
    return [name for goal in state.goals for name in (*goal.definitions, *goal.of_steps)]


def _types(state: GoalState) -> list[str]:
    """Return types that the first goal speaks of: variables that are types, and what begins with a capital in the types
    of others."""
    if not state.goals:
        return []
    variables = [variable for variable in state.goals[0].variables if not variable.is_inaccessible]
    own = [variable.name for variable in variables if _IS_TYPE.match(variable.type)]
    named = (
        word for text in (*(v.type for v in variables), state.goals[0].target) for word in _CAPITALIZED.findall(text)
    )
    return list(dict.fromkeys([*own, *(word for word in named if word not in _UNIVERSES)]))[:MOST_TYPES] if own else []


def _lines_of_classes(classes: Sequence[str], types: Sequence[str]) -> Iterator[str]:
    """Yield tactics after which there is a hypothesis for each class that can be of one of the types, and another if
    there is an instance."""
    for index, name in enumerate(classes):
        kinds = [kind for of in types for kind in (f"{name} {of}", f"@{name} {of} _")]
        for what, check in ((_CAN_BE, "have : {} → True := fun _ => trivial"), (_HAS, "have : {} := inferInstance")):
            ways = (f"(have {what}_{index} : True := by ({check.format(kind)}; trivial))" for kind in kinds)
            yield f"first | {' | '.join(ways)} | skip"


def _is_absent(index: int, known: Collection[str]) -> bool:
    return f"{_CAN_BE}_{index}" in known and f"{_HAS}_{index}" not in known


def _lines(premises: Sequence[Document]) -> Iterator[str]:
    """Yield tactics after which those premises have a hypothesis that ``grind`` takes, named by how it does."""
    for index, premise in enumerate(premises):
        name = premise.name if "." in premise.name else f"{ROOT}{premise.name}"
        is_theorem = premise.kind not in ("definition", "inductive", "constructor")
        is_equation = is_theorem and not makes_witnesses(premise.text)
        ways = [("equation", f"= {name}, {name}")] * is_equation + [("fact", name)]
        questions = [[(how, f"grind only [{spelled}]") for how, spelled in ways]]
        if is_theorem and (not premise.is_of_library or is_bound(premise)):
            questions.append([(_FORWARD, f"grind only [→ {name}]")])
        if name != premise.name:
            questions.append(
                [("plain", f"have := @{premise.name}; trivial"), (_AMBIGUOUS, f"have := @{name}; trivial")]
            )
        for attempts in questions:
            # in brackets, since a project may have a `|` of its own
            ways_in = (f"(have {how}_{index} : True := by {tactic})" for how, tactic in attempts)
            yield f"first | {' | '.join(ways_in)} | skip"


def _said(index: int, known: Collection[str]) -> ForGrind:
    ways: Iterator[WayForGrind] = (way for way in WAYS_FOR_GRIND if f"{way}_{index}" in known)
    return ForGrind(next(ways, "refused"), f"{_FORWARD}_{index}" in known, f"{_AMBIGUOUS}_{index}" in known)
