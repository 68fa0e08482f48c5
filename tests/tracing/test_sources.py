from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lean_agent.errors import NotALeanProject
from lean_agent.tracing.sources import check_is_lean_project, content_digest, lean_files, source_folder, toolchain


def test_sources_leave_out_what_is_not_the_projects(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    outside = write_project(tmp_path / "outside", {"X.lean": ""})
    names = ["A.lean", "A/B/C.lean", "ä b.lean", "lakefile.lean", "build/D.lean", ".lake/packages/m/M.lean", "n.txt"]
    root = write_project(tmp_path / "p", dict.fromkeys(names, ""))
    (root / "Link.lean").symlink_to(outside / "X.lean")
    (root / "Inner.lean").symlink_to(root / "A.lean")
    assert lean_files(root) == ["A.lean", "A/B/C.lean", "Inner.lean", "ä b.lean"]


def test_what_lake_has_built_lies_at_the_top_of_a_project(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    names = [
        "build/X.lean",
        "P/build/C.lean",
        "P/lake-packages/D.lean",
        "libs/own/lakefile.toml",
        "libs/own/build/Y.lean",
    ]
    root = write_project(tmp_path, dict.fromkeys(names, ""))
    assert lean_files(root) == ["P/build/C.lean", "P/lake-packages/D.lean"]


def test_a_folder_without_lean_is_refused(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    root = write_project(tmp_path, {"README.md": ""})
    with pytest.raises(NotALeanProject, match=r"^my project has neither a lakefile nor any \.lean file"):
        check_is_lean_project(root, "my project")
    write_project(root, {"lakefile.toml": ""})
    check_is_lean_project(root, "my project")


@pytest.mark.parametrize(
    ("lakefile", "folder"),
    [
        ('name = "p"', "."),
        ('srcDir = "src"', "src"),
        ('[[lean_lib]]\nname = "P"\nsrcDir = "src"', "src"),
        ('[[lean_lib]]\nname = "P"\nsrcDir = "src"\n[[lean_lib]]\nname = "T"', "."),
        ('srcDir = "nowhere"', "."),
        ('srcDir = ".."', "."),
    ],
)
def test_source_folder(tmp_path: Path, write_project: Callable[..., Path], lakefile: str, folder: str) -> None:
    root = write_project(tmp_path, {"lakefile.toml": lakefile, "src/P.lean": ""})
    assert source_folder(root) == root / folder


def test_a_broken_lakefile_is_named(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    root = write_project(tmp_path, {"lakefile.toml": "name = "})
    with pytest.raises(NotALeanProject, match=r"lakefile\.toml is no valid TOML"):
        source_folder(root)


def test_toolchain(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    assert toolchain(tmp_path) is None
    write_project(tmp_path, {"lean-toolchain": "leanprover/lean4:v4.28.0\n"})
    assert toolchain(tmp_path) == "leanprover/lean4:v4.28.0"


@pytest.mark.parametrize(
    ("name", "text", "changes"),
    [("A.lean", "b", True), ("B.lean", "", True), ("lean-toolchain", "x", True), ("README.md", "x", False)],
)
def test_the_digest_follows_what_a_trace_depends_on(
    tmp_path: Path, write_project: Callable[..., Path], name: str, text: str, changes: bool
) -> None:
    root = write_project(tmp_path, {"A.lean": "a"})
    before = content_digest(root)
    write_project(root, {name: text})
    assert (content_digest(root) != before) == changes
