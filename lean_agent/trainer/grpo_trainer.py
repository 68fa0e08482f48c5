"""GRPO on tactics: the model proposes a group of tactics for a goal and learns from what each is worth.

The algorithm is GRPO (arXiv 2402.03300) or another of :mod:`lean_agent.algorithms`. Without a reward of the caller's
the reward is the verified one: Lean runs every tactic in its exact state, those of a step in one batch.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Unpack, cast, get_args

import transformers
from accelerate.utils import gather_object
from peft import LoraConfig, PeftModel
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from trl.trainer.grpo_config import GRPOConfig

from lean_agent.algorithms import RLAlgorithm, create_algorithm, with_trainer_settings
from lean_agent.database.exports.tactic_rows import TacticRow
from lean_agent.errors import ConfigError, ConfigTypeError
from lean_agent.files import json_lines
from lean_agent.lean.server import LeanServer
from lean_agent.policy.decoding import end_ids
from lean_agent.prompts import TEMPLATE_SETTINGS
from lean_agent.rewards import BaseRewardScorer, RewardAdaptor, RewardFunc, get_scorer
from lean_agent.rewards.base import load_scorer_state, scorer_state
from lean_agent.rollout.single_tactics import Projects, VerifiedTacticReward
from lean_agent.settings import checked
from lean_agent.trainer.algorithm_trainer import AlgorithmTrainer
from lean_agent.trainer.base import MachineSettings, MergedDataExporter, RepositoryTrainer, TrainingSettings
from lean_agent.trainer.data.curriculum import Curriculum, PassRates, arranged, replayed
from lean_agent.trainer.data.dataset import GRPODataset, TacticDataset
from lean_agent.trainer.run.callbacks import Memory, StopWhen
from lean_agent.trainer.run.processes import Processes
from lean_agent.trainer.run.run_folder import Repository

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


@dataclass(frozen=True, slots=True)
class GRPOSettings:
    """What GRPO on tactics takes beside :class:`~lean_agent.trainer.base.TrainingSettings` and its algorithm. See
    :class:`GRPOTrainer` for the meaning."""

    num_iterations: int
    max_completion_length: int
    temperature: float
    curriculum: Curriculum
    replay: float
    max_completions: int
    premises: int
    known_proofs: bool

    def __post_init__(self) -> None:
        if self.premises < 0:
            raise ConfigError(f"premises must be at least 0; it is {self.premises}.")
        if self.max_completions != -1 and self.max_completions < 1:
            raise ConfigError(f"max_completions must be at least 1, or -1 for no limit; it is {self.max_completions}.")
        if self.temperature <= 0 or self.max_completion_length < 1:
            raise ConfigError(
                "temperature must be above 0 and max_completion_length at least 1; they are "
                f"{self.temperature} and {self.max_completion_length}."
            )
        if self.curriculum not in get_args(Curriculum) or not 0 <= self.replay <= 1:
            raise ConfigError(
                f"curriculum must be one of {', '.join(get_args(Curriculum))} and replay in [0, 1]; they are "
                f"{self.curriculum!r} and {self.replay}."
            )


class GRPOTrainer(RepositoryTrainer):
    """Trains on goals with a reward for each tactic.

    Args:
        model_name: a folder (a LoRA adapter too: its training goes on) or a name on the HuggingFace hub.
        reward_func: ``reward_func(completions: list[str], **kwargs) -> tensor [B]``, or a list, see
            :data:`lean_agent.rewards.adaptor.RewardFunc`; ``None`` takes the verified reward, which needs
            :meth:`set_server` before :meth:`train`.
        reward: a scorer, or the name of one (``"verified"``, ``"shaped"``, …, see
            :func:`lean_agent.rewards.get_scorer`), of what Lean makes of each tactic; or a function as ``reward_func``.
        algorithm: a name of :data:`lean_agent.algorithms.ALGORITHMS`.
        algorithm_config: its settings; ``{"preset": "published"}`` takes a paper's (docs/algorithms.md). The reference
            of ``beta`` is the model as it was when the training on a repository began.
        output_dir: checkpoints, metrics, and the newest model; see :mod:`lean_agent.trainer.run.run_folder`.
        epochs_per_repo: epochs over the merged data after each new repository.
        batch_size: completions in one forward pass on each device. Where it holds no whole groups of
            ``num_generations``, gradients are accumulated over as many passes as make whole groups.
        lr: peak learning rate.
        lora_config: trains an adapter instead of all weights. Dropout, also the adapter's, is off.
        num_generations: completions for each goal, the group that a reward is compared in; at least 2. By default
            the algorithm's ``group_size``.
        num_iterations: optimizer steps on the same completions; from the second on, probability ratios differ from 1
            and clipping matters. By default the algorithm's ``updates_per_batch``.
        max_steps: when positive, so many optimizer steps for each repository instead of epochs.
        max_completions: when positive, a repository's training ends after so many scored completions, sampled again or
            not: the same budget of Lean for every algorithm.
        max_completion_length: tokens of a completion; what is longer is cut off. For ``reward`` it then holds no
            tactic, as in search; a ``reward_func`` gets what there is.
        temperature: of the sampling.
        warmup: part of the steps in which the learning rate rises; then it falls linearly to 0.
        curriculum: the order of goals within a repository's training: ``mixed``, ``easy_first`` or ``pass_rate``, see
            :func:`lean_agent.trainer.data.curriculum.arranged`.
        replay: share of the theorems of earlier repositories that are trained on again, in [0, 1].
        premises: how many premises are shown with each goal (:mod:`lean_agent.policy.retrieval`).
        known_proofs: a tactic proves its goal for the verified reward, or a scorer, also where what it leaves are goals
            that the theorem's traced proof goes on to prove (:class:`~lean_agent.rollout.single_tactics.KnownProofs`).
        seed: of the order of the rows and of the sampling.
        checkpoint_every_s: seconds between checkpoints within a repository. A training that is killed at any moment
            and resumed ends with the weights of one that was not.
        progress: show a progress bar.
        machine: see :class:`~lean_agent.trainer.base.RepositoryTrainer`.

    Raises:
        ConfigError, ModelNotFound: see :class:`~lean_agent.trainer.base.RepositoryTrainer`.
    """

    kind = "GRPO"
    shown_metrics = ("reward", "lean_s")

    @checked
    def __init__(
        self,
        model_name: str | Path,
        reward_func: RewardFunc | None = None,
        output_dir: str | Path = "outputs",
        *,
        reward: RewardFunc | BaseRewardScorer | str | None = None,
        algorithm: str = "grpo",
        algorithm_config: Mapping[str, Any] | None = None,
        epochs_per_repo: int = 1,
        batch_size: int = 1,
        lr: float = 2e-5,
        lora_config: LoraConfig | None = None,
        num_generations: int | None = None,
        num_iterations: int | None = None,
        max_steps: int = -1,
        max_completions: int = -1,
        max_completion_length: int = 128,
        temperature: float = 1.0,
        warmup: float = 0.05,
        curriculum: Curriculum = "mixed",
        replay: float = 1.0,
        premises: int = 0,
        known_proofs: bool = True,
        seed: int = 0,
        checkpoint_every_s: float = 300.0,
        progress: bool = True,
        **machine: Unpack[MachineSettings],
    ) -> None:
        settings = TrainingSettings(
            model_name=str(model_name),
            output_dir=Path(output_dir),
            epochs_per_repo=epochs_per_repo,
            batch_size=batch_size,
            lr=lr,
            lora_config=lora_config,
            max_steps=max_steps,
            warmup=warmup,
            seed=seed,
            checkpoint_every_s=checkpoint_every_s,
            progress=progress,
            **machine,
        )
        self.algorithm = _algorithm(algorithm, algorithm_config or {}, num_generations, num_iterations)
        self._grpo = GRPOSettings(
            num_iterations=self.algorithm.config.updates_per_batch,
            max_completion_length=max_completion_length,
            temperature=temperature,
            curriculum=curriculum,
            replay=replay,
            max_completions=max_completions,
            premises=premises,
            known_proofs=known_proofs,
        )
        self._group_size: int = self.algorithm.config.group_size
        self._check_algorithm(batch_size)
        self._steps_between_checkpoints = self._grpo.num_iterations
        self._passes = passes_for_whole_groups(batch_size, self._group_size)
        self._scored_before = 0
        self._pass_rates = PassRates()
        self._scorer, self._own_reward = _chosen_reward(reward, reward_func)
        self._reward_func = self._own_reward
        self._memory = Memory(self._remembered, self._set_remembered)
        super().__init__(settings, self._recorded(algorithm))

    def _recorded(self, algorithm: str) -> dict[str, Any]:
        """The settings of its own that decide what comes out."""
        own = asdict(self._grpo)
        if not self._grpo.premises:
            del own["premises"]  # runs from before there were premises go on
        return {
            **own,
            "num_generations": self._group_size,
            "algorithm": algorithm.lower(),
            # as runs from before it was a setting of the algorithm have it
            "algorithm_config": {k: v for k, v in asdict(self.algorithm.config).items() if k != "updates_per_batch"},
        }

    def _check_algorithm(self, batch_size: int) -> None:
        """Refuse what the algorithm cannot do with these settings."""
        longest = self._grpo.max_completion_length
        if self.algorithm.needs_whole_groups and batch_size % self._group_size:
            raise ConfigError(
                f"{type(self.algorithm).__name__} compares the completions of a group in its loss, so batch_size must "
                f"be a multiple of num_generations; they are {batch_size} and {self._group_size}."
            )
        if self.algorithm.config.overlong_cache > longest:
            raise ConfigError(
                f"overlong_cache, {self.algorithm.config.overlong_cache}, must not be above max_completion_length, "
                f"{longest}."
            )

    def set_server(self, server: LeanServer, projects: Projects) -> None:
        """Give the verified reward its Lean server and the projects that the training rows come from.

        A caller's own function stays in force.
        """
        if self._own_reward is None:
            self._reward_func = VerifiedTacticReward(server, projects, scorer=self._scorer)

    def train(self, repos: Sequence[Repository], database: MergedDataExporter, data_path: str | Path) -> None:
        """See :meth:`RepositoryTrainer.train`.

        Raises:
            ConfigError: neither a reward function nor a Lean server was given.
        """
        if self._reward_func is None:
            raise ConfigError(
                "GRPO has nothing to score with: give the trainer a reward_func, or a Lean server and the traced "
                "projects for the verified reward: trainer.set_server(server, projects)."
            )
        if Processes().is_first:
            self._warn_of_idle_settings()
        super().train(repos, database, data_path)

    def _warn_of_idle_settings(self) -> None:
        if idle := self.algorithm.idle_report():
            logger.warning(idle)
        dropout = self.settings.lora_config.lora_dropout if self.settings.lora_config else 0.0
        if dropout:
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
        """What a step of this run took, by its log; ``None`` when nothing is logged yet."""
        names = ("generation_s", "reward_s", "update_s")
        lines = [json.loads(line) for line in _lines(self.metrics_file)]
        timed = [[line[name] for name in names] for line in lines if all(line.get(name) is not None for name in names)]
        return StepTime(*(sum(column) / len(timed) for column in zip(*timed, strict=True))) if timed else None

    def _read(self, data_path: Path, repository: Repository) -> TacticDataset:
        def arrange(rows: Sequence[TacticRow]) -> Sequence[TacticRow]:
            kept = replayed(rows, (repository.url, repository.commit), self._grpo.replay, self.settings.seed)
            return arranged(kept, self._grpo.curriculum, self._pass_rates, self.settings.seed)

        self._scored_before = self._pass_rates.tried.total()
        dataset = GRPODataset(data_path, arrange=arrange, premises=self._grpo.premises)
        if isinstance(self._reward_func, VerifiedTacticReward) and self._grpo.known_proofs:
            self._reward_func.known = dataset.known
        return dataset

    def _build(
        self,
        model: PreTrainedModel | PeftModel,
        tokenizer: PreTrainedTokenizerBase,
        dataset: TacticDataset,
        arguments: dict[str, Any],
    ) -> transformers.Trainer:
        assert self._reward_func is not None, "train refuses a training without a reward"
        settings = self.algorithm.config
        config = GRPOConfig(
            **arguments,
            num_generations=self._group_size,
            num_iterations=self._grpo.num_iterations,
            max_completion_length=self._grpo.max_completion_length,
            temperature=self._grpo.temperature,
            beta=settings.beta,
            chat_template_kwargs=TEMPLATE_SETTINGS,
            disable_dropout=True,  # or tokens would be sampled by another policy than the one that learns from them
            mask_truncated_completions=settings.mask_truncated,
            gradient_accumulation_steps=self._passes * self.algorithm.batches_per_update,
            shuffle_dataset=False,  # the rows come in the order that suits Lean
        )
        rows = dataset.to_hf()
        at_once = self.settings.batch_size * config.gradient_accumulation_steps * Processes().count
        goals = at_once // self._group_size
        if len(rows) < goals:
            logger.warning("%d goals are fewer than the %d of an optimizer step: they are repeated.", len(rows), goals)
        # trl leaves out goals at the end that make no whole step: the first ones come again beside them.
        rows = rows.select([index % len(rows) for index in range(math.ceil(len(rows) / goals) * goals)])
        # What was cut off holds no tactic for Lean; a function of the user's own may want to see it. With an adapter,
        # the settings of its base.
        judged_by_lean = isinstance(self._reward_func, VerifiedTacticReward)
        ends = end_ids(cast("PreTrainedModel", model), tokenizer) if judged_by_lean else None
        trainer = AlgorithmTrainer(
            algorithm=self.algorithm,
            model=model,
            reward_funcs=[_Recorded(RewardAdaptor(self._reward_func, end_ids=ends), self._pass_rates)],
            args=config,
            train_dataset=rows.add_column("row", list(range(len(rows)))),
            processing_class=tokenizer,
        )
        if self._grpo.max_completions > 0:
            end = self._scored_before + self._grpo.max_completions
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

    def __call__(self, **kwargs: Any) -> list[float | None]:
        rewards = self._reward(**kwargs)
        columns = (kwargs[name] for name in ("url", "commit", "file_path", "full_name"))
        # All processes must know the same of every theorem.
        known = gather_object(list(zip(zip(*columns, strict=True), rewards, strict=True)))
        self._rates.record([theorem for theorem, _ in known], [reward for _, reward in known])
        return rewards


def _algorithm(
    name: str, config: Mapping[str, Any], num_generations: int | None, num_iterations: int | None
) -> RLAlgorithm[Any]:
    """Create the algorithm with groups of ``num_generations`` and ``num_iterations`` updates, where these are given."""
    asked = {
        "num_generations": ("group_size", num_generations),
        "num_iterations": ("updates_per_batch", num_iterations),
    }
    return create_algorithm(name, **with_trainer_settings(config, asked))


def _chosen_reward(
    reward: RewardFunc | BaseRewardScorer | str | None, reward_func: RewardFunc | None
) -> tuple[BaseRewardScorer | None, RewardFunc | None]:
    """A scorer of what Lean makes of a tactic, or a function of the caller's; neither is the verified reward."""
    if reward_func is not None and reward is not None:
        raise ConfigError("Give reward or reward_func, not both.")
    if isinstance(reward or reward_func, type):
        raise ConfigTypeError(
            f"The reward is a function or a scorer, not a class: make one, {_name(reward or reward_func)}()."
        )
    chosen = get_scorer(reward) if isinstance(reward, str) else reward or reward_func
    return (chosen, None) if isinstance(chosen, BaseRewardScorer) else (None, chosen)


def _name(given: object) -> str:
    return str(getattr(given, "__name__", given))


def _lines(path: Path) -> list[str]:
    return json_lines(path.read_text(encoding="utf-8")) if path.is_file() else []


def passes_for_whole_groups(batch_size: int, num_generations: int) -> int:
    """How many forward passes of ``batch_size`` completions make whole groups of ``num_generations``.

    ``lcm(batch_size, num_generations) / batch_size``: 1 for (8, 8), 8 for (1, 8), 4 for (6, 8), 1 for (16, 8).

    More than one is told in a warning, since an optimizer step then sees more than ``batch_size``.

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
