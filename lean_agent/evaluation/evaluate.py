"""Run provers over theorems at the same budget and count what the judge accepts.

Owns the records of single attempts and their sums. Every attempt is one line of a JSON Lines file, written when it
ends: an evaluation that was interrupted goes on with the attempts that are missing. Knows no layout of reports.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lean_agent.database import StoredTheorem
from lean_agent.files import write_atomically
from lean_agent.prover.best_first import SearchBudget
from lean_agent.prover.provers import Key, ProofResult, Prover, theorem_key


@dataclass(frozen=True, slots=True)
class Attempt:
    """One theorem given to one prover, as it is kept on disk.

    Attributes:
        url, commit, file_path, full_name: the theorem.
        status: as in :class:`~lean_agent.prover.provers.ProofResult`; only ``proved`` counts.
        steps: tactics of the proof, 0 where there is none.
        lean_calls: requests to Lean, verification included.
        tokens: tokens that the policy generated.
        seconds: wall time.
        budget: the limits that the search ran under.
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

    @property
    def key(self) -> Key:
        """The theorem's identity."""
        return (self.url, self.commit, self.file_path, self.full_name)

    @property
    def proved(self) -> bool:
        """Whether the judge accepted a proof."""
        return self.status == "proved"


@dataclass(frozen=True, slots=True)
class Row:
    """One prover's line of the table.

    Attributes:
        proved, attempted: theorems.
        hard_proved, hard_attempted: the same over theorems that no single tactic closes.
        errors: theorems whose search could not start or whose proof could not be judged; they count as attempted.
        rejected: theorems whose proof the judge refused.
        seconds, lean_calls, tokens: sums over all attempts.
    """

    prover: str
    proved: int
    attempted: int
    hard_proved: int
    hard_attempted: int
    errors: int
    rejected: int
    seconds: float
    lean_calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Report:
    """What an evaluation found: the table, every attempt behind it, and the theorems that no single tactic closes."""

    rows: tuple[Row, ...]
    attempts: tuple[Attempt, ...]
    budget: SearchBudget
    hard: frozenset[Key]


def evaluate(
    provers: Sequence[Prover],
    theorems: Sequence[StoredTheorem],
    budget: SearchBudget,
    *,
    baseline: str | None = None,
    results_path: Path | None = None,
    on_attempt: Callable[[Attempt], None] | None = None,
    batch: int = 16,
) -> Report:
    """Give every theorem to every prover, each at the same ``budget``.

    A batch of theorems goes to one prover after the other: enough theorems that a policy has many goals to answer at
    once, few enough that Lean still keeps their files from one prover to the next.

    Args:
        baseline: name of the prover whose list of tactics decides which theorems are hard: those that it does not prove
            in one step. It tries its whole list on the first state before it goes on.
        results_path: the JSON Lines file of attempts; those that stand in it with the same budget are not made again.
        on_attempt: told of each attempt as it ends, also of those read from ``results_path``.
        batch: theorems in a batch.
    """
    attempts = {(one.prover, one.key): one for one in read_attempts(results_path) if one.budget == asdict(budget)}
    told = on_attempt or (lambda _: None)
    for start in range(0, len(theorems), batch):
        some = theorems[start : start + batch]
        for prover in provers:
            known = [one for one in some if (prover.name, theorem_key(one)) in attempts]
            for theorem in known:
                told(attempts[prover.name, theorem_key(theorem)])
            missing = [theorem for theorem in some if theorem not in known]
            for result in prover.with_budget(budget).prove_all(missing):
                attempt = _attempt(result, budget)
                if results_path is not None:
                    _append(results_path, attempt)
                attempts[prover.name, attempt.key] = attempt
                told(attempt)
    in_order = {
        prover.name: [attempts[prover.name, theorem_key(theorem)] for theorem in theorems] for prover in provers
    }
    hard = frozenset(one.key for one in in_order.get(baseline or "", ()) if not (one.proved and one.steps == 1))
    rows = tuple(_row(name, ours, hard) for name, ours in in_order.items())
    return Report(rows, tuple(one for ours in in_order.values() for one in ours), budget, hard)


def read_attempts(path: Path | None) -> list[Attempt]:
    """The attempts in a JSON Lines file; none when there is no file. A last line cut off by a kill is cut off here."""
    if path is None or not path.is_file():
        return []
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        write_atomically(path, whole)
    return [Attempt(**json.loads(line)) for line in whole.decode().splitlines()]


def _append(path: Path, attempt: Attempt) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(attempt), ensure_ascii=False) + "\n")


def _attempt(result: ProofResult, budget: SearchBudget) -> Attempt:
    url, commit, file_path, full_name = theorem_key(result.theorem)
    return Attempt(
        prover=result.prover,
        url=url,
        commit=commit,
        file_path=file_path,
        full_name=full_name,
        status=result.status,
        proof=result.proof,
        steps=len(result.search.script),
        expansions=result.search.expansions,
        lean_calls=result.lean_calls,
        tokens=result.search.tokens,
        seconds=result.seconds,
        message=result.message,
        budget=asdict(budget),
    )


def _row(prover: str, attempts: Sequence[Attempt], hard: frozenset[Key]) -> Row:
    return Row(
        prover=prover,
        proved=sum(one.proved for one in attempts),
        attempted=len(attempts),
        hard_proved=sum(one.proved for one in attempts if one.key in hard),
        hard_attempted=sum(one.key in hard for one in attempts),
        errors=sum(one.status == "error" for one in attempts),
        rejected=sum(one.status == "rejected" for one in attempts),
        seconds=sum(one.seconds for one in attempts),
        lean_calls=sum(one.lean_calls for one in attempts),
        tokens=sum(one.tokens for one in attempts),
    )
