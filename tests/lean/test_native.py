"""A native toolchain. Its part is played by a stand-in: a ``lean`` made of the embedded one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

import lean_agent
from lean_agent.errors import LeanInstallError, LeanRequestError
from lean_agent.lean.native.lake import found_library_path, library_path
from lean_agent.lean.native.toolchain import (
    OPTIONS,
    NativeInstallation,
    NativeLean,
    find_toolchain,
    install_native,
    is_up_to_date,
)
from lean_agent.lean.native.walls import TRUST_VARIABLE
from lean_agent.lean.pantograph import Server, ServerError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process.runtime import LEAN_VARIABLE, EmbeddedRuntime, NativeRuntime, choose_runtime
from lean_agent.lean.types import LeanProject

pytestmark = pytest.mark.lean


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def says_it_is_lean(folder: Path, version: str = "4.28.0") -> Path:
    """A `lean` in a toolchain's folder that says its version, and leaves an empty file as a compiled module."""
    answers = f"--version) echo 'Lean (version {version}, x86_64)' ;; --print-prefix) echo {folder} ;;"
    return script(folder / "bin" / "lean", f'case $1 in {answers} -R) : > "$4" ;; esac')


def call(
    toolchain: Path, *arguments: str, folder: Path, text: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(toolchain / "bin" / "lean"), *arguments],
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, **more},
    )


# -- the command `lean`


def test_the_command_says_what_it_is(toolchain: Path, tmp_path: Path) -> None:
    done = call(toolchain, "--version", folder=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("Lean (version 4.28.0")
    prefix = call(toolchain, "--print-prefix", folder=tmp_path).stdout.strip()
    libraries = call(toolchain, "--print-libdir", folder=tmp_path).stdout.strip()
    assert libraries == f"{prefix}/lib/lean"
    assert Path(libraries, "Init.olean").is_file()


def test_a_file_is_elaborated_as_the_stock_program_does(toolchain: Path, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text(
        'theorem a : 1 = 1 := rfl\n#eval IO.println "said"\n#check a\ntheorem b : 1 = 2 := rfl\n'
    )
    done = call(toolchain, "-j4", "A.lean", folder=tmp_path)
    assert done.returncode == 1
    assert "A.lean:4:" in done.stdout and "error" in done.stdout
    assert "said" in done.stdout
    assert "a : 1 = 1" in done.stdout
    assert "DEBUG" not in done.stdout + done.stderr


@pytest.mark.long
def test_compiled_modules_are_imported_and_programs_run(toolchain: Path, tmp_path: Path) -> None:
    (tmp_path / "Twice.lean").write_text("def twice (n : Nat) : Nat := n + n\n")
    (tmp_path / "Main.lean").write_text(
        "import Twice\n"
        "def main (arguments : List String) : IO UInt32 := do\n"
        '  let line ← (← IO.getStdin).getLine\n  IO.println s!"{twice 21} {arguments} {line.trimAscii}"\n'
        '  IO.eprintln "aside"\n  IO.FS.writeFile "out.txt" "written"\n  return 7\n'
    )
    made = call(toolchain, "-o", "Twice.olean", "Twice.lean", folder=tmp_path)
    assert (made.returncode, made.stdout) == (0, "")
    done = call(toolchain, "--run", "Main.lean", "x", "-y", folder=tmp_path, text="in\n", LEAN_PATH=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (7, "42 [x, -y] in\n", "aside\n")
    assert (tmp_path / "out.txt").read_text() == "written"


def test_lines_of_any_length_come_in_whole(toolchain: Path, tmp_path: Path) -> None:
    """Those that end where a read of 1,024 or 65,536 bytes does are no end of the input."""
    (tmp_path / "Lengths.lean").write_text(
        "def main : IO Unit := do\n  let stdin ← IO.getStdin\n  repeat\n    let line ← stdin.getLine\n"
        '    if line.isEmpty then break\n    IO.println s!"{line.length}"\n'
    )
    lengths = [1, 1023, 1024, 65536, 200_000, 3]
    text = "".join("x" * (length - 1) + "\n" for length in lengths)
    done = call(toolchain, "--run", "Lengths.lean", folder=tmp_path, text=text)
    assert (done.returncode, done.stdout.split()) == (0, [str(length) for length in lengths])


def test_text_comes_from_standard_input_too_and_options_are_set(toolchain: Path, tmp_path: Path) -> None:
    done = call(
        toolchain,
        *("--stdin", "-DautoImplicit=true", "-Dweak.no.such.option=1", "--json"),
        folder=tmp_path,
        text="#check 1 + 1\n",
    )
    assert done.returncode == 0
    assert '"data":"1 + 1 : Nat' in done.stdout.replace('": "', '":"')


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--server"], "does not work with embedded Lean"),
        pytest.param(["--nonsense"], "unknown option", marks=pytest.mark.long),
        pytest.param([], "Expected exactly one file name", marks=pytest.mark.long),
        pytest.param(["missing.lean"], "no such file", marks=pytest.mark.long),
    ],
)
def test_what_cannot_be_done_is_said(toolchain: Path, tmp_path: Path, arguments: list[str], words: str) -> None:
    done = call(toolchain, *arguments, folder=tmp_path)
    assert done.returncode == 1
    assert words in done.stderr


@pytest.mark.long
def test_imports_of_a_stock_lean_compile(toolchain: Path, tmp_path: Path) -> None:
    """What stands in the place of the embedded imports, and what is built on it; it runs on a stock toolchain alone."""
    where = install_native(find_toolchain(toolchain))
    shutil.copytree(where.folder / "LeanAgent", tmp_path / "LeanAgent")
    shutil.copy(Path(lean_agent.__file__).parent / "lean" / "native" / "Importing.lean", tmp_path / "LeanAgent")
    for module in ("Importing", "Frontend"):
        file, compiled = f"LeanAgent/{module}.lean", f"LeanAgent/{module}.olean"
        done = call(toolchain, "-R", str(tmp_path), "-o", compiled, file, folder=tmp_path, LEAN_PATH=str(tmp_path))
        assert (done.returncode, done.stdout) == (0, ""), module


# -- finding one


@pytest.mark.long
def test_a_toolchain_is_found_by_its_path_or_on_path(
    toolchain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for given in (toolchain, toolchain / "bin", toolchain / "bin" / "lean"):
        assert find_toolchain(given).lean == toolchain / "bin" / "lean"
    monkeypatch.setenv("PATH", f"{toolchain / 'bin'}{os.pathsep}{os.environ['PATH']}")
    native = find_toolchain()
    assert native.version.startswith("4.28.0")
    assert native.lake is None
    assert isinstance(choose_runtime("native"), NativeRuntime)
    with LeanPool(1, lean="native") as pool:
        assert pool.version == native.version  # tracing writes it down


def test_embedded_is_the_default_and_the_environment_can_choose(
    toolchain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(LEAN_VARIABLE, raising=False)
    assert isinstance(choose_runtime(), EmbeddedRuntime)
    monkeypatch.setenv(LEAN_VARIABLE, str(toolchain))
    assert isinstance(choose_runtime(), NativeRuntime)
    assert isinstance(choose_runtime("embedded"), EmbeddedRuntime)


@pytest.mark.parametrize(
    ("lean_says", "words"),
    [
        ("echo 'Lean (version 4.9.0, x86_64, commit 0, Release)'", "4.28 or newer"),
        ("echo 'Lean (version 3.51.1, x86_64)'", "4.28 or newer"),
        ("echo hello", "is it Lean 4"),
        ("echo broken >&2; exit 3", "broken"),
    ],
)
def test_a_toolchain_that_will_not_do_is_named(tmp_path: Path, lean_says: str, words: str) -> None:
    script(tmp_path / "bin" / "lean", lean_says)
    with pytest.raises(LeanInstallError, match=words):
        find_toolchain(tmp_path)


def test_no_toolchain_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(LeanInstallError, match="install elan"):
        find_toolchain()
    with pytest.raises(LeanInstallError, match="no program `lean`"):
        find_toolchain(tmp_path)


def test_one_under_the_home_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elan = says_it_is_lean(tmp_path / ".elan")
    on_path = says_it_is_lean(tmp_path / "other", "4.29.0")
    lake = script(elan.with_name("lake"), "echo /a/lib")
    (tmp_path / "lakefile.toml").touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    toolchain = find_toolchain()
    assert (toolchain.lean, toolchain.lake, toolchain.version) == (elan, lake, "4.28.0")
    assert found_library_path(tmp_path) == ("/a/lib",)
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_toolchain().lean == on_path  # what the user has put on PATH goes before


def test_that_nothing_is_confined_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    lean = says_it_is_lean(tmp_path)
    monkeypatch.delenv(LEAN_VARIABLE, raising=False)
    monkeypatch.setenv(TRUST_VARIABLE, "1")
    with LeanPool(2, lean=str(lean)):
        (warning,) = caplog.records
        assert warning.levelname == "WARNING"
        assert warning.message.startswith(f"Lean 4.28.0 at {lean}, and ") and "nothing confines" in warning.message
    caplog.clear()
    with LeanPool(1):
        assert not caplog.records
    code = f"from lean_agent.lean.pool import LeanPool; LeanPool(2, lean={str(lean)!r}).close()"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert (seen.stdout, seen.stderr) == ("", warning.message + "\n")


def test_a_stock_lean_imports_with_its_own_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its build knows nothing of Lean's private structures, whose layouts change; the embedded one's does."""
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    stock = install_native(find_toolchain(says_it_is_lean(tmp_path / "stock")))
    embedded = install_native(find_toolchain(says_it_is_lean(tmp_path / "embedded", "4.28.0-pre, wasm32")))
    assert (stock.toolchain.is_embedded, embedded.toolchain.is_embedded) == (False, True)
    texts = {where: (where.folder / "LeanAgent" / "Importing.lean").read_text("utf-8") for where in (stock, embedded)}
    assert "importModules imports" in texts[stock] and "unsafeCast" not in texts[stock]
    assert "unsafeCast" in texts[embedded]
    assert is_up_to_date(stock.folder) and is_up_to_date(embedded.folder)
    (stock.folder / "Main.lean").write_text("-- another version's\n")
    assert not is_up_to_date(stock.folder)


def test_a_later_lean_reads_our_code_as_that_which_it_was_written_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By options that an older one does not know, and is not troubled by."""
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    lean = says_it_is_lean(tmp_path, "4.35.0")
    script(lean, lean.read_text().replace("-R)", f'-R) echo "$@" >> {tmp_path}/asked;'))
    where = install_native(find_toolchain(tmp_path))
    asked = (tmp_path / "asked").read_text().splitlines()
    assert len(asked) == len(list((where.folder / "LeanAgent").glob("*.lean")))
    wanted = {f"-Dweak.{option}" for option in OPTIONS}
    assert len(wanted) == 5 and all(wanted <= set(line.split()) for line in asked)
    assert wanted <= set(where.serve_command(tmp_path).argv)


def test_who_waits_for_a_native_lean_s_build_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told_while_held: Callable[[Path, Callable[[], object]], str]
) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    toolchain = find_toolchain(says_it_is_lean(tmp_path))
    words = told_while_held(tmp_path / "cache" / "lean" / "native.lock", lambda: install_native(toolchain))
    assert words.startswith("Waiting for another process: it compiles lean_agent's Lean code for a native Lean")
    assert "30 minutes for each file at most" in words and words.count("\n") == 1


@pytest.mark.parametrize("stage", ["version", "compile", "lake"])
def test_what_is_asked_of_a_toolchain_ends_with_who_asked(tmp_path: Path, stage: str) -> None:
    """A program that takes its time (elan fetches a toolchain, a file is compiled), and a parent killed by SIGKILL."""
    endless = f"echo $$ > {tmp_path}/pid; exec sleep 1000"
    lean = says_it_is_lean(tmp_path)
    script(lean, endless if stage == "version" else lean.read_text().replace(': > "$4"', endless))
    script(tmp_path / "bin" / "lake", endless)
    (tmp_path / "lakefile.toml").touch()
    code = (
        "from pathlib import Path\nfrom lean_agent.lean.native.toolchain import *\n"
        f"here = Path({str(tmp_path)!r})\ntoolchain = find_toolchain(here)\n"
        + (
            "from lean_agent.lean.native.lake import library_path\nlibrary_path(toolchain.lake, here)\n"
            if stage == "lake"
            else "install_native(toolchain)\n"
        )
    )
    environment = {**os.environ, "LEAN_AGENT_CACHE": str(tmp_path / "cache")}
    with subprocess.Popen([sys.executable, "-c", code], env=environment) as asker:
        wait_for(lambda: (tmp_path / "pid").is_file() and (tmp_path / "pid").read_text().endswith("\n"))
        asked = psutil.Process(int((tmp_path / "pid").read_text()))
        asker.kill()
    _, left = psutil.wait_procs([asked], timeout=10)
    outlived = [process for process in left if process.status() != psutil.STATUS_ZOMBIE]
    for process in outlived:
        process.kill()
    assert not outlived


def wait_for(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)


def test_packages_are_where_lake_says(toolchain: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(toolchain, tmp_path / "other"))
    script(other / "bin" / "lake", 'test "$1 $2 $3" = "env printenv LEAN_PATH" && echo /a/lib:/b/lib')
    native = find_toolchain(other)
    (tmp_path / "plain").mkdir()
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "lakefile.toml").write_text('name = "x"\n')
    assert library_path(native.lake, tmp_path / "plain") == ()
    assert library_path(native.lake, tmp_path / "lake") == ("/a/lib", "/b/lib")
    script(other / "bin" / "lake", "echo no manifest >&2; exit 1")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "lakefile.lean").write_text("")
    with pytest.raises(LeanRequestError, match="no manifest"):
        library_path(native.lake, tmp_path / "broken")


def test_a_native_pantograph_finds_the_modules_of_its_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As PyPantograph's own server does."""
    script(tmp_path / "bin" / "lake", 'test "$1 $2 $3" = "env printenv LEAN_PATH" && echo "$PWD/build:/b/lib"')
    answer = 'echo "{\\"path\\": \\"$LEAN_PATH\\", \\"here\\": \\"$PWD\\"}"'
    repl = script(tmp_path / "pantograph-repl", f"echo ready.\nwhile read line; do {answer}; done")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("LEAN_PATH", "/of/the/user")
    project, plain = tmp_path / "project", tmp_path / "plain"
    for folder in (project, plain):
        folder.mkdir()
    (project / "lakefile.toml").write_text('name = "x"\n')

    def told(project_path: Path | None, lean_path: str | None = None) -> object:
        with Server(repl=repl, project_path=project_path, lean_path=lean_path) as server:
            server.run("stat", {})
            server.restart()
            return server.run("stat", {})

    assert told(project) == {"path": f"{project}/build:/b/lib", "here": str(project)}
    assert told(project, "/given") == {"path": "/given", "here": str(project)}
    assert told(plain) == {"path": "/of/the/user", "here": str(plain)}
    script(tmp_path / "bin" / "lake", "echo no manifest >&2; exit 1")
    with pytest.raises(ServerError, match=r"lake build(.|\n)*no manifest"):
        told(project)


def test_a_project_may_insist_on_its_lean(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text("theorem a : 1 = 1 := rfl\n")
    with pytest.raises(LeanRequestError, match=r"LeanPool\(lean='native'\)"):
        lean.trace_file(LeanProject(tmp_path, lean="native"), "A.lean")
    assert len(lean.trace_file(LeanProject(tmp_path, tmp_path / "b", lean="embedded"), "A.lean").theorems) == 1


def test_its_memory_has_a_limit() -> None:
    lean = NativeLean(Path("/opt/lean/bin/lean"), None, "4.28.0", "/opt/lean")
    argv = NativeInstallation(lean, Path("/cache/native")).serve_command(Path("/sandbox")).argv
    assert argv[:3] == ("/opt/lean/bin/lean", "-M", "16384")  # Mathlib's mapped pages are some 6,500 of these
    assert argv[-2:] == ("--run", "/cache/native/Main.lean")
