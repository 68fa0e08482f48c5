"""Programs of a traced repository, and tactics of a model, try to get out of embedded Lean.

Each test lets real Lean run code that someone hostile wrote, and looks at what became of the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import re
import socket
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.errors import LeanProcessDied, TacticFailure
from lean_agent.files import cache_dir
from lean_agent.lean.embedded import install as installation
from lean_agent.lean.embedded.install import install, node_command
from lean_agent.lean.pantograph import Server
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process.process import LeanProcess, SandboxFolder
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite

pytestmark = pytest.mark.lean

SECRET = "the-secret-of-this-machine"
MADE_UP = {"USER", "LOGNAME", "PATH", "PWD", "HOME", "LANG", "_"}  # variables that the C library invents

Elaborate = Callable[..., str]


@pytest.fixture(scope="module")
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all: another project's turn costs a process where programs have run."""
    return tmp_path_factory.mktemp("confined")


def project_in(folder: Path) -> LeanProject:
    """A project whose build folder holds one plain file and links that lead out of it; a secret lies beside it."""
    (folder / "secret.txt").write_text(SECRET)
    (folder / "root").mkdir()
    build = folder / "build"
    build.mkdir()
    (build / "plain.txt").write_text("a file of the job")
    (build / "file-link").symlink_to(folder / "secret.txt")
    (build / "folder-link").symlink_to(folder)
    (build / "up-link").symlink_to("..")
    return LeanProject(root=folder / "root", build=build)


@pytest.fixture(scope="module")
def project(tmp_path: Path) -> LeanProject:
    """A project from which hostile files come."""
    return project_in(tmp_path)


@pytest.fixture(scope="module")
def elaborate(lean: LeanPool, project: LeanProject) -> Elaborate:
    """All that Lean says about a file that does something hostile. ``BUILD`` is the build folder as Lean sees it.

    A process is seconds busy with the first ``import Lean``, so that a file has it only if it needs it.
    """
    build = f'def BUILD : String := "{build_inside_lean(project)}"\n'

    def run(code: str, imports: str = "") -> str:
        (project.root / "Hostile.lean").write_text(imports + build + code + "\n", encoding="utf-8")
        file = lean.trace_file(project, "Hostile.lean")
        return "\n".join(message.text for message in file.messages)

    return run


async def _one_by_one(texts: Sequence[str]) -> list[str | LeanProcessDied]:
    process, outcomes = await LeanProcess.start(install()), list[str | LeanProcessDied]()
    try:
        for text in texts:
            if not process.alive:
                process = await LeanProcess.start(install())
            try:
                answer = await process.request("trace", timeout_s=60, file="A", module=["A"], text=text)
                outcomes.append("\n".join(message["text"] for message in answer["messages"]))
            except LeanProcessDied as error:
                outcomes.append(error)
        return outcomes
    finally:
        await process.kill()


def outcomes(*texts: str) -> list[str | LeanProcessDied]:
    """What Lean says about each text, or how the process ended of it, without the second try that a pool gives it."""
    return asyncio.run(_one_by_one(texts))


@pytest.fixture
def elsewhere(lean: LeanPool, tmp_path: Path) -> Elaborate:
    """All that Lean says about a file of another project, line by line."""
    other = LeanProject(root=Path(tempfile.mkdtemp(dir=tmp_path)), build=tmp_path / "other-build")

    def run(code: str) -> str:
        (other.root / "B.lean").write_text(code + "\n", encoding="utf-8")
        return "\n".join(message.text for message in lean.trace_file(other, "B.lean").messages)

    return run


def build_inside_lean(project: LeanProject) -> str:
    return "/build-" + hashlib.sha256(str(project.build).encode()).hexdigest()[:16]


def tried(action: str) -> str:
    """``action`` (of type ``IO String``), and a line that says how it went."""
    return (
        f'#eval show IO String from do\n  try return "DONE " ++ (← ({action}))\n  catch e => return s!"REFUSED {{e}}"'
    )


def answers(reply: str, actions: list[str]) -> dict[str, str]:
    """What became of each of the actions that a file has tried, in its order."""
    return dict(zip(actions, re.findall("(?:DONE|REFUSED) .*", reply), strict=True))


READS = [
    'IO.FS.readFile "{out}/secret.txt"',
    'IO.FS.readFile (BUILD ++ "/../../../../../../../../.." ++ "{out}/secret.txt")',
    'IO.FS.readFile (BUILD ++ "/../secret.txt")',
    'IO.FS.readFile (BUILD ++ "/file-link")',
    'IO.FS.readFile (BUILD ++ "/folder-link/secret.txt")',
    'IO.FS.readFile (BUILD ++ "/up-link/secret.txt")',
    'return toString (← System.FilePath.readDir "{out}").size',
    'return toString (← System.FilePath.metadata "{out}/secret.txt").byteSize',
    'IO.FS.readFile "/etc/passwd"',
    'IO.FS.readFile "/proc/self/environ"',
    'IO.FS.readFile "/proc/self/cmdline"',
    'return toString (← IO.FS.readBinFile "/lean/../../../../etc/passwd").size',
    'return toString ((← System.FilePath.readDir "/root").size + (← System.FilePath.readDir "/var").size)',
]


def test_no_file_of_the_machine_is_read(elaborate: Elaborate, tmp_path: Path) -> None:
    reply = elaborate("\n".join(tried(action.replace("{out}", str(tmp_path))) for action in READS))
    read = {action: answer for action, answer in answers(reply, READS).items() if not answer.startswith("REFUSED")}
    assert read == {}
    assert SECRET not in reply
    assert "root:" not in reply


def test_the_folder_of_the_job_is_read(elaborate: Elaborate) -> None:
    assert "DONE a file of the job" in elaborate(tried('IO.FS.readFile (BUILD ++ "/plain.txt")'))
    listed = elaborate(tried("return toString (← System.FilePath.readDir BUILD).size"))
    assert "DONE 3" in listed  # that file, Hostile.olean and its mark, and no link


def test_text_is_not_included_from_elsewhere(elaborate: Elaborate, tmp_path: Path) -> None:
    assert SECRET not in elaborate(f'#eval include_str "{tmp_path}/secret.txt"\n#eval include_str "../secret.txt"')


WRITES = [
    'IO.FS.writeFile "{out}/secret.txt" "changed"',
    'IO.FS.writeFile "{out}/new.txt" "new"',
    'IO.FS.writeFile (BUILD ++ "/Forged.olean") "new"',
    'IO.FS.writeFile (BUILD ++ "/plain.txt") "changed"',
    'IO.FS.writeFile (BUILD ++ "/file-link") "changed"',
    'IO.FS.writeFile (BUILD ++ "/folder-link/new.txt") "new"',
    'IO.FS.writeFile (BUILD ++ "/../new.txt") "new"',
    'do let h ← IO.FS.Handle.mk (BUILD ++ "/plain.txt") .append; h.putStr "changed"; h.flush',
    'do let h ← IO.FS.Handle.mk (BUILD ++ "/plain.txt") .readWrite; h.putStr "changed"; h.flush; h.truncate',
    'IO.FS.createDirAll (BUILD ++ "/made/here")',
    'IO.FS.createDirAll "{out}/made"',
    'IO.setAccessRights (BUILD ++ "/plain.txt") { user := { read := true, write := true, execution := true } }',
    'IO.FS.writeFile "/lean/lib/lean/Init.olean" "changed"',
    'IO.FS.writeFile "/etc/lean-agent-was-here" "new"',
    'IO.FS.writeFile "/usr/lean-agent-was-here" "new"',
    # last, as the others would find nothing after them
    'IO.FS.rename (BUILD ++ "/plain.txt") (BUILD ++ "/other.txt")',
    'IO.FS.removeFile (BUILD ++ "/plain.txt")',
    "IO.FS.removeDirAll BUILD",
    'IO.FS.rename BUILD "/elsewhere"',
    'IO.FS.rename "/lean" "/elsewhere"',
]


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in folder.rglob("*")
        if path.stem != "Hostile"
    }


def test_no_file_of_the_machine_is_written(elaborate: Elaborate, tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    programs = (action.removeprefix("do ").replace("{out}", str(tmp_path)) for action in WRITES)
    reply = elaborate("\n".join(tried(f'do {program}; return "!"') for program in programs))
    assert len(answers(reply, WRITES)) == len(WRITES)  # in files of its own, in memory, a program may do what it likes
    assert snapshot(tmp_path) == before, answers(reply, WRITES)
    library = install().lean / "lib" / "lean" / "Init.olean"
    assert library.stat().st_size > 1000
    assert not any(Path(folder, "lean-agent-was-here").exists() for folder in ("/etc", "/usr"))
    assert "DONE a file of the job" in elaborate(tried('IO.FS.readFile (BUILD ++ "/plain.txt")'))  # all is where it was


PROGRAMS = [
    'do discard <| IO.Process.output { cmd := "touch", args := #["{marker}"] }',
    'do discard <| IO.Process.spawn { cmd := "/bin/sh", args := #["-c", "touch {marker}"] }',
    'do discard <| IO.Process.run { cmd := "touch", args := #["{marker}"] }',
]


def test_no_process_is_started(elaborate: Elaborate, tmp_path: Path) -> None:
    marker = tmp_path / "started"
    reply = elaborate("\n".join(tried(action.replace("{marker}", str(marker)) + '; return "!"') for action in PROGRAMS))
    assert [answer[:7] for answer in answers(reply, PROGRAMS).values()] == ["REFUSED"] * len(PROGRAMS)
    assert not marker.exists()


# A declaration can take the name of a function of the C library or of the JavaScript around it, and the interpreter
# calls that one. Strings are passed by their address: their text starts 20 bytes into the object.
NATIVE = """
@[export SYMBOL] opaque native (text : USize) : UInt32
unsafe def attempt : IO Unit := do
  let text := "TEXT"
  IO.println s!"native said {native (ptrAddrUnsafe text + 20)}"
#eval attempt
"""


@pytest.mark.slow
def test_native_functions_lead_nowhere(tmp_path: Path, project: LeanProject) -> None:
    marker, script = tmp_path / "started", project.build / "script.js"
    javascript = f"require('fs').writeFileSync('{marker}', 'x')"
    script.write_text(javascript)
    hostile = {
        "system": f"touch {marker}",
        "emscripten_run_script": javascript,
        "emscripten_create_worker": str(script),
    }
    texts = [NATIVE.replace("SYMBOL", symbol).replace("TEXT", text) for symbol, text in hostile.items()]
    assert len(outcomes(*texts)) == len(hostile)  # the process may end of it
    assert not marker.exists()


def test_the_environment_is_not_seen(tmp_path: Path, project: LeanProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", SECRET)
    names = sorted({*os.environ, "HF_TOKEN", "NODE_OPTIONS"})
    wanted = ", ".join(json.dumps(name, ensure_ascii=False) for name in names)
    code = f"#eval show IO Unit from do\n  for name in [{wanted}] do\n"
    code += '    if let some v ← IO.getEnv name then IO.println s!"{name}={v}"'
    (project.root / "Hostile.lean").write_text(code + "\n", encoding="utf-8")
    with LeanPool(1) as pool:
        reply = "\n".join(m.text for m in pool.trace_file(project, "Hostile.lean").messages)
        (pid,) = pool.pids()
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    seen = dict(line.split("=", 1) for line in reply.splitlines() if "=" in line)
    assert SECRET not in reply
    assert set(seen) <= MADE_UP, reply
    assert seen.get("HOME", "") != os.environ.get("HOME", "")
    assert environment == b"MALLOC_ARENA_MAX=1\0"


# Whatever speaks of files, processes or the machine: what it says, and the words of its error.
TELLING = [
    "return toString (← IO.appPath)",
    "return toString (← IO.currentDir)",
    'return toString (← IO.FS.realPath "x")',
    'return toString (← IO.FS.realPath ".")',
    'return toString (← IO.FS.realPath (BUILD ++ "/plain.txt"))',
    'return toString (← IO.FS.realPath "/lean/Init.olean")',
    'do Lean.loadDynlib "x"; return ""',
    'do Lean.loadDynlib (BUILD ++ "/plain.txt"); return ""',
    'do Lean.loadPlugin "x"; return ""',
    'do discard <| Lean.Dynlib.load "x"; return ""',
    'IO.FS.readFile "x"',
    "IO.FS.readFile BUILD",
    'IO.FS.readFile (BUILD ++ "/none")',
    'IO.FS.readFile "/lean/none"',
    'do IO.FS.writeFile (BUILD ++ "/new") ""; return ""',
    'do IO.FS.writeFile "/lean/new" ""; return ""',
    'do IO.FS.removeFile (BUILD ++ "/plain.txt"); return ""',
    'do IO.FS.removeDir BUILD; return ""',
    'do IO.FS.removeDirAll "/none"; return ""',
    'do IO.FS.createDir (BUILD ++ "/new"); return ""',
    'do IO.FS.createDirAll "/lean/a/b"; return ""',
    'do IO.FS.rename (BUILD ++ "/plain.txt") "/tmp/x"; return ""',
    'do IO.FS.hardLink (BUILD ++ "/plain.txt") "/tmp/x"; return ""',
    "do IO.FS.createTempFile >>= fun (_, path) => return toString path",
    "return toString (← IO.FS.createTempDir)",
    'return (toString <| (← System.FilePath.readDir "/").map (·.path))',
    "return (toString <| (← System.FilePath.readDir BUILD).map (·.path))",
    'return (toString <| (← System.FilePath.readDir "/none").map (·.path))',
    'return toString (← System.FilePath.metadata "/none").byteSize',
    'return toString (← System.FilePath.pathExists "/root")',
    'return toString (← (System.FilePath.walkDir "/dev")).size',
    'do IO.Process.setCurrentDir "/none"; return ""',
    "return toString (← IO.Process.getCurrentDir)",
    'IO.Process.run { cmd := "ls" }',
    'IO.Process.run { cmd := "/bin/ls", cwd := some "/none" }',
    'return (← IO.Process.output { cmd := "env" }).stdout',
    "return toString (← IO.Process.getPID)",
    'return (← IO.getEnv "PATH").getD ""',
    'return (← IO.getEnv "HOME").getD ""',
    'return (← IO.getEnv "PWD").getD ""',
    'return (← IO.getEnv "_").getD ""',
    'return (← IO.getEnv "LEAN_PATH").getD ""',
    'return (← IO.getEnv "LEAN_SYSROOT").getD ""',
    "return toString (← Lean.findSysroot)",
    'return toString (← Lean.findSysroot "node")',
    "return toString (← Lean.getBuildDir)",
    'return toString (← Lean.getLibDir "/lean")',
    'do Lean.initSearchPath "/none"; return toString (← Lean.searchPathRef.get)',
    "return toString (← Lean.searchPathRef.get)",
    "return toString (← Lean.findOLean `None)",
    "return toString (← Lean.findOLean `Init)",
    'do discard <| Lean.readModuleData "/none"; return ""',
    'do discard <| Lean.readModuleData (BUILD ++ "/plain.txt"); return ""',
    'do discard <| Lean.importModules #[{ module := `None }] {}; return ""',
    'return toString (Lean.Compiler.FFI.getCFlags "/lean")',
    'do (← IO.FS.Handle.mk "/proc/self/maps" .read).readToEnd',
    'IO.FS.readFile "/proc/self/status"',
    'IO.FS.readFile "/etc/hostname"',
]


@pytest.mark.long
def test_the_machine_is_not_told_where_anything_lies(
    elaborate: Elaborate, tmp_path: Path, project: LeanProject
) -> None:
    heard = elaborate("\n".join(map(tried, TELLING)), imports="import Lean\n")
    assert len(answers(heard, TELLING)) == len(TELLING)
    where = install()
    package = Path(installation.__file__).parents[3]
    folders = [tmp_path, project.root, where.lean, where.agent, where.node, package, cache_dir(), Path.cwd()]
    for folder in folders:
        assert str(folder) not in heard and str(folder.resolve()) not in heard, folder
    assert "node:" not in heard and "file://" not in heard


NETWORK = """
import Std.Internal.UV.TCP
import Std.Net
open Std.Internal.UV.TCP Std.Net
#eval show IO Unit from do
  try
    let socket ← Socket.new
    let promise ← socket.connect (.v4 ⟨.ofParts 127 0 0 1, PORT⟩)
    IO.println "ASKED"
  catch e => IO.println s!"REFUSED {e}"
"""


# The C library's own sockets, called by their names: an address is 16 bytes, which a string can hold.
SOCKETS = """
@[export socket] opaque socket (domain type protocol : UInt32) : UInt32
@[export connect] opaque connect (socket : UInt32) (address : USize) (size : UInt32) : UInt32
unsafe def attempt : IO Unit := do
  let address := "\x02\x00HIGHLOW\x7f\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00"
  IO.println s!"ASKED {connect (socket 2 1 0) (ptrAddrUnsafe address + 20) 16}"
#eval attempt
#eval IO.sleep 1000
"""


def plain_server() -> socket.socket:
    """A server on a port whose two bytes are ASCII."""
    for port in range(0x3030, 0x7F7F):
        if port % 256 < 0x7F and port % 256 > 0x20:
            with contextlib.suppress(OSError):
                return socket.create_server(("127.0.0.1", port))
    raise OSError("no port is free")


@pytest.mark.slow
def test_no_network() -> None:
    """Neither through Lean's own sockets, of which this Lean has none, nor through those of the C library."""
    with plain_server() as server:
        server.settimeout(1.0)
        port = server.getsockname()[1]
        high, low = divmod(port, 256)
        of_c = SOCKETS.replace("HIGH", f"\\x{high:02x}").replace("LOW", f"\\x{low:02x}")
        _, of_lean = outcomes(of_c, NETWORK.replace("PORT", str(port)))
        assert isinstance(of_lean, LeanProcessDied) or "ASKED" not in of_lean
        with pytest.raises(TimeoutError):
            server.accept()


# -- our own channels


def test_requests_are_not_read_and_answers_not_forged(elaborate: Elaborate) -> None:
    forged = json.dumps(json.dumps({"id": 0, "theorems": [], "declarations": [], "messages": [], "imports": []}) + "\n")
    assert "REFUSED" in elaborate(tried('return (← IO.FS.readFile "/dev/tty")'))
    for path in ("/dev/answers", "/dev/tty", "/dev/tty1", "/proc/self/fd/3", "/proc/self/fd/1"):  # a file for each:
        reply = elaborate(tried(f'do IO.FS.writeFile "{path}" {forged}; return "!"'))  # its answer would be the forgery
        assert "REFUSED" in reply or "DONE" in reply
    assert r"DONE \"\"" in elaborate(tried("return (← (← IO.getStdin).getLine).quote"))
    assert "still here" in elaborate('#eval IO.println "still here"')


def test_noise_on_the_standard_channels_is_no_answer(lean: LeanPool, elaborate: Elaborate) -> None:
    for channel in ("getStdout", "getStderr"):
        code = f"#eval show IO Unit from do\n  let out ← (IO.{channel} : IO IO.FS.Stream)\n"
        elaborate(code + '  for _ in [0:20000] do out.putStr "{}\\n{\\"id\\": 1}\\n"')
    assert lean.goal_tactic(lean.goal_start("1 = 1"), "rfl").is_solved


def test_a_program_that_ends_the_process_is_named() -> None:
    (died,) = outcomes("#eval (IO.Process.exit 7 : IO Unit)\n")
    assert isinstance(died, LeanProcessDied) and "exit code 7" in str(died)


# -- one job and the next


@pytest.mark.long
def test_a_job_finds_nothing_of_an_earlier_one(
    elaborate: Elaborate, elsewhere: Elaborate, project: LeanProject
) -> None:
    elaborate(
        "initialize kept : IO.Ref (Option IO.FS.Handle) ← IO.mkRef none\n"
        '#eval show IO Unit from do\n  IO.FS.createDirAll "/tmp/note"\n  IO.FS.writeFile "/tmp/note/left.txt" "left"\n'
        "#eval show IO Unit from do\n  discard <| IO.asTask (prio := .dedicated) do\n"
        '    let h ← IO.FS.Handle.mk (BUILD ++ "/plain.txt") .read\n    IO.sleep 500\n'
        '    IO.FS.writeFile "/tmp/seen.txt" (← h.readToEnd)'
    )
    mine = build_inside_lean(project)
    reply = elsewhere(
        "\n".join(
            tried(f'IO.FS.readFile "{path}"') for path in (f"{mine}/plain.txt", "/tmp/note/left.txt", "/tmp/seen.txt")
        )
        + "\n#eval IO.sleep 800\n"
        + tried('IO.FS.readFile "/tmp/seen.txt"')
    )
    assert reply.count("REFUSED") == 4, reply
    assert "DONE" not in reply


# -- from a tactic


# What a repository may have made, so that a model may use it: a tactic that runs whatever program it is given, and
# other ways in which elaboration comes to run one. The walls are what holds.
CARRIERS = """
import Lean
import Std.Internal.UV.TCP
open Lean Elab Meta Tactic Std.Internal.UV.TCP Std.Net

def BUILD : String := "{build}"

unsafe def evaluatedUnsafe (program : Syntax) : TacticM String := do
  (← Term.evalTerm (IO String) (mkApp (mkConst ``IO) (mkConst ``String)) program)
@[implemented_by evaluatedUnsafe] opaque evaluated (program : Syntax) : TacticM String

elab "program " program:term : tactic => do
  let said ← try pure ("DONE " ++ (← evaluated program)) catch e => pure s!"REFUSED {← e.toMessageData.toString}"
  throwError said

def connected (port : UInt16) : IO String := do
  let socket ← Socket.new
  discard <| socket.connect (.v4 ⟨.ofParts 127 0 0 1, port⟩)
  return "!"

@[export system] opaque native (command : USize) : UInt32
unsafe def nativelyUnsafe (command : String) : IO String := return toString (native (ptrAddrUnsafe command + 20))
@[implemented_by nativelyUnsafe] opaque natively (command : String) : IO String

def one (act : IO α) : IO String := do
  try discard act; return "DONE" catch _ => return "REFUSED"

/-- Something of every kind. -/
def each : IO String := return " ".intercalate [
  ← one <| IO.FS.readFile "{out}/secret.txt", ← one <| IO.FS.readFile (BUILD ++ "/file-link"),
  ← one <| IO.FS.readFile (BUILD ++ "/../secret.txt"),
  ← one <| IO.FS.writeFile "{out}/made" "x", ← one <| IO.Process.output { cmd := "touch", args := #["{out}/made"] }]

initialize atImport : IO.Ref String ← do IO.mkRef (← each)

elab "by_initializer" : tactic => do throwError (← atImport.get)
def aloud : TacticM Unit := do throwError (← each)
elab "by_elaborator" : tactic => aloud
elab "by_term%" : term => do throwError (← each)
macro "by_macro" : tactic => `(tactic| run_tac aloud)
def Marked (p : Prop) : Prop := p
simproc_decl bySimproc (Marked _) := fun _ => do throwError (← each)
@[delab app.Marked] def byPrinter : PrettyPrinter.Delaborator.Delab := return Syntax.mkStrLit (← each)
"""


EACH_REFUSED = " ".join(["REFUSED"] * 5)


@pytest.fixture(scope="module")
def model(lean: LeanPool, tmp_path: Path) -> GoalState:
    """The state of a proof in which a model can use such a repository's tactics."""
    (tmp_path / "model").mkdir()
    project = project_in(tmp_path / "model")
    (project.root / "Carriers.lean").write_text(
        CARRIERS.replace("{out}", str(tmp_path)).replace("{build}", build_inside_lean(project)), encoding="utf-8"
    )
    (project.root / "Part").mkdir()
    (project.root / "Part" / "Use.lean").write_text("import Carriers\ntheorem t : 1 = 1 := by\n  rfl\n")
    for file in ("Carriers.lean", "Part/Use.lean"):
        assert not lean.trace_file(project, file).errors
    return lean.goal_start(TheoremSite(project, "Part/Use.lean", "t"))


def said_by(lean: LeanPool, state: GoalState, tactic: str) -> str:
    """What the message of a tactic's failure is, and for the pool it was a tactic like any other."""
    pids = lean.pids()
    result, after = lean.goal_tactics([(state, tactic), (state, "rfl")])
    assert isinstance(after, GoalState) and after.is_solved
    assert lean.pids() == pids
    assert isinstance(result, TacticFailure) and result.kind == "error", (tactic, result)
    return result.message


@pytest.mark.parametrize("action", [*READS, 'IO.FS.readFile (BUILD ++ "/plain.txt")'])
def test_a_tactic_reads_no_file(lean: LeanPool, model: GoalState, tmp_path: Path, action: str) -> None:
    reply = said_by(lean, model, f"program ({action.replace('{out}', str(tmp_path))})")
    assert reply.startswith("REFUSED"), reply
    assert SECRET not in reply


@pytest.mark.parametrize("action", [*WRITES, *PROGRAMS])
def test_a_tactic_writes_no_file_and_starts_no_process(
    lean: LeanPool, model: GoalState, tmp_path: Path, action: str
) -> None:
    before = snapshot(tmp_path)
    program = action.removeprefix("do ").replace("{out}", str(tmp_path)).replace("{marker}", str(tmp_path / "started"))
    reply = said_by(lean, model, f'program (do {program}; return "!")')
    assert reply.startswith("REFUSED" if action in PROGRAMS else ("REFUSED", "DONE")), reply
    assert snapshot(tmp_path) == before
    assert (install().lean / "lib" / "lean" / "Init.olean").stat().st_size > 1000
    assert not any(Path(folder, "lean-agent-was-here").exists() for folder in ("/etc", "/usr"))


def test_a_tactic_sees_no_environment(lean: LeanPool, model: GoalState) -> None:
    names = ", ".join(json.dumps(name, ensure_ascii=False) for name in sorted({*os.environ, "NODE_OPTIONS"}))
    look = f'[{names}].mapM fun n => return n ++ "=" ++ (← IO.getEnv n).getD "(none)"'
    reply = said_by(lean, model, f'program (return "\\n".intercalate (← {look}))').removeprefix("DONE ")
    seen = dict(line.split("=", 1) for line in reply.splitlines())
    assert len(seen) > len(os.environ)
    seen = {name: value for name, value in seen.items() if value != "(none)"}
    assert set(seen) <= MADE_UP, reply
    assert seen.get("HOME", "") != os.environ.get("HOME", "")


BY_WHOM = [
    "by_elaborator",
    "exact by_term%",
    "by_macro",
    "have : Marked True := by simp only [bySimproc]",
    "by_initializer",
]


@pytest.mark.parametrize("tactic", BY_WHOM)
def test_whatever_runs_it_a_program_is_behind_the_walls(
    lean: LeanPool, model: GoalState, tmp_path: Path, tactic: str
) -> None:
    assert said_by(lean, model, tactic) == EACH_REFUSED
    assert not (tmp_path / "made").exists()


def test_so_is_one_that_runs_when_a_goal_is_printed(lean: LeanPool, model: GoalState, tmp_path: Path) -> None:
    shown = lean.goal_tactic(model, "have : Marked True := trivial")
    assert f'"{EACH_REFUSED}"' in shown.goals[0].text
    assert not (tmp_path / "made").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        pytest.param("connected {port}", marks=pytest.mark.long, id="net"),
        pytest.param('natively "touch {out}/started"', marks=pytest.mark.long, id="native"),
        pytest.param("IO.Process.exit 7", id="exit"),
    ],
)
def test_a_tactic_whose_program_ends_the_process_costs_nobody_else_anything(
    lean: LeanPool, model: GoalState, tmp_path: Path, program: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        program = program.format(port=server.getsockname()[1], out=tmp_path)
        results = lean.goal_tactics([(model, f"program ({program})"), (model, "rfl"), (model, "exact nonsense")])
        with pytest.raises(TimeoutError):
            server.accept()
    assert isinstance(results[0], LeanProcessDied | TacticFailure) and "DONE" not in str(results[0])
    assert isinstance(results[1], GoalState) and results[1].is_solved
    assert isinstance(results[2], TacticFailure)
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        ('bv_check "../secret.txt"', "no such file"),
        ('bv_check "{out}/secret.txt"', "no such file"),
        ("bv_decide", "not implemented"),  # a SAT solver is a process
        ("bv_decide?", "not implemented"),  # what it says would go to a file
    ],
)
def test_lean_s_own_tactics_that_use_files_and_processes_have_none(
    lean: LeanPool, model: GoalState, tmp_path: Path, proof: str, words: str
) -> None:
    before = snapshot(tmp_path)
    tactic = f"have (x y : BitVec 8) : x * y = y * x := by {proof.format(out=tmp_path)}"
    assert words in said_by(lean, model, tactic)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    "tactic",
    [
        'run_tac do IO.FS.writeFile "{out}" "x"',
        'exact (by_elab do IO.FS.writeFile "{out}" "x"; return .const ``True.intro [])',
        'exact absurd (include_str "/etc/passwd") (by simp)',
        'have := include_str "/etc/passwd"; skip',
        "unsafe trivial",
        'eval_io "{out}"',
        'simp [show True from (unsafe (dbg_trace "x"; trivial))]',
        '#eval IO.FS.writeFile "{out}" "x"',
        'open Lean in run_tac IO.FS.writeFile "{out}" "x"',
        'trivial\n#eval IO.FS.writeFile "{out}" "x"',
        'exact run_elab do IO.FS.writeFile "{out}" "x"; return .const ``True.intro []',
        "native_decide",
    ],
)
def test_a_tactic_that_a_model_could_write_runs_no_program(lean: LeanPool, tmp_path: Path, tactic: str) -> None:
    state = lean.goal_start("True")
    (result,) = lean.goal_tactics([(state, tactic.replace("{out}", str(tmp_path / "made")))])
    assert isinstance(result, TacticFailure) or (isinstance(result, GoalState) and "include_str" in tactic)
    shown = str(result) if isinstance(result, TacticFailure) else result.goals[0].text
    assert "root:" not in shown
    assert not (tmp_path / "made").exists()


# -- the outer wall, should the inner one fall


OUTER = """
const tries = {
  read: () => require("fs").readFileSync(SECRET_FILE, "utf8"),
  readThroughSandbox: () => require("fs").readFileSync(FOLDER + "/../" + require("path").basename(SECRET_FILE), "utf8"),
  list: () => require("fs").readdirSync("/etc").length,
  write: () => require("fs").writeFileSync(MARKER, "x"),
  writeHere: () => require("fs").writeFileSync(__dirname + "/made", "x"),
  writeSandbox: () => require("fs").writeFileSync(FOLDER + "/made", "x"),
  link: () => require("fs").symlinkSync(SECRET_FILE, FOLDER + "/link"),
  spawn: () => require("child_process").spawnSync("touch", [MARKER]).status,
  evaluate: () => eval("1 + 1"),
  compile: () => new Function("return 1")(),
  binding: () => process.binding("fs"),
  inspector: () => require("inspector").open(0),
  connect: () => require("net").connect(PORT, "127.0.0.1"),
  connectByUrl: () => fetch(`http://127.0.0.1:${PORT}/`),
  socket: () => new WebSocket(`ws://127.0.0.1:${PORT}/`),
  datagram: () => require("node:dgram").createSocket("udp4").send("x", PORT, "127.0.0.1"),
  http: () => require("http").get(`http://127.0.0.1:${PORT}/`),
  tls: () => require("tls").connect(PORT, "127.0.0.1"),
  names: () => require("dns").lookup("localhost", () => {}),
  builtin: () => process.getBuiltinModule("net").connect(PORT, "127.0.0.1"),
};
const results = {};
for (const [name, attempt] of Object.entries(tries)) {
  try { attempt(); results[name] = "done"; } catch (e) { results[name] = e.code ?? e.name; }
}
try { require("fs").readFileSync(FOLDER + "/job/plain.txt"); results.job = "done"; } catch (e) { results.job = e.code; }
const { Worker, isMainThread, parentPort } = require("worker_threads");
if (isMainThread) {
  const worker = new Worker(__filename, { argv: process.argv.slice(2) });
  worker.on("message", (inWorker) => console.log(JSON.stringify({ results, inWorker })));
} else parentPort.postMessage(results);
"""


def test_the_node_process_itself_is_confined(tmp_path: Path, project: LeanProject) -> None:
    secret, marker = tmp_path / "secret.txt", tmp_path / "started"
    host = tmp_path / "own" / "host.cjs"
    host.parent.mkdir()
    sandbox = SandboxFolder()
    try:
        shown = sandbox.show([["/job", str(project.build)]])
        assert shown == [["/job", f"{sandbox.path}/job"]]
        names = {"SECRET_FILE": str(secret), "MARKER": str(marker), "FOLDER": str(sandbox.path), "PORT": 9}
        head = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in names.items())
        host.write_text(head + OUTER)
        where = replace(install(), host=host)
        command = node_command(where, "serve", where.agent, sandbox.path)
        done = subprocess.run(command, env={}, capture_output=True, text=True, timeout=120, check=True)
        told = json.loads(done.stdout)
        for results in (told["results"], told["inWorker"]):
            assert results.pop("job") == "done"  # what the job needs is there
            assert set(results.values()) <= {"ERR_ACCESS_DENIED", "EvalError"}, results
        sandbox.show([])
        done = subprocess.run(command, env={}, capture_output=True, text=True, timeout=120, check=True)
        assert json.loads(done.stdout)["results"]["job"] == "ENOENT"  # and gone with it
        sandbox.path.rmdir()
        sandbox.show([["/job", str(project.build)]])  # a sandbox that was tidied away is made again
        assert (sandbox.path / "job" / "plain.txt").is_file()
    finally:
        sandbox.remove()
    assert not sandbox.path.exists()
    assert not marker.exists()


def test_a_folder_that_is_gone_is_an_error_of_one_request(lean: LeanPool) -> None:
    async def ask() -> dict[str, object]:
        process = await LeanProcess.start(install())
        try:
            refused = await process.request("ping", timeout_s=30, mounts=[["/build-x", "/nowhere/at/all"]])
            assert "is not there" in refused["error"]
            return await process.request("ping", timeout_s=30)
        finally:
            await process.kill()

    assert "version" in asyncio.run(ask())


def test_a_session_finds_nothing_of_another(lean: LeanPool, elaborate: Elaborate) -> None:
    def reply_to(server: Server, action: str) -> str:
        return "\n".join(m.data for unit in server.check_compile(tried(action)) for m in unit.messages)

    elaborate(tried('do IO.FS.writeFile "/left.txt" "left"; return "!"'))
    with Server(pool=lean) as first, Server(pool=lean, imports=["Init", "Std.Data.HashMap"]) as other:
        assert "REFUSED" in reply_to(first, 'IO.FS.readFile "/left.txt"')
        reply_to(
            first,
            'do IO.FS.createDirAll "/agent/Std/Data"; IO.FS.writeFile "/agent/Std/Data/HashMap.olean" ""; return "!"',
        )
        assert "DONE" in reply_to(first, 'do IO.FS.writeFile "/note.txt" "mine"; return "!"')
        assert "DONE mine" in reply_to(first, 'IO.FS.readFile "/note.txt"')  # a session's own
        # what the first has put where our code was once compiled is nobody's library
        assert other.goal_start("Std.HashMap.size (∅ : Std.HashMap Nat Nat) = 0").goals
        assert "REFUSED" in reply_to(other, 'IO.FS.readFile "/note.txt"')
        assert "REFUSED" in reply_to(first, 'IO.FS.readFile "/note.txt"')
        reply_to(first, 'do IO.FS.writeFile "/note.txt" "mine"; return "!"')
        lean.goal_start("1 = 1")
        assert "REFUSED" in reply_to(first, 'IO.FS.readFile "/note.txt"')


FOLDERS = ["", "/tmp", "/dev", "/dev/shm", "/dev/shm/tmp", "/proc", "/proc/self"]


def by_turns(folder: Path, texts: Sequence[str]) -> list[str]:
    """What Lean says of the texts of two projects by turns, in a process that goes on: a pool would replace it."""
    builds = [Path(tempfile.mkdtemp(dir=folder)) for _ in range(2)]
    places = [[[build_inside_lean(LeanProject(folder, build)), str(build)]] for build in builds]

    async def run() -> list[str]:
        process, heard = await LeanProcess.start(install()), list[str]()
        try:
            for turn, text in enumerate(texts):
                asked = {"file": "A", "module": ["A"], "text": text, "mounts": places[turn % 2]}
                answer = await process.request("trace", timeout_s=60, **asked)
                heard.append("\n".join(message["text"] for message in answer["messages"]))
            return heard
        finally:
            await process.kill()

    return asyncio.run(run())


def test_no_folder_keeps_what_a_program_wrote(tmp_path: Path) -> None:
    ways = {
        "written": 'IO.FS.writeFile "{path}" "left"',
        "made": 'IO.FS.createDirAll "{path}"',
        "moved": 'do IO.FS.writeFile "/left.txt" "left"; IO.FS.rename "/left.txt" "{path}"',
    }
    left = {f"{folder}/{way}.txt": action for way, action in ways.items() for folder in FOLDERS}
    look = "\n".join(tried(f'return toString (← System.FilePath.pathExists "{path}")') for path in left)
    write = "\n".join(f"#eval show IO Unit from {action.format(path=path)}" for path, action in left.items())
    _, there = by_turns(tmp_path, [write, look])
    assert answers(there, list(left)) == dict.fromkeys(left, 'DONE false"')


TAKEN_AWAY = {
    "by rights": ['(NOBODY "/tmp")', '(NOBODY "/dev")', '(NOBODY "/")'],
    "of its own, by rights": ['IO.FS.createDirAll "/a/b"; IO.FS.writeFile "/a/b/c" ""; (NOBODY "/a/b"); (NOBODY "/a")'],
    "by names": ['IO.FS.rename "/dev/null" "/null"', 'IO.FS.rename "/dev" "/gone"', 'IO.FS.rename "/tmp" "/gone2"'],
    "altogether": ['IO.FS.removeFile "/dev/null"', 'IO.FS.removeDirAll "/tmp"'],
}


def test_a_program_takes_no_folder_away_from_others(tmp_path: Path) -> None:
    nobody = "def takeAway (f : String) : IO Unit := IO.setAccessRights f ⟨{}, {}, {}⟩\n"
    used = tried('do IO.FS.writeFile "/tmp/mine" "mine"; IO.FS.writeFile "/dev/null" "x"; IO.FS.readFile "/tmp/mine"')
    seen = tried(
        'return toString ((← System.FilePath.readDir "/").map (·.fileName) |>.filter (! ·.startsWith "build-"))'
    )
    texts = []
    for actions in TAKEN_AWAY.values():
        programs = (action.replace("NOBODY", "takeAway") for action in actions)
        texts += [nobody + "\n".join(tried(f'do {program}; return "!"') for program in programs), f"{used}\n{seen}"]
    everything = '"DONE mine"\n"DONE #[dev, proc, lean, tmp]"'
    assert dict(zip(TAKEN_AWAY, by_turns(tmp_path, texts)[1::2], strict=True)) == dict.fromkeys(TAKEN_AWAY, everything)
