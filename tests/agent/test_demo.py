"""The demo over the mock server: every stage for real but Lean, interrupted and taken up again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lean_agent.agent.demo import GRPO, STAGES, Demo, DemoConfig, conclusion, demo_repositories, run_demo
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.run_folder import RunFolder
from lean_agent.database import DynamicDatabase
from lean_agent.errors import ConfigError
from lean_agent.evaluation.evaluate import Attempt, Report
from lean_agent.evaluation.summary import rows
from lean_agent.improvement.report import ImproveReport, Measure, RoundReport
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState, TracedFile
from lean_agent.policy.model_files import record_help
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.prover.config import SearchBudget
from lean_agent.prover.mixed import FILLED_IN
from lean_agent.tracing.project.sources import find_repositories

QUICK = DemoConfig(
    epochs=1, sft_batch=2, rounds=1, practice_epochs=1, grpo_steps=1, grpo_goals=1, grpo_group=2, expansions=2,
    lean_calls=8, practice_calls=8, max_tactic_tokens=8,
)  # fmt: skip
PROVERS = ["closing tactics", "neighbours", "model after SFT", "model after practice", "model after GRPO", "mixture"]


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
    config = replace(QUICK, grpo=True)
    # The first batches are closing tactics', beside the training, and neighbours'; one is for GRPO's reward, the next
    # are practice's, then the models'.
    with pytest.raises(KeyboardInterrupt):
        run_demo(config, repository.parent, lean=Interrupted(1, server), **options)
    (folder,) = (tmp_path / "runs").glob("*-demo")
    stages = json.loads((folder / "stages.json").read_text(encoding="utf-8"))
    assert list(stages) == ["tracing", "model"]
    with pytest.raises(KeyboardInterrupt):
        run_demo(config, repository.parent, lean=Interrupted(8, server), **options)
    stages = json.loads((folder / "stages.json").read_text(encoding="utf-8"))
    assert list(stages) == ["tracing", "model", "supervised training", GRPO]
    trained = {path: path.stat().st_mtime_ns for path in (folder / "checkpoints").rglob("*.safetensors")}
    assert len(trained) >= 3
    with pytest.raises(KeyboardInterrupt):
        run_demo(config, repository.parent, lean=Interrupted(4, server), **options)
    stages = json.loads((folder / "stages.json").read_text(encoding="utf-8"))
    assert list(stages) == list(STAGES[:-1])
    capsys.readouterr()

    report = run_demo(config, repository.parent, lean=server, **options)
    printed = capsys.readouterr().out
    assert f"Going on in {folder}" in printed and "[6/6] search" in printed
    assert "At the start: no development set." in printed
    assert {path: path.stat().st_mtime_ns for path in trained} == trained
    assert [row.prover for row in rows(report)] == PROVERS
    assert all(row.attempted == 1 and row.rejected == row.errors == 0 for row in rows(report))
    assert [row.tokens > 0 for row in rows(report)][:-1] == [False, False, True, True, True]
    assert all(attempt.expansions <= 2 and attempt.lean_calls <= 9 for attempt in report.attempts)
    assert {"config.yaml", "versions.json", "log.txt", "report.md", "report.json", "report.html", "practice"} <= {
        path.name for path in folder.iterdir()
    }
    assert "Stage done: supervised training" in (folder / "log.txt").read_text(encoding="utf-8")
    # What is measured was never practised, and the report ends as the program does.
    (measured,) = {attempt.full_name for attempt in report.attempts}
    lines = (folder / "practice" / "rounds" / "01" / "attempts.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["full_name"] for line in lines} == {"second", "hopeless"} - {measured}
    assert conclusion(report) in printed and conclusion(report) in (folder / "report.md").read_text(encoding="utf-8")

    class Stopped(MockLeanServer):
        def trace_file(self, *_: Any) -> TracedFile:
            raise KeyboardInterrupt

    # That run is finished: the next one is a new one.
    with pytest.raises(KeyboardInterrupt):
        run_demo(QUICK, repository.parent, lean=Stopped(), **options)
    assert "[1/5] tracing" in capsys.readouterr().out, "without GRPO, which nobody asked for"
    assert len(list((tmp_path / "runs").glob("*-demo"))) == 2


def test_models_are_shown_what_they_were_trained_with(server: MockLeanServer, tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "runs", "demo", {})
    practised = tmp_path / "practised"
    for folder in (practised, run.checkpoints / "sft"):
        make_tiny_model(["⊢ p", "simp"], folder, hidden_size=64, seed=0)
    record_help(FILLED_IN, practised)
    measure = Measure(str(practised), 1.0, (), 0, {})
    report = ImproveReport((RoundReport(0, measure, kept=True, trained=True),), 0, 0)
    with DynamicDatabase(tmp_path / "db") as database, HFAgent(lean=server, database=database, run=run) as agent:
        demo = Demo(QUICK, run, lean=server, progress=False)
        shown = {prover.name: prover._shown for prover in demo._provers(agent, [], report)}
    assert shown["closing tactics"] is shown["neighbours"] is shown["model after SFT"] is None
    assert (help_ := shown["model after practice"]) is not None and help_.settings == FILLED_IN
    assert shown["mixture"] is help_, "whose model writes the same schemes"


def test_the_end_says_what_is_ahead_by_the_paired_interval() -> None:
    """Of 20 theorems the mixture proves all, neighbours the first 19, closing tactics 10, the models 8 and 9."""

    def attempt(prover: str, place: int, count: int) -> Attempt:
        status = "proved" if place < count else "failed"
        return Attempt(prover, "u", "c", "A.lean", f"t{place}", status, "", 1, 1, 5, 0, 0.1, "", {})

    counts = {"closing tactics": 10, "neighbours": 19, "model after SFT": 8, "model after practice": 9, "mixture": 20}
    attempts = tuple(attempt(prover, place, count) for prover, count in counts.items() for place in range(20))
    sentence, _, *lines = conclusion(Report(tuple(counts), attempts, SearchBudget(8, 64), frozenset())).splitlines()
    assert sentence == (
        "At equal Lean calls the mixture is ahead of closing tactics, model after SFT, model after practice; not told "
        "apart from neighbours. The model after practice is not told apart from the model after SFT."
    )
    # One theorem of 20 apart: drawn anew it is missed in 0.95 ** 20 = 36 % of the samples, and met 3 times at most.
    assert lines[1] == "- mixture − neighbours: 20 − 19 of 20, +5.0 points (95 % +0.0 to +15.0), 1 won and 0 lost"
    assert lines[-1].startswith("- model after practice − model after SFT: 9 − 8 of 20, +5.0 points")
    swapped = {"model after practice": "mixture", "mixture": "model after practice"}
    other = tuple(replace(entry, prover=swapped.get(entry.prover, entry.prover)) for entry in attempts)
    words = conclusion(Report(tuple(counts), other, SearchBudget(8, 64), frozenset()))
    assert "behind neighbours, model after practice" in words
    assert "The model after practice is ahead of the model after SFT." in words


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
