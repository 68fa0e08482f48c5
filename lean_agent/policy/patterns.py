"""How ``grind`` takes premises, by Lean's own word.

``grind [a, b, c]`` fails as a whole where one of them has no pattern: ``or_comm`` of propositions, say, or
``n = 0 ∨ ∃ m, n = m + 1``. In a textbook that is nearly half of the theorems. And of ``m + succ k = succ (m + k)`` it
takes ``succ`` for the pattern unless it is told that this is an equation (``grind [= add_succ]``), while of others it
finds more without. So Lean is asked of each premise once: schemes name an equation in both ways, and leave out what it
refuses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from lean_agent.errors import LeanError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.policy.retrieval.corpus import WAYS_FOR_GRIND, Document, ForGrind, Place, WayForGrind

_FORWARD, _AMBIGUOUS = "forward", "ambiguous"
MOST = 64
"""Premises that are asked of at the start of one theorem: those that are likeliest to be shown."""


class PatternChecks:
    """Asks Lean of premises, and tells the corpus.

    Args:
        server: runs the tactics.
        shown: what the policy is shown beside goals; its corpus keeps what Lean has said.
        timeout_s: wall-clock seconds for all premises of one theorem.
    """

    def __init__(self, server: LeanServer, shown: PromptHelp, timeout_s: float) -> None:
        self._server = server
        self._shown = shown
        self._timeout_s = timeout_s

    async def check(self, starts: Sequence[tuple[Place, GoalState]]) -> None:
        """Ask of the premises that theorems may be shown and that nobody has asked of yet, with one tactic for each
        theorem. Where Lean gives no answer, nothing is left out."""
        await self._choose_lemmas(starts)
        corpus, library = self._shown.corpus, self._shown.library
        waiting: list[tuple[GoalState, list[int], list[Document]]] = []
        for place, state in starts:
            numbers = self._shown.unchecked(state.text, _definitions(state), place, MOST)
            lemmas = library.unchecked(place)
            corpus.set_for_grind(numbers, [ForGrind()] * len(numbers))  # so that the next theorem does not ask again
            library.set_for_grind(lemmas, [ForGrind()] * len(lemmas))
            if numbers or lemmas:
                waiting.append((state, numbers, lemmas))
        if not waiting:
            return
        tactics = [
            (state, _question([*(corpus.documents[number] for number in numbers), *lemmas]))
            for state, numbers, lemmas in waiting
        ]
        results = await self._server.goal_tactics_async(tactics, timeout_s=self._timeout_s)
        for (_, numbers, lemmas), result in zip(waiting, results, strict=True):
            if isinstance(result, GoalState) and result.goals:
                known = {variable.name for variable in result.goals[0].variables}
                kinds = [_said(index, known) for index in range(len(numbers) + len(lemmas))]
                corpus.set_for_grind(numbers, kinds[: len(numbers)])
                library.set_for_grind(lemmas, kinds[len(numbers) :])
                await self._server.release_async([result])

    async def _choose_lemmas(self, starts: Sequence[tuple[Place, GoalState]]) -> None:
        """Let Lean choose theorems of its library for theorems that are new, where such are shown."""
        library, settings = self._shown.library, self._shown.settings
        new = {place: state for place, state in starts if state.goals and not library.knows(place)}
        if new and (settings.library or settings.laws):
            chosen = await self._server.goal_lemmas_async(list(new.values()), most=settings.library, laws=settings.laws)
            for place, lemmas in zip(new, chosen, strict=True):
                library.set(place, () if isinstance(lemmas, LeanError) else lemmas)


def _definitions(state: GoalState) -> list[str]:
    return [name for goal in state.goals for name in goal.definitions]


def _question(premises: Sequence[Document]) -> str:
    """Return a tactic after which those premises have a hypothesis that ``grind`` takes, named by how it does."""
    lines = []
    for index, premise in enumerate(premises):
        name = premise.name if "." in premise.name else f"_root_.{premise.name}"
        is_theorem = premise.kind not in ("definition", "inductive", "constructor")
        ways = [("equation", f"= {name}, {name}")] * is_theorem + [("fact", name)]
        questions = [[(how, f"grind only [{spelled}]") for how, spelled in ways]]
        if is_theorem and not premise.is_of_library:
            questions.append([(_FORWARD, f"grind only [→ {name}]")])
        if name != premise.name:
            questions.append(
                [("plain", f"have := @{premise.name}; trivial"), (_AMBIGUOUS, f"have := @{name}; trivial")]
            )
        for attempts in questions:
            # in brackets, since a project may have a `|` of its own
            ways_in = (f"(have {how}_{index} : True := by {tactic})" for how, tactic in attempts)
            lines.append(f"first | {' | '.join(ways_in)} | skip")
    return "\n".join(lines)


def _said(index: int, known: Collection[str]) -> ForGrind:
    ways: Iterator[WayForGrind] = (way for way in WAYS_FOR_GRIND if f"{way}_{index}" in known)
    return ForGrind(next(ways, "refused"), f"{_FORWARD}_{index}" in known, f"{_AMBIGUOUS}_{index}" in known)
