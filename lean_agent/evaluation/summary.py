"""What the attempts of an evaluation add up to. Pure functions of a :class:`~lean_agent.evaluation.evaluate.Report`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from lean_agent.evaluation.benchmarks.base import LeftOut
from lean_agent.evaluation.evaluate import Attempt, Report
from lean_agent.evaluation.statistics import Comparison, Interval, compare, pass_at_k, share_interval
from lean_agent.prover.provers import Key

Measure = Literal["lean_calls", "tokens"]
STATED = 4
"""So many budgets are stated below the largest."""
LEVELS = 4
"""More different difficulties than this are put together into as many ranges of about equal size."""


@dataclass(frozen=True, slots=True)
class Row:
    """One prover's line of the table.

    Attributes:
        proved: theorems, the mean over seeds.
        attempted: theorems.
        seeds: attempts at each theorem.
        rate: share of theorems proved in one attempt (pass@1).
        hard_proved, hard_attempted: as above, over theorems that no single tactic closes.
        errors: attempts whose search could not start or whose proof could not be judged; they count as attempted.
        rejected: attempts whose proof the judge refused.
        seconds, policy_s, lean_s, lean_calls, tokens: sums over all attempts; the policy and Lean may be at work at the
            same time, and either may wait.
    """

    prover: str
    proved: float
    attempted: int
    seeds: int
    rate: Interval
    hard_proved: float
    hard_attempted: int
    errors: int
    rejected: int
    seconds: float
    policy_s: float
    lean_s: float
    lean_calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Share:
    """Theorems proved among those of one kind, the mean over seeds."""

    proved: float
    attempted: int


@dataclass(frozen=True, slots=True)
class PassRate:
    """A prover's pass@k.

    Attributes:
        measure, budget: had every attempt been stopped after so much of that; ``None``: at the budget that it had.
    """

    prover: str
    k: int
    rate: Interval
    measure: Measure | None = None
    budget: int | None = None


def rows(report: Report) -> list[Row]:
    """A line for each prover."""
    return [_row(report, prover) for prover in report.provers]


def _row(report: Report, prover: str) -> Row:
    attempts = report.of(prover)
    rates = success(attempts)
    return Row(
        prover=prover,
        proved=sum(rates.values()),
        attempted=len(rates),
        seeds=seeds_of(attempts),
        rate=share_interval(list(rates.values())),
        hard_proved=sum(rate for key, rate in rates.items() if key in report.hard),
        hard_attempted=sum(key in report.hard for key in rates),
        errors=sum(one.status == "error" for one in attempts),
        rejected=sum(one.status == "rejected" for one in attempts),
        seconds=sum(one.seconds for one in attempts),
        policy_s=sum(one.policy_s or 0.0 for one in attempts),
        lean_s=sum(one.lean_s or 0.0 for one in attempts),
        lean_calls=sum(one.lean_calls for one in attempts),
        tokens=sum(one.tokens for one in attempts),
    )


def by_theorem(attempts: Sequence[Attempt]) -> dict[Key, list[Attempt]]:
    """The attempts at each theorem."""
    found: dict[Key, list[Attempt]] = {}
    for one in attempts:
        found.setdefault(one.key, []).append(one)
    return found


def seeds_of(attempts: Sequence[Attempt]) -> int:
    """How many attempts there are at every theorem; 0 without attempts."""
    return min((len(mine) for mine in by_theorem(attempts).values()), default=0)


def success(attempts: Sequence[Attempt]) -> dict[Key, float]:
    """For each theorem the share of its attempts that proved it."""
    return {key: sum(map(_proved, mine)) / len(mine) for key, mine in by_theorem(attempts).items()}


def _proved(attempt: Attempt) -> bool:
    return attempt.proved


def pass_at(report: Report, prover: str, k: int, counts: Callable[[Attempt], bool] = _proved) -> Interval:
    """pass@k over all theorems, with its interval.

    Args:
        counts: which attempts have succeeded.

    Raises:
        ValueError: there are fewer than ``k`` attempts at some theorem.
    """
    tried = by_theorem(report.of(prover)).values()
    return share_interval([pass_at_k(len(mine), sum(map(counts, mine)), k) for mine in tried])


def stated_ks(report: Report) -> list[int]:
    """1, 2, 4, … and the number of seeds: the ``k`` of every pass@k that is stated, for provers with so many seeds."""
    most = max((seeds_of(report.of(prover)) for prover in report.provers), default=0)
    return sorted({k for k in (1, 2, 4, 8, 16, 32, 64) if k < most} | {most}) if most else []


def pass_rates(report: Report) -> list[PassRate]:
    """Every pass@k that is stated: at the full budget, then at smaller ones of each measure."""
    of = [(prover, k) for prover in report.provers for k in stated_ks(report) if k <= seeds_of(report.of(prover))]
    full = [PassRate(prover, k, pass_at(report, prover, k)) for prover, k in of]
    measures: tuple[Measure, ...] = ("lean_calls", "tokens")
    return full + [
        PassRate(prover, k, at_budget(report, prover, measure, budget, k), measure, budget)
        for measure in measures
        for prover, k in of
        for budget in budgets(report, measure)
    ]


def budgets(report: Report, measure: Measure) -> list[int]:
    """Budgets to state: the last few powers of four below what the dearest attempt has spent, and that itself."""
    most = max((_spent(one, measure) for one in report.attempts), default=0)
    powers = [4**n for n in range(1, 20) if 4**n < most]
    return [*powers[-STATED:], most] if most else []


def at_budget(report: Report, prover: str, measure: Measure, budget: int, k: int = 1) -> Interval:
    """pass@k had every attempt been stopped at ``budget``: a proof counts that was found with no more than that.

    Raises:
        ValueError: as :func:`pass_at`.
    """
    return pass_at(report, prover, k, lambda one: one.proved and _spent(one, measure) <= budget)


def _spent(attempt: Attempt, measure: Measure) -> int:
    return attempt.lean_calls if measure == "lean_calls" else attempt.tokens


def by_group(report: Report) -> dict[str, dict[str, Share]]:
    """Group -> prover -> share, groups in alphabetical order."""
    return _by(report, sorted({one.group for one in report.attempts}), lambda one: one.group)


def by_difficulty(report: Report) -> dict[str, dict[str, Share]]:
    """Difficulty -> prover -> share, the easiest first: every value, or ranges where there are many."""
    values = sorted({one.key: one.difficulty for one in report.attempts}.values())
    limits = sorted(set(values))
    if len(limits) > LEVELS:
        limits = sorted({values[(part * len(values)) // LEVELS - 1] for part in range(1, LEVELS + 1)})
        labels = [f"up to {limit:g}" for limit in limits]
    else:
        labels = [f"{limit:g}" for limit in limits]

    def label(one: Attempt) -> str:
        return next(label for label, limit in zip(labels, limits, strict=True) if one.difficulty <= limit)

    return _by(report, labels, label)


def _by(report: Report, labels: Sequence[str], label: Callable[[Attempt], str]) -> dict[str, dict[str, Share]]:
    table: dict[str, dict[str, Share]] = {}
    for wanted in labels:
        mine = [one for one in report.attempts if label(one) == wanted]
        table[wanted] = {}
        for prover in report.provers:
            rates = success([one for one in mine if one.prover == prover])
            table[wanted][prover] = Share(sum(rates.values()), len(rates))
    return table


def left_out_by_reason(report: Report) -> list[tuple[str, list[LeftOut]]]:
    """Why something was left out, and what; the most common reason first."""
    found: dict[str, list[LeftOut]] = {}
    for one in report.left_out:
        found.setdefault(one.reason, []).append(one)
    return sorted(found.items(), key=lambda group: -len(group[1]))


def outcomes(report: Report) -> dict[str, Counter[str]]:
    """Prover -> how its attempts ended."""
    return {prover: Counter(outcome(one) for one in report.of(prover)) for prover in report.provers}


def outcome(attempt: Attempt) -> str:
    """How an attempt ended, in a few words: proved, or why not."""
    if attempt.status == "rejected":
        return f"rejected by the judge: {attempt.verdict or 'error'}"
    if attempt.status == "failed":
        return "nothing left to try"
    if attempt.status == "budget":
        # a search leaves one call for the verification of what it may find
        spent = {"Lean calls": attempt.lean_calls + 1, "expansions": attempt.expansions, "tokens": attempt.tokens}
        limits: Mapping[str, float | None] = {
            "Lean calls": attempt.budget.get("lean_calls"),
            "expansions": attempt.budget.get("expansions"),
            "tokens": attempt.budget.get("tokens"),
        }
        for name, limit in limits.items():
            if limit is not None and spent[name] >= limit:
                return f"out of {name}"
        return "out of time"
    return attempt.status


def comparisons(report: Report) -> list[tuple[str, str, Comparison]]:
    """Every pair of provers, theorem by theorem."""
    tried = {
        prover: {key: [one.proved for one in mine] for key, mine in by_theorem(report.of(prover)).items()}
        for prover in report.provers
    }
    return [
        (first, second, compare(list(tried[first].values()), [tried[second][key] for key in tried[first]]))
        for first, second in combinations(report.provers, 2)
    ]
