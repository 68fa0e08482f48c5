"""An index of goals that finds the most similar ones, and takes in a new one at once."""

from __future__ import annotations

import copy
import math
from array import array
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

MOST_POSTINGS = 100_000
"""So many postings of the rarest features are added up before candidates are scored: under a millisecond of work."""
CANDIDATES = 4
"""Goals that are scored by all their features, for each that is asked for."""


class GoalIndex:
    """Goals by their features; two goals are as similar as the cosine of their features weighed by rarity (TF-IDF).

    A query adds up the postings of its rarest features, then scores the goals that these bring up by all features. In
    100,000 goals it takes a few milliseconds.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._postings: list[array[int]] = []
        self._counts = np.zeros(1024, dtype=np.float64)  # goals that have a feature, by its number
        self._query = np.zeros_like(self._counts)  # of the query at hand, the value of each feature; else all 0
        self._features: list[NDArray[np.int64]] = []
        self._weights: list[NDArray[np.float64]] = []
        self._gone: list[int] = []  # numbers of goals that were discarded
        self._shared = 0  # postings of features below this number may be a copy's, too, …
        self._own: set[int] = set()  # … but for these

    def __len__(self) -> int:
        return len(self._features) - len(self._gone)

    def copy(self) -> GoalIndex:
        """Return an index of the same goals that goes its own way from here on; most is shared."""
        other = copy.copy(self)
        other._numbers, other._postings = dict(self._numbers), list(self._postings)
        other._counts, other._query = self._counts.copy(), np.zeros_like(self._query)
        other._features, other._weights, other._gone = list(self._features), list(self._weights), list(self._gone)
        self._shared = other._shared = len(self._postings)
        self._own, other._own = set(), set()
        return other

    def add(self, features: Mapping[str, float]) -> int:
        """Take in a goal by its weighted features; return its number, from 0."""
        number = len(self._features)
        ids = np.array([self._number(feature) for feature in features], dtype=np.int64)
        for feature in ids.tolist():
            if feature < self._shared and feature not in self._own:
                self._postings[feature] = self._postings[feature][:]
                self._own.add(feature)
            self._postings[feature].append(number)
        self._counts[ids] += 1
        self._features.append(ids)
        self._weights.append(np.fromiter(features.values(), dtype=np.float64, count=len(features)))
        return number

    def discard(self, number: int) -> None:
        """Forget a goal, as if it had never been taken in; to be called once. Its number is not used again."""
        self._counts[self._features[number]] -= 1
        self._gone.append(number)

    def nearest(
        self, features: Mapping[str, float], count: int, usable: NDArray[np.bool_] | None = None
    ) -> list[tuple[float, int]]:
        """Return up to ``count`` goals as (similarity in (0, 1], number), the most similar first.

        Args:
            usable: ``[goals]``, true for those that may be returned; by default all.
        """
        numbers = {name: self._numbers[name] for name in features if name in self._numbers}
        numbers = {name: number for name, number in numbers.items() if self._counts[number]}
        known = [(number, features[name]) for name, number in numbers.items()]
        if not known:
            return []
        ids = np.array([number for number, _ in known], dtype=np.int64)
        values = np.array([weight for _, weight in known]) * self._rarities(ids)
        unknown = sum(weight**2 for name, weight in features.items() if name not in numbers)
        norm = math.sqrt(float(values @ values) + unknown * math.log(1 + len(self)) ** 2)
        candidates = self._candidates(ids, values, CANDIDATES * count, usable)
        if not len(candidates):
            return []
        similarities = self._cosines(ids, values, candidates) / norm
        order = np.argsort(-similarities, kind="stable")[:count]
        return [(float(similarities[place]), int(candidates[place])) for place in order]

    def _number(self, feature: str) -> int:
        if feature not in self._numbers:
            self._numbers[feature] = len(self._postings)
            self._postings.append(array("i"))
            if len(self._postings) > len(self._counts):
                self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)])
                self._query = np.zeros_like(self._counts)
        return self._numbers[feature]

    def _rarities(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(np.log1p(len(self) / self._counts[ids]))

    def _candidates(
        self, ids: NDArray[np.int64], values: NDArray[np.float64], count: int, usable: NDArray[np.bool_] | None
    ) -> NDArray[np.int64]:
        """Return the ``count`` usable goals that share most with a query, judged by its rarest features."""
        scores = np.zeros(len(self._features), dtype=np.float32)
        added = 0
        for place in np.argsort(self._counts[ids], kind="stable"):
            posting = self._postings[ids[place]]
            if added and added + len(posting) > MOST_POSTINGS:
                break
            added += len(posting)
            scores[np.asarray(posting)] += values[place] ** 2
        scores[self._gone] = 0
        sharing = np.flatnonzero(scores if usable is None else scores * usable)
        if len(sharing) <= count:
            return sharing
        return np.sort(sharing[np.argpartition(-scores[sharing], count)[:count]])

    def _cosines(
        self, ids: NDArray[np.int64], values: NDArray[np.float64], candidates: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return each candidate's cosine with the query, but for the query's norm; ``[candidates]``."""
        of_each = [self._features[number] for number in candidates]
        starts = np.cumsum([0, *map(len, of_each[:-1])])
        features = np.concatenate(of_each)
        weights = np.concatenate([self._weights[number] for number in candidates]) * self._rarities(features)
        self._query[ids] = values
        shared = np.add.reduceat(weights * self._query[features], starts)
        self._query[ids] = 0.0
        return np.asarray(shared / np.sqrt(np.add.reduceat(weights * weights, starts)))
