from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lean_agent.tracing.project.import_graph import Import, SkippedFile, SourceFile, read_import_graph, read_imports


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import A.B\nimport C\n", [("A.B", 1), ("C", 2)]),
        ("import A import B", [("A", 1), ("B", 1)]),
        ("module\n\npublic import A\nmeta import B\npublic meta import C\nimport all D\n", "ABCD"),
        ("prelude\nimport Init.Core", [("Init.Core", 2)]),
        ("\ufeffimport A", [("A", 1)]),
        ("/- import X /- nested -/ import Y -/\n-- import Z\nimport A -- import W\n/- -/import B/- -/", "AB"),
        ("import «my file».B\nimport Größe.Δx₁\nimport A'", [("my file.B", 1), ("Größe.Δx₁", 2), ("A'", 3)]),
        ("/-- doc -/\ntheorem t : True := trivial\nimport A", []),
        ("/- never closed\nimport A", []),
        ("import A\nopen B\nimport C", [("A", 1)]),
        ("public section\nimport A", []),
        ("@[expose] public section\n", []),
        ("", []),
    ],
)
def test_header(source: str, expected: str | list[tuple[str, int]]) -> None:
    found = [(entry.module, entry.line) for entry in read_imports(source)]
    if isinstance(expected, str):
        assert [module for module, _ in found] == list(expected)
    else:
        assert found == expected


def test_imports_come_first(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    files = {
        "Z.lean": "",
        "A.lean": "import B.C\nimport Lean\n",
        "B/C.lean": "import Z\n",
        "M.lean": "import Std.Data\n",
    }
    graph = read_import_graph(write_project(tmp_path, files))
    # Z before B.C before A; M is free, and among what is ready the smaller path goes first.
    assert graph.files == (
        SourceFile("M.lean", "M", ()),
        SourceFile("Z.lean", "Z", ()),
        SourceFile("B/C.lean", "B.C", (Import("Z", 1),)),
        SourceFile("A.lean", "A", (Import("B.C", 1),)),
    )
    assert graph.skipped == ()


def test_missing_packages_and_files_are_named_and_spread(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    files = {
        "P/Good.lean": "",
        "P/Needs.lean": "import Init\n\nimport Mathlib.Data.Nat.Basic\n",
        "P/Typo.lean": "import P.Godo\n",
        "P/Above.lean": "import P.Good\nimport P.Needs\n",
        "P.lean": "import P.Above\n",
    }
    graph = read_import_graph(write_project(tmp_path, files))
    needs = "needs Mathlib, which is no part of the project (import Mathlib.Data.Nat.Basic)"
    above = f"imports P.Needs, which was skipped: {needs}"
    assert [file.path for file in graph.files] == ["P/Good.lean"]
    assert set(graph.skipped) == {
        SkippedFile("P/Needs.lean", 3, needs),
        SkippedFile("P/Typo.lean", 1, "imports P.Godo, but the project has no such file"),
        SkippedFile("P/Above.lean", 2, above),
        SkippedFile("P.lean", 1, f"imports P.Above, which needs P.Needs, which was skipped: {needs}"),
    }


def test_a_cycle_is_told_in_words(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    files = {"A.lean": "import B", "B.lean": "import C", "C.lean": "import A", "D.lean": "import D", "E.lean": ""}
    graph = read_import_graph(write_project(tmp_path, files))
    assert [file.path for file in graph.files] == ["E.lean"]
    assert {s.path: s.reason for s in graph.skipped} == {
        "A.lean": "import cycle: A imports B imports C imports A",
        "B.lean": "import cycle: B imports C imports A imports B",
        "C.lean": "import cycle: C imports A imports B imports C",
        "D.lean": "import cycle: D imports D",
    }


def test_of_two_files_of_one_module_the_one_that_lean_finds_is_traced(
    tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    graph = read_import_graph(write_project(tmp_path, {"A.B.lean": "", "A/B.lean": "", "C.lean": "import A.B\n"}))
    assert [file.path for file in graph.files] == ["A/B.lean", "C.lean"]
    assert graph.skipped == (SkippedFile("A.B.lean", 1, "its name makes it module A.B, which is A/B.lean"),)


def test_a_file_that_is_no_text_is_skipped(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    root = write_project(tmp_path, {"A.lean": ""})
    (root / "B.lean").write_bytes(b"-- caf\n-- \xe9 import")
    graph = read_import_graph(root)
    assert [file.path for file in graph.files] == ["A.lean"]
    (skipped,) = graph.skipped
    assert skipped.path == "B.lean"
    assert (skipped.line, skipped.reason) == (2, "the file could not be read as UTF-8 text: byte 0xe9 at offset 10")
