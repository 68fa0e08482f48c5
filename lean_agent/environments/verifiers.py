"""The environment as a taskset of verifiers (v1): whole proofs, with the judge's verdict as reward.

verifiers finds tasksets by the names of top-level modules: ``examples/verifiers/`` is one. For many turns with tools it
runs what :mod:`lean_agent.environments.openenv` serves, by its own taskset.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import verifiers.v1 as vf

from lean_agent.environments.trl import ProofReward
from lean_agent.errors import ConfigError, LeanError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.remote.client import LeanClient
from lean_agent.lean.server import LeanServer
from lean_agent.rollout.theorems import load_theorems


class ProofData(vf.TaskData):
    """A theorem, beside its prompt."""

    statement: str
    context: str = ""
    imports: tuple[str, ...] = ()


class ProofTaskConfig(vf.TaskConfig):
    """Where Lean runs.

    Attributes:
        address: of a service (``lean-agent serve``); empty: in this process.
        workers: Lean processes of a pool of this process's own.
    """

    address: str = ""
    workers: int = 1


class ProofTask(vf.Task[ProofData, vf.State, ProofTaskConfig]):
    """A theorem to be proved in one answer."""

    @vf.reward
    async def proved(self, trace: Any) -> float:
        """Return 1 for an answer that the judge accepts as a proof, 0 for any other."""
        reward = ProofReward(server(self.config.address, self.config.workers))
        score = await reward.score_async(self.data.model_dump(), trace.last_reply)
        if score is None:  # left without a reward by verifiers, as an error of the task
            raise LeanError(f"Lean could not judge an answer to {self.data.name}.")
        return score


class ProofTasksetConfig(vf.TasksetConfig):
    """Which theorems.

    Attributes:
        theorems: a file of theorems, one JSON object a line.
    """

    task: ProofTaskConfig = ProofTaskConfig()
    theorems: Path | None = None


class ProofTaskset(vf.Taskset[ProofTask, ProofTasksetConfig]):
    """The theorems of a file."""

    def load(self) -> Iterator[ProofTask]:
        """Yield a task for each theorem; its prompt shows the goal as Lean prints it."""
        config = self.config
        if config.theorems is None:
            raise ConfigError("Name a file of theorems: --env.taskset.theorems FILE.jsonl")
        reward = ProofReward(server(config.task.address, config.task.workers))
        for row in reward.rows(load_theorems(config.theorems)):
            system, user = row.pop("prompt")
            data = ProofData(system_prompt=system["content"], prompt=user["content"], **row)
            yield ProofTask(data, config.task)


@cache
def server(address: str, workers: int) -> LeanServer:
    """Return the server of this process, which lives as long as the process."""
    return LeanClient(address) if address else LeanPool(workers=workers)
