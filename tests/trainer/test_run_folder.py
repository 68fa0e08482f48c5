"""What stays on disk, whatever moment a run is killed at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lean_agent.errors import ConfigError, TrainingError
from lean_agent.trainer.run.run_folder import TrainingFolder, resume_point

SETTINGS = {"kind": "SFT", "lr": 1e-3}


def save(text: str) -> Any:
    def write(folder: Path) -> None:
        (folder / "config.json").write_text("{}")
        (folder / "weights").write_text(text)

    return write


def finish(run: TrainingFolder, repo: Any, text: str) -> Path:
    return run.finish(repo, save(text), rows=3, steps=5, seconds=1.0)


def test_the_newest_model_lies_at_the_top(tmp_path: Path, logic: Any, arithmetic: Any) -> None:
    run = TrainingFolder(tmp_path / "out", SETTINGS)
    assert run.last_checkpoint() is None
    first = finish(run, logic, "one")
    second = finish(run, arithmetic, "two")
    assert (first.name, second.name) == ("001-logic-11111111", "002-arithmetic-22222222")
    assert run.last_checkpoint() == second
    assert (tmp_path / "out" / "weights").read_text() == "two"
    assert (first / "weights").read_text() == "one"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "checkpoints",
        "config.json",
        "progress.json",
        "weights",
    ]


def test_a_second_run_knows_what_is_done(tmp_path: Path, logic: Any, arithmetic: Any) -> None:
    finish(TrainingFolder(tmp_path, SETTINGS), logic, "one")
    run = TrainingFolder(tmp_path, SETTINGS)
    assert run.is_finished(logic)
    assert not run.is_finished(arithmetic)
    assert [(done.url, done.rows, done.steps) for done in run.finished] == [(logic.url, 3, 5)]


def test_old_checkpoints_make_room(tmp_path: Path, logic: Any) -> None:
    run = TrainingFolder(tmp_path, SETTINGS, keep_checkpoints=2)
    for text in ("one", "two", "three"):
        finish(run, logic, text)
    kept = sorted(path.name[:3] for path in (tmp_path / "checkpoints").iterdir())
    assert kept == ["002", "003"]


def test_other_settings_are_refused(tmp_path: Path, logic: Any) -> None:
    finish(TrainingFolder(tmp_path, SETTINGS), logic, "one")
    with pytest.raises(ConfigError, match=r"run with lr=0\.001, and this one has lr=0\.1\. Give another output_dir"):
        TrainingFolder(tmp_path, {"kind": "SFT", "lr": 0.1})


def test_a_checkpoint_that_fails_leaves_everything_as_it_was(tmp_path: Path, logic: Any, arithmetic: Any) -> None:
    run = TrainingFolder(tmp_path, SETTINGS)
    finish(run, logic, "one")

    def full_disk(folder: Path) -> None:
        (folder / "weights").write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        run.finish(arithmetic, full_disk, rows=1, steps=1, seconds=1.0)
    again = TrainingFolder(tmp_path, SETTINGS)
    assert [done.url for done in again.finished] == [logic.url]
    assert (tmp_path / "weights").read_text() == "one"
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["001-logic-11111111"]


def test_a_checkpoint_that_was_not_noted_is_written_anew(tmp_path: Path, logic: Any) -> None:
    # Killed after the folder took its name and before progress.json named it.
    stale = tmp_path / "checkpoints" / "001-logic-11111111"
    stale.mkdir(parents=True)
    (stale / "weights").write_text("stale")
    run = TrainingFolder(tmp_path, SETTINGS)
    assert (finish(run, logic, "new") / "weights").read_text() == "new"


def test_the_top_level_is_mended(tmp_path: Path, logic: Any) -> None:
    finish(TrainingFolder(tmp_path, SETTINGS), logic, "one")
    (tmp_path / "weights").unlink()  # killed before it was put there
    TrainingFolder(tmp_path, SETTINGS).publish()
    assert (tmp_path / "weights").read_text() == "one"


def test_a_progress_file_that_does_not_read_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "progress.json").write_text("{")
    with pytest.raises(TrainingError, match="cannot be read"):
        TrainingFolder(tmp_path, SETTINGS)


def test_a_checkpoint_that_is_gone_is_said_in_words(tmp_path: Path, logic: Any) -> None:
    run = TrainingFolder(tmp_path, SETTINGS)
    (finish(run, logic, "one") / "weights").unlink()
    (tmp_path / "checkpoints" / "001-logic-11111111" / "config.json").unlink()
    (tmp_path / "checkpoints" / "001-logic-11111111").rmdir()
    with pytest.raises(TrainingError, match="which is gone"):
        TrainingFolder(tmp_path, SETTINGS).last_checkpoint()


def test_work_on_other_data_is_dropped(tmp_path: Path, logic: Any) -> None:
    run = TrainingFolder(tmp_path, SETTINGS)
    old = run.work_folder(logic, "data1")
    (old / "checkpoint-3").mkdir()
    assert run.work_folder(logic, "data1") == old
    assert (old / "checkpoint-3").is_dir()
    new = run.work_folder(logic, "data2")
    assert list((tmp_path / "in_progress").iterdir()) == [new]


def test_a_checkpoint_cut_off_in_the_middle_is_passed_over(tmp_path: Path) -> None:
    assert resume_point(tmp_path) is None
    for step, state in [(5, {"global_step": 5}), (10, {"global_step": 10})]:
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text(json.dumps(state))
    (tmp_path / "checkpoint-20").mkdir()  # killed while its weights were written
    (tmp_path / "checkpoint-30").mkdir()
    (tmp_path / "checkpoint-30" / "trainer_state.json").write_text('{"global')  # or its state
    assert resume_point(tmp_path) == tmp_path / "checkpoint-10"


def test_a_repository_that_was_known_by_its_path_is_done(tmp_path: Path) -> None:
    """Of a run that was begun before addresses of folders said nothing of where they lie."""
    from lean_agent.tracing import Repository

    run = TrainingFolder(tmp_path / "out", SETTINGS)
    finish(run, Repository("/home/me/lists", "1" * 10, "lists", tmp_path), "one")
    again = TrainingFolder(tmp_path / "out", SETTINGS)
    assert again.is_finished(Repository("local:lists", "1" * 10, "lists", tmp_path))
    assert not again.is_finished(Repository("local:lists", "2" * 10, "lists", tmp_path))
    assert not again.is_finished(Repository("local:logic", "1" * 10, "logic", tmp_path))
    assert [path.name for path in (tmp_path / "out" / "checkpoints").iterdir()] == ["001-lists-11111111"]
    assert again.work_folder(Repository("local:lists", "2" * 10, "lists", tmp_path), "d").name == "lists-22222222-d"
