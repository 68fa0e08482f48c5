"""Agents over the mock server: set up, train, prove, evaluate."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lean_agent.agent.base import MIXTURE, BaseAgent
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.learnt_steps import STEPS, LearntSteps
from lean_agent.agent.run_folder import RunFolder
from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.errors import ConfigError, RepositoryNotFound
from lean_agent.evaluation.results import is_results
from lean_agent.evaluation.summary import rows
from lean_agent.improvement import ImproveConfig
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import LeanProject
from lean_agent.policy.base import TacticExample
from lean_agent.policy.mock import MockPolicy
from lean_agent.prompts import HelpSettings
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.mixed import CLOSER_HELP, LEAST_TACTICS, for_policy, help_for
from lean_agent.prover.provers import Prover, place_of
from lean_agent.prover.searches.best_step import BestStepSettings
from lean_agent.tracing import Repository
from lean_agent.trainer.repositories import MergedDataExporter


class Trainer:
    """Writes down what it is asked to do."""

    model_path = "nowhere"

    def __init__(self) -> None:
        self.trained: list[tuple[list[str], Path]] = []
        self.projects: Mapping[tuple[str, str], LeanProject] = {}
        self.server: object = None

    def set_server(self, server: object, projects: Mapping[tuple[str, str], LeanProject]) -> None:
        self.server, self.projects = server, projects

    def train(self, repos: Sequence[Repository], database: MergedDataExporter, data_path: Path) -> None:
        database.export_merged_data(repos, data_path)
        self.trained.append(([repo.name for repo in repos], data_path))


class MockAgent(BaseAgent):
    """Proves with a table."""

    def prover(self, **options: Any) -> Prover:
        policy = MockPolicy({}, default=["intro p q h", "exact h.2"])
        return Prover("mock", policy, self.lean, **{"database": self.database, **options})


MakeAgent = Callable[..., MockAgent]


@pytest.fixture
def make_agent(server: MockLeanServer, tmp_path: Path) -> Iterator[MakeAgent]:
    def make(**options: Any) -> MockAgent:
        return MockAgent(**{"lean": server, "runs_dir": tmp_path / "runs", "progress": False, **options})

    yield make


def test_a_local_repository_is_traced_and_its_open_theorems_are_known(make_agent: MakeAgent, repository: Path) -> None:
    with make_agent() as agent:
        traced = agent.setup_local_repository(repository)
        assert [theorem.full_name for theorem in traced.theorems] == ["identity", "second", "hopeless"]
        assert [theorem.full_name for theorem in agent.open_theorems()] == ["second", "hopeless"]
        agent.setup_local_repository(repository)
        assert len(agent.repositories) == 1


def test_an_address_is_cloned_into_the_agent_s_own_cache(
    make_agent: MakeAgent, repository: Path, tmp_path: Path
) -> None:
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *arguments], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    with make_agent(cache_dir=tmp_path / "own") as agent:
        for commit in (None, head):
            traced = agent.setup_github_repository(url=f"file://{repository}", commit=commit)
            assert traced.repository.commit == head
        assert traced.repository.path.is_relative_to(tmp_path / "own")
        assert len(agent.repositories) == 1
        assert (tmp_path / "own" / "database.sqlite").is_file()


def test_nothing_is_done_before_a_repository_is_set_up(make_agent: MakeAgent, repository: Path) -> None:
    agent = make_agent(trainer=Trainer())
    for step in (agent.train, agent.prove, agent.evaluate, agent.open_theorems):
        with pytest.raises(ConfigError, match="setup_local_repository"):
            step()
    with pytest.raises(RepositoryNotFound):
        agent.setup_local_repository(repository / "nowhere")
    assert not (repository.parent.parent / "runs").exists()


def test_the_trainer_gets_repositories_database_and_lean(
    make_agent: MakeAgent, repository: Path, server: MockLeanServer
) -> None:
    trainer = Trainer()
    with make_agent(trainer=trainer) as agent:
        agent.setup_local_repository(repository)
        agent.train()
        assert trainer.trained == [([repository.name], agent.run.data)]
        assert (agent.run.data / "random" / "train.json").is_file()
        assert trainer.server is server
        assert [project.root for project in trainer.projects.values()] == [repository]
        known = agent.repositories[0].repository
        assert list(trainer.projects) == [(f"local:{repository.name}", known.commit)]


def test_an_agent_without_a_trainer_says_so(make_agent: MakeAgent, repository: Path) -> None:
    with make_agent() as agent:
        agent.setup_local_repository(repository)
        with pytest.raises(ConfigError, match="no trainer"):
            agent.train()


def test_proofs_are_returned_printed_stored_and_written(
    make_agent: MakeAgent, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with make_agent() as agent:
        agent.setup_local_repository(repository)
        results = agent.prove()
        assert [(result.theorem.full_name, result.proved) for result in results] == [
            ("second", True),
            ("hopeless", False),
        ]
        assert results[0].search.script == ("intro p q h", "exact h.2")
        assert results[0].path == agent.run.proofs / place_of(results[0].theorem, ".lean")
        assert [proof.full_name for proof in agent.database.proofs()] == ["second"]
        before = (repository / "A.lean").read_text(encoding="utf-8").splitlines()
        after = results[0].path.read_text(encoding="utf-8").splitlines()
        assert [*after[:5], "  sorry", *after[7:]] == before
        assert after[5:7] == ["  intro p q h", "  exact h.2"]
    printed = capsys.readouterr().out
    assert "3 theorems in 1 file, 2 of them open, 2 tactics" in printed
    assert "1 of 2 open theorems proved and verified." in printed
    assert "hopeless" not in printed


def test_the_whole_list_and_another_place(
    make_agent: MakeAgent, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with make_agent() as agent:
        agent.setup_local_repository(repository)
        config = SearchConfig(budget=SearchBudget(expansions=1))
        results = agent.prove(config=config, output_dir=tmp_path / "out", whole_list=True, policy="own")
        assert [result.status for result in results] == ["budget", "failed"]
        assert not (tmp_path / "out").exists()
    assert "hopeless" in capsys.readouterr().out


def test_an_evaluation_writes_its_report(
    make_agent: MakeAgent, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with make_agent() as agent:
        agent.setup_local_repository(repository)
        report = agent.evaluate(budget=SearchBudget(expansions=4), notes="Noted.")
        assert [(row.prover, row.proved, row.attempted) for row in rows(report)] == [("scripted", 1, 2), ("mock", 1, 2)]
        assert {key[3] for key in report.hard} == {"second", "hopeless"}
        assert "Noted." in (agent.run.path / "report.md").read_text(encoding="utf-8")
        assert [path.name for path in (agent.run.proofs / "policy").rglob("*.lean")] == ["second.lean"]
        printed = capsys.readouterr().out
        assert str(agent.run.path) in printed.replace("\n", "")
        assert "1/2" in printed


def test_a_benchmark_by_name_needs_no_set_up(make_agent: MakeAgent, repository: Path) -> None:
    with make_agent() as agent:
        report = agent.evaluate("sorries", source=str(repository), budget=SearchBudget(expansions=4), seeds=range(3))
        assert [(row.prover, row.proved, row.attempted) for row in rows(report)] == [("scripted", 1, 2), ("mock", 1, 2)]
        assert {(one.group, one.seed) for one in report.attempts} == {(repository.name, 0)}, "nobody draws at random"
        assert is_results(agent.run.path)
        with pytest.raises(ConfigError, match="There are jsonl, lean-core"):
            agent.evaluate("nothing")


def test_a_server_that_was_given_stays_open_and_closing_twice_is_harmless(
    make_agent: MakeAgent, server: MockLeanServer
) -> None:
    with make_agent() as agent:
        agent.close()
    assert server.goal_start("True").goals


def test_the_model_is_the_trainer_s_or_the_one_that_was_given(server: MockLeanServer) -> None:
    assert HFAgent(Trainer(), lean=server).model_path == "nowhere"
    assert HFAgent(Trainer(), lean=server, model="elsewhere").model_path == "elsewhere"
    with pytest.raises(ConfigError, match="no model"):
        HFAgent(lean=server).model_path  # noqa: B018
    with pytest.raises(ConfigError, match="at least one Lean process"):
        HFAgent(Trainer(), workers=0)


def test_an_agent_without_a_model_tries_neighbours_and_closing_tactics(
    server: MockLeanServer, repository: Path, tmp_path: Path
) -> None:
    with ScriptedAgent(lean=server, runs_dir=tmp_path / "runs", progress=False) as agent:
        agent.setup_local_repository(repository)
        # `intro x` is in the list, and what is left after it is a hypothesis
        assert [result.status for result in agent.prove()] == ["proved", "failed"]
        assert agent.evaluate(budget=SearchBudget(expansions=1)).provers == ("scripted",)


def test_a_mixture_begins_with_the_weights_of_the_last_one(
    server: MockLeanServer, repository: Path, tmp_path: Path
) -> None:
    def weights(text: str | None = None, **options: Any) -> dict[str, float]:
        with ScriptedAgent(lean=server, runs_dir=tmp_path / "runs", progress=False) as agent:
            agent.setup_local_repository(repository)
            if text is not None:
                agent.run.write_text(MIXTURE, text)
            agent.prove(**options)
            kept = agent.run.path / MIXTURE
            return json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}

    alone = SearchConfig(remember=False)  # proofs move no weights
    assert weights(policy="own") == {}
    assert weights(config=alone) == pytest.approx({"neighbours": 2 / 34, "closers": 32 / 34}), "1 to 16"
    given = '{"neighbours": 3, "closers": 1}'
    assert weights(given, config=alone) == pytest.approx({"neighbours": 0.75, "closers": 0.25})
    assert weights(policy="neighbours") == {"neighbours": 1.0}, "other sources, other weights"
    assert weights(config=alone) == pytest.approx({"neighbours": 0.75, "closers": 0.25})
    for damaged in ('{"neighbours": 3, "clo', '{"neighbours": -1, "closers": NaN}', "[1]"):
        assert weights(damaged, config=alone)["closers"] == pytest.approx(0.25), "the one before it counts"
    assert weights()["closers"] > 0.25, "what is proved by a closing tactic counts for these"


@pytest.mark.parametrize(("given", "mixture", "neighbours"), [({}, 0.0, None), ({"length_exponent": 0.3}, 0.3, 0.3)])
def test_a_mixture_is_ranked_by_plain_probabilities_unless_told_otherwise(
    given: dict[str, Any], mixture: float, neighbours: float | None
) -> None:
    config = SearchConfig(tactics_per_node=8, **given)
    assert for_policy(config, "own") == config
    wide = [for_policy(config, policy) for policy in ("mixture", "neighbours")]
    assert [each.settings for each in wide] == [
        BestStepSettings(length_exponent=mixture, twins=True, intro_first=True),
        BestStepSettings(length_exponent=neighbours),
    ]
    off = for_policy(SearchConfig(twins=False, intro_first=False), "mixture").settings.changed()
    assert (off["twins"], off["intro_first"]) == (False, False)
    assert [each.tactics_per_node for each in wide] == [LEAST_TACTICS] * 2
    for calls, tactics in ((16, 32), (64, 32), (512, 256), (10_000, 256)):
        config = SearchConfig(budget=SearchBudget(lean_calls=calls))
        assert for_policy(config, "mixture", with_model=False).tactics_per_node == tactics
        assert for_policy(config, "mixture").tactics_per_node == LEAST_TACTICS
    assert (
        for_policy(SearchConfig(search="best_first"), "mixture").settings == SearchConfig(search="best_first").settings
    )


def test_a_mixture_knows_what_runs_before_have_solved(server: MockLeanServer, repository: Path, tmp_path: Path) -> None:
    def steps(text: str | None = None, **options: Any) -> list[str]:
        with ScriptedAgent(lean=server, runs_dir=tmp_path / "runs", progress=False) as agent:
            agent.setup_local_repository(repository)
            if text is not None:
                agent.run.write_text(STEPS, text)
            agent.prove(**options)
            kept = agent.run.path / STEPS
            return [json.loads(line)["tactic"] for line in kept.read_text().splitlines()] if kept.exists() else []

    assert steps(config=SearchConfig(remember=False)) == []
    solved = steps()
    assert solved
    known = json.dumps({"goal": "⊢ q", "tactic": "exact known"}) + "\n"
    assert "exact known" not in solved
    again = steps(known)
    assert again[0] == "exact known"
    assert len(again) > 1, "and what this run has solved"
    for text in (known + '{"goal": "⊢ r", "tac', None):
        assert steps(text)[: len(again)] == again, "the one before it counts, each step once"


def test_steps_that_name_what_is_not_there_are_kept_and_not_used(tmp_path: Path) -> None:
    plain, own, other = (
        TacticExample("⊢ p", tactic)
        for tactic in ("intro x; simp", "induction x <;> grind [Tree.flip, ht]", "exact Heap.link_pop")
    )
    first = LearntSteps(RunFolder(tmp_path / "1"), {"flip", "Tree.flip", "h"})
    first.keep([plain, own])
    second = LearntSteps(RunFolder(tmp_path / "2"), {"link_pop", "Heap.link_pop"})
    assert second.usable() == [plain]
    second.keep([other])
    assert LearntSteps(RunFolder(tmp_path / "3"), {"flip", "Tree.flip"}).usable() == [plain, own], "nothing was lost"
    assert second.usable() == [plain, other]
    early = LearntSteps(RunFolder(tmp_path / "other" / "4"), set())
    early.run.write_text(STEPS, json.dumps({"goal": "⊢ p", "tactic": "exact Heap.link_pop"}) + "\n")
    assert early.usable() == [other], "names were not written down"


def test_an_agent_without_a_model_practises_with_the_mixture(
    server: MockLeanServer, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = ImproveConfig(policy="own", strategies=("supervised",), development=1, search=SearchConfig())
    run = RunFolder(tmp_path / "run")
    with ScriptedAgent(lean=server, database=tmp_path / "db.sqlite", run=run, progress=False) as agent:
        agent.setup_local_repository(repository)
        report = agent.improve(rounds=2, config=config)
        first, second = report.rounds[1:]
        assert (first.practised, first.proved, second.practised) == (2, 1, 1) and not report.has_trained
        assert [proof.full_name for proof in agent.database.found_proofs()] == ["second"]
        assert (run.path / STEPS).read_text("utf-8").count("\n") >= 2
        known = (run.path / STEPS).read_bytes()
        assert agent.improve(rounds=2, config=config) == report
        assert (run.path / STEPS).read_bytes() == known, "the same call again changes nothing"
    with ScriptedAgent(
        lean=server, database=tmp_path / "db.sqlite", run=RunFolder(tmp_path / "2"), progress=False
    ) as agent:
        agent.setup_local_repository(repository)
        (_, entry) = agent.improve(rounds=1, practice=["second"], config=config).rounds
        assert entry.practised == 0 and "every theorem has a proof" in capsys.readouterr().out


@pytest.mark.parametrize("module", ["agent.hf_agent", "agent.scripted_agent", "improvement.loop"])
def test_agents_and_practice_need_no_token_and_bring_no_torch(module: str) -> None:
    code = f"import sys, lean_agent.{module}; sys.exit('torch' in sys.modules)"
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], env=environment, check=False).returncode == 0


def test_premises_that_are_asked_for_are_chosen_as_those_of_a_mixture_are() -> None:
    assert help_for("mixture", HelpSettings(), premises=3) == replace(CLOSER_HELP, premises=3)
    assert help_for("mixture", HelpSettings(), retriever="bm25") == replace(CLOSER_HELP, retriever="bm25")
    trained = HelpSettings(premises=4, retriever="folder")
    assert help_for("mixture", trained, premises=2) == HelpSettings(premises=2, retriever="folder")
    assert help_for("own", HelpSettings(), premises=3) == HelpSettings(premises=3), "a model knows no names"
    assert not help_for("neighbours", HelpSettings())
