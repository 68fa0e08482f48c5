"""The environment as OpenEnv serves it: one session for each client, over HTTP and a WebSocket.

    app = proof_app(LeanPool(workers=2), load_theorems("theorems.jsonl"))

``examples/openenv/`` is a folder as OpenEnv's own commands and clients take it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from openenv.core.env_server import Action, Environment, Observation, State, create_app
from pydantic import Field

from lean_agent.environments.core import Tool, theorem_of
from lean_agent.environments.plain import PlainProofEnvironment
from lean_agent.lean.server import LeanServer
from lean_agent.rollout.theorems import Theorem

NAME = "lean_proofs"


class ProofAction(Action):
    """What an agent does: a tool by its name, with its argument."""

    tool: Tool = "run_tactic"
    argument: str = Field(default="", description="The tactic, the query or the proof; `undo` has none.")


class ProofObservation(Observation):
    """What came of it.

    Attributes:
        text: what an agent should read.
        goals: the goals that are open.
        outcome: ``open``, ``proved``, ``rejected`` or ``unknown``.
        verdict: the judge's last verdict, by its kind.
    """

    text: str
    theorem: str
    goals: str
    outcome: str
    verdict: str | None = None


class ServedProofEnvironment(Environment[ProofAction, ProofObservation, State]):
    """An environment of one session.

    Args:
        lean: shared by all sessions.
        theorems: what ``reset`` draws from; a client may name its own: ``reset(statement=…, context=…)``.
        options: as :class:`~lean_agent.environments.plain.PlainProofEnvironment` has them.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, lean: LeanServer, theorems: Sequence[Theorem], **options: Any) -> None:
        super().__init__()
        self._plain = PlainProofEnvironment(lean, theorems, **options)
        self._episode: str | None = None

    def reset(self, seed: int | None = None, episode_id: str | None = None, **row: Any) -> ProofObservation:
        """Begin an episode."""
        options = {"theorem": theorem_of(row)} if row else None
        text, info = self._plain.reset(seed=seed, options=options)
        self._episode = episode_id
        return _observation(text, None, False, info)

    def step(self, action: ProofAction, timeout_s: float | None = None, **_: Any) -> ProofObservation:
        """Take an action; the environment has time limits of its own."""
        text, reward, terminated, truncated, info = self._plain.step((action.tool, action.argument))
        return _observation(text, None if math.isnan(reward) else reward, terminated or truncated, info)

    @property
    def state(self) -> State:
        """How far the episode is."""
        return State(episode_id=self._episode, step_count=self._plain.core.actions)

    def close(self) -> None:
        """Forget the episode of a client that has left; Lean stays."""
        self._plain.close()


def proof_app(lean: LeanServer, theorems: Sequence[Theorem] = (), *, sessions: int = 64, **options: Any) -> Any:
    """Return the application (FastAPI's) that OpenEnv's clients talk to.

    Args:
        sessions: clients at the same time.
    """
    return create_app(
        lambda: ServedProofEnvironment(lean, theorems, **options),
        ProofAction,
        ProofObservation,
        env_name=NAME,
        max_concurrent_envs=sessions,
    )


def _observation(text: str, reward: float | None, done: bool, info: dict[str, Any]) -> ProofObservation:
    known = {name: info[name] for name in ("theorem", "goals", "outcome", "verdict")}
    return ProofObservation(text=text, reward=reward, done=done, **known)
