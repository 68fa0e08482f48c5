"""Rollouts of many theorems: how many at once, and how many batches under way."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lean_agent.errors import ConfigError
from lean_agent.rollout.generator import ProofRolloutGenerator
from lean_agent.rollout.theorems import ProofTask
from lean_agent.trajectory import TrajectoryGroup


class BatchRolloutManager:
    """Splits theorems into batches that go through a generator, while one waits for Lean another asks the policy.

    Args:
        generator: makes the attempts.
        theorems_per_batch: theorems whose attempts advance together.
        batches_in_flight: batches under way at a time.
    """

    def __init__(
        self, generator: ProofRolloutGenerator, *, theorems_per_batch: int = 16, batches_in_flight: int = 2
    ) -> None:
        if theorems_per_batch < 1 or batches_in_flight < 1:
            raise ConfigError("theorems_per_batch and batches_in_flight must be at least 1.")
        self.generator = generator
        self._size = theorems_per_batch
        self._in_flight = batches_in_flight

    async def generate(
        self, tasks: Sequence[ProofTask], num_generations: int, *, seed: int | None = None
    ) -> list[TrajectoryGroup]:
        """``num_generations`` attempts at each theorem; groups in the order of ``tasks``.

        With a seed the attempts are the same whichever batch is faster. When one batch fails, the others are given up.
        """
        turns = asyncio.Semaphore(self._in_flight)

        async def batch(at: int) -> list[TrajectoryGroup]:
            async with turns:
                some = tasks[at : at + self._size]
                return await self.generator.generate_groups(
                    some, num_generations, seed=None if seed is None else seed + 1_000_003 * at
                )

        try:
            async with asyncio.TaskGroup() as running:
                batches = [running.create_task(batch(at)) for at in range(0, len(tasks), self._size)]
        except ExceptionGroup as failed:  # one batch is enough to say what is wrong
            raise failed.exceptions[0] from failed
        return [group for done in batches for group in done.result()]
