"""Theorems that Lean itself has chosen for the goals of a theorem, by the goal at which its proof starts
(``LeanAgent/Lemmas.lean``).

Those of Lean's own library are shown beside premises; a corpus has them only where the whole library was stored. Those
of the project may conclude the target or follow from what is known, whatever they are called. Owns what was answered
for which place, and asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lean_agent.lean.types import GoalLemma
from lean_agent.policy.retrieval.corpus import Document, ForGrind, Place

_NOWHERE = -1
_OF_PROJECT = frozenset({"concluding", "following", "about", "alike", "chaining"})
_BOUND = re.compile(r"→(?!.*→).* [<≤≥>] ", re.DOTALL)


class ChosenLemmas:
    """What Lean has chosen for the theorems that were started."""

    def __init__(self) -> None:
        self._at: dict[Place, tuple[Document, ...]] = {}
        self._laws: dict[Place, tuple[Document, ...]] = {}
        self._own: dict[Place, tuple[GoalLemma, ...]] = {}
        self._for_grind: dict[str, ForGrind] = {}

    def knows(self, place: Place) -> bool:
        """Return whether Lean was asked for a place."""
        return place in self._at

    def set(self, place: Place, lemmas: Sequence[GoalLemma]) -> None:
        """Keep what Lean has chosen for the theorem at a place, the best ones first."""
        self._at[place] = tuple(_premise(lemma) for lemma in lemmas if lemma.kind == "library")
        self._laws[place] = tuple(_premise(lemma) for lemma in lemmas if lemma.kind == "law")
        self._own[place] = tuple(lemma for lemma in lemmas if lemma.kind in _OF_PROJECT)

    def at(self, place: Place) -> tuple[Document, ...]:
        """Return what was chosen of Lean's library for a place, as premises."""
        return self._at.get(place, ())

    def own(self, place: Place) -> tuple[GoalLemma, ...]:
        """Return the project's theorems that may conclude the target at a place, that follow from what is known there,
        that are about what the bodies of its definitions use, or equations about nothing else than its goal."""
        return self._own.get(place, ())

    def laws(self, place: Place) -> list[str]:
        """Return the names of the laws of its operations that ``grind`` takes.

        One that concludes an inequality from others stands behind ``→``: what ``grind`` has to refute it writes
        otherwise, so that the conclusion itself matches nothing.
        """
        kinds = ((document, self.for_grind(document.full_name)) for document in self._laws.get(place, ()))
        taken = ((document, kind) for document, kind in kinds if kind and kind.way != "refused")
        return [
            f"→ {document.full_name}" if kind.forward and is_bound(document) else document.full_name
            for document, kind in taken
        ]

    def unchecked(self, place: Place) -> list[Document]:
        """Return those of which it is not known whether ``grind`` takes them."""
        documents = (*self.at(place), *self._laws.get(place, ()))
        return [document for document in dict.fromkeys(documents) if document.full_name not in self._for_grind]

    def set_for_grind(self, documents: Sequence[Document], kinds: Sequence[ForGrind]) -> None:
        """Keep of premises how ``grind`` takes them, as Lean says."""
        self._for_grind.update((document.full_name, kind) for document, kind in zip(documents, kinds, strict=True))

    def for_grind(self, full_name: str) -> ForGrind | None:
        """Return how ``grind`` takes one; ``None`` where nobody has asked."""
        return self._for_grind.get(full_name)


def is_bound(theorem: Document) -> bool:
    """Return whether a theorem concludes an inequality from others, as far as its text tells."""
    return _BOUND.search(theorem.text) is not None


def _premise(lemma: GoalLemma) -> Document:
    return Document(lemma.full_name, f"theorem {lemma.full_name} : {lemma.type}", _NOWHERE, (0, 0), "theorem")
