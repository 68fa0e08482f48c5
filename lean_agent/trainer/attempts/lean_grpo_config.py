"""The settings of a training on whole trajectories: inert data, with defaults < YAML < what is set by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter, ValidationError

from lean_agent.errors import ConfigError, ConfigTypeError, nearest
from lean_agent.policy.base import Sampling
from lean_agent.rewards import BaseRewardScorer, create_composite_scorer, get_scorer
from lean_agent.rollout import RolloutConfig
from lean_agent.settings import checked_class, read_yaml
from lean_agent.trainer.run.tracking import Tracker, check_tracker

if TYPE_CHECKING:
    from lean_agent.algorithms import RLAlgorithm


@checked_class
@dataclass(frozen=True, kw_only=True)
class LeanGRPOConfig:
    """See :class:`~lean_agent.trainer.attempts.lean_grpo_trainer.LeanGRPOTrainer`.

    Attributes:
        base_model: a folder (a LoRA adapter too), or a name on the HuggingFace hub.
        output_dir: checkpoints, metrics, attempts, and the newest model.
        algorithm: see :func:`lean_agent.algorithms.create_algorithm`; ``lean-grpo algorithms`` lists them.
        algorithm_config: settings of the algorithm.
        algorithm_preset: ``published`` for the paper's reading of the algorithm.
        reward_type: a scorer's name (see :func:`lean_agent.rewards.get_scorer`), or ``composite``.
        reward_weights: scorer -> weight, for ``composite``.
        num_generations: attempts at each theorem, which are compared with one another; by default the algorithm's
            ``group_size``.
        max_proof_steps, max_failures: see :class:`lean_agent.rollout.RolloutConfig`.
        max_tactic_tokens: longest answer of the model, in tokens; what is longer is no tactic.
        temperature, top_p: of the sampling.
        theorems_per_step: theorems whose attempts make one batch.
        num_train_epochs: passes over the theorems.
        max_steps: when positive, so many batches instead of epochs.
        max_lean_calls: when positive, training ends with the batch that brings the tactics that Lean ran to so many,
            and the learning rate falls over them instead of over batches: the same budget of Lean for every algorithm.
        updates_per_batch: optimizer steps on each batch of attempts; by default the algorithm's own.
        importance_cap: attempts that a server has sampled are weighed token by token with the ratio of the
            probabilities here and there, held below this (truncated importance sampling); 0 for no correction. For a
            server that reports tokens with their log-probabilities, as vLLM does, at ``temperature`` 1 and ``top_p`` 1;
            the metrics ``sampler_kl`` and ``sampler_gap`` say how far it has drifted.
        learning_rate: peak; it rises over ``warmup_ratio`` of the steps, then falls linearly to 0.
        max_grad_norm: gradients are scaled down to this norm.
        lora_rank: above 0 trains a new LoRA adapter of that rank; 0 trains all weights, or goes on with the adapter
            that ``base_model`` is.
        lora_alpha: by default twice the rank.
        quantization: hold the weights under the adapter in ``4bit`` (QLoRA) or ``8bit``; needs a GPU.
        use_unsloth: load the model by Unsloth; it must be installed.
        tokens_per_pass: padded tokens in one forward pass; lower it for a large model in little memory. It does not
            change what comes out.
        gradient_checkpointing: compute activations again instead of keeping them. Not for models whose layers call
            dropout themselves (OPT).
        max_rows: answers that the model in training samples in one batch; lower it for a large model in little memory.
        sync_every: updates after which a server that samples gets the new weights.
        tactic_timeout_s, verify_timeout_s: wall-clock seconds in Lean.
        seed: decides the order of theorems and the sampling.
        checkpoint_every: batches between checkpoints.
        report_to: ``tensorboard`` or ``wandb``; metrics.jsonl is written in any case.
        progress: show a progress bar.
    """

    base_model: str = "Qwen/Qwen2.5-7B-Instruct"
    output_dir: Path = Path("outputs")
    algorithm: str = "grpo"
    algorithm_config: dict[str, Any] = field(default_factory=dict)
    algorithm_preset: str | None = None
    reward_type: str = "verified"
    reward_weights: dict[str, float] = field(default_factory=dict)
    num_generations: int | None = None
    max_proof_steps: int = 20
    max_failures: int = 1
    max_tactic_tokens: int = 64
    temperature: float = 1.0
    top_p: float = 1.0
    theorems_per_step: int = 4
    num_train_epochs: int = 3
    max_steps: int = -1
    max_lean_calls: int = -1
    updates_per_batch: int | None = None
    importance_cap: float = 2.0
    learning_rate: float = 5e-6
    warmup_ratio: float = 0.05
    max_grad_norm: float = 1.0
    lora_rank: int = 0
    lora_alpha: int | None = None
    quantization: Literal["4bit", "8bit"] | None = None
    use_unsloth: bool = False
    tokens_per_pass: int = 8192
    gradient_checkpointing: bool = False
    max_rows: int = 256
    sync_every: int = 1
    tactic_timeout_s: float = 10.0
    verify_timeout_s: float = 60.0
    seed: int = 0
    checkpoint_every: int = 10
    report_to: Tracker = "none"
    progress: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "output_dir", Path(self.output_dir))
        least_one = (
            "max_tactic_tokens theorems_per_step num_train_epochs tokens_per_pass max_rows sync_every checkpoint_every"
        )
        for name in least_one.split():
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1; it is {getattr(self, name)}.")
        self._check_groups()
        algorithm = self.make_algorithm().config
        object.__setattr__(self, "num_generations", algorithm.group_size)
        object.__setattr__(self, "updates_per_batch", algorithm.updates_per_batch)
        self._check_groups()
        if self.learning_rate <= 0 or not 0 <= self.warmup_ratio < 1 or self.max_grad_norm <= 0 or self.lora_rank < 0:
            raise ConfigError(
                "learning_rate and max_grad_norm must be above 0, warmup_ratio in [0, 1) and lora_rank at least 0; "
                f"they are {self.learning_rate}, {self.max_grad_norm}, {self.warmup_ratio} and {self.lora_rank}."
            )
        if not self.importance_cap >= 0:
            raise ConfigError(f"importance_cap must be above 0, or 0 for no correction; it is {self.importance_cap}.")
        if self.max_steps != -1 and self.max_steps < 1:
            raise ConfigError(f"max_steps must be at least 1, or -1 for num_train_epochs; it is {self.max_steps}.")
        if self.max_lean_calls != -1 and self.max_lean_calls < 1:
            raise ConfigError(f"max_lean_calls must be at least 1, or -1 for no limit; it is {self.max_lean_calls}.")
        if (self.reward_type == "composite") != bool(self.reward_weights):
            raise ConfigError("reward_type: composite goes with reward_weights, and with nothing else.")
        if not 0 <= self.seed < 2**32 or (self.lora_alpha is not None and self.lora_alpha < 1):
            raise ConfigError(
                f"seed must be in [0, 2^32) and lora_alpha at least 1; they are {self.seed} and {self.lora_alpha}."
            )
        check_tracker(self.report_to)
        _ = self.sampling, self.rollout, self.make_scorer()  # they check their own

    def _check_groups(self) -> None:
        """Refuse groups in which nothing can be compared."""
        if self.num_generations is not None and self.num_generations < 2:
            raise ConfigError(
                "Attempts at a theorem are compared with one another: num_generations must be at least 2; it is "
                f"{self.num_generations}."
            )

    @classmethod
    def load(cls, path: str | Path | None = None, **settings: Any) -> LeanGRPOConfig:
        """Defaults, then a YAML file's settings, then those given by name.

        ``algorithm_config`` is merged key by key. Where another algorithm is given than the file's, the file's settings
        and preset of it do not count, nor its ``reward_weights`` where another ``reward_type`` is.

        Raises:
            ConfigError: no such file, an unknown key (the nearest is said), or a value that cannot work.
        """
        file = read_yaml(path) if path is not None else {}
        known = [setting.name for setting in fields(cls)]
        for key in (*file, *settings):
            if key not in known:
                where = f" in {path}" if key in file else ""
                raise ConfigTypeError(f"There is no setting {key!r}{where}. {nearest(key, known)}")
        values = merged(file, settings)
        try:
            return TypeAdapter(cls).validate_python(values)
        except ValidationError as error:
            first = error.errors()[0]
            cause = first.get("ctx", {}).get("error")
            if isinstance(cause, ConfigError):  # one of the checks above, which pydantic has wrapped
                raise cause from None
            raise ConfigError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}, not {first['input']!r}.") from error

    @property
    def sampling(self) -> Sampling:
        """How a policy is to draw answers."""
        return Sampling(
            temperature=self.temperature, top_p=self.top_p, max_new_tokens=self.max_tactic_tokens, seed=self.seed
        )

    @property
    def rollout(self) -> RolloutConfig:
        """How attempts are made."""
        return RolloutConfig(self.max_proof_steps, self.max_failures, self.tactic_timeout_s, self.verify_timeout_s)

    def make_algorithm(self) -> RLAlgorithm[Any]:
        """The algorithm, without memory of earlier batches."""
        from lean_agent.algorithms import create_algorithm, with_trainer_settings  # they load torch

        asked = {
            "num_generations": ("group_size", self.num_generations),
            "updates_per_batch": ("updates_per_batch", self.updates_per_batch),
        }
        settings = with_trainer_settings(self.algorithm_config, asked)
        return create_algorithm(self.algorithm, preset=self.algorithm_preset, **settings)

    def make_scorer(self) -> BaseRewardScorer:
        """What an attempt is worth."""
        if self.reward_type == "composite":
            return create_composite_scorer(*self.reward_weights, weights=self.reward_weights)
        return get_scorer(self.reward_type)


def merged(file: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's settings under those given, without those of an algorithm or a reward that is not taken."""
    from lean_agent.algorithms import algorithm_class

    dropped: set[str] = set()
    theirs = file.get("algorithm", LeanGRPOConfig.algorithm)
    if "algorithm" in given and algorithm_class(str(given["algorithm"])) is not algorithm_class(str(theirs)):
        dropped |= {"algorithm_config", "algorithm_preset"}
    if given.get("reward_type", file.get("reward_type")) != file.get("reward_type"):
        dropped.add("reward_weights")
    kept = {name: value for name, value in file.items() if name not in dropped}
    values = {**kept, **given}
    both = [side["algorithm_config"] for side in (kept, given) if isinstance(side.get("algorithm_config"), dict)]
    if len(both) == 2:
        values["algorithm_config"] = {**both[0], **both[1]}
    return values
