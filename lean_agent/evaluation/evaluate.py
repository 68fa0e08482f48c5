"""Run provers over theorems at the same budget and keep what the judge accepts.

Owns the records of single attempts. Every attempt is one line of a JSON Lines file, written when it ends: an evaluation
that was interrupted goes on with the attempts that are missing. What the attempts add up to is :mod:`.summary`'s; knows
no layout of reports.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from lean_agent.database import StoredTheorem
from lean_agent.database.records import LemmaRow
from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks import Facts, LeftOut
from lean_agent.files import json_lines, write_atomically
from lean_agent.lean import html
from lean_agent.policy.base import Seeded
from lean_agent.prover.config import SearchBudget
from lean_agent.prover.driver import Spent
from lean_agent.prover.proofs.judge import Verdicts
from lean_agent.prover.proofs.result import ProofResult, TheoremKey, theorem_key
from lean_agent.prover.provers import Prover
from lean_agent.settings import checked
from lean_agent.tracing.project.repository import shared_address

logger = logging.getLogger(__name__)

_FAR_APART = 1_000_003
"""A policy may add the number of its calls to its seed; no two attempts are to draw the same."""


OnRound = Callable[[Prover, int], None]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One theorem given to one prover with one seed, as it is kept on disk.

    Attributes:
        url, commit, file_path, full_name: the theorem.
        status: as in :class:`~lean_agent.prover.proofs.result.ProofResult`; only ``proved`` counts.
        steps: tactics of the proof, 0 where there is none.
        lean_calls: requests to Lean, verification included, and what was tried to make the proof shorter.
        tokens: tokens that the policy generated.
        seconds: wall time: the share of starting the proof and of the search, and the verification.
        message: why there is no proof, in words.
        budget: the limits that the search ran under.
        seed: of a policy that draws at random.
        group, difficulty: what the benchmark knows of the theorem, see
            :class:`~lean_agent.evaluation.benchmarks.Facts`.
        verdict: what the judge said of the proof that was found; empty where none was.
        policy_s, lean_s: seconds that the policy and Lean were at work since the attempt before ended. Many theorems
            are searched at a time, so only sums over attempts say anything; ``None``, and not on disk, where not all
            attempts are kept.
        fingerprint: the prover's (:attr:`~lean_agent.prover.provers.Prover.fingerprint`).
        lemmas: file, full name and proof of each open theorem that the proof uses, see
            :class:`~lean_agent.prover.proofs.result.ProofResult`.
    """

    prover: str
    url: str
    commit: str
    file_path: str
    full_name: str
    status: str
    proof: str
    steps: int
    expansions: int
    lean_calls: int
    tokens: int
    seconds: float
    message: str
    budget: dict[str, float]
    seed: int = 0
    group: str = ""
    difficulty: float = 0.0
    verdict: str = ""
    policy_s: float | None = None
    lean_s: float | None = None
    fingerprint: str = ""
    lemmas: Sequence[LemmaRow] | None = None

    @property
    def key(self) -> TheoremKey:
        """The theorem's identity."""
        return (self.url, self.commit, self.file_path, self.full_name)

    @property
    def proved(self) -> bool:
        """Whether the judge accepted a proof."""
        return self.status == "proved"


@dataclass(frozen=True, slots=True)
class Report(html.InNotebooks):
    """What an evaluation found.

    Attributes:
        provers: their names, in the order of the report.
        attempts: prover by prover, theorem by theorem, seed by seed.
        budget: the limits of every attempt.
        hard: the theorems that no single tactic of the baseline closes.
        left_out: what of the benchmark could not be tried.
    """

    provers: tuple[str, ...]
    attempts: tuple[Attempt, ...]
    budget: SearchBudget
    hard: frozenset[TheoremKey]
    left_out: tuple[LeftOut, ...] = ()

    def of(self, prover: str) -> list[Attempt]:
        """Return the attempts of one prover."""
        return [attempt for attempt in self.attempts if attempt.prover == prover]

    def _repr_html_(self) -> str:
        """Return what each prover has done; :func:`~lean_agent.evaluation.report.write_report` writes all of it."""
        rows = []
        for prover in self.provers:
            attempts = self.of(prover)
            proved = sum(attempt.proved for attempt in attempts)
            sums = [sum(getattr(attempt, name) for attempt in attempts) for name in ("lean_calls", "tokens", "seconds")]
            rows.append([prover, f"{proved:,}", f"{len(attempts):,}", *(f"{total:,.0f}" for total in sums)])
        headings = ("prover", "proved", "attempts", "Lean calls", "tokens", "seconds")
        return html.table(headings, [list(map(html.code, row)) for row in rows])


@checked
def evaluate(
    provers: Sequence[Prover],
    theorems: Sequence[StoredTheorem],
    budget: SearchBudget,
    *,
    seeds: Sequence[int] = (0,),
    facts: Mapping[TheoremKey, Facts] | None = None,
    left_out: Sequence[LeftOut] = (),
    baseline: str | None = None,
    results_path: Path | None = None,
    on_attempt: Callable[[Attempt], None] | None = None,
    on_round: OnRound | None = None,
    batch: int = 32,
) -> Report:
    """Give every theorem to every prover with every seed, each at the same ``budget``.

    A batch of theorems goes to one prover after the other: enough theorems that a policy has many goals to answer at
    once, few enough that Lean still keeps their files from one prover to the next. No attempt remembers what another
    has proved, whatever the prover's ``SearchConfig.remember``; its closers stay. Lean judges a proof that several
    provers find once; each is charged for it. A prover that draws nothing at random
    makes one attempt, whatever the number of seeds.

    Args:
        facts: what the benchmark knows of the theorems; by default their repository and the length of the statement.
        left_out: what of the benchmark is not among ``theorems`` since it cannot be tried; the report says so.
        baseline: name of the prover whose list of tactics decides which theorems are hard: those that it does not prove
            in one step. It tries its whole list on the first state before it goes on.
        results_path: the JSON Lines file of attempts. Those that stand in it, made by the same prover (its fingerprint
            says so) at the same budget, are not made again, but for those that ended in an error.
        on_attempt: told of each attempt as it ends, also of those read from ``results_path``.
        on_round: told after each round of searches, and after each verification, how many Lean calls the attempts of
            this prover have taken so far, those read from ``results_path`` included.
        batch: theorems in a batch.

    Raises:
        ConfigError: two provers of one name, or no seed.
    """
    names = tuple(prover.name for prover in provers)
    if len(set(names)) < len(names) or not seeds:
        raise ConfigError(f"An evaluation needs a seed and provers of different names, not {', '.join(names)}.")
    # They cost a look at all weights, and matter only to attempts that are kept.
    fingerprints = {prover.name: prover.fingerprint for prover in provers} if results_path else {}
    attempts = _reusable(read_attempts(results_path), fingerprints, budget)
    verdicts = Verdicts()
    calls: Counter[str] = Counter()  # of the attempts that were told, by their prover

    def told(attempt: Attempt) -> None:
        calls[attempt.prover] += attempt.lean_calls
        if on_attempt is not None:
            on_attempt(attempt)

    for start in range(0, len(theorems), batch):
        tried = theorems[start : start + batch]
        for prover, seed in runs(provers, seeds):
            known = [theorem for theorem in tried if (prover.name, theorem_key(theorem), seed) in attempts]
            for theorem in known:
                told(attempts[prover.name, theorem_key(theorem), seed])
            missing = [theorem for theorem in tried if theorem not in known]
            if not missing:
                continue
            one_try = _with_seed(prover, seed).with_budget(budget, verdicts)
            if on_round is not None:
                one_try = one_try.with_callback(_on_top_of(calls[prover.name], prover, on_round))
            for result, (policy_s, lean_s) in _measured(one_try, missing):
                attempt = _attempt(result, budget, seed, (facts or {}).get(theorem_key(result.theorem)))
                fingerprint = fingerprints.get(prover.name, "")
                attempt = replace(attempt, policy_s=policy_s, lean_s=lean_s, fingerprint=fingerprint)
                if results_path is not None:
                    _append(results_path, attempt)
                attempts[_place(attempt)] = attempt
                told(attempt)
    in_order = [
        attempts[prover.name, theorem_key(theorem), seed]
        for prover in provers
        for theorem in theorems
        for _, seed in runs([prover], seeds)
    ]
    closed = {
        attempt.key for attempt in in_order if attempt.prover == baseline and attempt.proved and attempt.steps == 1
    }
    hard = frozenset(map(theorem_key, theorems)) - closed if baseline in names else frozenset()
    return Report(names, tuple(in_order), budget, hard, tuple(left_out))


def runs(provers: Sequence[Prover], seeds: Sequence[int]) -> list[tuple[Prover, int]]:
    """Return which prover runs with which seed."""
    return [(prover, seed) for prover in provers for seed in (seeds if prover.policy.samples else seeds[:1])]


def read_attempts(path: Path | None) -> list[Attempt]:
    """Read the attempts of a JSON Lines file; none when there is no file. A last line that is cut short is dropped.

    Raises:
        ConfigError: a line that is no attempt.
    """
    if path is None or not path.is_file():
        return []
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        write_atomically(path, whole)
    return attempts_of(whole.decode(), path)


def attempts_of(text: str, path: Path) -> list[Attempt]:
    """Return the attempts that stand in whole lines.

    Args:
        path: of the file that they come from, for the error.

    Raises:
        ConfigError: a line that is no attempt.
    """
    known = {field.name for field in fields(Attempt)}
    attempts = []
    for number, line in enumerate(json_lines(text), start=1):
        try:
            row: dict[str, Any] = json.loads(line)
            row["url"] = shared_address(row["url"])  # once it was the path of a folder
            attempts.append(Attempt(**{name: value for name, value in row.items() if name in known}))
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise ConfigError(
                f"Line {number} of {path} is no attempt of an evaluation ({error}). Take the line out, or evaluate "
                "into another folder."
            ) from error
    return attempts


def _reusable(
    attempts: Sequence[Attempt], fingerprints: Mapping[str, str], budget: SearchBudget
) -> dict[tuple[str, TheoremKey, int], Attempt]:
    """Return the attempts that the same prover would only make again."""
    comparable = [
        attempt for attempt in attempts if attempt.prover in fingerprints and attempt.budget == asdict(budget)
    ]
    same = [attempt for attempt in comparable if attempt.fingerprint == fingerprints[attempt.prover]]
    others = sorted({attempt.prover for attempt in comparable if attempt.fingerprint != fingerprints[attempt.prover]})
    if others:
        logger.warning(
            "There are attempts of another model, search or version under the name of %s: they count no more, and are "
            "made again.",
            ", ".join(others),
        )
    return {_place(attempt): attempt for attempt in same if attempt.status != "error"}


def keep_proof(path: Path, result: ProofResult, budget: SearchBudget) -> None:
    """Add a proof that was found outside an evaluation to a JSON Lines file of attempts, to be judged again.

    :func:`lean_agent.evaluation.results.recheck` does that.
    """
    _append(path, _attempt(result, budget, 0, None))


def _measured(prover: Prover, theorems: Sequence[StoredTheorem]) -> Iterator[tuple[ProofResult, tuple[float, float]]]:
    """Yield each result with the seconds that the policy and Lean were at work since the one before."""
    before = prover.usage
    for result in prover.prove_all(theorems):
        now = prover.usage
        yield result, (now.policy - before.policy, now.lean - before.lean)
        before = now


def _on_top_of(earlier: int, prover: Prover, on_round: OnRound) -> Spent:
    """Tell ``on_round`` what is spent beside what was spent ``earlier``."""
    return lambda spent: on_round(prover, earlier + spent.lean_calls)


def _place(attempt: Attempt) -> tuple[str, TheoremKey, int]:
    return (attempt.prover, attempt.key, attempt.seed)


def _with_seed(prover: Prover, seed: int) -> Prover:
    """Return the prover with that seed, remembering nothing; 0 leaves the policy as it was given."""
    if seed == 0 or not isinstance(prover.policy, Seeded):
        return prover.copy()
    return prover.copy(prover.policy.with_seed(seed * _FAR_APART))


def _append(path: Path, attempt: Attempt) -> None:
    row = {name: value for name, value in asdict(attempt).items() if value is not None}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _attempt(result: ProofResult, budget: SearchBudget, seed: int, facts: Facts | None) -> Attempt:
    facts = facts or Facts(float(len(result.theorem.theorem.statement)), result.theorem.repository.name)
    return Attempt(
        result.prover,
        *theorem_key(result.theorem),
        status=result.status,
        proof=result.proof,
        steps=len(result.search.script),
        expansions=result.search.expansions,
        lean_calls=result.lean_calls,
        tokens=result.search.tokens,
        seconds=result.seconds,
        message=result.message,
        budget=asdict(budget),
        seed=seed,
        group=facts.group,
        difficulty=facts.difficulty,
        verdict=result.verdict.kind if result.verdict else "",
        lemmas=[lemma.row for lemma in result.lemmas] or None,
    )
