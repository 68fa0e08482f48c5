"""A project of a few files, traced, for tests of what Lean says of goals, and of what is proved by it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lean_agent.errors import LeanError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import Consequence, ConsequenceKind, GoalState, LeanProject


def written(root: Path, **texts: str) -> Path:
    """Make a folder with a file for each text, by its module."""
    root.mkdir(exist_ok=True)
    for module, text in texts.items():
        (root / f"{module}.lean").write_text(text, encoding="utf-8")
    return root


def traced_project(lean: LeanPool, root: Path, **texts: str) -> LeanProject:
    """Write a file for each text, by its module, and trace them in that order; none has errors."""
    project = LeanProject(written(root, **texts), root / "build")
    for module in texts:
        assert not lean.trace_file(project, f"{module}.lean").errors
    return project


def following(lean: LeanPool, state: GoalState) -> tuple[Consequence, ...]:
    """Return what follows at the first goal of a state; Lean has searched for it."""
    (answer,) = lean.goal_consequences([state])
    assert not isinstance(answer, LeanError)
    return answer


def told(lean: LeanPool, state: GoalState, kind: ConsequenceKind) -> list[str]:
    """Return the proofs or tactics of one kind among them."""
    return [each.proof for each in following(lean, state) if each.kind == kind]


def solving(lean: LeanPool, state: GoalState, tactics: Iterable[str]) -> list[str]:
    """Return those of the tactics that solve a state, each within 20 s; there are some."""
    results = {tactic: lean.goal_tactics([(state, tactic)], timeout_s=20.0)[0] for tactic in tactics}
    proved = [tactic for tactic, result in results.items() if isinstance(result, GoalState) and result.is_solved]
    assert proved, results
    return proved
