"""A benchmark in one module, as CONTRIBUTING.md says, run by `lean-agent evaluate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lean_agent.cli.main import app
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import LeanProject, Position, TracedFile, TracedTheorem

HERE = Path(__file__).resolve().parent
LESSONS = """\
2 | theorem swap : ∀ p q : Prop, p ∧ q → q ∧ p
1 | theorem easy : True
3 | theorem wrong : ∀ p : Prop, p
"""
STATEMENTS = {"swap": "∀ (p q : Prop), p ∧ q → q ∧ p", "easy": "True", "wrong": "∀ (p : Prop), p"}


class Server(MockLeanServer):
    """Traces a file with one open theorem."""

    def __init__(self, workers: int, lean: str | None = None) -> None:
        super().__init__(STATEMENTS)

    def trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        text = (project.root / file_path).read_text(encoding="utf-8").rstrip("\n")
        statement, _, proof = text.partition(" := ")
        name, place = statement.split()[1], Position(1, 0)
        theorem = TracedTheorem(
            *(name, statement, proof, "tactic", True, STATEMENTS[name], name, 0, len(text.encode())),
            start_pos=place,
            end_pos=place,
        )
        return TracedFile(file_path, file_path.removesuffix(".lean"), (), (theorem,), (), (), 0.1, 0.1)


@pytest.fixture
def evaluated(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run `lean-agent evaluate lessons:load` and return report.json."""
    monkeypatch.syspath_prepend(HERE)
    (tmp_path / "lessons.txt").write_text(LESSONS, encoding="utf-8")

    def evaluate(*options: str, server: Any = None) -> dict[str, Any]:
        words = ["evaluate", "lessons:load", str(tmp_path / "lessons.txt"), "--json", "--lean-calls", "200", *options]
        done = CliRunner().invoke(app, [*words, "--output", str(tmp_path / "out")], obj=server)
        assert done.exit_code == 0, done.output
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    return evaluate


def test_a_benchmark_of_one_module_on_the_mock(evaluated: Any) -> None:
    report = evaluated(server=Server)
    (row,) = report["rows"]
    assert (row["prover"], row["attempted"], row["proved"]) == (
        "scripted",
        3,
        2,
    )  # `easy` by one tactic, `swap` by several


@pytest.mark.lean
def test_a_benchmark_of_one_module_on_lean(evaluated: Any) -> None:
    report = evaluated("--limit", "1", "--workers", "1")
    (row,) = report["rows"]
    assert (row["attempted"], row["proved"]) == (1, 1)  # of the easiest to the hardest, the first
