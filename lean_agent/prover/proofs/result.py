"""What came out of trying to prove a theorem: inert data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lean_agent.database import StoredTheorem
from lean_agent.database.records import FoundProof
from lean_agent.lean import html
from lean_agent.lean.types import Verdict
from lean_agent.prover.config import SearchResult
from lean_agent.prover.proofs.lemmas import Lemma

ProofStatus = Literal["proved", "conditional", "rejected", "failed", "budget", "unfinished", "error"]

TheoremKey = tuple[str, str, str, str]


def theorem_key(theorem: StoredTheorem | FoundProof) -> TheoremKey:
    """Return (url, commit, file, full name): what a theorem is known by, whatever its text."""
    return (theorem.repository.url, theorem.repository.commit, theorem.file_path, theorem.full_name)


@dataclass(frozen=True, slots=True)
class ProofResult(html.InNotebooks):
    """What came out for one theorem.

    Attributes:
        prover: the prover's name.
        search: the search's own account; its claim is worth nothing without ``verdict``.
        verdict: the judge's answer, where the search claimed a proof.
        proof: the ``by`` block that was found, accepted or not; empty when there is none.
        seconds: the search's share of wall time, its start included, and the wall time of the verification.
        lemmas: theorems that are open in the repository and proved by this run or one before it, which the proof uses,
            each behind those that it uses itself; the verdict holds where their proofs stand in their places.
        given: theorems that are left open and without which the proof is none, where the search could assume these
            (:attr:`~lean_agent.prover.config.SearchConfig.assume_open`); the judge has found nothing else to be
            missing.
        judge_calls: requests to Lean after the search: verifications, and what was tried to make the proof shorter. Of
            these the budget covers one verification.
        path: the file with the accepted proof in place, where proofs are written out.
        partial_path: the file in which the proof that its author has begun has fewer holes than before
            (:attr:`~lean_agent.prover.config.SearchResult.filled_draft`), where Lean finds no error in it.
        message: why there is no proof, or no file with it, in words, where that is not just the budget.
        likely_lemmas: full names of the theorems beside it that were to be proved, too, and are likely to help it.
    """

    theorem: StoredTheorem
    prover: str
    search: SearchResult
    verdict: Verdict | None = None
    proof: str = ""
    lemmas: tuple[Lemma, ...] = ()
    given: tuple[str, ...] = ()
    seconds: float = 0.0
    judge_calls: int = 0
    path: Path | None = None
    partial_path: Path | None = None
    message: str = ""
    likely_lemmas: tuple[str, ...] = ()

    @property
    def lemma(self) -> Lemma:
        """Return the theorem with its proof, for the proofs of others."""
        return Lemma.of(self.theorem, self.proof)

    @property
    def proved(self) -> bool:
        """Whether the judge has accepted a proof."""
        return self.verdict is not None and self.verdict.accepted

    @property
    def status(self) -> ProofStatus:
        """``proved``; ``conditional``: proved, given theorems that are left open; ``rejected``: the judge refused what
        the search had found; else how the search ended."""
        if self.search.status != "proved":
            return self.search.status
        if self.proved:
            return "proved"
        if self.given:
            return "conditional"
        return "rejected" if self.verdict else "error"

    @property
    def lean_calls(self) -> int:
        """Requests to Lean: those of the search and those after it."""
        return self.search.lean_calls + self.judge_calls

    def _repr_html_(self) -> str:
        lemmas = ", ".join(lemma.theorem.full_name for lemma in self.lemmas)
        cost = f"{self.lean_calls:,} Lean calls, {self.seconds:.1f} s"
        return html.stacked(
            f"{html.code(self.theorem.full_name)} {html.verdict(self.proved, self.status)} {html.faint(cost)}",
            html.code(self.proof),
            html.faint(f"uses {lemmas}") if lemmas else "",
            html.faint(self.message),
        )
