"""From a ``reward_func(completions: list[str], **kwargs) -> 1-D tensor`` to what TRL calls.

TRL hands over conversations and takes a list in which ``None`` stands for "cannot be scored". A reward function of this
package takes tactics and gives a tensor ``[B]``, in which NaN stands for that, or a list or array as TRL's do.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from lean_agent.errors import TrainingError
from lean_agent.policy.base import Completion
from lean_agent.prompts import Message, tactic_from_completion

logger = logging.getLogger(__name__)

Rewards = torch.Tensor | Sequence[float | None] | npt.NDArray[Any]
RewardFunc = Callable[..., Rewards]
"""``reward_func(completions: list[str], **kwargs) -> tensor [B]``, or a list or numpy array: one reward for each
completion. One that cannot be scored is NaN in a tensor, and ``None`` in a list or array. A completion that holds no
tactic is empty. ``kwargs`` holds ``answers``, each completion as the model wrote it
(:class:`~lean_agent.policy.base.Completion`), the columns of the dataset, each a list ``[B]``, ``prompts``, and what
else TRL gives (``trainer_state``, ``log_metric``)."""


class RewardAdaptor:
    """A caller's reward function, as TRL wants it.

    Args:
        reward_func: see :data:`RewardFunc`.
        end_ids: tokens that end an answer. A completion that was cut off, whose last token is none of them, holds no
            tactic, as in search: its first lines would otherwise be judged for the whole. By default none is cut off.
        give_up_after: batches in a row of which nothing could be scored before training stops.

    Raises:
        TrainingError: when called: the result has not one number for each completion, a number is infinite, a list or
            array holds NaN, or too many batches in a row could not be scored.
    """

    def __init__(
        self, reward_func: RewardFunc, *, end_ids: Collection[int] | None = None, give_up_after: int = 5
    ) -> None:
        self._reward_func = reward_func
        self._end_ids = end_ids
        self._give_up_after = give_up_after
        self._unscored_batches = 0
        # TRL names the metrics of a reward after its function.
        self.__name__ = str(getattr(reward_func, "__name__", type(reward_func).__name__))

    def __call__(
        self,
        *,
        completions: Sequence[str | Sequence[Message]],
        completion_ids: Sequence[Sequence[int]] | None = None,
        **kwargs: Any,
    ) -> list[float | None]:
        """Return rewards in the order of ``completions``; ``None`` for those that cannot be scored."""
        answers = self._answers(completions, completion_ids)
        tactics = [tactic_from_completion(answer.text) if answer.finished else "" for answer in answers]
        result = self._reward_func(completions=tactics, answers=answers, **kwargs)
        rewards = [None if math.isnan(value) else value for value in self._checked(result, len(tactics))]
        self._watch(rewards)
        return rewards

    def _answers(
        self, completions: Sequence[str | Sequence[Message]], completion_ids: Sequence[Sequence[int]] | None
    ) -> list[Completion]:
        """Return the completions as the model wrote them; their log-probabilities are not known here."""

        def has_ended(ids: Sequence[int]) -> bool:
            return completion_ids is None or self._end_ids is None or (bool(ids) and ids[-1] in self._end_ids)

        token_ids = completion_ids or [()] * len(completions)
        return [
            Completion(_text(completion), math.nan, len(ids), finished=has_ended(ids))
            for completion, ids in zip(completions, token_ids, strict=True)
        ]

    def _checked(self, result: object, expected: int) -> list[float]:
        """Return the values of a reward function's result, or refuse it in words."""
        rewards = self._as_tensor(result)
        if rewards.dim() != 1 or rewards.shape[0] != expected:
            raise TrainingError(
                f"The reward function {self.__name__} returned rewards of shape {tuple(rewards.shape)} for {expected} "
                f"completions; the shape must be ({expected},)."
            )
        values: list[float] = rewards.detach().to("cpu", torch.float64).tolist()
        if any(math.isinf(value) for value in values):
            raise TrainingError(
                f"The reward function {self.__name__} returned an infinite reward, which makes every advantage of its "
                "group meaningless. Return finite numbers, or None (NaN in a tensor) for a completion that cannot be "
                "scored."
            )
        return values

    def _as_tensor(self, result: object) -> torch.Tensor:
        """Make a tensor of a list or array, NaN for ``None``."""
        if isinstance(result, torch.Tensor):
            return result
        if not isinstance(result, (list, tuple, np.ndarray)):
            raise TrainingError(
                f"The reward function {self.__name__} returned a {type(result).__name__}; it must return one number "
                "for each completion: a 1-D torch tensor, a list or a numpy array."
            )
        try:
            values = np.asarray([math.nan if value is None else value for value in result], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise TrainingError(
                f"The reward function {self.__name__} returned what are no numbers ({error}); it must return one "
                "number, or None, for each completion."
            ) from error
        if np.isnan(values).sum() > sum(value is None for value in result):
            raise TrainingError(
                f"The reward function {self.__name__} returned NaN in a {type(result).__name__}; return None for a "
                "completion that cannot be scored."
            )
        return torch.from_numpy(values)

    def _watch(self, rewards: Sequence[float | None]) -> None:
        """Stop a training that has nothing to learn from: better an error than hours of updates without a reward."""
        if any(reward is not None for reward in rewards):
            self._unscored_batches = 0
            return
        self._unscored_batches += 1
        logger.warning("No completion of this batch could be scored (%d in a row).", self._unscored_batches)
        if self._unscored_batches >= self._give_up_after:
            raise TrainingError(
                f"Nothing in the last {self._unscored_batches} batches could be scored by {self.__name__}. For the "
                "verified reward this means that Lean is not available: `lean-agent lean doctor` says what is wrong. "
                "What was trained before is kept; the same command goes on from there."
            )


def _text(completion: str | Sequence[Message]) -> str:
    """Return the text of a completion, which TRL gives as a conversation when the prompt is one."""
    if isinstance(completion, str):
        return completion
    return "".join(message["content"] for message in completion)
