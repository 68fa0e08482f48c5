"""The files of the repositories that ship, without Lean: what each has, and what may not be in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = sorted(path.parent for path in (ROOT / "repos").glob("*/lakefile.toml"))
FORBIDDEN = re.compile(
    r"^(?:axiom|import (?:Std|Mathlib|Batteries))\b|\b(?:unsafe|partial) def\b|#eval|set_option|native_decide",
    re.MULTILINE,
)


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
