"""Training of a value model: it learns, goes on from repository to repository, and is measured on held-out theorems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lean_agent.errors import ConfigError, TrainingError
from lean_agent.policy.progress import ProgressModel
from lean_agent.trainer.progress_trainer import ProgressTrainer

FAST: dict[str, Any] = {"batch_size": 4, "lr": 1e-2, "progress": False}
FAR, NEAR = "p q : Prop\n⊢ p ∧ q", "p q : Prop\nhp : p\n⊢ p"


class Proofs:
    """A database of one theorem, whose proof has a first step and two that end its goals; and one that is held out."""

    def __init__(self, *, held_out: bool = False) -> None:
        self._held_out = held_out

    def export_merged_data(self, repos: Any, path: Path) -> None:
        names = ("step", "tactic", "position", "end_position", "state_before", "state_after")
        tactics = [
            ("constructor", "constructor", 0, 11, FAR, f"{NEAR}\n\n⊢ q"),
            ("assumption", "assumption", 12, 22, f"{NEAR}\n\n⊢ q", "⊢ q"),
            ("trivial", "trivial", 23, 30, "⊢ q", "no goals"),
        ]
        steps = [dict(zip(names, tactic, strict=True)) for tactic in tactics]
        place = {"url": "u", "commit": "c", "file_path": "A.lean", "start": [1, 1], "end": [2, 1]}
        (path / "random").mkdir(parents=True, exist_ok=True)
        for split, kept in (("train", True), ("val", self._held_out), ("test", False)):
            theorems = [{**place, "full_name": split, "traced_tactics": steps}] if kept else []
            (path / "random" / f"{split}.json").write_text(json.dumps(theorems), encoding="utf-8")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_steps_are_learnt_by_heart_and_told_by_the_folder(tiny_folder: Path, tmp_path: Path, logic: Any) -> None:
    trainer = ProgressTrainer(tiny_folder, tmp_path / "out", max_steps=60, **FAST)
    trainer.train([logic], Proofs(), tmp_path / "data")
    model = ProgressModel(tmp_path / "out")
    # constructor, assumption, trivial: 3 steps in all, 1 for each of its goals.
    assert model.values([FAR, NEAR, f"{FAR}\n\n{NEAR}"]) == pytest.approx([-3, -1, -4], abs=0.2)
    assert model.step_values([(FAR, "constructor"), (NEAR, "assumption")]) == pytest.approx([-3, -1], abs=0.2)
    assert ProgressModel(trainer.model_path).identity == model.identity


def test_the_next_repository_goes_on_from_the_head_of_the_last(
    tiny_folder: Path, tmp_path: Path, logic: Any, arithmetic: Any
) -> None:
    first = ProgressTrainer(tiny_folder, tmp_path / "out", max_steps=60, **FAST)
    first.train([logic], Proofs(), tmp_path / "data")
    again = ProgressTrainer(tiny_folder, tmp_path / "out", max_steps=60, **FAST)
    again.train([logic, arithmetic], Proofs(), tmp_path / "data")
    losses = [line["train_loss"] for line in lines(again.metrics_file) if "train_loss" in line]
    assert len(losses) == 2
    assert losses[1] < 0.5 * losses[0], "it starts from what it knew"


def test_held_out_goals_are_measured_beside_baselines(tiny_folder: Path, tmp_path: Path, logic: Any) -> None:
    trainer = ProgressTrainer(tiny_folder, tmp_path / "out", max_steps=60, evaluations=2, **FAST)
    trainer.train([logic], Proofs(held_out=True), tmp_path / "data")
    measured = [line for line in lines(trainer.metrics_file) if "eval_loss" in line]
    assert [line["step"] for line in measured] == [30, 60]
    # Of three goals, one is three steps away and two are one; the far one has one hypothesis line, as many or less
    # than the near ones (2 and 0), so that lines say nothing: one pair right, one wrong.
    assert measured[-1]["eval_concordance"] == 1.0
    assert measured[-1]["eval_concordance_of_hypotheses"] == 0.5


def test_searches_are_learnt_from_but_for_held_out_theorems(tiny_folder: Path, tmp_path: Path, logic: Any) -> None:
    rows = [
        {"goal": "⊢ lost", "tactic": "", "steps": 9, "censored": True, "theorem": "other"},
        {"goal": "⊢ kept back", "tactic": "", "steps": 2, "censored": False, "theorem": "val"},
    ]
    file = tmp_path / "distances.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    trainer = ProgressTrainer(tiny_folder, tmp_path / "out", max_steps=1, searches=str(file), **FAST)
    trainer.train([logic], Proofs(held_out=True), tmp_path / "data")
    (finished,) = json.loads((tmp_path / "out" / "progress.json").read_text(encoding="utf-8"))["repositories"]
    # Three goals with and without their tactics, and the one of the other theorem's search.
    assert finished["rows"] == 7


def test_what_a_value_model_cannot_have_is_refused(tiny_folder: Path, tmp_path: Path, logic: Any) -> None:
    with pytest.raises(ConfigError, match="premises is no setting of a value model"):
        ProgressTrainer(tiny_folder, tmp_path / "out", premises=4)
    with pytest.raises(ConfigError, match="lora_rank is no setting of a value model"):
        ProgressTrainer(tiny_folder, tmp_path / "out", lora_rank=4)

    class Nothing:
        def export_merged_data(self, repos: Any, path: Path) -> None:
            (path / "random").mkdir(parents=True)
            (path / "random" / "train.json").write_text("[]", encoding="utf-8")

    with pytest.raises(TrainingError, match="no finished tactic proof"):
        ProgressTrainer(tiny_folder, tmp_path / "out", **FAST).train([logic], Nothing(), tmp_path / "data")
