"""Which theorems are practised: none that is held out, a development set set aside, the others by their pass rates.

A theorem that is proved each time teaches little more, one that never is costs much and teaches nothing: both are
practised less, the more often they came out so.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from lean_agent.database import StoredTheorem
from lean_agent.database.near_duplicates import NearDuplicates, goal_form, normal_form
from lean_agent.database.records import PassRate
from lean_agent.errors import ConfigError
from lean_agent.prover.proofs.result import TheoremKey, theorem_key
from lean_agent.tracing import Repository

LARGEST_DEVELOPMENT_SHARE = 0.25
SHOWN_NAMES = 3


class Guard:
    """Knows what is too near to theorems that nothing may be learnt of: statements, and goals of their proofs.

    Args:
        theorems: those that are held out or set aside.
    """

    def __init__(self, theorems: Iterable[StoredTheorem]) -> None:
        self._statements, self._goals = NearDuplicates(), NearDuplicates()
        self._answers: dict[str, bool] = {}
        self._keys: set[TheoremKey] = set()
        for stored in theorems:
            self._keys.add(theorem_key(stored))
            theorem = stored.theorem
            self._statements.insert(theorem.full_name, normal_form(theorem.type or theorem.statement))
            goals = {goal for tactic in theorem.tactics for goal in tactic.state_before.split("\n\n")}
            for goal in sorted(goals):
                self._goals.insert(theorem.full_name, goal_form(goal))

    def holds(self, theorem: TheoremKey) -> bool:
        """Return whether it is one of the theorems themselves."""
        return theorem in self._keys

    def refuses(self, theorem: StoredTheorem) -> bool:
        """Return whether a theorem is one of them, or states nearly the same."""
        return self.holds(theorem_key(theorem)) or self.refuses_statement(
            theorem.theorem.type or theorem.theorem.statement
        )

    def refuses_statement(self, statement: str) -> bool:
        """Return whether a statement, as a type or as source text, is nearly the same as one of theirs."""
        return self._statements.nearest(normal_form(statement)) is not None

    def refuses_goal(self, goal: str) -> bool:
        """Return whether a goal is nearly the same as one of a proof of theirs, their statements among them."""
        if goal not in self._answers:
            form = goal_form(goal)
            self._answers[goal] = any(index.nearest(form) is not None for index in (self._goals, self._statements))
        return self._answers[goal]


@dataclass(frozen=True, slots=True)
class Practice:
    """What a run practises on.

    Attributes:
        theorems: those that may be practised.
        development: those that are set aside to compare checkpoints on.
        refused: theorems that nearly state what is held out or set aside, and so are not practised.
        guard: what may not be learnt: of the held-out theorems and of the development set.
        hidden: the held-out theorems and the development set: policies that look proofs up must not see theirs.
        variants: of theorems that may be learnt from (:mod:`lean_agent.improvement.variants`).
    """

    theorems: tuple[StoredTheorem, ...]
    development: tuple[StoredTheorem, ...]
    refused: tuple[StoredTheorem, ...]
    guard: Guard
    hidden: tuple[StoredTheorem, ...]
    variants: tuple[StoredTheorem, ...] = ()


def set_up_practice(
    candidates: Sequence[StoredTheorem], held_out: Sequence[StoredTheorem], *, development: int, seed: int
) -> Practice:
    """Set a development set aside, spread over the repositories; leave out what is near to it, or held out.

    Raises:
        ConfigError: there is nothing to practise, or a theorem to be practised is held out.
    """
    own = {theorem_key(theorem): theorem for theorem in candidates}
    both = [theorem.full_name for theorem in held_out if theorem_key(theorem) in own]
    if both:
        names = ", ".join(both[:SHOWN_NAMES]) + (f" and {len(both) - SHOWN_NAMES} more" if len(both) > 3 else "")
        raise ConfigError(f"Held-out theorems are never practised, and these are to be both: {names}. Leave them out.")
    held = Guard(held_out)
    allowed = [theorem for theorem in own.values() if not held.refuses(theorem)]
    count = min(development, math.floor(len(allowed) * LARGEST_DEVELOPMENT_SHARE))
    aside = spread(allowed, count, seed, what="development")
    guard = Guard([*held_out, *aside])
    theorems = [theorem for theorem in allowed if not guard.refuses(theorem)]
    if not theorems:
        near = f"; {len(own)} are too near to what is held out" if own else ""
        raise ConfigError(
            f"There is no theorem to practise{near}. Set up a repository with open theorems, hold fewer of them out, "
            "or name theorems whose proofs are known (practice=…)."
        )
    kept = {theorem_key(theorem) for theorem in (*theorems, *aside)}
    refused = tuple(theorem for key, theorem in own.items() if key not in kept)
    return Practice(tuple(theorems), tuple(aside), refused, guard, (*held_out, *aside))


def choose(
    theorems: Sequence[StoredTheorem], rates: Mapping[TheoremKey, PassRate], count: int, seed: int
) -> list[StoredTheorem]:
    """Return ``count`` of the theorems, in their order, drawn at random by their weights (:func:`weight`).

    Drawn without replacement by the keys of Efraimidis and Spirakis (2006).
    """
    random = Random(seed)
    keys = {
        theorem_key(theorem): math.log(random.random()) / weight(rates.get(theorem_key(theorem), PassRate()))
        for theorem in theorems
    }
    drawn = set(sorted(keys, key=lambda key: -keys[key])[:count])
    return [theorem for theorem in theorems if theorem_key(theorem) in drawn]


def weight(rate: PassRate) -> float:
    """Return how much a theorem is worth practising: ``4 p (1 − p)``, in (0, 1], with
    ``p = (proved + ½) / (tried + 1)``.

    1 for a theorem that was never tried or is proved half of the time; 3/4 after a single try, 5/9 after two alike,
    about ``2 / n`` after ``n`` alike.
    """
    p = (rate.proved + 0.5) / (rate.tried + 1)
    return 4 * p * (1 - p)


def hold_out(theorems: Sequence[StoredTheorem], share: float, seed: int = 0) -> list[StoredTheorem]:
    """Return about that share of the theorems, by a hash of their statements; near-duplicates stand on one side.

    Args:
        share: in [0, 1].
    """
    index = NearDuplicates()
    sides: dict[str, bool] = {}
    for number, stored in enumerate(theorems):
        near = index.add(str(number), normal_form(stored.theorem.type or stored.theorem.statement))
        sides[str(number)] = sides[near[0]] if near else _unit(f"held out\0{seed}\0{stored.theorem.type_hash}") < share
    return [stored for number, stored in enumerate(theorems) if sides[str(number)]]


def of_repositories(theorems: Iterable[StoredTheorem], repositories: Collection[Repository]) -> list[StoredTheorem]:
    """Return the theorems that stand in these repositories."""
    wanted = {(repository.url, repository.commit) for repository in repositories}
    return [stored for stored in theorems if (stored.repository.url, stored.repository.commit) in wanted]


def spread(theorems: Sequence[StoredTheorem], count: int, seed: int, *, what: str) -> list[StoredTheorem]:
    """Return ``count`` of them, as many of each repository as its share, by a hash of their places.

    Args:
        what: they are chosen for: choices of different names have nothing to do with each other.
    """
    groups: defaultdict[tuple[str, str], list[StoredTheorem]] = defaultdict(list)
    for stored in sorted(theorems, key=lambda stored: _unit(f"{what}\0{seed}\0{theorem_key(stored)}")):
        groups[stored.repository.url, stored.repository.commit].append(stored)
    # Each theorem by where it stands in its own repository, so that the first so many are of all of them.
    places = [
        ((place + 0.5) / len(group), number, stored)
        for number, group in enumerate(groups.values())
        for place, stored in enumerate(group)
    ]
    chosen = {theorem_key(stored) for _, _, stored in sorted(places, key=lambda place: place[:2])[:count]}
    return [stored for stored in theorems if theorem_key(stored) in chosen]


def _unit(text: str) -> float:
    """Return a number in [0, 1) that depends on nothing but the text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64
