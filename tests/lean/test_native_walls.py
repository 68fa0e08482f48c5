"""What a native Lean runs in: walls of bubblewrap or Landlock, tried by any program and by Lean's stand-in."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from lean_agent.lean.embedded.install import lean_root
from lean_agent.lean.native.landlock import landlock_version, network_left_open, within_landlock
from lean_agent.lean.native.toolchain import NativeInstallation, NativeLean
from lean_agent.lean.native.walls import READABLE_VARIABLE, TRUST_VARIABLE, confinement, walled
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.pool.worker_state import PoolLimits
from lean_agent.lean.process.runtime import NativeRuntime, choose_runtime
from lean_agent.lean.types import LeanProject, TheoremSite
from tests.lean.test_confinement import PROGRAMS, READS, WRITES, answers, project_in, snapshot, tried
from tests.lean.test_native import says_it_is_lean, script

with pytest.MonkeyPatch.context() as patch:
    patch.delenv(TRUST_VARIABLE, raising=False)
    BEST = confinement()
LANDLOCK, NO_LANDLOCK = landlock_version()
needs_bubblewrap = pytest.mark.skipif(BEST.name != "bubblewrap", reason=f"no bubblewrap here: {BEST.lacks}")
needs_landlock = pytest.mark.skipif(not LANDLOCK, reason=f"no Landlock here: {NO_LANDLOCK}")


@pytest.fixture(
    params=[pytest.param("bubblewrap", marks=needs_bubblewrap), pytest.param("Landlock", marks=needs_landlock)]
)
def walls(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the kind of walls that stand; those of Landlock where there is no ``bwrap`` on the path."""
    if request.param == "Landlock":
        monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    monkeypatch.delenv(TRUST_VARIABLE, raising=False)
    assert confinement().name == request.param
    return str(request.param)


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


# What Landlock lets be: the permissions of one's own files, the names of network interfaces.
LEFT_OPEN: dict[str, set[str]] = {"bubblewrap": set(), "Landlock": {"rights", "interfaces"}}


def test_a_program_within_walls_reaches_nothing(walls: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    if walls == "bubblewrap":
        assert seen["done"].pop("write") == "DONE 1"  # to a /tmp of its own, of which nothing is left
    managed = {name for name, words in seen["done"].items() if words.startswith("DONE")}
    assert managed <= LEFT_OPEN[walls], seen["done"]
    assert len(seen["done"]) >= 15
    assert seen["module"] == "module"
    assert set(seen["variables"]) <= {"HOME", "LANG", "LC_CTYPE", "LEAN_PATH", "PATH", "PWD", "TMPDIR"}
    assert (tmp_path / "scratch" / "note").read_text() == "its own"
    assert not (tmp_path / "outside").exists()


@needs_bubblewrap
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
    monkeypatch.delenv(TRUST_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "apt install bubblewrap" in confinement().lacks
    refusing = script(tmp_path / "refusing" / "bwrap", "echo 'No permissions to create new namespace' >&2; exit 1")
    monkeypatch.setenv("PATH", str(refusing.parent))
    assert "No permissions to create new namespace" in confinement().lacks
    runtime = choose_runtime(str(lean))
    assert isinstance(runtime, NativeRuntime) and runtime.walled == bool(LANDLOCK)
    said = "Landlock confines them, but it leaves open" if LANDLOCK else "your own rights; nothing confines them"
    assert said in caplog.messages[0] and "no namespaces here" in caplog.messages[0]


def test_what_landlock_leaves_open_depends_on_its_version() -> None:
    """TCP since version 4 of its interface (Linux 6.7), signals since 6 (Linux 6.12), UDP since 10."""
    left = [network_left_open(version) for version in (1, 3, 4, 5, 6, 9, 10)]
    signals = "signals to your processes"
    assert left == [f"the network, {signals}"] * 2 + [f"UDP, {signals}"] * 2 + ["UDP"] * 2 + [""]


def landlocked(*argv: str) -> subprocess.CompletedProcess[str]:
    """Run a program that may read the system's folders, and write nowhere."""
    system = [Path(folder) for folder in ("/usr", "/bin", "/lib", "/lib64")]
    command = within_landlock(argv, readable=system, scratch=None, environment={}, working=Path("/"))
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env={})


@needs_landlock
def test_landlock_runs_nothing_without_walls(tmp_path: Path) -> None:
    """A program that is not there, or in no readable folder, is an error."""
    for program in ("/no/such/program", str(script(tmp_path / "outside", "echo ran"))):
        done = landlocked(program)
        assert (done.returncode, done.stdout) == (1, "")
        assert "Error" in done.stderr.splitlines()[-1]


@needs_landlock
def test_a_process_within_landlock_reads_what_memory_it_takes() -> None:
    """Of ``/proc`` its own part, and no other's."""
    assert "RssAnon:" in landlocked("/bin/cat", "/proc/self/status").stdout
    done = landlocked("/bin/cat", "/proc/1/status", "/proc/uptime", "/proc/meminfo")
    assert done.stdout == "" and done.stderr.count("ermission denied") == 3


def test_walls_are_the_default_and_trust_takes_them_away(
    walls: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    lean = says_it_is_lean(tmp_path)
    runtime = choose_runtime(str(lean))
    assert isinstance(runtime, NativeRuntime) and runtime.walled and bool(caplog.records) == (walls == "Landlock")
    caplog.clear()
    monkeypatch.setenv(TRUST_VARIABLE, "1")
    runtime = choose_runtime(str(lean))
    assert isinstance(runtime, NativeRuntime) and not runtime.walled
    assert TRUST_VARIABLE in caplog.messages[0]


@needs_bubblewrap
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


@pytest.fixture(scope="module")
def package(hostile: Path) -> Path:
    """A folder that has this package and nothing else: Python lists it, which walls show whole or not at all."""
    sources = Path(__file__).parent.parent.parent / "lean_agent"
    shutil.copytree(sources, hostile / "package" / "lean_agent", ignore=shutil.ignore_patterns("__pycache__"))
    return hostile / "package"


@pytest.fixture
def stand_in(package: Path, hostile: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lean's stand-in, with all that it needs shown within walls."""
    variables = f"export HOME={Path.home()} PYTHONPATH={package}"
    lean = script(hostile / "bin" / "lean", f'{variables}\nexec {sys.executable} -m lean_agent lean run -- "$@"')
    readable = [Path(sys.prefix), Path(sys.executable).resolve().parent.parent, lean_root(), package, lean.parent]
    readable.append(Path("/etc/ssl/openssl.cnf"))  # Node ends where this is there and may not be read
    monkeypatch.setenv(READABLE_VARIABLE, os.pathsep.join(map(str, readable)))
    return lean


def within(command: Sequence[str], text: str, folder: Path, readable: Sequence[Path], limit_s: float = 600) -> str:
    """Return all that Lean says of a text within walls, as a process of a pool has them."""
    (folder / "Hostile.lean").write_text(text, encoding="utf-8")
    argv = walled([*command, "Hostile.lean"], readable=readable, scratch=folder, environment={})
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=limit_s, env={}, check=False)
    return done.stdout + done.stderr


def found(folder: Path, walls: str) -> dict[str, tuple[int, object]]:
    """Return what lies in a folder; within Landlock without the permissions, which it does not know of."""
    bits = 0o777 if "rights" in LEFT_OPEN[walls] else 0
    return {name: (mode & ~bits, content) for name, (mode, content) in snapshot(folder).items()}


@pytest.mark.lean
@pytest.mark.slow
def test_escapes_from_embedded_lean_lead_nowhere_within_walls(stand_in: Path, walls: str, tmp_path: Path) -> None:
    """Each that test_confinement.py knows. A folder above one that is shown is there, with that one in it alone."""
    project, scratch, marker = project_in(tmp_path), tmp_path / "scratch", tmp_path / "started"
    scratch.mkdir()
    build = f'def BUILD : String := "{project.build}"\n'
    reads = [action.replace("{out}", str(tmp_path)) for action in READS]
    writes = [f'do {action.removeprefix("do ")}; return "!"'.replace("{out}", str(tmp_path)) for action in WRITES]
    writes += [action.replace("{marker}", str(marker)) + '; return "!"' for action in PROGRAMS]
    writes += [f'do IO.FS.writeFile "{project.root}/Made.lean" "new"; return "!"']
    before = found(tmp_path, walls)
    replies = answers(
        within([str(stand_in)], build + "\n".join(map(tried, [*reads, *writes])), scratch, [project.build]),
        [*reads, *writes],
    )
    (scratch / "Hostile.lean").unlink()
    assert found(tmp_path, walls) == before, replies
    assert not marker.exists()
    read = {action: replies[action].strip('"') for action in reads if not replies[action].startswith("REFUSED")}
    (listed,) = (action for action in reads if f'readDir "{tmp_path}"' in action)
    (sized,) = (action for action in reads if ".byteSize" in action)
    left = {listed} if walls == "bubblewrap" else {sized}
    assert set(read) <= left and read.get(listed, "DONE 2") == "DONE 2", read  # build and scratch
    assert not any(Path(folder, "lean-agent-was-here").exists() for folder in ("/etc", "/usr"))


@pytest.mark.lean
@pytest.mark.slow
def test_folders_that_are_shown_cannot_be_changed(stand_in: Path, walls: str, tmp_path: Path) -> None:
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
def test_lean_s_stand_in_traces_and_judges_within_walls(stand_in: Path, walls: str, hostile: Path) -> None:
    project = LeanProject(hostile / "project", hostile / walls / "b")
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


def test_a_lakefile_runs_within_walls(walls: str, tmp_path: Path) -> None:
    lean = says_it_is_lean(tmp_path / "toolchain")
    (tmp_path / "secret.txt").write_text("secret")
    project = tmp_path / "project"
    project.mkdir()
    (project / "lakefile.lean").write_text("package x\n")
    script(
        lean.with_name("lake"),
        f'cat {tmp_path}/secret.txt > stolen; touch {tmp_path}/made; test "$2" = printenv && echo "$PWD/lib"',
    )
    runtime = choose_runtime(str(lean))
    assert runtime.package_folders(LeanProject(project, tmp_path / "b")) == (project / "lib",)
    assert not (tmp_path / "made").exists() and not (project / "stolen").exists()
