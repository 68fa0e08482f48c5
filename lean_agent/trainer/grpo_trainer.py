"""GRPO on tactics: the model proposes a group of tactics for a goal and learns from what each is worth.

The algorithm is GRPO (arXiv 2402.03300) or another of :mod:`lean_agent.algorithms`. Without a reward of the caller's
the reward is the verified one: Lean runs every tactic in its exact state, those of a step in one batch.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import transformers
from accelerate.utils import gather_object
from transformers import PreTrainedModel
from trl.trainer.grpo_config import GRPOConfig
from typing_extensions import override

from lean_agent.database.exports.entries import TacticRow
from lean_agent.database.records import RepositoryKey
from lean_agent.errors import ConfigError, ConfigTypeError
from lean_agent.files import json_lines
from lean_agent.lean.server import LeanServer
from lean_agent.policy.closers.placeholders import LEMMAS
from lean_agent.policy.decoding import end_ids
from lean_agent.policy.model_files import recorded_help
from lean_agent.prompts import TEMPLATE_SETTINGS
from lean_agent.rewards import BaseRewardScorer, RewardAdaptor, RewardFunc, get_scorer
from lean_agent.rewards.base import load_scorer_state, scorer_state
from lean_agent.rollout.single_tactics import Projects, VerifiedTacticReward
from lean_agent.trainer.ahead import AheadTrainer, PendingRewards
from lean_agent.trainer.algorithm_trainer import AlgorithmTrainer
from lean_agent.trainer.base import takes_settings, with_folder
from lean_agent.trainer.data.dataset import GRPODataset, PassRates, TacticDataset, arranged, replayed
from lean_agent.trainer.repositories import MergedDataExporter, RepositoryTrainer
from lean_agent.trainer.run.callbacks import Memory, StopWhen
from lean_agent.trainer.settings import GRPOSettings

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StepTime:
    """What an optimizer step took on average, in seconds.

    Attributes:
        generation_s: sampling completions.
        reward_s: waiting for rewards; for the verified reward that is Lean.
        update_s: all the rest: log-probabilities, loss, gradients, the optimizer.
    """

    generation_s: float
    reward_s: float
    update_s: float

    @property
    def reward_share(self) -> float:
        """How much of a step went into rewards, in [0, 1]."""
        return self.reward_s / (self.generation_s + self.reward_s + self.update_s)

    def __str__(self) -> str:
        total = self.generation_s + self.reward_s + self.update_s
        return (
            f"A step took {total:.2f} s: generation {self.generation_s:.2f}, Lean {self.reward_s:.2f} "
            f"({self.reward_share:.0%}), update {self.update_s:.2f}."
        )


class GRPOTrainer(RepositoryTrainer[GRPOSettings]):
    """Trains on goals with a reward for each tactic.

    Args:
        model_name: the model; or all settings, or a YAML file of them.
        reward_func: ``reward_func(completions: list[str], **kwargs) -> tensor [B]``, or a list, see
            :data:`lean_agent.rewards.adaptor.RewardFunc`; ``None`` takes the verified reward, which needs
            :meth:`set_server` before :meth:`train`.
        output_dir: checkpoints, metrics, and the newest model.
        reward: a scorer, or the name of one (``"verified"``, ``"shaped"``, …, see
            :func:`lean_agent.rewards.get_scorer`), of what Lean makes of each tactic; or a function as ``reward_func``.
        settings: those of :class:`~lean_agent.trainer.settings.GRPOSettings`, by name.

    Attributes:
        algorithm: where advantages and loss come from.
    """

    kind = "GRPO"
    shown_metrics = ("reward", "lean_s")
    step_trainer: ClassVar[type[AlgorithmTrainer]] = AlgorithmTrainer
    """The trl trainer that takes the steps."""
    ahead_trainer: ClassVar[type[AheadTrainer]] = AheadTrainer
    """The one that takes them with ``draw_ahead``."""

    @takes_settings
    def __init__(
        self,
        model_name: str | Path | GRPOSettings,
        reward_func: RewardFunc | None = None,
        output_dir: str | Path | None = None,
        *,
        reward: RewardFunc | BaseRewardScorer | str | None = None,
        **settings: Any,
    ) -> None:
        chosen = GRPOSettings.of(model_name, **with_folder(output_dir, settings))
        self.algorithm = chosen.make_algorithm()
        self._group_size: int = self.algorithm.config.group_size
        self._steps_between_checkpoints = self.algorithm.config.updates_per_batch
        self._passes = passes_for_whole_groups(chosen.batch_size, self._group_size)
        self._scored_before = 0
        self._pass_rates = PassRates()
        self._scorer, self._own_reward = _chosen_reward(reward, reward_func)
        self._reward_func = self._own_reward
        self._memory = Memory(self._remembered, self._set_remembered)
        super().__init__(chosen)
        self._check_help()
        self._check_schemes()

    def _check_schemes(self) -> None:
        """Refuse what a model that writes schemes cannot be trained with: the verified reward alone fills them in."""
        model, chosen = self.settings.model_name, self.settings
        if not recorded_help(model).filled:
            return
        if chosen.help_in_prompt:
            raise ConfigError(
                f"{model} has learnt to write {LEMMAS} at goals alone: leave premises and neighbours_in_prompt out."
            )
        if self._own_reward is not None and not isinstance(self._own_reward, VerifiedTacticReward):
            raise ConfigError(
                f"{model} has learnt to write {LEMMAS} for what is filled in before Lean runs it, and a reward "
                "function of your own would be given that as it is. Leave reward_func out, or give a scorer as reward, "
                "which the verified reward takes."
            )

    def set_server(self, server: LeanServer, projects: Projects) -> None:
        """Give the verified reward its Lean server and the projects that the training rows come from.

        A caller's own function stays in force.
        """
        if self._own_reward is None:
            self._reward_func = VerifiedTacticReward(server, projects, scorer=self._scorer)

    @override
    def train(self, repos: Sequence[RepositoryKey], database: MergedDataExporter, data_path: str | Path) -> None:
        """Train, as :meth:`RepositoryTrainer.train`.

        Raises:
            ConfigError: neither a reward function nor a Lean server was given.
        """
        if self._reward_func is None:
            raise ConfigError(
                "GRPO has nothing to score with: give the trainer a reward_func, or a Lean server and the traced "
                "projects for the verified reward: trainer.set_server(server, projects)."
            )
        if self.processes.is_first:
            self._warn_of_idle_settings()
        super().train(repos, database, data_path)

    def _warn_of_idle_settings(self) -> None:
        if idle := self.algorithm.idle_report():
            logger.warning(idle)
        if (adapter := self.settings.adapter) and (dropout := adapter.lora_dropout):
            logger.warning(
                "lora_dropout %g is taken as 0: GRPO compares the policy that samples with the one that learns, and "
                "with dropout they would differ.",
                dropout,
            )

    @property
    def completions_scored(self) -> int:
        """Completions that got a reward in this run so far, as its checkpoints know."""
        if not self._pass_rates.tried:
            self._recall()
        return self._pass_rates.tried.total()

    def step_time(self) -> StepTime | None:
        """Return what a step of this run took, by its log; ``None`` when nothing is logged yet."""
        log = self.metrics_file.read_text(encoding="utf-8") if self.metrics_file.is_file() else ""
        lines = map(json.loads, json_lines(log))
        steps = [[line.get(field.name) for field in fields(StepTime)] for line in lines]
        timed = [seconds for seconds in steps if None not in seconds]
        return StepTime(*(sum(column) / len(timed) for column in zip(*timed, strict=True))) if timed else None

    def _read(self, data_path: Path, repository: RepositoryKey) -> TacticDataset:
        def arrange(rows: Sequence[TacticRow]) -> Sequence[TacticRow]:
            kept = replayed(rows, (repository.url, repository.commit), self.settings.replay, self.settings.seed)
            return arranged(kept, self.settings.curriculum, self._pass_rates, self.settings.seed)

        self._scored_before = self._pass_rates.tried.total()
        recorded = recorded_help(self.settings.model_name)
        shown = recorded if recorded.filled else self.settings.help_in_prompt
        dataset = GRPODataset(data_path, arrange=arrange, shown=shown)
        if isinstance(self._reward_func, VerifiedTacticReward):
            self._reward_func.schemes = dataset.schemes
            if self.settings.known_proofs:
                self._reward_func.known = dataset.known
        return dataset

    def _build(self, dataset: TacticDataset, arguments: dict[str, Any]) -> transformers.Trainer:
        assert self._reward_func is not None, "train refuses a training without a reward"
        settings, algorithm = self.settings, self.algorithm.config
        config = GRPOConfig(
            **arguments,
            num_generations=self._group_size,
            num_iterations=algorithm.updates_per_batch,
            max_completion_length=settings.max_completion_length,
            temperature=settings.temperature,
            beta=algorithm.beta,
            chat_template_kwargs=TEMPLATE_SETTINGS,
            disable_dropout=True,  # or tokens would be sampled by another policy than the one that learns from them
            mask_truncated_completions=algorithm.mask_truncated,
            gradient_accumulation_steps=self._passes * self.algorithm.batches_per_update,
            shuffle_dataset=False,  # the rows come in the order that suits Lean
        )
        rows = dataset.to_hf()
        at_once = settings.batch_size * config.gradient_accumulation_steps * self.processes.count
        goals = at_once // self._group_size
        if len(rows) < goals:
            logger.warning("%d goals are fewer than the %d of an optimizer step: they are repeated.", len(rows), goals)
        # trl leaves out goals at the end that make no whole step: the first ones come again beside them.
        rows = rows.select([index % len(rows) for index in range(math.ceil(len(rows) / goals) * goals)])
        # What was cut off holds no tactic for Lean; a function of the user's own may want to see it. With an adapter,
        # the settings of its base.
        judged_by_lean = isinstance(self._reward_func, VerifiedTacticReward)
        ends = end_ids(cast("PreTrainedModel", self.model), self.tokenizer) if judged_by_lean else None
        ahead_trainer = partial(self.ahead_trainer, importance_cap=settings.importance_cap)
        trainer = (ahead_trainer if settings.draw_ahead else self.step_trainer)(
            algorithm=self.algorithm,
            model=self.model,
            reward_funcs=[_Recorded(RewardAdaptor(self._reward_func, end_ids=ends), self._pass_rates)],
            args=config,
            train_dataset=rows.add_column("row", list(range(len(rows)))),
            processing_class=self.tokenizer,
        )
        if settings.max_completions > 0:
            end = self._scored_before + settings.max_completions
            trainer.add_callback(StopWhen(lambda: self._pass_rates.tried.total() >= end))
        return trainer

    def _remembered(self) -> dict[str, Any]:
        return {
            "algorithm": self.algorithm.state_dict(),
            "pass_rates": self._pass_rates.state(),
            "scorer": scorer_state(self._scorer) if self._scorer else {},
        }

    def _set_remembered(self, memory: Mapping[str, Any]) -> None:
        self.algorithm.load_state_dict(memory["algorithm"])
        self._pass_rates.restore(memory["pass_rates"])
        if self._scorer is not None:
            load_scorer_state(self._scorer, memory["scorer"])


class _Recorded:
    """A reward function for trl whose rewards are counted for each theorem."""

    def __init__(self, reward: RewardAdaptor, rates: PassRates) -> None:
        self._reward = reward
        self._rates = rates
        self.__name__ = reward.__name__

    def begin(self, thread: Executor, **kwargs: Any) -> PendingRewards:
        """Begin to compute rewards in a thread; a later call takes them with ``pending``."""
        return PendingRewards.begin(thread, self._reward, **kwargs)

    def __call__(self, pending: Sequence[PendingRewards] | None = None, **kwargs: Any) -> list[float | None]:
        rewards = pending[0].take(**kwargs) if pending else self._reward(**kwargs)
        columns = (kwargs[name] for name in ("url", "commit", "file_path", "full_name"))
        # All processes must know the same of every theorem.
        known = gather_object(list(zip(zip(*columns, strict=True), rewards, strict=True)))
        self._rates.record([theorem for theorem, _ in known], [reward for _, reward in known])
        return rewards


def _chosen_reward(
    reward: RewardFunc | BaseRewardScorer | str | None, reward_func: RewardFunc | None
) -> tuple[BaseRewardScorer | None, RewardFunc | None]:
    """Return a scorer of what Lean makes of a tactic, or a function of the caller's; neither is the verified reward."""
    if reward_func is not None and reward is not None:
        raise ConfigError("Give reward or reward_func, not both.")
    chosen = get_scorer(reward) if isinstance(reward, str) else reward or reward_func
    if isinstance(chosen, type):
        raise ConfigTypeError(f"The reward is a function or a scorer, not a class: make one, {chosen.__name__}().")
    return (chosen, None) if isinstance(chosen, BaseRewardScorer) else (None, chosen)


def passes_for_whole_groups(batch_size: int, num_generations: int) -> int:
    """Return how many forward passes of ``batch_size`` completions make whole groups of ``num_generations``.

    ``lcm(batch_size, num_generations) / batch_size``: 1 for (8, 8), 8 for (1, 8), 4 for (6, 8), 1 for (16, 8).

    A warning speaks of more than one, since an optimizer step then sees more than ``batch_size``.

    Raises:
        ConfigError: a group of one completion, which has nothing to be compared with, or a batch of none.
    """
    if num_generations < 2 or batch_size < 1:
        raise ConfigError(
            "GRPO compares the completions of a goal with one another: num_generations must be at least 2 and "
            f"batch_size at least 1; they are {num_generations} and {batch_size}."
        )
    passes = math.lcm(batch_size, num_generations) // batch_size
    if passes > 1:
        rows = batch_size * passes
        logger.warning(
            f"A batch of {batch_size} holds no whole groups of {num_generations} generations: gradients are "
            f"accumulated over {passes} passes, so an optimizer step sees {rows} completions of "
            f"{rows // num_generations} goals."
        )
    return passes
