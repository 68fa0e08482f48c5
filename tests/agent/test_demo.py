"""The demo over the mock server: every stage for real but Lean, interrupted and taken up again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lean_agent.agent.demo import STAGES, DemoConfig, demo_repositories, run_demo
from lean_agent.errors import ConfigError
from lean_agent.evaluation.summary import rows
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState, TracedFile
from lean_agent.tracing.project.sources import find_repositories

QUICK = DemoConfig(
    sft_epochs=1, sft_batch=2, grpo_steps=1, grpo_goals=1, grpo_group=2, expansions=2, lean_calls=8, max_tactic_tokens=8
)


class Interrupted(MockLeanServer):
    """Ctrl-C at the ``last``-th batch of tactics."""

    def __init__(self, last: int, source: MockLeanServer) -> None:
        super().__init__()
        self.__dict__.update(source.__dict__)
        self._left = last

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left -= 1
        return super().goal_tactics(pairs, timeout_s=timeout_s)


def test_the_demo_goes_on_where_it_was_interrupted(
    repository: Path, server: MockLeanServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options: dict[str, Any] = {"runs_dir": tmp_path / "runs", "progress": False}
    # One batch is for GRPO's reward, the next are the first prover's.
    with pytest.raises(KeyboardInterrupt):
        run_demo(QUICK, repository.parent, lean=Interrupted(2, server), **options)
    (folder,) = (tmp_path / "runs").glob("*-demo")
    stages = json.loads((folder / "stages.json").read_text(encoding="utf-8"))
    assert list(stages) == list(STAGES[:4])
    trained = {path: path.stat().st_mtime_ns for path in (folder / "checkpoints").rglob("*.safetensors")}
    assert len(trained) >= 3
    capsys.readouterr()

    report = run_demo(QUICK, repository.parent, lean=server, **options)
    assert f"Going on in {folder}" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in trained} == trained
    assert [row.prover for row in rows(report)] == ["closing tactics", "untrained model", "after SFT", "after GRPO"]
    assert all(row.attempted == 2 and row.rejected == row.errors == 0 for row in rows(report))
    assert rows(report)[0].tokens == 0
    assert all(row.tokens > 0 for row in rows(report)[1:])
    assert all(attempt.expansions <= 2 and attempt.lean_calls <= 9 for attempt in report.attempts)
    assert {"config.yaml", "versions.json", "log.txt", "report.md", "report.json", "report.html"} <= {
        path.name for path in folder.iterdir()
    }
    assert "Stage done: supervised training" in (folder / "log.txt").read_text(encoding="utf-8")

    class Stopped(MockLeanServer):
        def trace_file(self, *_: Any) -> TracedFile:
            raise KeyboardInterrupt

    # That run is finished: the next one is a new one.
    with pytest.raises(KeyboardInterrupt):
        run_demo(QUICK, repository.parent, lean=Stopped(), **options)
    assert len(list((tmp_path / "runs").glob("*-demo"))) == 2


def test_the_demo_says_where_its_repositories_should_be(tmp_path: Path, repository: Path) -> None:
    assert find_repositories(repository.parent) == [repository]
    with pytest.raises(ConfigError, match="--repos"):
        find_repositories(tmp_path / "nowhere")
    assert {path.name for path in find_repositories(None)} >= {"arithmetic", "logic", "order"}


def test_the_demo_works_on_four_of_the_repositories_that_ship(repository: Path) -> None:
    assert [path.name for path in demo_repositories(QUICK, None)] == ["arithmetic", "lists", "logic", "structures"]
    assert demo_repositories(QUICK, repository.parent) == [repository]
    with pytest.raises(ConfigError, match="None of the repositories nowhere"):
        demo_repositories(replace(QUICK, repositories=("nowhere",)), None)
