"""Run folders: a layout, whole files, and stages that are remembered."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from lean_agent.agent.run_folder import FINISHED, RunFolder, versions
from lean_agent.errors import ConfigError


def test_a_new_folder_says_what_it_was_made_with(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, "demo", {"seed": 0, "name": "größer"})
    assert run.path.name.endswith("-demo")
    assert sorted(path.name for path in run.path.iterdir()) == [
        "checkpoints",
        "config.yaml",
        "data",
        "proofs",
        "versions.json",
    ]
    assert yaml.safe_load((run.path / "config.yaml").read_text(encoding="utf-8")) == {"seed": 0, "name": "größer"}
    assert json.loads((run.path / "versions.json").read_text(encoding="utf-8")) == versions()
    assert versions()["torch"].startswith("2.")


def test_the_newest_folder_has_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    RunFolder.create(tmp_path, "demo", {})
    new = RunFolder.create(tmp_path, "demo", {})
    assert (tmp_path / "latest").readlink() == Path(new.path.name), "relative: the folder of runs may be moved"
    assert sorted(path.name for path in tmp_path.glob("*latest*")) == ["latest"]
    (tmp_path / "latest").unlink()
    (tmp_path / "latest").mkdir()  # somebody's own
    RunFolder.create(tmp_path, "demo", {})
    assert not (tmp_path / "latest").is_symlink()
    (tmp_path / "latest").rmdir()

    def no_links(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", no_links)
    assert RunFolder.create(tmp_path, "demo", {}).path.is_dir()
    assert not list(tmp_path.glob("*latest*"))


def test_two_runs_in_one_second_are_two_folders(tmp_path: Path) -> None:
    assert len({RunFolder.create(tmp_path, "demo", {}).path for _ in range(3)}) == 3


def test_the_newest_unfinished_run_of_the_same_settings_goes_on(tmp_path: Path) -> None:
    assert RunFolder.newest_unfinished(tmp_path, "demo", {"seed": 0}) is None
    old = RunFolder.create(tmp_path, "demo", {"seed": 0})
    new = RunFolder.create(tmp_path, "demo", {"seed": 0})
    RunFolder.create(tmp_path, "demo", {"seed": 1})
    (tmp_path / "9999-demo").mkdir()  # killed before it was begun

    def newest() -> Path | None:
        run = RunFolder.newest_unfinished(tmp_path, "demo", {"seed": 0})
        return run.path if run else None

    assert newest() == new.path
    new.mark_done("trace", seconds=1.5)
    assert newest() == new.path
    new.mark_done(FINISHED)
    assert newest() == old.path
    old.mark_done(FINISHED)
    assert newest() is None


def test_stages_are_remembered_in_their_order(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, "demo", {})
    assert not run.is_done("trace")
    run.mark_done("trace", seconds=1.5)
    run.mark_done("train")
    again = RunFolder(run.path)
    assert again.is_done("trace")
    assert list(again.stages().items()) == [("trace", {"seconds": 1.5}), ("train", {})]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunFolder.create(tmp_path, "demo", {})
    run.write_text("report.md", "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        run.write_text("report.md", "new")
    assert (run.path / "report.md").read_text(encoding="utf-8") == "old"
    assert not list(run.path.glob(".report*"))


def test_the_log_holds_what_the_package_says(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, "demo", {})
    logger = logging.getLogger("lean_agent.test")
    with run.logging():
        logger.info("inside")
    logger.info("outside")
    text = (run.path / "log.txt").read_text(encoding="utf-8")
    assert "INFO lean_agent.test: inside" in text
    assert "outside" not in text


def test_one_process_at_a_time_works_in_a_folder(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, "demo", {})
    code = (
        "import sys; from lean_agent.agent.run_folder import RunFolder\n"
        "with RunFolder(sys.argv[1]).claimed(): print('in', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(run.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[2],
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == b"in\n"
        with pytest.raises(ConfigError, match=rf"Process {other.pid} .*--fresh"), run.claimed("use --fresh"):
            pass
        other.kill()
    with run.claimed():
        pass


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(ConfigError, match="choose another place"):
        RunFolder.create(tmp_path / "runs", "demo", {})
