"""Strategies with a small model: each trains from the checkpoint that it is given, and goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.agent.hf_agent import HFAgent
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.database.splits import random_split
from lean_agent.errors import ConfigError, TrainingError
from lean_agent.improvement.config import ImproveConfig
from lean_agent.improvement.lessons import Lessons, lessons_of
from lean_agent.improvement.practice import Guard
from lean_agent.improvement.practice_data import PracticeData
from lean_agent.improvement.strategies import (
    Strategy,
    TrainingTask,
    attempts,
    check_settings,
    dpo,
    preference,
    supervised,
)
from lean_agent.lean.mock import MockLeanServer
from lean_agent.policy.base import Sampling
from lean_agent.policy.hf import HFPolicy
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.prover.saved.trees import SavedEdge, SavedNode, SavedSearch
from lean_agent.prover.tree.graph import Failure
from lean_agent.tracing import Repository
from lean_agent.trainer.progress_trainer import ProgressTrainer

STATEMENT = "∀ (p : Prop), p → p"
TRACED = next(f"t{n}" for n in range(99) if random_split(f"hash t{n}") == "train")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = ["⊢ a = a", "⊢ b = b", "rfl", "omega", f"⊢ {STATEMENT}", "intro p h", "exact h", "simp"]
    return make_tiny_model(texts, tmp_path_factory.mktemp("models") / "tiny", vocab_size=300, hidden_size=64, layers=1)


@pytest.fixture
def task(
    tiny: Path,
    tmp_path: Path,
    database: DynamicDatabase,
    repository: Repository,
    stored: Callable[..., list[StoredTheorem]],
) -> TrainingTask:
    """A traced proof and a search: at ⊢ a = a, `rfl` proves and `omega` fails."""
    stored((TRACED, "b = b", ("⊢ b = b", "simp")), sorry=False)
    (theorem,) = stored(("open", STATEMENT))
    node = SavedNode(
        0, 0, ("⊢ a = a",), "expanded", True, 0.0, 0,
        edges=(SavedEdge("rfl", -1.0, ()),), failures=(Failure("omega", -1.0, "error", "no"),),
    )  # fmt: skip
    search = SavedSearch("open", "A.lean", "p", "best_step", "proved", nodes=(node,))
    data = PracticeData(database, [repository], lessons_of([(theorem, search)], Guard([])), Guard([]))
    config = ImproveConfig(training={"lr": 5e-3, "epochs": 30}, max_tactic_tokens=8)
    server = MockLeanServer({"open": STATEMENT})
    return TrainingTask(str(tiny), tmp_path / "work", data, [theorem], server, config, progress=False)


def margin(model: str) -> float:
    """Return by which share more of the draws at ⊢ a = a are `rfl` than `omega`."""
    policy = HFPolicy(model, sampling=Sampling(max_new_tokens=8), max_rows=1024)
    (answers,) = policy.complete(["⊢ a = a"], 1024)
    texts = [answer.text for answer in answers]
    return (texts.count("rfl") - texts.count("omega")) / len(texts)


def test_supervised_learns_traced_and_found_steps(task: TrainingTask) -> None:
    model = supervised(task)
    assert model != task.start and Path(model).is_relative_to(task.folder)
    policy = HFPolicy(model, sampling=Sampling(max_new_tokens=8))
    answers = policy.suggest(["⊢ a = a", "⊢ b = b"], 8)
    assert [suggestions[0].tactic for suggestions in answers] == ["rfl", "simp"]
    assert supervised(task) == model, "nothing is left to do"


@pytest.mark.parametrize("strategy", [preference, dpo])
def test_preferences_move_the_model_to_what_proves(
    strategy: Strategy, task: TrainingTask, database: DynamicDatabase, repository: Repository
) -> None:
    model = strategy(task)
    assert Path(model).is_relative_to(task.folder)
    # 0.26 and 0.30, by 4,096 draws; four standard deviations of 1,024 are 0.06.
    assert margin(model) > margin(task.start) + 0.19
    none = replace(task, data=PracticeData(database, [repository], Lessons(), Guard([])))
    assert strategy(none) == task.start, "without pairs there is nothing to learn"


def test_strategies_take_the_weight_of_negatives(task: TrainingTask) -> None:
    """The settings of a strategy are its own: those of `dpo` are not asked of `preference`."""
    config = replace(
        task.config, training={"max_steps": 1}, of_strategy={"dpo": {"negative_weight": 0.5, "beta": 0.2, "lr": 1e-4}}
    )
    model = Path(dpo(replace(task, config=config)))
    settings = json.loads((model / "progress.json").read_text(encoding="utf-8"))["settings"]
    assert (settings["negative_weight"], settings["beta"], settings["learning_rate"]) == (0.5, 0.2, 1e-4)


def test_settings_that_cannot_work_are_refused_before_a_search(tiny: Path, tmp_path: Path) -> None:
    for alone, complaint in (
        ({"dpo": {"beat": 0.1}}, "Did you mean 'beta'"),
        ({"dpo": {"beta": 0.0}}, "beta"),
        ({"supervised": {"negative_weight": 0.5}}, "no setting 'negative_weight'"),
    ):
        with pytest.raises(ConfigError, match=complaint):
            check_settings(ImproveConfig(strategies=("supervised", "dpo"), of_strategy=alone))
    check_settings(ImproveConfig(strategies=("supervised", "preference", "dpo", "attempts")))
    agent = HFAgent(ProgressTrainer(tiny, tmp_path / "value"), database=tmp_path / "db.sqlite")
    with pytest.raises(ConfigError, match="ProgressTrainer trains none: give the agent an SFTTrainer"):
        agent.improve()


def test_attempts_learn_from_judged_tries(task: TrainingTask) -> None:
    short = replace(task.config, training={"max_steps": 1, "num_generations": 2, "lr": 1e-4})
    model = attempts(replace(task, config=short))
    assert Path(model).is_relative_to(task.folder)


def test_a_training_that_diverges_ends_with_a_sentence(task: TrainingTask) -> None:
    wild = replace(task.config, training={"lr": 1e30, "epochs": 3})
    with pytest.raises(TrainingError, match="diverged: weights are no longer finite"):
        supervised(replace(task, config=wild))
