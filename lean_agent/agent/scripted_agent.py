"""The agent without a model."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from lean_agent.agent.practising import PractisingAgent
from lean_agent.prover.provers import ScriptedProver


class ScriptedAgent(PractisingAgent):
    """Proves without a model, by tactics of similar goals, closing tactics and schemes; has nothing to train.

    With ``prove(policy="own")``, and where it is evaluated, by the fixed list of closing tactics and schemes alone.
    """

    @override
    def prover(self, **options: Any) -> ScriptedProver:
        return ScriptedProver(self.lean, **{"database": self.database, **options})
