from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lean_agent.errors import NotALeanProject
from lean_agent.tracing.project.sources import (
    check_is_lean_project,
    content_digest,
    find_projects,
    inner_projects,
    is_lean_3,
    lean_files,
    toolchain,
)

Write = Callable[..., Path]


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


def test_projects_of_a_repository(tmp_path: Path, write_project: Write) -> None:
    lake = {"lakefile.toml": 'name = "p"'}
    assert find_projects(write_project(tmp_path / "none", {"a/A.lean": ""})) == ("",)
    several = write_project(tmp_path / "several", {"README.md": ""})
    for folder in ("one", "two/inner", "two", ".lake/packages/x", "one/build/y"):
        write_project(several / folder, {**lake, "A.lean": ""})
    assert find_projects(several) == ("one", "two", "two/inner")
    write_project(several, {"Loose.lean": ""})
    assert find_projects(several) == ("", "one", "two", "two/inner")
    assert inner_projects(several, "two") == (several / "two/inner",)
    assert find_projects(write_project(several / "one", lake)) == ("",)


def test_lean_3_is_known(tmp_path: Path, write_project: Write) -> None:
    assert is_lean_3(write_project(tmp_path / "a", {"leanpkg.toml": "", "src/a.lean": ""}))
    assert is_lean_3(
        write_project(tmp_path / "b", {"lean-toolchain": "leanprover-community/lean:3.51.1", "b.lean": ""})
    )
    assert not is_lean_3(write_project(tmp_path / "c", {"leanpkg.toml": "", "lakefile.lean": "", "C.lean": ""}))
    assert not is_lean_3(write_project(tmp_path / "d", {"lean-toolchain": "leanprover/lean4:v4.3.0", "D.lean": ""}))


def test_toolchain(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    assert toolchain(tmp_path) is None
    write_project(tmp_path, {"lean-toolchain": "leanprover/lean4:v4.28.0\n"})
    assert toolchain(tmp_path) == "leanprover/lean4:v4.28.0"
    write_project(tmp_path / "b", {"lean-toolchain": "leanprover/lean4:v4.9.0\n", "c/C.lean": ""})
    asked = ["leanprover/lean4:v4.28.0", *["leanprover/lean4:v4.9.0"] * 2]
    assert [toolchain(tmp_path, folder) for folder in ("a", "b", "b/c")] == asked


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
