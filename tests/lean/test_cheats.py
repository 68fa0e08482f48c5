"""Those who would fool the judge. Every verdict here comes from real Lean.

``cheats/*.lean`` holds one cheat a file: the file as its repository has it, with the cheating proof where its open one
stands, and in the header what is tried and which verdicts are right.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lean_agent.lean.embedded.install import install
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process.process import LeanProcess
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.rewards import (
    BaseRewardScorer,
    RewardLevels,
    VerifiedScorer,
    VerifiedTacticReward,
    available_scorers,
    create_composite_scorer,
    get_scorer,
)
from lean_agent.trajectory import REFUSED_CHEATS, ProofStep, ProofTrajectory

pytestmark = pytest.mark.lean

FOLDER = Path(__file__).with_name("cheats")
BEGIN, END = " -- proof:\n", "\n-- end of proof\n"
URL, COMMIT = "file:///cheats", "c0ffee"
HEAVY_S = 3.0  # what a verdict on a proof that takes for ever may take


@dataclass(frozen=True)
class Cheat:
    """A cheat as its file tells it. ``source`` is the repository's file, where the theorem is open."""

    name: str
    source: str
    proof: str
    verdicts: frozenset[str]
    theorem: str
    is_broken: bool

    @property
    def position(self) -> int:
        """The byte where the one tactic of the open proof stands."""
        head, _, _ = self.source.partition("by\n  sorry\n")
        return len(head.encode()) + len("by\n  ")

    @property
    def tactic(self) -> str:
        """The proof as a model's answer to the theorem's first state."""
        return re.sub(r"\Aby\s+", "", self.proof) if self.proof.startswith("by") else f"exact {self.proof}"


def read(path: Path) -> Cheat:
    text = path.read_text("utf-8")
    head, rest = text.split(BEGIN)
    proof, tail = rest.split(END)
    verdicts = re.search(r"^verdict: (.+)$", text, re.M)
    assert verdicts is not None
    namespace = re.search(r"^namespace (\w+)$(?!(?s:.*)^end \1$)", head, re.M)  # the one that is still open there
    theorem = f"{namespace[1]}.target" if namespace else "target"
    return Cheat(
        path.stem,
        f"{head} by\n  sorry\n{tail}",
        proof,
        frozenset(verdicts[1].split(", ")),
        theorem,
        is_broken="\nfile: has errors" in text,
    )


CHEATS = [read(path) for path in sorted(FOLDER.glob("*.lean"))]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    root = tmp_path_factory.mktemp("cheats")
    for cheat in CHEATS:
        (root / f"{cheat.name}.lean").write_text(cheat.source, encoding="utf-8")
    return LeanProject(root=root, build=tmp_path_factory.mktemp("build"))


class KeepingScorer(VerifiedScorer):
    """The default, which keeps the attempt that it scored last."""

    attempt: ProofTrajectory

    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, dict[str, float]]:
        self.attempt = trajectory
        return super().score(trajectory, **kwargs)


@pytest.fixture(scope="module")
def scorer() -> KeepingScorer:
    return KeepingScorer()


@pytest.fixture(scope="module")
def reward(lean: LeanPool, project: LeanProject, scorer: KeepingScorer) -> Iterator[VerifiedTacticReward]:
    reward = VerifiedTacticReward(lean, {(URL, COMMIT): project}, scorer=scorer, timeout_s=HEAVY_S)
    yield reward
    reward.close()


def test_there_are_many_of_them() -> None:
    assert len(CHEATS) >= 40
    assert all(cheat.verdicts and "accepted" not in cheat.verdicts for cheat in CHEATS)


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_a_cheat_is_refused_and_earns_no_more_than_an_honest_failure(
    lean: LeanPool, project: LeanProject, reward: VerifiedTacticReward, scorer: KeepingScorer, cheat: Cheat
) -> None:
    site = TheoremSite(project, f"{cheat.name}.lean", cheat.theorem)
    traced = lean.trace_file(project, site.file_path)
    assert [error.text for error in traced.errors if not cheat.is_broken] == []  # or nothing was tried
    verdicts = []
    for whole_file in (False, True):
        verdict = lean.verify(site, cheat.proof, whole_file=whole_file, timeout_s=HEAVY_S)
        assert verdict.kind in cheat.verdicts, verdict
        assert not verdict.accepted
        assert verdict.reason
        verdicts.append(verdict)
    (earned,) = reward(
        [cheat.tactic],
        url=[URL],
        commit=[COMMIT],
        file_path=[f"{cheat.name}.lean"],
        full_name=[cheat.theorem],
        position=[cheat.position],
    ).tolist()
    assert earned <= RewardLevels().error

    # As a tactic, as Lean took it; and as an attempt that closed every goal, of which the judge said this.
    attempt = scorer.attempt
    closed = replace(attempt, steps=(ProofStep(cheat.tactic, attempt.start, ()),), outcome="rejected")
    judged = [replace(closed, verdict=verdict) for verdict in verdicts if verdict.kind in REFUSED_CHEATS]
    failure = replace(attempt, steps=(ProofStep(cheat.tactic, attempt.start, failure="error"),))
    scorers: dict[str, Callable[[], BaseRewardScorer]] = {
        **{name: partial(get_scorer, name) for name in available_scorers()},
        "composite": partial(create_composite_scorer, "shaped", "efficiency"),
    }
    for name, make in scorers.items():
        honest, _ = make().score(failure)
        for tried in (attempt, *judged):
            assert make().score(tried)[0] <= honest, (name, tried.steps, tried.verdict)


PAST_THE_KERNEL = ("trust_skip_kernel_in_the_file", "program_elab_unchecked")


def test_a_judge_that_nobody_checks_asks_the_kernel_itself() -> None:
    """No cheat of embedded Lean gets as far as this check alone: what goes past the kernel, an option or a program, is
    looked at by a second process. Native Lean has none, so the first one's own word is asked for here."""

    async def run() -> list[str]:
        process, kinds = await LeanProcess.start(install()), []
        try:
            for cheat in (cheat for cheat in CHEATS if cheat.name in PAST_THE_KERNEL):
                await process.request("open", timeout_s=60, file=cheat.name, module=["A"], text=cheat.source)
                asked: dict[str, Any] = {"file": cheat.name, "theorem": cheat.theorem, "proof": cheat.proof}
                for whole in (False, True):
                    answer = await process.request(
                        "verify", timeout_s=60, wholeFile=whole, axioms=[], export=False, **asked
                    )
                    kinds.append(answer["kind"])
            return kinds
        finally:
            await process.kill()

    assert asyncio.run(run()) == ["kernel"] * 2 * len(PAST_THE_KERNEL)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("statement_notation_of_the_file", "local notation"),
        ("statement_instance_of_the_file", "instance"),
        ("statement_private_and_public", "private def"),
    ],
)
def test_without_the_meaning_that_a_file_gives_a_statement_the_proof_is_accepted(
    lean: LeanPool, tmp_path: Path, name: str, own: str
) -> None:
    """So it is the statement's meaning that refuses these cheats, and nothing else."""
    (cheat,) = [cheat for cheat in CHEATS if cheat.name == name]
    lines = cheat.source.splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(own)]
    assert len(kept) == len(lines) - 1
    (tmp_path / "File.lean").write_text("".join(kept), encoding="utf-8")
    site = TheoremSite(LeanProject(tmp_path, tmp_path / "build"), "File.lean", cheat.theorem)
    assert lean.verify(site, cheat.proof, whole_file=True).accepted
