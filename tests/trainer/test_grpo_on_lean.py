"""The verified reward and GRPO on real Lean: states of a traced file, judged where they were traced."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.errors import ConfigError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite
from lean_agent.policy.model_files import record_help, recorded_help
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.prompts import main_goal
from lean_agent.prover.mixed import FILLED_IN
from lean_agent.rollout.single_tactics import VerifiedTacticReward
from lean_agent.tracing import TracedRepository, lean_project, local_repository, trace_repository
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer
from lean_agent.trainer.data.dataset import GRPODataset, read_split, theorem_of
from lean_agent.trainer.grpo_trainer import GRPOTrainer

pytestmark = pytest.mark.lean

SOURCE = """namespace Small

theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.2
  · exact h.1

theorem later : True := trivial

end Small
"""


class TracedDatabase:
    """Writes what Lean traced of one file in the benchmark's layout."""

    def __init__(self, lean: LeanPool, project: LeanProject, repo: Any) -> None:
        traced = lean.trace_file(project, "Small.lean")
        self._theorems = [
            {
                "url": repo.url,
                "commit": repo.commit,
                "file_path": "Small.lean",
                "full_name": theorem.full_name,
                "theorem_statement": theorem.statement,
                "traced_tactics": [
                    {"state_before": t.state_before, "step": t.step, "position": t.start} for t in theorem.tactics
                ],
            }
            for theorem in traced.theorems
        ]

    def export_merged_data(self, repos: Any, path: Path) -> None:
        (path / "random").mkdir(parents=True, exist_ok=True)
        (path / "random" / "train.json").write_text(json.dumps(self._theorems), encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> LeanProject:
    root = tmp_path / "project"
    root.mkdir()
    (root / "Small.lean").write_text(SOURCE, encoding="utf-8")
    return LeanProject(root, tmp_path / "build")


@pytest.fixture
def database(lean: LeanPool, project: LeanProject, logic: Any) -> TracedDatabase:
    return TracedDatabase(lean, project, logic)


def test_every_level_in_its_exact_state(
    lean: LeanPool, project: LeanProject, database: TracedDatabase, logic: Any, tmp_path: Path
) -> None:
    database.export_merged_data([logic], tmp_path)
    rows = {row.tactic: row for row in GRPODataset(tmp_path).rows}
    assert list(rows) == ["constructor", "exact h.2", "exact h.1"], "bullets are no steps"
    reward = VerifiedTacticReward(lean, {(logic.url, logic.commit): project})

    def score(row: Any, *tactics: str) -> list[float]:
        n = len(tactics)
        values: list[float] = reward(
            list(tactics),
            url=[row.url] * n,
            commit=[row.commit] * n,
            file_path=[row.file_path] * n,
            full_name=[row.full_name] * n,
            position=[row.position] * n,
        ).tolist()
        return values

    first = score(
        rows["constructor"],
        "exact ⟨h.2, h.1⟩",  # closes the goal
        "constructor",  # two goals in its place
        "skip",  # nothing
        "exact h.1",  # a type error
        "exact swap p q h",  # the theorem itself is not there yet
        "exact later",  # nor is what follows it
        "sorry",
        "exact sorry",
        "native_decide",
        "cases h with\n| intro hp hq =>\n  exact ⟨hq, hp⟩",
        "constructor\nexact h.2",  # of two goals one is left
    )
    assert first == pytest.approx([1.0, 0.3, 0.0, -0.2, -0.2, -0.2, -1.0, -1.0, -1.0, 1.0, 0.3])
    # Within the first bullet the goal is q, and closing it solves the state.
    assert score(rows["exact h.2"], "exact h.2", "exact h.1") == pytest.approx([1.0, -0.2])
    assert not any(math.isnan(value) for value in first)
    # What the traced proof goes on to prove need not be proved again; what it has behind it is no step forward.
    reward.known = GRPODataset(tmp_path).known
    steps = ["constructor", "constructor\nexact h.2", "constructor\nexact h.2\nexact h.1", "have := h", "skip"]
    assert score(rows["constructor"], *steps) == pytest.approx([1.0, 1.0, 1.0, 0.3, 0.0])
    reward.close()


@pytest.mark.parametrize("draw_ahead", [False, True])
def test_two_steps_of_grpo(
    request: pytest.FixtureRequest, lean: LeanPool, project: LeanProject, logic: Any, *, draw_ahead: bool
) -> None:
    tiny_folder, database = map(request.getfixturevalue, ("tiny_folder", "database"))
    output = project.root.parent / "out"
    sizes: dict[str, Any] = {"batch_size": 8, "num_generations": 8, "max_completion_length": 8}
    reward = VerifiedTacticReward(lean, {(logic.url, logic.commit): project})
    trainer = GRPOTrainer(tiny_folder, reward, output, max_steps=2, progress=False, draw_ahead=draw_ahead, **sizes)
    trainer.train([logic], database, output.parent / "data")
    # An untrained model's tactics are judged all the same: 2 steps of 8, and Lean could say something of each.
    assert sum(reward.statistics.levels.values()) == 16
    assert reward.statistics.levels["unscorable"] == 0
    (done,) = json.loads((output / "progress.json").read_text())["repositories"]
    assert (done["rows"], done["steps"]) == (3, 2)
    reward.close()


KNOTS = """namespace Knots

def tie (a b : Nat) : Nat := a * b + a + b

infixl:65 " ⋈ " => tie

theorem opened (m n : Nat) : m ⋈ n + 0 = n ⋈ m + 0 := by
  sorry

theorem split_or (m n : Nat) : m = n ∨ m ≠ n := by
  exact Classical.em _

theorem swapped (m n : Nat) : m ⋈ n = n ⋈ m := by
  unfold tie
  rw [Nat.mul_comm]
  omega

end Knots
"""


@pytest.fixture
def knots(lean: LeanPool, tmp_path: Path) -> Iterator[tuple[DynamicDatabase, TracedRepository]]:
    folder = tmp_path / "knots"
    folder.mkdir()
    (folder / "Knots.lean").write_text(KNOTS, encoding="utf-8")
    with DynamicDatabase(tmp_path / "database.sqlite") as database:
        yield database, trace_repository(local_repository(folder), lean, database=database, progress=False)


def test_schemes_are_filled_in_before_lean_runs_them(
    lean: LeanPool, knots: tuple[DynamicDatabase, TracedRepository], tmp_path: Path
) -> None:
    """With the definition that the goal's text does not say, and neither what is open nor what `grind` refuses."""
    database, traced = knots
    repository = traced.repository
    database.export_merged_data([repository], tmp_path / "data", progress=False)
    parts = [tmp_path / "data" / "random" / f"{part}.json" for part in ("train", "val", "test")]
    everything = [entry for part in parts for entry in read_split(part)]
    parts[0].write_text(json.dumps(everything), encoding="utf-8")
    dataset = GRPODataset(tmp_path / "data", shown=FILLED_IN)
    row = next(row for row in dataset.rows if row.full_name == "Knots.swapped")
    assert dataset.goal(row) == main_goal(row.problem), "the model sees none of it"
    reward = VerifiedTacticReward(lean, {(repository.address, repository.commit): lean_project(repository)})
    tactics = ["grind [{lemmas}]", "grind", "grind [Knots.tie]"]
    where: dict[str, Any] = {
        name: [getattr(row, name)] * 3 for name in ("url", "commit", "file_path", "full_name", "position")
    }
    assert reward(tactics, **where).tolist() == pytest.approx([-0.2, -0.2, 1.0])
    reward.schemes = dataset.schemes
    assert reward(tactics, **where).tolist() == pytest.approx([1.0, -0.2, 1.0])
    assert reward.schemes is not None
    (state,) = lean.goal_starts([TheoremSite(lean_project(repository), row.file_path, row.full_name, row.position)])
    assert isinstance(state, GoalState)
    asked = (theorem_of(row), state, "grind [{lemmas}]")
    (filled,) = lean.loop.submit(reward.schemes.filled(lean, [asked])).result()
    assert filled == "grind [Knots.tie]"
    reward.close()


def test_a_checkpoint_that_writes_schemes_is_trained_on(
    lean: LeanPool, knots: tuple[DynamicDatabase, TracedRepository], tmp_path: Path
) -> None:
    database, traced = knots
    repository = traced.repository
    scheme = "grind [{lemmas}]"
    model = make_tiny_model([KNOTS, *[scheme] * 20], tmp_path / "tiny", vocab_size=400, hidden_size=64, layers=1)
    record_help(FILLED_IN, model)
    with pytest.raises(ConfigError, match="function of your own"):
        GRPOTrainer(model, lambda completions, **_: [0.0] * len(completions), tmp_path / "out")
    with pytest.raises(ConfigError, match="leave premises"):
        GRPOTrainer(model, None, tmp_path / "out", premises=2)
    with pytest.raises(ConfigError, match="GRPOTrainer"):
        LeanGRPOTrainer(str(model), lean, output_dir=str(tmp_path / "out"))
    sizes: dict[str, Any] = {"batch_size": 4, "num_generations": 4, "max_completion_length": 8}
    trainer = GRPOTrainer(model, None, tmp_path / "out", max_steps=1, progress=False, **sizes)
    trainer.set_server(lean, {(repository.address, repository.commit): lean_project(repository)})
    trainer.train([repository], database, tmp_path / "data")
    assert isinstance(trainer._reward_func, VerifiedTacticReward) and trainer._reward_func.schemes is not None
    assert sum(trainer._reward_func.statistics.levels.values()) == 4
    assert recorded_help(trainer.model_path) == FILLED_IN
