"""The agent without a model."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from lean_agent.agent.base import BaseAgent
from lean_agent.prover.provers import ScriptedProver


class ScriptedAgent(BaseAgent):
    """Proves with the fixed list of common closing tactics, and has nothing to train."""

    @override
    def prover(self, **options: Any) -> ScriptedProver:
        return ScriptedProver(self.lean, **{"database": self.database, **options})
