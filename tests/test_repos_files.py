"""The files of the repositories that ship, without Lean: what each has, and that what is open is solved elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = sorted(path.parent for path in (ROOT / "repos").glob("*/lakefile.toml"))
SOLUTIONS = ROOT / "tests" / "repos_solutions"
FORBIDDEN = re.compile(
    r"^(?:axiom|import (?:Std|Mathlib|Batteries))\b|\b(?:unsafe|partial) def\b|#eval|set_option|native_decide",
    re.MULTILINE,
)


def open_statements(text: str) -> list[str]:
    """Return the statement of every theorem whose proof has a hole, as it stands in a file."""
    commands = [command for command in re.split(r"\n(?=\S)", text) if re.search(r"\bsorry\b", command)]
    return [re.split(r"\s*:=\s*(?:by|sorry)\b", command, maxsplit=1)[0] for command in commands]


def test_open_theorems_are_recognised() -> None:
    text = (
        "theorem a : p := by\n  trivial\n\n"
        "theorem b (x : n)\n    (y : n) : p := by\n  constructor\n  · sorry\n  · rfl\n\n"
        "theorem c : q := sorry\n"
    )
    assert open_statements(text) == ["theorem b (x : n)\n    (y : n) : p", "theorem c : q"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_repository_is_complete(folder: Path) -> None:
    """Lake's files, a page that names every module or its folder, imports of them all, and only what may be there."""
    assert (folder / "lean-toolchain").read_text(encoding="utf-8").strip() == "leanprover/lean4:v4.28.0"
    page = (folder / "README.md").read_text(encoding="utf-8")
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.lean"))}
    imported = {name for text in texts.values() for name in re.findall(r"^import (\S+)", text, re.MULTILINE)}
    for path, text in texts.items():
        assert not FORBIDDEN.search(text), path
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        if "\ntheorem " in text:
            assert module in imported
            assert f"`{module}`" in page or f"`{module.rpartition('.')[0]}`" in page
            assert re.match(r"(?:import \S+\n)*\n?/-!\n", text), path


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_open_theorem_has_a_solution(folder: Path) -> None:
    """In a file of the same path that is the same but for what stands in the open places, and leaves nothing open."""
    for path in sorted(folder.rglob("*.lean")):
        text = path.read_text(encoding="utf-8")
        assert len(open_statements(text)) == len(re.findall(r"\bsorry\b", text)), path
        if "sorry" not in text:
            continue
        solved = (SOLUTIONS / folder.name / path.relative_to(folder)).read_text(encoding="utf-8")
        assert not re.search(r"\bsorry\b", solved), path
        at = 0
        for part in map(str.rstrip, text.split("sorry")):
            at = solved.find(part, at)
            assert at >= 0, (path, part[-100:])
            at += len(part)
