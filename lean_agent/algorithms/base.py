"""What every algorithm is: rewards in, advantages out; log-probabilities and advantages in, a loss out.

:class:`AlgorithmConfig` holds the settings that every algorithm takes, and :class:`RLAlgorithm` the clipped
policy-gradient loss that they share; a module beside this one says what its algorithm does otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, ClassVar, Generic, TypeVar, cast, get_type_hints, overload

import torch

from lean_agent.algorithms import functional
from lean_agent.algorithms.functional import MAX_LOG_RATIO, Aggregation, BatchSize, KLEstimator, Level, masked_mean
from lean_agent.errors import ConfigError, ConfigTypeError, nearest
from lean_agent.settings import check_value

Metrics = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class AlgorithmConfig:
    """The settings that every algorithm takes.

    Attributes:
        group_size: completions for each goal or theorem, where a trainer is not told otherwise.
        updates_per_batch: optimizer steps on the same completions, where a trainer is not told otherwise; from the
            second on, probability ratios differ from 1 and clipping matters (``μ`` of GRPO, 2402.03300).
        normalize_advantages: divide by the group's standard deviation; ``False`` is one half of Dr. GRPO (2503.20783).
        epsilon: how far below 1 a probability ratio may pull the loss; the upper bound too unless that has its own.
        epsilon_high: the upper bound; DAPO's clip-higher (2503.14476) is 0.28 beside an ``epsilon`` of 0.2.
        is_level: what the probability ratio is of; see :func:`lean_agent.algorithms.functional.log_ratio`.
        loss_aggregation: see :func:`lean_agent.algorithms.functional.aggregate`; ``constant`` is the other half of
            Dr. GRPO, ``token`` is DAPO's.
        beta: weight of the KL divergence to the reference model; 0 needs no reference model.
        kl_estimator: see :func:`lean_agent.algorithms.functional.kl_divergence`.
        use_unbiased_kl: weigh the divergence with the probability ratio, which makes it unbiased when the tokens were
            sampled from an older policy (DeepSeek-V3.2, 2512.02556; trl's ``use_bias_correction_kl``).
        dynamic_sampling: how often groups without spread are sampled again, at most (DAPO); 0 keeps them.
        overlong_cache: tokens before the length limit in which a completion loses up to 1 of its reward (DAPO's soft
            overlong punishment); 0 punishes none.
        mask_truncated: completions that were cut off at the length limit take no part in the loss (DAPO).
    """

    group_size: int = 8
    updates_per_batch: int = 1
    normalize_advantages: bool = True
    epsilon: float = 0.2
    epsilon_high: float | None = None
    is_level: Level = "token"
    loss_aggregation: Aggregation = "sequence"
    beta: float = 0.0
    kl_estimator: KLEstimator = "schulman"
    use_unbiased_kl: bool = False
    dynamic_sampling: int = 0
    overlong_cache: int = 0
    mask_truncated: bool = False

    PUBLISHED: ClassVar[Mapping[str, Any]] = {}
    """What ``preset="published"`` sets: the algorithm as its paper has it."""

    UNUSED: ClassVar[Mapping[str, str]] = {}
    """Common settings that an algorithm has no use for, each with the reason. To change one is refused."""

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for field in fields(self):
            value, name = getattr(self, field.name), field.name
            check_value(name, value, hints[name], of=type(self).__name__, finite=True)
            unused = self.UNUSED.get(name)
            self._require(not unused or value == field.default, f"{name} would change nothing: {unused}")
        self._require(self.group_size >= 1, "group_size must be at least 1")
        self._require(self.updates_per_batch >= 1, "updates_per_batch must be at least 1")
        self._require(0 < self.epsilon <= 1, "epsilon must lie in (0, 1]")
        self._require(self.epsilon_high is None or self.epsilon_high > 0, "epsilon_high must be above 0")
        self._require(self.beta >= 0, "beta must be at least 0")
        self._require(self.dynamic_sampling >= 0, "dynamic_sampling must be at least 0")
        self._require(self.overlong_cache >= 0, "overlong_cache must be at least 0")

    @classmethod
    def create(cls, settings: Mapping[str, Any], preset: str | None = None) -> AlgorithmConfig:
        """Make a configuration of these settings over a preset.

        Raises:
            ConfigError: an unknown setting (the nearest name is said), a value that cannot work, an unknown preset.
        """
        known = [field.name for field in fields(cls)]
        for name in settings:
            if name not in known:
                raise ConfigTypeError(f"{cls.__name__} has no setting {name!r}. {nearest(name, known)}")
        if preset not in (None, "published"):
            raise ConfigError(
                f"There is no preset {preset!r}. There is one, 'published', the paper's reading of an algorithm."
            )
        return cls(**{**(cls.PUBLISHED if preset else {}), **settings})

    def idle_settings(self) -> dict[str, str]:
        """Return the settings that change nothing beside the others, each with the reason.

        :attr:`UNUSED` settings are not among them.
        """
        idle: dict[str, str] = {}
        if self.updates_per_batch == 1:
            idle |= dict.fromkeys(("epsilon", "epsilon_high"), "at one update a batch no probability ratio is clipped")
            if self.is_level != "sequence":
                idle["is_level"] = "at one update a batch token and geometric_mean have the same gradient"
        if self.beta == 0:
            idle |= dict.fromkeys(("kl_estimator", "use_unbiased_kl"), "beta is 0")
        return {name: reason for name, reason in idle.items() if name not in self.UNUSED}

    def _require(self, condition: bool, complaint: str) -> None:
        if not condition:
            raise ConfigError(f"{type(self).__name__}: {complaint}.")


@dataclass(frozen=True, slots=True)
class LossInputs:
    """What a loss is computed from: ``B`` completions of at most ``T`` tokens.

    Attributes:
        logprobs: of the sampled tokens under the policy in training, ``[B, T]``, with gradient.
        old_logprobs: under the policy that sampled them, ``[B, T]``; ``None`` when it is the same policy.
        ref_logprobs: under the reference model, ``[B, T]``; needed when ``beta`` is above 0.
        advantages: of completions ``[B]``, or of tokens ``[B, T]`` (every token of a trajectory's steps gets its
            trajectory's).
        mask: ``[B, T]``, 1 for a token that the policy wrote and that counts, 0 for padding, prompts and states.
        groups: which group each row belongs to, ``[B]`` of integers; by default ``group_size`` rows in a row. Read only
            where ``needs_whole_groups`` is set.
        batch: the whole batch, when these rows are a slice of it: the losses of the slices add up to the batch's.
        max_length: most tokens that a completion can have, for the aggregation ``constant``; by default ``T``.
        token_weights: by which the policy loss of each token is multiplied, ``[B, T]``: an importance correction.
        preferences: rows (winner, loser) ``[P, 2]``, for ``dgpo``, where they are known otherwise than by the
            advantages.

    Raises:
        ValueError: shapes that do not fit.
    """

    logprobs: torch.Tensor
    old_logprobs: torch.Tensor | None
    ref_logprobs: torch.Tensor | None
    advantages: torch.Tensor
    mask: torch.Tensor
    groups: torch.Tensor | None = None
    batch: BatchSize | None = None
    max_length: int | None = None
    token_weights: torch.Tensor | None = None
    preferences: torch.Tensor | None = None

    def __post_init__(self) -> None:
        shape = tuple(self.logprobs.shape)
        if len(shape) != 2:
            raise ValueError(f"logprobs must be [B, T]; they are {shape}.")
        for name in ("old_logprobs", "ref_logprobs", "mask"):
            values = getattr(self, name)
            if values is not None and tuple(values.shape) != shape:
                raise ValueError(f"{name} must have the shape of logprobs, {shape}; it is {tuple(values.shape)}.")
        if tuple(self.advantages.shape) not in (shape, shape[:1]):
            raise ValueError(f"advantages must be {shape[:1]} or {shape}; they are {tuple(self.advantages.shape)}.")

    def group_numbers(self, group_size: int) -> torch.Tensor:
        """Return the group of each row, ``[B]``: ``groups``, or ``group_size`` rows in a row."""
        if self.groups is not None:
            return self.groups
        return torch.arange(len(self.logprobs), device=self.logprobs.device) // group_size


Config = TypeVar("Config", bound=AlgorithmConfig)
Group = TypeVar("Group")


class RLAlgorithm(Generic[Config]):
    """How rewards become advantages, and advantages and log-probabilities a loss.

    Make one with ``GRPO(group_size=8, …)``, with ``GRPO(GRPOConfig(…))``, or with
    :func:`lean_agent.algorithms.create_algorithm`.

    Some algorithms remember rewards of earlier batches: :meth:`state_dict` and :meth:`load_state_dict` belong into a
    trainer's checkpoints.

    Attributes:
        config: the settings.

    Raises:
        ConfigError: a setting that is unknown or cannot work.
    """

    config_class: ClassVar[type[AlgorithmConfig]] = AlgorithmConfig
    full_name: ClassVar[str] = ""
    best_for: ClassVar[str] = ""
    needs_whole_groups: ClassVar[bool] = False
    """True when :meth:`compute_loss` compares the completions of a group: it must then be given whole groups."""
    needs_logprobs: ClassVar[bool] = False
    """True when :meth:`shape_rewards` looks at log-probabilities: it must then be given them."""

    def __init__(self, config: Config | None = None, **settings: Any) -> None:
        if config is not None and not isinstance(config, self.config_class):
            raise ConfigTypeError(f"{type(self).__name__} takes a {self.config_class.__name__}, not {config!r}.")
        if config is not None and settings:
            raise ConfigError(f"Give {type(self).__name__} a configuration or single settings, not both.")
        self.config: Config = config if config is not None else cast("Config", self.config_class.create(settings))

    # Advantages

    @overload
    def compute_advantages(self, rewards: torch.Tensor) -> torch.Tensor: ...
    @overload
    def compute_advantages(self, rewards: Sequence[float | None]) -> dict[int, float]: ...

    def compute_advantages(self, rewards: torch.Tensor | Sequence[float | None]) -> torch.Tensor | dict[int, float]:
        """Return how much better each completion of a group is than could be expected.

        Args:
            rewards: ``[B, G]``, NaN for a completion that could not be scored; or one group as a list, with ``None``
                for such a completion.

        Returns:
            ``[B, G]``, finite, 0 for a completion that could not be scored; for a list ``{index: advantage}``. Where a
            group is all that a completion is compared with, a group with one known reward and one in which all rewards
            are equal give 0.

        Raises:
            ValueError: a tensor that is not two-dimensional, or an infinite reward.
        """
        if not isinstance(rewards, torch.Tensor):
            row = torch.tensor([[math.nan if reward is None else float(reward) for reward in rewards]])
            return dict(enumerate(self.compute_advantages(row)[0].tolist()))
        if rewards.dim() != 2:
            raise ValueError(f"Rewards must be [B, G], goals by completions; these are {tuple(rewards.shape)}.")
        if rewards.isinf().any():
            raise ValueError("An infinite reward makes every advantage of its group meaningless.")
        if rewards.numel() == 0:
            return rewards.clone()
        return torch.nan_to_num(self._advantages(rewards.float()), nan=0.0)

    def _advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        """Compute advantages, ``[B, G] -> [B, G]``, NaN where nothing can be said; ``B`` and ``G`` are at least 1.

        For an algorithm that does not override :meth:`compute_advantages`, which checks and converts for it.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not say what advantages are: it needs _advantages, or its own "
            "compute_advantages."
        )

    def group_advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        """Compute GRPO's own: ``r − mean`` of the group, over its deviation where ``normalize_advantages`` is set."""
        return functional.standardized(rewards) if self.config.normalize_advantages else functional.centred(rewards)

    def shape_rewards(
        self, rewards: torch.Tensor, lengths: torch.Tensor, max_length: int, logprobs: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Take the soft overlong punishment off rewards (DAPO, 2503.14476, equation 13), ``[B, G] -> [B, G]``.

        With ``c = overlong_cache``: nothing up to ``max_length − c`` tokens, then falling linearly, −1 at
        ``max_length`` and beyond.

        Args:
            lengths: tokens of each completion, ``[B, G]``.
            max_length: most tokens that a completion can have.
            logprobs: sum of the log-probabilities of each completion's tokens under the policy that sampled them,
                ``[B, G]``; given where :attr:`needs_logprobs` is set.
        """
        cache = self.config.overlong_cache
        if cache == 0:
            return rewards
        return rewards - ((lengths - (max_length - cache)) / cache).clamp(0, 1)

    def next_group_size(self) -> int:
        """Return how many completions the next goals should get."""
        return self.config.group_size

    def resample(
        self,
        groups: Sequence[Group],
        has_spread: Callable[[Group], bool],
        draw: Callable[[int, int], Sequence[Group]],
        most: Callable[[int], int] = int,
    ) -> list[Group]:
        """Return the groups, those without spread replaced by fresh ones that have some (DAPO, 2503.14476).

        At most ``dynamic_sampling`` times; a group for which there is no fresh one stays.

        Args:
            has_spread: whether two completions of a group are worth different rewards.
            draw: the number of the attempt, from 1, and how many groups are wanted -> fresh groups.
            most: the largest of the numbers that the processes of a training have; they draw together.
        """
        kept = list(groups)
        for attempt in range(1, self.config.dynamic_sampling + 1):
            flat = [place for place, group in enumerate(kept) if not has_spread(group)]
            wanted = most(len(flat))
            if wanted == 0:
                break
            useful = filter(has_spread, draw(attempt, wanted))
            for place, group in zip(flat, useful, strict=False):
                kept[place] = group
        return kept

    @property
    def batches_per_update(self) -> int:
        """Batches whose gradients make one update of the weights."""
        return 1

    # Loss

    def compute_loss(
        self,
        logprobs: torch.Tensor,
        old_logprobs: torch.Tensor | None,
        ref_logprobs: torch.Tensor | None,
        advantages: torch.Tensor,
        mask: torch.Tensor,
        **others: Any,
    ) -> tuple[torch.Tensor, Metrics]:
        """Return the loss to minimise, a scalar with gradient, and metrics: :meth:`_loss` of these inputs.

        Args: those of :class:`LossInputs`, in its order; ``others`` are its keywords.

        Raises:
            ValueError: shapes that do not fit, or no ``ref_logprobs`` where they are needed.
        """
        return self._loss(LossInputs(logprobs, old_logprobs, ref_logprobs, advantages, mask, **others))

    def _loss(self, inputs: LossInputs) -> tuple[torch.Tensor, Metrics]:
        """Return the clipped loss. An algorithm with another loss overrides this.

        A token whose log-probability under any of the policies is not finite takes no part, and a probability ratio is
        held within e^±20 (then without gradient); both are counted in the metrics. A completion without tokens adds
        nothing. Nothing at all gives a loss of 0.

        Returns:
            The loss, and metrics: ``policy_loss``, ``kl``, ``ratio`` (mean), ``clipped_low`` and ``clipped_high``
            (shares of tokens held by a bound), ``dropped_tokens``, ``overflowed`` (shares).
        """
        logprobs, mask, reference = inputs.logprobs, inputs.mask, inputs.ref_logprobs
        old = logprobs.detach() if inputs.old_logprobs is None else inputs.old_logprobs
        kept = _finite_tokens(mask, logprobs, old, reference if self.config.beta else None)
        advantages = inputs.advantages
        advantages = self._scaled(advantages if advantages.dim() == 2 else advantages.unsqueeze(1))
        raw = functional.log_ratio(logprobs, old, kept, self.config.is_level)
        ratio = raw.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
        low, high = self.clip_bounds
        losses = functional.clipped(ratio, advantages, low, high).expand_as(mask)
        if inputs.token_weights is not None:
            losses = losses * inputs.token_weights
        tokens = float(mask.sum().item())
        metrics = {
            "policy_loss": masked_mean(losses.detach(), kept),
            "ratio": masked_mean(ratio.detach(), kept),
            "clipped_low": masked_mean(((ratio < 1 - low) & (advantages < 0)).float(), kept),
            "clipped_high": masked_mean(((ratio > 1 + high) & (advantages > 0)).float(), kept),
            "overflowed": masked_mean((raw.abs() > MAX_LOG_RATIO).float(), kept),
            "dropped_tokens": 1.0 - float(kept.sum().item()) / max(1.0, tokens) if tokens else 0.0,
        }
        if self.config.beta:
            if reference is None:
                raise ValueError("beta is above 0, so compute_loss needs ref_logprobs.")
            divergence = functional.kl_divergence(logprobs, reference, kept, self.config.kl_estimator)
            metrics["kl"] = masked_mean(divergence.detach(), kept)
            losses = losses + self.config.beta * (divergence * ratio if self.config.use_unbiased_kl else divergence)
        how, size = self.config.loss_aggregation, inputs.batch
        return functional.aggregate(losses, kept, how, size=size, max_length=inputs.max_length), metrics

    @property
    def clip_bounds(self) -> tuple[float, float]:
        """How far below and above 1 the probability ratio may go."""
        high = self.config.epsilon_high
        return self.config.epsilon, self.config.epsilon if high is None else high

    def _scaled(self, advantages: torch.Tensor) -> torch.Tensor:
        """Return advantages as the loss weighs them."""
        return advantages

    # State

    def state_dict(self) -> dict[str, Any]:
        """Return what is remembered of earlier batches, as JSON values; empty where nothing is."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what :meth:`state_dict` said."""

    def idle_report(self) -> str | None:
        """Say which settings change nothing, and why; ``None`` where all of them count."""
        reasons: dict[str, list[str]] = {}
        for name, reason in self.config.idle_settings().items():
            if name != "epsilon_high" or self.config.epsilon_high is not None:
                reasons.setdefault(reason, []).append(name)
        parts = [f"{', '.join(names)} ({reason})" for reason, names in reasons.items()]
        return f"{self.full_name}: settings that change nothing here: {'; '.join(parts)}." if parts else None

    def __repr__(self) -> str:
        defaults = {f.name: f.default for f in fields(self.config_class) if f.default is not MISSING}
        changed = {name: value for name, value in asdict(self.config).items() if defaults.get(name) != value}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


def _finite_tokens(mask: torch.Tensor, *logprobs: torch.Tensor | None) -> torch.Tensor:
    """Return the mask without tokens of which some log-probability is NaN or infinite, as floats ``[B, T]``."""
    kept = mask.bool()
    for values in logprobs:
        if values is not None:
            kept = kept & values.detach().isfinite()
    return kept.float()
