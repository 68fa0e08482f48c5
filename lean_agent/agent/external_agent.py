"""Agent for a model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from lean_agent.agent.practising import PractisingAgent
from lean_agent.prover.provers import ExternalProver
from lean_agent.settings import checked


class ExternalAgent(PractisingAgent):
    """An agent whose policy is somebody else's model, asked over HTTP; it has nothing to train.

        agent = ExternalAgent("http://localhost:8000/v1", model="prover-7b")
        agent.prove_theorem("theorem two : 1 + 1 = 2")

    Args:
        base_url: the endpoint's address, up to and with ``/v1``.
        model: as the endpoint names it; by default the first that it lists.
        client: other settings of :class:`~lean_agent.policy.endpoint.InferenceClient`: ``api_key``, ``sampling``,
            ``concurrency``, ``requests_per_minute``, …
        options: as for :class:`~lean_agent.agent.base.BaseAgent`.
    """

    proposes = "own"

    @checked
    def __init__(
        self, base_url: str, *, model: str | None = None, client: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self._endpoint = {"base_url": base_url, "model": model, "client": client}

    @override
    def prover(self, **options: Any) -> ExternalProver:
        endpoint: dict[str, Any] = {"name": "policy", **self._endpoint}
        return ExternalProver(**{"server": self.lean, "database": self.database, **endpoint, **options})
