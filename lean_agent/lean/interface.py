"""The names under which users of lean-grpo know a Lean server: the pool and the mock, with its one asynchronous call.

result = await lean.execute_tactic(state, "intro h")     # a LeanProofState, or a failure as data
"""

from __future__ import annotations

import re
from typing import Any

from typing_extensions import override

from lean_agent.lean.mock import MockLeanServer, logic
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.server import LeanServer, TacticResult
from lean_agent.lean.types import Goal, GoalState, Origin, TheoremSite, Verdict
from lean_agent.settings import Seconds

LeanProofState = GoalState

_UNIVERSES = re.compile(r"\s*\.\{[^}]*\}")
_BINDER = re.compile(r"\s*([({\[⦃])([^(){}\[\]⦃⦄]*(?:\([^()]*\)[^(){}\[\]⦃⦄]*)*)[)}\]⦄]")


class _ExecutesTactics(LeanServer):
    async def execute_tactic(self, state: GoalState, tactic: str, *, timeout_s: Seconds | None = None) -> TacticResult:
        """Run a tactic; one that fails is an answer like any other."""
        (result,) = await self.goal_tactics_async([(state, tactic)], timeout_s=timeout_s)
        return result


class LeanInterface(_ExecutesTactics, LeanPool):
    """Real Lean: :class:`~lean_agent.lean.pool.LeanPool`."""


class MockLeanInterface(_ExecutesTactics, MockLeanServer):
    """No Lean: :class:`~lean_agent.lean.mock.server.MockLeanServer`, which besides its tables takes what a file states.

    It knows a little propositional logic and understands nothing of a statement; a training with it shows that the
    parts fit together, and proves nothing.

    Attributes:
        not_understood: the theorems, by full name, that it was asked about and whose statements it cannot find in their
            files or that do not read as propositional logic: it hardly proves them, whatever is tried.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.not_understood: set[str] = set()

    @override
    def verify(self, site: TheoremSite, proof: str, **options: Any) -> Verdict:
        self._learn(site)
        return super().verify(site, proof, **options)

    @override
    def _first_goals(self, origin: Origin) -> tuple[Goal, ...]:
        if isinstance(origin, TheoremSite):
            self._learn(origin)
        return super()._first_goals(origin)

    def _learn(self, site: TheoremSite) -> None:
        """Take the statement from the file, unless the theorem is known."""
        path = site.project.root / site.file_path
        if site.full_name in self._theorems or not path.is_file():
            return
        parts = site.full_name.split(".")  # of which the file's namespaces may be some
        name = "|".join(re.escape(".".join(parts[first:])) for first in range(len(parts)))
        declared = rf"\b(?:theorem|lemma)\s+(?:{name})(?=\.\{{|[\s:({{\[⦃])(.*?):="
        declaration = re.search(declared, path.read_text("utf-8"), re.DOTALL)
        if declaration:
            self._theorems[site.full_name] = goal_text(declaration[1])
        if not declaration or not logic.understands(logic.read_goal(self._theorems[site.full_name])):
            self.not_understood.add(site.full_name)


def goal_text(signature: str) -> str:
    """Return ``.{u} (p : Prop) (h : p) : p`` as a goal: ``p : Prop``, ``h : p``, ``⊢ p``, a line each."""
    universes = _UNIVERSES.match(signature)
    lines, at = [], universes.end() if universes else 0
    while binder := _BINDER.match(signature, at):
        lines.append(" ".join(binder[2].split()))
        at = binder.end()
    target = " ".join(signature[at:].strip().removeprefix(":").split())
    return "\n".join([*lines, f"⊢ {target}"])


__all__ = ["LeanInterface", "LeanProofState", "MockLeanInterface", "TacticResult"]
