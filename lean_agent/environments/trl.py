"""The environment as trl's ``GRPOTrainer`` takes it: tools for many turns, a reward function for a single one.

    tools = proof_tools(lean)
    GRPOTrainer(model, train_dataset=Dataset.from_list(tool_rows(theorems)), environment_factory=tools, …)

    reward = ProofReward(lean)
    GRPOTrainer(model, reward, train_dataset=Dataset.from_list(reward.rows(theorems)), …)

Both are of trl's own trainer, which this module does not import; this package's trainers need none of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lean_agent.environments.core import COLUMNS, ProofEnvironment, columns_of, theorem_of
from lean_agent.errors import LeanError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.source import by_block
from lean_agent.prompts import proof_messages, tactic_from_completion, tool_messages
from lean_agent.rollout.runner import wait_for
from lean_agent.rollout.theorems import Theorem

logger = logging.getLogger(__name__)

Row = dict[str, Any]


class ProofTools:
    """What trl makes tools of: every public method but ``reset`` and ``get_reward``, with its docstring.

    Args:
        environment: one of its own, since trl runs many at a time.
    """

    def __init__(self, environment: ProofEnvironment) -> None:
        self._environment = environment
        self._startable = True

    def reset(self, **row: Any) -> str:
        """Begin an attempt at the theorem of a data set's row, and return what the prompt goes on with: its goal."""
        try:
            goal = self._environment.reset(theorem_of(row))
        except LeanError as error:  # of one row; the training goes on
            logger.warning("A theorem cannot be started: %s", error)
            goal = "This theorem cannot be stated in Lean here."
        self._startable = not self._environment.done
        return goal

    def get_reward(self) -> float | None:
        """Return what the attempt is worth; ``None`` where Lean could not say."""
        return self._environment.reward if self._startable else None

    def run_tactic(self, tactic: str) -> str:
        """Run a Lean 4 tactic at the open goals. Returns the goals that are left, or Lean's error.

        Args:
            tactic: The tactic, such as `intro h`.
        """
        return self._environment.run_tactic(tactic)

    def undo(self) -> str:
        """Take the last tactic back. Returns the goals from before it."""
        return self._environment.undo()

    def search_library(self, query: str) -> str:
        """Look for theorems of Lean's library by words or by name. Returns their statements.

        Args:
            query: Words, or the full name.
        """
        return self._environment.search_library(query)

    def submit(self, proof: str) -> str:
        """Have a whole proof of the theorem judged. Returns the verdict.

        Args:
            proof: Lean 4 source: `by` and tactics, or a term.
        """
        return self._environment.submit(proof)


def proof_tools(lean: LeanServer, **options: Any) -> Callable[[], ProofTools]:
    """Return an ``environment_factory``; ``options`` are those of :class:`ProofEnvironment`."""
    return lambda: ProofTools(ProofEnvironment(lean, **options))


def tool_rows(theorems: Sequence[Theorem]) -> list[Row]:
    """Return rows of a data set whose prompts ask for a proof with the tools; ``reset`` adds the goal."""
    return [{"prompt": tool_messages(), **columns_of(theorem)} for theorem in theorems]


class ProofReward:
    """A reward function of whole proofs: what the judge accepts in the theorem's place.

    Args:
        lean: judges proofs; stays open.
        options: those of :class:`ProofEnvironment`.
    """

    __name__ = "proof_reward"  # trl's name for it in the metrics

    def __init__(self, lean: LeanServer, **options: Any) -> None:
        self._environment = partial(ProofEnvironment, lean, **options)

    def rows(self, theorems: Sequence[Theorem]) -> list[Row]:
        """Return rows of a data set whose prompts show the theorems' goals and ask for whole proofs.

        Raises:
            LeanRequestError: a statement does not elaborate.
        """
        environment = self._environment()
        prompts = [proof_messages(environment.reset(theorem)) for theorem in theorems]
        environment.close()
        return [{"prompt": prompt, **columns_of(theorem)} for prompt, theorem in zip(prompts, theorems, strict=True)]

    def __call__(self, completions: Sequence[str | list[Row]], **columns: Any) -> list[float | None]:
        """Return the reward of each completion; ``None`` where Lean could not say."""
        known = [name for name in COLUMNS if name in columns]
        rows = [{name: columns[name][number] for name in known} for number in range(len(completions))]
        texts = [text if isinstance(text, str) else str(text[-1]["content"]) for text in completions]
        return wait_for(self._scores(rows, texts))

    async def _scores(self, rows: Sequence[Row], texts: Sequence[str]) -> list[float | None]:
        return list(await asyncio.gather(*map(self.score_async, rows, texts)))

    async def score_async(self, row: Row, text: str) -> float | None:
        """Return the reward of one answer to the theorem of a row."""
        environment = self._environment()
        try:
            await environment.reset_async(theorem_of(row))
            await environment.submit_async(by_block([tactic_from_completion(text)]))
            return environment.reward
        except LeanError as error:
            logger.warning("A proof could not be judged: %s", error)
            return None
        finally:
            await environment.close_async()
