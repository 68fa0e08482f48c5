"""A project of a few files, traced, for tests of what Lean says of goals."""

from __future__ import annotations

from pathlib import Path

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject


def traced_project(lean: LeanPool, root: Path, **texts: str) -> LeanProject:
    """Write a file for each text, by its module, and trace them in that order; none has errors."""
    project = LeanProject(root, root / "build")
    for module, text in texts.items():
        (root / f"{module}.lean").write_text(text, encoding="utf-8")
        assert not lean.trace_file(project, f"{module}.lean").errors
    return project
