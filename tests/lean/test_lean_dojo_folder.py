"""MiniMathlib as LeanDojo leaves a repository in Mathlib's manner, imported. Needs the extra ``lean-dojo``.

LeanDojo's own extractor does not compile on Lean 4.28, so a program of ours writes the files in its format.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.lean.native.toolchain import find_toolchain, install_native
from lean_agent.tracing.lean_dojo import import_traced_folder

HERE = Path(__file__).parent
IMPORT = re.compile(r"^import (\S+)", re.MULTILINE)
STATED = re.compile(r"^(?:@\[[^\]]*\] )?(?:(?:protected|private) )?(?:lemma|theorem) ", re.MULTILINE)

pytestmark = [
    pytest.mark.lean,
    pytest.mark.long,
    pytest.mark.skipif(importlib.util.find_spec("lean_dojo") is None, reason="the extra lean-dojo is missing"),
    # LeanDojo leaves the files that it reads to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def folder(toolchain: Path, tmp_path: Path) -> Path:
    """The repository with its package below ``.lake/packages``, and the traces of both below ``.lake/build/ir``."""
    folder = tmp_path / "MiniMathlib"
    shutil.copytree(HERE / "MiniMathlib", folder, ignore=shutil.ignore_patterns("packages"))
    shutil.copytree(HERE / "MiniMathlib" / "packages", folder / ".lake" / "packages")
    roots = (folder, folder / ".lake" / "packages" / "MiniBatteries")
    order: list[str] = []

    def visit(module: str) -> None:
        for root in roots:
            path = root / Path(*module.split(".")).with_suffix(".lean")
            if path.is_file() and module not in order:
                for name in IMPORT.findall(path.read_text("utf-8")):
                    visit(name)
                order.append(module)

    visit("MiniMathlib")
    where = install_native(find_toolchain(toolchain))
    argv = [str(where.toolchain.lean), "--run", str(HERE / "lean_dojo_writer.lean"), str(folder), *order]
    environment = {**os.environ, "LEAN_PATH": os.pathsep.join([str(where.folder), str(folder / "compiled")])}
    subprocess.run(argv, check=True, env=environment, timeout=900)
    return folder


def test_each_theorem_and_lemma_comes_in(folder: Path) -> None:
    """Lemmas by way of a command, whose macro quotes a theorem that is none; what a package holds is not read."""
    with DynamicDatabase(":memory:") as database:
        traced = import_traced_folder(folder, database, progress=False)
        files = list(traced.files)
    assert (len(files), traced.skipped) == (23, ())
    theorems = [(file, theorem) for file in files for theorem in file.theorems]
    texts = [(folder / file.path).read_text("utf-8") for file in files]
    assert len(theorems) == sum(len(STATED.findall(text)) for text in texts) == 141
    assert len({theorem.full_name for _, theorem in theorems}) == 141
    for file, theorem in theorems:
        source = (folder / file.path).read_bytes()
        assert source[theorem.start : theorem.end].decode().rstrip().endswith(theorem.proof)
        for tactic in theorem.tactics:
            first_line = tactic.tactic.split("\n")[0]
            assert source[tactic.start : tactic.end].decode().startswith(first_line)
            assert tactic.goals_before >= 1 and "⊢" in tactic.state_before
    assert sum(len(theorem.tactics) for _, theorem in theorems) > 150
    assert "MiniMathlib.Logic.Basic" in {p.module for _, theorem in theorems for p in theorem.premises}
