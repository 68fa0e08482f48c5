"""Scorers that care for one branch of mathematics.

What counts is in the goals, as Lean prints them, and what Lean did to them; the tactics' text is not looked at. A
goal's weight in a domain is the number of the domain's symbols in its target and in the types of its hypotheses.
"""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from lean_agent.lean.types import Goal
from lean_agent.rewards.base import BaseRewardScorer, Details
from lean_agent.rewards.goals import closed_share, goal_symbols
from lean_agent.trajectory import ProofTrajectory

_SYMBOLS = {
    "logic": "∧ ∨ ¬ → ↔ ∀ ∃ True False And Or Not Iff Exists Xor Decidable",
    "algebra": "+ - * / ^ • ⁻ ∑ ∏ add sub mul div pow neg inv smul zero one succ Monoid Group Ring Field Hom",
    "number_theory": "∣ % ∤ dvd mod gcd lcm Coprime Prime Even Odd factorial testBit log2 emod ediv toNat natAbs",
    "lists_and_sets": (
        "∈ ∉ ⊆ ⊂ ∪ ∩ ∅ :: ++ [ ] List Array Set mem nil cons append map filter length reverse foldl foldr flatMap join "
        "zip take drop head tail getLast replicate sum contains insert erase union inter range"
    ),
    "order": "≤ < ≥ > ⊔ ⊓ ⊤ ⊥ le lt max min sup inf compare Monotone StrictMono Ordering",
}

DOMAINS: dict[str, frozenset[str]] = {name: frozenset(text.split()) for name, text in _SYMBOLS.items()}
"""Domain -> its symbols: operators as Lean prints them, and last parts of names (``Nat.gcd`` counts as ``gcd``)."""


class DomainScorer(BaseRewardScorer):
    """Pays for proving what belongs to a domain.

    Of a theorem that is not proved, the share that is closed, goals counted by their weight (see
    :func:`lean_agent.rewards.goals.closed_share`); a proof is worth 1 when the theorem has at least one symbol of
    the domain at the start, and 0.6 otherwise.

    Args:
        name: in the details.
        symbols: what belongs to the domain.
    """

    def __init__(self, name: str, symbols: frozenset[str]) -> None:
        self.name = name
        self._symbols = symbols

    def weight(self, goal: Goal) -> float:
        """Count the symbols of the domain that a goal has."""
        return float(sum(symbol in self._symbols for symbol in goal_symbols(goal)))

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        start = sum(map(self.weight, trajectory.start))
        closed = closed_share(trajectory, self.weight)
        quality = float(start > 0) if trajectory.is_proved else closed
        details = {"weight_at_start": start, "weight_left": sum(map(self.weight, trajectory.end)), "closed": closed}
        return self.normalize_reward(self.graded(trajectory, quality)), details


def logic() -> DomainScorer:
    """Pay for proofs of logic: connectives and quantifiers."""
    return DomainScorer("logic", DOMAINS["logic"])


def algebra() -> DomainScorer:
    """Pay for proofs of algebra: arithmetic operations and algebraic structures."""
    return DomainScorer("algebra", DOMAINS["algebra"])


def number_theory() -> DomainScorer:
    """Pay for proofs of number theory: divisibility, remainders, primes, parity."""
    return DomainScorer("number_theory", DOMAINS["number_theory"])


def lists_and_sets() -> DomainScorer:
    """Pay for proofs about lists and sets: membership, and the operations of lists, arrays and sets."""
    return DomainScorer("lists_and_sets", DOMAINS["lists_and_sets"])


def order() -> DomainScorer:
    """Pay for proofs about order: inequalities, extrema, lattices."""
    return DomainScorer("order", DOMAINS["order"])
