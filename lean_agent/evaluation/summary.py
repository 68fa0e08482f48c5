"""What the attempts of an evaluation add up to. Pure functions of a :class:`~lean_agent.evaluation.evaluate.Report`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from lean_agent.evaluation.benchmarks import LeftOut
from lean_agent.evaluation.evaluate import Attempt, Report
from lean_agent.evaluation.statistics import Interval, PairedComparison, compare, pass_at_k, share_interval
from lean_agent.prover.proofs.result import TheoremKey

CostMeasure = Literal["lean_calls", "tokens"]
STATED = 4
"""So many budgets are stated below the largest."""
LEVELS = 4
"""More different difficulties than this are put together into as many ranges of about equal size."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One prover's line of the table.

    Attributes:
        proved: theorems, the mean over seeds.
        attempted: theorems.
        seeds: attempts at each theorem.
        rate: share of theorems proved in one attempt (pass@1).
        hard_proved, hard_attempted: as above, over theorems that no single tactic closes.
        errors: attempts whose search could not start or whose proof could not be judged; they count as attempted.
        unfinished: theorems of which no proof can be accepted, since their statements rest on a ``sorry``; nothing is
            tried at them, and they count as attempted.
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
    unfinished: int
    rejected: int
    seconds: float
    policy_s: float
    lean_s: float
    lean_calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class ProvedShare:
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
    measure: CostMeasure | None = None
    budget: int | None = None


def rows(report: Report) -> list[ReportRow]:
    """Return a line for each prover."""
    return [_row(report, prover) for prover in report.provers]


def _row(report: Report, prover: str) -> ReportRow:
    attempts = report.of(prover)
    rates = success(attempts)
    return ReportRow(
        prover=prover,
        proved=sum(rates.values()),
        attempted=len(rates),
        seeds=seeds_of(attempts),
        rate=share_interval(list(rates.values())),
        hard_proved=sum(rate for key, rate in rates.items() if key in report.hard),
        hard_attempted=sum(key in report.hard for key in rates),
        errors=sum(attempt.status == "error" for attempt in attempts),
        unfinished=len({attempt.key for attempt in attempts if attempt.status == "unfinished"}),
        rejected=sum(attempt.status == "rejected" for attempt in attempts),
        seconds=sum(attempt.seconds for attempt in attempts),
        policy_s=sum(attempt.policy_s or 0.0 for attempt in attempts),
        lean_s=sum(attempt.lean_s or 0.0 for attempt in attempts),
        lean_calls=sum(attempt.lean_calls for attempt in attempts),
        tokens=sum(attempt.tokens for attempt in attempts),
    )


def by_theorem(attempts: Sequence[Attempt]) -> dict[TheoremKey, list[Attempt]]:
    """Group attempts by theorem."""
    groups: dict[TheoremKey, list[Attempt]] = {}
    for attempt in attempts:
        groups.setdefault(attempt.key, []).append(attempt)
    return groups


def seeds_of(attempts: Sequence[Attempt]) -> int:
    """Return how many attempts there are at every theorem; 0 without attempts."""
    return min((len(tries) for tries in by_theorem(attempts).values()), default=0)


def success(attempts: Sequence[Attempt]) -> dict[TheoremKey, float]:
    """Return for each theorem the share of its attempts that proved it."""
    return {key: sum(map(_proved, tries)) / len(tries) for key, tries in by_theorem(attempts).items()}


def _proved(attempt: Attempt) -> bool:
    return attempt.proved


def pass_at(report: Report, prover: str, k: int, counts: Callable[[Attempt], bool] = _proved) -> Interval:
    """Estimate pass@k over all theorems, with its interval.

    Args:
        counts: which attempts have succeeded.

    Raises:
        ValueError: there are fewer than ``k`` attempts at some theorem.
    """
    tried = by_theorem(report.of(prover)).values()
    return share_interval([pass_at_k(len(tries), sum(map(counts, tries)), k) for tries in tried])


def stated_ks(report: Report) -> list[int]:
    """Return the ``k`` of every pass@k that is stated: 1, 2, 4, … and the number of seeds."""
    most = max((seeds_of(report.of(prover)) for prover in report.provers), default=0)
    return sorted({k for k in (1, 2, 4, 8, 16, 32, 64) if k < most} | {most}) if most else []


def pass_rates(report: Report) -> list[PassRate]:
    """Return every pass@k that is stated: at the full budget, then at smaller ones of each measure."""
    of = [(prover, k) for prover in report.provers for k in stated_ks(report) if k <= seeds_of(report.of(prover))]
    full = [PassRate(prover, k, pass_at(report, prover, k)) for prover, k in of]
    measures: tuple[CostMeasure, ...] = ("lean_calls", "tokens")
    return full + [
        PassRate(prover, k, at_budget(report, prover, measure, budget, k), measure, budget)
        for measure in measures
        for prover, k in of
        for budget in budgets(report, measure)
    ]


def budgets(report: Report, measure: CostMeasure) -> list[int]:
    """Return the budgets to state: what the dearest attempt has spent, and the last few powers of four below."""
    most = max((_spent(attempt, measure) for attempt in report.attempts), default=0)
    powers = [4**n for n in range(1, 20) if 4**n < most]
    return [*powers[-STATED:], most] if most else []


def at_budget(report: Report, prover: str, measure: CostMeasure, budget: int, k: int = 1) -> Interval:
    """Estimate pass@k had every attempt been stopped at ``budget``: proofs that cost no more count.

    Raises:
        ValueError: as :func:`pass_at`.
    """
    return pass_at(report, prover, k, lambda attempt: attempt.proved and _spent(attempt, measure) <= budget)


def _spent(attempt: Attempt, measure: CostMeasure) -> int:
    return attempt.lean_calls if measure == "lean_calls" else attempt.tokens


def by_group(report: Report) -> dict[str, dict[str, ProvedShare]]:
    """Map group -> prover -> share, groups in alphabetical order."""
    return _by(report, sorted({attempt.group for attempt in report.attempts}), lambda attempt: attempt.group)


def by_difficulty(report: Report) -> dict[str, dict[str, ProvedShare]]:
    """Map difficulty -> prover -> share, the easiest first: every value, or ranges where there are many."""
    values = sorted({attempt.key: attempt.difficulty for attempt in report.attempts}.values())
    limits, words = sorted(set(values)), ""
    if len(limits) > LEVELS:
        limits = sorted({values[(part * len(values)) // LEVELS - 1] for part in range(1, LEVELS + 1)})
        words = "up to "
    labels = [f"{words}{limit:g}" for limit in limits]

    def label(attempt: Attempt) -> str:
        return next(label for label, limit in zip(labels, limits, strict=True) if attempt.difficulty <= limit)

    return _by(report, labels, label)


def _by(report: Report, labels: Sequence[str], label: Callable[[Attempt], str]) -> dict[str, dict[str, ProvedShare]]:
    table: dict[str, dict[str, ProvedShare]] = {}
    for wanted in labels:
        labelled = [attempt for attempt in report.attempts if label(attempt) == wanted]
        table[wanted] = {}
        for prover in report.provers:
            rates = success([attempt for attempt in labelled if attempt.prover == prover])
            table[wanted][prover] = ProvedShare(sum(rates.values()), len(rates))
    return table


def left_out_by_reason(report: Report) -> list[tuple[str, list[LeftOut]]]:
    """Return why something was left out, and what; the most common reason first."""
    groups: dict[str, list[LeftOut]] = {}
    for missing in report.left_out:
        groups.setdefault(missing.reason, []).append(missing)
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def outcomes(report: Report) -> dict[str, Counter[str]]:
    """Count for each prover how its attempts ended."""
    return {prover: Counter(outcome(attempt) for attempt in report.of(prover)) for prover in report.provers}


def outcome(attempt: Attempt) -> str:
    """Say how an attempt ended, in a few words: proved, or why not."""
    if attempt.status == "rejected":
        return f"rejected by the judge: {attempt.verdict or 'error'}"
    if attempt.status == "unfinished":
        return "no proof could count: the statement rests on a sorry"
    if attempt.status == "failed":
        return "nothing left to try"
    if attempt.status == "budget":
        # a search leaves one call for the verification of what it may find
        spent = {"Lean calls": attempt.lean_calls + 1, "expansions": attempt.expansions, "tokens": attempt.tokens}
        for name, used in spent.items():
            limit = attempt.budget.get(name.lower().replace(" ", "_"))
            if limit is not None and used >= limit:
                return f"out of {name}"
        return "out of time"
    return attempt.status


def comparisons(report: Report) -> list[tuple[str, str, PairedComparison]]:
    """Compare every pair of provers, theorem by theorem."""
    return [(first, second, versus(report, first, second)) for first, second in combinations(report.provers, 2)]


def versus(report: Report, first: str, second: str) -> PairedComparison:
    """Compare two provers, theorem by theorem."""
    ours, theirs = (
        {key: [attempt.proved for attempt in tries] for key, tries in by_theorem(report.of(prover)).items()}
        for prover in (first, second)
    )
    return compare(list(ours.values()), [theirs[key] for key in ours])
