"""What a native Lean runs in: bubblewrap's walls, tried by a program of any kind, and by Lean's stand-in."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from lean_agent.lean.embedded.install import lean_root
from lean_agent.lean.native.bubblewrap import READABLE_VARIABLE, TRUST_VARIABLE, walled, why_no_walls
from lean_agent.lean.native.toolchain import NativeInstallation, NativeLean
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.pool.worker_state import PoolLimits
from lean_agent.lean.process.runtime import NativeRuntime, choose_runtime
from lean_agent.lean.types import LeanProject, TheoremSite
from tests.lean.test_confinement import PROGRAMS, READS, WRITES, answers, project_in, snapshot, tried
from tests.lean.test_native import says_it_is_lean, script

MISSING = why_no_walls(os.environ.get("PATH", os.defpath))
within_walls = pytest.mark.skipif(bool(MISSING), reason=f"no walls on this machine: {MISSING}")

ESCAPES = """
import json, os, socket, subprocess, sys
secret, outside, readable, port, parent = sys.argv[1:]
tries = {
    "read": lambda: open(secret).read(),
    "list": lambda: os.listdir(os.path.dirname(secret))[0],
    "home": lambda: os.listdir(os.path.expanduser("~root"))[0],
    "passwords": lambda: open("/etc/passwd").read(),
    "write": lambda: open(outside, "w").write("x"),
    "write_readable": lambda: open(readable + "/made", "w").write("x"),
    "remove_readable": lambda: os.remove(readable + "/module.olean"),
    "rights": lambda: os.chmod(readable + "/module.olean", 0o777),
    "remount": lambda: subprocess.run(["mount", "-o", "remount,rw", readable], check=True, capture_output=True),
    "connect": lambda: socket.create_connection(("127.0.0.1", int(port)), timeout=2),
    "names": lambda: socket.getaddrinfo("localhost.localdomain.invalid", 80),
    "interfaces": lambda: [name for _, name in socket.if_nameindex() if name != "lo"][0],
    "kill": lambda: os.kill(int(parent), 0),
    "see": lambda: [p for p in os.listdir("/proc") if p == parent][0],
    "environment": lambda: os.environ["SECRET_TOKEN"],
    "of_parent": lambda: open(f"/proc/{parent}/environ").read(),
}
done = {}
for name, attempt in tries.items():
    try:
        done[name] = f"DONE {attempt()!r}"
    except Exception as e:
        done[name] = type(e).__name__
open("note", "w").write("its own")
print(json.dumps({"done": done, "module": open(readable + "/module.olean").read(), "variables": sorted(os.environ)}))
"""


@within_walls
def test_a_program_within_walls_reaches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("readable", "scratch", "private"):
        (tmp_path / folder).mkdir()
    (tmp_path / "readable" / "module.olean").write_text("module")
    (tmp_path / "private" / "secret.txt").write_text("secret")
    monkeypatch.setenv("SECRET_TOKEN", "secret")
    interpreter = Path(sys.executable).resolve()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        names = [str(tmp_path / name) for name in ("private/secret.txt", "outside", "readable")]
        argv = [str(interpreter), "-c", ESCAPES, *names, str(server.getsockname()[1]), str(os.getpid())]
        command = walled(
            argv,
            readable=[tmp_path / "readable", interpreter.parent.parent],
            scratch=tmp_path / "scratch",
            environment={"LEAN_PATH": "/a"},
        )
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120, env={})
        with pytest.raises(TimeoutError):
            server.accept()
    seen = json.loads(done.stdout)
    assert seen["done"].pop("write") == "DONE 1"  # to a /tmp of its own, of which nothing is left
    assert not {name: words for name, words in seen["done"].items() if words.startswith("DONE")}
    assert len(seen["done"]) == 15
    assert seen["module"] == "module"
    assert set(seen["variables"]) <= {"HOME", "LANG", "LC_CTYPE", "LEAN_PATH", "PATH", "PWD", "TMPDIR"}
    assert (tmp_path / "scratch" / "note").read_text() == "its own"
    assert not (tmp_path / "outside").exists()


@within_walls
def test_whatever_it_started_ends_with_it(tmp_path: Path) -> None:
    """A grandchild in a session of its own, which no signal to the group would reach."""
    marker = f"{time.time_ns() % 10**7 + 10**7}"
    argv = ["/bin/sh", "-c", f"setsid sleep {marker} & exec sleep {marker}"]
    command = walled(argv, readable=[], scratch=tmp_path, environment={})

    def sleepers() -> list[psutil.Process]:
        return [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", marker]]

    with subprocess.Popen(command, env={}) as process:
        deadline = time.monotonic() + 30
        while len(sleepers()) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(sleepers()) == 2
        process.kill()
    _, left = psutil.wait_procs(sleepers(), timeout=10)
    assert not left


def test_why_there_are_no_walls_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    lean = says_it_is_lean(tmp_path)
    assert "apt install bubblewrap" in why_no_walls(str(tmp_path))
    refusing = script(tmp_path / "refusing" / "bwrap", "echo 'No permissions to create new namespace' >&2; exit 1")
    assert "No permissions to create new namespace" in why_no_walls(str(refusing.parent))
    monkeypatch.setenv("PATH", str(refusing.parent))
    runtime = choose_runtime(str(lean))
    assert isinstance(runtime, NativeRuntime) and not runtime.walled
    assert "nothing confines them" in caplog.messages[0] and "no namespaces here" in caplog.messages[0]


@within_walls
def test_walls_are_the_default_and_trust_takes_them_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    lean = says_it_is_lean(tmp_path)
    monkeypatch.delenv(TRUST_VARIABLE, raising=False)
    runtime = choose_runtime(str(lean))
    assert isinstance(runtime, NativeRuntime) and runtime.walled and not caplog.records
    monkeypatch.setenv(TRUST_VARIABLE, "1")
    runtime = choose_runtime(str(lean))
    assert isinstance(runtime, NativeRuntime) and not runtime.walled
    assert TRUST_VARIABLE in caplog.messages[0]


def test_what_a_process_is_shown() -> None:
    lean = NativeLean(Path("/opt/lean/bin/lean"), None, "4.28.0", "/opt/lean")
    where = NativeInstallation(lean, Path("/cache/native"), True, frozenset({Path("/p/lib")}))
    command = where.serve_command(Path("/sandbox"))
    words = " ".join(command.argv)
    for folder in ("/opt/lean", "/cache/native", "/p/lib"):
        assert f"--ro-bind-try {folder} {folder}" in words
    assert "--bind /sandbox /sandbox" in words and "--unshare-all" in words and "--clearenv" in words
    assert command.environment == {}
    assert command.shown == {Path("/p/lib")}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose file tries to get out, beside a secret."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "secret.txt").write_text("secret")
    (folder / "project").mkdir()
    return folder


SLOW = PoolLimits(start_timeout_s=300, tactic_timeout_s=300, verify_timeout_s=900)  # it starts for a minute


@pytest.fixture
def stand_in(toolchain: Path, hostile: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lean's stand-in, with all that it needs shown within walls."""
    readable = [Path(sys.prefix), Path(sys.executable).resolve().parent.parent, toolchain, lean_root()]
    package = Path(__file__).parent.parent.parent / "lean_agent"
    walls = script(hostile / "bin" / "lean", f'export HOME={Path.home()}\nexec {toolchain}/bin/lean "$@"')
    monkeypatch.setenv(READABLE_VARIABLE, os.pathsep.join(map(str, [*readable, package, walls.parent])))
    return walls


def within(command: Sequence[str], text: str, folder: Path, readable: Sequence[Path], limit_s: float = 600) -> str:
    """Return all that Lean says of a text within walls, as a process of a pool has them."""
    (folder / "Hostile.lean").write_text(text, encoding="utf-8")
    argv = walled([*command, "Hostile.lean"], readable=readable, scratch=folder, environment={})
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=limit_s, env={}, check=False)
    return done.stdout + done.stderr


@pytest.mark.lean
@pytest.mark.slow
@within_walls
def test_escapes_from_embedded_lean_lead_nowhere_within_walls(stand_in: Path, tmp_path: Path) -> None:
    """Each that test_confinement.py knows. A folder above one that is shown is there, with that one in it alone."""
    project, scratch, marker = project_in(tmp_path), tmp_path / "scratch", tmp_path / "started"
    scratch.mkdir()
    build = f'def BUILD : String := "{project.build}"\n'
    reads = [action.replace("{out}", str(tmp_path)) for action in READS]
    writes = [f'do {action.removeprefix("do ")}; return "!"'.replace("{out}", str(tmp_path)) for action in WRITES]
    writes += [action.replace("{marker}", str(marker)) + '; return "!"' for action in PROGRAMS]
    writes += [f'do IO.FS.writeFile "{project.root}/Made.lean" "new"; return "!"']
    before = snapshot(tmp_path)
    replies = answers(
        within([str(stand_in)], build + "\n".join(map(tried, [*reads, *writes])), scratch, [project.build]),
        [*reads, *writes],
    )
    (scratch / "Hostile.lean").unlink()
    assert snapshot(tmp_path) == before, replies
    assert not marker.exists()
    read = {action: replies[action].strip('"') for action in reads if not replies[action].startswith("REFUSED")}
    (listed,) = (action for action in reads if f'readDir "{tmp_path}"' in action)
    assert set(read) <= {listed} and read.get(listed, "DONE 2") == "DONE 2", read  # build and scratch
    assert not any(Path(folder, "lean-agent-was-here").exists() for folder in ("/etc", "/usr"))


@pytest.mark.lean
@pytest.mark.slow
@within_walls
def test_folders_that_are_shown_cannot_be_changed(stand_in: Path, tmp_path: Path) -> None:
    """Each attempt is refused, and none waits for ever."""
    shown, scratch = tmp_path / "shown", tmp_path / "scratch"
    for folder in (shown, scratch):
        folder.mkdir()
    (shown / "module.olean").write_text("module")
    attempts = [
        f'do IO.FS.writeFile "{shown}/Made.lean" "new"; return "!"',
        f'do IO.FS.writeFile "{shown}/module.olean" "new"; return "!"',
        f'do discard <| IO.FS.Handle.mk "{shown}/module.olean" .append; return "!"',
        f'do IO.FS.createDirAll "{shown}/a/b"; return "!"',
        f'do IO.FS.removeFile "{shown}/module.olean"; return "!"',
        f'do IO.FS.rename "{shown}/module.olean" "{scratch}/module.olean"; return "!"',
    ]
    replies = answers(within([str(stand_in)], "\n".join(map(tried, attempts)), scratch, [shown], 120), attempts)
    assert all(replies[attempt].startswith("REFUSED") for attempt in attempts), replies
    assert [path.name for path in shown.iterdir()] == ["module.olean"]
    assert (shown / "module.olean").read_text() == "module"


@pytest.mark.lean
@pytest.mark.long
@within_walls
def test_lean_s_stand_in_traces_and_judges_within_walls(stand_in: Path, hostile: Path) -> None:
    project = LeanProject(hostile / "project", hostile / "build" / "b")
    with LeanPool(1, lean=str(stand_in), limits=SLOW) as pool:
        assert isinstance(pool.runtime, NativeRuntime) and pool.runtime.walled
        build = pool.runtime.folder(project.build)
        attempts = [
            f'do IO.FS.writeFile "{project.root}/Made.lean" "new"; return "!"',
            f'do IO.FS.writeFile "{build}/Forged.olean" "new"; return "!"',
            f'IO.FS.readFile "{hostile}/secret.txt"',
            'IO.FS.readFile "/etc/passwd"',
        ]
        text = "\n".join([*map(tried, attempts), "theorem a : 1 + 1 = 2 := by sorry", ""])
        (project.root / "A.lean").write_text(text)
        traced = pool.trace_file(project, "A.lean")
        replies = answers("\n".join(message.text for message in traced.messages), attempts)
        assert all(replies[attempt].startswith("REFUSED") for attempt in attempts[2:])
        site = TheoremSite(project, "A.lean", "a")
        assert pool.goal_tactic(pool.goal_start(site), "rfl").is_solved
        assert pool.verify(site, "by rfl").accepted
        (project.root / "B.lean").write_text("import A\ntheorem b : 1 + 1 = 2 := a\n")
        assert len(pool.trace_file(project, "B.lean").theorems) == 1  # it reads the module that it has written
    assert sorted(path.name for path in project.root.iterdir()) == ["A.lean", "B.lean"]
    assert (project.root / "A.lean").read_text() == text
    assert {path.name for path in build.glob("*.olean")} == {"A.olean", "B.olean"}


def test_a_link_in_the_place_of_a_module_is_not_followed(tmp_path: Path) -> None:
    """What a process leaves in its folder becomes a module that others read: no file that it could not read itself."""
    runtime = NativeRuntime(NativeLean(Path("/l/lean"), None, "4.28.0", "/l"), walled=True)
    project = LeanProject(tmp_path / "p", tmp_path / "build")
    (tmp_path / "secret.txt").write_text("secret")
    sandbox = tmp_path / "sandbox"
    sandbox.mkdir()
    (sandbox / "module.olean").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(OSError):
        runtime.keep(project, Path("A.olean"), {}, sandbox)
    (sandbox / "module.olean").unlink()
    os.mkfifo(sandbox / "module.olean")
    with pytest.raises(OSError):
        runtime.keep(project, Path("A.olean"), {}, sandbox)
    (sandbox / "module.olean").unlink()
    (sandbox / "module.olean").write_text("module")
    runtime.keep(project, Path("A.olean"), {}, sandbox)
    assert (runtime.folder(project.build) / "A.olean").read_text() == "module"
    runtime.keep(project, Path("B.olean"), {}, sandbox)  # nothing was compiled
    assert [path.name for path in runtime.folder(project.build).iterdir()] == ["A.olean"]


@within_walls
def test_a_lakefile_runs_within_walls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lean = says_it_is_lean(tmp_path / "toolchain")
    (tmp_path / "secret.txt").write_text("secret")
    project = tmp_path / "project"
    project.mkdir()
    (project / "lakefile.lean").write_text("package x\n")
    script(
        lean.with_name("lake"),
        f'cat {tmp_path}/secret.txt > stolen; touch {tmp_path}/made; test "$2" = printenv && echo "$PWD/lib"',
    )
    monkeypatch.delenv(TRUST_VARIABLE, raising=False)
    runtime = choose_runtime(str(lean))
    assert runtime.package_folders(LeanProject(project, tmp_path / "b")) == (project / "lib",)
    assert not (tmp_path / "made").exists() and not (project / "stolen").exists()
