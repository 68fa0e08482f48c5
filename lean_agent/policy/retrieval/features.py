"""What can be seen of a premise beside a goal, in numbers: the words they share, names, kinds, and where it stands.

Owns the features that a learnt ranker weighs, and how texts are taken apart for them. Knows neither weights nor
prompts. A feature says how a premise stands to a goal and never which premise it is, so that weights which were learnt
on a few repositories hold for names that they never saw.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lean_agent.policy.retrieval.corpus import Place, PremiseCorpus, text_of, words
from lean_agent.policy.retrieval.near_proofs import NearProofs
from lean_agent.policy.retrieval.rankers import BM25Ranker
from lean_agent.prompts import main_goal

_IDENTIFIER = re.compile(r"[^\W\d][\w'!?]*")
_EQUATION = re.compile(r" [=↔] ")
_RELATIONS = "=↔≤<≥>∣∈∧∨¬→∃∀≠"
_OPEN, _CLOSED = "([{⦃⟨", ")]}⦄⟩"
KINDS = ("theorem", "definition", "constructor", "inductive")
_FAR = 1e6
_SHARED = (
    "any word, of the main goal",
    "a word of the statement, of the target",
    "a word of the statement, of the hypotheses",
    "a word of the conclusion, of the target",
    "a word of the left side, of the target",
    "a part of the name, of the target",
    "a part of the name, of the main goal",
    "an identifier of the statement, of the target",
)
"""What of a premise is looked for, and where."""
FEATURES = (
    *(f"{what} {how}" for what in _SHARED for how in ("(weight)", "(part of the premise's)", "(part of the goal's)")),
    *(f"the {which} part of the name stands in the {where}" for which in ("last", "one before the last")
      for where in ("target", "main goal")),
    "same relation", "BM25", "BM25 as part of the best", "same file", "nearness in the file",
    "logarithm of the distance in the file", "shares the namespace", *(f"is a {kind}" for kind in KINDS),
    "logarithm of the statement's weight", "logarithm of the name's weight", "from Lean's own library",
    "length of the name", "logarithm of the proofs that use it", "similarity of the nearest goals whose proofs use it",
    "similarity of the nearest one of these", "some proof uses it",
)  # fmt: skip
"""What each number is, in order. A word weighs more the rarer it is in the corpus."""

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is computed of all documents, once for a goal at a place; each ``[documents]``.

    Attributes:
        usable: which can be used at the place.
        bm25: their scores.
        counts, together, nearest: as :meth:`~lean_agent.policy.retrieval.near_proofs.NearProofs.at` returns them.
    """

    usable: NDArray[np.bool_]
    bm25: Vector
    counts: Vector
    together: Vector
    nearest: Vector


class PremiseFeatures:
    """The features of the documents of a corpus for goals at places.

    Args:
        proofs: which premises they have used; by default nothing is known of that.
        bm25: of the same corpus, where there is one already.
    """

    def __init__(
        self, corpus: PremiseCorpus, proofs: NearProofs | None = None, *, bm25: BM25Ranker | None = None
    ) -> None:
        documents = corpus.documents
        self._corpus = corpus
        self._no_proofs = NearProofs(corpus, ())
        self._proofs = self._no_proofs if proofs is None else proofs
        self._bm25 = bm25 or BM25Ranker(corpus)
        names = [document.full_name.split(".") for document in documents]
        statements = [_statement(document.text, document.full_name) for document in documents]
        targets = [_conclusion(statement) for statement in statements]
        self._everything = _Words(words(text_of(document)) for document in documents)
        self._name = _Words(words(name[-1]) for name in names)
        self._statement = _Words(words(statement) for statement in statements)
        self._target = _Words(words(target) for target in targets)
        self._left = _Words(words(_EQUATION.split(target)[0]) for target in targets)
        self._constants = _Words(_IDENTIFIER.findall(statement) for statement in statements)
        self._last = _Words(name[-1:] for name in names)
        self._parent = _Words(name[-2:-1] for name in names)
        self._spaces = _Words(name[:-1] for name in names)
        self._relation = np.array([_relation(target) for target in targets], dtype=np.int64)
        kinds = [[document.kind == kind for document in documents] for kind in KINDS]
        alone = [document.is_of_library for document in documents]
        lengths = [len(name) / 4 for name in names]
        fixed = [*kinds, np.log(self._statement.weights), np.log(self._name.weights), alone, lengths]
        self._fixed = np.array(fixed, dtype=np.float32).reshape(len(fixed), len(documents))

    def of(
        self, goal: str, place: Place, numbers: NDArray[np.int64] | None = None, *, sees_proofs: bool = True
    ) -> NDArray[np.float32]:
        """Return the features of documents, ``[documents, features]``: of those with these numbers, or of all.

        Args:
            sees_proofs: otherwise they are as if no proof were known.
        """
        asked = self._asked(goal, place, self._proofs if sees_proofs else self._no_proofs)
        return self._rows(goal, place, asked, numbers)

    def likely(self, goal: str, place: Place, most: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the numbers of documents that can be used at a place, and their features, ``[documents, features]``:
        of more than ``most``, those that share most words with the goal (BM25), and those that proofs of the nearest
        goals use."""
        asked = self._asked(goal, place, self._proofs)
        numbers = np.flatnonzero(asked.usable)
        if len(numbers) > most:
            is_likely = asked.usable & (asked.together > 0)
            is_likely[numbers[np.argpartition(-asked.bm25[numbers], most)[:most]]] = True
            numbers = np.flatnonzero(is_likely)
        return numbers, self._rows(goal, place, asked, numbers)

    def _asked(self, goal: str, place: Place, proofs: NearProofs) -> _Asked:
        bm25 = self._bm25.scores([goal])[0]
        return _Asked(self._corpus.accessible(place), bm25, *proofs.at(main_goal(goal), place))

    def _rows(self, goal: str, place: Place, asked: _Asked, numbers: NDArray[np.int64] | None) -> NDArray[np.float32]:
        main = main_goal(goal)
        hypotheses, _, target = main.rpartition("⊢")
        of_main, of_target = words(main), words(target)
        in_main, in_target = _IDENTIFIER.findall(main), _IDENTIFIER.findall(target)
        rows = [
            *self._everything.shares(of_main),
            *self._statement.shares(of_target),
            *self._statement.shares(words(hypotheses)),
            *self._target.shares(of_target),
            *self._left.shares(of_target),
            *self._name.shares(of_target),
            *self._name.shares(of_main),
            *self._constants.shares(in_target),
            *(part.shared(where) > 0 for part in (self._last, self._parent) for where in (in_target, in_main)),
            self._relation == _relation(target),
            asked.bm25 / 10,
            asked.bm25 / max(float(asked.bm25[asked.usable].max(initial=0)), 1e-6),
            *self._near(place),
            *self._fixed,
            np.log1p(asked.counts),
            asked.together,
            asked.nearest,
            asked.counts > 0,
        ]
        chosen = rows if numbers is None else [row[numbers] for row in rows]
        return np.stack(chosen, axis=1, dtype=np.float32, casting="unsafe")

    def _near(self, place: Place) -> tuple[NDArray[Any], ...]:
        """Return whether a document stands in the place's file, how near before it, and in how much of its namespace:
        that of the declaration before."""
        same = self._corpus.file_of == self._corpus.number_of(place)
        before = np.flatnonzero(same & self._corpus.ends_before(place.start))
        distance = np.full(len(same), _FAR, dtype=np.float32)
        distance[before] = np.arange(len(before), 0, -1)
        space = self._corpus.documents[before[-1]].full_name.split(".")[:-1] if len(before) else []
        return same, 1 / distance, np.log(distance) / 10, self._spaces.shared(space) / self._spaces.weights


class _Words:
    """The words of texts: for each word the texts that have it."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        self._vocabulary: dict[str, int] = {}
        postings: list[list[int]] = []
        size = 0
        for number, text in enumerate(texts):
            size = number + 1
            for word in dict.fromkeys(text):  # in the order of the text, so that sums are the same in every process
                if self._vocabulary.setdefault(word, len(postings)) == len(postings):
                    postings.append([])
                postings[self._vocabulary[word]].append(number)
        self._size = size
        self._postings = [np.array(posting, dtype=np.int64) for posting in postings]
        counts = np.array([len(posting) for posting in postings], dtype=np.float32)
        self._rarity: Vector = np.log(1 + size / (1 + counts)).astype(np.float32)
        self.weights: Vector = np.maximum(self._summed(range(len(postings))), 1e-6)
        """Of the words of each text together."""

    def shared(self, query: Iterable[str]) -> Vector:
        """Return the weight of the words that each text shares with ``query``, ``[texts]``."""
        return self._summed(sorted(self._known(query)))

    def _summed(self, known: Sequence[int]) -> Vector:
        """Return the weight of those of these words that each text has, ``[texts]``."""
        total = np.zeros(self._size, dtype=np.float32)
        for word in known:
            total[self._postings[word]] += self._rarity[word]
        return total

    def shares(self, query: Sequence[str]) -> tuple[NDArray[Any], ...]:
        """Return what is shared: its weight, as part of the text's, as part of the query's."""
        shared = self.shared(query)
        asked = float(self._rarity[sorted(self._known(query))].sum())
        return shared / 10, shared / self.weights, shared / max(asked, 1e-6)

    def _known(self, query: Iterable[str]) -> set[int]:
        return {self._vocabulary[word] for word in query if word in self._vocabulary}


def _statement(text: str, full_name: str) -> str:
    """Return what stands behind the name of a declaration."""
    return text.partition(full_name.rpartition(".")[2])[2] or text


def _conclusion(statement: str) -> str:
    """Return what a statement concludes: what follows its last colon, arrow or comma outside brackets."""
    depth, start = 0, 0
    for at, character in enumerate(statement):
        depth += (character in _OPEN) - (character in _CLOSED)
        if depth == 0 and character in ":→,":
            start = at + 1
    return statement[start:]


def _relation(target: str) -> int:
    """Return the number of the first relation or connective in a statement; -1 where there is none."""
    return next((_RELATIONS.index(character) for character in target if character in _RELATIONS), -1)
